import type { StopSignal } from '../model/stop-signal.js'
import type { LineSink } from '../report/journal.js'
import type { RunSummary } from '../report/run-summary.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { Strategy } from '../strategy/strategy.js'
import type { TickInput } from '../tickfile/archive/tick-source.js'
import type { AccountsOptions } from '../configuration/account-options.js'
import type { AssumptionOptions } from '../configuration/assumptions.js'
import type { MoneyOptions } from '../configuration/money-options.js'
import type { Checkpoint } from './checkpoint-state.js'
import type { CorporateActionOptions } from '../configuration/corporate-action-options.js'
import type { MasterChanges } from '../simulation/day-terms.js'
import type { EntryStateOptions } from '../configuration/entry-state-options.js'
import type { FaultOptions } from '../configuration/fault-options.js'
import type { EquityRow, FillRow, OrderRow } from '../results/result-rows.js'
import type { ResultTable } from '../results/result-tables.js'

/** How far a run has come. */
export interface BacktestProgress {
  /** Market time, epoch nanoseconds. */
  readonly timeNs: bigint
  /** Where it began and when it ends at the latest; null where nothing tells that before the data end (`trim: 'none'` without `to`). */
  readonly fromNs: bigint
  readonly toNs: bigint | null
}

/** When checkpoints are taken, and who takes them. */
export interface CheckpointOptions {
  /** A duration of market time such as `1h`, `10min`, `30s`, counted from the run's begin; default: only when the run is stopped. */
  readonly every?: string
  /** A number of steps of the run (a line heard, a request at the exchange, an answer, a timer); takes the place of `every`. */
  readonly everySteps?: number
  /** Takes a checkpoint as plain JSON data. The run waits for it; false ends the run there, as `signal` would. */
  readonly take: (checkpoint: Checkpoint) => unknown
  /**
   * Is called once, before the first event, with the text that two runs must share for one to resume from the other's
   * checkpoints (`Checkpoint.configuration`); what it throws ends the run there.
   */
  readonly begin?: (configuration: string) => unknown
}

/** What a backtest runs. */
export interface BacktestOptions extends AccountsOptions, MoneyOptions {
  /** A class that extends Strategy. */
  readonly strategy: new () => Strategy
  /** Tick files, members and bundles; their order never counts. */
  readonly data: readonly TickInput[]
  /** One config, or an array of them: as many worlds in one pass over the data. */
  readonly parameters?: ParameterConfig | readonly ParameterConfig[]
  readonly assumptions?: AssumptionOptions
  /** What goes wrong at the venue, and when; default nothing. */
  readonly faults?: readonly FaultOptions[]
  /** Splits and dividends; default none. */
  readonly corporateActions?: readonly CorporateActionOptions[]
  /** When a late fill makes an account DELAYED, and when a bad state of order entry stops the strategy. */
  readonly entryStates?: EntryStateOptions
  /** Whole number from 0; default 1. */
  readonly seed?: number
  /**
   * Strategies begin at `from`, with the book warm, and nothing at or after `to` is played: clock times (`12:00`) on the first and the
   * last day of the data, ISO-8601, or epoch nanoseconds. Default: 00:00 of the first day to the last event of the instruments that the
   * parameters name (exchange rules 1.6): no timer comes after it. With `to` a run goes on to it, at the latest 24:00 of the last day.
   */
  readonly from?: string | bigint
  readonly to?: string | bigint
  /** `day` (default): files trimmed to their UTC day. `none`: one file an instrument, whole. */
  readonly trim?: 'day' | 'none'
  /**
   * A later day with another contract value, multiplier, inverse, settlement, underlying or an earlier expiry: `refuse` (default), or `accept`, which keeps
   * those of the first day to the end and warns of it (exchange rules 1.7).
   */
  readonly masterChanges?: MasterChanges
  /** `YYYY-MM-DD` of a file whose name does not say it. */
  readonly day?: string
  /** Seeds a shuffle of callbacks whose order nothing guarantees (spec 3): finds strategies that rely on luck. Default: as they arrive. */
  readonly shuffleSeed?: number
  /** Takes journal lines as they are written, by world number. */
  readonly journal?: (worldNumber: number) => LineSink
  /** A folder for decoded days: a later run over the same files streams their columns. Safe to delete at any time. */
  readonly cache?: string
  /** Most bytes of decoded days in that folder: those used longest ago go; default 20 GiB. */
  readonly cacheLimitBytes?: number
  /** `none`: no rows are kept for `fills`, `orders` and `equity`; default `memory`, up to two million rows a pass, then LIMIT_EXCEEDED. */
  readonly tables?: 'memory' | 'none'
  readonly onProgress?: (progress: BacktestProgress) => void
  /** Ends the run before its next step; the result so far is marked `isPartial`. */
  readonly signal?: StopSignal
  /**
   * Receives a sentence, once, about what the run goes on without: a cache that cannot be written, a kept day that was
   * damaged. Nothing of it is in the result.
   */
  readonly onNote?: (sentence: string) => void
  readonly checkpoints?: CheckpointOptions
  /**
   * A checkpoint of a run with the same configuration over the same data: it goes on from there. That the strategy's source is the same is known
   * only of modules that a run file names: a class that is handed over here is compared by its name alone.
   */
  readonly resume?: Checkpoint
}

/** What one world did. */
export interface BacktestResult {
  /** `bt1:` and 64 hex digits: the same configuration and the same journal have the same fingerprint on every machine. */
  readonly fingerprint: string
  readonly configDigest: string
  /** What that digest is of: strategy, parameters, accounts, assumptions, seed, times, digests of the files. Plain JSON. */
  readonly configuration: Readonly<Record<string, unknown>>
  /** The parameters of this result, as they were given. */
  readonly parameters: ParameterConfig
  readonly journalDigest: string
  /** Digests of the journal's closed segments of 4,096 lines, in order. */
  readonly segmentDigests: readonly string[]
  readonly journalLineCount: number
  /** True where the run was stopped before its data ended. */
  readonly isPartial: boolean
  /** How files were trimmed (see {@link BacktestOptions.trim}). */
  readonly trim: 'day' | 'none'
  /** What it made; consoles and notebooks show it as text. */
  readonly summary: RunSummary
  /** Every execution, in order. */
  readonly fills: ResultTable<FillRow>
  /** Every order, in the order of sending. */
  readonly orders: ResultTable<OrderRow>
  /** Equity by underlying, every minute of market time and at both ends. */
  readonly equity: ResultTable<EquityRow>
}
