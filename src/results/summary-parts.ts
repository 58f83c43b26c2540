import type { World } from '../exchange/world.js'
import type { MarketSummary, SignalSummary } from '../report/run-summary.js'
import type { Replay } from '../simulation/replay.js'
import type { RunRecorder } from './run-recorder.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'
import type { SelectionNote } from '../tickfile/data-selection-reader.js'

/** The parts of a summary. */
export interface SummaryParts {
  readonly world: World
  readonly report: RunRecorder
  readonly replay: Replay
  readonly trim: 'day' | 'none'
  readonly isPartial: boolean
  readonly assumptions: Readonly<Record<string, string>>
  /** Of the instruments that the world asked for: the others are none of its business. */
  readonly markets: readonly MarketSummary[]
  /** Terms of the same instruments that changed within the run. */
  readonly terms: readonly InstrumentTerms[]
  /** Notes on what folders and patterns of the data matched. */
  readonly selection: readonly SelectionNote[]
  readonly signals: readonly SignalSummary[]
  /** The notes on a window without an event, as sentences. */
  readonly windowNotes: readonly string[]
}
