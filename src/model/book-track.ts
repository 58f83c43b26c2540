import type { EventBatch } from './event-batch.js'

/** Bits of {@link BookTrack.marks}. */
export const TRACK_MARKS = {
  /** The depth line moved or resized the best bid, or took it away: one entry of the columns of changes. */
  BID_CHANGED: 1,
  /** The same of the best ask; its entry comes after that of the bid. */
  ASK_CHANGED: 2,
  /** The depth line has rows of the side. */
  BID_ROWS: 4,
  ASK_ROWS: 8,
} as const

/** The greatest sizes of a price and of a quantity among some rows, integers at their scales. */
export interface GreatestNumbers {
  readonly price: number
  readonly quantity: number
}

/** The greatest number of a column of the rows of a batch, without its sign. */
export function greatestOf(batch: EventBatch, column: 'price' | 'quantity'): number {
  const numbers = batch[column]
  const to = batch.rowStart[batch.count] as number
  let greatest = 0
  for (let row = batch.rowStart[0] as number; row < to; row++) {
    const size = Math.abs(numbers[row] as number)
    if (size > greatest) greatest = size
  }
  return greatest
}

/** Levels of one book, best first: integers at scales of their own. */
export interface TrackLevels {
  readonly priceScale: number
  readonly quantityScale: number
  readonly bidCount: number
  readonly askCount: number
  /** Bids, then asks. */
  readonly prices: Float64Array
  readonly quantities: Float64Array
}

/**
 * The depth lines of one batch, put upon the book that all lines of its file before them have made: worked out once,
 * when a decoded day is kept, so that whoever replays it knows the best levels without applying a row. Plain data;
 * belongs to its batch.
 */
export interface BookTrack {
  /** The same object for all batches of one reading, and the place among them: what follows on what. */
  readonly chain: object
  readonly number: number
  /** Scales of the columns of changes: those of the batch in its file. */
  readonly priceScale: number
  readonly quantityScale: number
  /** Per event: bits of {@link TRACK_MARKS}, 0 for what is no depth line. */
  readonly marks: Uint8Array
  /** The new best price (NaN: the side is empty) and its quantity, one for each change, in order. */
  readonly prices: Float64Array
  readonly quantities: Float64Array
  /** The book before the first event. */
  readonly before: TrackLevels
  /** The greatest numbers of the rows of the batch in its file; absent where they are not known. */
  readonly greatest?: GreatestNumbers
}

interface TrackedBatch {
  readonly eventCount: number
  readonly track: BookTrack
}

const tracks = new WeakMap<ArrayBufferLike, TrackedBatch>()

/** Says what is known of the batch of `eventCount` events that fills a block; null: nothing any more. */
export function trackBlock(block: ArrayBufferLike, eventCount: number, track: BookTrack | null): void {
  if (track === null) tracks.delete(block)
  else tracks.set(block, { eventCount, track })
}

/** The track of a batch; null where it is a part or a copy of what its reader read, or there is none. */
export function bookTrackOf({ kind, count }: EventBatch): BookTrack | null {
  const found = tracks.get(kind.buffer)
  return found?.eventCount === count ? found.track : null
}
