import type { RunOptions } from '../configuration/run-options.js'
import type { LiveFeed, LiveOptions } from '../live/live-options.js'
import type { ErrorCode } from '../model/error.js'
import type { Fault } from '../model/fault.js'
import type { TopicAccesses } from '../broker/topic-access.js'
import type { MessageRecord, SentMessage } from '../venue/channels.js'
import type { LiveLook } from '../panels/live-look.js'
import type { WorldProgress } from '../results/world-progress.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'

/** Options that a run has of its strategy, or of the program that it runs in. */
type OtherOptions =
  | 'strategy' | 'strategies' | 'data' | 'parameters' | 'journal' | 'cache' | 'tables' | 'jobs' | 'onProgress'
  | 'signal' | 'onNote'

/** A venue that replays recorded days: plain data, its paths absolute. */
export interface ReplayVenue extends Omit<RunOptions, OtherOptions> {
  readonly type: 'replay'
  /** As `data` of a run file. */
  readonly files: RunOptions['data']
  /**
   * `max` (default): to each instance alone, as fast as they are read. A factor: by one clock, so many times as fast as
   * they were recorded; instances join it where it is.
   */
  readonly speed?: 'max' | number
}

/** A venue of hosts elsewhere: plain data, its paths absolute. Its key stands in no configuration. */
export interface HostVenue extends Pick<LiveOptions, 'directory' | 'transport' | 'giveUpAfter' | 'entryStates'> {
  /** `simulated`: a running `backtape serve`; `live`: only where the configuration says `live: true`. */
  readonly type: 'simulated' | 'live'
  /** Feeds, with their markets where the hosts do not say them. */
  readonly feeds: readonly (string | LiveFeed)[]
  /** The host that knows the adapters of the accounts. */
  readonly backend: string
  /** Accounts as the backend names them. */
  readonly accounts: readonly string[]
  /** Tick files that state the terms of instruments where the directory does not. */
  readonly files?: NonNullable<LiveOptions['terms']>
  /** The file of the key of the feeds, which its user alone can read. */
  readonly keyFile?: string
  /** The environment variable of the key of the feeds; default BACKTAPE_FEED_KEY. */
  readonly keyVariable?: string
}

/** A venue of instances. */
export type StrategyVenue = ReplayVenue | HostVenue

/** A venue over sockets as a thread has it, its key too: plain data that is written nowhere. */
export interface SocketVenue {
  readonly type: 'sockets'
  readonly hosts: Pick<
    LiveOptions,
    'feed' | 'apiKey' | 'backend' | 'accountId' | 'directory' | 'terms' | 'transport' | 'giveUpAfter' | 'entryStates' |
    'clock'
  >
}

/** True for a venue that each instance has for itself: the others have a clock. */
export function isAlone(venue: StrategyVenue): venue is ReplayVenue & { readonly speed?: 'max' } {
  return venue.type === 'replay' && (venue.speed ?? 'max') === 'max'
}

/** Limits of one instance. */
export interface InstanceLimits {
  /** Its heap, MiB. */
  readonly heapMb: number
  /** Its buffers beside the heap, MiB. */
  readonly bufferMb: number
  /** Wall time of one callback, and of anything else that keeps its thread from answering, milliseconds. */
  readonly callbackMs: number
  /** Its journal on the disk, MiB: behind it the run goes on and the file does not. */
  readonly journalMb: number
}

/** The begin of an instance: plain data. */
export interface InstanceOrder<Venue = ReplayVenue | SocketVenue> {
  readonly instanceId: string
  /** Its origin on channels. */
  readonly instanceName: string
  /** The absolute path of the module of its strategy. */
  readonly modulePath: string
  /** The exported name of its strategy. */
  readonly strategyName: string
  /** Values of its parameters, as a run file states them. */
  readonly parameters: ParameterConfig
  readonly venue: Venue
  /** Its own folder, which exists: journal.btj, checkpoint.json, received.jsonl, orders.txt, result.json. */
  readonly folder: string
  /**
   * True: goes on from the checkpoint of its folder, or from the beginning where there is none. Over sockets it is a
   * new run, whose orders those of the run before are too.
   */
  readonly isResumed: boolean
  readonly limits: InstanceLimits
  /** Channels that are topics of a broker; absent: none. */
  readonly topics?: TopicAccesses
  /** The folder of decoded days that all instances share; absent: none are kept. */
  readonly cache?: string
  /** The folder of compiled strategies; absent: none are kept. */
  readonly bundles?: string
  /**
   * Least wall time between two checkpoints, milliseconds; default 5,000, and 30 times as long as one takes.
   */
  readonly checkpointMs?: number
}

/** Progress of a run. */
export interface InstanceProgress extends Omit<WorldProgress, 'profits'> {
  /**
   * Equity less the balances of the begin, decimal text, by the code of its underlying; null where there are several.
   */
  readonly profit: { readonly currency: string, readonly amount: string } | null
  readonly callbackCount: number
  /**
   * The longest callback so far, milliseconds of wall time: of every 64th, and of those of which the server's own looks
   * at the thread, 40 within the limit of a callback, saw more than one.
   */
  readonly longestCallbackMs: number
  /** Heap of its thread, bytes. */
  readonly heapBytes: number
  /** Buffers of its thread beside the heap, bytes. */
  readonly bufferBytes: number
}

/** The end of a run. */
export interface InstanceEnd {
  /** `whole`: its data, or a gap, have ended it. `stopped`: the server has, before that. `failed`: see `code`. */
  readonly end: 'whole' | 'stopped' | 'failed'
  /** A sentence. */
  readonly reason: string
  /** Of a failed one; null elsewhere. */
  readonly code: ErrorCode | null
  /** The strategy's own stack, where its code is at fault; null elsewhere. */
  readonly stack: string | null
  /** Faults of its configuration, by the paths of a run file; none elsewhere. */
  readonly faults: readonly Fault[]
  /** As `backtape backtest` gives it; null of a failed one. */
  readonly fingerprint: string | null
  /** Lines of its journal. */
  readonly journalLineCount: number
  /** Own order ids of orders that a stop left open. */
  readonly openOrders: readonly string[]
  /** Messages of channels that came too late, or were too many at once, and were not played. */
  readonly droppedCount: number
}

/** Receives what a run says; every method is called on the server's thread. */
export interface InstanceSink {
  /** Parameters are checked against the data, the strategy is made: RUNNING. */
  running(): void
  /** The strategy has opened a channel: its messages are wanted from now on. */
  opened(channel: string): void
  /**
   * The strategy has published a message. A run that goes on from a checkpoint says again what was published behind
   * that.
   */
  published(channel: string, message: string, record: MessageRecord | undefined): void
  /** At most four times a second. */
  progressed(progress: InstanceProgress): void
  /** A line of the strategy's log, market time in epoch nanoseconds; 0n of a sentence about the run itself. */
  logged(timeNs: bigint, level: 'log' | 'warning', text: string): void
  /** A look that was asked for, the last one of a run that was watched, or one that was due. */
  looked(look: LiveLook): void
  /** Once, the last call. */
  ended(end: InstanceEnd): void
}

/** A run of an instance. */
export interface InstanceRun {
  /** A message of a channel has come from outside. */
  receive(channel: string, message: SentMessage): void
  /** Ends it: `onStop`, cancel of its open orders unless false, confirmations up to a limit of its venue's time. */
  stop(cancelOrders: boolean): void
  /**
   * Asks for a look, which comes at most 20 times a second; from the first one on the run is watched. Absent: it cannot
   * be.
   */
  look?(): void
  /** Watches it no more. */
  unlook?(): void
  /** The days of its venue are over: over sockets it ends as whole, where nothing else has said so. */
  over(): void
  /**
   * Ends it with the server: resolved when nothing of it is left. A replay ends at once, with nothing written any more;
   * over sockets its orders are cancelled.
   */
  kill(): Promise<void>
}

/** Starts a run: it returns at once, and the sink receives everything else. */
export type StartInstance<Venue = ReplayVenue | SocketVenue> =
  (order: InstanceOrder<Venue>, sink: InstanceSink) => InstanceRun

/** The end of a run that failed before, or beside, its thread. */
export function failedEnd(reason: string, code: ErrorCode | null): InstanceEnd {
  return {
    end: 'failed', reason, code, stack: null, faults: [], fingerprint: null, journalLineCount: 0, openOrders: [],
    droppedCount: 0,
  }
}

/** The options of the backtest whose result a run has, but for its strategy. */
export function orderOptions(
  { venue, parameters, cache }: Pick<InstanceOrder<ReplayVenue>, 'venue' | 'parameters' | 'cache'>,
): Omit<RunOptions, 'strategy' | 'strategies'> {
  const { type: _, speed: __, files, ...options } = venue
  return { ...options, data: files, parameters, ...(cache === undefined ? {} : { cache }) }
}
