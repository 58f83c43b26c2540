import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { Indicator, type SavedIndicator } from '../measures/indicators/indicator.js'
import { heldFields } from './held-fields.js'
import type { Strategy } from './strategy.js'

/** Indicators of a strategy as a checkpoint holds them: each by its field, `fast` or `averages[0]`. */
export type HeldIndicatorsState = Readonly<Record<string, SavedIndicator>>

/**
 * The indicators of a strategy, for checkpoints: those that are its own fields, or lie in arrays and maps that are. The
 * strategy saves and restores nothing of them itself.
 */
export class HeldIndicators {
  /** Those that are known to have been made, so that one out of reach is seen. */
  readonly #made: Indicator[]

  /** `made` are those of the strategy's constructor. */
  constructor(private readonly strategy: Strategy, made: readonly Indicator[]) {
    this.#made = [...made]
  }

  /** Adds those of `onStart`. */
  add(made: readonly Indicator[]): void {
    this.#made.push(...made)
  }

  /** Their states. Throws STRATEGY_FAILED for one that is out of reach. */
  state(): HeldIndicatorsState {
    const fields = reachable(this.strategy)
    const known = new Set([...fields.values()].flatMap((indicator) => [indicator, ...indicator.parts()]))
    const lost = this.#made.find((indicator) => !known.has(indicator))
    if (lost !== undefined) {
      const name = this.strategy.constructor.name
      throw new BacktapeError(
        'STRATEGY_FAILED',
        `Cannot save ${name}: its indicator ${lost.label} is out of reach; ` +
          'make it a field of the strategy that is not private (#), or a value of an array or a map that is one',
        { field: 'indicators', expected: 'a field, an array or a map', found: lost.label },
      )
    }
    return Object.fromEntries([...fields].map(([path, indicator]) => [path, indicator.save()]))
  }

  /** Gives the strategy's indicators their states back. Throws OPTION_INVALID where one is missing or another. */
  restore(saved: HeldIndicatorsState): void {
    const fields = reachable(this.strategy)
    for (const [path, state] of Object.entries(saved)) {
      const indicator = fields.get(path)
      if (indicator !== undefined) indicator.restore(state)
      else {
        const name = this.strategy.constructor.name
        throw new BacktapeError(
          'OPTION_INVALID',
          `Cannot resume ${name}: the checkpoint holds the indicator ${path}, ` +
            'which neither the constructor nor onStart nor restoreState has made',
          { field: path, expected: foundText(state.label), found: 'nothing' },
        )
      }
    }
  }
}

/** By field, in the order of declaration. */
function reachable(strategy: Strategy): ReadonlyMap<string, Indicator> {
  return heldFields(strategy, (value): value is Indicator => value instanceof Indicator)
}
