import { madeIndicators } from '../measures/indicators/indicator.js'
import { extendsBranded } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import { isoFromTime } from '../model/time.js'
import type { Venue } from '../venue/venue.js'
import { BoundStrategy, type OpenOrder } from './bound-strategy.js'
import { titleOf, type CallbackWatch } from './callback-guard.js'
import type { EntryStateRules } from './entry-state-watch.js'
import type { StrategyAccount } from './instrument-registry.js'
import type { ParameterConfig } from './parameter-values.js'
import type { RuntimeState } from './runtime-state.js'
import type { KeptTactics } from './strategy-tactics.js'
import type { Strategy } from './strategy.js'
import type { StrategySink } from './strategy-sink.js'
import { userStack } from './user-stack.js'
import type { WarmUp } from './warm-up.js'

/** The parts that a strategy runs with. */
export interface StrategyOptions {
  /** The venue that it trades against. */
  readonly venue: Venue
  /** Unique among the clients of the venue's clock. */
  readonly clientId: string
  /** The class of the strategy. */
  readonly strategy: new () => Strategy
  /** Its parameters as JSON; none by default. */
  readonly parameters?: ParameterConfig
  /** Words behind its name where its code fails, such as those of its parameter set; none by default. */
  readonly origin?: string
  /** The accounts that it may use. */
  readonly accounts: readonly StrategyAccount[]
  /** Takes its log lines and warnings; none by default. */
  readonly sink?: StrategySink
  /** Shuffles callbacks of one instant that have no guaranteed order; default null: as they arrive. */
  readonly shuffleSeed?: number | null
  /** When a late fill makes an account DELAYED, and when a bad state stops the strategy. */
  readonly entryStates?: EntryStateRules
  /** Makers of what `instrument.target` and `instrument.cancelAll` use, `KEPT_TACTICS`; both throw without it. */
  readonly tactics?: KeptTactics
  /** Sees each call of its code begin and end; none by default. */
  readonly callbacks?: CallbackWatch
  /** A checkpoint's state: the strategy goes on where it was. */
  readonly resume?: RuntimeState | null
}

/** A strategy that runs. */
export interface StrategyRuntime {
  /** The instance that runs. */
  readonly strategy: Strategy
  /** Instruments that its parameters name, ascending: those subscribed later are not among them. */
  readonly instrumentIds: readonly number[]
  /** Instruments that it may place orders in, ascending. */
  readonly tradingIds: readonly number[]
  /** Its orders that are not over, those on their way too; it knows them also when it has stopped. */
  readonly openOrders: readonly OpenOrder[]
  /** True once it has stopped: no callback after it. */
  readonly isOver: boolean
  /** Why it stopped; null while it runs. */
  readonly stopReason: string | null
  /** The market data before its begin that it wants played; null where it asked for none, and where it resumes. */
  readonly warmUp: WarmUp | null
  /** Ends it from outside: `onStop`, then nothing. */
  stop(reason: string): void
  /** The same where something that watches over it ends it: the sink's `stopped` is called. */
  requestStop(reason: string): void
  /**
   * To be called where the venue's clock is brought back to a saved state after the strategy began: timers that it
   * registered anew are set again.
   */
  clockRestored(): void
  /** Names of the strategy's fields that changed since `onStart` and that a checkpoint would not hold. */
  unsavedFields(): readonly string[]
  /** Everything that is known, as plain JSON, the strategy's `saveState` included. Between callbacks only. */
  state(): RuntimeState
}

/**
 * Makes a strategy, reads its parameters, logs in to the accounts that they name, calls `onStart` and subscribes what
 * it has callbacks for. From then on the venue drives it. Throws OPTION_INVALID for faulty parameters (all at once),
 * STRATEGY_FAILED where the strategy's code throws or returns a promise: here, and later out of the venue's own calls.
 *
 * @example
 * ```ts
 * import { startStrategy, type StrategyOptions } from 'backtape/columns'
 * // A class that is no strategy is refused at once.
 * const options = { venue: {}, clientId: 'maker', strategy: Date, accounts: [] } as unknown as StrategyOptions
 * try {
 *   startStrategy(options)
 *   throw new Error('not refused')
 * } catch (error) {
 *   if ((error as { code?: string }).code !== 'OPTION_INVALID') throw error
 * }
 * ```
 */
export function startStrategy(options: StrategyOptions): StrategyRuntime {
  const [strategy, indicators] = madeIndicators(() => createStrategy(options))
  const bound = new BoundStrategy(strategy, options, indicators)
  bound.start(options.parameters ?? {}, options.resume ?? null)
  return bound
}

function createStrategy({ strategy: StrategyClass, venue, origin }: StrategyOptions): Strategy {
  const name = typeof StrategyClass === 'function' ? StrategyClass.name : String(StrategyClass)
  if (!extendsBranded(StrategyClass, 'Strategy')) {
    throw new BacktapeError('OPTION_INVALID', `Cannot start ${name}: it must be a class that extends Strategy`, {
      field: 'strategy', expected: 'a class that extends Strategy', found: name,
    })
  }
  try {
    return new StrategyClass()
  } catch (error) {
    const stack = error instanceof Error ? userStack(error.stack ?? error.message) : String(error)
    const at = isoFromTime(venue.clock.nowNs(), venue.clock.epochDay)
    const title = titleOf(name, origin)
    throw new BacktapeError(
      'STRATEGY_FAILED', `Cannot make ${title} at ${at}: its constructor threw\n${stack}`, { field: 'constructor' },
      error,
    )
  }
}
