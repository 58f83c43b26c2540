import type { RunOptions } from '../configuration/run-options.js'
import type { Checkpoint } from './checkpoint-state.js'

/** When checkpoints are taken, and who takes them. */
export interface CheckpointOptions {
  /**
   * A duration of market time such as `1h`, `10min`, `30s`, counted from the run's begin; default: only when the run is
   * stopped.
   */
  readonly every?: string
  /**
   * A number of steps of the run (a line received, a request at the exchange, an answer, a timer); takes the place of
   * `every`.
   */
  readonly everySteps?: number
  /** Takes a checkpoint as plain JSON data. The run waits for it; false ends the run there, as `signal` would. */
  readonly take: (checkpoint: Checkpoint) => unknown
  /**
   * Is called once, before the first event, with the text that two runs must share for one to resume from the other's
   * checkpoints (`Checkpoint.configuration`); what it throws ends the run there.
   */
  readonly begin?: (configuration: string) => unknown
}

/** The options of a backtest. */
export interface BacktestOptions extends RunOptions {
  /** Checkpoints to take while the run goes; none by default. */
  readonly checkpoints?: CheckpointOptions
  /**
   * A checkpoint of a run with the same configuration over the same data: it goes on from there. That the strategy's
   * source is the same is known only of modules that a run file names: a class that is handed over here is compared by
   * its name alone.
   */
  readonly resume?: Checkpoint
  /**
   * True takes a checkpoint of another engine (`engineDigest`) as well. Neither of the two builds gives the result of
   * such a run alone: its warnings say so. Default false: it is refused.
   */
  readonly otherEngine?: boolean
}
