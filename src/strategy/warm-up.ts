import type { Clock, MarketDataListener, Topics } from '../venue/venue.js'

/** Lines of an instrument that a strategy wants from before its run. */
export interface HistoryRequest {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** The topics of its lines. */
  readonly topics: Topics
  /** From when on, nanoseconds of the venue's clock: before now. */
  readonly sinceNs: number
  /** Receives them in the order of their local times, as it receives those of the run. */
  readonly listener: MarketDataListener
}

/**
 * The market data before a run that a strategy asked for in `onStart`: whoever runs it plays them before the first
 * event of the run. Where nobody does, as at a live venue without files, the run begins without them.
 */
export interface WarmUp {
  /** All requests, in the order of asking. */
  readonly requests: readonly HistoryRequest[]
  /** A stretch of the past begins, in the time of `clock`; a later stretch may follow with a clock of its own. */
  begin(clock: Clock): void
  /** The past has been played: the strategy lives in its venue's time again. */
  end(): void
}
