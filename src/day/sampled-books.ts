import { OrderBook } from '../book/order-book.js'
import { BookSampler } from '../measures/book-sampler.js'
import { BacktapeError } from '../model/error.js'
import { indexAtTime } from '../model/event-batch-columns.js'
import { epochNsFromTime, NS_PER_DAY, NS_PER_MS } from '../model/time.js'
import { checkedMargins, fileRows, type Margins } from '../tickfile/days/margins.js'
import type { StitchInput } from '../tickfile/days/stitching.js'
import type { DayBookOptions } from './day-book.js'
import { timeInFile, windowOf, type TimeInput } from './time-input.js'

/** Options of a grid of books. */
export interface BookGridOptions extends DayBookOptions {
  /** Distance of two books in milliseconds; they stand on whole multiples of it since midnight. */
  readonly everyMs: number
  /** First time, inclusive; default the first multiple at or after the first event. */
  readonly from?: TimeInput
  /** End, exclusive; default the last event, inclusive, or the end of the day where the file goes on behind it. */
  readonly to?: TimeInput
  /** `trim` (default): times of the file's UTC day alone, from the book of 00:00. `keep`: the file as it stands. */
  readonly margins?: Margins
}

/** A file as far as its books need it: a `TickDay` is one. */
export interface SampledDay extends Omit<StitchInput, 'day' | 'close'> {
  readonly epochDay: number | null
}

/** Distance of two books in nanoseconds. Throws OPTION_INVALID. */
function everyNsOf(everyMs: number): number {
  const everyNs = Math.round(everyMs * NS_PER_MS)
  if (everyNs > 0 && everyNs <= NS_PER_DAY && everyNs / NS_PER_MS === everyMs) return everyNs
  const expected = 'a positive number of milliseconds, in whole nanoseconds and at most a day'
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot sample books: everyMs must be ${expected}, found ${String(everyMs)}`,
    { field: 'everyMs', expected },
  )
}

/**
 * The times of a grid in epoch nanoseconds, in one pass over a day; at each the book, which is live, stands as it did
 * then.
 */
export async function* sampledTimes(
  day: SampledDay, book: OrderBook, options: BookGridOptions,
): AsyncGenerator<bigint, void, undefined> {
  const everyNs = everyNsOf(options.everyMs)
  const { name, instrument, underlyings } = day
  const window = windowOf(options, day.epochDay)
  const rows = fileRows({
    name, instrument, underlyings, day: day.epochDay, batches: () => day.batches(), close: () => Promise.resolve(),
  }, checkedMargins(options.margins))
  const [leastNs, mostNs] = rows.margins === 'trim' ? [0, NS_PER_DAY] : [-Infinity, Infinity]
  let sampler: BookSampler | null = null
  let epochDay = 0
  for await (const batch of rows.batches()) {
    epochDay = batch.epochDay
    const toNs = Math.min(mostNs, window.to === null ? Infinity : timeInFile(window.to, epochDay))
    sampler ??= new BookSampler(book, {
      everyNs, toNs,
      ...(window.from === null ? {} : { fromNs: Math.max(leastNs, timeInFile(window.from, epochDay)) }),
    })
    sampler.offer(batch)
    for (let at = sampler.next(); !Number.isNaN(at); at = sampler.next()) yield epochNsFromTime(at, epochDay)
    if (indexAtTime(batch, toNs) < batch.count) return
  }
  if (sampler === null) return
  // A file that goes on behind its day has the book of the whole day.
  const untilNs = rows.report !== null && rows.report.leftOut.after > 0 ? NS_PER_DAY : undefined
  for (let at = sampler.finish(untilNs); !Number.isNaN(at); at = sampler.finish(untilNs))
    yield epochNsFromTime(at, epochDay)
}
