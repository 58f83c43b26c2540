import type { Id } from '../model/id.js'
import { brand } from '../model/brand.js'
import { showAs } from '../model/display.js'
import { shownFacts, type Shown } from '../model/display-table.js'
import { Price, Quantity } from '../model/fixed-decimal.js'
import type { Context, EntryError, OpenClose, OrderReport, OrderState, OrderType, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { Writable } from '../model/writable.js'
import { shownFill, type OrderFill, type ReceivedFill } from './order-fill.js'
import { statedError, type OrderError } from './order-error.js'
import type { DiscardReason } from './order-params.js'

/** New terms for an order; what is left out stays. */
export interface OrderChange {
  /** The new price. */
  readonly price?: Price
  /** The whole quantity, what was executed included; of a replacement, all that the new order is for. */
  readonly quantity?: Quantity
  /** Of a stop order that has not been triggered. */
  readonly triggerPrice?: Price
  /** Of a pegged order; only `amend` changes it, a replacement keeps it. */
  readonly pegOffsetValue?: Price
  /** The new context of the order. */
  readonly context?: Context
}

/** The actions of an order, done by the runtime that it belongs to. */
export interface OrderActions {
  /** The day of whose midnight the times of messages are nanoseconds. */
  readonly epochDay: number
  cancel(order: Order): void
  amend(order: Order, change: OrderChange): void
  replace(order: Order, change: OrderChange): Order
}

/** The first terms of an order. */
export interface OrderTerms {
  readonly ownOrderId: Id
  readonly clientOrderId: Id
  readonly instrumentId: number
  readonly type: OrderType
  readonly side: Side
  readonly timeInForce: TimeInForce
  readonly price: Price | null
  readonly quantity: Quantity
  readonly postOnly: boolean
  readonly context?: Context
  /** The conditions of the few orders that have any; else left out. */
  readonly conditions?: OrderConditions
}

/** The terms of few orders beyond side, price and quantity (spec 3, "OrderParams"). */
export interface OrderConditions {
  /** Stop orders: null for all others. */
  readonly triggerPrice: Price | null
  /** True where a stop order was triggered, as far as the strategy knows. */
  readonly triggered: boolean
  /** Pegged orders: null for all others. */
  readonly pegOffsetValue: Price | null
  /** Null where the order shows all of itself. */
  readonly displayQuantity: Quantity | null
  /** True for an order that closes the position completely. */
  readonly closeOnly: boolean
  /** True for an order that can only reduce the position. */
  readonly reduceOnly: boolean
  /** Behaviour with netted or isolated positions. */
  readonly openClose: OpenClose
}

/** Conditions of an order that has none. */
export const NO_CONDITIONS: OrderConditions = {
  triggerPrice: null, triggered: false, pegOffsetValue: null, displayQuantity: null, closeOnly: false,
  reduceOnly: false, openClose: 'AUTO',
}

/** The runtime's own record of an order. */
export interface OrderRecord {
  readonly ownOrderId: Id
  /** Id of the terms in force. */
  clientOrderId: Id
  /** Null before it is known. */
  exchangeOrderId: Id | null
  readonly actions: OrderActions
  /** The latest fill, or null before the first. */
  lastFill: ReceivedFill | null
  /** The last error, and what a strategy sees of it: null until somebody looks. */
  lastError: EntryError | null
  shownError: OrderError | null
}

/** The record that an order was made with. (A WeakMap of orders is slow to fill and slow to collect.) */
export let recordOf: (order: Order) => OrderRecord

/**
 * An order as its strategy knows it: as fresh as the last message that has arrived, never fresher. Its runtime owns it;
 * a strategy reads it and asks for changes.
 *
 * @example
 * ```ts
 * import { Strategy, type Order, type OrderError } from 'backtape'
 * class Reporter extends Strategy {
 *   override onOrderFill(order: Order): void {
 *     const fill = order.getLastFill()
 *     this.log(`${order.side} ${fill?.quantity} at ${fill?.price}`)
 *   }
 *   override onOrderError(order: Order, error: OrderError): void {
 *     this.log(`${order.ownOrderId}: ${error.type}`)
 *   }
 * }
 * console.log(Reporter.name)
 * ```
 */
export class Order {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** Order type, such as `LIMIT`. */
  readonly type: OrderType
  /** `BID` buys, `ASK` sells. */
  readonly side: Side
  /** Time in force, such as `GOOD_TILL_CANCEL`. */
  readonly timeInForce: TimeInForce
  /** True for an order that must not match at once. */
  readonly postOnly: boolean
  /** PENDING_NEW until the adapter answers; DISCARDED and REJECTED are over. */
  readonly state: OrderState = 'PENDING_NEW'
  /** Price in force; null for orders without a price, such as MARKET. */
  readonly price: Price | null
  /** Total quantity in force, executed and open. */
  readonly totalQuantity: Quantity
  /** Executed quantity so far. */
  readonly executedQuantity: Quantity = Quantity.ZERO
  /** The strategy's own JSON beside the order; undefined where there is none. */
  readonly context: Context | undefined
  /** Trigger, peg, shown part, closing; the same empty one for most orders. */
  readonly conditions: OrderConditions
  /** Why it was never sent; null where it was. */
  readonly discardReason: DiscardReason | null = null
  readonly #record: OrderRecord

  static {
    recordOf = (order): OrderRecord => order.#record
  }

  constructor(terms: OrderTerms, record: OrderRecord) {
    this.instrumentId = terms.instrumentId
    this.type = terms.type
    this.side = terms.side
    this.timeInForce = terms.timeInForce
    this.postOnly = terms.postOnly
    this.price = terms.price
    this.totalQuantity = terms.quantity
    this.context = terms.context
    this.conditions = terms.conditions ?? NO_CONDITIONS
    this.#record = record
  }

  /** Id from the strategy's runtime, the same over amendments. */
  get ownOrderId(): string {
    return this.#record.ownOrderId.toString()
  }

  /** Id of the terms in force; an amendment brings a new one. */
  get clientOrderId(): string {
    return this.#record.clientOrderId.toString()
  }

  /** Id from the exchange; null before it is known. */
  get exchangeOrderId(): string | null {
    return this.#record.exchangeOrderId?.toString() ?? null
  }

  /** True for an order that was never sent: see `discardReason`. */
  get isDiscarded(): boolean {
    return this.state === 'DISCARDED'
  }

  /** True where it may still execute, as far as the strategy knows. */
  get isOpen(): boolean {
    return this.state === 'PENDING_NEW' || this.state === 'CONFIRMED' || this.state === 'PENDING_AMEND'
  }

  /** The last error that the adapter or the exchange answered, or with which the exchange ended the order. */
  get lastError(): OrderError | null {
    const { lastError, actions } = this.#record
    return lastError === null ? null : (this.#record.shownError ??= statedError(lastError, actions.epochDay))
  }

  /** The latest fill, or null before the first. */
  getLastFill(): OrderFill | null {
    const { lastFill, actions } = this.#record
    return lastFill === null ? null : shownFill(lastFill, actions.epochDay)
  }

  /** Asks for the end of the order; `onOrderUpdate` or `onOrderError` answers. */
  cancel(): void {
    this.#record.actions.cancel(this)
  }

  /** Asks for new terms, atomically; `onOrderUpdate` or `onOrderError` answers. */
  amend(change: OrderChange): void {
    this.#record.actions.amend(this, change)
  }

  /**
   * Cancels and places anew; not atomic: this order may end cancelled with the new one rejected. Without a quantity the
   * new order is for what is left of this one.
   */
  replace(change: OrderChange): Order {
    return this.#record.actions.replace(this, change)
  }

  /** Its ids and fields, for JSON. */
  toJSON(): object {
    const { ownOrderId, clientOrderId, exchangeOrderId, lastError } = this
    return Object.assign({ ownOrderId, clientOrderId, exchangeOrderId }, this, { lastError })
  }
}

brand(Order, 'Order')

/** The fields of an order, which a checkpoint holds. */
export type OrderFields = Omit<
  Order,
  | 'ownOrderId' | 'clientOrderId' | 'exchangeOrderId' | 'lastError' | 'isDiscarded' | 'isOpen' | 'getLastFill'
  | 'cancel' | 'amend' | 'replace' | 'toJSON'
>

/** Moves an order to a state that no order update has stated. */
export function takeState(order: Order, state: OrderState): void {
  (order as Writable<Order>).state = state
}

/** Takes over the last error. */
export function takeError(order: Order, error: EntryError): void {
  const record = recordOf(order)
  record.lastError = error
  record.shownError = null
}

/** Ends an order that is never sent. */
export function discard(order: Order, reason: DiscardReason): void {
  const owned: Writable<Order> = order
  owned.state = 'DISCARDED'
  owned.discardReason = reason
}

/** A price as an integer of a scale: the one that is at hand where it is the same. */
export function priceAt(known: Price | null, integer: number, scale: number): Price {
  return known?.integer === integer && known.scale === scale ? known : new Price(integer, scale)
}

/** The same of a quantity. */
export function quantityAt(known: Quantity, integer: number, scale: number): Quantity {
  if (known.integer === integer && known.scale === scale) return known
  // Of every order nothing is executed at first.
  return integer === 0 ? (NOTHING[scale] ??= new Quantity(0, scale)) : new Quantity(integer, scale)
}

/** The quantity 0 by its scale. */
const NOTHING: (Quantity | undefined)[] = []

/** Takes over what an order update states. Values never change: one that is still the same is kept. */
export function takeReport(order: Order, report: OrderReport, priceScale: number, quantityScale: number): void {
  const owned: Writable<Order> = order
  const record = recordOf(order)
  record.exchangeOrderId = report.exchangeOrderId
  record.clientOrderId = report.clientOrderId
  owned.state = report.state
  owned.price = report.price === null ? null : priceAt(order.price, report.price, priceScale)
  owned.totalQuantity = quantityAt(order.totalQuantity, report.totalQuantity, quantityScale)
  const { executedQuantity: executed } = report
  owned.executedQuantity = quantityAt(
    executed === report.totalQuantity ? order.totalQuantity : order.executedQuantity, executed, quantityScale,
  )
  if (report.context !== undefined) owned.context = report.context
  if (report.error !== undefined) takeError(order, report.error)
  if (hasConditions(report)) owned.conditions = conditionsFrom(report, priceScale, quantityScale)
}

type SentConditions = Pick<
  OrderReport,
  'triggerPrice' | 'triggered' | 'pegOffsetValue' | 'displayQuantity' | 'closeOnly' | 'reduceOnly' | 'openClose'
>

/** True where a message says anything beyond what every order has. */
export function hasConditions({
  triggerPrice, pegOffsetValue, displayQuantity, closeOnly, reduceOnly, openClose,
}: SentConditions): boolean {
  return (
    triggerPrice !== undefined ||
    pegOffsetValue !== undefined ||
    displayQuantity !== undefined ||
    closeOnly === true ||
    reduceOnly === true ||
    (openClose ?? 'AUTO') !== 'AUTO'
  )
}

/** Conditions as a message states them. */
export function conditionsFrom(sent: SentConditions, priceScale: number, quantityScale: number): OrderConditions {
  const { triggerPrice, pegOffsetValue, displayQuantity } = sent
  return {
    triggerPrice: triggerPrice === undefined ? null : new Price(triggerPrice, priceScale),
    triggered: sent.triggered ?? false,
    pegOffsetValue: pegOffsetValue === undefined ? null : new Price(pegOffsetValue, priceScale),
    displayQuantity: displayQuantity === undefined ? null : new Quantity(displayQuantity, quantityScale),
    closeOnly: sent.closeOnly ?? false,
    reduceOnly: sent.reduceOnly ?? false,
    openClose: sent.openClose ?? 'AUTO',
  }
}

/** An order as it is shown. */
function shownOrder(order: Order): Shown {
  const { side, type, price, totalQuantity, executedQuantity, state, timeInForce, ownOrderId, lastError } = order
  const at = price === null ? '' : ` at ${price.toString()}`
  return shownFacts(`Order ${side} ${totalQuantity.toString()}${at}, ${type}, ${state}`, [
    ['executed', `${executedQuantity.toString()} of ${totalQuantity.toString()}`], ['time in force', timeInForce],
    ['post only', order.postOnly ? 'yes' : 'no'], ['instrument', String(order.instrumentId)],
    ['own order id', ownOrderId], ['exchange order id', order.exchangeOrderId ?? ''],
    ...(order.discardReason === null ? [] : [['discarded', order.discardReason] as const]),
    ...(lastError === null ? [] : [['last error', lastError.type] as const]),
  ])
}

showAs(Order.prototype, shownOrder)
