import { checkedFactor, checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'
import { Window } from './window.js'

/** Deviation of a whole population: the sum of squares divided by their count. */
function deviationOf(window: Window): number {
  // The mean of equal values may be next to them.
  return window.least() === window.greatest() ? 0 : Math.sqrt(window.comoment(window) / window.period)
}

/** Standard deviation of the last `period` values, divided by their count and not by one less: STDDEV of TA-Lib. */
export class StandardDeviation extends Indicator {
  private readonly window: Window
  private deviation = NaN

  constructor(period: number) {
    super(`stdev(${period})`)
    this.window = new Window(checkedPeriod('stdev', period))
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.deviation
  }

  /** The deviation with one more value. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    this.window.push(this.input('value', value))
    if (this.window.isFull) this.deviation = deviationOf(this.window)
    return this.deviation
  }
}

/**
 * Distance of the newest value from the mean of the last `period` ones, in their {@link StandardDeviation}; 0 where all
 * are equal.
 */
export class StandardScore extends Indicator {
  private readonly window: Window
  private score = NaN

  constructor(period: number) {
    super(`zscore(${period})`)
    this.window = new Window(checkedPeriod('zscore', period, 2))
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.score
  }

  /** The score of one more value. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    const given = this.input('value', value)
    this.window.push(given)
    if (!this.window.isFull) return NaN
    const deviation = deviationOf(this.window)
    this.score = deviation === 0 ? 0 : (given - this.window.mean()) / deviation
    return this.score
  }
}

/**
 * Bollinger's bands: the mean of the last `period` values, and `factor` of their {@link StandardDeviation} above and
 * below it: BBANDS of TA-Lib (Bollinger on Bollinger Bands, 2001).
 */
export class BollingerBands extends Indicator {
  private readonly window: Window
  private readonly factor: number
  private middle = NaN
  private width = NaN

  constructor(period: number, factor: number) {
    super(`bollinger(${period}, ${factor})`)
    this.window = new Window(checkedPeriod('bollinger', period))
    this.factor = checkedFactor('bollinger', factor)
  }

  /** The mean. */
  get value(): number {
    return this.middle
  }

  /** The upper band; NaN until it is ready. */
  get upper(): number {
    return this.middle + this.width
  }

  /** The lower band; NaN until it is ready. */
  get lower(): number {
    return this.middle - this.width
  }

  /** The mean with one more value. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    this.window.push(this.input('value', value))
    if (!this.window.isFull) return NaN
    this.middle = this.window.mean()
    this.width = this.factor * deviationOf(this.window)
    return this.middle
  }
}
