/** Changes of equity over equal intervals, summed up: plain data, from which the ratios are computed when read. */
export interface ReturnSums {
  count: number
  mean: number
  /** Sum of squared deviations from the mean. */
  squares: number
  /** Sum of the squares of the changes below 0. */
  downsideSquares: number
}

/** Sums that hold `count` intervals without a change. */
export function idleReturns(count: number): ReturnSums {
  return { count, mean: 0, squares: 0, downsideSquares: 0 }
}

/** Makes sums what others are. */
export function copyReturns({ count, mean, squares, downsideSquares }: ReturnSums, into: ReturnSums): void {
  into.count = count
  into.mean = mean
  into.squares = squares
  into.downsideSquares = downsideSquares
}

/**
 * Adds one change (Welford's way: one pass, no cancellation). IEEE additions, multiplications and divisions alone, so
 * every engine has the same bits.
 */
export function addChange(sums: ReturnSums, change: number): void {
  sums.count++
  const deviation = change - sums.mean
  sums.mean += deviation / sums.count
  sums.squares += deviation * (change - sums.mean)
  if (change < 0) sums.downsideSquares += change * change
}

/**
 * Sharpe ratio per year: mean change over the standard deviation of changes (divisor n - 1), times the square root of
 * the intervals in a year, no interest taken off. Null below two changes, or where all are equal.
 */
export function sharpeRatio({ count, mean, squares }: ReturnSums, intervalsPerYear: number): number | null {
  if (count < 2 || !(squares > 0)) return null
  return (mean / Math.sqrt(squares / (count - 1))) * Math.sqrt(intervalsPerYear)
}

/**
 * Sortino ratio per year: mean change over the root of the mean squared loss (over all n changes, target 0), scaled
 * alike. Null without a loss.
 */
export function sortinoRatio({ count, mean, downsideSquares }: ReturnSums, intervalsPerYear: number): number | null {
  if (count < 2 || !(downsideSquares > 0)) return null
  return (mean / Math.sqrt(downsideSquares / count)) * Math.sqrt(intervalsPerYear)
}
