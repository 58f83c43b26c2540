import { Amount } from '../model/amount.js'
import { SIDE_CODES } from '../model/side.js'
import { QUOTIENT_DIGITS } from './minutes-sum.js'

/** The volume of the fills of one aggressor, before the contract's factor. */
export interface WideVolume {
  /** Value in the quote currency. */
  quote: Amount
  /** Base units. */
  base: Amount
}

/** Prices of a minute; null before its first fill. */
export interface WidePrices {
  open: Amount
  high: Amount
  low: Amount
  close: Amount
}

/** The fills of one minute from the first on whose numbers are beyond 2^53 - 1: exact, and slow. */
export class WideTrades {
  readonly bought: WideVolume = { quote: Amount.ZERO, base: Amount.ZERO }
  readonly sold: WideVolume = { quote: Amount.ZERO, base: Amount.ZERO }

  /** `prices` are those of the fills before; null where there were none. */
  constructor(private readonly isInverse: boolean, public prices: WidePrices | null) {}

  /** Adds a fill, which may be the first or the last of the minute by its time. */
  add(side: number, price: Amount, quantity: Amount, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): void {
    const { prices } = this
    if (prices === null) this.prices = { open: price, high: price, low: price, close: price }
    else {
      if (isFirst) prices.open = price
      if (isLast) prices.close = price
      prices.high = Amount.max(prices.high, price)
      prices.low = Amount.min(prices.low, price)
    }
    const volume = side === SIDE_CODES.ASK ? this.sold : this.bought
    volume.quote = volume.quote.plus(this.isInverse ? quantity : quantity.times(price))
    const base = !this.isInverse ? quantity
      : price.isZero() ? Amount.ZERO : quantity.quotient(price, QUOTIENT_DIGITS)
    volume.base = volume.base.plus(base)
  }
}
