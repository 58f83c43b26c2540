import { Amount } from '../model/amount.js'
import type { BookView } from '../model/book-view.js'
import { Decimal, decimalFromScaled } from '../model/decimal.js'
import type { Side } from '../model/side.js'

/** Depth of one side near the mid: exact sums in the instrument's own quantity unit and in price times quantity. */
export interface Depth {
  /** Number of levels within the limit. */
  readonly levelCount: number
  /** Their total quantity, exact. */
  readonly quantity: Decimal
  /** Sum of price times quantity; multiplier and contract value are not in it. */
  readonly notional: Decimal
}

/** Best ask minus best bid in scaled price units: negative where the book is crossed, NaN where a side is empty. */
export function spread(book: BookView): number {
  return book.bestAskPrice - book.bestBidPrice
}

/** Best bid plus best ask, twice the mid, in scaled price units: an integer, so exact; NaN where a side is empty. */
export function twiceMid(book: BookView): number {
  return book.bestBidPrice + book.bestAskPrice
}

/**
 * The exact mid price, null where a side is empty.
 *
 * @example
 * ```ts
 * import {
 *   OrderBook, copyBookLevels, imbalance, microPrice, midPrice, spread, spreadPrice, twiceMid,
 * } from 'backtape/columns'
 * const book = new OrderBook()
 * book.restore({
 *   priceScale: 1, quantityScale: 0, suspect: false,
 *   bids: { prices: [999], quantities: [3] }, asks: { prices: [1001], quantities: [1] },
 * })
 * if (midPrice(book)?.toString() !== '100' || twiceMid(book) !== 2000) {
 *   throw new Error('half way between 99.9 and 100.1')
 * }
 * if (spreadPrice(book)?.toString() !== '0.2' || spread(book) !== 2) throw new Error('in price, and in scaled units')
 * if (microPrice(book)?.toString() !== '100.05' || imbalance(book) !== 0.5) {
 *   throw new Error('more bids push the price up')
 * }
 * if (copyBookLevels(book, 'BID', 5).count !== 1) throw new Error('one level')
 * ```
 */
export function midPrice(book: BookView): Decimal | null {
  const twice = twiceMid(book)
  return Number.isNaN(twice)
    ? null
    : scaled(BigInt(book.bestBidPrice) + BigInt(book.bestAskPrice), book.priceScale).div(2)
}

/**
 * The touch weighted by the opposite quantities, (bid * askQuantity + ask * bidQuantity) / (bidQuantity + askQuantity),
 * to 40 digits; null where a side is empty.
 */
export function microPrice(book: BookView): Decimal | null {
  const { bestBidPrice, bestAskPrice, priceScale } = book
  if (Number.isNaN(bestBidPrice + bestAskPrice)) return null
  const [bids, asks] = alike(topQuantity(book, 'BID', 1), topQuantity(book, 'ASK', 1))
  return scaled(BigInt(bestBidPrice) * asks + BigInt(bestAskPrice) * bids, priceScale).div(scaled(bids + asks, 0))
}

/**
 * (bids - asks) / (bids + asks) over the quantities of the best `levels` levels of each side: -1 to 1, NaN where both
 * are empty. A double, for statistics.
 */
export function imbalance(book: BookView, levels = 1): number {
  const [bids, asks] = alike(topQuantity(book, 'BID', levels), topQuantity(book, 'ASK', levels))
  return Number(bids - asks) / Number(bids + asks)
}

/**
 * Depth of a side from its best level to `basisPoints` (hundredths of a percent) from the mid, the limit included; null
 * where a side of the book is empty, since there is no mid then. Exact at the limit and in both sums.
 *
 * @example
 * ```ts
 * import { OrderBook, depthWithin } from 'backtape/columns'
 * const book = new OrderBook()
 * book.restore({
 *   priceScale: 0, quantityScale: 0, suspect: false,
 *   bids: { prices: [999, 900], quantities: [2, 9] }, asks: { prices: [1001], quantities: [1] },
 * })
 * if (depthWithin(book, 'BID', 10)?.notional.toString() !== '1998') {
 *   throw new Error('one level lies within 10 basis points of 1000')
 * }
 * ```
 */
export function depthWithin(book: BookView, side: Side, basisPoints: number): Depth | null {
  const mid = midPrice(book)
  if (mid === null) return null
  const reach = mid.abs().times(basisPoints).div(10_000)
  const limit = (side === 'BID' ? mid.minus(reach) : mid.plus(reach)).times(scaled(1n, -book.priceScale))
  const bound = (side === 'BID' ? limit.ceil() : limit.floor()).toNumber()
  const { prices, quantities, count } = levelsTo(book, side, bound)
  let quantity = Amount.ZERO
  let notional = Amount.ZERO
  for (let i = 0; i < count; i++) {
    const q = levelQuantity(book, side, prices[i] as number, quantities[i] as number)
    quantity = quantity.plus(q)
    notional = notional.plus(Amount.scaled(prices[i] as number, book.priceScale).times(q))
  }
  return { levelCount: count, quantity: quantity.toDecimal(), notional: notional.toDecimal() }
}

/** Levels of a side as columns of scaled integers, best first. */
export interface BookLevels {
  /** Scaled prices, best first. */
  readonly prices: Float64Array
  /** Scaled quantities, one for each price. */
  readonly quantities: Float64Array
  /** Number of levels in the columns. */
  readonly count: number
}

/** Copies of up to `limit` best levels of a side (all by default), best first, in columns of their own. */
export function copyBookLevels(book: BookView, side: Side, limit: number = Infinity): BookLevels {
  const wanted = Math.min(limit, side === 'BID' ? book.bidLevelCount : book.askLevelCount)
  const prices = new Float64Array(wanted)
  const quantities = new Float64Array(wanted)
  return { prices, quantities, count: book.copyLevels(side, wanted, prices, quantities) }
}

/** The levels from the best to a price, that price included: asks for more until one lies beyond. */
function levelsTo(book: BookView, side: Side, price: number): BookLevels {
  const sign = side === 'BID' ? -1 : 1
  for (let limit = 64; ; limit *= 4) {
    const levels = copyBookLevels(book, side, limit)
    let count = levels.count
    while (count > 0 && (levels.prices[count - 1] as number) * sign > price * sign) count--
    if (count < levels.count || levels.count < limit) return { ...levels, count }
  }
}

function topQuantity(book: BookView, side: Side, limit: number): Amount {
  const { prices, quantities, count } = copyBookLevels(book, side, limit)
  let sum = Amount.ZERO
  for (let i = 0; i < count; i++)
    sum = sum.plus(levelQuantity(book, side, prices[i] as number, quantities[i] as number))
  return sum
}

/** The exact quantity of a level. */
function levelQuantity(book: BookView, side: Side, price: number, quantity: number): Amount {
  const digits = book.wideQuantity?.(side, price)
  return digits === undefined ? Amount.scaled(quantity, book.quantityScale) : Amount.from(digits)
}

/** Two amounts as integers at one scale. */
function alike(a: Amount, b: Amount): readonly [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale)
  const at = ({ units, scale: own }: Amount): bigint => units * 10n ** BigInt(scale - own)
  return [at(a), at(b)]
}

function scaled(integer: bigint, scale: number): Decimal {
  return new Decimal(`${String(integer)}e${-scale}`)
}

/** The spread as an exact decimal, null where a side is empty. */
export function spreadPrice(book: BookView): Decimal | null {
  const distance = spread(book)
  return Number.isNaN(distance) ? null : decimalFromScaled(distance, book.priceScale)
}
