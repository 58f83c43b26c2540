import { isPegged, type OrderError, isLimited } from '../../model/order.js'
import type { AmendedFields, AmendEntry } from '../../venue/messages.js'
import type { Account } from '../accounts/account.js'
import { termsOfDayRefusal } from './grid-terms.js'
import { pegPriceNow, pegUnpriced, triggerReached } from './order-admission.js'
import {
  crosses, crossingError, expired, gapRefusal, crossesOwn, type EntryRules, type TradedInstrument,
} from './order-engine.js'
import { amendedTerms, keepsPlace, orderRulesOf, type Terms } from './order-restrictions.js'
import { closableQuantity } from './position-limits.js'
import { remainingQuantity, type ExchangeOrderRecord } from '../market/resting-order.js'
import { isReached } from '../market/stop-triggers.js'
import { exchangeError } from '../market/exchange-error.js'

/** The outcome of an amend: the terms that the order takes, and whether it stays in its queue, or why it cannot. */
export type AmendOutcome =
  { readonly error: OrderError } | { readonly error: null; readonly terms: Terms; readonly stays: boolean }

/** Judges an amend (exchange rules 5.2): the order takes all of its terms, or stays as it was. */
export function judgeAmend(
  account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry, rules: EntryRules,
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
  { priceFactor, quantityFactor }: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry,
): AmendedFields {
  const { price, totalQuantity, triggerPrice, pegOffsetValue } = amend
  return {
    ...(price === undefined
      ? pegOffsetValue === undefined || order.price === null
        ? {}
        : { price: order.price / priceFactor }
      : { price }),
    ...(totalQuantity === undefined ? {} : { totalQuantity: order.totalQuantity / quantityFactor }),
    ...(triggerPrice === undefined ? {} : { triggerPrice }),
    ...(pegOffsetValue === undefined ? {} : { pegOffsetValue }),
  }
}

/** Gives an order its new terms, wherever it is. */
export function takeTerms(order: ExchangeOrderRecord, terms: Terms, amend: AmendEntry): void {
  order.price = terms.price
  order.totalQuantity = terms.totalQuantity
  if (terms.triggerPrice !== undefined) order.triggerPrice = terms.triggerPrice
  if (terms.pegOffsetValue !== undefined) order.pegOffsetValue = terms.pegOffsetValue
  if (order.shownQuantity !== undefined) order.shownQuantity = Math.min(order.shownQuantity, remainingQuantity(order))
  order.clientOrderId = amend.newClientOrderId
  if (amend.context !== undefined) order.context = amend.context
}

/** A value for something that this order does not have. */
function kindMisfit(
  order: ExchangeOrderRecord, { price, totalQuantity, triggerPrice, pegOffsetValue }: AmendEntry,
): OrderError | null {
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
  account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, totalQuantity: number,
): { readonly totalQuantity: number } {
  if (!isLimited(order)) return { totalQuantity }
  return { totalQuantity: Math.min(totalQuantity, order.executedQuantity + closableQuantity(account, traded, order)) }
}

/** A stop order that waits has no place in a queue; its new trigger is judged as at an arrival. */
function dormantOutcome(
  account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, terms: Terms,
): AmendOutcome {
  const { triggerReference = 'lastTrade' } = order
  const isPast =
    order.triggered !== true &&
    isReached(
      order.side, terms.triggerPrice ?? NaN, traded.market.priceScale, traded.market.prices.of(triggerReference),
    )
  if (isPast && orderRulesOf(account).triggersAtArrival !== true) return { error: triggerReached(order) }
  return { error: null, terms, stays: true }
}

/** Why an order may not leave its place for new terms, or null: gap, reference, postOnly, self trade. */
function moveRefusal(
  traded: TradedInstrument, order: ExchangeOrderRecord, terms: Terms, { gaps, switches }: EntryRules,
): OrderError | null {
  const { market } = traded
  const gap = gapRefusal(gaps, market, order)
  if (gap !== null) return gap
  if (terms.price !== null && Number.isNaN(terms.price)) return pegUnpriced(traded, order)
  const movesPrice = terms.price !== null && terms.price !== order.price
  if (market.bookUnknown === null && order.postOnly && movesPrice && crosses(market, order.side, terms.price))
    return crossingError(traded, order.side)
  const own =
    switches.selfTrade === 'reject'
      ? crossesOwn(traded, { ...order, price: terms.price, totalQuantity: terms.totalQuantity })
      : null
  return own === null
    ? null
    : exchangeError(
        'SELF_TRADE',
        `the amended order would match the account's own resting order ${own.ownOrderId}; it stays as it was`,
      )
}
