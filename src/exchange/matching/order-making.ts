import type { Amount } from '../../model/amount.js'
import { isPegged, type OrderReport } from '../../model/order.js'
import type { Writable } from '../../model/writable.js'
import type { PlaceEntry, ReplaceEntry } from '../../venue/messages.js'
import { attributesIn } from '../../venue/order-attributes.js'
import type { PostedFill } from '../accounts/account.js'
import { directoryQuantity, marketQuantity, type TradedInstrument } from './order-engine.js'
import type { OrderIds } from './order-ids.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'
import type { TriggerReference } from '../profile/venue-profile.js'
import type { Fill } from '../../venue/account-messages.js'
import type { Side } from '../../model/side.js'
import type { Leg } from '../accounts/account-position.js'

/**
 * A new order as the exchange holds it, from what its client sent; `triggerReference` is its venue's for stop orders.
 */
export function recordOf(
  from: { readonly accountId: string; readonly clientId: string }, traded: TradedInstrument, entry: PlaceEntry,
  ids: OrderIds, triggerReference?: TriggerReference,
): ExchangeOrderRecord {
  const order: Writable<ExchangeOrderRecord> = {
    accountId: from.accountId,
    clientId: from.clientId,
    ownOrderId: entry.ownOrderId,
    clientOrderId: entry.clientOrderId,
    exchangeOrderId: ids.next('exchange-order', from),
    instrumentId: entry.instrumentId,
    type: entry.type,
    side: entry.side,
    timeInForce: entry.timeInForce,
    price: entry.price === null ? null : entry.price * traded.priceFactor,
    totalQuantity: marketQuantity(traded, entry.totalQuantity),
    executedQuantity: 0,
    postOnly: entry.postOnly,
    state: 'CONFIRMED',
    quantityAhead: NaN,
    entryQuantityAhead: NaN,
    tradedSince: 0,
    touchedByGap: traded.market.bookUnknown !== null,
    reportedNs: NaN,
  }
  if (entry.context !== undefined) order.context = entry.context
  if (entry.owner !== undefined) order.owner = entry.owner
  if (entry.openClose !== undefined) order.openClose = entry.openClose
  if (entry.walletType !== undefined) order.walletType = entry.walletType
  addConditions(order, traded, entry, triggerReference)
  return order
}

/** Attributes that few orders have, at the market's scales. */
function addConditions(
  order: Writable<ExchangeOrderRecord>, traded: TradedInstrument, entry: PlaceEntry,
  triggerReference: TriggerReference | undefined,
): void {
  const { closeOnly, reduceOnly, autoBorrow, autoRepay, displayQuantity, triggerPrice, pegOffsetValue, type } = entry
  if (closeOnly === true) order.closeOnly = closeOnly
  if (reduceOnly === true) order.reduceOnly = reduceOnly
  if (autoBorrow === true) order.autoBorrow = autoBorrow
  if (autoRepay === true) order.autoRepay = autoRepay
  if (displayQuantity !== undefined) order.displayQuantity = marketQuantity(traded, displayQuantity)
  if (triggerPrice !== undefined) {
    order.triggerPrice = triggerPrice * traded.priceFactor
    order.triggered = false
    if (triggerReference !== undefined) order.triggerReference = triggerReference
  }
  if (isPegged(type)) order.pegOffsetValue = (pegOffsetValue ?? 0) * traded.priceFactor
}

/** Attributes that a replacement has from the order before it; its request may name other values of some. */
const KEPT = attributesIn('report')
const ASKED: ReadonlySet<string> = new Set(attributesIn('replace'))

/**
 * The place that a replace asks for: the current order's terms with the new ones, its quantity what is left of it where
 * none is asked for; `loans` is what no report says.
 */
export function placeAgain(
  current: OrderReport, entry: ReplaceEntry, loans: Pick<ExchangeOrderRecord, 'autoBorrow' | 'autoRepay'>,
): PlaceEntry {
  const asked: Partial<Pick<OrderReport, (typeof KEPT)[number]>> = entry
  const kept = Object.fromEntries(
    KEPT.map((name) => [name, (ASKED.has(name) ? asked[name] : undefined) ?? current[name]] as const)
      .filter(([, value]) => value !== undefined),
  ) as Pick<OrderReport, (typeof KEPT)[number]>
  return {
    ...kept,
    ownOrderId: entry.newOwnOrderId,
    clientOrderId: entry.newClientOrderId,
    instrumentId: current.instrumentId,
    price: isPegged(current.type) ? null : kept.price,
    totalQuantity: entry.totalQuantity ?? current.totalQuantity - current.executedQuantity,
    ...(loans.autoBorrow === true ? { autoBorrow: true } : {}),
    ...(loans.autoRepay === true ? { autoRepay: true } : {}),
  }
}

/** An execution at the market's scales, posted. */
export interface MadeFill {
  readonly traded: TradedInstrument
  readonly order: ExchangeOrderRecord
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  readonly isMaker: boolean
  readonly fees: PostedFill
  readonly ids: OrderIds
}

/**
 * The execution as the protocol states it, at the directory's scales; a price with finer digits than those, as a taker
 * gets it from a level, names its own. Quantities are whole lots. The value in USD is the caller's to add.
 */
export function fillOf({ traded, order, price, quantity, timeNs, isMaker, fees, ids }: MadeFill): Writable<Fill> {
  const own = price / traded.priceFactor
  const isFiner = !Number.isInteger(own)
  const fill: Writable<Fill> = {
    ownFillId: ids.next('own-fill', order),
    exchangeTradeId: ids.next('exchange-trade', order),
    exchangeTimeNs: timeNs,
    ownOrderId: order.ownOrderId,
    exchangeOrderId: order.exchangeOrderId,
    clientOrderId: order.clientOrderId,
    instrumentId: order.instrumentId,
    side: order.side,
    price: isFiner ? price : own,
    quantity: directoryQuantity(traded, quantity),
    fees: fees.fee,
    feeUnderlyingId: fees.feeUnderlyingId,
    addedLiquidity: isMaker,
    update: false,
  }
  if (isFiner) fill.priceScale = traded.market.priceScale
  if (order.openClose !== undefined) fill.openClose = order.openClose
  if (order.context !== undefined) fill.context = order.context
  if (order.owner !== undefined) fill.owner = order.owner
  return fill
}

/**
 * A fill without an order of the account's own: its position is closed by the exchange. Price and quantity at the
 * directory's scales.
 */
export interface ForcedFill {
  readonly side: Side
  readonly leg: Leg
  readonly price: number
  readonly quantity: number
  readonly timeNs: number
  /** Of the value, in the place of the account's fees. */
  readonly feeRate?: Amount
}

/** Name of the orders that nobody sent: forced fills carry empty order ids and belong to no client. */
const NO_CLIENT = ''

/** The order that a forced fill stands for; it never rests. */
export function forcedOrder(
  accountId: string, traded: TradedInstrument, { side, price, quantity }: ForcedFill,
): ExchangeOrderRecord {
  const { entry, priceFactor } = traded
  const total = marketQuantity(traded, quantity)
  return {
    accountId, clientId: NO_CLIENT, ownOrderId: '', clientOrderId: '', exchangeOrderId: '',
    instrumentId: entry.instrument.id, type: 'MARKET', side, timeInForce: 'IMMEDIATE_OR_CANCEL',
    price: price * priceFactor, totalQuantity: total, executedQuantity: total, postOnly: false, state: 'FILLED',
    quantityAhead: NaN, entryQuantityAhead: NaN, tradedSince: 0, touchedByGap: false,
    reportedNs: NaN,
  }
}
