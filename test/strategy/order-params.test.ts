import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { DISCARD_REASONS, type DiscardReason, type OrderParams } from '../../src/strategy/order-params.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { fakeEntry } from '../support/fake-market.js'
import type { FakeVenueOptions } from '../support/fake-venue.js'
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
  ['type that implies postOnly false (rule 4.2)', { type: 'MARKET', price: null }, { type: 'MARKET', price: null, postOnly: false }],
  ['timeInForce that implies postOnly false', { timeInForce: 'IMMEDIATE_OR_CANCEL' }, { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }],
  ['timeInForce FILL_OR_KILL implies it too', { timeInForce: 'FILL_OR_KILL' }, { timeInForce: 'FILL_OR_KILL', postOnly: false }],
  ['type STOP_LIMIT implies nothing', { type: 'STOP_LIMIT', triggerPrice: price('101') }, { type: 'STOP_LIMIT', triggerPrice: 1010, postOnly: true }],
  ['type MARKET_PEGGED implies nothing', { type: 'MARKET_PEGGED', price: null }, { type: 'MARKET_PEGGED', price: null, postOnly: true }],
  ['type STOP_LIMIT that takes at once', { type: 'STOP_LIMIT', timeInForce: 'IMMEDIATE_OR_CANCEL', triggerPrice: price('101') }, { type: 'STOP_LIMIT', timeInForce: 'IMMEDIATE_OR_CANCEL', triggerPrice: 1010, postOnly: false }],
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
  readonly received: readonly string[]
}

function placed(params: OrderParams, options: FakeVenueOptions = {}): Placed {
  const { venue, strategy } = startFake(recording(['onOrderError', 'onOrderUpdate', 'onStop']), options)
  const order = strategy.instrument.placeOrder(params)
  venue.clock.settle()
  const sent = venue.entry.placed.map(({ ownOrderId: _own, clientOrderId: _client, ...rest }) => rest)
  return { sent, state: order.state, reason: order.discardReason, received: strategy.received }
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

  test.each(ROWS.map(([field]) => [field.split(' ')[0]!] as const).filter(([field]) => !['side', 'quantity', 'price'].includes(field)))('%s of null or undefined is its default', (field) => {
    for (const value of [null, undefined]) expect(placed({ ...BASE, [field]: value }).sent).toStrictEqual([SENT])
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
  ['a MARKET order with postOnly (rule 4.2)', { type: 'MARKET', price: null, postOnly: true }, 'POST_ONLY_TAKES'],
  ['IMMEDIATE_OR_CANCEL with postOnly', { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: true }, 'POST_ONLY_TAKES'],
  ['FILL_OR_KILL with postOnly', { timeInForce: 'FILL_OR_KILL', postOnly: true }, 'POST_ONLY_TAKES'],
  ['a STOP_LIMIT order that takes at once, with postOnly', { type: 'STOP_LIMIT', timeInForce: 'FILL_OR_KILL', triggerPrice: price('101'), postOnly: true }, 'POST_ONLY_TAKES'],
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
    const { sent, state, reason: found, received } = placed({ ...BASE, ...given })
    expect([sent, state, found, received]).toEqual([[], 'DISCARDED', reason, []])
    expect(DISCARD_REASONS[reason]).not.toBe('')
  })

  test.each<readonly [given: Partial<OrderParams>, postOnly: boolean]>([
    [{ price: price('0.01') }, true], [{ type: 'MARKET', quantity: Quantity.ZERO }, false], [{ timeInForce: 'FILL_OR_KILL', price: null }, false], [{ type: 'MARKET', price: null, postOnly: true }, true],
  ])('%j: the order states what it would have been sent with', (given, postOnly) => {
    const { strategy } = startFake(recording([]))
    const order = strategy.instrument.placeOrder({ ...BASE, ...given })
    expect([order.state, order.postOnly]).toEqual(['DISCARDED', postOnly])
  })

  test('the first of each reason is a warning with its time, order and reason', () => {
    const { venue, strategy, warned } = startFake(recording([]))
    const { instrument } = strategy
    const orders = [{ price: null }, { price: null }, { quantity: Quantity.ZERO }, {}, { price: null }].map((given) => instrument.placeOrder({ ...BASE, ...given }))
    venue.clock.settle()
    const at = new Date(Number(venue.clock.now() / 1_000_000n)).toISOString().slice(0, 10)
    expect(warned).toEqual([
      expect.stringMatching(new RegExp(`^the order ${orders[0]!.ownOrderId} was discarded at ${at}T.*Z: PRICE_MISSING, a LIMIT or STOP_LIMIT order needs a price$`)),
      expect.stringMatching(new RegExp(`^the order ${orders[2]!.ownOrderId} was discarded at ${at}T.*Z: MIN_ORDER_SIZE, `)),
    ])
  })

  test('each is told to the sink', () => {
    const { strategy, discarded } = startFake(recording([]))
    strategy.instrument.placeOrder({ ...BASE, price: null })
    expect([discarded, strategy.instrument.openOrders]).toEqual([['PRICE_MISSING'], []])
  })

  test.each([['99', true], ['99.5', true], ['99.2', false], ['1000', true], ['1000.5', false], ['1005', true], ['1001', false], ['5000', true], ['5005', false], ['5010', true], ['2001', true], ['3000.5', false], ['3005', true]])('tick bands: %s fits is %s', (text, fits) => {
    const entries = [fakeEntry({ tickSize: '0.5', tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }, { floor: '2001', tickSize: '1' }, { floor: '2100', tickSize: '5' }, { floor: '3000', tickSize: '0.01' }, { floor: '5000', tickSize: '10' }] })]
    expect(placed({ ...BASE, price: price(text) }, { entries }).state).toBe(fits ? 'PENDING_NEW' : 'DISCARDED')
  })

  test('useSpare against an adapter without spare requests stops the strategy, after the callback at hand', () => {
    const Strategy = recording(['onOrderUpdate', 'onStop'])
    const { venue, strategy, runtime } = startFake(Strategy)
    strategy.instrument.placeOrder(BASE)
    strategy.reactions.set('onOrderUpdate', () => {
      const order = strategy.instrument.placeOrder({ ...BASE, useSpare: true })
      expect([order.discardReason, strategy.received.length]).toEqual(['SPARE_UNSUPPORTED', 1])
      expect(strategy.instrument.placeOrder(BASE).discardReason).toBe('STOPPED')
    })
    venue.entry.confirm(venue.entry.placed[0]!)
    expect(strategy.received.map((received) => received.replace(/\(.*/, ''))).toEqual(['onOrderUpdate', 'onStop'])
    expect(runtime.stopReason).toContain('useSpare')
    expect(venue.entry.placed).toHaveLength(1)
    venue.entry.update(venue.entry.placed[0]!, { state: 'CANCELED' })
    expect([strategy.received.length, strategy.instrument.openOrders.length]).toEqual([2, 0])
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
