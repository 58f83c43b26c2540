import { checkedFactor } from './indicator.js'
import { WindowIndicator, type Window } from './window.js'

/** Deviation of a whole population: the sum of squares divided by their count. */
function deviationOf(window: Window): number {
  // The mean of equal values may be next to them.
  return window.least() === window.greatest() ? 0 : Math.sqrt(window.comoment(window) / window.period)
}

/** Standard deviation of the last `period` values, divided by their count and not by one less: STDDEV of TA-Lib. */
export class StandardDeviation extends WindowIndicator {
  private deviation = NaN

  constructor(period: number) {
    super('stdev', period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.deviation
  }

  /** The deviation with one more value. */
  protected override workOut(): void {
    this.deviation = deviationOf(this.window)
  }
}

/**
 * Distance of the newest value from the mean of the last `period` ones, in their {@link StandardDeviation}; 0 where all
 * are equal.
 */
export class StandardScore extends WindowIndicator {
  private score = NaN

  constructor(period: number) {
    super('zscore', period, 2)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.score
  }

  /** The score of one more value. */
  protected override workOut(): void {
    const deviation = deviationOf(this.window)
    this.score = deviation === 0 ? 0 : (this.window.value - this.window.mean()) / deviation
  }
}

/**
 * Bollinger's bands: the mean of the last `period` values, and `factor` of their {@link StandardDeviation} above and
 * below it: BBANDS of TA-Lib (Bollinger on Bollinger Bands, 2001).
 */
export class BollingerBands extends WindowIndicator {
  private readonly factor: number
  private middle = NaN
  private width = NaN

  constructor(period: number, factor: number) {
    super('bollinger', period, 1, `bollinger(${period}, ${factor})`)
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

  /** The mean with one more value. */
  protected override workOut(): void {
    this.middle = this.window.mean()
    this.width = this.factor * deviationOf(this.window)
  }
}
