import { exactExp } from '../model/exact-math.js'
import { exactPower } from '../model/exact-power.js'
import { quantileOf } from './quantile.js'

/** The shape of a series of returns; null where a value is not defined. Shares are parts of 1. */
export interface ReturnDistribution {
  /** Mean of the returns; null without any. */
  readonly mean: number | null
  /** The greatest return; null without any. */
  readonly best: number | null
  /** The least return; null without any. */
  readonly worst: number | null
  /** Mean of the returns above 0; null without a gain. */
  readonly meanGain: number | null
  /** Mean of the returns below 0; null without a loss. */
  readonly meanLoss: number | null
  /** The longest row of returns above 0. */
  readonly longestGains: number
  /** The longest row of returns below 0. */
  readonly longestLosses: number
  /** Compounded return per year; null without returns, and where everything was lost. */
  readonly yearly: number | null
  /** Skewness G1, as `pandas.Series.skew`; null below three returns, or where all are equal. */
  readonly skewness: number | null
  /** Kurtosis above that of a normal distribution, G2, as `pandas.Series.kurt`; null below four, or all equal. */
  readonly excessKurtosis: number | null
  /** The 5 % quantile of the returns, interpolated linearly: value at risk by history; null without returns. */
  readonly valueAtRisk: number | null
  /** Mean of the returns at or below `valueAtRisk`: expected shortfall; null without returns. */
  readonly expectedShortfall: number | null
  /**
   * Probability that the true Sharpe ratio is above 0, given number, skewness and kurtosis of the returns; null where
   * one of these is. Bailey, Lopez de Prado (2012), The Sharpe Ratio Efficient Frontier, equation 14. One try is
   * supposed: of a best set of many it says too much.
   */
  readonly probabilisticSharpe: number | null
}

/** Part of the returns that value at risk leaves below it. */
const TAIL = 0.05

/**
 * The shape of simple returns over equal periods, in their order: what {@link returnStatistics} leaves out.
 * `periodsPerYear` is 365 for days of a market that never closes, 8760 for hours.
 *
 * @example
 * ```ts
 * import { returnDistribution } from 'backtape/measures'
 * const { worst, longestGains, meanGain } = returnDistribution([0.01, 0.03, -0.02, 0.01], 365)
 * if (worst !== -0.02 || longestGains !== 2 || meanGain?.toFixed(4) !== '0.0167') throw new Error(String(meanGain))
 * ```
 */
export function returnDistribution(returns: readonly number[], periodsPerYear: number): ReturnDistribution {
  const { length: count } = returns
  const ascending = Float64Array.from(returns).sort()
  const [gains, losses] = [returns.filter((one) => one > 0), returns.filter((one) => one < 0)]
  const wealth = returns.reduce((product, one) => product * (1 + one), 1)
  const valueAtRisk = quantileOf(ascending, TAIL)
  const shape = shapeOf(returns)
  return {
    mean: meanOf(returns), best: ascending.at(-1) ?? null, worst: ascending[0] ?? null,
    meanGain: meanOf(gains), meanLoss: meanOf(losses),
    longestGains: longestRow(returns, (one) => one > 0), longestLosses: longestRow(returns, (one) => one < 0),
    yearly: count === 0 || !(wealth > 0) ? null : exactPower(wealth, periodsPerYear / count) - 1,
    skewness: shape.skewness, excessKurtosis: shape.excessKurtosis, valueAtRisk,
    expectedShortfall: valueAtRisk === null ? null : meanOf(returns.filter((one) => one <= valueAtRisk)),
    probabilisticSharpe: shape.probabilisticSharpe,
  }
}

/** The longest row of values that a test holds for. */
export function longestRow<Value>(values: readonly Value[], holds: (value: Value) => boolean): number {
  let [longest, running] = [0, 0]
  for (const value of values) {
    running = holds(value) ? running + 1 : 0
    longest = Math.max(longest, running)
  }
  return longest
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length
}

type Shape = Pick<ReturnDistribution, 'skewness' | 'excessKurtosis' | 'probabilisticSharpe'>

function shapeOf(returns: readonly number[]): Shape {
  const { length: n } = returns
  const mean = meanOf(returns) ?? 0
  if (n < 3 || returns.every((one) => one === returns[0]))
    return { skewness: null, excessKurtosis: null, probabilisticSharpe: null }
  let [second, third, fourth] = [0, 0, 0]
  for (const one of returns) {
    const distance = one - mean
    second += distance * distance
    third += distance * distance * distance
    fourth += distance * distance * distance * distance
  }
  const variance = second / n
  const plainSkewness = third / n / (variance * Math.sqrt(variance))
  const plainKurtosis = fourth / n / (variance * variance)
  const skewness = plainSkewness * Math.sqrt(n * (n - 1)) / (n - 2)
  if (n < 4) return { skewness, excessKurtosis: null, probabilisticSharpe: null }
  const excessKurtosis = ((n - 1) / ((n - 2) * (n - 3))) * ((n + 1) * (plainKurtosis - 3) + 6)
  const sharpe = mean / Math.sqrt(second / (n - 1))
  const spread = 1 - plainSkewness * sharpe + ((plainKurtosis - 1) / 4) * sharpe * sharpe
  return {
    skewness, excessKurtosis,
    probabilisticSharpe: spread > 0 ? normalShare(sharpe * Math.sqrt(n - 1) / Math.sqrt(spread)) : null,
  }
}

/**
 * Part of a standard normal distribution below a value: Marsaglia (2004), Evaluating the Normal Distribution, the
 * series of its page 4; beyond 8 it is 0 or 1 within 1e-15.
 */
function normalShare(value: number): number {
  if (value > 8) return 1
  if (value < -8) return 0
  let [sum, term, before] = [value, value, 0]
  for (let divisor = 3; sum !== before; divisor += 2) {
    before = sum
    term *= value * value / divisor
    sum += term
  }
  const share = 0.5 + sum * exactExp(-0.5 * value * value) * INVERSE_ROOT
  return Math.min(1, Math.max(0, share))
}

/** 1 over the root of 2 pi. */
const INVERSE_ROOT = 0.3989422804014327
