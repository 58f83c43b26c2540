import { DrawnId, type Id } from './id.js'
import type { RandomNumbers } from './random.js'

/** Places at first: most worlds have few orders at a time. */
const FIRST_PLACES = 16
/** Where a place is free. */
const FREE = -1

/**
 * Values by id, as a `Map` would hold them, without hashing: ids that one source has drawn come in the order of their
 * counter and go soon after, so the counter says the place. An id whose place is needed for a later one is found by its
 * counter all the same, and ids from outside, or of another source, by themselves.
 */
export class IdMap<Value> {
  /** The source of the ids that have places: that of the first one drawn. */
  #source: RandomNumbers | null = null
  #counts: Float64Array = NO_PLACES
  #values: (Value | undefined)[] = []
  #placed = 0
  /** Those whose place was needed for a later one, by counter. */
  readonly #moved: Map<number, Value> = new Map()
  readonly #others: Map<Id, Value> = new Map()

  /** A map of these entries, in their order. */
  static of<Value>(entries: Iterable<readonly [Id, Value]>): IdMap<Value> {
    const map = new IdMap<Value>()
    for (const [id, value] of entries) map.set(id, value)
    return map
  }

  get size(): number {
    return this.#placed + this.#moved.size + this.#others.size
  }

  get(id: Id): Value | undefined {
    if (typeof id !== 'string' && id.source === this.#source) {
      const { count } = id
      const at = count & (this.#counts.length - 1)
      if (this.#counts[at] === count) return this.#values[at]
      return this.#moved.size === 0 ? undefined : this.#moved.get(count)
    }
    return this.#others.size === 0 ? undefined : this.#others.get(id)
  }

  has(id: Id): boolean {
    return this.get(id) !== undefined
  }

  set(id: Id, value: Value): void {
    if (typeof id === 'string' || id.source !== (this.#source ??= id.source)) this.#others.set(id, value)
    else if (this.#moved.size > 0 && this.#moved.has(id.count)) this.#moved.set(id.count, value)
    else this.#place(id.count, value)
  }

  /** True where it was there. */
  delete(id: Id): boolean {
    if (typeof id === 'string' || id.source !== this.#source) return this.#others.delete(id)
    const at = id.count & (this.#counts.length - 1)
    if (this.#counts[at] !== id.count) return this.#moved.size > 0 && this.#moved.delete(id.count)
    this.#counts[at] = FREE
    this.#values[at] = undefined
    this.#placed--
    return true
  }

  clear(): void {
    this.#counts.fill(FREE)
    this.#values.fill(undefined)
    this.#placed = 0
    this.#moved.clear()
    this.#others.clear()
  }

  /** Ids from outside in the order of their coming, then drawn ones in the order of drawing. */
  entries(): [id: Id, value: Value][] {
    const drawn = [...this.#moved]
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at] as number
      if (count !== FREE) drawn.push([count, this.#values[at] as Value])
    }
    drawn.sort(([a], [b]) => a - b)
    const source = this.#source
    return [
      ...this.#others,
      ...(source === null ? [] : drawn.map(([count, value]): [Id, Value] => [new DrawnId(source, count), value])),
    ]
  }

  /** The values of {@link entries}, in that order. */
  values(): Value[] {
    return this.entries().map(([, value]) => value)
  }

  #place(count: number, value: Value): void {
    const at = count & (this.#counts.length - 1)
    const there = this.#counts[at]
    if (there !== FREE && there !== count) {
      // Many are there at a time: with more places each has its own. Few are: the earlier one has been there for long.
      if (there === undefined || this.#placed * 4 >= this.#counts.length) {
        this.#widen()
        return this.#place(count, value)
      }
      if (there > count) {
        this.#moved.set(count, value)
        return
      }
      this.#moved.set(there, this.#values[at] as Value)
    } else if (there === FREE) this.#placed++
    this.#counts[at] = count
    this.#values[at] = value
  }

  /** Doubles the places. No two ids of one place before share one after it. */
  #widen(): void {
    const [counts, values] = [this.#counts, this.#values]
    const length = Math.max(FIRST_PLACES, counts.length * 2)
    this.#counts = new Float64Array(length).fill(FREE)
    this.#values = Array.from<Value | undefined>({ length })
    for (let from = 0; from < counts.length; from++) {
      const count = counts[from] as number
      if (count === FREE) continue
      const at = count & (length - 1)
      this.#counts[at] = count
      this.#values[at] = values[from]
    }
  }
}

const NO_PLACES: Float64Array = new Float64Array(0)
