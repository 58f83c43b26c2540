import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'

/** What a feed and its market do: room is made for a batch, whose items come; some of those that wait are taken. */
const steps = fc.array(fc.oneof(
  fc.record({ kind: fc.constant('batch' as const), count: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 10_000, max: 40_000 })), spread: fc.constantFrom(0, 3, 200) }),
  fc.record({ kind: fc.constant('take' as const), share: fc.integer({ min: 0, max: 100 }) }),
), { maxLength: 12 })

/** Some items are more than the last of their kind. */
const isSingle = (event: number): boolean => event % 13 === 5

test('items wait in the order of their times, those of one time in the order of their arrival, however many come at once', () => {
  fc.assert(fc.property(steps, (program) => {
    const queue = new ExchangeOrderQueue()
    let naive: { timeNs: number, event: number }[] = []
    let [number, gone] = [0, 0]
    for (const step of program) {
      if (step.kind === 'take') {
        const count = Math.floor((naive.length * step.share) / 100)
        queue.head += count
        gone += count
        naive = naive.slice(count)
      } else {
        queue.reserve(step.count)
        const items = Array.from({ length: step.count }, (_, i) => ({ timeNs: number + i - (step.spread === 0 ? 0 : ((number + i) * 7919) % step.spread), event: number + i }))
        number += step.count
        for (const { timeNs, event } of items) {
          queue.append(timeNs, 0, event, -1)
          if (isSingle(event)) queue.appendedSingle(timeNs)
        }
        naive = [...naive, ...items].sort((a, b) => a.timeNs - b.timeNs)
      }
      const { head, tail, timeNs, event } = queue
      expect([tail - head, queue.consumedCount, timeNs[tail]]).toEqual([naive.length, gone, Infinity])
      const at = (place: number): unknown => [timeNs[head + place], event[head + place]]
      // One that has been taken counts as long as others of its time wait.
      const singleNs = queue.nextSingleNs()
      if (singleNs !== timeNs[head]) expect(singleNs).toBe(naive.find((item) => isSingle(item.event))?.timeNs ?? Infinity)
      for (const nowNs of [-1, number - 100, number]) expect(queue.firstAfter(nowNs) - head).toBe(naive.filter((item) => item.timeNs <= nowNs).length)
      const wrong = naive.findIndex((item, place) => timeNs[head + place] !== item.timeNs || event[head + place] !== item.event)
      if (wrong >= 0) expect(at(wrong)).toEqual(naive[wrong])
    }
  }), { numRuns: 75 })
})

test('room is made for a batch beside as many that wait as half of what there is', () => {
  const queue = new ExchangeOrderQueue()
  for (const count of [16_384, 16_384, 100_000, 1]) {
    queue.reserve(count)
    for (let i = 0; i < count; i++) queue.append(i, 0, i, -1)
  }
  expect([queue.tail, queue.timeNs[queue.tail]]).toEqual([132_769, Infinity])
})
