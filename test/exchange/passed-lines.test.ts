import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TouchBook } from '../../src/exchange/market/touch-book.js'
import { ExchangeBook, type PlacedLevels } from '../../src/exchange/market/exchange-book.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { ExchangeOrderQueue } from '../../src/replay/exchange-order-queue.js'
import { ExchangeTimes } from '../../src/replay/exchange-times.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const instrument = madeInstrument()

/** Lines in exchange order, so many to a batch. */
function orderOf(lines: readonly MarketLine[], size: number): ExchangeOrderQueue {
  const order = new ExchangeOrderQueue()
  const times = new ExchangeTimes()
  for (let from = 0; from < lines.length; from += size) {
    const batch = lineBatch(lines.slice(from, from + size), { instrument })
    order.batches.push(batch)
    times.queue(batch, order.batches.length - 1, order, new Float64Array(batch.count))
  }
  return order
}

const batchAt = (order: ExchangeOrderQueue, at: number): EventBatch => order.batches[order.batchNumber[at]! - order.firstBatch]!

/** A book that every item up to a place was applied to in turn. */
function appliedTo(order: ExchangeOrderQueue, to: number): TouchBook {
  const book = new TouchBook('fused')
  for (let at = 0; at < to; at++) book.apply(batchAt(order, at), order.event[at]!)
  return book
}

const update = (timeNs: number, ...rows: MarketLine['rows'] & object): MarketLine => ({ kind: 'update', timeNs, rows })
const SNAPSHOT: MarketLine = { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }
const quiet = fc.tuple(marketLines(false), fc.integer({ min: 1, max: 7 })).map(([lines, size]) => orderOf(lines.filter(({ kind, timeNs }) => kind !== 'snapshot' || timeNs === 0), size))

describe('a stretch of lines that is passed at once', () => {
  test('leaves the top of book as its lines do in turn, and tells where the last update is', () => {
    fc.assert(fc.property(quiet, fc.array(fc.nat(40), { maxLength: 4 }), (order, cuts) => {
      const book = new ExchangeBook('fused', order, null)
      book.shown.apply(batchAt(order, 0), 0)
      const places = [1, ...cuts.map((cut) => Math.min(order.tail, 1 + cut)), order.tail].sort((a, b) => a - b)
      for (const [turn, to] of places.entries()) {
        const from = places[turn - 1] ?? 1
        const updates = Array.from({ length: to - from }, (_, more) => from + more).filter((at) => batchAt(order, at).kind[order.event[at]!] === 1)
        expect(book.passLines(from, to)).toBe(updates.at(-1) ?? -1)
        expect(book.shown.top).toEqual(appliedTo(order, to).top)
      }
    }))
  })
})

describe('a book whose lines were passed without their rows', () => {
  const TOP: MarketLine = { kind: 'top', timeNs: 4, rows: [[0, 98, 1], [1, 102, 1]] }
  const LINES = [SNAPSHOT, update(1, [0, 98, 4]), update(2, [1, 103, 2]), update(3, [0, 98, 6]), TOP, TOP, update(6, [1, 101, 0]), update(7, [0, 97, 1])]

  /** The first line is in the book, those after it were passed up to `passed`, and so many batches of two have been given back; the source has heard `heard` lines, or is not to be asked. */
  function passedTo(passed: number, givenBack: number, received: number | null, kindOfLast: Partial<MarketLine> = {}): ExchangeBook {
    const order = orderOf(LINES.map((line, at) => (at === passed ? { ...line, ...kindOfLast } : line)), 2)
    const levels = (): PlacedLevels => {
      if (received === null) throw new Error('asked for levels')
      return { state: appliedTo(orderOf(LINES, 2), received).book.state(), batchNumber: received >> 1, event: received & 1 }
    }
    const book = new ExchangeBook('fused', order, { instrument, nowNs: () => 77, levels, refine: () => true })
    book.shown.apply(batchAt(order, 0), 0)
    book.held(0, 0)
    for (let at = 1; at <= passed; at++) {
      book.shown.apply(batchAt(order, at), order.event[at]!, 'pass')
      if (LINES[at]!.kind !== 'top') book.passed(at >> 1, at & 1)
    }
    order.batches.splice(0, givenBack)
    order.firstBatch = givenBack
    return book
  }
  const shownAfter = (book: ExchangeBook): unknown => {
    book.catchUp()
    return book.shown.book.state()
  }
  const applied = (to: number): unknown => appliedTo(orderOf(LINES, 2), to).book.state()

  test.each([1, 2, 3, 5, 6, 7])('shows the levels of all lines up to number %i, and of none behind it, out of the batches in hand', (passed) => {
    const book = passedTo(passed, 0, null)
    expect([book.isBehind, book.isLost, shownAfter(book), book.isBehind]).toEqual([true, false, applied(passed + 1), false])
  })

  test.each([[1, 2], [1, 3], [1, 4], [2, 4], [3, 6], [3, 7]])('out of levels that were heard where %i batches have been given back and %i lines heard', (givenBack, received) => {
    const book = passedTo(6, givenBack, received)
    expect([book.isLost, shownAfter(book)]).toEqual([true, applied(7)])
  })

  test('levels that hold a depth line from beyond the last one passed are refused; tops and trades in between are none', () => {
    const refused = (passed: number, givenBack: number, received: number): boolean => {
      try {
        passedTo(passed, givenBack, received).catchUp()
        return false
      } catch (error) {
        return /which has not happened there yet/.test((error as Error).message)
      }
    }
    // Of the lines 4 and 5 both are tops.
    expect([[2, 1, 3], [2, 1, 4], [3, 1, 4], [3, 1, 6], [3, 1, 7], [6, 3, 7], [6, 3, 8]].map(([passed, givenBack, received]) => refused(passed!, givenBack!, received!))).toEqual([false, true, false, false, true, false, true])
  })

  test('a suspicion that a line raised in passing stays, and one that a snapshot took away stays away', () => {
    for (const last of [{ gap: true }, { kind: 'snapshot' }] as const) for (const [givenBack, received] of [[0, null], [1, 4]] as const) {
      const book = passedTo(6, givenBack, received, last)
      book.catchUp()
      expect(book.shown.book.suspect).toBe('gap' in last)
    }
  })

  test.each<[words: string, brought: (book: ExchangeBook) => void]>([
    ['brought in', (book) => { book.catchUp() }], ['applied at its turn', (book) => { book.held(1, 1) }],
  ])('what was %s is not brought in again', (_words, brought) => {
    const book = passedTo(3, 0, null)
    brought(book)
    const marked = [[0, 98, 1], [0, 90, 3]] as const
    book.shown.book.apply(lineBatch([update(3, ...marked)], { instrument }), 0)
    book.passed(3, 0)
    book.catchUp()
    // Line 6 alone: it takes the ask at 101 away.
    expect([book.shown.book.quantityAt('BID', 98), book.shown.book.quantityAt('BID', 90), book.shown.book.quantityAt('ASK', 101)]).toEqual([1, 3, 0])
  })

  test('a restored book has all its levels, and what passes after it comes out of what was heard', () => {
    const book = passedTo(3, 0, 7)
    book.shown.book.restore(appliedTo(orderOf(LINES, 2), 6).book.state())
    book.restored()
    expect([book.isBehind, book.isLost]).toEqual([false, true])
    book.passed(3, 0)
    expect([book.isBehind, shownAfter(book)]).toEqual([true, applied(7)])
  })

  test('lines may be passed up to a depth line that changes places with another, and where nobody has heard them not at all', () => {
    const [inOrder, swapped] = [orderOf(LINES, 2), orderOf([...LINES, update(2, [0, 97, 1])], 2)]
    const source = { instrument, nowNs: () => 77, levels: (): PlacedLevels => { throw new Error('asked for levels') }, refine: () => true }
    const bookOf = (order: ExchangeOrderQueue, from: typeof source | null) => new ExchangeBook('fused', order, from)
    expect([bookOf(inOrder, source), bookOf(swapped, source), bookOf(inOrder, null)].map(({ lagUntilNs }) => lagUntilNs)).toEqual([Infinity, 2, -Infinity])
    expect(bookOf(inOrder, source).sourceNs).toBe(77)
  })
})
