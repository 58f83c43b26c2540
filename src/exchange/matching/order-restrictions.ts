import type { AmendEntry } from '../../venue/messages.js'
import type { Account } from '../accounts/account.js'
import { GENERIC_PROFILE } from '../profile/generic-profile.js'
import type { TradedInstrument } from './order-engine.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'
import type { OrderRules } from '../profile/venue-profile.js'

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
export function amendedTerms(
  { priceFactor, quantityFactor }: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry,
): Terms {
  return {
    price: amend.price === undefined ? order.price : amend.price * priceFactor,
    totalQuantity: amend.totalQuantity === undefined ? order.totalQuantity : amend.totalQuantity * quantityFactor,
    triggerPrice: amend.triggerPrice === undefined ? order.triggerPrice : amend.triggerPrice * priceFactor,
    pegOffsetValue: amend.pegOffsetValue === undefined ? order.pegOffsetValue : amend.pegOffsetValue * priceFactor,
  }
}

/**
 * True where an order that rests stays where it is in the queue: at the same price, and as its venue says for a smaller
 * quantity.
 */
export function keepsPlace(
  order: ExchangeOrderRecord, terms: Pick<Terms, 'price' | 'totalQuantity'>, rule: OrderRules['amendKeepsQueue'],
): boolean {
  if (terms.price !== order.price || terms.totalQuantity > order.totalQuantity) return false
  return terms.totalQuantity === order.totalQuantity || rule === 'smallerQuantity'
}
