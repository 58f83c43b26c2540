import { TRACK_MARKS, type BookTrack } from '../model/book-track.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { factorBetween } from '../model/scale-factor.js'
import { SIDE_CODES, type Side } from '../model/side.js'

const { snapshot: SNAPSHOT, update: UPDATE } = EVENT_KINDS
const { ASK } = SIDE_CODES

/** Most prices, one unit of the scale apart, that one look covers. */
export const WIDEST_LOOK = 64

/** Rows looked at for each row of the batch, from which on a book that has applied all of them is cheaper. */
const DEAR = 32

/**
 * Levels of a book as single lines leave it, found in the rows of the lines before and in the book before their batch:
 * of a price that somebody asks for now and then that costs less than to apply every row.
 */
export class LevelLookback {
  #batch: EventBatch | null = null
  #track: BookTrack | null = null
  #rowsLooked = 0
  #rowsMax = 0
  readonly #found = new Float64Array(WIDEST_LOOK)
  readonly #gone: Set<number> = new Set()

  /** True where so much was looked for in the batch that all its levels had cost less. */
  get isTooDear(): boolean {
    return this.#rowsLooked > this.#rowsMax
  }

  /** From now on levels are looked for in this batch. */
  enter(batch: EventBatch, track: BookTrack): void {
    this.#batch = batch
    this.#track = track
    this.#rowsLooked = 0
    this.#rowsMax = DEAR * ((batch.rowStart[batch.count] as number) + track.before.prices.length)
  }

  /**
   * Quantities of `count` prices from the lowest on, after the lines before `event`; 0 where no level stands. Belong to
   * this object until the next look.
   */
  quantities(side: Side, lowest: number, count: number, event: number): Float64Array {
    const found = this.#found
    const [batch, track] = [this.#batch, this.#track]
    if (batch === null || track === null) return found.fill(0)
    const { kind, rowStart, side: sides, price, quantity } = batch
    const { marks } = track
    const isAsk = side === 'ASK'
    const hasRows = isAsk ? TRACK_MARKS.ASK_ROWS : TRACK_MARKS.BID_ROWS
    found.fill(NaN, 0, count)
    let left = count
    let looked = 0
    let line = event - 1
    for (; line >= 0 && left > 0; line--) {
      const k = kind[line] as number
      if (k > UPDATE || (k === UPDATE && ((marks[line] as number) & hasRows) === 0)) continue
      const first = rowStart[line] as number
      const end = rowStart[line + 1] as number
      looked += end - first
      // From the last row on, as of equal prices that one counts.
      for (let row = end - 1; row >= first; row--) {
        const at = (price[row] as number) - lowest
        if (at < 0 || at >= count || (sides[row] === ASK) !== isAsk || !Number.isNaN(found[at])) continue
        found[at] = quantity[row] as number
        left--
      }
      if (k === SNAPSHOT) break
    }
    this.#rowsLooked += looked
    for (let at = 0; left > 0 && at < count; at++)
      if (Number.isNaN(found[at])) found[at] = line >= 0 ? 0 : this.#before(side, lowest + at)
    return found
  }

  /** True where a level worse than a price stands after the lines before `event`. */
  holdsWorse(side: Side, than: number, event: number): boolean {
    const [batch, track] = [this.#batch, this.#track]
    if (batch === null || track === null) return false
    const { kind, rowStart, side: sides, price, quantity } = batch
    const isAsk = side === 'ASK'
    const sign = isAsk ? -1 : 1
    const gone = this.#gone
    gone.clear()
    for (let line = event - 1; line >= 0; line--) {
      const k = kind[line] as number
      if (k > UPDATE) continue
      const first = rowStart[line] as number
      for (let row = (rowStart[line + 1] as number) - 1; row >= first; row--) {
        this.#rowsLooked++
        const at = price[row] as number
        if ((at - than) * sign >= 0 || (sides[row] === ASK) !== isAsk || gone.has(at)) continue
        if ((quantity[row] as number) !== 0) return true
        gone.add(at)
      }
      if (k === SNAPSHOT) return false
    }
    const { before } = track
    const factor = factorBetween(before.priceScale, batch.priceScale)
    const [first, end] = this.#places(side)
    for (let i = end - 1; i >= first; i--) {
      const at = (before.prices[i] as number) * factor
      if ((at - than) * sign >= 0) return false
      if (!gone.has(at)) return true
    }
    return false
  }

  /** The quantity at a price before the batch. */
  #before(side: Side, price: number): number {
    const [batch, track] = [this.#batch, this.#track]
    if (batch === null || track === null) return 0
    const { prices, quantities, priceScale, quantityScale } = track.before
    const factor = factorBetween(priceScale, batch.priceScale)
    const sign = side === 'BID' ? 1 : -1
    let [low, high] = this.#places(side)
    const end = high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (((prices[middle] as number) * factor - price) * sign > 0) low = middle + 1
      else high = middle
    }
    if (low === end || (prices[low] as number) * factor !== price) return 0
    return (quantities[low] as number) * factorBetween(quantityScale, batch.quantityScale)
  }

  /** Where the levels of a side stand among those before the batch: the first, and behind the last. */
  #places(side: Side): [first: number, end: number] {
    const { bidCount = 0, askCount = 0 } = this.#track?.before ?? {}
    return side === 'BID' ? [0, bidCount] : [bidCount, bidCount + askCount]
  }
}
