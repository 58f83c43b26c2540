import type { EventBatch } from '../model/event-batch.js'
import type { OrderBook } from './order-book.js'

/**
 * Drives a book through batches up to a time: after `advanceTo(t)` the book holds every event whose clamped adapter
 * time (the running maximum of `adapterTimeNs`) is not later than t, and none after. Batches are offered one after the
 * other, in file order; nothing is allocated.
 */
export class BookCursor {
  /** Clamped adapter time of the last event applied, -Infinity before the first. */
  timeNs: number = -Infinity
  private batch: EventBatch | null = null
  private index = 0

  constructor(
    /** The book that batches are applied to; live. */
    readonly book: OrderBook,
  ) {}

  /** True where every event of the batch offered last has been applied. */
  get isExhausted(): boolean {
    return this.batch === null || this.index >= this.batch.count
  }

  /**
   * Takes the next batch; the one before must be exhausted. Times are those of the batch: nanoseconds since its
   * `epochDay`, which stays the same.
   */
  offer(batch: EventBatch): void {
    this.batch = batch
    this.index = 0
  }

  /**
   * Applies events up to `timeNs`, inclusive. True: the next event is later, the book stands as at that time. False:
   * the batch is exhausted, offer the next.
   */
  advanceTo(timeNs: number): boolean {
    const { batch } = this
    if (batch === null) return false
    const { adapterTimeNs, count } = batch
    let stop = this.index
    while (stop < count && (adapterTimeNs[stop] as number) <= timeNs && this.timeNs <= timeNs) {
      if ((adapterTimeNs[stop] as number) > this.timeNs) this.timeNs = adapterTimeNs[stop] as number
      stop++
    }
    this.book.applyRange(batch, this.index, stop)
    this.index = stop
    return stop < count
  }

  /** Clamped time of the next event of the batch, NaN where it is exhausted. */
  get nextTimeNs(): number {
    if (this.batch === null || this.isExhausted) return NaN
    return Math.max(this.timeNs, this.batch.adapterTimeNs[this.index] as number)
  }
}
