import { Amount } from '../model/amount.js'
import { SIDE_CODES } from '../model/side.js'
import { ProductSum, QUOTIENT_DIGITS, QuotientSum } from './minutes-sum.js'
import { averageText, quotientText, type MinuteUnits } from './minutes-units.js'
import { WideTrades } from './minutes-wide.js'

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
  /** The fills from the first on that safe integers do not hold; null in nearly every minute. */
  private wide: WideTrades | null = null

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
    if (this.wide !== null)
      return this.addWide(
        side, Amount.scaled(price, this.priceScale), Amount.scaled(quantity, this.quantityScale), timeNs,
      )
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

  /** Adds one fill whose numbers may have any digits. */
  addWide(side: number, price: Amount, quantity: Amount, timeNs: number): void {
    this.wide ??= this.widePrices()
    if (side === SIDE_CODES.ASK) this.sellCount++
    else this.buyCount++
    const isFirst = timeNs < this.openTimeNs
    const isLast = timeNs >= this.closeTimeNs
    if (isFirst) this.openTimeNs = timeNs
    if (isLast) this.closeTimeNs = timeNs
    this.wide.add(side, price, quantity, { isFirst, isLast })
  }

  private widePrices(): WideTrades {
    const price = (integer: number): Amount => Amount.scaled(integer, this.priceScale)
    return new WideTrades(this.units.isInverse, this.tradeCount === 0 ? null : {
      open: price(this.openPrice), high: price(this.highPrice), low: price(this.lowPrice),
      close: price(this.closePrice),
    })
  }

  addLiquidation(): void {
    this.liquidationCount++
  }

  /** Moves the sums to finer scales. */
  alignTo(priceScale: number, quantityScale: number): void {
    const finerPrice = priceScale - this.priceScale
    const finerQuantity = quantityScale - this.quantityScale
    if (finerPrice === 0 && finerQuantity === 0) return
    if (this.tradeCount > 0 && this.wide === null) this.rescalePrices(10 ** finerPrice)
    this.priceScale = priceScale
    this.quantityScale = quantityScale
    this.bought.alignTo(finerPrice, finerQuantity)
    this.sold.alignTo(finerPrice, finerQuantity)
  }

  private rescalePrices(factor: number): void {
    const names = ['openPrice', 'closePrice', 'highPrice', 'lowPrice'] as const
    if (names.some((name) => !Number.isSafeInteger(this[name] * factor))) {
      this.wide = this.widePrices()
      return
    }
    for (const name of names) this[name] *= factor
  }

  cells(): TradeCells {
    const { units, priceScale, quantityScale, tradeCount } = this
    const prices = (this.wide ?? this.widePrices()).prices
    const quoteScale = quantityScale + (units.isInverse ? 0 : priceScale)
    const baseScale = quantityScale + (units.isInverse ? QUOTIENT_DIGITS - priceScale : 0)
    const [bought, sold] = [
      Amount.scaled(this.bought.quote(), quoteScale).plus(this.wide?.bought.quote ?? Amount.ZERO),
      Amount.scaled(this.sold.quote(), quoteScale).plus(this.wide?.sold.quote ?? Amount.ZERO),
    ]
    const [boughtBase, soldBase] = [
      Amount.scaled(this.bought.base(), baseScale).plus(this.wide?.bought.base ?? Amount.ZERO),
      Amount.scaled(this.sold.base(), baseScale).plus(this.wide?.sold.base ?? Amount.ZERO),
    ]
    const [quote, base] = [bought.plus(sold), boughtBase.plus(soldBase)]
    const average = ({ units: total, scale }: Amount, by: MinuteUnits['usd']): string | null =>
      averageText(total, 1n, scale, by)
    return {
      open: prices?.open.toFixed() ?? null,
      high: prices?.high.toFixed() ?? null,
      low: prices?.low.toFixed() ?? null,
      close: prices?.close.toFixed() ?? null,
      // Quote value over base value: weighted by base units in every class of instrument.
      vwap: quotientText(quote.units, base.units, quote.scale - base.scale),
      trades: tradeCount,
      trades_buy: this.buyCount,
      trades_sell: this.sellCount,
      // The layout does not mark trades as liquidations; the column is a subset of trades, so it is never more than
      // these.
      trades_liquidation: Math.min(this.liquidationCount, tradeCount),
      turnover_usd: average(quote, units.usd),
      turnover_buy_usd: average(bought, units.usd),
      turnover_sell_usd: average(sold, units.usd),
      volume_buy: average(boughtBase, units.base),
      volume_sell: average(soldBase, units.base),
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
