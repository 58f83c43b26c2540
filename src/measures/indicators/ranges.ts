import { WilderAverage } from './averages.js'
import { checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'
import { Window } from './window.js'

/** The prices of a bar that a range needs. */
export interface RangeBar {
  /** The highest price. */
  readonly high: IndicatorInput
  /** The lowest price. */
  readonly low: IndicatorInput
  /** The last price. */
  readonly close: IndicatorInput
}

/**
 * Average true range: a {@link WilderAverage} of the ranges of bars, each widened to the close before it; the first bar
 * has none: ATR of TA-Lib (Wilder, 1978).
 */
export class AverageTrueRange extends Indicator {
  private readonly ranges: WilderAverage
  private close = NaN

  constructor(period: number) {
    super(`atr(${period})`)
    this.ranges = new WilderAverage(checkedPeriod('atr', period))
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.ranges.value
  }

  /** The range with one more bar. Throws OPTION_INVALID for NaN. */
  next(bar: RangeBar): number {
    const [high, low] = [this.input('high', bar.high), this.input('low', bar.low)]
    const [before, close] = [this.close, this.input('close', bar.close)]
    this.close = close
    if (!Number.isNaN(before)) this.ranges.next(Math.max(high, before) - Math.min(low, before))
    return this.value
  }
}

/** Donchian's channel: the highest high and the lowest low of the last `period` bars, and their middle. */
export class DonchianChannel extends Indicator {
  private readonly highs: Window
  private readonly lows: Window

  constructor(period: number) {
    super(`donchian(${period})`)
    this.highs = new Window(checkedPeriod('donchian', period))
    this.lows = new Window(period)
  }

  /** The middle between the two. */
  get value(): number {
    return (this.upper + this.lower) / 2
  }

  /** The highest high: MAX of TA-Lib; NaN until it is ready. */
  get upper(): number {
    return this.highs.isFull ? this.highs.greatest() : NaN
  }

  /** The lowest low: MIN of TA-Lib; NaN until it is ready. */
  get lower(): number {
    return this.lows.isFull ? this.lows.least() : NaN
  }

  /** The middle with one more bar. Throws OPTION_INVALID for NaN. */
  next(bar: Pick<RangeBar, 'high' | 'low'>): number {
    const [high, low] = [this.input('high', bar.high), this.input('low', bar.low)]
    this.highs.push(high)
    this.lows.push(low)
    return this.value
  }
}
