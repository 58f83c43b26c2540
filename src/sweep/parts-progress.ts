import type { BacktestOptions } from '../backtest/backtest-options.js'

/** Runs over one stretch of time: a leg of a run in parts. */
export interface PartsLeg {
  readonly lengthNs: number
  readonly runCount: number
}

/**
 * Options of a run in parts for each of its legs: their progress counts with that of all others, and a run weighs as
 * much as its time is long. Legs that are skipped count with the next one.
 */
export function optionsOfLegs(options: BacktestOptions, legs: readonly PartsLeg[]): readonly BacktestOptions[] {
  const { onProgress } = options
  if (onProgress === undefined) return legs.map(() => options)
  const whole = legs.reduce((sum, { lengthNs, runCount }) => sum + lengthNs * runCount, 0)
  const all = legs.reduce((sum, { runCount }) => sum + runCount, 0)
  let [played, runs] = [0, 0]
  return legs.map(({ lengthNs, runCount }) => {
    const [playedBefore, runsBefore] = [played, runs]
    played += lengthNs * runCount
    runs += runCount
    const report: typeof onProgress = ({ share, doneCount, ...progress }) => {
      const reached = (playedBefore + lengthNs * runCount * share) / whole
      onProgress({ ...progress, runCount: all, doneCount: runsBefore + doneCount, share: Math.min(1, reached) })
    }
    return { ...options, onProgress: report }
  })
}
