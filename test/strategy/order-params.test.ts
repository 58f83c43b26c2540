import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { DISCARD_REASONS, type DiscardReason, type OrderParams } from '../../src/strategy/order-params.js'
import type { IsolatedPosition, PlaceEntry, Position } from '../../src/venue/messages.js'
import type { MarginOpening, OpeningTerms, PaidOpening } from '../../src/venue/venue.js'
import { fakeEntry } from '../support/fake-market.js'
import { walletOf, type FakeVenueOptions } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'

const price = (text: string): Price => Price.from(text)
const quantity = (text: string): Quantity => Quantity.from(text)
const BASE: OrderParams = { side: 'BID', quantity: quantity('0.1'), price: price('100') }
const SENT: Omit<PlaceEntry, 'ownOrderId' | 'clientOrderId'> = { instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: 1000, totalQuantity: 10, postOnly: true }

/** Spec 3, "OrderParams": every row by its name, what it adds to the smallest order, and what the venue then gets. */
const ROWS: readonly (readonly [field: string, given: Partial<OrderParams>, sent: Partial<PlaceEntry>])[] = [
  ['side', { side: 'ASK' }, { side: 'ASK' }],
  ['quantity', { quantity: quantity('1.50') }, { totalQuantity: 150 }],
  ['price', { price: price('99.5') }, { price: 995 }],
  ['type', { type: 'MARKET', price: null, postOnly: false }, { type: 'MARKET', price: null, postOnly: false }],
  ['timeInForce', { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }, { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }],
  ['postOnly', { postOnly: false }, { postOnly: false }],
  ['triggerPrice', { type: 'STOP_LIMIT', triggerPrice: price('101') }, { type: 'STOP_LIMIT', triggerPrice: 1010 }],
  ['pegOffsetValue', { type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: price('-0.5') }, { type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: -5 }],
  ['displayQuantity', { displayQuantity: quantity('0.05') }, { displayQuantity: 5 }],
  ['displayQuantity of zero', { displayQuantity: Quantity.ZERO }, { displayQuantity: 0 }],
  ['minQuantity', { minQuantity: quantity('0.1') }, {}],
  ['closeOnly', { closeOnly: true }, { closeOnly: true }],
  ['reduceOnly', { reduceOnly: true }, { reduceOnly: true }],
  ['openClose', { openClose: 'CLOSE' }, { openClose: 'CLOSE' }],
  ['autoBorrow', { autoBorrow: true }, { autoBorrow: true }],
  ['autoRepay', { autoRepay: true }, { autoRepay: true }],
  ['useSpare', { useSpare: true }, { useSpare: true }],
  ['context', { context: { why: 'test' } }, { context: { why: 'test' } }],
]

const DEFAULTS: Partial<OrderParams> = {
  type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', postOnly: true, triggerPrice: null, pegOffsetValue: null, displayQuantity: null, minQuantity: Quantity.ZERO, closeOnly: false, reduceOnly: null,
  openClose: 'AUTO', autoBorrow: null, autoRepay: null, baseRiskRatio: null, counterRiskRatio: null, useSpare: false,
}

interface Placed {
  readonly sent: readonly object[]
  readonly state: string
  readonly reason: DiscardReason | null
  readonly heard: readonly string[]
}

function placed(params: OrderParams, options: FakeVenueOptions = {}): Placed {
  const { venue, strategy } = startFake(recording(['onOrderError', 'onOrderUpdate', 'onStop']), options)
  const order = strategy.instrument.placeOrder(params)
  venue.clock.settle()
  const sent = venue.entry.placed.map(({ ownOrderId: _own, clientOrderId: _client, ...rest }) => rest)
  return { sent, state: order.state, reason: order.discardReason, heard: strategy.heard }
}

describe('what the venue gets', () => {
  test('side, quantity and price are enough; the rest has the defaults of the specification', () => {
    expect(placed(BASE).sent).toStrictEqual([SENT])
    expect(placed({ ...DEFAULTS, ...BASE }).sent).toStrictEqual([SENT])
  })

  test.each(ROWS)('%s', (_field, given, sent) => {
    const { sent: [entry], state } = placed({ ...BASE, ...given }, { capabilities: { spare: true } })
    expect(entry).toStrictEqual({ ...SENT, ...sent })
    expect(state).toBe('PENDING_NEW')
  })

  test.each(ROWS.map(([field]) => [field.split(' ')[0]!] as const).filter(([field]) => !['side', 'quantity', 'price'].includes(field)))('%s of null is its default', (field) => {
    expect(placed({ ...BASE, [field]: null }).sent).toStrictEqual([SENT])
  })

  test('the smallest order itself is sent', () => {
    expect(placed({ ...BASE, quantity: quantity('0.05') }).sent).toMatchObject([{ totalQuantity: 5 }])
  })

  test('an instrument that states no tick, lot or smallest order takes what its scales hold', () => {
    const entries = [fakeEntry({ tickSize: null, lotSize: null, minOrder: null })]
    expect(placed({ ...BASE, price: price('100.1'), quantity: quantity('0.01') }, { entries }).sent).toMatchObject([{ price: 1001, totalQuantity: 1 }])
    expect(placed({ ...BASE, price: price('100.11') }, { entries }).reason).toBe('PRICE_OFF_TICK')
    expect(placed({ ...BASE, quantity: quantity('0.001') }, { entries }).reason).toBe('QUANTITY_OFF_LOT')
  })

  test('what a venue cannot do is sent all the same: its adapter answers', () => {
    const none = { closeOnly: false, reduceOnly: false, displayQuantity: false, orderTypes: ['LIMIT'], timeInForces: ['GOOD_TILL_CANCEL'], availableBorrow: false } as const
    for (const [field, given, sent] of ROWS) if (field !== 'useSpare') expect(placed({ ...BASE, ...given }, { capabilities: none }).sent).toEqual([{ ...SENT, ...sent }])
  })
})

/** Orders that are never sent. */
const DISCARDS: readonly (readonly [what: string, given: Partial<OrderParams>, reason: DiscardReason])[] = [
  ['below the smallest order of the instrument', { quantity: quantity('0.04') }, 'MIN_ORDER_SIZE'],
  ['below minQuantity', { minQuantity: quantity('0.11') }, 'MIN_ORDER_SIZE'],
  ['nothing', { quantity: Quantity.ZERO }, 'MIN_ORDER_SIZE'],
  ['less than nothing', { quantity: quantity('-1') }, 'MIN_ORDER_SIZE'],
  ['a MARKET order with postOnly left alone (rule 4.2)', { type: 'MARKET', price: null }, 'POST_ONLY_TAKES'],
  ['IMMEDIATE_OR_CANCEL with postOnly', { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: true }, 'POST_ONLY_TAKES'],
  ['FILL_OR_KILL with postOnly left alone', { timeInForce: 'FILL_OR_KILL' }, 'POST_ONLY_TAKES'],
  ['a LIMIT order without a price', { price: null }, 'PRICE_MISSING'],
  ['a STOP_LIMIT order without a price', { type: 'STOP_LIMIT', price: null, triggerPrice: price('101') }, 'PRICE_MISSING'],
  ['a STOP_LIMIT order without a triggerPrice', { type: 'STOP_LIMIT' }, 'TRIGGER_PRICE_MISSING'],
  ['off the tick', { price: price('100.2') }, 'PRICE_OFF_TICK'],
  ['finer than the scale', { price: price('100.5000001') }, 'PRICE_OFF_TICK'],
  ['a trigger off the tick', { type: 'STOP_LIMIT', triggerPrice: price('1.2') }, 'PRICE_OFF_TICK'],
  ['an offset finer than the scale', { type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: price('0.05') }, 'PRICE_OFF_TICK'],
  ['off the lot', { quantity: quantity('0.105') }, 'QUANTITY_OFF_LOT'],
  ['shown off the lot', { displayQuantity: quantity('0.055') }, 'QUANTITY_OFF_LOT'],
  ['a base risk that a derivative does not state', { baseRiskRatio: '0.9' }, 'RISK_UNKNOWN'],
]

describe('discards', () => {
  test.each(DISCARDS)('%s', (_what, given, reason) => {
    const { sent, state, reason: found, heard } = placed({ ...BASE, ...given })
    expect([sent, state, found, heard]).toEqual([[], 'DISCARDED', reason, []])
    expect(DISCARD_REASONS[reason]).not.toBe('')
  })

  test('each is told to the sink', () => {
    const { strategy, discarded } = startFake(recording([]))
    strategy.instrument.placeOrder({ ...BASE, price: null })
    expect([discarded, strategy.instrument.openOrders]).toEqual([['PRICE_MISSING'], []])
  })

  test.each([['99', true], ['99.5', true], ['99.2', false], ['1000', true], ['1000.5', false], ['1005', true], ['1001', false], ['5000', true], ['5005', false], ['5010', true]])('tick bands: %s fits is %s', (text, fits) => {
    const entries = [fakeEntry({ tickSize: '0.5', tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }, { floor: '2000', tickSize: '0.01' }, { floor: '5000', tickSize: '10' }] })]
    expect(placed({ ...BASE, price: price(text) }, { entries }).state).toBe(fits ? 'PENDING_NEW' : 'DISCARDED')
  })

  test('useSpare against an adapter without spare requests stops the strategy, after the callback at hand', () => {
    const Strategy = recording(['onOrderUpdate', 'onStop'])
    const { venue, strategy, runtime } = startFake(Strategy)
    strategy.instrument.placeOrder(BASE)
    strategy.reactions.set('onOrderUpdate', () => {
      const order = strategy.instrument.placeOrder({ ...BASE, useSpare: true })
      expect([order.discardReason, strategy.heard.length]).toEqual(['SPARE_UNSUPPORTED', 1])
      expect(strategy.instrument.placeOrder(BASE).discardReason).toBe('STOPPED')
    })
    venue.entry.confirm(venue.entry.placed[0]!)
    expect(strategy.heard.map((heard) => heard.replace(/\(.*/, ''))).toEqual(['onOrderUpdate', 'onStop'])
    expect(runtime.stopReason).toContain('useSpare')
    expect(venue.entry.placed).toHaveLength(1)
    venue.entry.update(venue.entry.placed[0]!, { state: 'CANCELED' })
    expect([strategy.heard.length, strategy.instrument.openOrders.length]).toEqual([2, 0])
  })
})

/** What throws at once: a fault of the program, not of the market. */
const THROWS: readonly (readonly [what: string, given: object, words: RegExp])[] = [
  ['a ratio above 1', { baseRiskRatio: '1.01' }, /baseRiskRatio must be from 0 to 1, found "1.01"/],
  ['a ratio below 0', { baseRiskRatio: new Decimal('-0.1') }, /baseRiskRatio must be from 0 to 1, found -0.1/],
  ['a ratio that is no number', { baseRiskRatio: 'half' }, /baseRiskRatio must be a decimal from 0 to 1, found "half"/],
  ['a ratio as a float', { baseRiskRatio: 0.5 }, /baseRiskRatio must be a decimal from 0 to 1 as text or Decimal, found 0.5/],
  ['counterRiskRatio on a derivative', { counterRiskRatio: '0.5' }, /counterRiskRatio is for spot instruments only/],
  ['no side', { side: undefined }, /side must be 'BID' or 'ASK', found nothing/],
  ['another side', { side: 'BUY' }, /side must be 'BID' or 'ASK', found "BUY"/],
  ['no quantity', { quantity: null }, /quantity must be a Quantity/],
  ['a float quantity', { quantity: 0.1 }, /quantity must be a Quantity.* found 0.1/],
  ['a text price', { price: '100' }, /price must be a Price.* found "100"/],
  ['a type as a number', { type: 5 }, /type must be an order type, found 5/],
  ['a time in force as a flag', { timeInForce: true }, /timeInForce must be a time in force, found true/],
  ['another openClose', { openClose: 'SOMETIMES' }, /openClose must be 'AUTO', 'OPEN' or 'CLOSE', found "SOMETIMES"/],
  ['a context in text', { context: 'why' }, /context must be a JSON object, found "why"/],
  ['a misspelt field', { postonly: false }, /"postonly" is not a field of OrderParams \(side, quantity, price, type, .*, context\)/],
  ['a flag that is none', { postOnly: 'no' }, /postOnly must be true or false, found "no"/],
]

test.each(THROWS)('%s throws', (_what, given, words) => {
  const { venue, strategy } = startFake(recording([]))
  expect(() => strategy.instrument.placeOrder({ ...BASE, ...given })).toThrow(words)
  expect(venue.entry.placed).toEqual([])
})

test.each<readonly [given: object, place: object]>([
  [{ side: 'BUY' }, { field: 'side', expected: "'BID' or 'ASK'", found: '"BUY"' }],
  [{ side: null }, { field: 'side', expected: "'BID' or 'ASK'", found: 'null' }],
  [{ baseRiskRatio: '2' }, { field: 'baseRiskRatio', expected: 'from 0 to 1', found: '"2"' }],
  [{ counterRiskRatio: '0.5' }, { field: 'counterRiskRatio', expected: 'null', found: '0.5' }],
  [{ postonly: true }, { field: 'postonly' }],
])('what throws says where: %j', (given, place) => {
  const { strategy } = startFake(recording([]))
  let found: unknown = null
  try {
    strategy.instrument.placeOrder({ ...BASE, ...given })
  } catch (error) {
    found = error
  }
  expect(found).toMatchObject({ code: 'OPTION_INVALID', place })
})

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

const text = (value: string): Decimal => new Decimal(value)
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
}

/** Asks for 100 at 100 with a ratio of 1 where nothing else is said. */
function risked(given: Partial<OrderParams>, { opening = margin('linear'), available = '50', net = 0, isolated: legs, mark = 1000, open = [], confirmed = 0 }: RiskCase): string | number {
  const { venue, strategy } = startFake(recording([]), {
    wallets: [walletOf(20, available)], positions: held(net), ...(legs === undefined ? {} : { isolatedPositions: isolated(...legs) }), opening,
  })
  Object.assign(venue.market(1), { markPrice: mark, markScale: 1 })
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
    const resume = JSON.parse(JSON.stringify(runtime.state())) as ReturnType<typeof runtime.state>
    const { venue, strategy } = startFake(recording([]), { opening: margin('linear'), resume })
    strategy.instrument.placeOrder({ ...BASE, side: 'ASK', quantity: quantity('9'), openClose: 'CLOSE', baseRiskRatio: '1' })
    expect(venue.entry.placed).toMatchObject([{ totalQuantity: 200 }])
  })
})
