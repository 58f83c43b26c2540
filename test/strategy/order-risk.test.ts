import { describe, expect, test } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { Decimal } from '../../src/model/decimal.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { DiscardReason, OrderParams } from '../../src/strategy/order-params.js'
import type { MarginOpening, OpeningTerms, PaidOpening } from '../../src/venue/venue.js'
import { fakeEntry } from '../support/fake-market.js'
import { walletOf, type FakeVenueOptions } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'
import type { IsolatedPosition, Position } from '../../src/venue/account-messages.js'
import { throughJson } from '../support/through-json.ts'

const price = (text: string): Price => Price.from(text)
const quantity = (text: string): Quantity => Quantity.from(text)
const BASE: OrderParams = { side: 'BID', quantity: quantity('0.1'), price: price('100') }

function placed(params: OrderParams, options: FakeVenueOptions = {}): { readonly sent: readonly object[], readonly reason: DiscardReason | null } {
  const { venue, strategy } = startFake(recording([]), options)
  const { discardReason } = strategy.instrument.placeOrder(params)
  return { sent: venue.entry.placed, reason: discardReason }
}

describe('risk ratios on spot', () => {
  const spot: FakeVenueOptions = { entries: [fakeEntry({ type: 'spot' })], wallets: [walletOf(10, '20'), walletOf(20, '1000')] }
  test.each([
    ['a sale of 30 with 20 available at 0.9 sells 18', { side: 'ASK', quantity: quantity('30'), baseRiskRatio: '0.9' }, 1800],
    ['a small sale is left alone', { side: 'ASK', baseRiskRatio: '0.9' }, 10],
    ['a purchase of 30 at 100 with 1000 available at 0.5 buys 5', { quantity: quantity('30'), counterRiskRatio: new Decimal('0.5') }, 500],
    ['down to the lot', { quantity: quantity('30'), price: price('99.5'), counterRiskRatio: '0.5' }, 502],
    ['a purchase spends no base', { quantity: quantity('30'), baseRiskRatio: '0.1' }, 3000],
  ] as const)('%s', (_what, given, total) => {
    expect(placed({ ...BASE, ...given }, spot).sent).toMatchObject([{ totalQuantity: total }])
  })

  test('own orders that the wallet does not know of yet have their part; of those that the exchange has its amounts tell', () => {
    const { venue, strategy } = startFake(recording([]), spot)
    const send = (given: Partial<OrderParams>): number => {
      strategy.instrument.placeOrder({ ...BASE, quantity: quantity('30'), ...given })
      return venue.entry.placed.at(-1)!.totalQuantity
    }
    // 9 at 100 leave 100; 18 of 20 coins leave 2.
    expect([send({ counterRiskRatio: '0.9' }), send({ counterRiskRatio: '0.9' }), send({ side: 'ASK', baseRiskRatio: '0.9' }), send({ side: 'ASK', baseRiskRatio: '0.9' })]).toEqual([900, 90, 1800, 180])
    for (const entry of [...venue.entry.placed]) venue.entry.confirm(entry)
    expect([send({ counterRiskRatio: '0.9' }), send({ side: 'ASK', baseRiskRatio: '0.9' })]).toEqual([900, 1800])
    expect(send({ side: 'ASK', closeOnly: true, baseRiskRatio: '0.1' })).toBe(3000)
  })

  test('in lots of 0.03, and of a lot the instrument does not state, the finest', () => {
    const lots = (lotSize: string | null): FakeVenueOptions => ({ ...spot, entries: [fakeEntry({ type: 'spot', lotSize, minOrder: null })] })
    const [sale, purchase] = [{ ...BASE, side: 'ASK', quantity: quantity('30'), baseRiskRatio: '0.5' }, { ...BASE, quantity: quantity('30'), price: price('99'), counterRiskRatio: '0.5' }] as const
    expect([placed(sale, lots('0.03')).sent, placed(purchase, lots('0.03')).sent]).toMatchObject([[{ totalQuantity: 999 }], [{ totalQuantity: 504 }]])
    expect([placed(sale, lots(null)).sent, placed(purchase, lots(null)).sent]).toMatchObject([[{ totalQuantity: 1000 }], [{ totalQuantity: 505 }]])
  })

  test('own purchases without a price count by the best ask, others by their own', () => {
    const { venue, strategy } = startFake(recording([]), spot)
    venue.market(1).top([990, 100], [2000, 100])
    venue.line(6)
    strategy.instrument.placeOrder({ side: 'BID', quantity: quantity('2'), type: 'MARKET', postOnly: false })
    strategy.instrument.placeOrder({ ...BASE, quantity: quantity('1') })
    // 1000 less 2 at 200 and 1 at 100 are 500.
    strategy.instrument.placeOrder({ side: 'BID', quantity: quantity('30'), type: 'MARKET', postOnly: false, counterRiskRatio: '1' })
    expect(venue.entry.placed.map(({ totalQuantity }) => totalQuantity)).toEqual([200, 100, 250])
  })

  test.each<readonly [what: string, given: Partial<OrderParams>, options: FakeVenueOptions]>([
    ['a coin that the master data do not name', { side: 'ASK', baseRiskRatio: '0.5' }, { ...spot, entries: [fakeEntry({ type: 'spot', baseUnderlyingId: null })] }],
    ['money that the master data do not name', { counterRiskRatio: '0.5' }, { ...spot, entries: [fakeEntry({ type: 'spot', counterUnderlyingId: null })] }],
    ['a price of 0', { price: Price.from('0'), counterRiskRatio: '0.5' }, spot],
    ['a price below 0', { price: Price.from('-1'), counterRiskRatio: '0.5' }, spot],
  ])('%s: discarded', (_what, given, options) => {
    expect(placed({ ...BASE, ...given }, options).reason).toBe('RISK_UNKNOWN')
  })

  test('what is left below minQuantity is discarded', () => {
    expect(placed({ ...BASE, side: 'ASK', quantity: quantity('30'), baseRiskRatio: '0.9', minQuantity: quantity('19') }, spot).reason).toBe('MIN_ORDER_SIZE')
    expect(placed({ ...BASE, side: 'ASK', baseRiskRatio: '0' }, spot).reason).toBe('MIN_ORDER_SIZE')
  })

  test('a market purchase takes the best ask; without one it is discarded', () => {
    expect(placed({ side: 'BID', quantity: quantity('1'), type: 'MARKET', postOnly: false, counterRiskRatio: '0.5' }, spot).reason).toBe('RISK_UNKNOWN')
  })
})

const text = (value: string): Amount => Amount.from(value)
/** 10 % up to a value of 1000, 20 % up to 5000. */
const STEPS = [{ upTo: text('1000'), initialRate: text('0.1') }, { upTo: text('5000'), initialRate: text('0.2') }]
const margin = (kind: MarginOpening['kind'], contractSize = '1', isIsolated = false): MarginOpening => ({ kind, contractSize: text(contractSize), settlementUnderlyingId: 20, initialMargin: STEPS, isIsolated })
const paid = (kind: PaidOpening['kind'], shortSale: PaidOpening['shortSale'], isCoverFree = true): PaidOpening => ({ kind, contractSize: text('1'), settlementUnderlyingId: 20, isCoverFree, shortSale })
/** Positions in hundredths. */
const held = (net: number): readonly Position[] => [{ instrumentId: 1, longPosition: Math.max(0, net), shortPosition: Math.max(0, -net) }]
const isolated = (long: number, short: number): readonly IsolatedPosition[] => [{ instrumentId: 1, long: { size: long, averageEntryPrice: '100' }, short: { size: short } }]

interface RiskCase {
  readonly opening?: OpeningTerms
  readonly available?: string
  readonly net?: number
  readonly isolated?: readonly [long: number, short: number]
  /** Prices at scale 1. */
  readonly mark?: number
  /** What the strategy has open already. */
  readonly open?: readonly Partial<OrderParams>[]
  /** How many of them the exchange has confirmed. */
  readonly confirmed?: number
  /** Best prices at scale 1. */
  readonly top?: readonly [bid: number | null, ask: number | null]
  readonly lotSize?: string
  /** What the wallet blocks of a balance of 20; more than it has where it is overdrawn. */
  readonly blocked?: string
}

/** Asks for 100 at 100 with a ratio of 1 where nothing else is said. */
function risked(given: Partial<OrderParams>, { opening = margin('linear'), available = '50', net = 0, isolated: legs, mark = 1000, open = [], confirmed = 0, top: [bid, ask] = [null, null], lotSize = '0.01', blocked }: RiskCase): string | number {
  const { venue, strategy } = startFake(recording([]), {
    entries: [fakeEntry({ lotSize })],
    wallets: [blocked === undefined ? walletOf(20, available) : { ...walletOf(20, available), marginBalance: '20', amountBlockedForMargin: blocked }], positions: held(net), ...(legs === undefined ? {} : { isolatedPositions: isolated(...legs) }), opening,
  })
  Object.assign(venue.market(1), { markPrice: mark, markScale: 1 })
  venue.market(1).top(bid === null ? null : [bid, 1], ask === null ? null : [ask, 1])
  for (const params of open) strategy.instrument.placeOrder({ ...BASE, ...params })
  for (const entry of venue.entry.placed.slice(0, confirmed)) venue.entry.confirm(entry)
  const order = strategy.instrument.placeOrder({ ...BASE, quantity: quantity('100'), baseRiskRatio: '1', ...given })
  return order.discardReason ?? venue.entry.placed.at(-1)!.totalQuantity
}

describe('base risk of derivatives', () => {
  test.each<readonly [what: string, given: Partial<OrderParams>, how: RiskCase, total: string | number]>([
    // 50 at 10 % open a value of 500.
    ['linear: by the margin of its value', {}, {}, 500],
    ['linear: the share of it that the ratio says', { baseRiskRatio: '0.9' }, {}, 450],
    ['linear: down to the lot', { baseRiskRatio: '0.333' }, {}, 166],
    ['linear: a small order is left alone', { quantity: quantity('4.5'), baseRiskRatio: '0.9' }, {}, 450],
    ['linear: one lot more is not', { quantity: quantity('4.51'), baseRiskRatio: '0.9' }, {}, 450],
    ['linear: a sale as well', { side: 'ASK', price: price('200') }, {}, 250],
    ['linear: contracts of 10', {}, { opening: margin('linear', '10') }, 50],
    ['a ratio of 0', { baseRiskRatio: '0' }, {}, 'MIN_ORDER_SIZE'],
    ['nothing available', {}, { available: '0' }, 'MIN_ORDER_SIZE'],
    // 150 at 10 % were 1500, which the first step does not hold; at 20 % they are 750, below the second.
    ['the end of the first step', {}, { available: '150' }, 1000],
    // 240 at 20 % are 1200.
    ['the second step', {}, { available: '240' }, 1200],
    ['the end of the last step', {}, { available: '100000' }, 5000],
    ['all that is asked for', { price: price('0.5') }, {}, 10_000],
    // 100 * q / 50 at 10 %: 50 open a value of 500.
    ['inverse: quantity by price', { quantity: quantity('2000'), price: price('50') }, { opening: margin('inverse', '100') }, 25_000],
    ['inverse: 7 does not go into 3 evenly', { quantity: quantity('2000'), price: price('7') }, { opening: margin('inverse', '3') }, 116_666],
    ['quanto: by its contract value', {}, { opening: margin('quanto', '0.5') }, 1000],
    // The margin of 200 that is held is 20: 70 open 700 in all.
    ['more of what is held', {}, { net: 200 }, 500],
    ['held by its mark', {}, { net: 200, mark: 2000 }, 500],
    ['what is held has brought it near the second step', {}, { net: 800, available: '50' }, 200],
    // What closes gives its 20 back.
    ['a flip closes first', { side: 'ASK' }, { net: 200 }, 900],
    ['a flip of what is short', {}, { net: -200 }, 900],
    ['a flip with nothing available', {}, { net: -200, available: '0' }, 400],
    ['held, and nothing values it', {}, { net: 200, mark: NaN }, 'RISK_UNKNOWN'],
    ['reduceOnly: what it closes', { side: 'ASK', reduceOnly: true, baseRiskRatio: '0.5' }, { net: 300 }, 150],
    ['closeOnly: as it is, since the venue closes all', { side: 'ASK', closeOnly: true, baseRiskRatio: '0.1' }, { net: 300 }, 10_000],
    ['reduceOnly: nothing to close', { reduceOnly: true }, { net: 300 }, 'MIN_ORDER_SIZE'],
    ['CLOSE: the isolated position alone', { side: 'ASK', openClose: 'CLOSE' }, { net: 300, isolated: [200, 0] }, 200],
    ['CLOSE: of the short one', { openClose: 'CLOSE', baseRiskRatio: '0.5' }, { net: 300, isolated: [200, 80] }, 40],
    ['reduceOnly: isolated and net', { side: 'ASK', reduceOnly: true }, { net: 300, isolated: [200, 0] }, 500],
    // It closes the 2 first.
    ['AUTO beside an isolated position', { side: 'ASK' }, { isolated: [200, 0] }, 700],
    ['AUTO beside one that an open order closes', { side: 'ASK' }, { isolated: [200, 0], open: [{ side: 'ASK', quantity: quantity('1.5') }] }, 550],
    ['a sale below the market', { side: 'ASK', price: price('1') }, {}, 500],
    ['a purchase of an inverse contract above it', { quantity: quantity('2000'), price: price('5000') }, { opening: margin('inverse', '100') }, 50_000],
    ['OPEN: what it opens', { openClose: 'OPEN' }, { net: -200 }, 500],
    ['OPEN: cross positions have the margin of the whole', { openClose: 'OPEN' }, { isolated: [200, 0], available: '100' }, 800],
    ['OPEN: isolated ones the rate of the whole for each part', { openClose: 'OPEN' }, { isolated: [900, 0], available: '50', opening: margin('linear', '1', true) }, 250],
    ['OPEN: an isolated one whose entry is not told', { side: 'ASK', openClose: 'OPEN' }, { isolated: [0, 200], opening: margin('linear', '1', true) }, 'RISK_UNKNOWN'],
    ['open orders that the wallet was stated with', {}, { open: [{ quantity: quantity('2') }], confirmed: 1 }, 500],
    ['open orders that it was not stated with', {}, { open: [{ quantity: quantity('2') }] }, 300],
    ['the other side is open already', { side: 'ASK', price: price('101') }, { open: [{ quantity: quantity('2') }], confirmed: 1 }, Math.floor(700 / 1.01)],
    ['open orders that only close count nothing', {}, { open: [{ quantity: quantity('2'), side: 'ASK', reduceOnly: true }] }, 500],
    ['an option bought: its premium', {}, { opening: paid('option', 'refused') }, 50],
    ['an option bought back', {}, { opening: paid('option', 'refused'), net: -20 }, 70],
    ['an option bought back where nothing is held behind it', {}, { opening: paid('option', 'refused', false), net: -20 }, 50],
    ['an option sold that is held', { side: 'ASK' }, { opening: paid('option', 'refused'), net: 70, available: '0' }, 70],
    ['an option sold short', { side: 'ASK' }, { opening: paid('option', 'unstated'), net: 70 }, 'RISK_UNKNOWN'],
    ['a prediction contract bought: its price', { price: price('0.5') }, { opening: paid('prediction', 'stake') }, 10_000],
    ['a prediction contract sold: the rest to 1', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5' }, 1000],
    ['a prediction contract sold that is held', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', net: 300 }, 1300],
    ['one that an open order sells already', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', net: 300, open: [{ side: 'ASK', price: price('0.5'), quantity: quantity('4') }] }, 900],
    ['one that a confirmed order sells already', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', net: 300, open: [{ side: 'ASK', price: price('0.5'), quantity: quantity('4') }], confirmed: 1 }, 1000],
    ['a market order: by the best of the other side', { type: 'MARKET', price: null, postOnly: false }, {}, 'RISK_UNKNOWN'],
  ])('%s', (_what, given, how, total) => {
    expect(risked(given, how)).toBe(total)
  })

  const atMarket = { type: 'MARKET', price: null, postOnly: false } as const
  const rates = (...steps: readonly (readonly [upTo: string | null, rate: string])[]): MarginOpening => ({ ...margin('linear'), initialMargin: steps.map(([upTo, rate]) => ({ upTo: upTo === null ? null : text(upTo), initialRate: text(rate) })) })
  test.each<readonly [what: string, given: Partial<OrderParams>, how: RiskCase, total: string | number]>([
    ['no mark is needed where nothing is held', {}, { mark: NaN }, 500],
    // 400 are held, and 50 more than their margin of 40 carry 900: 1300 at 200 turn one into the other.
    ['held, by the mid where there is no mark', { side: 'ASK' }, { net: 200, mark: NaN, top: [1990, 2010] }, 650],
    ['a mid of one side is none', {}, { net: 200, mark: NaN, top: [1990, null] }, 'RISK_UNKNOWN'],
    ['of the other side neither', {}, { net: 200, mark: NaN, top: [null, 2010] }, 'RISK_UNKNOWN'],
    ['a sale at the market: by the best bid', { side: 'ASK', ...atMarket }, { top: [1000, 2000] }, 500],
    ['a purchase at the market: by the best ask', atMarket, { top: [500, 1000] }, 500],
    ['a price of 0', { price: price('0') }, {}, 'RISK_UNKNOWN'],
    ['a price below 0', { price: price('-1') }, {}, 'RISK_UNKNOWN'],
    ['steps without an end', {}, { available: '600', opening: rates(['100', '0.05'], ['1000', '0.1'], [null, '0.5']) }, 1200],
    ['beyond the last step nothing is opened', {}, { available: '6000', opening: rates(['100', '0.05'], ['1000', '0.1'], ['5000', '0.2']) }, 5000],
    ['the last of three steps', {}, { available: '600', opening: rates(['100', '0.05'], ['1000', '0.1'], ['5000', '0.2']) }, 3000],
    ['in lots of three', { quantity: quantity('99') }, { lotSize: '0.03' }, 498],
    ['a share of it in lots of three', { quantity: quantity('99'), baseRiskRatio: '0.5' }, { lotSize: '0.03' }, 249],
    ['an overdrawn wallet: a sale that closes, no more', { side: 'ASK' }, { net: 200, available: '0', blocked: '21' }, 200],
    ['a purchase that closes, no more', {}, { net: -200, available: '0', blocked: '21' }, 200],
    ['a wallet that blocks all it has is not overdrawn', { side: 'ASK' }, { net: 200, available: '0', blocked: '20' }, 400],
    ...(['reduceOnly', 'closeOnly'] as const).map((flag) => [`an open order of the same side with ${flag} counts nothing`, {}, { open: [{ quantity: quantity('2'), [flag]: true }] }, 500] as const),
    ['an open order of the same side with CLOSE counts nothing', {}, { open: [{ quantity: quantity('2'), openClose: 'CLOSE' }] }, 500],
    ['an open order without a price counts by the price asked for', {}, { open: [{ quantity: quantity('2'), ...atMarket }] }, 300],
    ['an open order of the other side', {}, { open: [{ quantity: quantity('2'), side: 'ASK' }] }, 500],
    ['AUTO closes the isolated position before an open order of the other side', { side: 'ASK' }, { isolated: [200, 0], open: [{ quantity: quantity('1.5') }] }, 700],
    ['and before one that only closes', { side: 'ASK' }, { isolated: [200, 0], open: [{ side: 'ASK', quantity: quantity('1.5'), reduceOnly: true }] }, 700],
    ['and before one with OPEN', { side: 'ASK' }, { isolated: [200, 0], open: [{ side: 'ASK', quantity: quantity('1.5'), openClose: 'OPEN' }] }, 700],
    ['OPEN closes nothing', { side: 'ASK', openClose: 'OPEN' }, { isolated: [200, 0] }, 500],
    ['OPEN beside an open order with OPEN', { openClose: 'OPEN' }, { open: [{ quantity: quantity('2'), openClose: 'OPEN' }] }, 300],
    ['of the other side', { openClose: 'OPEN' }, { open: [{ side: 'ASK', quantity: quantity('2'), openClose: 'OPEN' }] }, 500],
    ['a sale with OPEN beside one, which closes nothing either', { side: 'ASK', openClose: 'OPEN' }, { isolated: [200, 0], open: [{ side: 'ASK', quantity: quantity('2'), openClose: 'OPEN' }] }, 300],
    ['a prediction contract sold with OPEN is covered by nothing', { side: 'ASK', price: price('0.5'), openClose: 'OPEN' }, { opening: paid('prediction', 'stake'), available: '5', net: 300 }, 1000],
    ['an open sale with OPEN takes no cover', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', net: 300, open: [{ side: 'ASK', price: price('1'), quantity: quantity('1'), openClose: 'OPEN' }] }, 1300],
    ['an open sale counts by its own price', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', open: [{ side: 'ASK', price: price('1'), quantity: quantity('1') }] }, 1000],
    ['or by that of the order where it has none', { side: 'ASK', price: price('0.5') }, { opening: paid('prediction', 'stake'), available: '5', open: [{ side: 'ASK', quantity: quantity('1'), ...atMarket }] }, 900],
  ])('%s', (_what, given, how, total) => {
    expect(risked(given, how)).toBe(total)
  })

  test('a market order is for the best of the other side', () => {
    const { venue, strategy } = startFake(recording([]), { wallets: [walletOf(20, '50')], opening: margin('linear') })
    venue.market(1).top([990, 100], [1000, 100])
    expect(Number(strategy.instrument.placeOrder({ side: 'BID', quantity: quantity('100'), type: 'MARKET', postOnly: false, baseRiskRatio: '1' }).totalQuantity)).toBe(5)
  })

  test('where the venue tells nothing an order that may open is not sent, one that closes is', () => {
    expect(placed({ ...BASE, baseRiskRatio: '1' }, { wallets: [walletOf(20, '1000')] }).reason).toBe('RISK_UNKNOWN')
    expect(placed({ ...BASE, quantity: quantity('9'), side: 'ASK', reduceOnly: true, baseRiskRatio: '0.5' }, { positions: held(300) }).sent).toMatchObject([{ totalQuantity: 150 }])
  })

  test('isolated positions outlast a checkpoint', () => {
    const options = { wallets: [walletOf(20, '50')], positions: held(300), isolatedPositions: isolated(200, 0), opening: margin('linear') }
    const { runtime } = startFake(recording([]), options)
    const resume = throughJson(runtime.state())
    const { venue, strategy } = startFake(recording([]), { opening: margin('linear'), resume })
    strategy.instrument.placeOrder({ ...BASE, side: 'ASK', quantity: quantity('9'), openClose: 'CLOSE', baseRiskRatio: '1' })
    expect(venue.entry.placed).toMatchObject([{ totalQuantity: 200 }])
  })
})
