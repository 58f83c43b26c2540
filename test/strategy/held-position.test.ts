import { describe, expect, test } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import type { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import type { Fill, IsolatedPosition, StockSplit, Wallet } from '../../src/venue/account-messages.js'
import type { OpeningTerms } from '../../src/venue/venue.js'
import { fakeEntry } from '../support/fake-market.js'
import { fillOf, reportOf, walletOf, type FakeVenue, type FakeVenueOptions } from '../support/fake-venue.js'
import { RecordingStrategy, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

type Run = ReturnType<typeof startFake<RecordingStrategy>>
/** A fill in whole units and prices: `BID 2 100`. */
type Words = `${'BID' | 'ASK'} ${number} ${number}`

const running = (instrument: Partial<Instrument> = {}, options: FakeVenueOptions & { readonly resume?: RuntimeState } = {}): Run =>
  startFake(RecordingStrategy, { entries: [fakeEntry(instrument)], ...options })

function trade({ venue, strategy }: { readonly venue: FakeVenue, readonly strategy: { readonly instrument: TradingInstrument } }, words: Words, changes: Partial<Fill> = {}): Fill {
  const [side, quantity, price] = words.split(' ') as ['BID' | 'ASK', string, string]
  strategy.instrument.placeOrder({ side, quantity: Quantity.from(quantity), price: Price.from(price) })
  const entry = venue.entry.placed.at(-1)!
  venue.entry.confirm(entry)
  const fill = fillOf(entry, entry.totalQuantity, changes)
  venue.entry.listener.onFill([fill], 0)
  return fill
}

/** States a net position in whole units, long above 0. */
function state({ venue }: Run, units: number, averageEntryPrice?: string): void {
  venue.entry.position({ instrumentId: 1, longPosition: Math.max(0, units * 100), shortPosition: Math.max(0, -units * 100), ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }) })
}

function mark({ venue }: Run, price: number): void {
  venue.market(1).markPrice = price
}

const words = ({ strategy: { instrument } }: Run): readonly (string | null)[] =>
  [instrument.averageEntryPrice, instrument.unrealisedPnl, instrument.realisedPnl].map((value) => value?.toFixed() ?? null)

describe('what own fills add up to', () => {
  test.each<readonly [name: string, instrument: Partial<Instrument>, fills: readonly Words[], position: number, expected: readonly (string | null)[]]>([
    ['linear: 2 at 100 and 2 at 110, 1 sold at 120, the mark at 90', { multiplier: '0.5' }, ['BID 2 100', 'BID 2 110', 'ASK 1 120'], 3, ['105', '-22.5', '7.5']],
    ['linear: a flip', {}, ['BID 2 100', 'ASK 5 110'], -3, ['110', '60', '20']],
    ['linear: flat', {}, ['BID 2 100', 'ASK 2 110'], 0, [null, '0', '20']],
    ['inverse, 100 each: 9 at 100 are 9 coins, at 90 they are 10', { isInverse: true, contractValue: '100' }, ['BID 9 100'], 9, ['100', '-1', '0']],
    ['inverse: a short gains', { isInverse: true, contractValue: '100' }, ['ASK 9 100'], -9, ['100', '1', '0']],
    ['quanto: 0.001 a tick', { isQuanto: true, contractValue: '0.001', multiplier: '7' }, ['BID 10 100'], 10, ['100', '-0.1', '0']],
    ['no fills of ours', {}, [], 0, [null, '0', '0']],
  ])('%s', (_name, instrument, fills, position, expected) => {
    const run = running(instrument)
    mark(run, 90)
    for (const fill of fills) trade(run, fill)
    state(run, position)
    expect(words(run)).toEqual(expected)
  })

  test('the fill is in all of it inside onOrderFill', () => {
    class Reading extends RecordingStrategy {
      readonly seen: string[] = []
      override onOrderFill(): void {
        const { fills, realisedPnl } = this.instrument
        const { side, quantity, price } = fills.at(-1)!
        this.seen.push([fills.length, side, quantity, price, realisedPnl].map(String).join(' '))
      }
    }
    const run = startFake(Reading)
    trade(run, 'BID 2 100')
    trade(run, 'ASK 1 110')
    expect(run.strategy.seen).toEqual(['1 BID 2 100 0', '2 ASK 1 110 10'])
  })

  test('prices finer than the scale of orders count as they are', () => {
    const run = running()
    trade(run, 'BID 1 100', { price: 100_055, priceScale: 3 })
    trade(run, 'ASK 1 110')
    expect([words(run)[2], run.strategy.instrument.fills[0]!.price.toString()]).toEqual(['9.945', '100.055'])
  })

  test('the last hundred fills stand there, and an array in hand never changes', () => {
    const run = running()
    const before = run.strategy.instrument.fills
    for (let at = 1; at <= 103; at++) trade(run, `BID ${at} 100`)
    expect(before).toEqual([])
    expect(run.strategy.instrument.fills.map(({ quantity }) => quantity.toNumber())).toEqual(Array.from({ length: 100 }, (_, at) => at + 4))
  })

  test('a run that resumes goes on behind the hundredth', () => {
    const run = running()
    for (let at = 1; at <= 103; at++) trade(run, `BID ${at} 100`)
    const resumed = running({}, { resume: throughJson(run.runtime.state()) })
    for (const one of [run, resumed]) trade(one, 'ASK 7 101')
    const shown = [run, resumed].map(({ strategy: { instrument } }) => instrument.fills.map(({ side, quantity }) => `${side} ${quantity.toString()}`))
    expect([shown[0]!.length, shown[0]![0], shown[0]![99]]).toEqual([100, 'BID 5', 'ASK 7'])
    expect(shown[1]).toEqual(shown[0])
  })

  test('a fill is one object, in the list and as the last of its order', () => {
    const run = running()
    trade(run, 'BID 1 100')
    const { instrument } = run.strategy
    const order = instrument.openOrders[0]!
    expect(order.getLastFill()).toBe(instrument.fills[0])
    expect(instrument.fills).toBe(instrument.fills)
    expect(Object.keys(order.getLastFill()!)).toEqual(['ownFillId', 'exchangeTradeId', 'ownOrderId', 'side', 'price', 'quantity', 'fees', 'feeUnderlyingId', 'usdFees', 'addedLiquidity', 'openClose', 'exchangeTimeNs'])
  })

  test('late data brings fees; another price makes the sums unknown, not wrong', () => {
    const run = running()
    const first = trade(run, 'BID 2 100')
    trade(run, 'BID 2 110')
    run.venue.entry.listener.onFill([{ ...first, update: true, fees: '0.7' }], 0)
    expect(run.strategy.instrument.fills.map(({ fees }) => fees)).toEqual(['0.7', '0.1'])
    expect(words(run)[2]).toBe('0')
    run.venue.entry.listener.onFill([{ ...first, ownFillId: 'nobody knows it', update: true, price: 7 }], 0)
    expect(words(run)[2]).toBe('0')
    run.venue.entry.listener.onFill([{ ...first, update: true, price: 1010 }], 0)
    expect(words(run)).toEqual([null, '0', null])
    state(run, 4, '105.5')
    mark(run, 110)
    expect(words(run)).toEqual(['105.5', '18', null])
  })

  test.each<readonly [name: string, split: Partial<StockSplit>, fill: Words, expected: readonly (string | null)[]]>([
    ['2 for 1: the value stays', {}, 'BID 3 100', ['50', '240', '0']],
    ['1 for 3 without a rest', { buyVolume: '1', sellVolume: '3' }, 'BID 3 100', ['300', '-210', '0']],
    ['1 for 7: a part of a lot is paid out', { buyVolume: '1', sellVolume: '7' }, 'BID 3 100', [null, null, null]],
  ])('a split: %s', (_name, changes, fill, expected) => {
    const run = running({ type: 'spot' })
    trade(run, fill)
    run.venue.entry.listener.onCorporateAction!({ instrumentId: 1, split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: true, ...changes } }, 0)
    mark(run, 90)
    expect(words(run)).toEqual(expected)
  })

  test('a fill from before a split that comes after it makes the sums unknown', () => {
    const run = running()
    run.strategy.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('2'), price: Price.from('100') })
    const entry = run.venue.entry.placed.at(-1)!
    run.venue.entry.confirm(entry)
    run.venue.entry.listener.onOrderUpdate([{ ...reportOf(entry), executedQuantity: 200, state: 'FILLED' }], 0)
    run.venue.entry.listener.onCorporateAction!({ instrumentId: 1, split: { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: true } }, 0)
    run.venue.entry.listener.onFill([fillOf(entry, 200)], 0)
    expect([run.strategy.instrument.netTraded.toString(), words(run)[2], run.strategy.instrument.fills.length]).toEqual(['4', null, 1])
  })

  test.each([['OPEN'], ['CLOSE']] as const)('a fill that is to %s makes the sums unknown: long and short may stand side by side', (openClose) => {
    const run = running()
    trade(run, 'BID 2 100')
    trade(run, 'ASK 2 110', { openClose: 'AUTO' })
    expect(words(run)[2]).toBe('20')
    trade(run, 'ASK 1 120', { openClose })
    expect([words(run)[2], run.strategy.instrument.fills.length]).toEqual([null, 3])
  })

  test('null where the master data do not say what the contract is', () => {
    const run = running({ isInverse: true, contractValue: null })
    mark(run, 90)
    trade(run, 'BID 2 100')
    state(run, 2, '100')
    expect([...words(run), run.strategy.instrument.account.equity]).toEqual([null, null, null, null])
    expect(run.strategy.instrument.fills).toHaveLength(1)
  })

  test('comes back from a checkpoint and goes on', () => {
    const run = running()
    trade(run, 'BID 3 100.5')
    trade(run, 'ASK 1 110', { price: 110_005, priceScale: 3 })
    state(run, 2, '100.5')
    const saved = throughJson(run.runtime.state())
    const resumed = running({}, { resume: throughJson(saved) })
    for (const one of [run, resumed]) mark(one, 90)
    expect(words(resumed)).toEqual(words(run))
    expect(resumed.strategy.instrument.fills).toEqual(run.strategy.instrument.fills)
    expect(resumed.runtime.state()).toEqual(saved)
    for (const one of [run, resumed]) trade(one, 'ASK 1 90')
    expect(words(resumed)).toEqual(words(run))
  })
})

describe('what was stated', () => {
  test('comes first where own fills say something else', () => {
    const run = running()
    mark(run, 110)
    trade(run, 'BID 2 100')
    state(run, 5, '104')
    expect(words(run)).toEqual(['104', '30', '0'])
  })

  test('is rounded, so that own fills of the same average are exact', () => {
    const run = running({ multiplier: '3' })
    mark(run, 110)
    for (const fill of ['BID 1 100', 'BID 1 100', 'BID 1 100.5'] as const) trade(run, fill)
    state(run, 3, '100.166666666666666667')
    expect(words(run)).toEqual(['100.166666666666666667', '88.5', '0'])
    state(run, 3, '100.166666666666666666')
    expect(words(run)[1]).toBe('88.500000000000000006')
  })

  test('nothing: null where own fills do not add up to the position', () => {
    const run = running()
    mark(run, 110)
    state(run, 5)
    expect(words(run)).toEqual([null, null, '0'])
  })

  test.each<readonly [name: string, position: Partial<IsolatedPosition>, average: string | null, unrealised: string | null]>([
    ['a long', { long: { size: 200, averageEntryPrice: '100' } }, '100', '20'],
    ['a short', { short: { size: 200, averageEntryPrice: '100' } }, '100', '-20'],
    ['long and short', { long: { size: 300, averageEntryPrice: '100' }, short: { size: 300, averageEntryPrice: '120' } }, null, '60'],
    ['a short of which nothing is stated', { long: { size: 300, averageEntryPrice: '100' }, short: { size: 200 } }, null, null],
  ])('isolated: %s', (_name, changes, average, unrealised) => {
    const run = running()
    mark(run, 110)
    run.venue.entry.listener.onPositionUpdate([], 0, [{ instrumentId: 1, long: { size: 0 }, short: { size: 0 }, ...changes }])
    expect(words(run)).toEqual([average, unrealised, '0'])
  })

  test('is valued at the mark, else in the middle; null without either', () => {
    const run = running()
    state(run, 2, '100')
    expect(words(run)[1]).toBeNull()
    run.venue.market(1).top([1000, 5], null)
    expect(words(run)[1]).toBeNull()
    run.venue.market(1).top([1000, 5], [1015, 5])
    expect(words(run)[1]).toBe('1.5')
    mark(run, 90)
    expect(words(run)[1]).toBe('-20')
    for (const [price, unrealised] of [[0, '-200'], [-5, '-210']] as const) {
      mark(run, price)
      expect(words(run)[1]).toBe(unrealised)
    }
  })
})

const cash = (amount: string, more: Partial<Wallet<string, number>> = {}): Wallet<string, number> => ({ ...walletOf(20, amount), cashBalance: amount, ...more })
const coin = (amount: string, more: Partial<Wallet<string, number>> = {}): Wallet<string, number> => ({ ...walletOf(10, amount), cashBalance: amount, ...more })
const SPOT: Partial<Instrument> = { type: 'spot' }
const PREDICTION: OpeningTerms = { kind: 'prediction', contractSize: Amount.ONE, settlementUnderlyingId: 20, isCoverFree: true, shortSale: 'stake' }

describe('equity of an account', () => {
  test.each<readonly [name: string, instrument: Partial<Instrument>, wallets: readonly Wallet<string, number>[], position: readonly [units: number, average?: string], expected: string | null]>([
    ['cash', {}, [cash('1000')], [0], '1000'],
    ['cash and profit at the mark, whatever the wallet said last', {}, [cash('1000', { marginBalance: '1007' })], [-2, '100'], '980'],
    ['a loan is not its own', {}, [cash('1000', { borrowed: '300' })], [0], '700'],
    ['a wallet that is not stated: none', {}, [], [0], '0'],
    ['inverse, in coin', { isInverse: true, contractValue: '100' }, [coin('7')], [11, '100'], '8'],
    ['a balance is cash where nothing is open', {}, [walletOf(20, '5')], [0], '5'],
    ['no cash is stated beside a position', {}, [walletOf(20, '5')], [2, '100'], null],
    ['an entry that nobody knows', {}, [cash('1000')], [2], null],
    ['coins at the price of the spot instrument', SPOT, [cash('1000'), coin('0.5')], [0], '1055'],
    ['coins that are owed', SPOT, [cash('1000'), coin('0', { borrowed: '0.5' })], [0], '945'],
    ['coins that nothing converts', {}, [cash('1000'), coin('0.5')], [0], null],
    ['an empty wallet of another coin', {}, [cash('1000'), coin('0')], [0], '1000'],
    ['a wallet of another type', {}, [cash('1000'), cash('1', { type: 'EARN' })], [0], null],
    ['an empty wallet of another type', {}, [cash('1000'), cash('0', { type: 'EARN' })], [0], '1000'],
    ['an option has its value', { type: 'call', strikePrice: '1' }, [cash('1000')], [2, '100'], '1220'],
    ['a sold option owes it', { type: 'put', strikePrice: '1' }, [cash('1000')], [-2, '100'], '780'],
  ])('%s', (_name, instrument, wallets, [units, average], expected) => {
    const run = running(instrument, { wallets })
    mark(run, 110)
    if (instrument.type !== 'spot') state(run, units, average)
    run.venue.entry.listener.onWalletUpdate(wallets, 0)
    expect(run.strategy.instrument.account.equity?.toFixed() ?? null).toBe(expected)
  })

  test('a prediction contract has its value too, as its terms say', () => {
    const run = running({}, { wallets: [cash('1000')], opening: PREDICTION })
    mark(run, 110)
    state(run, 2, '100')
    run.venue.entry.listener.onWalletUpdate([cash('1000')], 0)
    expect(run.strategy.instrument.account.equity?.toFixed()).toBe('1220')
  })

  test('null beside a position that the strategy does not trade', () => {
    const run = running({}, { wallets: [cash('1000')], entries: [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })] })
    run.venue.entry.position({ instrumentId: 2, longPosition: 1, shortPosition: 0 })
    expect(run.strategy.instrument.account.equity).toBeNull()
    run.venue.entry.position({ instrumentId: 2, longPosition: 0, shortPosition: 0 })
    expect(run.strategy.instrument.account.equity?.toFixed()).toBe('1000')
  })
})

describe('cash and positions of two moments are never added up', () => {
  const seen: string[] = []
  class Looking extends RecordingStrategy {
    override onInstrumentPosition(): void { this.look('position') }
    override onOrderFill(): void { this.look('fill') }
    override onOrderUpdate(): void { this.look('update') }
    look(name: string): void {
      seen.push(`${name} ${this.instrument.account.equity?.toFixed() ?? 'null'}`)
    }
  }

  test.each([[null], [1], [2], [3]])('a fill of 3 bought at 100 and sold at 110 in two parts, shuffled by %s', (shuffleSeed) => {
    seen.length = 0
    const run = startFake(Looking, { wallets: [cash('1000')], shuffleSeed })
    mark(run, 105)
    const step = (units: number, average: string | undefined, words: Words): void => {
      state(run, units, average)
      trade(run, words)
    }
    const settle = (amount: string): void => {
      run.venue.entry.listener.onWalletUpdate([cash(amount)], 0)
      run.venue.clock.advanceTo(run.venue.clock.nowNs())
      run.strategy.look('wallet')
    }
    step(3, '100', 'BID 3 100')
    settle('999')
    step(1, '100', 'ASK 2 110')
    step(0, undefined, 'ASK 1 110')
    settle('1028')
    expect(seen.filter((line) => line.startsWith('wallet'))).toEqual(['wallet 1014', 'wallet 1028'])
    expect(seen.filter((line) => !/ (1000|1014|1028)$/.test(line))).toEqual([])
    if (shuffleSeed !== null) return
    const one = (equity: number): readonly string[] => ['position', 'update', 'fill'].map((name) => `${name} ${String(equity)}`)
    expect(seen).toEqual([...one(1000), 'wallet 1014', ...one(1014), ...one(1014), 'wallet 1028'])
  })

  test('and a checkpoint between them keeps both', () => {
    const run = running({}, { wallets: [cash('1000')] })
    mark(run, 105)
    state(run, 3, '100')
    const resumed = running({}, { wallets: [cash('1000')], resume: throughJson(run.runtime.state()) })
    mark(resumed, 105)
    for (const { venue, strategy } of [run, resumed]) {
      expect(strategy.instrument.account.equity?.toFixed()).toBe('1000')
      venue.entry.listener.onWalletUpdate([cash('999')], 0)
      expect(strategy.instrument.account.equity?.toFixed()).toBe('1014')
    }
  })
})

describe('a wallet by its code', () => {
  const named = (id: number, code: string): { readonly id: number, readonly code: string, readonly name: null, readonly type: null, readonly fxRate: null, readonly fxTime: null } => ({ id, code, name: null, type: null, fxRate: null, fxTime: null })
  const underlyings = [named(10, 'BTC'), named(20, 'USDT'), named(30, 'X'), named(31, 'X')]

  test('is the one of its id', () => {
    const { strategy: { instrument: { account } } } = running({}, { wallets: [walletOf(20, '5.25')], underlyings })
    expect([account.available('USDT'), account.available(20), account.available('BTC'), account.available(99)].map(String)).toEqual(['5.25', '5.25', '0', '0'])
    expect([account.wallet('USDT'), account.wallet('BTC')]).toEqual([account.wallet(20), undefined])
  })

  test.each([
    ['USD', 'Cannot tell the underlying "USD": expected one of BTC, USDT, X'],
    ['usdt', 'Cannot tell the underlying "usdt": expected one of BTC, USDT, X'],
    ['X', 'Cannot tell the underlying "X": expected its id, as several have this code'],
  ])('%s is refused', (code, message) => {
    const { strategy: { instrument: { account } } } = running({}, { underlyings })
    expect(() => account.available(code)).toThrow(message)
  })
})
