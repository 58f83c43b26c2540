import type { EventBatch } from '../model/event-batch.js'

/** The times of live lines, nanoseconds of the run's clock. */
export interface LiveTimes {
  /** The run stays so far behind: within it lines are put in the order of their times. */
  readonly lagNs: number
  /** The feed has come to this time. */
  reachedNs(): number
}

/**
 * The inputs of a feed from outside: batches of one instrument in file order, trimmed and stitched; copied before they
 * are kept.
 */
export interface FeedInput {
  readonly instrumentId: number
  readonly batches: AsyncIterator<EventBatch>
  /** Makes a batch the feed's own, its times counted from the midnight of `epochDay`. */
  own(batch: EventBatch, epochDay: number): EventBatch
  /** The parts of such a batch, where lines that no file holds come between them; absent: it is one. */
  parts?(batch: EventBatch): readonly EventBatch[]
  /** The line that no file holds behind the last batch where it comes before a time; null for none. */
  end?(beforeNs: number): EventBatch | null
  /** Of live lines: the times that they come to. An empty batch says that it has moved. */
  readonly live?: LiveTimes
  /** Brings a batch in hand to wider scales, in place: scales never shrink in either order. */
  widen?(batch: EventBatch, scales: Pick<EventBatch, 'priceScale' | 'quantityScale'>): void
  /** Called when both sides have passed a batch of {@link own}: its memory may be used again. */
  recycle(batch: EventBatch): void
}
