import { exactPower } from '../model/exact-power.js'

/** Statistics of a series of returns; null where one is not defined. Shares are parts of 1. */
export interface ReturnStatistics {
  /** Number of returns. */
  readonly sampleCount: number
  /** Compounded return over the whole series. */
  readonly total: number
  /** Standard deviation (divisor n - 1) per year; null below two returns. */
  readonly volatility: number | null
  /** Mean over standard deviation, per year, no interest taken off; null below two returns, or where all are equal. */
  readonly sharpe: number | null
  /** Mean over the root of the mean squared loss (over all n, target 0), per year; null without a loss. */
  readonly sortino: number | null
  /** The greatest fall of the compounded curve below its highest before, its begin included: 0 or above. */
  readonly maxDrawdown: number
  /** Compounded return per year over `maxDrawdown`; null without a fall, and where everything was lost. */
  readonly calmar: number | null
  /** Returns above 0, part of those that are not 0; null where all are 0. */
  readonly winRate: number | null
  /** Sum of the returns above 0 over that of those below; null without a loss. */
  readonly profitFactor: number | null
}

/**
 * Statistics of simple returns over equal periods, in their order: those of `quantstats` and `empyrical-reloaded`
 * (PyPI) where these define them alike; a drawdown is above 0 here. `periodsPerYear` is 365 for days of a market that
 * never closes, 8760 for hours. IEEE arithmetic and an exact power alone, so every engine has the same bits.
 *
 * @example
 * ```ts
 * import { returnStatistics } from 'backtape/measures'
 * const { sharpe, maxDrawdown, winRate } = returnStatistics([0.01, -0.02, 0.03, 0.01], 365)
 * if (sharpe === null || maxDrawdown.toFixed(4) !== '0.0200' || winRate !== 0.75) throw new Error(String(sharpe))
 * ```
 */
export function returnStatistics(returns: readonly number[], periodsPerYear: number): ReturnStatistics {
  const { length: count } = returns
  let [sum, gains, losses, downside, winCount, lossCount] = [0, 0, 0, 0, 0, 0]
  let [wealth, peak, maxDrawdown] = [1, 1, 0]
  for (const one of returns) {
    sum += one
    if (one > 0) {
      gains += one
      winCount++
    } else if (one < 0) {
      losses -= one
      downside += one * one
      lossCount++
    }
    wealth *= 1 + one
    peak = Math.max(peak, wealth)
    maxDrawdown = Math.max(maxDrawdown, (peak - wealth) / peak)
  }
  const mean = sum / count
  const deviation = deviationOf(returns, mean)
  const yearly = Math.sqrt(periodsPerYear)
  return {
    sampleCount: count,
    total: wealth - 1,
    volatility: deviation === null ? null : deviation * yearly,
    sharpe: deviation === null || deviation === 0 ? null : (mean / deviation) * yearly,
    sortino: lossCount === 0 ? null : (mean / Math.sqrt(downside / count)) * yearly,
    maxDrawdown,
    calmar:
      maxDrawdown === 0 || !(wealth > 0) ? null : (exactPower(wealth, periodsPerYear / count) - 1) / maxDrawdown,
    winRate: winCount + lossCount === 0 ? null : winCount / (winCount + lossCount),
    profitFactor: lossCount === 0 ? null : gains / losses,
  }
}

/** Null below two values; 0 where all are equal, which rounding of the mean alone would not say. */
function deviationOf(values: readonly number[], mean: number): number | null {
  if (values.length < 2) return null
  if (values.every((one) => one === values[0])) return 0
  let squares = 0
  for (const one of values) squares += (one - mean) * (one - mean)
  return Math.sqrt(squares / (values.length - 1))
}
