import type { Decimal } from '../model/decimal.js'
import type { Price, Quantity } from '../model/fixed-decimal.js'
import type { Context, OpenClose, OrderType, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'

/**
 * What an order is made of (spec 3, "OrderParams"). `side` and `quantity` are needed; the rest has the defaults of the specification,
 * `postOnly` true among them: an order that is to take needs `postOnly: false`.
 */
export interface OrderParams {
  readonly side: Side
  readonly quantity: Quantity
  /** Null (default) for MARKET and pegged orders. */
  readonly price?: Price | null
  /** Default LIMIT. */
  readonly type?: OrderType
  /** Default GOOD_TILL_CANCEL. */
  readonly timeInForce?: TimeInForce
  /** Default true: rejected where it would match at once. */
  readonly postOnly?: boolean
  readonly triggerPrice?: Price | null
  readonly pegOffsetValue?: Price | null
  /** Visible quantity: below `quantity` an iceberg, zero fully hidden. */
  readonly displayQuantity?: Quantity | null
  /** Default zero; the bound is the larger of this and the instrument's minimum order. */
  readonly minQuantity?: Quantity
  readonly closeOnly?: boolean
  readonly reduceOnly?: boolean | null
  /** Default AUTO. */
  readonly openClose?: OpenClose
  readonly autoBorrow?: boolean | null
  readonly autoRepay?: boolean | null
  /** From 0 to 1: the share of the available base risk that may be used. */
  readonly baseRiskRatio?: Decimal | string | null
  /** From 0 to 1; spot only. */
  readonly counterRiskRatio?: Decimal | string | null
  readonly useSpare?: boolean
  /** Arbitrary JSON that travels with the order. */
  readonly context?: Context
}

/** Why an order was never sent. */
export const DISCARD_REASONS = {
  MIN_ORDER_SIZE: 'the quantity is below the larger of minQuantity and the smallest order of the instrument',
  POST_ONLY_TAKES: 'MARKET, IMMEDIATE_OR_CANCEL and FILL_OR_KILL orders take: set postOnly to false',
  PRICE_MISSING: 'a LIMIT order needs a price',
  PRICE_OFF_TICK: 'the price is not a multiple of the tick size; round it with instrument.roundPrice',
  QUANTITY_OFF_LOT: 'the quantity is not a multiple of the lot size; round it with instrument.roundQuantity',
  RESUMING: 'no order can be placed while a run resumes',
} as const

/** One of {@link DISCARD_REASONS}. */
export type DiscardReason = keyof typeof DISCARD_REASONS
