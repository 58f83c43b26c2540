import type { OrderType } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { TickGrid } from '../market/tick-grid.js'

/** The terms of a pegged order; the offset at the market's scale. */
export interface PegTerms {
  readonly type: OrderType
  readonly side: Side
  readonly offset: number
}

/**
 * The prices around a peg, at the market's scale; NaN where there are none. The recorded market never holds the
 * account's own orders.
 */
export interface PegTouch {
  readonly bestBidPrice: number
  readonly bestAskPrice: number
  /**
   * Best resting price of the account's own orders on the opposite side: own orders never meet (exchange rules 3.5).
   */
  readonly ownOppositePrice: number
}

/**
 * The price of a pegged order (exchange rules 7.2): the opposite (MARKET_PEGGED) or the own best (PRIMARY_PEGGED), plus
 * the offset for BID, less it for ASK, on a tick no nearer to the other side; one tick short of whatever it would
 * cross. NaN where its reference is missing, or the price would not be above 0.
 */
export function pegPrice({ type, side, offset }: PegTerms, touch: PegTouch, ticks: TickGrid): number {
  const isBid = side === 'BID'
  const reference = (type === 'MARKET_PEGGED') === isBid ? touch.bestAskPrice : touch.bestBidPrice
  if (Number.isNaN(reference)) return NaN
  const wanted = isBid ? ticks.down(reference + offset) : ticks.up(reference - offset)
  const opposite = nearest(side, isBid ? touch.bestAskPrice : touch.bestBidPrice, touch.ownOppositePrice)
  const crosses = isBid ? wanted >= opposite : wanted <= opposite
  const price = !crosses ? wanted : isBid ? ticks.down(opposite - 1) : ticks.up(opposite + 1)
  return price > 0 ? price : NaN
}

/** The first of two opposite prices that an order of a side would meet; NaN is none. */
function nearest(side: Side, one: number, other: number): number {
  if (Number.isNaN(one)) return other
  if (Number.isNaN(other)) return one
  return side === 'BID' ? Math.min(one, other) : Math.max(one, other)
}
