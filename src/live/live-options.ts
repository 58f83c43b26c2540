import type { EntryStateOptions } from '../configuration/run-options.js'
import type { InstrumentDays } from '../tickfile/data-input.js'
import type { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { Strategy } from '../strategy/strategy.js'

/** One market of a live run. */
export interface LiveFeed {
  /** `ws://host:port/api/v6`, or `.../sbe`. */
  readonly url: string
  /** The exchange code of its instruments; needed where the feed's `/api/info` does not say it. */
  readonly market?: string
}

/** The options of {@link runLive}. */
export interface LiveOptions {
  /** The class of the strategy: the same as in a backtest. */
  readonly strategy: new () => Strategy
  /** Its parameters as JSON. */
  readonly parameters?: ParameterConfig
  /** The feed of one market, or those of several. */
  readonly feed: string | LiveFeed | readonly LiveFeed[]
  /** The key of the feed: 1 to 4096 visible letters of ASCII. It never stands in an error or a log. */
  readonly apiKey: string | undefined
  /** The backend that knows the account's adapter: `http://host:port`. */
  readonly backend: string
  /** The account, or several: their names are those of the parameters. */
  readonly accountId: string | readonly string[]
  /** Where the instrument directory is; default: the backend. */
  readonly directory?: string
  /**
   * Tick files, folders or patterns: line 1 states the terms of an instrument where its directory does not, as the
   * vendor's does not. Without them its orders are sent all the same; its fills stand in the journal alone, and what
   * they made is seen in the wallets.
   */
  readonly terms?: readonly (string | InstrumentDays)[]
  /** Name of this client, unique in the account: `processId` of its logins. Default `strategy`. */
  readonly clientId?: string
  /** Seed of the ids that it makes, new in the account. Default 1 in lock-step, elsewhere drawn by the system. */
  readonly seed?: number
  /** When a late answer makes an account DELAYED, and when a bad state stops the strategy: as in a backtest. */
  readonly entryStates?: EntryStateOptions
  /** Shuffles callbacks of one instant that have no guaranteed order: as in a backtest. */
  readonly shuffleSeed?: number
  /** The way to the adapter; default `auto`: its domain socket where it shows one. */
  readonly transport?: 'auto' | 'websocket' | 'domainSocket'
  /**
   * The longest time that a host may stay away before the run stops, as a duration (`90s`, `5m`). Default: 60 s for a
   * replay, whose host does not come back as a rule; hosts on the wall's time are tried again without end. In lock-step
   * no connection is made again.
   */
  readonly giveUpAfter?: string
  /** Ids of instruments to be known from the begin, beside those that the parameters name. */
  readonly watch?: readonly number[]
  /**
   * True: all orders of the account are cancelled when the strategy stops or throws, by `cancelAll` or, where the
   * adapter does not have it, one by one; `own`: those alone that this run has sent, one by one. Not where a replay has
   * ended: its orders ended with it. Default false.
   */
  readonly cancelAllAtStop?: boolean | 'own'
  /** `simulated`: a host on the wall's clock is refused before anybody logs in to it. Default: hosts of any clock. */
  readonly clock?: 'simulated'
  /** Own ids of orders that a run before has sent: where they are open still, `own` cancels them too. */
  readonly ownOrderIds?: readonly string[]
  /**
   * A folder: what the feeds send is written there as day files of the vendor's layout, one for each instrument and
   * UTC day, which runs and commands read.
   */
  readonly record?: string
  /** Takes the journal, as lines of text or as segments of records. */
  readonly journal?: JournalSink
  /** Stops the strategy: `onStop`, then logout. */
  readonly signal?: StopSignal
  /** Sentences for an operator: connections, notices, what cannot be done live. */
  readonly onNote?: (sentence: string) => void
  /** Lines of the strategy's log as they come. */
  readonly onLog?: (text: string) => void
}

/** A day that a live run has recorded. */
export interface RecordedDayFile {
  /** Where it was written, below the folder of `record`. */
  readonly path: string
  /** Its instrument: `binance_swap:BTCUSDT`. */
  readonly instrument: string
  /** Lines that this run has written, beside line 1. */
  readonly lineCount: number
  /** Why it was not recorded to its end: OUTPUT_FAILED, OUTPUT_EXISTS; null where it was. */
  readonly error: BacktapeError | null
}

/**
 * The end of a live run: the tables, summary and report of a backtest, as far as messages tell them. What a simulation
 * alone knows is absent: the places of orders in their queues, and why a fill happened. A sample of equity knows of
 * fills that had been received by then.
 */
export interface LiveResult extends BacktestResult {
  /** Why it ended. */
  readonly reason: string
  /** Counts of what the strategy sent and received, by kind of message. */
  readonly messageCounts: Readonly<Record<string, number>>
  /** Times at which simulated time was moved in lock-step; 0 elsewhere. */
  readonly stepCount: number
  /**
   * Messages of feeds that could not be read, as those with a time of another year. Their instrument is in state ERROR
   * until it has been subscribed again.
   */
  readonly unreadableMessageCount: number
  /** Days that `record` has written, by their paths. */
  readonly recorded: readonly RecordedDayFile[]
  /** Sentences about orders that `cancelAllAtStop` may have left, which `onNote` got too. */
  readonly warnings: readonly string[]
}
