import { Decimal, decimalFromScaled } from '../../model/decimal.js'
import { isLimited, type OrderError } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { Account } from '../accounts/account.js'
import type { AccountPosition } from '../accounts/account-position.js'
import { isValueInverse, type Contract } from '../../model/contract.js'
import { feeOf, feeValueOf } from '../accounts/fees.js'
import type { TradedInstrument } from '../matching/order-engine.js'
import { remainingQuantity, type ExchangeOrderRecord } from '../market/resting-order.js'
import { exchangeError } from '../market/exchange-error.js'

/**
 * The price at which an order would trade or rest: its own, or the worst that MARKET would reach now; `reference` where
 * that is not known.
 */
export function orderPrice(
  { market, orders }: TradedInstrument, order: ExchangeOrderRecord, reference: Decimal | null,
): Decimal | null {
  if (order.price !== null) return decimalFromScaled(order.price, market.priceScale)
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  const { lastPrice } = orders.reachable(
    opposite, order.side === 'BID' ? Infinity : -Infinity, remainingQuantity(order),
  )
  return Number.isNaN(lastPrice) ? reference : decimalFromScaled(lastPrice, market.priceScale)
}

/**
 * The price by which an order's value counts for margin: {@link orderPrice}, but never a better one than it will get. A
 * sale with a low limit executes at the best bid, and what it opens is valued by the mark from then on; a purchase of
 * an inverse contract, whose value falls with its price, likewise.
 */
export function marginPrice(
  traded: TradedInstrument, contract: Contract, order: ExchangeOrderRecord, mark: Decimal | null,
): Decimal | null {
  const price = orderPrice(traded, order, mark)
  const isInverse = isValueInverse(contract)
  if (price === null || (order.side === 'BID') !== isInverse) return price
  const { shown, priceScale } = traded.market
  const best = isInverse ? shown.bestAskPrice : shown.bestBidPrice
  const others = [
    price, ...(mark === null ? [] : [mark]), ...(Number.isNaN(best) ? [] : [decimalFromScaled(best, priceScale)]),
  ]
  return isInverse ? Decimal.min(...others) : Decimal.max(...others)
}

/** The fee of an execution, as maker or as taker, whichever is more. */
export function largerFee(
  { config: { fees } }: Account, { contract, entry }: AccountPosition, side: Side, quantity: Decimal, value: Decimal,
): Decimal {
  const feeValue = feeValueOf(contract, entry.instrument, quantity, value) ?? value
  return Decimal.max(0, ...[true, false].map((isMaker) => feeOf(fees, side, isMaker, feeValue, quantity)))
}

/** Contracts of a position on one side, isolated ones too. */
export function heldIn({ legs }: AccountPosition, sign: 1 | -1): Decimal {
  let sum = new Decimal(0)
  for (const { sums } of legs.values()) sum = sum.plus(Decimal.max(0, sums.quantity.times(sign)))
  return sum
}

/**
 * Contracts that one more order of a side would close, once those before it have: orders that only close do not count,
 * as they give way to it.
 */
export function closableAfter(
  position: AccountPosition, side: Side, orders: readonly ExchangeOrderRecord[],
  quantityOf: (order: ExchangeOrderRecord) => Decimal,
): Decimal {
  let left = heldIn(position, side === 'BID' ? -1 : 1)
  for (const order of orders) {
    if (
      order.instrumentId === position.contract.instrumentId &&
      order.side === side &&
      order.openClose !== 'OPEN' &&
      !isLimited(order)
    )
      left = left.minus(quantityOf(order))
  }
  return Decimal.max(0, left)
}

/** A prediction contract costs more than nothing and less than what it may pay. */
export function chanceRefusal({ market }: TradedInstrument, { price }: ExchangeOrderRecord): OrderError | null {
  if (price === null) return null
  const chance = decimalFromScaled(price, market.priceScale)
  return chance.gt(0) && chance.lt(1)
    ? null
    : exchangeError(
        'INVALID_PRICE', `the price of a prediction contract must be above 0 and below 1, found ${chance.toFixed()}`,
      )
}
