import { BacktapeError } from '../../model/error.js'
import { ExponentialAverage, WilderAverage } from './averages.js'
import { checkedPeriod, Indicator, type IndicatorInput } from './indicator.js'

/**
 * Relative strength: 100 times the rises among all changes, each side by a {@link WilderAverage} of `period` changes; 0
 * where nothing changed: RSI of TA-Lib (Wilder, 1978).
 */
export class RelativeStrength extends Indicator {
  private readonly rises: WilderAverage
  private readonly falls: WilderAverage
  private last = NaN
  private strength = NaN

  constructor(period: number) {
    super(`rsi(${period})`)
    this.rises = new WilderAverage(checkedPeriod('rsi', period))
    this.falls = new WilderAverage(period)
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.strength
  }

  /** The strength with one more value, from 0 to 100. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    const given = this.input('value', value)
    const change = given - this.last
    this.last = given
    if (Number.isNaN(change)) return NaN
    const rise = this.rises.next(Math.max(0, change))
    const fall = this.falls.next(Math.max(0, -change))
    if (this.rises.isReady) this.strength = rise + fall === 0 ? 0 : (100 * rise) / (rise + fall)
    return this.strength
  }
}

/**
 * Moving average convergence and divergence: a fast {@link ExponentialAverage} less a slow one, both ready with the
 * same value, and one of `signal` of that: MACD of TA-Lib (Appel). It is ready when its signal is.
 */
export class AverageDivergence extends Indicator {
  private readonly fast: ExponentialAverage
  private readonly slow: ExponentialAverage
  private readonly signals: ExponentialAverage
  /** So many values pass before the fast average begins. */
  private readonly passed: number
  private count = 0

  constructor(fast: number, slow: number, signal: number) {
    super(`macd(${fast}, ${slow}, ${signal})`)
    this.fast = new ExponentialAverage(checkedPeriod('macd', fast, 1, 'fast'))
    this.slow = new ExponentialAverage(checkedPeriod('macd', slow, 1, 'slow'))
    this.signals = new ExponentialAverage(checkedPeriod('macd', signal, 1, 'signal'))
    this.passed = slow - fast
    if (this.passed > 0) return
    const sentence = `Cannot make macd: slow must be above fast (${fast}), found ${slow}`
    throw new BacktapeError('OPTION_INVALID', sentence, {
      field: 'slow', expected: `above ${fast}`, found: String(slow),
    })
  }

  /** The last value; NaN until {@link Indicator.isReady}. */
  get value(): number {
    return this.isReady ? this.fast.value - this.slow.value : NaN
  }

  /** True once its signal is ready. */
  override get isReady(): boolean {
    return this.signals.isReady
  }

  /** The average of the difference; NaN until it is ready. */
  get signal(): number {
    return this.signals.value
  }

  /** The difference less its average; NaN until it is ready. */
  get histogram(): number {
    return this.value - this.signal
  }

  /** The difference with one more value. Throws OPTION_INVALID for NaN. */
  next(value: IndicatorInput): number {
    const given = this.input('value', value)
    if (this.count < this.passed) this.count += 1
    else this.fast.next(given)
    this.slow.next(given)
    if (this.slow.isReady) this.signals.next(this.fast.value - this.slow.value)
    return this.value
  }
}
