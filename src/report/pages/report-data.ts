import type { LatencyQuantiles } from '../../model/latency-sketch.js'
import type { RunSummary } from '../run-summary.js'

/*
 * Everything that a report shows, as plain JSON data: `report.json` beside the page. Money, prices and quantities are
 * exact decimal texts and times ISO-8601 texts, unless a field says otherwise; what only a picture or a statistic needs
 * is a double, and times of pictures are epoch milliseconds in UTC.
 */

/** The format's name: its number rises whenever what a report holds changes. */
export const REPORT_FORMAT = 'backtape-report/1'

/** A value of a {@link ReportTable}. */
export type ReportCell = string | number | boolean | null

/** A table as pandas reads it: `pandas.DataFrame(table['data'], columns=table['columns'])`. */
export interface ReportTable {
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** The rows, each as long as `columns`. */
  readonly data: readonly (readonly ReportCell[])[]
}

/** A course in time buckets for pictures: columns of doubles of equal length; buckets without a value are left out. */
export interface ReportSeries {
  /** Length of a bucket, milliseconds. */
  readonly bucketMs: number
  /** Begin of each bucket, epoch milliseconds. */
  readonly epochMs: readonly number[]
  /** Smallest value of each. */
  readonly low: readonly number[]
  /** Greatest value of each. */
  readonly high: readonly number[]
  /** Last value of each. */
  readonly last: readonly number[]
}

/** A histogram of doubles: bin `i` reaches from `edges[i]` to below `edges[i + 1]`, the last one to its end. */
export interface ReportHistogram {
  /** One more than `counts`. */
  readonly edges: readonly number[]
  /** Values in each bin. */
  readonly counts: readonly number[]
}

/** A fall of equity below its highest value before, from the rows of the equity table. */
export interface ReportDrawdown {
  /** Time of the highest row before it. */
  readonly from: string
  /** Time of the lowest row. */
  readonly lowest: string
  /** First row at the height of before; null where equity never came back. */
  readonly to: string | null
  /** Depth, in the underlying. */
  readonly amount: string
  /** Part of the peak; null where that was not above 0. */
  readonly share: number | null
}

/** Sharpe ratios of a moving window of returns. */
export interface ReportRolling {
  /** `day` or `hour`: the length of a return. */
  readonly unit: 'day' | 'hour'
  /** Returns in a window. */
  readonly windowCount: number
  /** Begin of the last return of each window, epoch milliseconds. */
  readonly epochMs: readonly number[]
  /** Per year; null where all returns of the window are equal. */
  readonly sharpe: readonly (number | null)[]
  /** The reason why there is none; null where there is. */
  readonly notComputed: string | null
}

/** The return of a day, month or hour. */
export interface ReportReturn {
  /** `2024-07-18`, `2024-07`, or ISO-8601 of an hour's begin. */
  readonly period: string
  /** Profit in it, in the underlying. */
  readonly profit: string
  /** Profit over equity at its begin; of a month the compounded returns of its days; null where unknown. */
  readonly return: number | null
}

/** A round trip as the report names it. */
export interface ReportTrip {
  /** `exchange:code`. */
  readonly instrument: string
  /** `long` or `short`. */
  readonly direction: 'long' | 'short'
  /** Exchange time of the opening fill, ISO-8601. */
  readonly entry: string
  /** Exchange time of its end, ISO-8601. */
  readonly exit: string
  /** In the instrument's own unit. */
  readonly qty: string
  /** Price of the opening fill. */
  readonly entryPrice: string
  /** Price at which it ended; null where nothing states it. */
  readonly exitPrice: string | null
  /** Net of fees. */
  readonly profit: string
  /** Time between its ends, nanoseconds. */
  readonly holdingNs: number
}

/** Round trips of one direction. */
export interface ReportTripGroup {
  /** `all`, `long` or `short`. */
  readonly group: string
  /** Number of round trips. */
  readonly count: number
  /** Those with a profit above 0. */
  readonly winCount: number
  /** Sum of the profits, net of fees. */
  readonly profit: string
  /** Mean profit; null without a round trip. Rounded to 18 decimals. */
  readonly meanProfit: string | null
  /** Mean of the profits above 0. */
  readonly meanWin: string | null
  /** Mean of the losses, below 0. */
  readonly meanLoss: string | null
  /** Median time that one was held; null without a round trip. */
  readonly medianHoldingNs: number | null
  /** The longest row of losses. */
  readonly longestLosses: number
}

/** Fees of the fills of one underlying by their liquidity; positive is a cost. */
export interface ReportFees {
  /** Code of the underlying of the fees. */
  readonly underlying: string
  /** Of fills that added liquidity. */
  readonly maker: string
  /** Of fills that took it. */
  readonly taker: string
}

/** The money of one underlying. */
export interface ReportMoney {
  /** Code of the underlying. */
  readonly underlying: string
  /** Sampled equity; doubles. */
  readonly equity: ReportSeries
  /** The distance of the samples below the highest so far; doubles. */
  readonly drawdown: ReportSeries
  /** The deepest falls, the deepest first; at most ten. */
  readonly drawdowns: readonly ReportDrawdown[]
  /** Days in UTC, in order. */
  readonly days: readonly ReportReturn[]
  /** Months in UTC, in order. */
  readonly months: readonly ReportReturn[]
  /** Hours of a run of at most three days; else none. */
  readonly hours: readonly ReportReturn[]
  /** Profit by the hour of the day in UTC, 24 sums. */
  readonly byHour: readonly string[]
  /** Sharpe ratios of a moving window. */
  readonly rolling: ReportRolling
  /** Returns of days, of hours where there are fewer than 20 days. */
  readonly returns: ReportHistogram
  /** Round trips that were closed. */
  readonly trips: {
    /** All, long and short. */
    readonly groups: readonly ReportTripGroup[]
    /** Profits, net of fees. */
    readonly profits: ReportHistogram
    /** Holding times in seconds, bins of equal ratio. */
    readonly holdingS: ReportHistogram
    /** The greatest profits, the greatest first. */
    readonly best: readonly ReportTrip[]
    /** The greatest losses, the greatest first. */
    readonly worst: readonly ReportTrip[]
  }
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
  /** Part of the run's time with a position above 0; null of a run without length. */
  readonly longShare: number | null
  /** Part of the run's time with a position below 0; null of a run without length. */
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
  /** Identity and set-up. */
  readonly run: ReportRun
  /** Every fill, by names of the table `fills`. */
  readonly fills: ReportTable
  /** Every order, by names of the table `orders`. */
  readonly orders: ReportTable
}
