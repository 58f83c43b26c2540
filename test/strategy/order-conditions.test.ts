import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { NO_CONDITIONS } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { OrderTracker } from '../../src/strategy/order-tracker.js'
import type { FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const price = (text: string): Price => Price.from(text)
const STOP: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: price('100'), type: 'STOP_LIMIT', triggerPrice: price('101') }
const PEG: OrderParams = { side: 'ASK', quantity: Quantity.from('0.1'), type: 'PRIMARY_PEGGED', pegOffsetValue: price('0.5'), displayQuantity: Quantity.from('0.05'), reduceOnly: true }

function running(): { venue: FakeVenue, strategy: RecordingStrategy } {
  const { venue, strategy } = startFake(recording(['onOrderUpdate', 'onOrderError']))
  return { venue, strategy }
}

describe('orders with conditions, as a strategy sees them', () => {
  test('what it asked for, until an update says more', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(STOP)
    expect([order.conditions.triggerPrice?.toString(), order.conditions.triggered]).toEqual(['101', false])
    const [entry] = venue.entry.placed
    venue.entry.update(entry!, { triggerPrice: 1020, triggered: true })
    expect([order.conditions.triggerPrice?.toString(), order.conditions.triggered]).toEqual(['102', true])
    expect(strategy.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('0.1'), price: price('1') }).conditions).toBe(NO_CONDITIONS)
  })

  test('amend of triggerPrice and pegOffsetValue; off the tick it is refused', () => {
    const { venue, strategy } = running()
    const stop = strategy.instrument.placeOrder(STOP)
    const peg = strategy.instrument.placeOrder(PEG)
    for (const entry of venue.entry.placed) venue.entry.confirm(entry)
    stop.amend({ triggerPrice: price('102') })
    expect(venue.entry.requests.at(-1)).toMatchObject({ kind: 'amend', entries: [{ ownOrderId: stop.ownOrderId, triggerPrice: 1020 }] })
    peg.amend({ pegOffsetValue: price('-1') })
    expect(venue.entry.requests.at(-1)).toMatchObject({ kind: 'amend', entries: [{ ownOrderId: peg.ownOrderId, pegOffsetValue: -10 }] })
    const count = venue.entry.requests.length
    stop.amend({ triggerPrice: price('102.03') })
    venue.clock.settle()
    expect([venue.entry.requests.length, stop.lastError?.type]).toEqual([count, 'INVALID_PRICE'])
  })

  test('a replacement has the conditions of its order, with a new trigger not triggered; an offset only an amend changes', () => {
    const { venue, strategy } = running()
    const stop = strategy.instrument.placeOrder(STOP)
    const peg = strategy.instrument.placeOrder(PEG)
    venue.entry.confirm(venue.entry.placed[0]!)
    venue.entry.update(venue.entry.placed[0]!, { triggerPrice: 1010, triggered: true })
    const fresh = stop.replace({ triggerPrice: price('103') })
    expect([fresh.conditions.triggerPrice?.toString(), fresh.conditions.triggered, fresh.price?.toString()]).toEqual(['103', false, '100'])
    expect(venue.entry.requests.at(-1)).toMatchObject({ kind: 'replace', entries: [{ newOwnOrderId: fresh.ownOrderId, triggerPrice: 1030 }] })
    expect(() => peg.replace({ pegOffsetValue: price('1') })).toThrow(/a replacement keeps it/)
    const again = peg.replace({ quantity: Quantity.from('0.2') })
    expect([again.price, again.conditions.displayQuantity?.toString(), again.conditions.reduceOnly]).toEqual([null, '0.05', true])
  })

  test('a checkpoint holds them', () => {
    const { strategy } = running()
    const { instrument } = strategy
    const tracker = new OrderTracker({ epochDay: 0, cancel: () => undefined, amend: () => undefined, replace: (order) => order })
    const { conditions, ownOrderId } = instrument.placeOrder(PEG)
    const order = tracker.create({ ownOrderId, clientOrderId: 'c', instrumentId: 1, type: 'PRIMARY_PEGGED', side: 'ASK', timeInForce: 'GOOD_TILL_CANCEL', price: null, quantity: PEG.quantity, postOnly: true, conditions }, instrument)
    const saved = throughJson(tracker.state())
    const other = new OrderTracker({ epochDay: 0, cancel: () => undefined, amend: () => undefined, replace: (one) => one })
    other.restore(saved, () => instrument)
    const restored = other.get(ownOrderId)!.order
    expect(restored.conditions.pegOffsetValue?.compare(order.conditions.pegOffsetValue!)).toBe(0)
    expect(JSON.stringify(other.state())).toBe(JSON.stringify(saved))
  })
})
