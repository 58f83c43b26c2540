import { OrderBook } from '../book/order-book.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { SIDE_CODES, type Side } from '../model/side.js'

/** Which source says what stands at the touch (exchange rules 2.2). */
export type ExchangeTop = 'fused' | 'depth'

/** Top of book as the newest top line says it: NaN price and 0 quantity for a side without a row. */
export interface TopState {
  bidPrice: number
  bidQuantity: number
  askPrice: number
  askQuantity: number
  /** Whether the top line is newer than the newest depth line. */
  isNewer: boolean
}

/**
 * What one side of time (exchange or local) shows of an instrument: the depth book, and the top of book where it is newer
 * (exchange rules 2.2). A newer top hides the depth levels that it has passed; it deletes nothing. A depth line is newer for both
 * sides, whether or not it names a level of each: it says what the whole book is at its time.
 */
export class FusedBook {
  readonly book: OrderBook = new OrderBook()
  readonly top: TopState = { bidPrice: NaN, bidQuantity: 0, askPrice: NaN, askQuantity: 0, isNewer: false }
  readonly #usesTop: boolean

  constructor(exchangeTop: ExchangeTop) {
    this.#usesTop = exchangeTop === 'fused'
  }

  /** Applies one whole line: kinds 0, 1, 5 and 6; every other kind is ignored. */
  apply(batch: EventBatch, index: number): void {
    const kind = batch.kind[index] as number
    if (kind === EVENT_KINDS.topOfBook) this.#applyTop(batch, index)
    else if (kind <= EVENT_KINDS.state) {
      this.book.apply(batch, index)
      if (kind < EVENT_KINDS.trades) this.top.isNewer = false
    }
  }

  get bestBidPrice(): number {
    return this.top.isNewer ? this.top.bidPrice : this.book.bestBidPrice
  }

  get bestAskPrice(): number {
    return this.top.isNewer ? this.top.askPrice : this.book.bestAskPrice
  }

  get bestBidQuantity(): number {
    return this.top.isNewer ? this.top.bidQuantity : this.book.bestBidQuantity
  }

  get bestAskQuantity(): number {
    return this.top.isNewer ? this.top.askQuantity : this.book.bestAskQuantity
  }

  /**
   * Quantity displayed at a price: 0 where nothing stands inside the shown range; NaN where the price is hidden by a newer
   * top or lies beyond the deepest shown level, which is not the same as empty (exchange rules 2.2, 2.3).
   */
  displayed(side: Side, price: number): number {
    const { top, book } = this
    const isBid = side === 'BID'
    if (top.isNewer) {
      const best = isBid ? top.bidPrice : top.askPrice
      if (Number.isNaN(best) || (isBid ? price > best : price < best)) return NaN
      if (price === best) return isBid ? top.bidQuantity : top.askQuantity
    }
    const quantity = book.quantityAt(side, price)
    if (quantity !== 0) return quantity
    const deepest = book.deepestPrice(side)
    return Number.isNaN(deepest) || (isBid ? price < deepest : price > deepest) ? NaN : 0
  }

  /** Copies up to `limit` shown levels of a side, best first, into the caller's columns (at least that long); returns how many. */
  copyShown(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    const { top, book } = this
    if (!top.isNewer) return book.copyLevels(side, limit, prices, quantities)
    const isBid = side === 'BID'
    const best = isBid ? top.bidPrice : top.askPrice
    if (Number.isNaN(best) || limit < 1) return 0
    let shownFrom = 0
    let count = book.copyLevels(side, limit, prices, quantities)
    while (shownFrom < count && (isBid ? (prices[shownFrom] as number) >= best : (prices[shownFrom] as number) <= best)) shownFrom++
    if (shownFrom > 1 && count === limit) {
      const wider = limit + shownFrom + 64
      const widePrices = new Float64Array(wider)
      const wideQuantities = new Float64Array(wider)
      const shown = this.copyShown(side, wider, widePrices, wideQuantities)
      count = Math.min(shown, limit)
      prices.set(widePrices.subarray(0, count))
      quantities.set(wideQuantities.subarray(0, count))
      return count
    }
    prices.copyWithin(1, shownFrom, count)
    quantities.copyWithin(1, shownFrom, count)
    prices[0] = best
    quantities[0] = isBid ? top.bidQuantity : top.askQuantity
    return Math.min(limit, 1 + count - shownFrom)
  }

  #applyTop(batch: EventBatch, index: number): void {
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
    top.isNewer = true
  }
}
