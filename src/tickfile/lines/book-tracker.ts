import { OrderBook } from '../../book/order-book.js'
import { BacktapeError } from '../../model/error.js'
import type { TrackLevels } from '../../model/book-track.js'
import { TRACK_MARKS } from '../../model/book-track.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { SIDE_CODES, type Side } from '../../model/side.js'

/**
 * The track of one batch that {@link BookTracker.track} finds, in the tracker's own memory: good until the next one.
 */
export interface FoundTrack {
  readonly marks: Uint8Array
  readonly prices: Float64Array
  readonly quantities: Float64Array
  readonly before: TrackLevels
}

/** Books of more levels have no track: writing them down with each batch would cost more than it saves. */
const LEVEL_LIMIT = 32_768

/** Follows the depth lines of one reading from its first line on, and notes where the best levels change. */
export class BookTracker {
  readonly #book = new OrderBook()
  #isLost = false
  #marks = new Uint8Array(0)
  #prices = new Float64Array(0)
  #quantities = new Float64Array(0)
  #changeCount = 0
  // Best levels as noted last: bid price and quantity, ask price and quantity.
  readonly #best = Float64Array.of(NaN, 0, NaN, 0)

  /**
   * The track of a batch through the book; null where it is very large, and from the first line on that no book can
   * hold (who plays is notified then).
   */
  track(batch: EventBatch): FoundTrack | null {
    if (this.#isLost) return null
    const { count } = batch
    this.#reserve(count)
    this.#changeCount = 0
    const { bidLevelCount, askLevelCount } = this.#book
    const before = bidLevelCount + askLevelCount > LEVEL_LIMIT ? null : levelsOf(this.#book)
    try {
      for (let i = 0; i < count; i++) {
        const isDepth = (batch.kind[i] as number) <= EVENT_KINDS.update
        if (isDepth) this.#apply(batch, i)
        this.#marks[i] = isDepth ? rowMarks(batch, i) | this.#note() : 0
      }
      this.#isLost = this.#book.hasWide
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#isLost = true
      return null
    }
    if (before === null || this.#isLost) return null
    const changes = this.#changeCount
    return {
      marks: this.#marks.subarray(0, count), prices: this.#prices.subarray(0, changes),
      quantities: this.#quantities.subarray(0, changes), before,
    }
  }

  #apply(batch: EventBatch, index: number): void {
    // The same integer means another price then.
    if (batch.priceScale !== this.#book.priceScale || batch.quantityScale !== this.#book.quantityScale)
      this.#best.fill(-1)
    this.#book.apply(batch, index)
  }

  #note(): number {
    const { bestBidPrice, bestBidQuantity, bestAskPrice, bestAskQuantity } = this.#book
    const isBid = this.#noteSide(0, bestBidPrice, bestBidQuantity)
    const isAsk = this.#noteSide(2, bestAskPrice, bestAskQuantity)
    return (isBid ? TRACK_MARKS.BID_CHANGED : 0) | (isAsk ? TRACK_MARKS.ASK_CHANGED : 0)
  }

  #noteSide(at: number, price: number, quantity: number): boolean {
    const best = this.#best
    if (best[at + 1] === quantity && Object.is(best[at], price)) return false
    best[at] = price
    best[at + 1] = quantity
    this.#prices[this.#changeCount] = price
    this.#quantities[this.#changeCount++] = quantity
    return true
  }

  /** Of each event both best levels may change. */
  #reserve(eventCount: number): void {
    if (this.#marks.length >= eventCount) return
    this.#marks = new Uint8Array(eventCount)
    this.#prices = new Float64Array(eventCount * 2)
    this.#quantities = new Float64Array(eventCount * 2)
  }
}

function rowMarks({ side, rowStart }: EventBatch, index: number): number {
  const end = rowStart[index + 1] as number
  let marks = 0
  for (let row = rowStart[index] as number; row < end; row++)
    marks |= side[row] === SIDE_CODES.ASK ? TRACK_MARKS.ASK_ROWS : TRACK_MARKS.BID_ROWS
  return marks
}

function levelsOf(book: OrderBook): TrackLevels {
  const { priceScale, quantityScale, bidLevelCount: bidCount, askLevelCount: askCount } = book
  const prices = new Float64Array(bidCount + askCount)
  const quantities = new Float64Array(bidCount + askCount)
  const copy = (side: Side, from: number, count: number): number =>
    book.copyLevels(side, count, prices.subarray(from), quantities.subarray(from))
  copy('BID', 0, bidCount)
  copy('ASK', bidCount, askCount)
  return { priceScale, quantityScale, bidCount, askCount, prices, quantities }
}
