import { BookCursor } from '../book/book-cursor.js'
import { OrderBook } from '../book/order-book.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'
import { countsAgainstSilence, SILENCE_NS, silenceCountsOf, type SilenceCounts } from '../model/silence.js'
import { epochNsFromTime } from '../model/time.js'
import { timeInFile } from './time-input.js'
import { DayBook, type DayBookOptions } from './day-book.js'
import type { DataSpan } from './window-words.js'

/** A book at a time, and where the data of its file lie. */
export interface BookAt {
  readonly book: DayBook
  /** `last` is the first event behind the time; the last one of the file where there is none (`isWhole`). */
  readonly span: DataSpan
  /**
   * Set where the data are silent at the time, as exchange rules 6.4 have it by default: the last line that counts
   * before it, epoch nanoseconds.
   */
  readonly silentSince: bigint | null
}

/** The latest time of a counting line of a batch up to `timeNs`; -Infinity where there is none. */
function lastCountingNs({ kind, adapterTimeNs, count }: EventBatch, timeNs: number, counts: SilenceCounts): number {
  let last = -Infinity
  for (let i = 0; i < count && (adapterTimeNs[i] as number) <= timeNs; i++)
    if (countsAgainstSilence(kind[i] as number, counts)) last = Math.max(last, adapterTimeNs[i] as number)
  return last
}

/**
 * Reads a file, margins included, up to a time: the book after every event up to and including it on the adapter clock.
 */
export async function readBookAt(
  day: { batches(): AsyncIterable<EventBatch>; readonly instrument: Instrument }, epochNs: bigint,
  options: DayBookOptions = {},
): Promise<BookAt> {
  const cursor = new BookCursor(new OrderBook())
  let first: bigint | null = null
  let epochDay = 0
  let isWhole = true
  let lastLineNs = -Infinity
  const counts = silenceCountsOf(day.instrument.type)
  for await (const batch of day.batches()) {
    if (batch.count === 0) continue
    epochDay = batch.epochDay
    first ??= epochNsFromTime(batch.adapterTimeNs[0] as number, epochDay)
    cursor.offer(batch)
    const timeNs = timeInFile(epochNs, epochDay)
    lastLineNs = Math.max(lastLineNs, lastCountingNs(batch, timeNs, counts))
    if (!cursor.advanceTo(timeNs)) continue
    isWhole = false
    break
  }
  const reachedNs = isWhole ? cursor.timeNs : cursor.nextTimeNs
  const last = first === null ? null : epochNsFromTime(reachedNs, epochDay)
  const lastLine = lastLineNs === -Infinity ? null : epochNsFromTime(lastLineNs, epochDay)
  const isSilent = lastLine !== null && epochNs - lastLine > BigInt(SILENCE_NS[counts])
  return {
    book: new DayBook(cursor.book, epochNs, options), span: { first, last, isWhole },
    silentSince: isSilent ? lastLine : null,
  }
}
