import type { StrategiesOptions } from './run-strategies.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { LineSink } from '../report/journal.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { AccountsOptions } from './account-options.js'
import type { AssumptionOptions } from './assumptions.js'
import type { MoneyOptions } from './money-options.js'
import type { CorporateActionOptions } from './corporate-action-options.js'
import type { EntryStateOptions } from './entry-state-options.js'
import type { EquityOptions } from './equity-options.js'
import type { FaultOptions } from './fault-options.js'
import type { SignalOptions } from './signal-options.js'
import type { MasterChanges } from '../tickfile/lines/term-changes.js'
import type { DataInput } from '../tickfile/data-input.js'

/** The progress of a run. */
export interface BacktestProgress {
  /** Market time, epoch nanoseconds. */
  readonly timeNs: bigint
  /**
   * Where it began and when it ends at the latest; null where nothing states that before the data end (`trim: 'none'`
   * without `to`).
   */
  readonly fromNs: bigint
  /**
   * The latest end, epoch nanoseconds; null where nothing states it before the data end (`trim: 'none'` without `to`).
   */
  readonly toNs: bigint | null
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
  /** One config, or an array of them: as many worlds in one pass over the data. */
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
  readonly masterChanges?: MasterChanges
  /** `YYYY-MM-DD` of a file whose name does not say it. */
  readonly day?: string
  /**
   * Seeds a shuffle of callbacks whose order nothing guarantees (spec 3): finds strategies that rely on luck. Default:
   * as they arrive.
   */
  readonly shuffleSeed?: number
  /** Takes journal lines as they are written, by world number. */
  readonly journal?: (worldNumber: number) => LineSink
  /** A folder for decoded days: a later run over the same files streams their columns. Safe to delete at any time. */
  readonly cache?: string
  /** Most bytes of decoded days in that folder: those used longest ago go; default 20 GiB. */
  readonly cacheLimitBytes?: number
  /**
   * `none`: no rows are kept for the tables of a result; default `memory`, up to two million rows a pass, then
   * LIMIT_EXCEEDED.
   */
  readonly tables?: 'memory' | 'none'
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
