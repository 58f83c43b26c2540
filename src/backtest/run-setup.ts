import type { VenueProfile } from '../exchange/profile/venue-profile.js'
import type { RunStrategy } from '../configuration/run-strategies.js'
import type { Assumptions } from '../configuration/assumptions.js'
import type { ReplayInput, ReplayInputOptions } from '../simulation/replay-input.js'
import type { SignalPlayer } from '../simulation/signal-feed.js'
import type { Replay } from '../simulation/replay.js'
import type { BacktestOptions } from './backtest-options.js'
import type { RunPlan } from './run-plan.js'

/** The parts that all worlds of a run share. */
export interface RunSetup {
  readonly replay: Replay
  readonly input: ReplayInput
  /** The way in which `input` was opened. */
  readonly reading: ReplayInputOptions
  readonly options: BacktestOptions
  readonly strategies: readonly RunStrategy[]
  readonly assumptions: Assumptions
  readonly seed: number
  /** By account name. */
  readonly profiles: ReadonlyMap<string, VenueProfile>
  readonly plan: RunPlan
  /** Rows from outside. */
  readonly signals: SignalPlayer
}
