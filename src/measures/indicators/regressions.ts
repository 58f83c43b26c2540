import { checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'
import { Window, WindowIndicator } from './window.js'

/** Pearson's correlation of the last `period` pairs, 0 where one side does not vary: CORREL of TA-Lib. */
export class Correlation extends Indicator {
  private readonly left: Window
  private readonly right: Window
  private correlation = NaN

  constructor(period: number) {
    super(`correlation(${period})`)
    this.left = new Window(checkedPeriod('correlation', period, 2))
    this.right = new Window(period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.correlation
  }

  /** The correlation with one more pair, from -1 to 1. Throws OPTION_INVALID for NaN. */
  next(left: IndicatorInput, right: IndicatorInput): number {
    const [one, other] = [this.input('left', left), this.input('right', right)]
    this.left.push(one)
    this.right.push(other)
    if (!this.left.isFull) return NaN
    const isFlat = [this.left, this.right].some((side) => side.least() === side.greatest())
    const squares = Math.sqrt(this.left.comoment(this.left)) * Math.sqrt(this.right.comoment(this.right))
    const correlation = isFlat || squares === 0 ? 0 : this.left.comoment(this.right) / squares
    this.correlation = Math.max(-1, Math.min(1, correlation))
    return this.correlation
  }
}

/**
 * Slope of the straight line of least squares through the last `period` values, a step of the value for each input:
 * LINEARREG_SLOPE of TA-Lib.
 */
export class LinearSlope extends WindowIndicator {
  private slope = NaN

  constructor(period: number) {
    super('slope', period, 2)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.slope
  }

  /** The slope with one more value. */
  protected override workOut(): void {
    const { period } = this.window
    const [mean, middle] = [this.window.mean(), (period - 1) / 2]
    let products = 0
    for (let places = period - 1; places >= 0; places -= 1)
      products += (middle - places) * (this.window.back(places) - mean)
    this.slope = products / ((period * (period * period - 1)) / 12)
  }
}
