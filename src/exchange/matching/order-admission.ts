import { textFromScaled } from '../../model/decimal.js'
import type { AmendEntry, AmendedFields, PlaceEntry } from '../../venue/messages.js'
import type { Account } from '../accounts/account.js'
import { GENERIC_PROFILE, type OrderRules } from '../profile/venue-profile.js'
import {
  entryRefusal, expired, gapRefusal, crosses, crossingError, crossesOwn, directoryQuantity, holdQuantity,
  marketQuantity, termsOfDayRefusal, type TradedInstrument, type EntryRules,
} from './order-engine.js'
import { exchangeError } from '../market/resting-order.js'
import { orderWith, type OrderAtExchange } from '../../orders/order-at-exchange.js'
import { isPegged, isLimited, type OrderType, type EntryError } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { TickGrid } from '../market/tick-grid.js'
import { limitNew, closableQuantity } from './position-limits.js'
import { isReached } from '../market/stop-triggers.js'
import { STOPPED } from './stopped-account.js'

/** The rules for orders at an account's venue. */
export function orderRulesOf(account: Account): OrderRules {
  return (account.config.profile ?? GENERIC_PROFILE).orders ?? {}
}

/** The terms of an order that an amend may change, at the market's scales. */
export interface Terms {
  readonly price: number | null
  readonly totalQuantity: number
  readonly triggerPrice: number | undefined
  readonly pegOffsetValue: number | undefined
}

/** The terms that an amend asks for, at the market's scales, with those that it leaves alone filled in. */
function amendedTerms(
  traded: TradedInstrument, order: OrderAtExchange, amend: AmendEntry,
): Terms {
  const { priceFactor } = traded
  return {
    price: amend.price === undefined ? order.price : amend.price * priceFactor,
    totalQuantity: 
      amend.totalQuantity === undefined ? order.totalQuantity : marketQuantity(traded, amend.totalQuantity),
    triggerPrice: amend.triggerPrice === undefined ? order.triggerPrice : amend.triggerPrice * priceFactor,
    pegOffsetValue: amend.pegOffsetValue === undefined ? order.pegOffsetValue : amend.pegOffsetValue * priceFactor,
  }
}

/**
 * True where an order that rests stays where it is in the queue: at the same price, and as its venue says for a smaller
 * quantity.
 */
function keepsPlace(
  order: OrderAtExchange, terms: Pick<Terms, 'price' | 'totalQuantity'>, rule: OrderRules['amendKeepsQueue'],
): boolean {
  if (terms.price !== order.price || terms.totalQuantity > order.totalQuantity) return false
  return terms.totalQuantity === order.totalQuantity || rule === 'smallerQuantity'
}

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
function pegPrice({ type, side, offset }: PegTerms, touch: PegTouch, ticks: TickGrid): number {
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

/** Best price at which an account's own orders rest on a side; NaN where none does. */
function ownPrice(traded: TradedInstrument, accountId: string, side: Side): number {
  for (const order of traded.orders.resting(side)) if (order.accountId === accountId) return order.price ?? NaN
  return NaN
}

/** The price that a pegged order has now (exchange rules 7.2); NaN where it cannot be said. */
export function pegPriceNow(
  traded: TradedInstrument, order: OrderAtExchange, offset: number, { switches }: EntryRules,
): number {
  const { shown } = traded.market
  const { type, side, accountId } = order
  const ownOppositePrice =
    switches.selfTrade === 'reject' ? ownPrice(traded, accountId, side === 'BID' ? 'ASK' : 'BID') : NaN
  return pegPrice(
    { type, side, offset }, { bestBidPrice: shown.bestBidPrice, bestAskPrice: shown.bestAskPrice, ownOppositePrice },
    traded.ticks,
  )
}

/** The error of an order whose reference is missing. */
function referenceUnknown(order: OrderAtExchange): EntryError {
  const what =
    order.triggerReference === undefined
      ? `the best price that a ${order.type} ${order.side} order follows`
      : `the ${order.triggerReference} price that triggers the order`
  return exchangeError('REFERENCE_PRICE_UNKNOWN', `${what} is not known`)
}

/** The error of a peg that has no price: its reference is missing, or its offset takes it to 0 or below. */
function pegUnpriced(traded: TradedInstrument, order: OrderAtExchange): EntryError {
  const { bestBidPrice, bestAskPrice } = traded.market.shown
  const reference = (order.type === 'MARKET_PEGGED') === (order.side === 'BID') ? bestAskPrice : bestBidPrice
  if (Number.isNaN(reference)) return referenceUnknown(order)
  return exchangeError(
    'REFERENCE_PRICE_UNKNOWN',
    `a ${order.type} ${order.side} order has no price above 0 here: its pegOffsetValue takes it from the best price ` +
      'that it follows to 0 or below',
  )
}

/**
 * Why the exchange does not take a new order, or null; a null order is as the exchange holds it from then on: limited
 * to a position, a peg priced, a stop order dormant or triggered.
 */
export function admissionRefusal(
  account: Account, traded: TradedInstrument, order: OrderAtExchange, rules: EntryRules, timeNs: number,
): EntryError | null {
  if (account.stopped.has(order.clientId)) return STOPPED
  if (timeNs >= traded.expiryNs) return expired(traded)
  const today = termsOfDayRefusal(traded, order, order.totalQuantity)
  if (today !== null) return today
  if (order.displayQuantity !== undefined && !traded.orders.showsParts) {
    return exchangeError(
      'NOT_SUPPORTED', "displayQuantity has no meaning with the fills 'whole', which fill every order in one piece",
    )
  }
  const limit = limitNew(account, traded, order)
  if (limit !== null) return limit
  const isIgnored = cancelsOthers(account, order)
    ? (other: OrderAtExchange): boolean => other.clientId === order.clientId
    : undefined
  if (order.type === 'STOP_LIMIT')
    return (
      stopRefusal(account, traded, order, rules) ??
      (order.isDormant === true ? null : entryRefusal(traded, order, rules, isIgnored))
    )
  if (!isPegged(order.type)) return entryRefusal(traded, order, rules, isIgnored)
  const gap = gapRefusal(rules.gaps, traded.market, order)
  if (gap !== null) return gap
  const price = pegPriceNow(traded, order, order.pegOffsetValue ?? 0, rules)
  if (Number.isNaN(price)) return pegUnpriced(traded, order)
  order.price = price
  return null
}

/** Why there is no room for the quantities of a request beside those of the data (exchange rules 1.8), or null. */
export function roomRefusal(
  traded: TradedInstrument,
  { totalQuantity, displayQuantity }: Partial<Pick<PlaceEntry, 'totalQuantity' | 'displayQuantity'>>,
): EntryError | null {
  for (const [field, quantity] of [['totalQuantity', totalQuantity], ['displayQuantity', displayQuantity]] as const) {
    if (quantity === undefined || holdQuantity(traded, quantity)) continue
    const { market, entry: { quantityScale } } = traded
    return exchangeError(
      'INVALID_QUANTITY',
      `${field} ${textFromScaled(quantity, quantityScale)} has more decimals than a run can hold beside the ` +
        `quantities of the data, which are too large; use one of at most ${market.quantityScale} decimals`,
    )
  }
  return null
}

/** True where a new order takes the strategy's other orders of its instrument away (exchange rules 7.4). */
export function cancelsOthers(account: Account, order: OrderAtExchange): boolean {
  return order.closeOnly === true && orderRulesOf(account).closeOnlyCancelsOthers === true
}

/** Judges a stop order at its arrival (exchange rules 7.1, 8.2). */
function stopRefusal(
  account: Account, traded: TradedInstrument, order: OrderAtExchange, { gaps }: EntryRules,
): EntryError | null {
  const gap = gaps === 'cancelAndWait' ? gapRefusal(gaps, traded.market, order) : null
  if (gap !== null) return gap
  const { triggerReference, triggerPrice } = order
  // In the place of an order whose trigger is behind it: it enters as any other.
  if (order.triggered === true) return null
  if (triggerReference === undefined || triggerPrice === undefined) {
    return exchangeError(
      'NOT_SUPPORTED',
      `the venue profile ${(account.config.profile ?? GENERIC_PROFILE).name} does not say orders.defaultTrigger, by ` +
        'which a stop order triggers',
    )
  }
  const reference = traded.market.prices.of(triggerReference)
  if (Number.isNaN(reference.value) && triggerReference !== 'lastTrade') return referenceUnknown(order)
  const isPast = isReached(order.side, triggerPrice, traded.market.priceScale, reference)
  if (isPast && orderRulesOf(account).triggersAtArrival !== true) return triggerReached(order)
  order.triggered = isPast
  order.isDormant = !isPast
  return null
}

/** A stop order's trigger lies behind its reference already. */
function triggerReached(order: OrderAtExchange): EntryError {
  return exchangeError(
    'TRIGGER_ALREADY_REACHED', `the ${order.triggerReference ?? ''} price has reached the trigger already`,
  )
}

/** The outcome of an amend: the terms that the order takes, and whether it stays in its queue, or why it cannot. */
export type AmendOutcome =
  { readonly error: EntryError } | { readonly error: null; readonly terms: Terms; readonly stays: boolean }

/** Judges an amend (exchange rules 5.2): the order takes all of its terms, or stays as it was. */
export function judgeAmend(
  account: Account, traded: TradedInstrument, order: OrderAtExchange, amend: AmendEntry, rules: EntryRules,
  timeNs: number,
): AmendOutcome {
  if (timeNs >= traded.expiryNs) return { error: expired(traded) }
  const misfit = kindMisfit(order, amend)
  if (misfit !== null) return { error: misfit }
  const asked = amendedTerms(traded, order, amend)
  const today = termsOfDayRefusal(traded, { ...asked, type: order.type }, asked.totalQuantity - order.executedQuantity)
  if (today !== null) return { error: today }
  if (asked.totalQuantity <= order.executedQuantity)
    return {
      error: exchangeError(
        'INVALID_QUANTITY', 'the order has executed at least this quantity already; it stays as it was',
      ),
    }
  const terms = { ...asked, ...limitedQuantity(account, traded, order, asked.totalQuantity) }
  if (order.isDormant === true) return dormantOutcome(account, traded, order, terms)
  const priced =
    amend.pegOffsetValue === undefined
      ? terms
      : { ...terms, price: pegPriceNow(traded, order, terms.pegOffsetValue ?? 0, rules) }
  const { amendKeepsQueue } = orderRulesOf(account)
  if (amendKeepsQueue === undefined && priced.totalQuantity < order.totalQuantity && priced.price === order.price) {
    return {
      error: exchangeError(
        'NOT_SUPPORTED',
        'the venue profile does not say orders.amendKeepsQueue, which decides what a smaller quantity does to the ' +
          'queue position',
      ),
    }
  }
  const stays = keepsPlace(order, priced, amendKeepsQueue)
  const error = stays ? null : moveRefusal(traded, order, priced, rules)
  return error === null ? { error, terms: priced, stays } : { error }
}

/** The fields that an amend reports once it has been applied. */
export function amendedFields(
  traded: TradedInstrument, order: OrderAtExchange, amend: AmendEntry,
): AmendedFields {
  const { priceFactor } = traded
  const { price, totalQuantity, triggerPrice, pegOffsetValue } = amend
  return {
    ...(price === undefined
      ? pegOffsetValue === undefined || order.price === null
        ? {}
        : { price: order.price / priceFactor }
      : { price }),
    ...(totalQuantity === undefined ? {} : { totalQuantity: directoryQuantity(traded, order.totalQuantity) }),
    ...(triggerPrice === undefined ? {} : { triggerPrice }),
    ...(pegOffsetValue === undefined ? {} : { pegOffsetValue }),
  }
}

/** Gives an order its new terms, wherever it is. */
export function takeTerms(order: OrderAtExchange, terms: Terms, amend: AmendEntry): void {
  order.price = terms.price
  order.totalQuantity = terms.totalQuantity
  if (terms.triggerPrice !== undefined) order.triggerPrice = terms.triggerPrice
  if (terms.pegOffsetValue !== undefined) order.pegOffsetValue = terms.pegOffsetValue
  if (order.shownQuantity !== undefined) order.shownQuantity = Math.min(order.shownQuantity, order.remainingQuantity)
  order.clientOrderId = amend.newClientOrderId
  if (amend.context !== undefined) order.context = amend.context
}

/** A value for something that this order does not have. */
function kindMisfit(
  order: OrderAtExchange, { price, totalQuantity, triggerPrice, pegOffsetValue }: AmendEntry,
): EntryError | null {
  const isPeg = isPegged(order.type)
  if (price !== undefined && isPeg)
    return exchangeError(
      'INVALID_REQUEST', `the price of a ${order.type} order follows the market: amend its pegOffsetValue`,
    )
  if (pegOffsetValue !== undefined && !isPeg)
    return exchangeError('INVALID_REQUEST', `a ${order.type} order has no pegOffsetValue`)
  if (totalQuantity !== undefined && order.closeOnly === true)
    return exchangeError('INVALID_REQUEST', 'the quantity of a closeOnly order is that of the position')
  if (triggerPrice === undefined) return null
  if (order.type !== 'STOP_LIMIT') return exchangeError('INVALID_REQUEST', `a ${order.type} order has no triggerPrice`)
  return order.triggered === true
    ? exchangeError('INVALID_REQUEST', 'the order has been triggered already: its triggerPrice cannot change any more')
    : null
}

function limitedQuantity(
  account: Account, traded: TradedInstrument, order: OrderAtExchange, totalQuantity: number,
): { readonly totalQuantity: number } {
  if (!isLimited(order)) return { totalQuantity }
  return { totalQuantity: Math.min(totalQuantity, order.executedQuantity + closableQuantity(account, traded, order)) }
}

/** A stop order that waits has no place in a queue; its new trigger is judged as at an arrival. */
function dormantOutcome(
  account: Account, traded: TradedInstrument, order: OrderAtExchange, terms: Terms,
): AmendOutcome {
  const isPast =
    order.triggered !== true &&
    isReached(
      order.side, terms.triggerPrice ?? NaN, traded.market.priceScale,
      traded.market.prices.of(order.triggerReference ?? 'lastTrade'),
    )
  if (isPast && orderRulesOf(account).triggersAtArrival !== true) return { error: triggerReached(order) }
  return { error: null, terms, stays: true }
}

/** Why an order may not leave its place for new terms, or null: gap, reference, postOnly, self trade. */
function moveRefusal(
  traded: TradedInstrument, order: OrderAtExchange, terms: Terms, { gaps, switches }: EntryRules,
): EntryError | null {
  const { market } = traded
  const gap = gapRefusal(gaps, market, order)
  if (gap !== null) return gap
  if (terms.price !== null && Number.isNaN(terms.price)) return pegUnpriced(traded, order)
  const movesPrice = terms.price !== null && terms.price !== order.price
  if (market.bookUnknown === null && order.postOnly && movesPrice && crosses(market, order.side, terms.price))
    return crossingError(traded, order.side)
  const own =
    switches.selfTrade === 'reject'
      ? crossesOwn(traded, orderWith(order, terms))
      : null
  return own === null
    ? null
    : exchangeError(
        'SELF_TRADE',
        `the amended order would match the account's own resting order ${String(own.ownOrderId)}; it stays as it was`,
      )
}
