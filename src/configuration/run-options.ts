import type { StrategiesOptions } from './run-strategies.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { AccountsOptions, MoneyOptions } from './account-options.js'
import type { AssumptionOptions } from './assumptions.js'
import type { CorporateActionOptions } from './corporate-action-options.js'
import type { FaultOptions } from './fault-options.js'
import type { DataInput } from '../tickfile/data-input.js'
import { durationOf } from '../model/duration.js'
import { asChecked } from '../model/fault.js'
import { NS_PER_DAY, NS_PER_MS } from '../model/time.js'
import type { EntryStateRules } from '../strategy/entry-state-watch.js'

/** The progress of a run. A list of parameters is played in passes, on threads: market time is that of one pass. */
export interface BacktestProgress {
  /** Market time of the pass that reports, epoch nanoseconds. */
  readonly timeNs: bigint
  /** Where it began, epoch nanoseconds. */
  readonly fromNs: bigint
  /**
   * The latest end, epoch nanoseconds; null where nothing states it before the data end (`trim: 'none'` without `to`).
   */
  readonly toNs: bigint | null
  /** Runs of a parameter set, all passes and threads together; of a run in parts those of all parts. */
  readonly runCount: number
  /** Those of them that have ended. */
  readonly doneCount: number
  /** Those that play now, on all threads. */
  readonly playingCount: number
  /**
   * The part of all runs that was played, 0 to 1: it never becomes less. Where `toNs` is null a pass counts once it has
   * ended.
   */
  readonly share: number
}

/** A run: what a run file says, and what a program can add. */
export interface RunOptions extends StrategiesOptions, AccountsOptions, MoneyOptions {
  /**
   * Tick files, members and bundles, folders, patterns, days of an instrument; their order never counts. Of folders and
   * patterns the files of the days from `from` to `to` are opened.
   */
  readonly data: readonly DataInput[]
  /** Part of the name of the file to take, where `data` match two of one instrument and day; default: refused. */
  readonly prefer?: string
  /** One config, or an array of them: a world each, many of them in one pass over the data. */
  readonly parameters?: ParameterConfig | readonly ParameterConfig[]
  readonly assumptions?: AssumptionOptions
  /** The failures of the venue, with their times; default none. */
  readonly faults?: readonly FaultOptions[]
  /** Splits and dividends; default none. */
  readonly corporateActions?: readonly CorporateActionOptions[]
  /** Rows from outside that the strategies receive in time; default none. Those of one instant in this order. */
  readonly signals?: readonly SignalOptions[]
  /** When a late fill makes an account DELAYED, and when a bad state of order entry stops the strategy. */
  readonly entryStates?: EntryStateOptions
  /** Rows of the table `equity`: another step, and one for each fill. Default one each minute of market time. */
  readonly equity?: EquityOptions
  /** Whole number from 0; default 1. */
  readonly seed?: number
  /**
   * Strategies begin at `from`, with the book warm, and nothing at or after `to` is played: clock times (`12:00`) on
   * the first and the last day of the data, ISO-8601, or epoch nanoseconds. Default: 00:00 of the first day to the last
   * event of the instruments that the parameters name (exchange rules 1.6): no timer comes after it. With `to` a run
   * goes on to it, at the latest 24:00 of the last day.
   */
  readonly from?: string | bigint
  readonly to?: string | bigint
  /** `day` (default): files trimmed to their UTC day. `none`: one file an instrument, whole. */
  readonly trim?: 'day' | 'none'
  /**
   * A later day with another contract value, multiplier, inverse, settlement, underlying or an earlier expiry: `refuse`
   * (default), or `accept`, which keeps those of the first day to the end and warns of it (exchange rules 1.7).
   */
  readonly masterChanges?: 'refuse' | 'accept'
  /** `YYYY-MM-DD` of a file whose name does not say it. */
  readonly day?: string
  /**
   * Seeds a shuffle of callbacks whose order nothing guarantees (spec 3): finds strategies that rely on luck. Default:
   * as they arrive.
   */
  readonly shuffleSeed?: number
  /** Takes the journal as it is written, as lines of text or as segments of records, by world number. */
  readonly journal?: (worldNumber: number) => JournalSink
  /** A folder for decoded days: a later run over the same files streams their columns. Safe to delete at any time. */
  readonly cache?: string
  /** Most bytes of decoded days in that folder: those used longest ago go; default 20 GiB. */
  readonly cacheLimitBytes?: number
  /**
   * `none`: no rows are kept for the tables of a result; default `memory`: rows are kept, beyond half a million of a
   * run in a temporary file.
   */
  readonly tables?: 'memory' | 'none'
  /**
   * Threads over which a list of parameters is divided, 1 to 64; default 1. Each reads the data once. Results do not
   * depend on it, as long as modules of strategies keep nothing to themselves between sets. Only strategies of run
   * files, whose modules are named, are divided: a class runs on this thread, and `onNote` says so.
   */
  readonly jobs?: number
  /** True: a warm-up for which market data are missing is an error; default false: it is a warning of the summary. */
  readonly strict?: boolean
  readonly onProgress?: (progress: BacktestProgress) => void
  /**
   * Ends the run before its next step, also while a stream keeps its next byte back; the result so far is marked
   * `isPartial`. A run that waits for the first batch of a stream has none: it throws STOPPED.
   */
  readonly signal?: StopSignal
  /**
   * Receives a sentence, once, about what the run goes on without: a cache that cannot be written, a kept day that was
   * damaged. Nothing of it is in the result.
   */
  readonly onNote?: (sentence: string) => void
}

/** The kinds of values that a column of CSV may be stated to have. */
export type SignalColumnType = 'integer' | 'decimal' | 'double' | 'timestamp' | 'boolean' | 'text'

/** Rows from outside, such as the forecasts of a model, that a strategy receives in time: `onSignal`. */
export interface SignalOptions {
  /** The name under which the strategy receives its rows. */
  readonly name: string
  /** A Parquet, Arrow (file or stream), CSV or JSON lines file; rows ascend by time. */
  readonly file: string
  /** The column with the time of a row: timestamps (UTC where they state no zone), or integers with `unit`. */
  readonly time: string
  /** From that time until the strategy receives the row: `50ms`, or `0ms`. */
  readonly delay: string
  /** The unit of times that are integers since 1970-01-01. */
  readonly unit?: 's' | 'ms' | 'us' | 'ns'
  /** The column with the time of the newest input of a row: one after `time` is refused. Default: not checked. */
  readonly known?: string
  /**
   * The channel on which its rows are messages, by their columns `origin` and `message`: the strategy receives them by
   * `onChannelMessage` where it has the channel open, and none by `onSignal`. Where the file has a column `channel`,
   * rows of other channels are passed.
   */
  readonly channel?: string
  /**
   * The types of columns of CSV and JSON lines; default: that of the first value of a column, where numbers are
   * decimals. Parquet and Arrow state their own.
   */
  readonly types?: Readonly<Record<string, SignalColumnType>>
}

/** Rows of the table of equity; the summary is the same whatever they are. */
export interface EquityOptions {
  /** Market time between two rows, a duration from 1ms to 1d; default 1min. */
  readonly every?: string
  /** A row for each fill too; default false. */
  readonly fills?: boolean
}

/** Nanoseconds between two rows of equity, or the words of what was wanted. */
export function equityEveryOf(text: string): number | string {
  return durationOf(text, { leastNs: NS_PER_MS, mostNs: NS_PER_DAY })
}

/** The rows that were asked for; null where they are those of the default. The options have passed `checkOptions`. */
export function equityRowsOf({ every, fills = false }: EquityOptions): {
  readonly everyNs: number | null
  readonly fills: boolean
} | null {
  if (every === undefined && !fills) return null
  return { everyNs: every === undefined ? null : asChecked(equityEveryOf(every)), fills }
}

/** The states of order entry (spec 3); durations such as `30s`. */
export interface EntryStateOptions {
  /** An update and the fill that it states come this far apart before the account is DELAYED; default 1s. */
  readonly delayedAfter?: string
  /** The strategy is stopped when an account has been DEGRADED for so long; default never. */
  readonly stopDegradedAfter?: string
  /** The same for DELAYED. */
  readonly stopDelayedAfter?: string
}

/** The same in nanoseconds; the options have passed `checkOptions`. */
export function entryStateRules(options: EntryStateOptions): EntryStateRules {
  return Object.fromEntries(
    Object.entries(options).map(([name, text]) => [`${name}Ns`, asChecked(durationOf(text as string))]),
  )
}
