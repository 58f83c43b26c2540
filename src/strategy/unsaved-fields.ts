import { Strategy } from './strategy.js'

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
