import { exactLog } from '../../model/exact-math.js'
import { checkedPeriod, Indicator, refusal, type IndicatorInput } from './indicator.js'
import { Window } from './window.js'

/**
 * Realised volatility: the root of the sum of the squared logarithmic returns of the last `period` changes, not scaled
 * to a year (Andersen, Bollerslev, Diebold, Labys, 2003).
 */
export class RealisedVolatility extends Indicator {
  private readonly squares: Window
  private last = NaN
  private volatility = NaN

  constructor(period: number) {
    super(`realisedVolatility(${period})`)
    this.squares = new Window(checkedPeriod('realisedVolatility', period))
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.volatility
  }

  /** The volatility with one more price. Throws OPTION_INVALID for what is not above 0. */
  next(price: IndicatorInput): number {
    const given = this.input('price', price)
    if (given <= 0) throw refusal(`Cannot feed ${this.label}`, 'price', 'above 0', given)
    const change = exactLog(given / this.last)
    this.last = given
    if (Number.isNaN(change)) return NaN
    this.squares.push(change * change)
    if (this.squares.isFull) this.volatility = Math.sqrt(this.squares.sum())
    return this.volatility
  }
}

/** Price by volume: the sum of price times quantity by that of quantity, of all inputs or of the last `period`. */
export class VolumeWeightedPrice extends Indicator {
  private readonly values: Window
  private readonly quantities: Window
  private readonly isEndless: boolean
  private turnover = 0
  private quantity = 0
  private price = NaN

  constructor(period: number | null) {
    super(period === null ? 'vwap()' : `vwap(${period})`)
    this.isEndless = period === null
    this.values = new Window(period === null ? 1 : checkedPeriod('vwap', period))
    this.quantities = new Window(this.values.period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.price
  }

  /** The price with one more trade; NaN while nothing was traded. Throws OPTION_INVALID for NaN. */
  next(price: IndicatorInput, quantity: IndicatorInput): number {
    const [given, size] = [this.input('price', price), this.input('quantity', quantity)]
    if (this.isEndless) {
      this.turnover += given * size
      this.quantity += size
    } else {
      this.values.push(given * size)
      this.quantities.push(size)
      if (!this.values.isFull) return NaN
      this.turnover = this.values.sum()
      this.quantity = this.quantities.sum()
    }
    this.price = this.quantity === 0 ? NaN : this.turnover / this.quantity
    return this.price
  }
}

/** The best prices of a book and what stands there. */
export interface TopPrices {
  /** The best bid. */
  readonly bidPrice: IndicatorInput
  /** The quantity there. */
  readonly bidQuantity: IndicatorInput
  /** The best ask. */
  readonly askPrice: IndicatorInput
  /** The quantity there. */
  readonly askQuantity: IndicatorInput
}

/**
 * Order flow imbalance of the last `period` changes of the best prices: what came to the best bid and left the best ask
 * less the reverse (Cont, Kukanov, Stoikov, The Price Impact of Order Book Events, 2014, section 2.1).
 */
export class OrderFlowImbalance extends Indicator {
  private readonly flows: Window
  private bidPrice = NaN
  private bidQuantity = NaN
  private askPrice = NaN
  private askQuantity = NaN
  private imbalance = NaN

  constructor(period: number) {
    super(`orderFlowImbalance(${period})`)
    this.flows = new Window(checkedPeriod('orderFlowImbalance', period))
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.imbalance
  }

  /** The imbalance with one more change, in the unit of the quantities. Throws OPTION_INVALID for NaN. */
  next(top: TopPrices): number {
    const [bid, bidQuantity] = [this.input('bidPrice', top.bidPrice), this.input('bidQuantity', top.bidQuantity)]
    const [ask, askQuantity] = [this.input('askPrice', top.askPrice), this.input('askQuantity', top.askQuantity)]
    if (!Number.isNaN(this.bidPrice)) {
      const came = (bid >= this.bidPrice ? bidQuantity : 0) + (ask >= this.askPrice ? this.askQuantity : 0)
      const left = (bid <= this.bidPrice ? this.bidQuantity : 0) + (ask <= this.askPrice ? askQuantity : 0)
      this.flows.push(came - left)
      if (this.flows.isFull) this.imbalance = this.flows.sum()
    }
    this.bidPrice = bid
    this.bidQuantity = bidQuantity
    this.askPrice = ask
    this.askQuantity = askQuantity
    return this.imbalance
  }
}

/**
 * Micro-price: the best bid and ask, each weighted by the quantity of the other side, so that it lies near the side
 * that is thin (Gatheral, Oomen, Zero-intelligence realized variance estimation, 2010).
 */
export class MicroPrice extends Indicator {
  private price = NaN

  constructor() {
    super('microPriceOfTop()')
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.price
  }

  /** The price of this top of book; NaN where both sides are empty. Throws OPTION_INVALID for NaN. */
  next(top: TopPrices): number {
    const [bid, bidQuantity] = [this.input('bidPrice', top.bidPrice), this.input('bidQuantity', top.bidQuantity)]
    const [ask, askQuantity] = [this.input('askPrice', top.askPrice), this.input('askQuantity', top.askQuantity)]
    const both = bidQuantity + askQuantity
    this.price = both === 0 ? NaN : (bid * askQuantity + ask * bidQuantity) / both
    return this.price
  }
}
