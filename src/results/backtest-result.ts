import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { EquityCurve } from '../report/equity-curve.js'
import type { ReportAbout, RunReport } from '../report/pages/report-data.js'
import type { RunSummary } from '../report/run-summary.js'
import type { ResultTable } from './lazy-table.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, RoundTripRow } from './result-rows.js'

/** The options of {@link BacktestResult.writeReport}. */
export interface ReportWriteOptions {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** Its pictures as PNG too, in a folder beside it: `report-pictures` for `report.html`; default false. */
  readonly png?: boolean
  /** The facts that only the caller knows of the run: run file, name, note. */
  readonly about?: ReportAbout
}

/** The result of one world. */
export interface BacktestResult {
  /**
   * `bt3:` and 64 hex digits: the same configuration and the same journal have the same fingerprint on every machine.
   */
  readonly fingerprint: string
  /** Digest of `configuration`. */
  readonly configDigest: string
  /**
   * The configuration behind that digest: strategy, parameters, accounts, assumptions, seed, times, digests of the
   * files. Plain JSON.
   */
  readonly configuration: Readonly<Record<string, unknown>>
  /** The parameters of this result, as they were given. */
  readonly parameters: ParameterConfig
  /** Digest of the journal: SHA-256, chained over its segments. */
  readonly journalDigest: string
  /** Digests of the journal's closed segments of at most 4,096 lines, in order. */
  readonly segmentDigests: readonly string[]
  /** Number of lines of the journal. */
  readonly journalLineCount: number
  /** True where the run was stopped before its data ended. */
  readonly isPartial: boolean
  /** The threads over which the sets of its run were divided; 1 also where `jobs` asked for more in vain. */
  readonly threadCount: number
  /** The trimming of files (the option `trim`). */
  readonly trim: 'day' | 'none'
  /** The summary of the run; consoles and notebooks show it as text. */
  readonly summary: RunSummary
  /** Sampled equity by underlying for pictures, at most 1,024 points; 128 where the run kept no rows. */
  readonly curves: readonly EquityCurve[]
  /** Every execution, in order. */
  readonly fills: ResultTable<FillRow>
  /** Every order, in the order of sending. */
  readonly orders: ResultTable<OrderRow>
  /** Equity by underlying, every minute of market time and at both ends, or as the option `equity` says. */
  readonly equity: ResultTable<EquityRow>
  /** Round trips in the order in which they were closed; what was open at the end comes last. */
  readonly roundTrips: ResultTable<RoundTripRow>
  /** Hours in UTC, by underlying. */
  readonly hours: ResultTable<PeriodRow>
  /** Days in UTC, by underlying. */
  readonly days: ResultTable<PeriodRow>
  /**
   * Everything that a report shows, as plain JSON data: courses, tables, figures. Absolute paths and the values of
   * keys, tokens and passwords are left out of its texts. Throws OPTION_INVALID where the run kept no rows (`tables:
   * 'none'`).
   */
  report(about?: ReportAbout): RunReport
  /**
   * Writes the report as a page of HTML, one file that asks for nothing else, and its data beside it: `report.html` and
   * `report.json`. The same run gives the same bytes.
   *
   * Throws OPTION_INVALID where the name does not end in `.html` and where the run kept no rows, OUTPUT_EXISTS without
   * `force` where a file or a folder of pictures exists, and OUTPUT_FAILED, also where there is no font for `png`.
   */
  writeReport(path: string, options?: ReportWriteOptions): Promise<void>
}
