import type { Context, OpenClose, OrderState, OrderType, Owner, TimeInForce, EntryError } from '../../model/order.js'
import type { Id } from '../../model/id.js'
import type { Side } from '../../model/side.js'
import type { TriggerReference } from '../profile/venue-profile.js'

/** The loan of an order. */
export interface OrderLoan {
  readonly underlyingId: number
  readonly amount: string
}

/**
 * An order as the exchange side holds it: plain data. Prices and quantities are integers at the market's scales (which
 * only grow); the account turns them into the instrument's own scales where messages are made.
 */
export interface ExchangeOrderRecord {
  readonly accountId: string
  readonly clientId: string
  readonly ownOrderId: Id
  clientOrderId: Id
  readonly exchangeOrderId: Id
  readonly instrumentId: number
  readonly type: OrderType
  readonly side: Side
  readonly timeInForce: TimeInForce
  price: number | null
  totalQuantity: number
  executedQuantity: number
  readonly postOnly: boolean
  state: OrderState
  /** Public quantity at its price that is served before it; NaN while unknown (exchange rules 3.1). */
  quantityAhead: number
  /** `quantityAhead` when it came to rest; NaN where it never did, or unknown. */
  entryQuantityAhead: number
  /**
   * The quantity that public trades took at its price since the level last changed: part of the next change (exchange
   * rules 3.3).
   */
  tradedSince: number
  /** True where a time with an unknown book touched it (exchange rules 6.1). */
  touchedByGap: boolean
  /** Exchange time of its last report, which a state of the account repeats; NaN before the first. */
  reportedNs: number
  /**
   * Came to rest in a silence: it joins what is displayed when that ends with an unbroken chain (exchange rules 6.4).
   */
  joinedInSilence?: boolean
  context?: Context
  readonly owner?: Owner
  readonly openClose?: OpenClose
  readonly walletType?: string
  readonly closeOnly?: boolean
  readonly reduceOnly?: boolean
  readonly autoBorrow?: boolean
  readonly autoRepay?: boolean
  /** The amount borrowed for it, a decimal text. */
  loan?: OrderLoan
  /** The greatest quantity to show: below the total an iceberg, 0 hidden (exchange rules 7.3). */
  displayQuantity?: number
  /** Open part that queues as shown, of an order with `displayQuantity` that rests. */
  shownQuantity?: number | undefined
  /** Stop orders: what triggers them, by which reference, and whether it has. */
  triggerPrice?: number
  readonly triggerReference?: TriggerReference
  triggered?: boolean
  /**
   * A stop order that has not entered yet: not triggered, or triggered at this instant, or kept by gap policy `freeze`.
   */
  isDormant?: boolean
  /** Pegged orders: towards the other side (exchange rules 7.2). */
  pegOffsetValue?: number
}

/** The open quantity of an order. */
export function remainingQuantity(order: ExchangeOrderRecord): number {
  return order.totalQuantity - order.executedQuantity
}

/** Moves an order to finer scales. */
export function rescaleOrder(order: ExchangeOrderRecord, priceFactor: number, quantityFactor: number): void {
  if (order.price !== null) order.price *= priceFactor
  if (order.triggerPrice !== undefined) order.triggerPrice *= priceFactor
  if (order.pegOffsetValue !== undefined) order.pegOffsetValue *= priceFactor
  if (order.displayQuantity !== undefined) order.displayQuantity *= quantityFactor
  if (order.shownQuantity !== undefined) order.shownQuantity *= quantityFactor
  order.totalQuantity *= quantityFactor
  order.executedQuantity *= quantityFactor
  order.quantityAhead *= quantityFactor
  order.entryQuantityAhead *= quantityFactor
  order.tradedSince *= quantityFactor
}

/**
 * Why an execution happened: a public trade, an opposite level shown, our own aggression, the end of a gap; `forced` by
 * the exchange (liquidation).
 */
export type ExecutionCause = 'trade' | 'shown' | 'aggression' | 'gap' | 'forced'

/** Receives every execution, in order. The order's executed quantity includes it already. */
export interface ExecutionSink {
  execute(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
}

/** An error of the exchange. */
export function exchangeError(type: string, message: string): EntryError {
  return { type, message, source: 'EXCHANGE' }
}
