import type { ClientVenueState } from '../simulation/client-venue.js'
import type { RuntimeState } from '../strategy/runtime-state.js'
import type { AgendaEntry } from '../exchange/agenda.js'
import type { MarketState } from '../exchange/market/market-state.js'
import type { WaitingTimerState } from '../replay/simulated-clock.js'
import type { JournalState } from '../results/journal.js'
import type { Saved } from '../model/saved-state.js'
import type { MarketSummary } from '../report/run-summary.js'
import type { InboxState } from '../simulation/message-inbox.js'
import type { SignalPlace } from '../simulation/signal-feed.js'
import type { LoopState } from '../simulation/run-loop.js'
import type { KnownOrdersState } from '../protocol/known-orders.js'
import type { RunRecorderState } from '../results/recorder-state.js'
import type { OtherEngine } from '../results/summary-parts.js'
import type { stateOfRecord } from '../results/world-record.js'
import type { SettledWorld } from '../results/world-result.js'
import type { InstrumentPast } from '../simulation/history.js'
import type { WorldState } from '../exchange/world-config.js'
import type { WorldMessage } from '../exchange/world-message.js'

/** A client as a checkpoint holds it. */
export interface RunClientState {
  readonly runtime: RuntimeState
  readonly venue: ClientVenueState
}

/** One world as a checkpoint holds it. */
export interface RunInstanceState {
  readonly world: WorldState
  /** In the order of the run's strategies. */
  readonly clients: readonly RunClientState[]
  readonly journal: JournalState
  readonly records: KnownOrdersState
  readonly report: RunRecorderState
  /** Where the world is over: its markets as they were then; else null. */
  readonly markets: WorldMarkets | null
  readonly pasts: readonly InstrumentPast[]
  /** Rows of each signal that were played; left out where the run has none. */
  readonly signalCounts?: readonly number[]
}

/** Markets that a world asked for, as they were at its end. */
export interface WorldMarkets {
  readonly summaries: readonly MarketSummary[]
  /** Feed latencies by the name of the instrument. */
  readonly feedBins: SettledWorld['feedBins']
}

/** A world that has ended as plain data: another thread has played it. */
export interface WorldOutcome {
  readonly number: number
  readonly settled: SettledWorld
  readonly record: ReturnType<typeof stateOfRecord>
}

/** The place up to which one instrument has been played, and its market as it stood. */
export interface InstrumentPlace {
  readonly instrumentId: number
  /** Events received, and items played at the exchange, since the beginning. */
  readonly receivedCount: number
  readonly playedCount: number
  /** When the first line of the run was received; null where none was in hand yet. */
  readonly firstReceivedNs: number | null
  readonly priceScale: number
  readonly quantityScale: number
  readonly market: MarketState
}

/** The format's name: its number rises whenever what a checkpoint holds changes. */
export const CHECKPOINT_FORMAT = 'backtape-checkpoint/29' as const

/**
 * A run at one moment, as plain JSON data: a new process that reads the same files goes on from it and ends with the
 * same fingerprint. The market itself is read again up to that moment; orders, money, timers, what is on its way and
 * what was written down are in here, under names that are the format's own and change with it. Keep it whole:
 * `JSON.stringify`, a file, `JSON.parse`.
 */
export interface Checkpoint {
  /** Name and version of the format; another build refuses another version. */
  readonly format: typeof CHECKPOINT_FORMAT
  /** Market time when it was taken, epoch nanoseconds in digits. */
  readonly time: string
  /** Everything that must be the same in the run that goes on. */
  readonly configuration: string
  /** The engine of the build that took it: SHA-256 of the sources of the rooms that make a result. */
  readonly engineDigest: string
  /** Engines that played the run before it, in their order; left out where it was this one alone. */
  readonly otherEngines?: readonly OtherEngine[]
  /**
   * SHA-256 of the strategy's own modules, where they were loaded by name (run files); absent where nobody knows them.
   */
  readonly strategySource?: string
}

/** A checkpoint with all that it holds. */
export interface CheckpointContent extends Checkpoint {
  readonly state: Saved<RunState>
}

/** Everything that a run is between two steps. */
export interface RunState {
  readonly nowNs: number
  readonly loop: LoopState
  readonly timers: readonly WaitingTimerState[]
  readonly agenda: readonly AgendaEntry<WorldMessage>[]
  readonly instruments: readonly InstrumentPlace[]
  /** The place up to which each signal was played; left out where the run has none. */
  readonly signals?: readonly SignalPlace[]
  /** Messages that came while it went on; left out where none could. */
  readonly inbox?: InboxState
  readonly worlds: readonly RunInstanceState[]
}
