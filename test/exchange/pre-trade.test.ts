import { describe, expect, test } from 'vitest'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import type { PlannedAction } from '../../src/exchange/accounts/corporate-actions.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { WorldMoney } from '../../src/exchange/accounts/world-money.js'
import type { GapPolicy } from '../../src/exchange/matching/assumptions.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { AmendEntry } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { ExchangeBench, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, index, marginProfile, mark, place, playMoney, refusals, type PlayedMoney } from '../support/played-money.ts'

/** What a page has beside lines and commands. */
interface ActionsAndEnds {
  readonly expiryNs?: number
  readonly corporateActions?: readonly PlannedAction[]
  readonly gaps?: GapPolicy
}

const SPOT: Partial<Instrument> = { type: 'spot' }
const day = book(1, 100, 101)
const limited = (limits: NonNullable<VenueProfile['limits']>): VenueProfile => ({ ...GENERIC_PROFILE, name: 'limited', limits })

describe('bounds of one order: master data and profile, the narrower of both', () => {
  test.each([
    ['QUANTITY_TOO_SMALL', { minOrder: '5' }, {}, 4],
    ['QUANTITY_TOO_SMALL', { minOrder: '2' }, { minQuantity: '5' }, 4],
    ['QUANTITY_TOO_LARGE', { maxOrder: '3' }, { maxQuantity: '9' }, 4],
    ['VALUE_TOO_SMALL', { minValue: '401' }, {}, 4],
    ['PRICE_OUT_OF_BAND', {}, { priceBand: '0.004' }, 4],
    ['TOO_MANY_ORDERS', {}, { maxOpenOrders: 0 }, 4],
  ] as const)('%s', (type, instrument, limits, quantity) => {
    expect(refusals(playMoney([day], [place(2, 'BID', quantity, 100)], { profile: limited(limits) }, instrument))).toEqual([`o2 ${type} EXCHANGE`])
  })

  test('what is on the bound is taken', () => {
    const profile = limited({ priceBand: '0.005', maxOpenOrders: 1, minQuantity: '4', maxQuantity: '4', minValue: '400' })
    // The mid is 100.5: 0.5 % is 0.5025.
    expect(refusals(playMoney([day], [place(2, 'BID', 4, 100)], { profile }))).toEqual([])
  })

  test('an amend is judged as an order that takes the place of its own', () => {
    const amend = { timeNs: 3, send: (entry: { amend(entries: unknown): void }) => entry.amend([{ ownOrderId: 'o2', currentClientOrderId: 'o2', newClientOrderId: 'x', totalQuantity: 6 }]) }
    const run = playMoney([day], [place(2, 'BID', 4, 100), amend], { profile: limited({ maxQuantity: '5', maxOpenOrders: 1 }) })
    expect(refusals(run)).toEqual(['o2 QUANTITY_TOO_LARGE EXCHANGE'])
  })

  test('the preset that asks nothing asks nothing', () => {
    expect(refusals(playMoney([day], [place(2, 'BID', 4, 100)], { checks: 'none' }, { ...SPOT, minOrder: '5' }))).toEqual([])
  })
})

describe('spot balances, where balances are declared', () => {
  test('a buy needs what it costs, open orders and fees included; a sale what it sells', () => {
    const balances = new Map([[2, '1000'], [1, '3']])
    const commands = [place(2, 'BID', 5, 100), place(3, 'BID', 5, 99), place(4, 'BID', 1, 100), place(5, 'ASK', 2, 101), place(6, 'ASK', 2, 102)]
    // 500 + 495 leave 5; 2 of 3 coins leave 1. A rate of 0.1 % makes 500.5 + 495.495.
    expect(refusals(playMoney([day], commands, { balances }, SPOT))).toEqual(['o4 INSUFFICIENT_BALANCE EXCHANGE', 'o6 INSUFFICIENT_BALANCE EXCHANGE'])
    expect(refusals(playMoney([day], [place(2, 'BID', 5, 100), place(3, 'BID', 5, 100)], { balances, fees: { maker: '0.001', taker: '0' } }, SPOT))).toEqual(['o3 INSUFFICIENT_BALANCE EXCHANGE'])
    const run = playMoney([day], [place(2, 'BID', 5, 100), place(3, 'BID', 2, 101)], { balances }, SPOT)
    const last = run.messages.filter((message) => message.kind === 'walletUpdate').at(-1)
    expect(last).toMatchObject({ wallets: [{ underlyingId: 1, availableAmount: '5' }, { underlyingId: 2, cashBalance: '798', availableAmount: '298', amountBlockedForMargin: '500' }] })
  })

  test('without declared balances nothing is asked, no bracket of a margin section either', () => {
    expect(refusals(playMoney([day], [place(2, 'BID', 5, 100)], { balances: new Map() }, SPOT))).toEqual([])
    expect(refusals(playMoney([day], [place(2, 'BID', 500, 100)], { balances: new Map(), profile: marginProfile(['cross']) }, SPOT))).toEqual([])
  })
})

test.each([{}, SPOT, { isInverse: true, contractValue: '1' }])('a price or a trigger of 0 or less is refused before any money is asked for: %j', (instrument) => {
  const change = (timeNs: number, terms: object) => ({ timeNs, send: (entry: { amend(entries: unknown): void }) => entry.amend([{ ownOrderId: 'o5', currentClientOrderId: 'o5', newClientOrderId: 'x', ...terms }]) })
  const stop = (timeNs: number, triggerPrice: number) => place(timeNs, 'BID', 1, 1, { type: 'STOP_LIMIT', triggerPrice })
  const run = playMoney([day], [place(2, 'BID', 1, 0), place(3, 'ASK', 1, -1), stop(4, 0), stop(5, 200), change(6, { price: 0 }), change(7, { triggerPrice: -1 })], {}, instrument)
  expect(refusals(run)).toEqual(['o2', 'o3', 'o4', 'o5', 'o5'].map((id) => `${id} INVALID_PRICE INTERNAL`))
})

describe('what positions under margin have is not spent', () => {
  const swap = madeInstrument({ id: 2, code: 'B' })
  const coin = { instrument: madeInstrument({ type: 'spot' }), priceScale: 0, units: 1 }
  const bet = { instrument: madeInstrument({ tickSize: '0.1' }), priceScale: 1, units: 10 }
  const refused = (modes: readonly ('cross' | 'isolated')[], openClose: 'OPEN' | 'AUTO', { instrument, priceScale, units }: typeof coin): string[] => {
    const errors: string[] = []
    const bench = new ExchangeBench({
      instruments: [
        { instrument, priceScale, batches: [lineBatch([book(1, 1, 2)], { instrument, priceScale })] },
        { instrument: swap, batches: [lineBatch([book(1, 100, 101), mark(1, 101), mark(5, 120)], { instrument: swap })] },
      ],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: { maker: '0', taker: '0' }, profile: marginProfile(modes), predictions: new Set(units === 1 ? [] : [1]) }],
      delivered: (_world, _client, _timeNs, message) => {
        if (message.kind === 'placeResponse') errors.push(...message.results.flatMap(({ ownOrderId, error }) => (error === undefined ? [] : [`${String(ownOrderId)} ${error.type}`])))
      },
    })
    const buy = (timeNs: number, quantity: number) => place(timeNs, 'BID', quantity * units, 1)
    bench.run([place(2, 'BID', 5, 101, { instrumentId: 2, openClose }), buy(3, 50), buy(4, 49), buy(6, 52), buy(7, 51)])
    return errors
  }
  const short = (...ids: string[]): string[] => ids.map((id) => `${id} INSUFFICIENT_BALANCE`)

  test.each([['coins', coin], ['stakes', bet]] as const)('%s: 50.5 of 100 stand for 5 at 101; a profit of 95 backs a cross position in the place of cash, and pays nothing', (_name, what) => {
    expect(refused(['isolated'], 'OPEN', what)).toEqual(short('o3', 'o6', 'o7'))
    expect(refused(['cross', 'isolated'], 'AUTO', what)).toEqual(short('o3', 'o6'))
  })
})

describe('an unknown book', () => {
  const market = place(2, 'BID', 1, 100, { type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' })
  const wordsOf = (lines: Parameters<typeof playMoney>[0], commands = [market]) => playMoney(lines, commands).messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.map(({ error }) => error?.message) : []))

  test('is refused for its own reason: before the first snapshot there was no gap', () => {
    expect(wordsOf([mark(1, 100)])).toEqual(['the book is unknown before the first snapshot, and this order needs it (gap policy assumeWorst)'])
    expect(wordsOf([book(0, 99, 101), { kind: 'update', timeNs: 1, gap: true, rows: [] }])).toEqual(['the book is unknown since a gap, and this order needs it (gap policy assumeWorst)'])
    expect(wordsOf([book(0, 99, 101), { kind: 'ERROR', timeNs: 1 }])).toEqual(['the book is unknown since an ERROR state, and this order needs it (gap policy assumeWorst)'])
  })
})

describe('margin', () => {
  test.each([
    // 9 * 101 is 909: 10 % of it is 90.9. 10 * 101 is 1010, in the second bracket: 202.
    ['fits', 9, []],
    ['is too large', 10, ['o2 INSUFFICIENT_MARGIN EXCHANGE']],
    ['is beyond the brackets', 50, ['o2 POSITION_TOO_LARGE EXCHANGE']],
  ] as const)('an order that %s', (_name, quantity, expected) => {
    expect(refusals(playMoney([day, mark(1, 100)], [place(2, 'BID', quantity, 101)], { profile: marginProfile(['cross']) }))).toEqual(expected)
  })

  test('an instrument that the profile names has brackets of its own, the last of which need have no end', () => {
    const brackets = [{ upTo: '200', initialRate: '0.5', maintenanceRate: '0.25', deduction: '0' }, { upTo: null, initialRate: '1', maintenanceRate: '0.5', deduction: '50' }]
    const own = marginProfile(['cross'])
    const refused = (code: string, quantity: number) => refusals(playMoney([day, mark(1, 100)], [place(2, 'BID', quantity, 100)], { profile: { ...own, margin: { ...own.margin!, instruments: { [code]: brackets } } } }))
    // 200 need 100; 300 need 300, and 100,000 are not beyond the last. By the general ones 300 need 30.
    expect([refused('TEST', 2), refused('TEST', 3), refused('TEST', 1000), refused('OTHER', 3)]).toEqual([[], ['o2 INSUFFICIENT_MARGIN EXCHANGE'], ['o2 INSUFFICIENT_MARGIN EXCHANGE'], []])
  })

  test('a position that the mark has taken beyond the brackets can be made smaller, and another one opened beside it, but not made larger', () => {
    // 40 at 130 are 5200, and 5000 is the last bound: 10 sold at 130 close, one bought adds; 91 sold at 130 come to 6630 short.
    const commands = [place(2, 'BID', 40, 101), place(4, 'ASK', 10, 130), place(5, 'BID', 1, 100), place(6, 'ASK', 81, 130), place(7, 'ASK', 5, 130, { openClose: 'OPEN' })]
    const run = playMoney([day, mark(1, 100), mark(3, 130)], commands, { profile: marginProfile(['cross', 'isolated']), balances: new Map([[2, '100000']]) })
    expect(refusals(run)).toEqual(['o5 POSITION_TOO_LARGE EXCHANGE', 'o6 POSITION_TOO_LARGE EXCHANGE'])
  })

  test('open orders count, the worse side of them, and what closes needs none', () => {
    const commands = [place(2, 'BID', 6, 101), place(3, 'BID', 3, 90), place(4, 'BID', 3, 90), place(5, 'ASK', 12, 110), place(6, 'ASK', 16, 120)]
    // 6 held at 100: 600. Bids to 870, then 1140 (in the second bracket, 228). Asks 1320 - 600 = 720; with 16 more far beyond.
    const run = playMoney([day, mark(1, 100)], commands, { profile: marginProfile(['cross']) })
    expect(refusals(run)).toEqual(['o4 INSUFFICIENT_MARGIN EXCHANGE', 'o6 INSUFFICIENT_MARGIN EXCHANGE'])
    expect(run.bench.worlds[0]!.preTrade.blocked(run.account, 2).toFixed()).toBe('27')
  })

  test.each([
    ['the whole of it in one order', [place(4, 'ASK', 15, 110)], ['o4']],
    ['what closes, then what can only open', [place(4, 'ASK', 8, 110), place(5, 'ASK', 7, 110)], ['o5']],
    ['what closes in parts, then more', [place(4, 'ASK', 5, 110), place(5, 'ASK', 3, 120), place(6, 'ASK', 1, 110)], ['o6']],
    ['what closes beside an order that may only close', [place(4, 'ASK', 8, 120, { reduceOnly: true }), place(5, 'ASK', 8, 110)], []],
  ] as const)('what opens behind a position has to have its margin, though something larger is blocked: %s', (_what, commands, refused) => {
    // 8 bought at 101 with 100; at 95 there are 52 left and 76 blocked. Seven sold short at 110 would need 77.
    const run = playMoney([day, mark(1, 100), mark(3, 95)], [place(2, 'BID', 8, 101), ...commands], { profile: marginProfile(['cross']) })
    expect(refusals(run)).toEqual(refused.map((id) => `${id} INSUFFICIENT_MARGIN EXCHANGE`))
  })

  test('what is held counts by the mark, not by what it cost', () => {
    // 5 at 120 are 600: 60; with 500 more 1100 are in the second bracket: 220. At 101 it would be 201 less 50.5.
    const run = playMoney([day, mark(1, 100), mark(3, 120)], [place(2, 'BID', 5, 101), place(4, 'BID', 5, 100)], { profile: marginProfile(['cross']), balances: new Map([[2, '200']]) })
    expect([refusals(run), run.bench.worlds[0]!.preTrade.blocked(run.account, 2).toFixed()]).toEqual([[], '160'])
  })
})

describe('prediction contracts: prices in tenths, 100 in cash', () => {
  const config = { profile: { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' } as VenueProfile }
  const tenths = { tickSize: '0.1' }
  const bets = (commands: Parameters<typeof playMoney>[1], more: Partial<AccountConfig> = {}) => playMoney([book(1, 4, 6), book(40, 4, 6)], commands, { ...config, ...more }, tenths)
  const market = (timeNs: number, side: 'BID' | 'ASK', quantity: number) => place(timeNs, side, quantity, 0, { type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' })
  const wallet = ({ bench, account }: ReturnType<typeof playMoney>) => {
    const { availableAmount, amountBlockedForMargin } = bench.worlds[0]!.news.of(account).wallets(9).find(({ underlyingId }) => underlyingId === 2)!
    return [availableAmount, amountBlockedForMargin]
  }

  test.each([
    ['a buy stakes its price', [place(2, 'BID', 251, 4), place(3, 'BID', 250, 4), place(4, 'BID', 1, 4)], ['o2', 'o4'], ['0', '100']],
    ['a sale the rest to 1', [place(2, 'ASK', 251, 6), place(3, 'ASK', 250, 6), place(4, 'ASK', 1, 6)], ['o2', 'o4'], ['0', '100']],
    // 100 sold at 0.4 bring 40 and may cost 100: 40 of 140 are free. 67 at 0.4 stake 40.2, 66 then 39.6.
    ['what a sale brought is not free', [market(2, 'ASK', 100), place(3, 'ASK', 67, 4), place(4, 'ASK', 66, 4)], ['o3'], ['0.4', '166']],
    // 100 sold: 40 free. Buying 100 back needs nothing, one more needs its price: 0.5 * 81 = 40.5.
    ['buying back needs nothing', [market(2, 'ASK', 100), place(3, 'BID', 100, 5), place(4, 'BID', 81, 5), place(5, 'BID', 80, 5)], ['o4'], ['0', '140']],
    // 100 bought at 0.6 leave 40: the first sale is covered, of the second 67 * 0.4 = 26.8, of the third 33 * 0.4 = 13.2.
    ['what is held covers one sale, not each', [market(2, 'BID', 100), place(3, 'ASK', 100, 7), place(4, 'ASK', 67, 6), place(5, 'ASK', 34, 6), place(6, 'ASK', 33, 6)], ['o5'], ['0', '40']],
    ['a closing sale uses up what is held', [market(2, 'BID', 100), place(3, 'ASK', 100, 7, { reduceOnly: true }), place(4, 'ASK', 101, 6), place(5, 'ASK', 100, 6)], ['o4'], ['0', '40']],
  ] as const)('%s', (_name, commands, refused, expected) => {
    const run = bets(commands)
    expect([refusals(run), wallet(run)]).toEqual([refused.map((id) => `${id} INSUFFICIENT_BALANCE EXCHANGE`), expected])
  })

  test.each([
    // 0.404 each: 247 are 99.788.
    ['a buy', 'BID', 4, 248, 247],
    // 0.4 and 1 % of 0.6 each: 246 are 99.876.
    ['a sale of what is not held', 'ASK', 6, 247, 246],
  ] as const)('%s stakes its fee too', (_name, side, price, tooMany, fits) => {
    const fees = { maker: '0', taker: '0.01' }
    expect(refusals(bets([place(2, side, tooMany, price), place(3, side, fits, price)], { fees }))).toEqual(['o2 INSUFFICIENT_BALANCE EXCHANGE'])
  })

  test('what OPEN sells stands beside what is held, and is not covered by it', () => {
    // 100 at 0.6 leave 40, 0.4 each.
    const sale = (quantity: number) => refusals(bets([market(2, 'BID', 100), place(3, 'ASK', quantity, 6, { openClose: 'OPEN' })], { profile: marginProfile(['isolated'], { kind: 'prediction' }) }))
    expect([sale(101), sale(100)]).toEqual([['o3 INSUFFICIENT_BALANCE EXCHANGE'], []])
  })

  test('what was sold blocks the underlying that it is paid in, and no other', () => {
    const run = bets([market(2, 'ASK', 100)], { balances: new Map([[2, '100'], [3, '50']]) })
    expect([2, 3].map((id) => run.bench.worlds[0]!.preTrade.blocked(run.account, id).toFixed())).toEqual(['100', '0'])
  })

  test('what closes needs no fee beside it', () => {
    // 165 at 0.6 with 1 % are 99.99.
    expect(refusals(bets([market(2, 'BID', 165), place(3, 'ASK', 165, 9)], { fees: { maker: '0', taker: '0.01' } }))).toEqual([])
  })

  test('under a margin section it is paid in full all the same, and no margin is asked', () => {
    const profile: VenueProfile = { ...marginProfile(['cross']), kind: 'prediction' }
    // 20,000 would be beyond the last bracket.
    expect(refusals(bets([place(2, 'BID', 50_000, 4)], { profile, balances: new Map() }))).toEqual([])
    expect(refusals(bets([place(2, 'BID', 251, 4), place(3, 'BID', 250, 4)], { profile }))).toEqual(['o2 INSUFFICIENT_BALANCE EXCHANGE'])
  })

  test.each([['at 1', 10], ['above 1', 15]])('a price %s is refused, whatever is asked of the account else', (_name, price) => {
    const moved = { ownOrderId: 'o3', currentClientOrderId: 'o3', newClientOrderId: 'x', price }
    const amend = { timeNs: 4, send: (entry: { amend(entries: unknown): void }) => entry.amend([moved]) }
    const replace = { timeNs: 5, send: (entry: { replace(entries: unknown): void }) => entry.replace([{ ...moved, currentOwnOrderId: 'o3', newOwnOrderId: 'y' }]) }
    const run = bets([place(2, 'ASK', 1, price), place(3, 'ASK', 1, 9), amend, replace], { checks: 'none' })
    expect(refusals(run)).toEqual(['o2 INVALID_PRICE EXCHANGE', 'o3 INVALID_PRICE EXCHANGE'])
    const replaced = run.messages.flatMap((message) => (message.kind === 'replaceResponse' ? message.results.map(({ error }) => error?.type) : []))
    expect(replaced).toEqual(['INVALID_PRICE'])
  })

  test('an amend is covered in the place of its order', () => {
    // 10 held cover the first sale; raised to 15 it takes 5 * 0.2 beside 10 * 0.4 of the second: 5 of the 4.9 that are left.
    const amend = { timeNs: 5, send: (entry: { amend(entries: unknown): void }) => entry.amend([{ ownOrderId: 'o3', currentClientOrderId: 'o3', newClientOrderId: 'x', totalQuantity: 15 }]) }
    const run = (cash: string) => refusals(bets([market(2, 'BID', 10), place(3, 'ASK', 10, 8), place(4, 'ASK', 10, 6), amend], { balances: new Map([[2, cash]]) }))
    expect([run('10.9'), run('11')]).toEqual([['o3 INSUFFICIENT_BALANCE EXCHANGE'], []])
  })
})

describe('a fee is needed of the underlying that it is taken of', () => {
  const fees = { maker: '0', taker: '0.1' }
  const balances = new Map([[1, '3.3'], [2, '100']])
  const options = { type: 'call', strikePrice: '100' }
  const refused = (instrument: Partial<Instrument>, feeUnderlyingId: number | null, [side, quantity, price]: readonly ['BID' | 'ASK', number, number], more: Partial<AccountConfig> = {}) => (
    refusals(playMoney([book(1, 4, 60)], [place(2, side, quantity, price)], { fees, balances, ...more }, { ...instrument, feeUnderlyingId }))
  )
  const short = ['o2 INSUFFICIENT_BALANCE EXCHANGE']

  test.each([
    // 110 with a fee of a tenth.
    ['a buy of coins', SPOT, ['BID', 2, 50], {}],
    ['a premium', options, ['BID', 2, 50], {}],
    // 250 at 0.4.
    ['a stake', { tickSize: '0.1' }, ['BID', 250, 4], { predictions: new Set([1]) }],
  ] as const)('%s of all that is there: not where it has a fee of the same, which is so where master data name none', (_name, instrument, order, more) => {
    expect([null, 2, 1].map((id) => refused(instrument, id, order, more))).toEqual([short, short, []])
  })

  test('a sale of coins needs a share of the coins, not of their value', () => {
    // 3 and a tenth of 3.
    expect([1, 2].map((id) => refused(SPOT, id, ['ASK', 3, 70]))).toEqual([[], []])
    expect([1, 2].map((id) => refused(SPOT, id, ['ASK', 3, 70], { balances: new Map([[1, '3.2']]) }))).toEqual([short, []])
  })
})

describe('sentences say it in words of the user', () => {
  const said = ({ messages }: ReturnType<typeof playMoney>): string[] => messages.flatMap((message) => (message.kind === 'placeResponse' ? message.results.flatMap(({ error }) => error?.message ?? []) : []))

  test('underlyings by their code', () => {
    expect(said(playMoney([day], [place(2, 'BID', 3, 100)], {}, SPOT))).toEqual(['BID of TEST needs 300 CASH, and 100 is available'])
    expect(said(playMoney([day], [place(2, 'ASK', 3, 101)], {}, SPOT))).toEqual(['ASK of TEST needs 3 COIN, and 0 is available'])
    expect(said(playMoney([day], [place(2, 'BID', 50, 100)], { profile: marginProfile(['cross']) }))[0]).toMatch(/ CASH as margin, and 100 is free$/)
    const bets: VenueProfile = { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' }
    expect(said(playMoney([{ kind: 'snapshot', timeNs: 1, rows: [[0, 40, 5], [1, 41, 5]] }], [place(2, 'BID', 300, 40)], { profile: bets }, { tickSize: '0.01' }))).toEqual(['the order needs 120 CASH, and 100 is available'])
    const foreign = { fees: { maker: '0', taker: '0.1' }, balances: new Map() }
    expect(() => playMoney([day], [], foreign, { ...SPOT, feeUnderlyingId: 77 })).toThrow(/its fee underlying 77 is neither base nor counter/)
    expect(() => playMoney([day], [], foreign, { isInverse: true, contractValue: '1', baseUnderlyingId: 3, counterUnderlyingId: 4, feeUnderlyingId: 1 })).toThrow(/its fee underlying COIN is neither base nor counter/)
  })

  test('a peg without a reference, and one whose offset takes it to 0 or below', () => {
    const peg = (type: string, side: 'BID' | 'ASK', pegOffsetValue: number) => place(2, side, 1, 0, { type, price: null, pegOffsetValue })
    const below = (type: string, side: string): string => `a ${type} ${side} order has no price above 0 here: its pegOffsetValue takes it from the best price that it follows to 0 or below`
    const onlyBids: Parameters<typeof playMoney>[0] = [{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5]] }]
    expect(said(playMoney([day], [peg('PRIMARY_PEGGED', 'BID', -100)]))).toEqual([below('PRIMARY_PEGGED', 'BID')])
    expect(said(playMoney([day], [peg('MARKET_PEGGED', 'BID', -200)]))).toEqual([below('MARKET_PEGGED', 'BID')])
    expect(said(playMoney(onlyBids, [peg('MARKET_PEGGED', 'BID', -200)]))).toEqual(['the best price that a MARKET_PEGGED BID order follows is not known'])
    expect(refusals(playMoney([day], [peg('PRIMARY_PEGGED', 'BID', -100)]))).toEqual(['o2 REFERENCE_PRICE_UNKNOWN EXCHANGE'])
  })
})

describe('wallets say what orders block as soon as they do', () => {
  const amend = (timeNs: number, terms: Partial<AmendEntry>): BenchCommand => ({ timeNs, send: (entry) => { entry.amend([{ ownOrderId: 'o2', currentClientOrderId: 'o2', newClientOrderId: 'o2b', ...terms }]) } })
  const told = (run: PlayedMoney): string[] => run.messages.flatMap((message) => (message.kind === 'walletUpdate' ? message.wallets.filter(({ underlyingId }) => underlyingId === 2).map((wallet) => `${String(wallet.availableAmount)}/${String(wallet.amountBlockedForMargin)}`) : []))
  const commands = [place(2, 'BID', 1, 40), amend(3, { price: 41 }), amend(4, { context: { note: 'the same amounts' } }), { timeNs: 5, send: (entry: OrderEntry) => { entry.cancelAll({ requestId: 'r', createTimeNs: 5 }) } }]

  test.each([
    ['spot', {}, SPOT, commands, ['60/40', '59/41', '100/0']],
    // 10 % of 40 and of 41.
    ['margin', { profile: marginProfile(['cross']) }, {}, commands, ['96/4', '95.9/4.1', '100/0']],
    ['nothing where nobody looks', { checks: 'none' }, SPOT, commands, []],
    ['nothing is blocked without margin', {}, {}, commands, []],
    ['nothing without declared balances', { balances: new Map() }, SPOT, commands, []],
    ['a refused order blocks nothing', {}, SPOT, [place(2, 'BID', 3, 40)], []],
  ] as const)('%s', (_name, config, instrument, sent, expected) => {
    expect(told(playMoney([day, mark(1, 100), book(9, 100, 101)], sent, config, instrument))).toEqual(expected)
  })

  const cross = { profile: marginProfile(['cross']), balances: new Map([[2, '1000']]) }
  const split: PlannedAction = { timeNs: 20, action: { instrumentId: 1, split: { lastPrice: '50', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: true } } }
  const after = book(50, 100, 101)

  // What the exchange does of its own accord, and what follows a fill in one request: the last word is true.
  test.each<[string, MarketLine[], BenchCommand[], Partial<AccountConfig>, Partial<Instrument>, ActionsAndEnds, string[]]>([
    // 2 of 5 at 101: 20.2 of 202 as position at 101, then 20 at the mark; 30.3 for the 3 that do not stay.
    ['what an IMMEDIATE_OR_CANCEL lets go', [book(1, 100, 101, 2), mark(1, 100), after], [place(2, 'BID', 5, 101, { timeInForce: 'IMMEDIATE_OR_CANCEL' })], cross, {}, {}, ['947.7/50.3', '978/20']],
    ['the end of a contract', [book(1, 9, 10), index(1, 100), after], [place(2, 'BID', 10, 8)], { balances: new Map([[2, '1000']]) }, { type: 'call', strikePrice: '100' }, { expiryNs: 20 }, ['920/80', '1000/0']],
    ['a split', [book(1, 100, 101), mark(1, 100), after], [place(2, 'BID', 10, 90)], cross, {}, { corporateActions: [split] }, ['910/90', '1000/0']],
    ['a peg that follows', [book(1, 100, 101), mark(1, 100), book(20, 104, 105), book(50, 104, 105)], [place(2, 'BID', 5, 0, { type: 'PRIMARY_PEGGED', price: null })], cross, {}, {}, ['950/50', '948/52']],
    ['a stop that is refused', [book(1, 100, 101), mark(1, 100), { kind: 'trades', timeNs: 20, rows: [[0, 103, 1]] }, after], [place(2, 'BID', 5, 103, { type: 'STOP_LIMIT', triggerPrice: 103, postOnly: true })], cross, {}, {}, ['948.5/51.5', '1000/0']],
    ['a place that waited for a snapshot', [book(1, 100, 101), mark(1, 100), { kind: 'update', timeNs: 5, rows: [[0, 99, 1]], gap: true }, after], [place(10, 'BID', 5, 90)], cross, {}, { gaps: 'freeze' }, ['955/45']],
  ])('%s', (_name, lines, sent, account, instrument, { expiryNs, corporateActions = [], gaps = 'assumeWorst' }, expected) => {
    const money: WorldMoney = { usdRates: new Map(), outcomes: new Map(), expiries: new Map(expiryNs === undefined ? [] : [[1, expiryNs]]) }
    expect(told(playMoney(lines, sent, account, instrument, money, { gaps }, Infinity, corporateActions))).toEqual(expected)
  })

  test('a gap that cancels', () => {
    const run = playMoney([day, { kind: 'update', timeNs: 5, rows: [[0, 99, 1]], gap: true }, book(9, 100, 101)], [place(2, 'BID', 1, 40)], {}, SPOT, undefined, { gaps: 'cancelAndWait' })
    expect(told(run)).toEqual(['60/40', '100/0'])
  })
})
