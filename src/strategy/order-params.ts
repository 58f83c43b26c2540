import type { Decimal } from '../model/decimal.js'
import type { Price, Quantity } from '../model/fixed-decimal.js'
import type { Context, OpenClose, OrderType, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'

/**
 * The fields of an order (spec 3, "OrderParams"). `side` and `quantity` are needed; the rest has the defaults of the
 * specification, but for `postOnly`: orders that take at once imply false where nothing was written (exchange rules
 * 4.2).
 */
export interface OrderParams {
  /** `BID` buys, `ASK` sells. */
  readonly side: Side
  /** Total quantity in the instrument's own unit: whole lots, above 0. */
  readonly quantity: Quantity
  /** Null (default) for MARKET and pegged orders. */
  readonly price?: Price | null
  /** Default LIMIT. */
  readonly type?: OrderType
  /** Default GOOD_TILL_CANCEL. */
  readonly timeInForce?: TimeInForce
  /**
   * Default true: rejected where it would match at once. MARKET, IMMEDIATE_OR_CANCEL and FILL_OR_KILL imply false; true
   * written with them is discarded.
   */
  readonly postOnly?: boolean
  /** Needed by trigger order types; null (default) for all others. */
  readonly triggerPrice?: Price | null
  /** Only for MARKET_PEGGED and PRIMARY_PEGGED. */
  readonly pegOffsetValue?: Price | null
  /** Visible quantity: below `quantity` an iceberg, zero fully hidden. */
  readonly displayQuantity?: Quantity | null
  /** Default zero; the bound is the larger of this and the instrument's minimum order. */
  readonly minQuantity?: Quantity | null
  /** Default false: closes the position completely; may delete other open orders. */
  readonly closeOnly?: boolean
  /** Limits the size so that the order can only reduce the position; never deletes other orders. */
  readonly reduceOnly?: boolean | null
  /** Default AUTO: behaviour with netted positions. */
  readonly openClose?: OpenClose | null
  /** Borrows the required quantity on margin. */
  readonly autoBorrow?: boolean | null
  /** Uses received funds to repay loans and interest. */
  readonly autoRepay?: boolean | null
  /**
   * From 0 to 1: a spot order that sells takes at most this share of the available base amount (20 available at 0.9
   * allow 18), less what own orders take that the wallet does not know of yet; its quantity is cut down to the lot, and
   * discarded below `minQuantity`. Throws out of range.
   *
   * Of a derivative the available risk is the largest quantity that an order of this side could have: what it would
   * close, and what the wallet's `availableAmount` can open at the order's price by the venue's initial margins (an
   * option by its premium, a prediction contract by its price), the strategy's open orders of the instrument counted.
   * Orders limited to the position have what they would close; of a `closeOnly` order the ratio is ignored, as its
   * venue closes all. Fees are not counted. Discarded as RISK_UNKNOWN where it is unknown.
   */
  readonly baseRiskRatio?: Decimal | string | null
  /**
   * The same for a spot order that buys, of the available counter amount at the order's price; throws where it is not
   * spot.
   */
  readonly counterRiskRatio?: Decimal | string | null
  /**
   * Default false: draws on the reserved pool of the adapter's rate limiter. Against an adapter without one the
   * strategy stops.
   */
  readonly useSpare?: boolean
  /** Arbitrary JSON that travels with the order. */
  readonly context?: Context | null
}

/** True for terms that can only take: they execute at once or not at all. */
export function takesAtOnce(type: OrderType, timeInForce: TimeInForce): boolean {
  return type === 'MARKET' || timeInForce === 'IMMEDIATE_OR_CANCEL' || timeInForce === 'FILL_OR_KILL'
}

/**
 * The `postOnly` that an order may have: false alone where literals contradict each other (`type: 'MARKET', postOnly:
 * true`), else what was written. Values of the wide types pass: what they hold is judged when the order is placed.
 */
export type ConsistentPostOnly<T extends OrderType, F extends TimeInForce, P extends boolean> = [P] extends [true]
  ? [T] extends ['MARKET']
    ? false
    : [F] extends ['IMMEDIATE_OR_CANCEL' | 'FILL_OR_KILL']
      ? false
      : P
  : P

/** The terms of an order that the compiler looks at: its type, time in force and `postOnly` as they were written. */
export interface WrittenTerms<T extends OrderType, F extends TimeInForce, P extends boolean> {
  /** Order type. */
  readonly type?: T
  /** Time in force. */
  readonly timeInForce?: F
  /** A value that type and time in force allow. */
  readonly postOnly?: ConsistentPostOnly<T, F, P>
}

/** Why an order was never sent. */
export const DISCARD_REASONS = {
  MIN_ORDER_SIZE: 'the quantity is below the larger of minQuantity and the smallest order of the instrument',
  POST_ONLY_TAKES:
    'postOnly is true, and MARKET, IMMEDIATE_OR_CANCEL and FILL_OR_KILL take: leave it out or set it to false',
  PRICE_MISSING: 'a LIMIT or STOP_LIMIT order needs a price',
  PRICE_OFF_TICK:
    'price, triggerPrice or pegOffsetValue is not a multiple of the tick size; round it with instrument.roundPrice',
  QUANTITY_OFF_LOT:
    'quantity or displayQuantity is not a multiple of the lot size; round it with instrument.roundQuantity',
  RESUMING: 'no order can be placed while a run resumes',
  RISK_FLATTENED: 'a RiskGuard has flattened everything and lets nothing pass before the next day, or its reset',
  RISK_LOSS: 'the loss of the day is at the limit of a RiskGuard, or it is not known',
  RISK_ORDER_RATE: 'the orders of the last second are at the limit of a RiskGuard',
  RISK_POSITION: 'the position, with all open orders of this side, could pass the limit of a RiskGuard',
  RISK_UNKNOWN:
    'the available risk is unknown: no declared balance or margin, no price, or a sale of options not held',
  SPARE_UNSUPPORTED: 'useSpare was set against an adapter without spare requests; the strategy stops',
  STOPPED: 'the strategy has been stopped',
  TRIGGER_PRICE_MISSING: 'a STOP_LIMIT order needs a triggerPrice',
  WARMING_UP: 'no order can be placed while market data of before the run are played',
} as const

/** One of {@link DISCARD_REASONS}. */
export type DiscardReason = keyof typeof DISCARD_REASONS
