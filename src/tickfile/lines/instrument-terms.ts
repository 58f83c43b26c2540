import type { Instrument } from '../../model/instrument.js'
import type { TermChange } from './term-changes.js'

/** The terms of one instrument from the midnight of a day on. */
export interface InstrumentTerms {
  readonly instrumentId: number
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** Nanoseconds since the run's first midnight. */
  readonly timeNs: number
  /** As orders and money go by it: with money terms of the first day. */
  readonly instrument: Instrument
  /** Against the day before; those of kind `money` are kept as they were. */
  readonly changes: readonly TermChange[]
}
