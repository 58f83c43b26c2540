import type { Account } from '../exchange/accounts/account.js'
import type { AccountPosition } from '../exchange/accounts/account-position.js'
import type { World } from '../exchange/world.js'
import type { MarketSummary, SignalSummary } from '../report/run-summary.js'
import type { InstrumentPast } from '../simulation/history.js'
import type { Replay } from '../simulation/replay.js'
import type { EndValuation } from './recorder-state.js'
import type { RecordedWorld } from './recorded-world.js'
import type { RowSetting } from './result-tables.js'
import type { RunRecorder } from './run-recorder.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'
import type { SelectionNote } from '../tickfile/data-selection-reader.js'

/** An engine other than this one that played the run up to a checkpoint. */
export interface OtherEngine {
  /** Its `engineDigest`. */
  readonly digest: string
  /** Market time of that checkpoint, epoch nanoseconds in digits. */
  readonly until: string
}

/** The parts of a summary. */
export interface SummaryParts {
  readonly world: RecordedWorld
  readonly report: RunRecorder
  /** False over sockets: figures that only the exchange knows are null. */
  readonly isSimulated: boolean
  /** The world as it was valued at its end. */
  readonly end: EndValuation
  /** The day that times count from, and the directories of the run. */
  readonly setting: Omit<RowSetting, 'metadata'>
  readonly trim: 'day' | 'none'
  readonly isPartial: boolean
  readonly assumptions: Readonly<Record<string, string>>
  /** Of the instruments that the world asked for: the others are none of its business. */
  readonly markets: readonly MarketSummary[]
  /** Terms of the same instruments that changed within the run. */
  readonly terms: readonly InstrumentTerms[]
  /** Notes on what folders and patterns of the data matched. */
  readonly selection: readonly SelectionNote[]
  /** Several strategies of the run, by the names of their clients; none where it has one alone. */
  readonly strategies: readonly { readonly clientId: string; readonly className: string }[]
  /** Market data of before the run that were played for the strategy. */
  readonly pasts: readonly InstrumentPast[]
  readonly signals: readonly SignalSummary[]
}

/** The parts of the summary of a simulated world. */
export interface SimulatedParts extends SummaryParts {
  readonly world: World
  readonly replay: Replay
  /** The notes on a window without an event, as sentences. */
  readonly windowNotes: readonly string[]
  /** Engines that played the begin of the run, in their order; none by default. */
  readonly otherEngines: readonly OtherEngine[]
}

/** The sentences of a summary. */
export interface SummaryNotes {
  readonly warnings: readonly string[]
  readonly moneyNotes: readonly string[]
  /** Of entries of the run's plan that did not happen. */
  readonly planNotes: readonly string[]
}

/** The position of an account in an instrument that it ordered or holds; empty where no order was filled. */
export interface OrderedPosition {
  readonly accountId: string
  readonly account: Account
  readonly position: AccountPosition
}
