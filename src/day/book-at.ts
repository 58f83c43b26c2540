import { BookCursor } from '../book/book-cursor.js'
import { OrderBook } from '../book/order-book.js'
import type { EventBatch } from '../model/event-batch.js'
import { epochNsFromTime } from '../model/time.js'
import { timeInFile } from './time-input.js'
import { DayBook, type DayBookOptions } from './day-book.js'
import type { DataSpan } from './window-words.js'

/** A book at a time, and where the data of its file lie. */
export interface BookAt {
  readonly book: DayBook
  /** `last` is the first event behind the time; the last one of the file where there is none (`isWhole`). */
  readonly span: DataSpan
}

/**
 * Reads a file, margins included, up to a time: the book after every event up to and including it on the adapter clock.
 */
export async function readBookAt(
  day: { batches(): AsyncIterable<EventBatch> }, epochNs: bigint, options: DayBookOptions = {},
): Promise<BookAt> {
  const cursor = new BookCursor(new OrderBook())
  let first: bigint | null = null
  let epochDay = 0
  let isWhole = true
  for await (const batch of day.batches()) {
    if (batch.count === 0) continue
    epochDay = batch.epochDay
    first ??= epochNsFromTime(batch.adapterTimeNs[0] as number, epochDay)
    cursor.offer(batch)
    if (!cursor.advanceTo(timeInFile(epochNs, epochDay))) continue
    isWhole = false
    break
  }
  const reachedNs = isWhole ? cursor.timeNs : cursor.nextTimeNs
  const last = first === null ? null : epochNsFromTime(reachedNs, epochDay)
  return { book: new DayBook(cursor.book, epochNs, options), span: { first, last, isWhole } }
}
