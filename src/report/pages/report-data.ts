import type { LatencyQuantiles } from '../../model/latency-sketch.js'
import type { RunSummary } from '../run-summary.js'
import type { ReportFees, ReportMoney } from './report-money.js'
import type { ReportHistogram, ReportSeries } from './report-series.js'

/*
 * Everything that a report shows, as plain JSON data: `report.json` beside the page. Money, prices and quantities are
 * exact decimal texts and times ISO-8601 texts, unless a field says otherwise; what only a picture or a statistic needs
 * is a double, and times of pictures are epoch milliseconds in UTC.
 */

/** The format's name: its number rises whenever what a report holds changes. */
export const REPORT_FORMAT = 'backtape-report/2'

/** A value of a {@link ReportTable}. */
export type ReportCell = string | number | boolean | null

/** A table as pandas reads it: `pandas.DataFrame(table['data'], columns=table['columns'])`. */
export interface ReportTable {
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** The rows, each as long as `columns`. */
  readonly data: readonly (readonly ReportCell[])[]
}

/** Mark-outs of the fills of an instrument after one horizon, per unit, above 0 good for us. */
export interface ReportMarkOut {
  /** After the client received the fill. */
  readonly horizonNs: number
  /** `all`, `maker` or `taker`. */
  readonly liquidity: string
  /** Fills with a mid at the horizon. */
  readonly measuredCount: number
  /** Mean weighted by quantity, rounded to 18 decimals. */
  readonly mean: string | null
  /** Quartiles over fills, doubles. */
  readonly p25: number | null
  /** Median over fills; null where none was measured. */
  readonly median: number | null
  /** Upper quartile; null where none was measured. */
  readonly p75: number | null
}

/** Orders that came to rest with a quantity ahead in one range. */
export interface ReportQueueBin {
  /** Least quantity ahead in it. */
  readonly from: string
  /** Greatest quantity ahead in it. */
  readonly to: string
  /** Orders of the range. */
  readonly orderCount: number
  /** Those with a fill. */
  readonly filledCount: number
  /** Median time from acceptance to the end of filled orders. */
  readonly medianFillNs: number | null
  /** Mean mark-out after 1 s of their fills, per unit, a double; null where none was measured. */
  readonly markOut1s: number | null
}

/** One account's position in one instrument over time. */
export interface ReportPosition {
  /** Id of the account. */
  readonly account: string
  /** Exchange time of each change, epoch milliseconds; of many changes the extremes of equal spans. */
  readonly epochMs: readonly number[]
  /** Signed position after it, a double; on spot what the fills have come to. */
  readonly position: readonly number[]
  /** Part of the time that the data cover with a position above 0; null without such a time. */
  readonly longShare: number | null
  /** Part of the time that the data cover with a position below 0; null without such a time. */
  readonly shortShare: number | null
}

/** One instrument. */
export interface ReportInstrument {
  /** `exchange:code`. */
  readonly instrument: string
  /** Mids as a client saw them, doubles, looked at once a second or, in long runs, less often. */
  readonly price: ReportSeries
  /** One of each account that traded it. */
  readonly positions: readonly ReportPosition[]
  /** By horizon and liquidity. */
  readonly markOuts: readonly ReportMarkOut[]
  /** By ranges of the quantity ahead, the least first. */
  readonly queue: readonly ReportQueueBin[]
  /** Own fills. */
  readonly fillCount: number
}

/** A time without a trustworthy book at the exchange. */
export interface ReportUnknownBook {
  /** `exchange:code`. */
  readonly instrument: string
  /** The last good line of depth; null where there was none. */
  readonly since: string | null
  /** When it was noticed, ISO-8601. */
  readonly detected: string
  /** When the book was there again; null where it was not. */
  readonly end: string | null
  /** The cause, in words. */
  readonly reason: string
}

/** A great fall of equity from one sample to the next, and the books that a client saw at its end. */
export interface ReportMoment {
  /** Code of the underlying. */
  readonly underlying: string
  /** The sample before, ISO-8601. */
  readonly since: string
  /** The sample behind the fall, ISO-8601. */
  readonly time: string
  /** Equity before less equity after. */
  readonly fall: string
  /** Equity at `time`. */
  readonly equity: string
  /** One of each instrument with a book. */
  readonly books: readonly {
    /** `exchange:code`. */
    readonly instrument: string
    /** Price and quantity, the best level first; at most ten. */
    readonly bids: readonly (readonly [price: string, qty: string])[]
    /** The same of the other side. */
    readonly asks: readonly (readonly [price: string, qty: string])[]
  }[]
  /** Own fills between the two samples. */
  readonly fillCount: number
}

/** A latency of the run. */
export interface ReportLatency {
  /** Of a feed or of a request, such as `place request`. */
  readonly name: string
  /** In nanoseconds. */
  readonly quantiles: LatencyQuantiles
  /** Counts by duration in nanoseconds, a quarter of an octave a bin; null where only quantiles are known. */
  readonly histogram: ReportHistogram | null
}

/** A line of a strategy's log. */
export interface ReportLogLine {
  /** Market time, ISO-8601. */
  readonly time: string
  /** `log`, or `warning` for a sentence of the runtime. */
  readonly level: 'log' | 'warning'
  /** The strategy that wrote it. */
  readonly client: string
  /** The text, cut to 500 characters. */
  readonly text: string
}

/** The log of a run's strategies. */
export interface ReportLog {
  /** Lines of each level in the run. */
  readonly counts: Readonly<Record<ReportLogLine['level'], number>>
  /** The last 200 of each level, in their order; the journal has all. */
  readonly lines: readonly ReportLogLine[]
}

/** The run itself. */
export interface ReportRun {
  /** As the result has it. */
  readonly fingerprint: string
  /** Digest of `configuration`. */
  readonly configDigest: string
  /** Digest of the journal. */
  readonly journalDigest: string
  /** Lines of the journal. */
  readonly journalLineCount: number
  /** As they were given. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The resolved configuration behind `configDigest`; see {@link ReportAbout} for what a report leaves out. */
  readonly configuration: Readonly<Record<string, unknown>>
  /** The facts that the caller added. */
  readonly about: ReportAbout
}

/**
 * The facts that only the caller knows of a run. Of everything in a report that may come from a file or a strategy,
 * absolute paths are cut to their last name, and values of keys, tokens and passwords are left out.
 */
export interface ReportAbout {
  /** The run file with its values resolved; absent of a run without one. */
  readonly runFile?: Readonly<Record<string, unknown>>
  /** Its name without folders. */
  readonly file?: string
  /** `--name` of the run. */
  readonly name?: string
  /** `--note` of the run. */
  readonly note?: string
  /** Start of the command, ISO-8601: data of the record, no clock is read. */
  readonly started?: string
  /** Values of the command line in words. */
  readonly overrides?: string
}

/** The report of one run: what `report.json` holds. */
export interface RunReport {
  /** Name and number of the format. */
  readonly format: typeof REPORT_FORMAT
  /** `run`; a comparison has another. */
  readonly kind: 'run'
  /** The strategy. */
  readonly title: string
  /** The assumptions of the run by name. */
  readonly assumptions: Readonly<Record<string, string>>
  /** As the result has it. */
  readonly summary: RunSummary
  /** By underlying. */
  readonly money: readonly ReportMoney[]
  /** By underlying of the fees. */
  readonly fees: readonly ReportFees[]
  /** Of the instruments that were traded. */
  readonly instruments: readonly ReportInstrument[]
  /** Of feeds and requests. */
  readonly latencies: readonly ReportLatency[]
  /** In order of time, the first of many. */
  readonly bookUnknown: readonly ReportUnknownBook[]
  /** By underlying, the greatest fall first; at most five each. */
  readonly worst: readonly ReportMoment[]
  /** The last lines of the strategies' logs. */
  readonly log: ReportLog
  /** Identity and set-up. */
  readonly run: ReportRun
  /** Every fill, by names of the table `fills`. */
  readonly fills: ReportTable
  /** Every order, by names of the table `orders`. */
  readonly orders: ReportTable
}
