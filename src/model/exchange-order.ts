import type { EventBatch } from './event-batch.js'

/**
 * The order of items of one exchange stamp (exchange rules 1.1): rows of trade lines first, or all as their file has
 * them.
 */
export type SameStamp = 'trades' | 'file'

/**
 * The events of one instrument in exchange-time order (exchange rules 1.1, 1.4): a queue of items in columns. An item
 * is a whole line, or one row of a trades or liquidations line. Items `head .. tail` are waiting, in order; the
 * producer appends and compacts, the consumer moves `head`. Indices are valid until the consumer returns.
 */
export interface ExchangeOrder {
  head: number
  tail: number
  /** Exchange-side time of the item, nanoseconds since the run's first midnight. */
  timeNs: Float64Array
  /** Which held batch the item lies in: an index into `batches` after subtracting `firstBatch`. */
  batchNumber: Uint32Array
  /** Event in that batch. */
  event: Uint32Array
  /** Row of a trades event; below 0 for all else. */
  row: Int32Array
  /** Batches in hand, in file order; `batches[n - firstBatch]` is batch number n. */
  readonly batches: EventBatch[]
  firstBatch: number
  /**
   * Before this time lines of the depth book (msgTypes 0 and 1) have the order of their file among themselves; Infinity
   * while all in hand have.
   */
  readonly depthInOrderUntilNs: number
  /** First waiting item later than a time; `tail` where there is none. */
  firstAfter(timeNs: number): number
  /**
   * Time of the next waiting item that is more than the last of its kind: no update without a gap, top of book, trade
   * or liquidation; Infinity where none waits; the time of the head also where one of that time has been taken. Where
   * no world has open interest all items before it are passed at once.
   */
  nextSingleNs(): number
}
