/** Runs of neighbours, ascending: `from[k] .. to[k]`. */
export interface Runs {
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** The runs of the parts of what runs name, by where the parts of each begin. */
export function innerRuns(runs: Runs, start: Uint32Array): Runs {
  return { from: runs.from.map((i) => start[i] ?? 0), to: runs.to.map((i) => start[i] ?? 0) }
}

/** The number of what runs name. */
export function totalOf(runs: Runs): number {
  return runs.from.reduce((total, from, k) => total + (runs.to[k] ?? 0) - from, 0)
}
