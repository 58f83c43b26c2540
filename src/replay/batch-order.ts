import type { EventBatch } from '../model/event-batch.js'
import type { SameStamp } from '../model/exchange-order.js'
import type { TimeCounts } from './time-counts.js'

/**
 * The items of one batch in exchange order among themselves, as `ExchangeTimes.queue` puts them into an empty queue:
 * made where the batch is read. Plain data. Times count from the midnight of `epochDay`; the least of several is
 * Infinity where there are none, the greatest -Infinity.
 */
export interface BatchOrder {
  readonly sameStamp: SameStamp
  readonly epochDay: number
  /** Columns of the items, as `ExchangeOrder` has them. */
  readonly timeNs: Float64Array
  readonly event: Uint32Array
  readonly row: Int32Array
  /** Times of the single items (`ExchangeOrder.nextSingleNs`), ascending. */
  readonly singleNs: Float64Array
  /** The flags of the lines: of a batch with others this is not the order. */
  readonly flags: Uint16Array
  readonly greatestNs: number
  /** Of the lines of the depth book; `lateDepthNs` is the least of those that come behind a greater one. */
  readonly leastDepthNs: number
  readonly greatestDepthNs: number
  readonly lateDepthNs: number
  /** Of these lines alone; none is moved up. */
  readonly counts: Readonly<TimeCounts>
}

const orders = new WeakMap<ArrayBufferLike, BatchOrder>()

/** Says what is known of the order of the batch that fills a block; null: nothing any more. */
export function orderBlock(block: ArrayBufferLike, order: BatchOrder | null): void {
  if (order === null) orders.delete(block)
  else orders.set(block, order)
}

/** The order of a batch by itself; null where it is not what its reader read, or there is none. */
export function batchOrderOf({ kind, flags, count }: EventBatch): BatchOrder | null {
  const order = orders.get(kind.buffer)
  if (order?.flags.length !== count) return null
  for (let i = 0; i < count; i++) if (flags[i] !== order.flags[i]) return null
  return order
}
