import type { EquityCurve } from '../equity-curve.js'
import type { ReportTable } from './report-data.js'

/** The format's name: its number rises whenever what a comparison holds changes. */
export const COMPARISON_FORMAT = 'backtape-comparison/1'

/** One run or parameter set of a comparison. */
export interface ComparedSet {
  /** `set 3`, or the id of a run. */
  readonly name: string
  readonly fingerprint: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** ISO-8601. */
  readonly start: string
  readonly end: string
  readonly isPartial: boolean
  readonly warnings: readonly string[]
  /** Sampled equity, fewer samples than the run has, none of them rounded; none where a record is older than that. */
  readonly curves: readonly EquityCurve[]
}

/** A value of the set-up that differs. */
export interface SetUpDifference {
  /** The place in the configuration, such as `assumptions.queue`. */
  readonly path: string
  /** The value of each set as text, in the order of `sets`. */
  readonly values: readonly string[]
}

/**
 * The measure by the values of two varied parameters: the median of the sets that share a pair, as other parameters
 * may vary too.
 */
export interface PairMap {
  readonly rowName: string
  readonly columnName: string
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  /** Medians by row, then column, doubles; null where no set has the pair. */
  readonly medians: readonly (readonly (number | null)[])[]
  /** Sets behind each. */
  readonly counts: readonly (readonly number[])[]
}

/** A comparison of runs or parameter sets: what its `.json` holds. */
export interface ComparisonReport {
  readonly format: typeof COMPARISON_FORMAT
  readonly kind: 'comparison'
  readonly title: string
  readonly setCount: number
  /** The measure by which the table is sorted. */
  readonly measure: string
  readonly isLessBetter: boolean
  /** Place of the best set in `sets`; null where none has the measure, and where two runs are set side by side. */
  readonly best: number | null
  /** Value of the best as the table has it. */
  readonly bestText: string | null
  /** Assumptions that all have in common. */
  readonly assumptions: Readonly<Record<string, string>>
  readonly setUp: readonly SetUpDifference[]
  readonly sets: readonly ComparedSet[]
  /** Places of the sets in the order of the table, the best first. */
  readonly order: readonly number[]
  /** A row for each set in that order: name, varied parameters, measures, as texts for reading. */
  readonly table: ReportTable
  /** Exact values of the measures in the same order; null where one has none. */
  readonly measures: ReportTable
  readonly pairs: readonly PairMap[]
}
