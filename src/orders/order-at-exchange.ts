import type { Id } from '../model/id.js'
import type {
  Context, OpenClose, OrderState, OrderType, Owner, TimeInForce, TriggerReference,
} from '../model/order.js'
import type { Side } from '../model/side.js'
import type { ClientColumns } from './client-columns.js'
import type { ExchangeColumns } from './exchange-columns.js'

/** The factors between numbers of an instrument's orders and those of its market. */
export interface OrderScales {
  /** Market price = directory price * priceFactor; grows when the feed shows finer digits. */
  readonly priceFactor: number
  /** Market quantity = directory quantity * quantityFactor / quantityDivisor; one of them is 1. */
  readonly quantityFactor: number
  readonly quantityDivisor: number
}

/** The loan of an order. */
export interface OrderLoan {
  readonly underlyingId: number
  readonly amount: string
}

/** Attributes that few orders have. Prices and quantities are integers at the market's scales. */
export interface RareAttributes {
  context?: Context
  owner?: Owner
  openClose?: OpenClose
  walletType?: string
  closeOnly?: boolean
  reduceOnly?: boolean
  autoBorrow?: boolean
  autoRepay?: boolean
  /** The amount borrowed for it, a decimal text. */
  loan?: OrderLoan
  /** The greatest quantity to show: below the total an iceberg, 0 hidden (exchange rules 7.3). */
  displayQuantity?: number
  /** Open part that queues as shown, of an order with `displayQuantity` that rests. */
  shownQuantity?: number | undefined
  /** Stop orders: what triggers them, by which reference, and whether it has. */
  triggerPrice?: number
  triggerReference?: TriggerReference
  triggered?: boolean
  /**
   * A stop order that has not entered yet: not triggered, or triggered at this instant, or kept by gap policy `freeze`.
   */
  isDormant?: boolean
  /** Pegged orders: towards the other side (exchange rules 7.2). */
  pegOffsetValue?: number
  /**
   * Came to rest in a silence: it joins what is displayed when that ends with an unbroken chain (exchange rules 6.4).
   */
  joinedInSilence?: boolean
  /** Over while its level may be served: nothing is left of it there. */
  isWithdrawn?: boolean
}

/** The attributes of nearly all orders. */
const NONE: RareAttributes = Object.freeze({})

/** The identity of an order, which never changes but for the id of its terms. */
export interface OrderNames {
  readonly accountId: string
  readonly clientId: string
  readonly instrumentId: number
  readonly ownOrderId: Id
  /** Id of the terms in force, from the client. */
  readonly clientOrderId: Id
  readonly exchangeOrderId: Id
}

/** The columns of a table of orders. */
export interface OrderColumns {
  readonly client: ClientColumns
  readonly exchange: ExchangeColumns
}

/**
 * An order as the exchange holds it: a row of the table of orders, prices and quantities at the scales of its market,
 * which only grow. It lives until the order is over.
 */
export class OrderAtExchange {
  readonly accountId: string
  readonly clientId: string
  readonly instrumentId: number
  readonly ownOrderId: Id
  readonly exchangeOrderId: Id
  private termsId: Id

  constructor(
    private readonly columns: OrderColumns, readonly row: number, private readonly scales: OrderScales,
    identity: OrderNames, private attributes: RareAttributes = NONE,
  ) {
    this.accountId = identity.accountId
    this.clientId = identity.clientId
    this.instrumentId = identity.instrumentId
    this.ownOrderId = identity.ownOrderId
    this.exchangeOrderId = identity.exchangeOrderId
    this.termsId = identity.clientOrderId
  }

  /** Id of the terms in force, from the client. */
  get clientOrderId(): Id {
    return this.termsId
  }

  set clientOrderId(id: Id) {
    this.termsId = id
    this.columns.exchange.clientOrderId.set(this.row, id)
  }

  get type(): OrderType {
    return this.columns.client.type.at(this.row)
  }

  get side(): Side {
    return this.columns.client.side.at(this.row)
  }

  get timeInForce(): TimeInForce {
    return this.columns.client.timeInForce.at(this.row)
  }

  get postOnly(): boolean {
    return this.columns.client.postOnly.at(this.row) === 1
  }

  /** Null for orders without a price. */
  get price(): number | null {
    const price = this.columns.exchange.price.at(this.row)
    return Number.isNaN(price) ? null : price * this.scales.priceFactor
  }

  set price(price: number | null) {
    this.columns.exchange.price.set(this.row, price === null ? NaN : price / this.scales.priceFactor)
  }

  get totalQuantity(): number {
    return this.marketQuantity(this.columns.exchange.totalQuantity.at(this.row))
  }

  set totalQuantity(quantity: number) {
    this.columns.exchange.totalQuantity.set(this.row, this.ownQuantity(quantity))
  }

  get executedQuantity(): number {
    return this.marketQuantity(this.columns.exchange.executedQuantity.at(this.row))
  }

  set executedQuantity(quantity: number) {
    this.columns.exchange.executedQuantity.set(this.row, this.ownQuantity(quantity))
  }

  get state(): OrderState {
    return this.columns.exchange.state.at(this.row)
  }

  set state(state: OrderState) {
    this.columns.exchange.state.set(this.row, state)
  }

  /** Public quantity at its price that is served before it; NaN while unknown (exchange rules 3.1). */
  get quantityAhead(): number {
    return this.columns.exchange.quantityAhead.at(this.row)
  }

  set quantityAhead(quantity: number) {
    this.columns.exchange.quantityAhead.set(this.row, quantity)
  }

  /** `quantityAhead` when it came to rest; NaN where it never did, or unknown. */
  get entryQuantityAhead(): number {
    return this.columns.exchange.entryQuantityAhead.at(this.row)
  }

  set entryQuantityAhead(quantity: number) {
    this.columns.exchange.entryQuantityAhead.set(this.row, quantity)
  }

  /** The quantity that public trades took at its price since the level last changed (exchange rules 3.3). */
  get tradedSince(): number {
    return this.columns.exchange.tradedSince.at(this.row)
  }

  set tradedSince(quantity: number) {
    this.columns.exchange.tradedSince.set(this.row, quantity)
  }

  /** True where a time with an unknown book touched it (exchange rules 6.1). */
  get touchedByGap(): boolean {
    return this.columns.exchange.touchedByGap.at(this.row) === 1
  }

  set touchedByGap(isTouched: boolean) {
    this.columns.exchange.touchedByGap.set(this.row, isTouched ? 1 : 0)
  }

  /** Exchange time of its last report; NaN before the first. */
  get reportedNs(): number {
    return this.columns.exchange.reportedNs.at(this.row)
  }

  /** Attributes that few orders have, to be read alone. */
  get rare(): Readonly<RareAttributes> {
    return this.attributes
  }

  get context(): Context | undefined {
    return this.attributes.context
  }

  set context(value: Context | undefined) {
    if (value !== undefined) this.own().context = value
    else if (this.attributes !== NONE) delete this.own().context
  }

  get owner(): Owner | undefined {
    return this.attributes.owner
  }

  get openClose(): OpenClose | undefined {
    return this.attributes.openClose
  }

  get walletType(): string | undefined {
    return this.attributes.walletType
  }

  get closeOnly(): boolean | undefined {
    return this.attributes.closeOnly
  }

  get reduceOnly(): boolean | undefined {
    return this.attributes.reduceOnly
  }

  get autoBorrow(): boolean | undefined {
    return this.attributes.autoBorrow
  }

  get autoRepay(): boolean | undefined {
    return this.attributes.autoRepay
  }

  get loan(): OrderLoan | undefined {
    return this.attributes.loan
  }

  set loan(value: OrderLoan | undefined) {
    if (value !== undefined) this.own().loan = value
    else if (this.attributes !== NONE) delete this.own().loan
  }

  get displayQuantity(): number | undefined {
    return this.attributes.displayQuantity
  }

  get shownQuantity(): number | undefined {
    return this.attributes.shownQuantity
  }

  set shownQuantity(value: number | undefined) {
    if (value !== undefined || this.attributes !== NONE) this.own().shownQuantity = value
  }

  get triggerPrice(): number | undefined {
    return this.attributes.triggerPrice
  }

  set triggerPrice(value: number | undefined) {
    if (value !== undefined) this.own().triggerPrice = value
    else if (this.attributes !== NONE) delete this.own().triggerPrice
  }

  get triggerReference(): TriggerReference | undefined {
    return this.attributes.triggerReference
  }

  get triggered(): boolean | undefined {
    return this.attributes.triggered
  }

  set triggered(value: boolean | undefined) {
    if (value !== undefined) this.own().triggered = value
    else if (this.attributes !== NONE) delete this.own().triggered
  }

  get isDormant(): boolean | undefined {
    return this.attributes.isDormant
  }

  set isDormant(value: boolean | undefined) {
    if (value !== undefined) this.own().isDormant = value
    else if (this.attributes !== NONE) delete this.own().isDormant
  }

  get pegOffsetValue(): number | undefined {
    return this.attributes.pegOffsetValue
  }

  set pegOffsetValue(value: number | undefined) {
    if (value !== undefined) this.own().pegOffsetValue = value
    else if (this.attributes !== NONE) delete this.own().pegOffsetValue
  }

  get joinedInSilence(): boolean | undefined {
    return this.attributes.joinedInSilence
  }

  set joinedInSilence(value: boolean | undefined) {
    if (value !== undefined) this.own().joinedInSilence = value
    else if (this.attributes !== NONE) delete this.own().joinedInSilence
  }

  /** The open quantity. */
  get remainingQuantity(): number {
    if (this.attributes.isWithdrawn === true) return 0
    const { totalQuantity, executedQuantity } = this.columns.exchange
    return this.marketQuantity(totalQuantity.at(this.row) - executedQuantity.at(this.row))
  }

  /** It is over while its level may be served right now: nothing is left of it there. */
  withdraw(): void {
    this.own().isWithdrawn = true
  }

  /** Notes that a report of the exchange states it as it stands now. */
  report(timeNs: number): void {
    const { exchange } = this.columns
    exchange.reportedNs.set(this.row, timeNs)
    if (Number.isNaN(exchange.acceptedNs.at(this.row))) {
      exchange.acceptedNs.set(this.row, timeNs)
      exchange.exchangeOrderId.set(this.row, this.exchangeOrderId)
    }
    if (this.state === 'FILLED' || this.state === 'CANCELED') exchange.endedNs.set(this.row, timeNs)
  }

  /** Its market has other scales now. */
  rescale(priceFactor: number, quantityFactor: number): void {
    if (this.attributes !== NONE) rescaleAttributes(this.attributes, priceFactor, quantityFactor)
    this.quantityAhead *= quantityFactor
    this.entryQuantityAhead *= quantityFactor
    this.tradedSince *= quantityFactor
  }

  private own(): RareAttributes {
    if (this.attributes === NONE) this.attributes = {}
    return this.attributes
  }

  private marketQuantity(quantity: number): number {
    return (quantity * this.scales.quantityFactor) / this.scales.quantityDivisor
  }

  private ownQuantity(quantity: number): number {
    return (quantity * this.scales.quantityDivisor) / this.scales.quantityFactor
  }
}

function rescaleAttributes(of: RareAttributes, priceFactor: number, quantityFactor: number): void {
  if (of.triggerPrice !== undefined) of.triggerPrice *= priceFactor
  if (of.pegOffsetValue !== undefined) of.pegOffsetValue *= priceFactor
  if (of.displayQuantity !== undefined) of.displayQuantity *= quantityFactor
  if (of.shownQuantity !== undefined) of.shownQuantity *= quantityFactor
}

/** An order with other terms, to be judged: it is none of the open orders, and nothing of theirs changes with it. */
export function orderWith(
  order: OrderAtExchange, terms: { readonly price?: number | null; readonly totalQuantity?: number },
): OrderAtExchange {
  const { price = order.price, totalQuantity = order.totalQuantity } = terms
  return Object.create(order, {
    price: { value: price }, totalQuantity: { value: totalQuantity },
    remainingQuantity: { value: totalQuantity - order.executedQuantity },
  }) as OrderAtExchange
}
