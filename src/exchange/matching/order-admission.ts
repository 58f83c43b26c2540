import { isPegged, type OrderError } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { Account } from '../accounts/account.js'
import { GENERIC_PROFILE } from '../profile/generic-profile.js'
import { entryRefusal, expired, gapRefusal, type EntryRules, type TradedInstrument } from './order-engine.js'
import { pegPrice } from './peg-price.js'
import { limitNew } from './position-limits.js'
import { termsOfDayRefusal } from './grid-terms.js'
import { orderRulesOf } from './order-restrictions.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'
import { isReached } from '../market/stop-triggers.js'
import { STOPPED } from './stopped-account.js'
import { exchangeError } from '../market/exchange-error.js'

/** Best price at which an account's own orders rest on a side; NaN where none does. */
function ownPrice(traded: TradedInstrument, accountId: string, side: Side): number {
  for (const order of traded.orders.resting(side)) if (order.accountId === accountId) return order.price ?? NaN
  return NaN
}

/** The price that a pegged order has now (exchange rules 7.2); NaN where it cannot be said. */
export function pegPriceNow(
  traded: TradedInstrument, order: ExchangeOrderRecord, offset: number, { switches }: EntryRules,
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
function referenceUnknown(order: ExchangeOrderRecord): OrderError {
  const what =
    order.triggerReference === undefined
      ? `the best price that a ${order.type} ${order.side} order follows`
      : `the ${order.triggerReference} price that triggers the order`
  return exchangeError('REFERENCE_PRICE_UNKNOWN', `${what} is not known`)
}

/** The error of a peg that has no price: its reference is missing, or its offset takes it to 0 or below. */
export function pegUnpriced(traded: TradedInstrument, order: ExchangeOrderRecord): OrderError {
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
  account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, rules: EntryRules, timeNs: number,
): OrderError | null {
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
    ? (other: ExchangeOrderRecord): boolean => other.clientId === order.clientId
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

/** True where a new order takes the strategy's other orders of its instrument away (exchange rules 7.4). */
export function cancelsOthers(account: Account, order: ExchangeOrderRecord): boolean {
  return order.closeOnly === true && orderRulesOf(account).closeOnlyCancelsOthers === true
}

/** Judges a stop order at its arrival (exchange rules 7.1, 8.2). */
function stopRefusal(
  account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, { gaps }: EntryRules,
): OrderError | null {
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
export function triggerReached(order: ExchangeOrderRecord): OrderError {
  return exchangeError(
    'TRIGGER_ALREADY_REACHED', `the ${order.triggerReference ?? ''} price has reached the trigger already`,
  )
}
