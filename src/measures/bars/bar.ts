import { Decimal } from '../../model/decimal.js'
import { Price, Quantity } from '../../model/fixed-decimal.js'
import { epochNsFromTime } from '../../model/time.js'
import { QUOTIENT_DIGITS } from '../minutes-sum.js'
import { quotientText } from '../minutes-units.js'
import type { BarSumState } from './bar-sum.js'

/** The figures of a bar as plain JSON. */
export interface BarFigures {
  readonly epochDay: number
  readonly startNs: number
  readonly endNs: number
  readonly isPartial: boolean
  readonly sum: BarSumState
  /** Value in quote units, times 10^turnoverScale. */
  readonly turnover: string
  readonly turnoverScale: number
}

/** The figures behind a bar, as plain JSON: for checkpoints. */
export let figuresOf: (bar: Bar) => BarFigures

/**
 * One closed bar; it never changes. Prices and volumes are exact, made when they are read.
 *
 * @example
 * ```ts
 * import type { Bar } from 'backtape/measures'
 * const range = (bar: Bar): number => bar.high.toNumber() - bar.low.toNumber()
 * console.log(range.length)
 * ```
 */
export class Bar {
  /** The figures behind it. */
  readonly #figures: BarFigures

  static {
    figuresOf = (bar): BarFigures => bar.#figures
  }

  constructor(figures: BarFigures) {
    this.#figures = figures
  }

  /** Begin, nanoseconds since the first midnight of the run, as `nowNs()`: for bars by time a multiple of the span. */
  get startNs(): number {
    return this.#figures.startNs
  }

  /** End, in the same nanoseconds: of bars by time not part of it, of others the instant of the last trade. */
  get endNs(): number {
    return this.#figures.endNs
  }

  /** Begin, epoch nanoseconds. */
  get startTimestampNs(): bigint {
    return epochNsFromTime(this.#figures.startNs, this.#figures.epochDay)
  }

  /** End, epoch nanoseconds. */
  get endTimestampNs(): bigint {
    return epochNsFromTime(this.#figures.endNs, this.#figures.epochDay)
  }

  /** True for a bar that began before its subscription: its first part was not received. */
  get isPartial(): boolean {
    return this.#figures.isPartial
  }

  /** First price. */
  get open(): Price {
    return this.#price(this.#figures.sum.open)
  }

  /** Highest price. */
  get high(): Price {
    return this.#price(this.#figures.sum.high)
  }

  /** Lowest price. */
  get low(): Price {
    return this.#price(this.#figures.sum.low)
  }

  /** Last price. */
  get close(): Price {
    return this.#price(this.#figures.sum.close)
  }

  /** Number of prices: of trades, of changes of best prices, of mark prices; 0 for a bar without any. */
  get count(): number {
    return this.#figures.sum.count
  }

  /** Traded quantity in the instrument's own unit; 0 for bars of mids and marks. */
  get volume(): Quantity {
    return this.#quantity(this.#figures.sum.buyVolume + this.#figures.sum.sellVolume)
  }

  /** The part of `volume` with a buying aggressor. */
  get buyVolume(): Quantity {
    return this.#quantity(this.#figures.sum.buyVolume)
  }

  /** The part of `volume` with a selling aggressor. */
  get sellVolume(): Quantity {
    return this.#quantity(this.#figures.sum.sellVolume)
  }

  /** Traded value in the quote currency, by multiplier and contract value; exact. */
  get turnover(): Decimal {
    const { turnover, turnoverScale } = this.#figures
    return new Decimal(`${turnover}e-${turnoverScale}`)
  }

  /** Mean price of the trades, weighted by base units; the nearest double. Null without a trade. */
  get vwap(): number | null {
    const { quote, base, buyVolume, sellVolume, priceScale } = this.#figures.sum
    const text =
      base === null
        ? quotientText(BigInt(quote), BigInt(buyVolume + sellVolume), priceScale)
        : quotientText(BigInt(quote) * 10n ** BigInt(QUOTIENT_DIGITS), BigInt(base), priceScale)
    return text === null ? null : Number(text)
  }

  #price(integer: number): Price {
    return new Price(integer, this.#figures.sum.priceScale)
  }

  #quantity(integer: number): Quantity {
    return new Quantity(integer, this.#figures.sum.quantityScale)
  }
}
