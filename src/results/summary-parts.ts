import type { World } from '../exchange/world.js'
import type { MarketSummary } from '../report/run-summary.js'
import type { Replay } from '../simulation/replay.js'
import type { RunRecorder } from './run-recorder.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

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
  /** The notes on a window without an event, as sentences. */
  readonly windowNotes: readonly string[]
}
