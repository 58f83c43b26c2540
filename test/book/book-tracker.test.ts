import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OrderBook } from '../../src/book/order-book.js'
import { bookTrackOf, TRACK_MARKS, trackBlock } from '../../src/model/book-track.js'
import { copyBatch, sliceBatch } from '../../src/model/event-batch-columns.js'
import { BookTracker } from '../../src/book/book-tracker.js'
import { readCachedDay } from '../../src/tickfile/cache/day-cache-reader.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const instrument = madeInstrument()
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-tracks-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function best({ bestBidPrice, bestBidQuantity, bestAskPrice, bestAskQuantity }: OrderBook): readonly number[] {
  return [bestBidPrice, bestBidQuantity, bestAskPrice, bestAskQuantity]
}

describe('the track of a book', () => {
  test('that was kept with a day says after each line what the book shows, and before each batch what its levels are', async () => {
    const source = await openSource(join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'))
    const open = async (): ReturnType<typeof readCachedDay> => readCachedDay(source, {}, { folder, limitBytes: 1e9 })
    for await (const batch of (await open()).reading.batches()) expect(bookTrackOf(batch)).toBeNull()
    const book = new OrderBook()
    let shown = [NaN, 0, NaN, 0]
    let changeCount = 0
    for await (const batch of (await open()).reading.batches()) {
      const track = bookTrackOf(batch)!
      const { bidCount, askCount, prices } = track.before
      const levels = book.state()
      expect([bidCount, askCount, ...prices]).toEqual([levels.bids.prices.length, levels.asks.prices.length, ...levels.bids.prices, ...levels.asks.prices])
      let at = 0
      for (let i = 0; i < batch.count; i++) {
        const marks = track.marks[i]!
        if ((marks & TRACK_MARKS.BID_CHANGED) !== 0) shown = [track.prices[at]!, track.quantities[at++]!, ...shown.slice(2)]
        if ((marks & TRACK_MARKS.ASK_CHANGED) !== 0) shown = [...shown.slice(0, 2), track.prices[at]!, track.quantities[at++]!]
        book.applyRange(batch, i, i + 1)
        if (!Object.is(best(book).join(), shown.join())) expect(shown).toEqual(best(book))
        const sides = new Set(batch.kind[i]! <= 1 ? batch.side.subarray(batch.rowStart[i], batch.rowStart[i + 1]) : [])
        if (sides.has(0) !== ((marks & TRACK_MARKS.BID_ROWS) !== 0) || sides.has(1) !== ((marks & TRACK_MARKS.ASK_ROWS) !== 0)) expect(marks).toBe([...sides])
      }
      expect(at).toBe(track.prices.length)
      const [from, to] = [batch.rowStart[0], batch.rowStart[batch.count]]
      const sizes = (numbers: Float64Array): number[] => [0, ...numbers.subarray(from, to)].map(Math.abs)
      expect(track.greatest).toEqual({ price: Math.max(...sizes(batch.price)), quantity: Math.max(...sizes(batch.quantity)) })
      changeCount += at
      // A part of a batch is another one.
      expect(bookTrackOf(sliceBatch(batch, 1, batch.count))).toBeNull()
      expect(bookTrackOf(copyBatch(batch))).toBeNull()
      trackBlock(batch.kind.buffer, batch.count, null)
      expect(bookTrackOf(batch)).toBeNull()
    }
    expect(changeCount).toBeGreaterThan(1000)
  })

  test.each<[string, MarketLine[], number[]]>([
    ['an empty side is NaN and 0', [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, { kind: 'update', timeNs: 1, rows: [[0, 99, 0]] }], [99, 5, 101, 5, NaN, 0]],
    ['levels behind the best are none of its business', [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, { kind: 'update', timeNs: 1, rows: [[0, 98, 7]] }], [99, 5, 101, 5]],
    ['a quantity is a change', [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5]] }, { kind: 'update', timeNs: 1, rows: [[0, 99, 4]] }], [99, 5, 99, 4]],
    ['top of book and trades are not', [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5]] }, { kind: 'top', timeNs: 1, rows: [[0, 100, 4]] }, { kind: 'trades', timeNs: 1, rows: [[0, 100, 4]] }], [99, 5]],
  ])('%s', (_name, lines, expected) => {
    const { prices, quantities } = new BookTracker().track(lineBatch(lines, { instrument }))!
    expect([...prices].flatMap((price, i) => [price, quantities[i]])).toEqual(expected)
  })

  test('the same integer at another scale is another price: both sides are told anew', () => {
    const tracker = new BookTracker()
    tracker.track(lineBatch([{ kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5]] }], { instrument }))
    const finer = tracker.track(lineBatch([{ kind: 'update', timeNs: 1, rows: [[0, 1000, 0], [0, 100, 5]] }], { instrument, priceScale: 1 }))!
    expect([...finer.prices, finer.before.priceScale, ...finer.before.prices]).toEqual([100, NaN, 0, 100])
  })

  test('a book that is very large has none, until it is small again; one that no book can hold has none any more', () => {
    const tracker = new BookTracker()
    const rows = (count: number): MarketLine[] => [{ kind: 'snapshot', timeNs: 0, rows: Array.from({ length: count }, (_, i) => [0, i + 1, 1] as const) }]
    expect(tracker.track(lineBatch(rows(32_768), { instrument }))).not.toBeNull()
    expect(tracker.track(lineBatch(rows(32_769), { instrument }))).not.toBeNull()
    expect(tracker.track(lineBatch(rows(3), { instrument }))).toBeNull()
    expect(tracker.track(lineBatch(rows(3), { instrument }))!.before.bidCount).toBe(3)
    expect(tracker.track(lineBatch(rows(262_145), { instrument }))).toBeNull()
    expect(tracker.track(lineBatch(rows(3), { instrument }))).toBeNull()
  })
})
