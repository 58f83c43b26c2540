import type { BenchmarkStatistics } from '../../measures/benchmark-statistics.js'
import type { ReturnDistribution } from '../../measures/return-distribution.js'
import type { RoundTripStatistics } from '../../measures/round-trip-statistics.js'
import type { Decimal } from '../../model/decimal.js'
import type { ReportHistogram, ReportSeries } from './report-series.js'

/* The money of a report: equity, returns, exposure and round trips of one underlying. */

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

/** The time that equity spent below its highest row before. */
export interface ReportUnderwater {
  /** Falls that began in the run. */
  readonly count: number
  /** Part of the time that the data cover below the highest row; null without such a time. */
  readonly share: number | null
  /** The longest time from a highest row to the first row at its height; null where equity never fell. */
  readonly longest: {
    /** Time of the highest row. */
    readonly from: string
    /** First row at the height of before; null where equity never came back. */
    readonly to: string | null
    /** Length, to the end of the run where equity never came back. */
    readonly lengthNs: number
  } | null
}

/** Sharpe ratio and volatility of a moving window of returns. */
export interface ReportRolling {
  /** `day` or `hour`: the length of a return. */
  readonly unit: 'day' | 'hour'
  /** Returns in a window. */
  readonly windowCount: number
  /** Begin of the last return of each window, epoch milliseconds. */
  readonly epochMs: readonly number[]
  /** Per year; null where all returns of the window are equal. */
  readonly sharpe: readonly (number | null)[]
  /** Standard deviation per year. */
  readonly volatility: readonly (number | null)[]
  /** The reason why there is none; null where there is. */
  readonly notComputed: string | null
}

/** The return of an hour, day, month or year. */
export interface ReportReturn {
  /** `2024-07-18`, `2024-07`, `2024`, or ISO-8601 of an hour's begin. */
  readonly period: string
  /** Profit in it, in the underlying. */
  readonly profit: string
  /** Profit over equity at its begin; of months and years the compounded returns of days; null where unknown. */
  readonly return: number | null
  /** Fees of its fills; positive is a cost. */
  readonly fees: string
  /** Value of its fills. */
  readonly turnover: string
  /** Number of its fills. */
  readonly fillCount: number
  /** The deepest that a sample of equity in it lay below the highest of the run so far. */
  readonly drawdown: string
}

/** The shape of the returns behind the ratios of the summary: the same days or hours. */
export interface ReportReturnShape extends ReturnDistribution {
  /** `day` from 20 days on, else `hour`. */
  readonly unit: 'day' | 'hour'
  /** The reason why all of it is null, as the summary has it; null where it is not. */
  readonly notComputed: string | null
}

/**
 * Buying one instrument at its first mid and holding it: the mids of the price series, without fees and funding.
 * Returns are of the periods of the summary's ratios, by the last mid before each end.
 */
export interface ReportBenchmark extends BenchmarkStatistics {
  /** `exchange:code`. */
  readonly instrument: string
  /** First mid of the run, a double. */
  readonly firstPrice: number
  /** Last mid of the run. */
  readonly lastPrice: number
  /** Last mid over the first, less 1; null where the first was not above 0. */
  readonly return: number | null
  /** Standard deviation of its returns per year. */
  readonly volatility: number | null
  /** Sharpe ratio of its returns per year. */
  readonly sharpe: number | null
  /**
   * The greatest fall of its mid, a part of the highest before, at the samples of equity, where the strategy's drawdown
   * is; null where a price was not above 0.
   */
  readonly maxDrawdown: number | null
  /** The reason why the ratios are null; null where they are not. */
  readonly notComputed: string | null
}

/**
 * The value of positions after each fill and at each row of the equity table: position times the last mid before, the
 * fill's price where there was none; in the underlying, doubles. Each value holds until the next one. Of many the
 * first, the last, the least and the greatest of 512 equal spans are listed; means and greatest values are of all.
 */
export interface ReportExposure {
  /** Epoch milliseconds. */
  readonly epochMs: readonly number[]
  /** Sum of the sizes of all values. */
  readonly gross: readonly number[]
  /** Sum of the values, short ones below 0. */
  readonly net: readonly number[]
  /** `gross` over equity, which is the leverage; null where equity was not above 0. */
  readonly leverage: readonly (number | null)[]
  /** Mean leverage over the time that the data cover and in which equity was above 0; null where there is none. */
  readonly meanLeverage: number | null
  /** The greatest leverage right after a fill or at a row of equity; null where equity was never above 0. */
  readonly greatestLeverage: number | null
  /** Means over the time that the data cover, and greatest values of each instrument. */
  readonly instruments: readonly {
    /** `exchange:code`. */
    readonly instrument: string
    /** Mean size of the value. */
    readonly meanGross: number
    /** Greatest size of the value right after a fill or at a row of equity. */
    readonly greatestGross: number
    /** Mean value. */
    readonly meanNet: number
  }[]
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

/** The same fields, exact amounts as decimal texts. */
type AsTexts<Fields> = {
  readonly [Name in keyof Fields]: Exclude<Fields[Name], Decimal> | (Decimal extends Fields[Name] ? string : never)
}

/**
 * Round trips of one direction or instrument; amounts are exact, means and quotients of them rounded to 18 decimals.
 * `RoundTripStatistics` of `backtape/measures` has the definitions.
 */
export interface ReportTripGroup extends AsTexts<RoundTripStatistics> {
  /** `all`, `long`, `short`, or `exchange:code`. */
  readonly group: string
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
  /** Time below the highest row. */
  readonly underwater: ReportUnderwater
  /** Days in UTC, in order. */
  readonly days: readonly ReportReturn[]
  /** Months in UTC, in order. */
  readonly months: readonly ReportReturn[]
  /** Years in UTC, in order. */
  readonly years: readonly ReportReturn[]
  /** Hours of a run of at most three days; else none. */
  readonly hours: readonly ReportReturn[]
  /** Profit by the hour of the day in UTC, 24 sums. */
  readonly byHour: readonly string[]
  /** Sharpe ratio and volatility of a moving window. */
  readonly rolling: ReportRolling
  /** Returns of days, of hours where there are fewer than 20 days. */
  readonly returns: ReportHistogram
  /** Mean, extremes, tails and shape of the returns behind the ratios. */
  readonly shape: ReportReturnShape
  /** Buying and holding each instrument that was traded in the underlying and has a price. */
  readonly benchmarks: readonly ReportBenchmark[]
  /** Value of positions over time. */
  readonly exposure: ReportExposure
  /** Round trips that were closed. */
  readonly trips: {
    /** All, long and short. */
    readonly groups: readonly ReportTripGroup[]
    /** By instrument, where several were traded. */
    readonly byInstrument: readonly ReportTripGroup[]
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
