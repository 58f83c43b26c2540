import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { BookCursor } from '../book/book-cursor.js'
import type { OrderBook } from '../book/order-book.js'

/** The grid on which a book is sampled. Times are nanoseconds since the batches' `epochDay`. */
export interface BookSamplerOptions {
  /** Distance of two samples. */
  readonly everyNs: number
  /** First sample at or after this time that is a multiple of `everyNs`; default: the first event's time. */
  readonly fromNs?: number
  /** No sample at or after this time; default none. */
  readonly toNs?: number
}

/**
 * Stops a book at every multiple of `everyNs` (counted from 00:00 of `epochDay`): at grid time t the book holds all
 * events whose clamped adapter time is not later than t. A sample is due once an event later than it is known, the last
 * one by {@link BookSampler.finish}. The book's `suspect` stands as it was at that time; take it along. Pull: offer a
 * batch, then call `next` until it says NaN, reading the book in between.
 *
 * @example
 * ```ts
 * import { BookSampler, OrderBook } from 'backtape/columns'
 * const book = new OrderBook()
 * const sampler = new BookSampler(book, { everyNs: 1_000_000_000 })
 * if (!Number.isNaN(sampler.next())) throw new Error('nothing is due before a batch is offered')
 * ```
 */
export class BookSampler {
  private readonly cursor: BookCursor
  private readonly everyNs: number
  private readonly toNs: number
  private gridNs: number

  constructor(
    /** The book at the last sample; live. */
    readonly book: OrderBook,
    options: BookSamplerOptions,
  ) {
    const { everyNs, fromNs, toNs = Infinity } = options
    if (!Number.isSafeInteger(everyNs) || everyNs <= 0) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot sample a book: everyNs must be a positive integer, found ${everyNs}`,
        { field: 'everyNs', found: String(everyNs) },
      )
    }
    this.cursor = new BookCursor(book)
    this.everyNs = everyNs
    this.toNs = toNs
    this.gridNs = fromNs === undefined ? NaN : this.atOrAfter(fromNs)
  }

  /** Takes the next batch in file order, after `next` has said NaN. */
  offer(batch: EventBatch): void {
    this.cursor.offer(batch)
    if (Number.isNaN(this.gridNs) && batch.count > 0) this.gridNs = this.atOrAfter(batch.adapterTimeNs[0] as number)
  }

  /** The next grid time at which the book now stands, or NaN where more events are needed or the grid has ended. */
  next(): number {
    const at = this.gridNs
    if (!(at < this.toNs)) {
      this.cursor.advanceTo(Infinity)
      return NaN
    }
    if (!this.cursor.advanceTo(at)) return NaN
    this.gridNs = at + this.everyNs
    return at
  }

  /**
   * After the last batch: the grid times that are left up to `untilNs`, inclusive (default: the last event's time), one
   * a call, then NaN.
   */
  finish(untilNs: number = this.cursor.timeNs): number {
    const at = this.gridNs
    if (!(at < this.toNs && at <= untilNs)) return NaN
    this.gridNs = at + this.everyNs
    return at
  }

  private atOrAfter(timeNs: number): number {
    return Math.ceil(timeNs / this.everyNs) * this.everyNs
  }
}
