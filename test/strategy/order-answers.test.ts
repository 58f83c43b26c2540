import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { EntryError, OrderReport } from '../../src/model/order.js'
import { NO_CONDITIONS, type Order } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { FINISHED_ORDER_LIMIT } from '../../src/strategy/order-tracker.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { holdingOf, TradingInstrument } from '../../src/strategy/trading-instrument.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { fakeEntry } from '../support/fake-market.js'
import { fillOf, reportOf, walletOf, type FakeOrderEntry, type FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const ORDERS: readonly (keyof Strategy)[] = ['onOrderUpdate', 'onOrderError', 'onOrderFill', 'onOrderFillUpdate', 'onInstrumentPosition', 'onOrderEntryState']
const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }
const NO: EntryError = { type: 'INVALID_PRICE', message: 'no', source: 'EXCHANGE' }

interface Bench {
  readonly venue: FakeVenue
  readonly strategy: RecordingStrategy
  readonly order: Order
  readonly entry: PlaceEntry
}

/** One order, sent and not answered. */
function sent(params: Partial<OrderParams> = {}): Bench {
  const { venue, strategy } = startFake(recording(ORDERS))
  const order = strategy.instrument.placeOrder({ ...BUY, ...params })
  return { venue, strategy, order, entry: venue.entry.placed[0]! }
}

describe('what an update says of an order', () => {
  test.each<readonly [stated: Partial<OrderReport>, conditions: Partial<Order['conditions']>]>([
    [{}, {}],
    [{ openClose: 'AUTO', closeOnly: false, reduceOnly: false }, {}],
    [{ triggerPrice: 1020 }, { triggerPrice: new Price(1020, 1) }],
    [{ triggerPrice: 1020, triggered: true }, { triggerPrice: new Price(1020, 1), triggered: true }],
    [{ pegOffsetValue: -5 }, { pegOffsetValue: new Price(-5, 1) }],
    [{ displayQuantity: 5 }, { displayQuantity: new Quantity(5, 2) }],
    [{ closeOnly: true }, { closeOnly: true }],
    [{ reduceOnly: true }, { reduceOnly: true }],
    [{ openClose: 'CLOSE' }, { openClose: 'CLOSE' }],
  ])('%j of its conditions', (stated, conditions) => {
    const { venue, order, entry } = sent()
    venue.entry.update(entry, stated)
    expect(order.conditions).toStrictEqual({ ...NO_CONDITIONS, ...conditions })
  })

  test('what it leaves out stays: conditions, context, the last error', () => {
    const { venue, order, entry } = sent({ displayQuantity: Quantity.from('0.05'), context: { why: 'test' } })
    venue.entry.confirm(entry)
    venue.entry.listener.onCancelResponse([{ ownOrderId: order.ownOrderId, error: NO }], 0)
    venue.entry.update(entry, { executedQuantity: 1 })
    expect([order.conditions.displayQuantity?.toString(), order.context, order.lastError]).toEqual(['0.05', { why: 'test' }, NO])
    venue.entry.update(entry, { context: { why: 'not' } })
    expect(order.context).toEqual({ why: 'not' })
  })

  test('no price of an order that has none', () => {
    const { venue, order, entry } = sent({ type: 'MARKET', price: null, postOnly: false })
    expect(order.price).toBeNull()
    venue.entry.update(entry, { state: 'CANCELED' })
    expect([order.price, order.state, order.isDiscarded]).toEqual([null, 'CANCELED', false])
  })

  test('nothing of an order that was never sent', () => {
    const { strategy } = sent()
    expect(strategy.instrument.placeOrder({ ...BUY, price: null })).toMatchObject({ isDiscarded: true, isOpen: false })
  })
})

/** What comes of an order that was sent and not answered, and what its strategy then knows. */
const ANSWERS: readonly (readonly [what: string, play: (bench: Bench & { readonly to: FakeOrderEntry['listener'] }) => void, state: string, received: readonly string[]])[] = [
  ['the response', ({ entry, to }) => { to.onPlaceResponse([{ ...idsOf(entry), result: reportOf(entry) }], 0) }, 'CONFIRMED', []],
  ['a response after the update that filled it', ({ venue, entry, to }) => {
    venue.entry.update(entry, { state: 'FILLED', executedQuantity: 10 })
    to.onPlaceResponse([{ ...idsOf(entry), result: reportOf(entry) }], 0)
  }, 'FILLED', ['onOrderUpdate(id-1 FILLED 0.1)']],
  ['an error after the update that cancelled it', ({ venue, entry, to }) => {
    venue.entry.update(entry, { state: 'CANCELED' })
    to.onPlaceResponse([{ ...idsOf(entry), error: NO }], 0)
  }, 'CANCELED', ['onOrderUpdate(id-1 CANCELED 0)', 'onOrderError(id-1 CANCELED 0 INVALID_PRICE)']],
  ['a cancel that was heard', ({ venue, entry, order, to }) => {
    venue.entry.confirm(entry)
    to.onCancelResponse([{ ownOrderId: order.ownOrderId }], 0)
  }, 'CONFIRMED', ['onOrderUpdate(id-1 CONFIRMED 0)']],
  ['one of two amends answered', ({ venue, entry, order, to }) => {
    venue.entry.confirm(entry)
    for (const text of ['99', '98']) order.amend({ price: Price.from(text) })
    to.onAmendResponse([{ ownOrderId: order.ownOrderId, clientOrderId: 'c', result: { price: 990 } }], 0)
  }, 'PENDING_AMEND', ['onOrderUpdate(id-1 CONFIRMED 0)']],
  ['both amends answered', ({ venue, entry, order, to }) => {
    venue.entry.confirm(entry)
    for (const text of ['99', '98']) order.amend({ price: Price.from(text) })
    for (const price of [990, 980]) to.onAmendResponse([{ ownOrderId: order.ownOrderId, clientOrderId: 'c', result: { price } }], 0)
  }, 'CONFIRMED', ['onOrderUpdate(id-1 CONFIRMED 0)']],
  ['more amends answered than asked for, then one that is not', ({ venue, entry, order, to }) => {
    venue.entry.confirm(entry)
    to.onAmendResponse([{ ownOrderId: order.ownOrderId, clientOrderId: 'c', result: { price: 990 } }], 0)
    order.amend({ price: Price.from('99') })
  }, 'PENDING_AMEND', ['onOrderUpdate(id-1 CONFIRMED 0)']],
  ['an amend that meets a filled order', ({ venue, entry, order, to }) => {
    venue.entry.confirm(entry)
    order.amend({ price: Price.from('99') })
    venue.entry.update(entry, { state: 'FILLED', executedQuantity: 10 })
    to.onAmendResponse([{ ownOrderId: order.ownOrderId, clientOrderId: 'c', error: NO }], 0)
  }, 'FILLED', ['onOrderUpdate(id-1 CONFIRMED 0)', 'onOrderUpdate(id-1 FILLED 0.1)', 'onOrderError(id-1 FILLED 0.1 INVALID_PRICE)']],
  ['an amend before the response', ({ order }) => { order.amend({ price: Price.from('99') }) }, 'PENDING_NEW', []],
]

const idsOf = ({ ownOrderId, clientOrderId }: PlaceEntry): Pick<PlaceEntry, 'ownOrderId' | 'clientOrderId'> => ({ ownOrderId, clientOrderId })

describe('answers', () => {
  test.each(ANSWERS)('%s', (_what, play, state, received) => {
    const bench = sent()
    play({ ...bench, to: bench.venue.entry.listener })
    expect([bench.order.state, bench.strategy.received]).toEqual([state, received])
  })

  test('to orders of other clients of the account are not heard', () => {
    const { venue: { entry: { listener } }, strategy, order, entry } = sent()
    const ids = { ownOrderId: 'other', clientOrderId: 'c' }
    listener.onPlaceResponse([{ ...ids, result: reportOf(entry) }, { ...ids, error: NO }], 0)
    listener.onReplaceResponse([{ ...ids, exchangeOrderId: 'x', result: { price: 1000, totalQuantity: 30 } }, { ...ids, exchangeOrderId: 'x', error: NO }], 0)
    listener.onAmendResponse([{ ...ids, result: { price: 990 } }, { ...ids, error: NO }], 0)
    listener.onCancelResponse([{ ownOrderId: 'other' }, { ownOrderId: 'other', error: NO }], 0)
    expect([strategy.received, order.state, order.exchangeOrderId, order.lastError]).toEqual([[], 'PENDING_NEW', null, null])
  })

  test('a replacement that failed has no number of the exchange, one that did not has', () => {
    const { venue, order, entry } = sent()
    venue.entry.confirm(entry)
    const [failed, made] = [order.replace({ price: Price.from('99') }), order.replace({ price: Price.from('98') })]
    venue.entry.listener.onReplaceResponse([
      { ownOrderId: failed.ownOrderId, clientOrderId: failed.clientOrderId, exchangeOrderId: 'x-1', error: NO },
      { ownOrderId: made.ownOrderId, clientOrderId: made.clientOrderId, exchangeOrderId: 'x-2', result: { price: 980, totalQuantity: 10 } },
    ], 0)
    expect([failed, made].map(({ state, exchangeOrderId }) => [state, exchangeOrderId])).toEqual([['REJECTED', null], ['PENDING_NEW', 'x-2']])
  })
})

describe('fills', () => {
  test('a correction of an earlier fill leaves the last one alone, and adds nothing to what was filled', () => {
    const { venue, strategy, order, entry } = sent()
    venue.entry.confirm(entry)
    venue.entry.execute(entry, 4, { executed: 4, position: 4 })
    venue.entry.execute(entry, 3, { executed: 7, position: 7 })
    venue.entry.listener.onFill([fillOf(entry, 4, { update: true, fees: '9' })], 0)
    expect(order.getLastFill()).toMatchObject({ quantity: Quantity.from('0.03'), fees: '0.1' })
    venue.entry.listener.onFill([fillOf(entry, 3, { update: true, fees: '8' })], 0)
    expect(order.getLastFill()).toMatchObject({ quantity: Quantity.from('0.03'), fees: '8' })
    venue.entry.execute(entry, 3, { executed: 10, position: 10 })
    venue.clock.advanceTo(60e9)
    expect(strategy.received.filter((received) => received.startsWith('onOrderEntryState'))).toEqual([])
  })

  test.each([[FINISHED_ORDER_LIMIT - 1, true], [FINISHED_ORDER_LIMIT, false]])('late data of an order find it until %d others have ended: %s', (count, isFound) => {
    const { venue, strategy, order, entry } = sent()
    venue.entry.update(entry, { state: 'FILLED', executedQuantity: 9 })
    for (let i = 0; i < count; i++) {
      strategy.instrument.placeOrder(BUY)
      venue.entry.reject(venue.entry.placed.at(-1)!)
    }
    strategy.received.length = 0
    venue.entry.listener.onFill([fillOf(entry, 9, { update: true })], 0)
    venue.entry.listener.onCancelResponse([{ ownOrderId: order.ownOrderId, error: NO }], 0)
    // An order that is forgotten is not waited for any more.
    venue.clock.advanceTo(1e9)
    expect(strategy.received.map((received) => received.replace(/\(.*/, ''))).toEqual(isFound ? ['onOrderFillUpdate', 'onOrderError', 'onOrderEntryState'] : [])
  })
})

class Pair extends Strategy {
  declare near: TradingInstrument
  declare far: TradingInstrument
  readonly received: string[] = []
  override onInstrumentPosition({ code, position }: TradingInstrument): void {
    this.received.push(`${code} ${position.toString()}`)
  }
}
for (const name of ['near', 'far'] as const) Parameter(TradingInstrument)(Pair.prototype, name)
const PAIR = { entries: [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })], parameters: { near: 'BTCUSDT', far: 'ETHUSDT' } }

describe('positions', () => {
  test('of two instruments, one with an isolated part', () => {
    const { venue, strategy, runtime } = startFake(Pair, PAIR)
    venue.entry.position({ instrumentId: 2, longPosition: 5, shortPosition: 0 })
    venue.entry.listener.onPositionUpdate([{ instrumentId: 1, longPosition: 3, shortPosition: 0 }, { instrumentId: 2, longPosition: 0, shortPosition: 1 }], 0, [{ instrumentId: 2, long: { size: 7 }, short: { size: 0 } }])
    expect(strategy.received).toEqual(['ETHUSDT 0.05', 'BTCUSDT 0.03', 'ETHUSDT 0.06'])
    expect(holdingOf(strategy.far).stated.isolated).toMatchObject({ long: { size: 7 }, short: { size: 0 } })
    expect(holdingOf(strategy.near).stated.isolated).toBeUndefined()
    expect(runtime.state().accounts.map(({ positions }) => positions?.last.map(({ instrumentId }) => instrumentId))).toEqual([[2, 1]])
  })

  test('are kept for a checkpoint, also of instruments that nobody trades', () => {
    const { venue, runtime } = startFake(recording([]), { entries: PAIR.entries, positions: [{ instrumentId: 1, longPosition: 1, shortPosition: 0 }, { instrumentId: 2, longPosition: 4, shortPosition: 0 }] })
    const others = (): unknown => runtime.state().accounts.map(({ positions }) => positions?.last.filter(({ instrumentId }) => instrumentId === 2))
    expect(others()).toEqual([[{ instrumentId: 2, longPosition: 4, shortPosition: 0 }]])
    venue.entry.position({ instrumentId: 2, longPosition: 0, shortPosition: 4 })
    expect(others()).toEqual([[{ instrumentId: 2, longPosition: 0, shortPosition: 4 }]])
    const resumed = startFake(recording([]), { entries: PAIR.entries, resume: throughJson(runtime.state()) })
    expect(resumed.runtime.state().accounts).toEqual(runtime.state().accounts)
  })
})

describe('the wallet of a spot instrument is its position', () => {
  const spot = (balance: string, more: object = {}): string => {
    const { strategy } = startFake(recording([]), { entries: [fakeEntry({ type: 'spot', ...more })], wallets: [walletOf(10, balance)] })
    return strategy.instrument.position.toString()
  }

  // A number holds what is below 2^53; of interest, which has more decimals, those finer than a lot are cut off.
  test.each([
    ['0', '0'], ['2', '2'], ['-2.5', '-2.5'], ['123456789012345', '123456789012345'], ['0.123456789012345', '0.123456789012345'], ['12345.6789012345', '12345.6789012345'],
    ['12345.67890123456789', '12345.67890123456'], ['0.1234567890123456789', '0.1234567890123456'], ['-0.1234567890123456789', '-0.1234567890123456'], ['-12.345678901234567', '-12.34567890123456'],
    ['123456789012345.678', '123456789012345.67'], ['12345678901234.5678', '12345678901234.56'], ['1000000.000000001234', '1000000.000000001'], ['9007199254740993', '9007199254740993'], ['100000000000000000.75', '100000000000000000.75'], ['100000000000000000.758', '100000000000000000.75'], ['1234567890123456', '1234567890123456'],
  ])('a balance of %s is a position of %s', (balance, position) => {
    expect(spot(balance)).toBe(position)
  })

  // Lots of 1E-8 are exact below 2^53 and above it.
  test.each([
    ['25000000.12345678', '25000000.12345678'], ['90071992.00000007', '90071992.00000007'], ['90071993.00000007', '90071993.00000007'], ['12345683.12345679', '12345683.12345679'],
    ['100000000000000000.5', '100000000000000000.5'], ['-90071993.00000007', '-90071993.00000007'], ['90071993.100000000001', '90071993.1'], ['90071993.000000000001', '90071993'],
    ['90071993.123456789012', '90071993.12345678'], ['12345.67890123456789', '12345.67890123456'],
  ])('a balance of %s in lots of 1E-8 is a position of %s', (balance, position) => {
    expect(spot(balance, { lotSize: '0.00000001' })).toBe(position)
  })

  test.each([
    ['100000000.12345679', '100000000.1234568'], ['100000000.12345679', '0'], ['900719925474099.12345679', '900719925474099.12345678'], ['0', '-100000000.12345679'],
    ['90071992.00000001', '90071993.00000001'], ['-100000000.12345679', '-100000000.1234568'],
  ])('it goes from %s to %s, and both sides say it', (from, to) => {
    const { venue, strategy, runtime } = startFake(recording([]), { entries: [fakeEntry({ type: 'spot', lotSize: '0.00000001' })], wallets: [walletOf(10, from)] })
    const said = (balance: string): string[] => (balance.startsWith('-') ? [balance, '0', balance.slice(1)] : [balance, balance, '0'])
    const now = ({ instrument: { position, positions: { long, short } } }: { instrument: TradingInstrument }): string[] => [position, long, short].map(String)
    expect(now(strategy)).toEqual(said(from))
    venue.entry.listener.onWalletUpdate([walletOf(10, to)], 0)
    expect(now(strategy)).toEqual(said(to))
    const resumed = startFake(recording([]), { entries: [fakeEntry({ type: 'spot', lotSize: '0.00000001' })], wallets: [walletOf(10, to)], resume: throughJson(runtime.state()) })
    expect(now(resumed.strategy)).toEqual(said(to))
  })

  test('wallets of another type are no wallets of the account itself', () => {
    const { strategy } = startFake(recording([]), { wallets: [{ ...walletOf(20, '7'), type: 'LOAN' }, walletOf(20, '5'), { ...walletOf(10, '3'), type: 'ACCOUNT' }] })
    const { account } = strategy.instrument
    expect([account.available(20).toString(), account.available(10).toString(), account.wallet(20)?.type]).toEqual(['5', '3', undefined])
  })

  test('without a wallet, and without a coin in its master data, it is 0', () => {
    expect([spot('5', { baseUnderlyingId: 99 }), spot('5', { baseUnderlyingId: null })]).toEqual(['0', '0'])
  })

  test('wallets of other underlyings are no news of it', () => {
    const { venue, strategy } = startFake(recording(ORDERS), { entries: [fakeEntry({ type: 'spot' })] })
    venue.entry.listener.onWalletUpdate([walletOf(20, '5')], 0)
    expect([strategy.received, strategy.instrument.position.toString()]).toEqual([[], '0'])
  })
})
