import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OrderReport } from '../../src/model/order.js'
import { OrderMessages, type OrderMessage } from '../../src/strategy/order-messages.js'
import type { Fill, Position } from '../../src/venue/account-messages.js'

const ids = fc.constantFrom('a', 'b')
const instruments = fc.constantFrom(1, 2)
const message: fc.Arbitrary<OrderMessage> = fc.oneof(
  fc.record({ ownOrderId: ids }).map(({ ownOrderId }): OrderMessage => ({ kind: 'error', accountId: 'A', ownOrderId, error: { type: 'X', message: 'x', source: 'EXCHANGE' } })),
  fc.record({ instrumentId: instruments }).map((position): OrderMessage => ({ kind: 'position', accountId: 'A', position: position as Position })),
  fc.record({ instrumentId: instruments, ownOrderId: ids }).map((fill): OrderMessage => ({ kind: 'fill', accountId: 'A', fill: fill as Fill })),
  fc.record({ instrumentId: instruments, ownOrderId: ids }).map((report): OrderMessage => ({ kind: 'update', accountId: 'A', report: report as OrderReport })),
)
/** Instrument 2 is spot. */
const isSpot = (instrumentId: number): boolean => instrumentId === 2

function filled(messages: readonly OrderMessage[], seed: number | null): OrderMessages {
  const queue = new OrderMessages(seed)
  for (const one of messages) queue.add(one)
  return queue
}

function taken(queue: OrderMessages): OrderMessage[] {
  const all: OrderMessage[] = []
  while (!queue.isEmpty) all.push(queue.take(isSpot)!)
  return all
}

/** Messages of one kind whose order is promised: positions of an instrument, updates of an order, fills of an order, errors of an order. */
function lanes(messages: readonly OrderMessage[]): Map<string, OrderMessage[]> {
  const byLane = new Map<string, OrderMessage[]>()
  for (const one of messages) {
    const key = one.kind === 'position' ? one.position.instrumentId : one.kind === 'fill' ? one.fill.ownOrderId : one.kind === 'update' ? one.report.ownOrderId : one.ownOrderId
    byLane.set(`${one.kind} ${String(key)}`, [...(byLane.get(`${one.kind} ${String(key)}`) ?? []), one])
  }
  return byLane
}

/** A derivative's position comes before every fill and update of its instrument that came after it. */
function positionsFirst(from: readonly OrderMessage[], to: readonly OrderMessage[]): boolean {
  return from.every((before, i) => before.kind !== 'position' || isSpot(before.position.instrumentId) || from.slice(i + 1).every((after) => {
    const instrumentId = after.kind === 'fill' ? after.fill.instrumentId : after.kind === 'update' ? after.report.instrumentId : null
    return instrumentId !== before.position.instrumentId || to.indexOf(before) < to.indexOf(after)
  }))
}

test('shuffled messages of an instant keep what is promised, come out once each, and go on where they were', () => {
  fc.assert(fc.property(fc.array(message, { maxLength: 10 }), fc.nat(99), fc.nat(10), (messages, seed, cut) => {
    const out = taken(filled(messages, seed))
    expect(new Set(out)).toEqual(new Set(messages))
    expect(out).toHaveLength(messages.length)
    expect([...lanes(out)].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([...lanes(messages)].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const [key, lane] of lanes(messages)) for (const [at, one] of lane.entries()) expect(lanes(out).get(key)![at]).toBe(one)
    expect(positionsFirst(messages, out)).toBe(true)
    const first = filled(messages, seed)
    const early = Array.from({ length: Math.min(cut, messages.length) }, () => first.take(isSpot)!)
    const second = new OrderMessages(seed)
    second.restore(first.state())
    expect([...early, ...taken(second)]).toEqual(out)
  }))
})

test('what nothing is promised of comes in other orders by other seeds; without a seed all comes as it came', () => {
  const update = (ownOrderId: string): OrderMessage => ({ kind: 'update', accountId: 'A', report: { instrumentId: 1, ownOrderId } as OrderReport })
  const fill = (ownOrderId: string, instrumentId: number): OrderMessage => ({ kind: 'fill', accountId: 'A', fill: { instrumentId, ownOrderId } as Fill })
  const position: OrderMessage = { kind: 'position', accountId: 'A', position: { instrumentId: 2 } as Position }
  for (const pair of [[update('a'), update('b')], [fill('a', 1), fill('b', 1)], [update('a'), fill('a', 1)], [position, fill('a', 2)]]) {
    const firsts = Array.from({ length: 20 }, (_, seed) => taken(filled(pair, seed))[0])
    expect(new Set(firsts).size).toBe(2)
    expect(taken(filled(pair, null))).toEqual(pair)
  }
  expect([new OrderMessages(null).isShuffled, new OrderMessages(0).isShuffled, new OrderMessages(0).take(isSpot)]).toEqual([false, true, undefined])
})

test('every message is news to who listens, one that is restored too', () => {
  const news = { hasNews: false }
  const queue = new OrderMessages(null, news)
  expect(news.hasNews).toBe(false)
  queue.add({ kind: 'position', accountId: 'A', position: { instrumentId: 1 } as Position })
  expect(news.hasNews).toBe(true)
  news.hasNews = false
  queue.restore(queue.state())
  expect(news.hasNews).toBe(true)
})

test('draws go on through an instant: a third message does not come where the first one did', () => {
  const update = (ownOrderId: string): OrderMessage => ({ kind: 'update', accountId: 'A', report: { instrumentId: 1, ownOrderId } as OrderReport })
  const messages = ['a', 'b', 'c', 'd'].map(update)
  const orders = new Set(Array.from({ length: 200 }, (_, seed) => taken(filled(messages, seed)).map((one) => messages.indexOf(one)).join('')))
  expect(orders.size).toBe(24)
  const queue = filled(messages, 3)
  for (let i = 0; i < 3; i++) queue.take(isSpot)
  expect(queue.state().drawCount).toBe(3)
})
