import { BacktapeError } from '../model/error.js'
import type { BookTrack, TrackLevels } from '../model/book-track.js'
import { TRACK_MARKS } from '../model/book-track.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import { OrderBook } from './order-book.js'

/** Changes of the best levels in one batch, in the memory of the tracker that found them: good until the next one. */
export type FoundChanges = Pick<BookTrack, 'marks' | 'prices' | 'quantities'>

/** The track of one batch. */
export interface FoundTrack extends FoundChanges {
  readonly before: TrackLevels
}

/** Books of more levels have no track: writing them down with each batch would cost more than it saves. */
const LEVEL_LIMIT = 32_768

/** Follows the depth lines of one reading from its first line on, and notes where the best levels change. */
export class BookTracker {
  readonly #book: OrderBook
  #isLost = false
  #marks = new Uint8Array(0)
  #prices = new Float64Array(0)
  #quantities = new Float64Array(0)
  #changeCount = 0
  // Best levels as noted last: bid price and quantity, ask price and quantity.
  readonly #best = Float64Array.of(NaN, 0, NaN, 0)

  /** `book`: the book before the first batch; whoever else moves it says so by {@link moved}. Default: an empty one. */
  constructor(book?: OrderBook) {
    this.#book = book ?? new OrderBook()
    if (book !== undefined) this.moved()
  }

  /**
   * The track of a batch through the book; null where it is very large, and from the first line on that no book can
   * hold (who plays is notified then).
   */
  track(batch: EventBatch): FoundTrack | null {
    const before = this.before()
    const changes = this.changes(batch)
    return before === null || changes === null ? null : { ...changes, before }
  }

  /** The levels of the book as it stands; null where they are very many. */
  before(): TrackLevels | null {
    const { bidLevelCount, askLevelCount } = this.#book
    return bidLevelCount + askLevelCount > LEVEL_LIMIT ? null : levelsOf(this.#book)
  }

  /** Somebody else has moved the book since: the next changes are noted as if none were known before. */
  moved(): void {
    this.#best.fill(-1)
  }

  /** Applies the depth lines of a batch; null from the first line on that no book can hold. */
  changes(batch: EventBatch): FoundChanges | null {
    if (this.#isLost) return null
    const { count } = batch
    this.#reserve(count)
    this.#changeCount = 0
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
    if (this.#isLost) return null
    const found = this.#changeCount
    return {
      marks: this.#marks.subarray(0, count), prices: this.#prices.subarray(0, found),
      quantities: this.#quantities.subarray(0, found),
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
  const first = rowStart[index] as number
  const end = rowStart[index + 1] as number
  // Sides mostly stand together: two rows say that there are both.
  if (end > first && side[first] !== side[end - 1]) return TRACK_MARKS.ASK_ROWS | TRACK_MARKS.BID_ROWS
  let marks = 0
  for (let row = first; row < end; row++)
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
