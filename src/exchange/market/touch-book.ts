import type { OrderBook, OrderBookState } from '../../book/order-book.js'
import { TrackedBook } from '../../book/tracked-book.js'
import { exactRescale } from '../../book/outer-levels.js'
import { TRACK_MARKS } from '../../model/book-track.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { factorBetween } from '../../model/scale-factor.js'
import { SIDE_CODES, type Side } from '../../model/side.js'
import { BacktapeError } from '../../model/error.js'

const { snapshot: SNAPSHOT, update: UPDATE, state: STATE, topOfBook: TOP, mark: MARK, index: INDEX } = EVENT_KINDS

/** Which source says what stands at the touch (exchange rules 2.2). */
export type ExchangeTop = 'fused' | 'depth'

/** Top of book as the newest top line says it: NaN price and 0 quantity for a side without a row. */
export interface TopState {
  bidPrice: number
  bidQuantity: number
  askPrice: number
  askQuantity: number
  /**
   * True where the top line is newer than the newest depth line that speaks of the side: any snapshot, an update with a
   * row of it.
   */
  isBidNewer: boolean
  isAskNewer: boolean
}

/** The scales of a batch. */
export type BatchScales = Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'>

/** A fused book as plain data; NaN is null. */
export interface TouchBookState {
  readonly book: OrderBookState
  readonly top: { readonly [K in keyof TopState]: TopState[K] | null }
}

/**
 * The touch of an instrument on one side of time (exchange or local): the depth book, and the top of book where it is
 * newer (exchange rules 2.2), judged per side. A newer top hides the depth levels that it has passed; it deletes
 * nothing.
 */
export class TouchBook {
  readonly depth: TrackedBook = new TrackedBook()
  readonly top: TopState = {
    bidPrice: NaN, bidQuantity: 0, askPrice: NaN, askQuantity: 0, isBidNewer: false, isAskNewer: false,
  }
  /** False where lines of top of book are none of the exchange's. */
  readonly usesTop: boolean

  constructor(exchangeTop: ExchangeTop) {
    this.usesTop = exchangeTop === 'fused'
  }

  /** The depth with all its levels: who reads many reads them here. */
  get book(): OrderBook {
    return this.depth.levels()
  }

  /**
   * Applies one whole line: kinds 0, 1, 5 and 6; every other kind is ignored. `pass` leaves out the rows of its levels:
   * everything but those is the same.
   */
  apply(batch: EventBatch, index: number, way: 'apply' | 'pass' = 'apply'): void {
    const kind = batch.kind[index] as number
    if (kind > EVENT_KINDS.topOfBook || kind === EVENT_KINDS.trades) return
    const { depth, top } = this
    // Before the depth takes it, which moves its own levels alone: a top that stays newer on one side goes along.
    if (batch.priceScale !== depth.priceScale || batch.quantityScale !== depth.quantityScale) this.rescale(batch)
    if (kind === EVENT_KINDS.topOfBook) return this.takeTop(batch, index)
    // By its name: one that is looked up by a text is no plain call.
    if (way === 'apply') depth.apply(batch, index)
    else depth.pass(batch, index)
    if (kind < EVENT_KINDS.trades && (top.isBidNewer || top.isAskNewer)) this.outdateTop(batch, index)
  }

  /**
   * Takes lines `from` to before `to` of a batch as long as they are plain: updates without a flag, tops, and kinds
   * that it ignores. Of all tops the last counts. Returns the first line that is not, a mark or an index among them.
   */
  takePlain(batch: EventBatch, from: number, to: number): number {
    const { depth, usesTop } = this
    if (batch.priceScale !== depth.priceScale || batch.quantityScale !== depth.quantityScale) return from
    const marks = depth.marksOf(batch)
    const { kind, flags } = batch
    let [topAt, updateAt, rowMarks] = [-1, -1, 0]
    let i = from
    for (; i < to && flags[i] === 0; i++) {
      const k = kind[i] as number
      if (k === TOP) {
        if (!usesTop) continue
        topAt = i
        rowMarks = 0
      } else if (k === UPDATE) {
        if (marks === null) {
          if (topAt >= 0) this.takeTop(batch, topAt)
          topAt = -1
          this.apply(batch, i)
          continue
        }
        updateAt = i
        rowMarks |= marks[i] as number
      } else if (k === SNAPSHOT || k === STATE || k === MARK || k === INDEX) break
    }
    if (updateAt >= 0) depth.passTo(updateAt)
    if (topAt >= 0) this.takeTop(batch, topAt)
    this.outdateMarked(rowMarks)
    return i
  }

  /** Takes a line of top of book that has the scales of the book. */
  takeTop(batch: EventBatch, index: number): void {
    if (!this.usesTop) return
    const { top } = this
    const { side, price, quantity, rowStart } = batch
    top.bidPrice = NaN
    top.askPrice = NaN
    top.bidQuantity = 0
    top.askQuantity = 0
    const end = rowStart[index + 1] as number
    for (let row = rowStart[index] as number; row < end; row++) {
      if ((quantity[row] as number) === 0) continue
      if (side[row] === SIDE_CODES.ASK) {
        top.askPrice = price[row] as number
        top.askQuantity = quantity[row] as number
      } else {
        top.bidPrice = price[row] as number
        top.bidQuantity = quantity[row] as number
      }
    }
    top.isBidNewer = true
    top.isAskNewer = true
  }

  /** Moves everything to other scales, exactly. */
  rescale(scales: BatchScales): void {
    const { depth, top } = this
    const price = exactRescale('price', depth.priceScale, scales.priceScale)
    const quantity = exactRescale('quantity', depth.quantityScale, scales.quantityScale)
    depth.rescale(scales)
    if (!Number.isNaN(top.bidPrice)) top.bidPrice = price(top.bidPrice)
    if (!Number.isNaN(top.askPrice)) top.askPrice = price(top.askPrice)
    top.bidQuantity = quantity(top.bidQuantity)
    top.askQuantity = quantity(top.askQuantity)
  }

  get bestBidPrice(): number {
    return this.top.isBidNewer ? this.top.bidPrice : this.depth.bestBidPrice
  }

  get bestAskPrice(): number {
    return this.top.isAskNewer ? this.top.askPrice : this.depth.bestAskPrice
  }

  get bestBidQuantity(): number {
    return this.top.isBidNewer ? this.top.bidQuantity : this.depth.bestBidQuantity
  }

  get bestAskQuantity(): number {
    return this.top.isAskNewer ? this.top.askQuantity : this.depth.bestAskQuantity
  }

  /** Twice the mid; NaN where a side is empty. */
  get twiceMid(): number {
    return this.bestBidPrice + this.bestAskPrice
  }

  /** True where a newer top says what stands at the best price of a side. */
  isTopNewer(side: Side): boolean {
    return side === 'BID' ? this.top.isBidNewer : this.top.isAskNewer
  }

  /** True where a newer top has passed a price, so that a depth level there is hidden (exchange rules 2.2). */
  isHidden(side: Side, price: number): boolean {
    const { top } = this
    if (side === 'BID') return top.isBidNewer && !(price <= top.bidPrice)
    return top.isAskNewer && !(price >= top.askPrice)
  }

  /** True where a newer top stands at a price and says what it displays. */
  isTopAt(side: Side, price: number): boolean {
    const { top } = this
    return side === 'BID' ? top.isBidNewer && price === top.bidPrice : top.isAskNewer && price === top.askPrice
  }

  /**
   * Quantity displayed at a price: 0 where nothing stands inside the shown range or a newer top has passed; NaN beyond
   * the deepest shown level, which is not the same as empty (exchange rules 2.3, 3.1).
   */
  displayed(side: Side, price: number): number {
    return this.isHidden(side, price) ? 0 : this.lastDisplayed(side, price)
  }

  /**
   * The quantity that a price displays, or displayed last where a newer top hides it: what the next change there is
   * compared with.
   */
  lastDisplayed(side: Side, price: number): number {
    const { top } = this
    if (this.isTopAt(side, price)) return side === 'BID' ? top.bidQuantity : top.askQuantity
    return this.lastDisplayedByDepth(side, price)
  }

  /** The same of the depth alone. */
  lastDisplayedByDepth(side: Side, price: number): number {
    const { depth } = this
    const quantity = depth.quantityAt(side, price)
    return quantity === 0 && depth.isBeyond(side, price) ? NaN : quantity
  }

  /**
   * Copies up to `limit` shown levels of a side, best first, into the caller's columns (at least that long); returns
   * how many. Levels worse than `worst` may be left out.
   */
  copyShown(
    side: Side, limit: number, prices: Float64Array, quantities: Float64Array, worst: number = deepest(side),
  ): number {
    const { top, depth } = this
    if (!this.isTopNewer(side)) return depth.copyLevels(side, limit, prices, quantities, worst)
    const isBid = side === 'BID'
    const best = isBid ? top.bidPrice : top.askPrice
    if (Number.isNaN(best) || limit < 1) return 0
    let shownFrom = 0
    // Where nothing behind the top is wanted, what it hides is not looked for.
    const isEnough = isBid ? worst >= best : worst <= best
    const count = isEnough ? 0 : depth.copyLevels(side, limit, prices, quantities, worst)
    while (shownFrom < count && (isBid ? (prices[shownFrom] as number) >= best : (prices[shownFrom] as number) <= best))
      shownFrom++
    if (shownFrom > 1 && count === limit)
      return this.#copyBeyondHidden(side, limit + shownFrom + 64, limit, prices, quantities)
    prices.copyWithin(1, shownFrom, count)
    quantities.copyWithin(1, shownFrom, count)
    prices[0] = best
    quantities[0] = isBid ? top.bidQuantity : top.askQuantity
    return Math.min(limit, 1 + count - shownFrom)
  }

  /**
   * Writes best bid price and quantity, best ask price and quantity (depth or top of book, what is newer), then both
   * scales; whether any of the four is another value.
   */
  copyTop(target: Float64Array): boolean {
    const { top, depth } = this
    if (target[4] !== depth.priceScale || target[5] !== depth.quantityScale) rescaleTop(target, depth)
    const bidPrice = top.isBidNewer ? top.bidPrice : depth.bestBidPrice
    const bidQuantity = top.isBidNewer ? top.bidQuantity : depth.bestBidQuantity
    const askPrice = top.isAskNewer ? top.askPrice : depth.bestAskPrice
    const askQuantity = top.isAskNewer ? top.askQuantity : depth.bestAskQuantity
    const isSame =
      same(bidPrice, target[0] as number) &&
      same(bidQuantity, target[1] as number) &&
      same(askPrice, target[2] as number) &&
      same(askQuantity, target[3] as number)
    if (isSame) return false
    target[0] = bidPrice
    target[1] = bidQuantity
    target[2] = askPrice
    target[3] = askQuantity
    return true
  }

  state(): TouchBookState {
    const { top } = this
    return {
      book: this.book.state(),
      top: {
        ...top, bidPrice: Number.isNaN(top.bidPrice) ? null : top.bidPrice,
        askPrice: Number.isNaN(top.askPrice) ? null : top.askPrice,
      },
    }
  }

  restore({ book, top }: TouchBookState): void {
    this.book.restore(book)
    Object.assign(this.top, top, { bidPrice: top.bidPrice ?? NaN, askPrice: top.askPrice ?? NaN })
  }

  // A top that hides many levels leaves too few in the caller's columns: read more of them.
  #copyBeyondHidden(side: Side, wider: number, limit: number, prices: Float64Array, quantities: Float64Array): number {
    const widePrices = new Float64Array(wider)
    const wideQuantities = new Float64Array(wider)
    const count = Math.min(this.copyShown(side, wider, widePrices, wideQuantities), limit)
    prices.set(widePrices.subarray(0, count))
    quantities.set(wideQuantities.subarray(0, count))
    return count
  }

  /** A line of depth makes the sides of the top old that it has rows of; a snapshot both. */
  outdateTop(batch: EventBatch, index: number): void {
    const { top } = this
    const { kind, side, rowStart } = batch
    if (kind[index] === SNAPSHOT) {
      top.isBidNewer = false
      top.isAskNewer = false
      return
    }
    const marks = this.depth.marksOf(batch)
    if (marks !== null) return this.outdateMarked(marks[index] as number)
    const end = rowStart[index + 1] as number
    // Sides mostly stand together: the last row saves the way through the first side.
    if (end > (rowStart[index] as number)) outdateSide(top, side[end - 1] as number)
    for (let row = rowStart[index] as number; row < end && (top.isBidNewer || top.isAskNewer); row++) {
      outdateSide(top, side[row] as number)
    }
  }

  /** The same by the marks of a line of depth ({@link TRACK_MARKS}), or of several. */
  outdateMarked(marks: number): void {
    if ((marks & TRACK_MARKS.BID_ROWS) !== 0) this.top.isBidNewer = false
    if ((marks & TRACK_MARKS.ASK_ROWS) !== 0) this.top.isAskNewer = false
  }
}

/** A price that no level of a side is worse than. */
function deepest(side: Side): number {
  return side === 'BID' ? -Infinity : Infinity
}

function same(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

/**
 * Brings best prices and quantities in the columns of {@link TouchBook.copyTop} to other scales, at which they are the
 * same values.
 */
function rescaleTop(
  target: Float64Array, { priceScale, quantityScale }: { readonly priceScale: number; readonly quantityScale: number },
): void {
  const price = factorBetween(target[4] as number, priceScale)
  const quantity = factorBetween(target[5] as number, quantityScale)
  target[0] = (target[0] as number) * price
  target[2] = (target[2] as number) * price
  target[1] = (target[1] as number) * quantity
  target[3] = (target[3] as number) * quantity
  target[4] = priceScale
  target[5] = quantityScale
}

function outdateSide(top: TopState, side: number): void {
  if (side === SIDE_CODES.ASK) top.isAskNewer = false
  else top.isBidNewer = false
}

/** The rules of a market that are assumptions of the pass. */
export interface MarketRules {
  /** `ignored`: a book is trusted whatever its chain and state say (hftbacktest's way). */
  readonly gaps: 'observed' | 'ignored'
  /**
   * `rows`: a snapshot empties the book and sets its rows; a level that it does not name is no change (hftbacktest's
   * way).
   */
  readonly snapshots: 'difference' | 'rows'
}

/** Exchange rules 2.3 and 6. */
export const MARKET_RULES: MarketRules = { gaps: 'observed', snapshots: 'difference' }

/** Refuses scales that are coarser than those of a market: they never shrink within a pass. */
export function checkGrowth(
  { instrument, priceScale, quantityScale }: BatchScales, marketPriceScale: number, marketQuantityScale: number,
): void {
  if (priceScale >= marketPriceScale && quantityScale >= marketQuantityScale) return
  const found = `${priceScale} and ${quantityScale}`
  throw new BacktapeError(
    'VALUE_INEXACT',
    `Cannot apply ${instrument.code} at scales ${found}: its market is at ${marketPriceScale} and ` +
      `${marketQuantityScale} already`,
    {
      field: 'priceScale', expected: 'scales that only grow', found,
    },
  )
}
