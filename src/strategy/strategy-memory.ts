import { Indicator, madeIndicators, type SavedIndicator } from '../measures/indicators/indicator.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { CHECKPOINT_DEPTH_LIMIT, JSON_DEPTH_LIMIT, parseNestedJson } from '../model/nested-json.js'
import type { CallbackGuard } from './callback-guard.js'
import { Strategy } from './strategy.js'

/** The parts of a checkpoint that the strategy itself remembers. */
export interface StrategyMemoryState {
  /** The result of the strategy's own `saveState`. */
  readonly strategy: unknown
  /** Indicators that the strategy holds, each by its field, `fast` or `averages[0]`. */
  readonly indicators: Readonly<Record<string, SavedIndicator>>
  /** Fields of the strategy that the checkpoint does not hold. */
  readonly unsavedFields: readonly string[]
}

/**
 * The memory of a strategy from one callback to the next: its `saveState`, its fields, and its indicators, those that
 * are its own fields, or lie in arrays and maps that are. The strategy saves and restores nothing of these itself.
 */
export class StrategyMemory {
  #unsaved: UnsavedFields | null = null

  constructor(
    private readonly strategy: Strategy,
    private readonly guard: CallbackGuard,
    /** Indicators that are known to have been made, so that one out of reach is seen: first the constructor's. */
    private made: readonly Indicator[],
  ) {}

  /** Calls `onStart`; `lost` are the fields that the checkpoint of a resumed run did not hold. */
  start(lost: readonly string[] = []): void {
    const [, made] = madeIndicators(() => { this.guard.run('onStart', () => this.strategy.onStart()) })
    this.made = [...this.made, ...made]
    this.#unsaved = new UnsavedFields(this.strategy, lost)
  }

  /** Gives the strategy back what a checkpoint holds of it. Throws OPTION_INVALID where an indicator is missing. */
  restore({ strategy, indicators }: StrategyMemoryState): void {
    this.guard.run('restoreState', () => this.strategy.restoreState(strategy))
    const fields = this.#indicators()
    for (const [path, state] of Object.entries(indicators)) {
      const indicator = fields.get(path)
      if (indicator === undefined)
        throw new BacktapeError(
          'OPTION_INVALID',
          `Cannot resume ${this.guard.strategyName}: the checkpoint holds the indicator ${path}, ` +
            'which neither the constructor nor onStart nor restoreState has made',
          { field: path, expected: foundText(state.label), found: 'nothing' },
        )
      indicator.restore(state)
    }
  }

  /** Names of fields that a checkpoint loses. */
  unsavedFields(): readonly string[] {
    return this.#unsaved?.names() ?? []
  }

  /** Throws STRATEGY_FAILED for what cannot be saved, and for an indicator that is out of reach. */
  state(): StrategyMemoryState {
    const strategy = this.#saved()
    const fields = this.#indicators()
    const known = new Set([...fields.values()].flatMap((indicator) => [indicator, ...indicator.parts()]))
    const lost = this.made.find((indicator) => !known.has(indicator))
    if (lost !== undefined)
      throw new BacktapeError(
        'STRATEGY_FAILED',
        `Cannot save ${this.guard.title}: its indicator ${lost.label} is out of reach; ` +
          'make it a field of the strategy that is not private (#), or a value of an array or a map that is one',
        { field: 'indicators', expected: 'a field, an array or a map', found: lost.label },
      )
    const indicators = Object.fromEntries([...fields].map(([path, indicator]) => [path, indicator.save()]))
    return { strategy, indicators, unsavedFields: this.unsavedFields() }
  }

  /** By field, in the order of declaration. */
  #indicators(): ReadonlyMap<string, Indicator> {
    return heldFields(this.strategy, (value): value is Indicator => value instanceof Indicator)
  }

  #saved(): unknown {
    try {
      const text = JSON.stringify(this.strategy.saveState() ?? null) as string | undefined
      // Deeper than this it could not be read again with the checkpoint around it.
      return text === undefined ? null : parseNestedJson(text, CHECKPOINT_DEPTH_LIMIT - JSON_DEPTH_LIMIT)
    } catch (error) {
      const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
      throw new BacktapeError(
        'STRATEGY_FAILED', `Cannot save ${this.guard.title}: saveState must return plain JSON\n${words}`,
        { field: 'saveState' }, error,
      )
    }
  }
}

/** A field as it stood after `onStart`: its value, and the size of a collection. */
type FieldMark = readonly [value: unknown, size: number]

/**
 * The fields of a strategy that a checkpoint loses: it has no `saveState` of its own, and they have changed since
 * `onStart`.
 */
export class UnsavedFields {
  readonly #marks: ReadonlyMap<string, FieldMark>
  readonly #lost: ReadonlySet<string>

  /** To be made once `onStart` has run; `lost` are those that the checkpoint of a resumed run did not hold. */
  constructor(private readonly strategy: Strategy, lost: readonly string[] = []) {
    this.#lost = new Set(lost)
    const fields = hasOwnState(strategy) ? [] : Object.entries(strategy)
    this.#marks = new Map(fields.map(([name, value]) => [name, markOf(value)]))
  }

  /** Their names, in the order of declaration. Private (`#name`) fields and changes inside an object are not seen. */
  names(): string[] {
    if (hasOwnState(this.strategy)) return []
    return Object.entries(this.strategy)
      .filter(([name, value]) => {
        const mark = this.#marks.get(name)
        const [now, size] = markOf(value)
        return this.#lost.has(name) || mark === undefined || !Object.is(mark[0], now) || mark[1] !== size
      })
      .map(([name]) => name)
  }
}

/** The sentence for fields that a checkpoint does not hold. */
export function unsavedNote(strategyName: string, fields: readonly string[]): string {
  const names = [...new Set(fields)].join(', ')
  const missing = `${strategyName} has no saveState, so a checkpoint does not hold its fields ${names}`
  return `${missing}: a run that goes on from it begins with their first values and may end otherwise`
}

/** True where a class has a `saveState` of its own; another copy of the package has another base class of that name. */
function hasOwnState(strategy: Strategy): boolean {
  return String(strategy.saveState) !== String(Strategy.prototype.saveState)
}

function markOf(value: unknown): FieldMark {
  if (Array.isArray(value)) return [value, value.length]
  if (value instanceof Map || value instanceof Set) return [value, value.size]
  return [value, 0]
}

/** Lists in maps in lists: deeper than this nothing is looked for. */
const DEPTH_LIMIT = 4

/**
 * Values of a kind that a strategy holds: its own fields, and those in arrays and maps that are; by path, `fast` or
 * `averages[0]`, in the order of declaration.
 */
export function heldFields<T>(strategy: Strategy, isMeant: (value: unknown) => value is T): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const visit = (value: unknown, path: string, depth: number): void => {
    if (isMeant(value)) found.set(path, value)
    else if (depth === DEPTH_LIMIT) return
    else if (Array.isArray(value)) value.forEach((item, at) => { visit(item, `${path}[${at}]`, depth + 1) })
    else if (value instanceof Map)
      for (const [key, item] of value)
        if (typeof key === 'string' || typeof key === 'number')
          visit(item, `${path}[${JSON.stringify(key)}]`, depth + 1)
  }
  for (const [name, value] of Object.entries(strategy)) visit(value, name, 0)
  return found
}
