import { checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'
import { WindowIndicator } from './window.js'

/** Mean of the last `period` values: SMA of TA-Lib. */
export class SimpleAverage extends WindowIndicator {
  private mean = NaN

  constructor(period: number) {
    super('sma', period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.mean
  }

  /** The mean with one more value. */
  protected override workOut(): void {
    this.mean = this.window.mean()
  }
}

/** Mean of the last `period` values, the newest with the weight `period`, the oldest with 1: WMA of TA-Lib. */
export class WeightedAverage extends WindowIndicator {
  private mean = NaN

  constructor(period: number) {
    super('wma', period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.mean
  }

  /** The mean with one more value. */
  protected override workOut(): void {
    const { period } = this.window
    let sum = 0
    for (let places = period - 1; places >= 0; places -= 1) sum += this.window.back(places) * (period - places)
    this.mean = sum / ((period * (period + 1)) / 2)
  }
}

/** An average that goes a part of the way to each value; it begins with the mean of the first `period` values. */
class SmoothedAverage extends Indicator {
  private count = 0
  private sum = 0
  private mean = NaN

  constructor(label: string, private readonly period: number, private readonly part: number) {
    super(label)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.mean
  }

  /** The average with one more value. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    const given = this.input('value', value)
    if (this.count === this.period) this.mean += this.part * (given - this.mean)
    else {
      this.count += 1
      this.sum += given
      if (this.count === this.period) this.mean = this.sum / this.period
    }
    return this.mean
  }
}

/**
 * Exponential average: 2 / (period + 1) of the way to each value, after the mean of the first `period` values: EMA of
 * TA-Lib.
 */
export class ExponentialAverage extends SmoothedAverage {
  constructor(period: number) {
    super(`ema(${period})`, checkedPeriod('ema', period), 2 / (period + 1))
  }
}

/**
 * Wilder's average: 1 / period of the way to each value, after the mean of the first `period` values (Wilder, New
 * Concepts in Technical Trading Systems, 1978).
 */
export class WilderAverage extends SmoothedAverage {
  constructor(period: number) {
    super(`rma(${period})`, checkedPeriod('rma', period), 1 / period)
  }
}
