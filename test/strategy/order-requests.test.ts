import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { NO_CONDITIONS, takeState, type Order, type OrderChange } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { FINISHED_ORDER_LIMIT, OrderTracker } from '../../src/strategy/order-tracker.js'
import type { FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }
const PEG: OrderParams = { side: 'ASK', quantity: Quantity.from('0.1'), type: 'PRIMARY_PEGGED', pegOffsetValue: Price.from('0.5') }
const STOP: OrderParams = { ...BUY, type: 'STOP_LIMIT', triggerPrice: Price.from('101') }
const MARKET: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), type: 'MARKET', postOnly: false }

interface Bench {
  readonly venue: FakeVenue
  readonly strategy: RecordingStrategy
  readonly order: Order
}

/** One order, confirmed by the exchange or not heard of yet. */
function open(params: OrderParams = BUY, isConfirmed = true): Bench {
  const { venue, strategy } = startFake(recording(['onOrderError', 'onOrderUpdate']))
  const order = strategy.instrument.placeOrder(params)
  if (isConfirmed) venue.entry.update(venue.entry.placed[0]!, params.price === undefined ? { pegOffsetValue: 5, price: 1005 } : {})
  return { venue, strategy, order }
}

const lastSent = ({ entry }: FakeVenue): unknown => {
  const request = entry.requests.at(-1)!
  return 'entries' in request ? request.entries[0] : request
}

describe('requests', () => {
  test('of an order that the exchange has not answered name no number of it', () => {
    const { venue, order } = open(BUY, false)
    order.cancel()
    expect(lastSent(venue)).toStrictEqual({ ownOrderId: 'id-1' })
    order.amend({ price: Price.from('99') })
    expect(lastSent(venue)).toStrictEqual({ ownOrderId: 'id-1', instrumentId: 1, currentClientOrderId: 'id-2', newClientOrderId: 'id-3', price: 990 })
    order.replace({ price: Price.from('98') })
    expect(lastSent(venue)).toStrictEqual({ currentOwnOrderId: 'id-1', instrumentId: 1, newOwnOrderId: 'id-4', currentClientOrderId: 'id-2', newClientOrderId: 'id-5', price: 980 })
  })

  test('carry a context where it is given, nothing where it is not', () => {
    const { venue, order } = open()
    const context = { why: 'test' }
    const ids = { instrumentId: 1, exchangeOrderId: 'x-id-1', currentClientOrderId: 'id-2' }
    order.amend({ context })
    expect(lastSent(venue)).toStrictEqual({ ...ids, ownOrderId: 'id-1', newClientOrderId: 'id-3', context })
    const replacement = order.replace({ price: Price.from('98'), context })
    expect(lastSent(venue)).toStrictEqual({ ...ids, currentOwnOrderId: 'id-1', newOwnOrderId: 'id-4', newClientOrderId: 'id-5', price: 980, context })
    expect(replacement.context).toEqual(context)
  })

  test('a field of undefined is one that is left out', () => {
    const { venue, order } = open()
    order.amend({ price: undefined, quantity: Quantity.from('0.2') } as unknown as OrderChange)
    expect(lastSent(venue)).toMatchObject({ totalQuantity: 20 })
    expect(lastSent(venue)).not.toHaveProperty('price')
  })
})

describe('what an amend is refused with, in the instant', () => {
  test.each<readonly [what: string, params: OrderParams, change: OrderChange, type: string]>([
    ['a price off the tick', BUY, { price: Price.from('100.2') }, 'INVALID_PRICE'],
    ['a trigger off the tick', STOP, { triggerPrice: Price.from('100.2') }, 'INVALID_PRICE'],
    ['an offset finer than the scale', PEG, { pegOffsetValue: Price.from('0.05') }, 'INVALID_PRICE'],
    ['a quantity off the lot', BUY, { quantity: Quantity.from('0.105') }, 'INVALID_QUANTITY'],
  ])('%s', (_what, params, change, type) => {
    const { venue, strategy, order } = open(params)
    const before = venue.entry.requests.length
    order.amend(change)
    venue.clock.settle()
    expect([strategy.received.at(-1), venue.entry.requests.length, order.state]).toEqual([`onOrderError(id-1 CONFIRMED 0 ${type})`, before, 'CONFIRMED'])
  })

  test.each<readonly [change: unknown, place: object]>([
    [5, { field: 'change' }], [{ pirce: 1 }, { field: 'pirce' }], [{ price: 1 }, { field: 'price' }],
  ])('%j is thrown back, and says where', (change, place) => {
    const { order } = open()
    let found: unknown = null
    try {
      order.amend(change as OrderChange)
    } catch (error) {
      found = error
    }
    expect(found).toMatchObject({ code: 'OPTION_INVALID', place })
  })
})

describe('a replacement', () => {
  test.each<readonly [what: string, params: OrderParams, change: OrderChange, fresh: object]>([
    ['has the terms of its order', BUY, {}, { side: 'BID', type: 'LIMIT', postOnly: true, price: '100', totalQuantity: '0.1', conditions: NO_CONDITIONS, context: undefined }],
    ['keeps its context', { ...BUY, context: { why: 'test' } }, {}, { context: { why: 'test' } }],
    ['or takes another', { ...BUY, context: { why: 'test' } }, { context: { why: 'not' } }, { context: { why: 'not' } }],
    ['of a pegged order has no price, whatever its order had', PEG, {}, { price: null, type: 'PRIMARY_PEGGED' }],
    ['of an order pegged to the other side too', { ...PEG, type: 'MARKET_PEGGED' }, {}, { price: null, type: 'MARKET_PEGGED' }],
  ])('%s', (_what, params, change, fresh) => {
    const { order } = open(params)
    const { price, totalQuantity, ...rest } = order.replace(change)
    expect({ ...rest, price: price?.toString() ?? null, totalQuantity: totalQuantity.toString() }).toMatchObject(fresh)
  })

  test.each([[{}, '0.06'], [{ quantity: Quantity.from('0.3') }, '0.3']] as const)('with %j of an order that is partly filled is for %s', (change, quantity) => {
    const { venue, order } = open()
    venue.entry.update(venue.entry.placed[0]!, { executedQuantity: 4 })
    expect(order.replace(change).totalQuantity.toString()).toBe(quantity)
  })

  test.each<readonly [OrderChange, string]>([[{ price: Price.from('100.2') }, 'PRICE_OFF_TICK'], [{ quantity: Quantity.from('0.105') }, 'QUANTITY_OFF_LOT']])('%j is discarded, and nothing is sent', (change, reason) => {
    const { venue, order } = open()
    const before = venue.entry.requests.length
    expect(order.replace(change)).toMatchObject({ state: 'DISCARDED', discardReason: reason })
    expect([venue.entry.requests.length, order.isOpen]).toEqual([before, true])
  })

  test.each<readonly [given: Partial<OrderParams>, postOnly: boolean]>([
    [{}, true], [{ postOnly: false }, false], [{ type: 'STOP_LIMIT', triggerPrice: Price.from('101') }, true], [{ timeInForce: 'IMMEDIATE_OR_CANCEL' }, false],
  ])('of %j keeps its postOnly, and so does an amend (rule 4.2)', (given, postOnly) => {
    const { venue, order } = open({ ...BUY, ...given })
    order.amend({ price: Price.from('99.5') })
    const replacement = order.replace({ price: Price.from('99') })
    expect([order.postOnly, replacement.postOnly]).toEqual([postOnly, postOnly])
    expect(JSON.stringify(venue.entry.requests.slice(1))).not.toContain('postOnly')
  })

  test('with another offset is thrown back, and says where', () => {
    const { order } = open(PEG)
    expect(() => order.replace({ pegOffsetValue: Price.from('1') })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'pegOffsetValue' } }) as Error)
  })
})

test.each<readonly [given: Partial<OrderParams>, terms: object]>([
  [{}, { type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: '100.2', totalQuantity: '0.1', postOnly: true, context: undefined }],
  [{ postOnly: false, context: { why: 'test' } }, { postOnly: false, context: { why: 'test' } }],
  [{ type: 'MARKET', price: null, postOnly: true }, { type: 'MARKET', price: null, postOnly: true }],
  [{ type: 'MARKET', price: null, quantity: Quantity.ZERO }, { type: 'MARKET', price: null, postOnly: false }],
  [{ timeInForce: 'FILL_OR_KILL' }, { timeInForce: 'FILL_OR_KILL' }],
])('an order that is never sent has the terms it was asked for with: %j', (given, terms) => {
  const { strategy } = startFake(recording([]))
  const { price, totalQuantity, ...rest } = strategy.instrument.placeOrder({ ...BUY, price: Price.from('100.2'), ...given })
  expect({ ...rest, price: price?.toString() ?? null, totalQuantity: totalQuantity.toString() }).toMatchObject({ state: 'DISCARDED', instrumentId: 1, ...terms })
})

describe('requests of one callback', () => {
  /** What two updates in turn say when each asks for so many cancels. */
  function asking(count: number): () => void {
    const { venue, strategy, order } = open()
    return () => {
      for (let turn = 0; turn < 2; turn++) {
        strategy.reactions.set('onOrderUpdate', () => { for (let i = 0; i < count; i++) order.cancel() })
        venue.entry.update(venue.entry.placed[0]!, { executedQuantity: turn })
      }
    }
  }

  test('ten thousand are as many as there can be, in every callback anew', () => {
    expect(asking(10_000)).not.toThrow()
  })

  test('one more is taken for a loop without end', () => {
    expect(asking(10_001)).toThrow(/Cannot ask for more than 10000 things in one callback/)
    const { order } = open()
    const endless = (): void => { for (;;) order.cancel() }
    expect(endless).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED', place: { expected: 'at most 10000', found: 'more' } }) as Error)
  })
})

test('a venue that tells nothing of opening leaves the risk unknown', () => {
  const { venue, strategy } = startFake(recording([]))
  Object.assign(venue.entry, { openingTerms: undefined })
  expect(strategy.instrument.placeOrder({ ...BUY, baseRiskRatio: '0.5' }).discardReason).toBe('RISK_UNKNOWN')
})

describe('orders in a checkpoint', () => {
  const none = { epochDay: 0, cancel: () => undefined, amend: () => undefined, replace: (order: Order) => order }

  test.each<readonly [what: string, params: OrderParams]>([
    ['plain', BUY], ['with a context', { ...BUY, context: { why: 'test' } }], ['a MARKET order', MARKET], ['a stop', STOP], ['a peg', PEG],
    ['hidden', { ...BUY, displayQuantity: Quantity.ZERO }], ['that closes', { ...BUY, openClose: 'CLOSE' }],
  ])('come back as they were: %s', (_what, params) => {
    const { strategy, runtime } = startFake(recording([]))
    const order = strategy.instrument.placeOrder(params)
    const state = runtime.state()
    const [saved] = state.orders
    expect(saved!.order).toMatchObject({ price: order.price, conditions: order.conditions === NO_CONDITIONS ? null : {} })
    expect(throughJson(saved!.order).context).toEqual(params.context)
    const resumed = startFake(recording([]), { resume: throughJson(state) })
    const [restored] = resumed.strategy.instrument.openOrders
    const plain = ({ price, totalQuantity, executedQuantity, conditions, context }: Order): unknown => [price, totalQuantity, executedQuantity, Object.entries(conditions), context]
    expect(plain(restored!)).toStrictEqual(plain(order))
    expect(resumed.runtime.state()).toEqual(state)
  })

  test('placing while a run resumes takes no ids', () => {
    const ids: string[] = []
    class Hasty extends recording([]) {
      override onStart(): void {
        if (!this.resuming) return
        const order = this.instrument.placeOrder(BUY)
        ids.push(order.ownOrderId, order.clientOrderId, this.instrument.placeOrder({ ...BUY, price: null }).discardReason!)
      }
    }
    const { runtime } = startFake(Hasty)
    const { strategy } = startFake(Hasty, { resume: throughJson(runtime.state()) })
    expect([ids, strategy.instrument.placeOrder(BUY).ownOrderId]).toEqual([['', '', 'RESUMING'], 'id-1'])
  })

  test('an order of an instrument that is not there any more is left out', () => {
    const { strategy } = startFake(recording([]))
    const tracker = new OrderTracker(none)
    tracker.create({ ownOrderId: 'a', clientOrderId: 'b', instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: Price.from('1'), quantity: Quantity.from('1'), postOnly: true }, strategy.instrument)
    const other = new OrderTracker(none)
    other.restore(throughJson(tracker.state()), () => undefined)
    expect(other.state()).toEqual([])
  })

  test('an order that is over is remembered as long as others, however often that is told, and one found again as if it had ended then', () => {
    const { strategy } = startFake(recording([]))
    const tracker = new OrderTracker(none)
    const ended = (ownOrderId: string): Order => {
      const order = tracker.create({ ownOrderId, clientOrderId: 'b', instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: Price.from('1'), quantity: Quantity.from('1'), postOnly: true }, strategy.instrument)
      takeState(order, 'FILLED')
      tracker.settle(tracker.find(order))
      return order
    }
    const first = ended('first')
    const isKnownAfter = (from: number, count: number): boolean => {
      for (let i = 0; i < count; i++) ended(`${from} ${i}`)
      return tracker.get('first') !== undefined
    }
    tracker.settle(tracker.find(first))
    expect([isKnownAfter(1, FINISHED_ORDER_LIMIT - 1), isKnownAfter(2, 1)]).toEqual([true, false])
    tracker.find(first)
    expect([isKnownAfter(3, FINISHED_ORDER_LIMIT - 1), isKnownAfter(4, 1), tracker.state().length]).toEqual([true, false, FINISHED_ORDER_LIMIT])
  })

  test('after a checkpoint orders that are over leave in the order of their ends, however long ago they were sent', () => {
    const { strategy } = startFake(recording([]))
    const tracker = new OrderTracker(none)
    const place = (of: OrderTracker, ownOrderId: string): Order => of.create({ ownOrderId, clientOrderId: 'b', instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: Price.from('1'), quantity: Quantity.from('1'), postOnly: true }, strategy.instrument)
    const end = (of: OrderTracker, order: Order): void => {
      takeState(order, 'FILLED')
      of.settle(of.find(order))
    }
    const early = place(tracker, 'sent first')
    for (let i = 0; i < FINISHED_ORDER_LIMIT - 1; i++) end(tracker, place(tracker, `short ${i}`))
    end(tracker, early)
    const resumed = new OrderTracker(none)
    resumed.restore(throughJson(tracker.state()), () => strategy.instrument)
    for (const one of [tracker, resumed]) {
      end(one, place(one, 'later'))
      expect([one.get('sent first') !== undefined, one.get('short 0') !== undefined, one.get('short 1') !== undefined]).toEqual([true, false, true])
    }
  })

  test('an order of another strategy is refused in words', () => {
    const { order } = open()
    expect(() => new OrderTracker(none).find(order)).toThrow('Order id-1 belongs to another strategy')
  })
})
