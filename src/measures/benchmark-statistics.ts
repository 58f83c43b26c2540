/** Returns beside those of a benchmark over the same periods; null where a value is not defined. */
export interface BenchmarkStatistics {
  /** Pairs of returns. */
  readonly sampleCount: number
  /** Covariance of both over the variance of the benchmark; null below two pairs, or where that never moved. */
  readonly beta: number | null
  /** Correlation of both; null below two pairs, or where one of them never moved. */
  readonly correlation: number | null
  /** Mean of the returns less `beta` times the benchmark's mean, per year: Jensen's, without interest. */
  readonly alpha: number | null
  /** Standard deviation (divisor n - 1) of the differences, per year; null below two pairs. */
  readonly trackingError: number | null
  /** Mean difference over its deviation, per year; null below two pairs, or where all differences are equal. */
  readonly informationRatio: number | null
}

/**
 * Returns of a strategy beside those of a benchmark, such as buying and holding its instrument, both simple and over
 * the same equal periods. Where one series is longer, its rest is left out. Beta, alpha and tracking error are those of
 * `empyrical-reloaded` (PyPI) where these are per year, by the divisor n - 1; no interest is taken off.
 *
 * @example
 * ```ts
 * import { benchmarkStatistics } from 'backtape/measures'
 * const { beta, correlation } = benchmarkStatistics([0.02, -0.04, 0.06], [0.01, -0.02, 0.03], 365)
 * if (beta?.toFixed(6) !== '2.000000' || correlation?.toFixed(6) !== '1.000000') throw new Error(String(beta))
 * ```
 */
export function benchmarkStatistics(
  returns: readonly number[], benchmark: readonly number[], periodsPerYear: number,
): BenchmarkStatistics {
  const count = Math.min(returns.length, benchmark.length)
  const none = { beta: null, correlation: null, alpha: null, trackingError: null, informationRatio: null }
  if (count < 2) return { sampleCount: count, ...none }
  const [own, other] = [returns.slice(0, count), benchmark.slice(0, count)]
  const differences = own.map((one, at) => one - (other[at] as number))
  const [ownVariance, otherVariance] = [covariance(own, own), covariance(other, other)]
  const shared = covariance(own, other)
  const beta = otherVariance === 0 ? null : shared / otherVariance
  const deviation = Math.sqrt(covariance(differences, differences))
  const yearly = Math.sqrt(periodsPerYear)
  return {
    sampleCount: count, beta,
    correlation:
      otherVariance === 0 || ownVariance === 0 ? null : shared / (Math.sqrt(ownVariance) * Math.sqrt(otherVariance)),
    alpha: beta === null ? null : (meanOf(own) - beta * meanOf(other)) * periodsPerYear,
    trackingError: deviation * yearly,
    informationRatio: deviation === 0 ? null : (meanOf(differences) / deviation) * yearly,
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

/** Sample covariance; 0 where one side never moves, which rounding of its mean alone would not say. */
function covariance(a: readonly number[], b: readonly number[]): number {
  const isFlat = (values: readonly number[]): boolean => values.every((one) => one === values[0])
  if (isFlat(a) || isFlat(b)) return 0
  const [meanA, meanB] = [meanOf(a), meanOf(b)]
  return a.reduce((sum, one, at) => sum + (one - meanA) * ((b[at] as number) - meanB), 0) / (a.length - 1)
}
