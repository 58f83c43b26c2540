import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BookCursor } from '../../src/book/book-cursor.js'
import { BookSampler } from '../../src/measures/book-sampler.js'
import { OrderBook } from '../../src/book/order-book.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { depthBatch, type DepthEvent } from '../support/depth-batch.js'

const at = (timeNs: number, quantity: number): DepthEvent => ({ kind: timeNs === 0 ? 'snapshot' : 'update', timeNs, rows: [[0, 10, quantity]] })

/** Grid times with the best bid's quantity, from batches of the given events. */
function sample(batches: DepthEvent[][], options: { everyNs: number; fromNs?: number; toNs?: number }, untilNs?: number): string[] {
  const book = new OrderBook({ windowTicks: 32 })
  const sampler = new BookSampler(book, options)
  const out: string[] = []
  const note = (time: number): number => out.push(`${time}:${book.bestBidQuantity}${book.suspect ? '?' : ''}`)
  for (const events of batches) {
    sampler.offer(depthBatch(events))
    for (let time = sampler.next(); !Number.isNaN(time); time = sampler.next()) note(time)
  }
  for (let time = sampler.finish(untilNs); !Number.isNaN(time); time = sampler.finish(untilNs)) note(time)
  return out
}

describe('the grid', () => {
  const events = [at(0, 1), at(10, 2), at(11, 3), at(35, 4)]
  test('events at the grid time are in the sample', () => expect(sample([events], { everyNs: 10 })).toEqual(['0:1', '10:2', '20:3', '30:3']))
  test('the end is sampled when asked for', () => expect(sample([events], { everyNs: 10 }, 50)).toEqual(['0:1', '10:2', '20:3', '30:3', '40:4', '50:4']))
  test('from and to', () => expect(sample([events], { everyNs: 10, fromNs: 15, toNs: 30 })).toEqual(['20:3']))
  test('suspect is carried along', () => {
    expect(sample([[{ kind: 'other', timeNs: 0 }, { kind: 'ERROR', timeNs: 5 }, { kind: 'snapshot', timeNs: 12, rows: [[0, 1, 9]] }, { kind: 'ERROR', timeNs: 25 }, at(40, 1)]], { everyNs: 10 }))
      .toEqual(['0:0?', '10:0?', '20:9', '30:9?', '40:1?'])
  })
  test('a step back counts as the time before it', () => expect(sample([[at(0, 1), at(25, 2), at(8, 3), at(30, 4)]], { everyNs: 10 })).toEqual(['0:1', '10:1', '20:1', '30:4']))
  test.each([0, -1, 0.5, NaN])('every %s ns is refused', (everyNs) => expect(() => new BookSampler(new OrderBook(), { everyNs })).toThrow(/everyNs must be a positive integer/))
  test('does not depend on where batches end', () => {
    const times = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 9 })), { maxLength: 40 })
    fc.assert(fc.property(times, fc.array(fc.integer({ min: 0, max: 40 })), (rows, cuts) => {
      const all = [at(0, 1), ...rows.map(([time, quantity]) => at(time, quantity))]
      const ends = [...new Set([0, ...cuts.filter((cut) => cut < all.length), all.length])].sort((a, b) => a - b)
      const parts = ends.slice(1).map((end, i) => all.slice(ends[i], end))
      expect(sample(parts, { everyNs: 7 })).toEqual(sample([all], { everyNs: 7 }))
    }))
  })
})

test('the cursor stops after the last event of a time', () => {
  const cursor = new BookCursor(new OrderBook({ windowTicks: 32 }))
  expect(cursor.advanceTo(5)).toBe(false)
  cursor.offer(depthBatch([at(0, 1), at(5, 2), at(5, 3), at(6, 4)]))
  expect([cursor.advanceTo(5), cursor.book.bestBidQuantity, cursor.nextTimeNs]).toEqual([true, 3, 6])
  expect([cursor.advanceTo(6), cursor.isExhausted, cursor.nextTimeNs]).toEqual([false, true, NaN])
})

describe('a cursor', () => {
  const cursorOf = (): BookCursor => new BookCursor(new OrderBook({ windowTicks: 32 }))
  /** A batch whose memory is larger than what it holds: behind its events stand those of another one. */
  const roomy = (events: readonly DepthEvent[], count: number): EventBatch => ({ ...depthBatch(events), count })

  test('is exhausted before it has a batch', () => {
    const cursor = cursorOf()
    expect([cursor.isExhausted, cursor.nextTimeNs, cursor.timeNs, cursor.advanceTo(Infinity)]).toEqual([true, NaN, -Infinity, false])
  })

  test('reads no further than its batch goes, however much memory that has', () => {
    const cursor = cursorOf()
    cursor.offer(roomy([at(0, 1), at(5, 2), at(6, 3)], 2))
    expect([cursor.isExhausted, cursor.nextTimeNs, cursor.advanceTo(9), cursor.book.bestBidQuantity, cursor.timeNs, cursor.isExhausted, cursor.nextTimeNs]).toEqual([false, 0, false, 2, 5, true, NaN])
    expect(sample([[at(0, 1)]], { everyNs: 10 }, 20)).toEqual(['0:1', '10:1', '20:1'])
  })

  test('a sampler begins with the first event there is', () => {
    const sampler = new BookSampler(new OrderBook({ windowTicks: 32 }), { everyNs: 10 })
    sampler.offer(roomy([at(30, 7)], 0))
    expect(sampler.next()).toBe(NaN)
    sampler.offer(depthBatch([at(51, 1), at(62, 2)]))
    expect([sampler.next(), sampler.book.bestBidQuantity, sampler.next()]).toEqual([60, 1, NaN])
  })

  test('what steps back in time is as late as what was before it, and takes no time back', () => {
    const cursor = cursorOf()
    cursor.offer(depthBatch([at(0, 1), at(25, 2), at(8, 3), at(30, 4)]))
    cursor.advanceTo(7)
    expect([cursor.advanceTo(24), cursor.book.bestBidQuantity, cursor.nextTimeNs]).toEqual([true, 1, 25])
    expect([cursor.advanceTo(25), cursor.book.bestBidQuantity, cursor.timeNs, cursor.nextTimeNs]).toEqual([true, 3, 25, 30])
    const next = cursorOf()
    next.offer(depthBatch([at(0, 1), at(25, 2)]))
    next.advanceTo(25)
    next.offer(depthBatch([at(8, 3), at(30, 4)]))
    expect([next.nextTimeNs, next.advanceTo(20), next.book.bestBidQuantity, next.timeNs]).toEqual([25, true, 2, 25])
    expect([next.advanceTo(25), next.book.bestBidQuantity, next.nextTimeNs]).toEqual([true, 3, 30])
  })
})
