import { Amount } from '../../model/amount.js'
import { isLimited, type EntryError } from '../../model/order.js'
import type { Side } from '../../model/side.js'
import type { Account } from '../accounts/account.js'
import type { AccountPosition } from '../accounts/account-position.js'
import { isValueInverse, contractValue, type Contract } from '../../model/contract.js'
import { feeOf } from '../accounts/fees.js'
import { directoryQuantity, type TradedInstrument } from '../matching/order-engine.js'
import { exchangeError } from '../market/resting-order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import type { OrderLimits } from '../profile/venue-profile.js'

/**
 * The price at which an order would trade or rest: its own, or the worst that MARKET would reach now; `reference` where
 * that is not known.
 */
export function orderPrice(
  { market, orders }: TradedInstrument, order: OrderAtExchange, reference: Amount | null,
): Amount | null {
  if (order.price !== null) return Amount.scaled(order.price, market.priceScale)
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  const { lastPrice } = orders.reachable(
    opposite, order.side === 'BID' ? Infinity : -Infinity, order.remainingQuantity,
  )
  return Number.isNaN(lastPrice) ? reference : Amount.scaled(lastPrice, market.priceScale)
}

/**
 * The price by which an order's value counts for margin: {@link orderPrice}, but never a better one than it will get. A
 * sale with a low limit executes at the best bid, and what it opens is valued by the mark from then on; a purchase of
 * an inverse contract, whose value falls with its price, likewise. A purchase below 0 may execute farther from 0.
 */
export function marginPrice(
  traded: TradedInstrument, contract: Contract, order: OrderAtExchange, mark: Amount | null,
): Amount | null {
  const price = orderPrice(traded, order, mark)
  if (price === null) return null
  const isBid = order.side === 'BID'
  const { shown, priceScale } = traded.market
  const best = isBid ? shown.bestAskPrice : shown.bestBidPrice
  const others = [...(mark === null ? [] : [mark]), ...(Number.isNaN(best) ? [] : [Amount.scaled(best, priceScale)])]
  if (isValueInverse(contract)) return isBid ? Amount.min(price, ...others) : price
  return Amount.farthest(price, ...(isBid ? others.filter(({ sign }) => sign < 0) : others))
}

/** The fee of an execution, as maker or as taker, whichever is more. */
export function largerFee(
  { config: { fees } }: Account, position: AccountPosition, side: Side, quantity: Amount, value: Amount,
): Amount {
  const either = [true, false].map((isMaker) => feeOf(fees, position, { side, isMaker, quantity, value }))
  return Amount.max(Amount.ZERO, ...either)
}

/** Contracts of a position on one side, isolated ones too. */
export function heldIn({ legs }: AccountPosition, sign: 1 | -1): Amount {
  return [...legs.values()].reduce(
    (sum, { sums }) => sum.plus(Amount.max(Amount.ZERO, sums.quantity.signed(sign))), Amount.ZERO,
  )
}

/**
 * Contracts that one more order of a side would close, once those before it have: orders that only close do not count,
 * as they give way to it.
 */
export function closableAfter(
  position: AccountPosition, side: Side, orders: readonly OrderAtExchange[],
  quantityOf: (order: OrderAtExchange) => Amount,
): Amount {
  const closing = orders.filter(
    (order) =>
      order.instrumentId === position.contract.instrumentId &&
      order.side === side &&
      order.openClose !== 'OPEN' &&
      !isLimited(order),
  )
  const held = heldIn(position, side === 'BID' ? -1 : 1)
  return Amount.max(Amount.ZERO, closing.reduce((left, order) => left.minus(quantityOf(order)), held))
}

/** A prediction contract costs more than nothing and less than what it may pay. */
export function chanceRefusal({ market }: TradedInstrument, { price }: OrderAtExchange): EntryError | null {
  if (price === null) return null
  const chance = Amount.scaled(price, market.priceScale)
  return chance.sign > 0 && chance.lt(Amount.ONE)
    ? null
    : exchangeError(
        'INVALID_PRICE', `the price of a prediction contract must be above 0 and below 1, found ${chance.toFixed()}`,
      )
}

/** The bounds of orders on one instrument, from its master data and the profile: the narrower of both. */
export interface OrderBounds {
  /** At the directory's quantity scale; 0 and Infinity where there is none. */
  readonly leastUnits: number
  readonly mostUnits: number
  readonly leastValue: Amount | null
  readonly maxOpenOrders: number | null
  readonly priceBand: Amount | null
}

function bound(
  own: string | null, profile: string | undefined, pick: (a: Amount, b: Amount) => Amount,
): Amount | null {
  const texts = [own, profile ?? null].filter((text) => text !== null)
  return texts.length === 0 ? null : texts.map((text) => Amount.from(text)).reduce(pick)
}

/** Reads the bounds of an instrument once. */
export function orderBounds({ instrument, quantityScale }: InstrumentEntry, limits: OrderLimits): OrderBounds {
  const larger = (a: Amount, b: Amount): Amount => Amount.max(a, b)
  const unit = Amount.from(`1e${quantityScale}`)
  return {
    leastUnits: bound(instrument.minOrder, limits.minQuantity, larger)?.times(unit).toNumber() ?? 0,
    mostUnits:
      bound(instrument.maxOrder, limits.maxQuantity, (a, b) => Amount.min(a, b))?.times(unit).toNumber() ?? Infinity,
    leastValue: bound(instrument.minValue, limits.minValue, larger),
    maxOpenOrders: limits.maxOpenOrders ?? null,
    priceBand: limits.priceBand === undefined ? null : Amount.from(limits.priceBand),
  }
}

/** The sources for judging an order, beside itself; asked for only where a bound needs them. */
export interface LimitSources {
  readonly contract: Contract
  /** The price at which it would trade or rest. */
  price(): Amount | null
  /** Mark, else mid. */
  reference(): Amount | null
  /** Open orders of its account on its instrument. */
  openCount(): number
}

/**
 * Why an order is beyond a bound, or null: quantity, value, number of orders, price band. One that can only make a
 * position smaller may be as small as the position is.
 */
export function limitRefusal(
  traded: TradedInstrument, order: OrderAtExchange, bounds: OrderBounds, sources: LimitSources,
): EntryError | null {
  const { market, entry } = traded
  const units = directoryQuantity(traded, order.totalQuantity)
  const isReducing = isLimited(order)
  const text = (amount: number): string => Amount.scaled(amount, entry.quantityScale).toFixed()
  if (units < bounds.leastUnits && !isReducing)
    return exchangeError(
      'QUANTITY_TOO_SMALL', `totalQuantity must be at least ${text(bounds.leastUnits)}, found ${text(units)}`,
    )
  if (units > bounds.mostUnits)
    return exchangeError(
      'QUANTITY_TOO_LARGE', `totalQuantity must be at most ${text(bounds.mostUnits)}, found ${text(units)}`,
    )
  if (bounds.leastValue !== null && !isReducing) {
    const price = sources.price()
    const value =
      price === null
        ? null
        : contractValue(sources.contract, Amount.scaled(order.totalQuantity, market.quantityScale), price)
    if (value?.abs().lt(bounds.leastValue) === true)
      return exchangeError(
        'VALUE_TOO_SMALL',
        `the order's value must be at least ${bounds.leastValue.toFixed()}, found ${value.toFixed()}`,
      )
  }
  if (bounds.maxOpenOrders !== null && sources.openCount() >= bounds.maxOpenOrders) {
    return exchangeError('TOO_MANY_ORDERS', `at most ${bounds.maxOpenOrders} orders may be open on an instrument`)
  }
  return bounds.priceBand === null || order.price === null
    ? null
    : bandRefusal(bounds.priceBand, sources.price(), sources.reference())
}

function bandRefusal(band: Amount, price: Amount | null, reference: Amount | null): EntryError | null {
  if (price === null || reference === null) return null
  const reach = reference.abs().times(band)
  if (price.minus(reference).abs().lte(reach)) return null
  return exchangeError(
    'PRICE_OUT_OF_BAND',
    `price must be from ${reference.minus(reach).toFixed()} to ${reference.plus(reach).toFixed()}, found ` +
      price.toFixed(),
  )
}
