import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { DISCARD_REASONS, type DiscardReason, type OrderParams } from '../../src/strategy/order-params.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
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
    expect(placed(BASE).sent).toEqual([SENT])
    expect(placed({ ...DEFAULTS, ...BASE }).sent).toEqual([SENT])
  })

  test.each(ROWS)('%s', (_field, given, sent) => {
    const { sent: [entry], state } = placed({ ...BASE, ...given }, { capabilities: { spare: true } })
    expect(entry).toEqual({ ...SENT, ...sent })
    expect(state).toBe('PENDING_NEW')
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
  ['a STOP_LIMIT order without a triggerPrice', { type: 'STOP_LIMIT' }, 'TRIGGER_PRICE_MISSING'],
  ['off the tick', { price: price('100.2') }, 'PRICE_OFF_TICK'],
  ['finer than the scale', { price: price('100.5000001') }, 'PRICE_OFF_TICK'],
  ['a trigger off the tick', { type: 'STOP_LIMIT', triggerPrice: price('1.2') }, 'PRICE_OFF_TICK'],
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

  test.each([['99', true], ['99.5', true], ['99.2', false], ['1000', true], ['1000.5', false], ['1005', true], ['1001', false]])('tick bands: %s fits is %s', (text, fits) => {
    const entries = [fakeEntry({ tickSize: '0.5', tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }] })]
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
  ['a misspelt field', { postonly: false }, /"postonly" is not a field of OrderParams/],
  ['a flag that is none', { postOnly: 'no' }, /postOnly must be true or false, found "no"/],
]

test.each(THROWS)('%s throws', (_what, given, words) => {
  const { venue, strategy } = startFake(recording([]))
  expect(() => strategy.instrument.placeOrder({ ...BASE, ...given })).toThrow(words)
  expect(venue.entry.placed).toEqual([])
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

  test('what is left below minQuantity is discarded', () => {
    expect(placed({ ...BASE, side: 'ASK', quantity: quantity('30'), baseRiskRatio: '0.9', minQuantity: quantity('19') }, spot).reason).toBe('MIN_ORDER_SIZE')
    expect(placed({ ...BASE, side: 'ASK', baseRiskRatio: '0' }, spot).reason).toBe('MIN_ORDER_SIZE')
  })

  test('a market purchase takes the best ask; without one it is discarded', () => {
    expect(placed({ side: 'BID', quantity: quantity('1'), type: 'MARKET', postOnly: false, counterRiskRatio: '0.5' }, spot).reason).toBe('RISK_UNKNOWN')
  })
})
