import { textFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { SIDE_CODES } from '../model/side.js'
import { ProductSum, QUOTIENT_DIGITS, QuotientSum } from './minutes-sum.js'
import { averageText, quotientText, type MinuteUnits } from './minutes-units.js'

/** The cells of a minute that come from trades. Decimals are texts; null where a minute has no trade. */
export interface TradeCells {
  /** Price of the first fill. */
  readonly open: string | null
  /** Highest price. */
  readonly high: string | null
  /** Lowest price. */
  readonly low: string | null
  /** Price of the last fill. */
  readonly close: string | null
  /** Mean price, weighted by quantity. */
  readonly vwap: string | null
  /** Number of fills. */
  readonly trades: number
  /** Number of fills with a buying aggressor. */
  readonly trades_buy: number
  /** Number of fills with a selling aggressor. */
  readonly trades_sell: number
  /** Number of fills that were liquidations, among `trades`. */
  readonly trades_liquidation: number
  /** Value of all fills in USD. */
  readonly turnover_usd: string | null
  /** Value of fills with a buying aggressor in USD. */
  readonly turnover_buy_usd: string | null
  /** Value of fills with a selling aggressor in USD. */
  readonly turnover_sell_usd: string | null
  /** Quantity of fills with a buying aggressor in base units. */
  readonly volume_buy: string | null
  /** Quantity of fills with a selling aggressor in base units. */
  readonly volume_sell: string | null
}

/** The fills of one minute, summed exactly. Order is the fills' venue time, then file order. */
export class TradeMinute {
  private buyCount = 0
  private sellCount = 0
  private liquidationCount = 0
  private openTimeNs = Infinity
  private closeTimeNs = -Infinity
  private openPrice = 0
  private closePrice = 0
  private highPrice = -Infinity
  private lowPrice = Infinity
  private readonly bought: SideVolume
  private readonly sold: SideVolume

  constructor(private readonly units: MinuteUnits, private priceScale: number, private quantityScale: number) {
    this.bought = new SideVolume(units.isInverse)
    this.sold = new SideVolume(units.isInverse)
  }

  get tradeCount(): number {
    return this.buyCount + this.sellCount
  }

  /**
   * Adds one fill; price and quantity are integers of the scales that {@link TradeMinute.alignTo} was given last.
   */
  add(side: number, price: number, quantity: number, timeNs: number): void {
    const isSale = side === SIDE_CODES.ASK
    if (isSale) this.sellCount++
    else this.buyCount++
    if (timeNs < this.openTimeNs) [this.openTimeNs, this.openPrice] = [timeNs, price]
    if (timeNs >= this.closeTimeNs) [this.closeTimeNs, this.closePrice] = [timeNs, price]
    if (price > this.highPrice) this.highPrice = price
    if (price < this.lowPrice) this.lowPrice = price
    const volume = isSale ? this.sold : this.bought
    volume.add(price, quantity)
  }

  addLiquidation(): void {
    this.liquidationCount++
  }

  /** Moves the sums to finer scales. */
  alignTo(priceScale: number, quantityScale: number): void {
    const finerPrice = priceScale - this.priceScale
    const finerQuantity = quantityScale - this.quantityScale
    if (finerPrice === 0 && finerQuantity === 0) return
    this.priceScale = priceScale
    this.quantityScale = quantityScale
    if (this.tradeCount > 0) this.rescalePrices(10 ** finerPrice)
    this.bought.alignTo(finerPrice, finerQuantity)
    this.sold.alignTo(finerPrice, finerQuantity)
  }

  private rescalePrices(factor: number): void {
    for (const name of ['openPrice', 'closePrice', 'highPrice', 'lowPrice'] as const) {
      const price = this[name] * factor
      if (!Number.isSafeInteger(price)) {
        throw new BacktapeError(
          'VALUE_INEXACT',
          `Cannot sum up a minute: price ${String(this[name])} times ${String(factor)} exceeds 2^53 - 1`,
          { field: 'price' },
        )
      }
      this[name] = price
    }
  }

  cells(): TradeCells {
    const { units, priceScale, quantityScale, tradeCount } = this
    const [bought, sold] = [this.bought.quote(), this.sold.quote()]
    const [boughtBase, soldBase] = [this.bought.base(), this.sold.base()]
    const quoteScale = quantityScale + (units.isInverse ? 0 : priceScale)
    const baseScale = quantityScale + (units.isInverse ? QUOTIENT_DIGITS - priceScale : 0)
    const price = (integer: number): string | null => (tradeCount === 0 ? null : textFromScaled(integer, priceScale))
    return {
      open: price(this.openPrice),
      high: price(this.highPrice),
      low: price(this.lowPrice),
      close: price(this.closePrice),
      // Quote value over base value: weighted by base units in every class of instrument.
      vwap: quotientText(
        (bought + sold) * (units.isInverse ? 10n ** BigInt(QUOTIENT_DIGITS) : 1n), boughtBase + soldBase, priceScale,
      ),
      trades: tradeCount,
      trades_buy: this.buyCount,
      trades_sell: this.sellCount,
      // The layout does not mark trades as liquidations; the column is a subset of trades, so it is never more than
      // these.
      trades_liquidation: Math.min(this.liquidationCount, tradeCount),
      turnover_usd: averageText(bought + sold, 1n, quoteScale, units.usd),
      turnover_buy_usd: averageText(bought, 1n, quoteScale, units.usd),
      turnover_sell_usd: averageText(sold, 1n, quoteScale, units.usd),
      volume_buy: averageText(boughtBase, 1n, baseScale, units.base),
      volume_sell: averageText(soldBase, 1n, baseScale, units.base),
    }
  }
}

/** The volume of the fills of one aggressor, exact. */
class SideVolume {
  /** Sum of quantities. */
  private readonly quantity = new ProductSum()
  /** Linear: sum of quantity * price. Inverse: sum of quantity / price, in units of 10^-{@link QUOTIENT_DIGITS}. */
  private readonly product: ProductSum | null
  private readonly quotient: QuotientSum | null

  constructor(isInverse: boolean) {
    this.product = isInverse ? null : new ProductSum()
    this.quotient = isInverse ? new QuotientSum() : null
  }

  add(price: number, quantity: number): void {
    this.quantity.add(quantity, 1)
    this.product?.add(quantity, price)
    this.quotient?.add(quantity, 1, price)
  }

  alignTo(finerPrice: number, finerQuantity: number): void {
    this.quantity.multiply(10n ** BigInt(finerQuantity))
    this.product?.multiply(10n ** BigInt(finerQuantity + finerPrice))
    this.quotient?.shift(finerQuantity - finerPrice)
  }

  /** Value in the quote currency, before the contract's factor. */
  quote(): bigint {
    return (this.product ?? this.quantity).total()
  }

  /** Base units, before the contract's factor. */
  base(): bigint {
    return (this.quotient ?? this.quantity).total()
  }
}
