import type { Side } from './side.js'

/**
 * Read access to an order book. Prices and quantities are scaled integers: value = integer * 10^-scale.
 * Index 0 of a side is its best level. A view is live: it changes with the book behind it.
 */
export interface BookView {
  /** Decimal places of prices. */
  readonly priceScale: number
  /** Decimal places of quantities. */
  readonly quantityScale: number
  /**
   * True after a chain gap or a state ERROR, and before the first snapshot, until the next snapshot (spec 4, section
   * 4).
   */
  readonly suspect: boolean
  /** Number of bid levels. */
  readonly bidLevelCount: number
  /** Number of ask levels. */
  readonly askLevelCount: number
  /** Best bid price, NaN where the side is empty. */
  readonly bestBidPrice: number
  /** Best ask price, NaN where the side is empty. */
  readonly bestAskPrice: number
  /** Quantity of the best bid, 0 where the side is empty. */
  readonly bestBidQuantity: number
  /** Quantity of the best ask, 0 where the side is empty. */
  readonly bestAskQuantity: number
  /** Quantity shown at a price, 0 where no level stands. */
  quantityAt(side: Side, price: number): number
  /** True where a level has a quantity beyond 2^53 - 1 at the scale. */
  readonly hasWide?: boolean
  /**
   * The digits of the quantity at a price where they are beyond 2^53 - 1 at the scale: the integer is only next to it
   * then. Undefined where the integer has them; books of a run have none other.
   */
  wideQuantity?(side: Side, price: number): string | undefined
  /**
   * Copies up to `limit` best levels of a side, best first, into the caller's columns and returns how many were written
   * (never more than the shorter column holds). Nothing is allocated.
   */
  copyLevels(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number
}
