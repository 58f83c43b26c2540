import { DrawnId, type Id } from './id.js'
import type { RandomNumbers } from './random.js'

/** Places at first: most worlds have few orders at a time. */
const FIRST_PLACES = 16
/** Where a place is free. */
const FREE = -1

/** A map as plain data: drawn ids by their counters, ascending. */
export interface IdMapState<Value> {
  readonly source: RandomNumbers | null
  readonly counts: number[]
  readonly values: Value[]
  /** Ids from outside, and of other sources. */
  readonly others: ReadonlyMap<Id, Value>
}

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

  /** The map of a state. */
  static from<Value>({ source, counts, values, others }: IdMapState<Value>): IdMap<Value> {
    const map = new IdMap<Value>()
    for (const [id, value] of others) map.#others.set(id, value)
    map.#source = source
    // The span of the counters as places: none of them has the place of another.
    const span = (counts.at(-1) ?? 0) - (counts[0] ?? 0) + 1
    if (span < counts.length * 8) map.#widen(2 ** Math.ceil(Math.log2(Math.max(FIRST_PLACES, span))))
    for (let at = 0; at < counts.length; at++) map.#place(counts[at] as number, values[at] as Value)
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
  ids(): Id[] {
    const source = this.#source
    const drawn = source === null ? [] : this.#drawn().map((count) => new DrawnId(source, count))
    return [...this.#others.keys(), ...drawn]
  }

  /** The values of {@link ids}, in that order. */
  values(): Value[] {
    const { values } = this.state()
    return this.#others.size === 0 ? values : [...this.#others.values(), ...values]
  }

  /** The map as plain data. */
  state(): IdMapState<Value> {
    const mask = this.#counts.length - 1
    const counts = this.#drawn()
    const values = counts.map((count) => (
      this.#counts[count & mask] === count ? this.#values[count & mask] : this.#moved.get(count)) as Value)
    return { source: this.#source, counts, values, others: this.#others }
  }

  /** Counters of the drawn ids, ascending. */
  #drawn(): number[] {
    const counts = [...this.#moved.keys()]
    let isSorted = counts.length === 0
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at] as number
      if (count === FREE) continue
      isSorted &&= counts.length === 0 || count > (counts.at(-1) as number)
      counts.push(count)
    }
    return isSorted ? counts : counts.sort((a, b) => a - b)
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

  /** Doubles the places, or makes so many. No two ids of one place before share one after it. */
  #widen(length = Math.max(FIRST_PLACES, this.#counts.length * 2)): void {
    const [counts, values] = [this.#counts, this.#values]
    this.#counts = new Float64Array(length).fill(FREE)
    this.#values = Array<Value | undefined>(length).fill(undefined)
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
