import { OrderBook, type OrderBookState } from '../../book/order-book.js'
import { exactRescale } from '../../book/outer-levels.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { SIDE_CODES, type Side } from '../../model/side.js'
import type { TriggerReference } from '../profile/venue-profile.js'
import { BacktapeError } from '../../model/error.js'

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
  readonly book: OrderBook = new OrderBook()
  readonly top: TopState = {
    bidPrice: NaN, bidQuantity: 0, askPrice: NaN, askQuantity: 0, isBidNewer: false, isAskNewer: false,
  }
  readonly #usesTop: boolean

  constructor(exchangeTop: ExchangeTop) {
    this.#usesTop = exchangeTop === 'fused'
  }

  /**
   * Applies one whole line: kinds 0, 1, 5 and 6; every other kind is ignored. `pass` leaves out the rows of its levels:
   * everything but those is the same.
   */
  apply(batch: EventBatch, index: number, way: 'apply' | 'pass' = 'apply'): void {
    const kind = batch.kind[index] as number
    if (kind > EVENT_KINDS.topOfBook || kind === EVENT_KINDS.trades) return
    // Before the depth takes it, which moves its own levels alone: a top that stays newer on one side goes along.
    if (batch.priceScale !== this.book.priceScale || batch.quantityScale !== this.book.quantityScale)
      this.rescale(batch)
    if (kind === EVENT_KINDS.topOfBook) return this.takeTop(batch, index)
    // By its name: one that is looked up by a text is no plain call.
    if (way === 'apply') this.book.apply(batch, index)
    else this.book.pass(batch, index)
    if (kind < EVENT_KINDS.trades && (this.top.isBidNewer || this.top.isAskNewer)) this.#outdateTop(batch, index, kind)
  }

  /** Takes a line of top of book that has the scales of the book. */
  takeTop(batch: EventBatch, index: number): void {
    if (!this.#usesTop) return
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
    const { book, top } = this
    const price = exactRescale('price', book.priceScale, scales.priceScale)
    const quantity = exactRescale('quantity', book.quantityScale, scales.quantityScale)
    book.rescale(scales)
    if (!Number.isNaN(top.bidPrice)) top.bidPrice = price(top.bidPrice)
    if (!Number.isNaN(top.askPrice)) top.askPrice = price(top.askPrice)
    top.bidQuantity = quantity(top.bidQuantity)
    top.askQuantity = quantity(top.askQuantity)
  }

  get bestBidPrice(): number {
    return this.top.isBidNewer ? this.top.bidPrice : this.book.bestBidPrice
  }

  get bestAskPrice(): number {
    return this.top.isAskNewer ? this.top.askPrice : this.book.bestAskPrice
  }

  get bestBidQuantity(): number {
    return this.top.isBidNewer ? this.top.bidQuantity : this.book.bestBidQuantity
  }

  get bestAskQuantity(): number {
    return this.top.isAskNewer ? this.top.askQuantity : this.book.bestAskQuantity
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
    const { top, book } = this
    const isBid = side === 'BID'
    if (this.isTopAt(side, price)) return isBid ? top.bidQuantity : top.askQuantity
    const quantity = book.quantityAt(side, price)
    if (quantity !== 0) return quantity
    const deepest = book.deepestPrice(side)
    return Number.isNaN(deepest) || (isBid ? price < deepest : price > deepest) ? NaN : 0
  }

  /**
   * Copies up to `limit` shown levels of a side, best first, into the caller's columns (at least that long); returns
   * how many.
   */
  copyShown(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    const { top, book } = this
    if (!this.isTopNewer(side)) return book.copyLevels(side, limit, prices, quantities)
    const isBid = side === 'BID'
    const best = isBid ? top.bidPrice : top.askPrice
    if (Number.isNaN(best) || limit < 1) return 0
    let shownFrom = 0
    const count = book.copyLevels(side, limit, prices, quantities)
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

  #outdateTop(batch: EventBatch, index: number, kind: number): void {
    const { top } = this
    const { side, rowStart } = batch
    if (kind === EVENT_KINDS.snapshot) {
      top.isBidNewer = false
      top.isAskNewer = false
      return
    }
    const end = rowStart[index + 1] as number
    // Sides mostly stand together: the last row saves the way through the first side.
    if (end > (rowStart[index] as number)) outdateSide(top, side[end - 1] as number)
    for (let row = rowStart[index] as number; row < end && (top.isBidNewer || top.isAskNewer); row++) {
      outdateSide(top, side[row] as number)
    }
  }
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

/** A value with its scale; NaN where it is not known yet. */
export interface ReferencePrice {
  readonly value: number
  readonly scale: number
}

/** The prices of a market beside its book, as they were published last: integers at their own scales, NaN before. */
export class ReferencePrices {
  markPrice: number = NaN
  markScale = 0
  indexPrice: number = NaN
  indexScale = 0
  lastTradePrice: number = NaN
  lastTradeScale = 0

  /** A price by which stop orders trigger, as it stands; NaN before its first. */
  readonly of: (reference: TriggerReference) => ReferencePrice = (reference) => {
    if (reference === 'lastTrade') return { value: this.lastTradePrice, scale: this.lastTradeScale }
    return reference === 'mark'
      ? { value: this.markPrice, scale: this.markScale }
      : { value: this.indexPrice, scale: this.indexScale }
  }

  /** A mark price, the value of a line. */
  marked(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.markPrice = batch.values[at] as number
    this.markScale = batch.valueScale[at] as number
  }

  /** An index price, the value of a line. */
  indexed(batch: EventBatch, index: number): void {
    const at = batch.valueStart[index] as number
    this.indexPrice = batch.values[at] as number
    this.indexScale = batch.valueScale[at] as number
  }

  traded(batch: EventBatch, row: number): void {
    this.lastTradePrice = batch.price[row] as number
    this.lastTradeScale = batch.priceScale
  }
}
