import { madeIndicators, type Indicator } from '../measures/indicators/indicator.js'
import { BacktapeError } from '../model/error.js'
import { CHECKPOINT_DEPTH_LIMIT, JSON_DEPTH_LIMIT, parseNestedJson } from '../model/nested-json.js'
import type { CallbackGuard } from './callback-guard.js'
import { HeldIndicators } from './held-indicators.js'
import type { RuntimeState } from './runtime-state.js'
import type { Strategy } from './strategy.js'
import { UnsavedFields } from './unsaved-fields.js'

/** The parts of a checkpoint that the strategy itself remembers. */
type Remembered = Pick<RuntimeState, 'strategy' | 'indicators' | 'unsavedFields'>

/** The memory of a strategy from one callback to the next: its `saveState`, its indicators, its fields. */
export class StrategyMemory {
  readonly #indicators: HeldIndicators
  #unsaved: UnsavedFields | null = null

  /** `made` are the indicators that the strategy's constructor has made. */
  constructor(private readonly strategy: Strategy, private readonly guard: CallbackGuard, made: readonly Indicator[]) {
    this.#indicators = new HeldIndicators(strategy, made)
  }

  /** Calls `onStart`; `lost` are the fields that the checkpoint of a resumed run did not hold. */
  start(lost: readonly string[] = []): void {
    const [, made] = madeIndicators(() => { this.guard.run('onStart', () => this.strategy.onStart()) })
    this.#indicators.add(made)
    this.#unsaved = new UnsavedFields(this.strategy, lost)
  }

  /** Gives the strategy back what a checkpoint holds of it. */
  restore({ strategy, indicators }: Remembered): void {
    this.guard.run('restoreState', () => this.strategy.restoreState(strategy))
    this.#indicators.restore(indicators)
  }

  /** Names of fields that a checkpoint loses. */
  unsavedFields(): readonly string[] {
    return this.#unsaved?.names() ?? []
  }

  /** Throws STRATEGY_FAILED for what cannot be saved. */
  state(): Remembered {
    return {
      strategy: this.#saved(), indicators: this.#indicators.state(), unsavedFields: this.unsavedFields(),
    }
  }

  #saved(): unknown {
    try {
      const text = JSON.stringify(this.strategy.saveState() ?? null) as string | undefined
      // Deeper than this it could not be read again with the checkpoint around it.
      return text === undefined ? null : parseNestedJson(text, CHECKPOINT_DEPTH_LIMIT - JSON_DEPTH_LIMIT)
    } catch (error) {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
      throw new BacktapeError(
        'STRATEGY_FAILED', `Cannot save ${this.guard.strategyName}: saveState must return plain JSON\n${words}`,
        { field: 'saveState' }, error,
      )
    }
  }
}
