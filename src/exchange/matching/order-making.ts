import type { Amount } from '../../model/amount.js'
import { isPegged, type OrderReport, type TriggerReference } from '../../model/order.js'
import type { Writable } from '../../model/writable.js'
import type { PlaceEntry, ReplaceEntry } from '../../venue/messages.js'
import { attributesIn } from '../../venue/order-attributes.js'
import type { PostedFill } from '../accounts/account.js'
import { directoryQuantity, marketQuantity, type TradedInstrument } from './order-engine.js'
import type { OrderIds } from './order-ids.js'
import { OrderAtExchange, type RareAttributes } from '../../orders/order-at-exchange.js'
import type { OrderOwner, OrderTable } from '../../orders/order-table.js'
import type { Fill } from '../../venue/account-messages.js'
import type { Side } from '../../model/side.js'
import type { Leg } from '../accounts/account-position.js'

/**
 * A new order as the exchange holds it, in the row of its request, from what its client sent; `triggerReference` is its
 * venue's for stop orders.
 */
export function arrivedOrder(
  from: OrderOwner, traded: TradedInstrument, entry: PlaceEntry, ids: OrderIds, orders: OrderTable, row: number,
  triggerReference?: TriggerReference,
): OrderAtExchange {
  const { ownOrderId, clientOrderId, instrumentId, price } = entry
  const { exchange } = orders
  exchange.price.set(row, price ?? NaN)
  exchange.totalQuantity.set(row, entry.totalQuantity)
  exchange.state.set(row, 'CONFIRMED')
  exchange.touchedByGap.set(row, traded.market.bookUnknown === null ? 0 : 1)
  const identity = {
    accountId: from.accountId, clientId: from.clientId, instrumentId, ownOrderId, clientOrderId,
    exchangeOrderId: ids.next('exchange-order', from),
  }
  return new OrderAtExchange(orders, row, traded, identity, rareAttributes(traded, entry, triggerReference))
}

/** Attributes that few orders have, at the market's scales; undefined where the order has none. */
function rareAttributes(
  traded: TradedInstrument, entry: PlaceEntry, triggerReference: TriggerReference | undefined,
): RareAttributes | undefined {
  const {
    closeOnly, reduceOnly, autoBorrow, autoRepay, displayQuantity, triggerPrice, pegOffsetValue, type, context, owner,
    openClose, walletType,
  } = entry
  const rare: RareAttributes = {}
  if (context !== undefined) rare.context = context
  if (owner !== undefined) rare.owner = owner
  if (openClose !== undefined) rare.openClose = openClose
  if (walletType !== undefined) rare.walletType = walletType
  if (closeOnly === true) rare.closeOnly = closeOnly
  if (reduceOnly === true) rare.reduceOnly = reduceOnly
  if (autoBorrow === true) rare.autoBorrow = autoBorrow
  if (autoRepay === true) rare.autoRepay = autoRepay
  if (displayQuantity !== undefined) rare.displayQuantity = marketQuantity(traded, displayQuantity)
  if (triggerPrice !== undefined) {
    rare.triggerPrice = triggerPrice * traded.priceFactor
    rare.triggered = false
    if (triggerReference !== undefined) rare.triggerReference = triggerReference
  }
  if (isPegged(type)) rare.pegOffsetValue = (pegOffsetValue ?? 0) * traded.priceFactor
  for (const _ in rare) return rare
  return undefined
}

/** Attributes that a replacement has from the order before it; its request may name other values of some. */
const KEPT = attributesIn('report')
const ASKED: ReadonlySet<string> = new Set(attributesIn('replace'))

/**
 * The place that a replace asks for: the current order's terms with the new ones, its quantity what is left of it where
 * none is asked for; `loans` is what no report says.
 */
export function placeAgain(
  current: OrderReport, entry: ReplaceEntry, loans: Pick<OrderAtExchange, 'autoBorrow' | 'autoRepay'>,
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
  readonly order: OrderAtExchange
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

/** The order that a forced fill stands for; it never rests, and its row of `orders` is the caller's to use again. */
export function forcedOrder(
  accountId: string, traded: TradedInstrument, { side, price, quantity, timeNs }: ForcedFill, orders: OrderTable,
): OrderAtExchange {
  const identity = {
    accountId, clientId: NO_CLIENT, instrumentId: traded.entry.instrument.id, ownOrderId: '', clientOrderId: '',
    exchangeOrderId: '',
  }
  const row = orders.add(identity, {
    ...identity, type: 'MARKET', side, timeInForce: 'IMMEDIATE_OR_CANCEL', price, totalQuantity: quantity,
    postOnly: false,
  }, timeNs)
  const { exchange } = orders
  exchange.price.set(row, price)
  exchange.totalQuantity.set(row, quantity)
  exchange.executedQuantity.set(row, quantity)
  exchange.state.set(row, 'FILLED')
  return new OrderAtExchange(orders, row, traded, identity)
}
