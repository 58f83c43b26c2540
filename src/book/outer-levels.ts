import { BacktapeError } from '../model/error.js'
import { factorBetween } from '../model/scale-factor.js'

/**
 * Levels of one side outside the window: two columns in ascending order of their key (see {@link BookSide}), so that
 * the best of them stands at the end, where levels leave to the window and come back from it.
 */
export class OuterLevels {
  keys: Float64Array = new Float64Array(64)
  quantities: Float64Array = new Float64Array(64)
  count = 0

  /** Position of the first key that is not below `key`. */
  lowerBound(key: number): number {
    const keys = this.keys
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((keys[middle] as number) < key) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Quantity at a key, 0 where no level stands. */
  quantityAt(key: number): number {
    const at = this.lowerBound(key)
    return at < this.count && this.keys[at] === key ? (this.quantities[at] as number) : 0
  }

  /** Sets the absolute quantity of a key; 0 removes it. */
  set(key: number, quantity: number): void {
    const at = this.lowerBound(key)
    const stands = at < this.count && this.keys[at] === key
    if (quantity !== 0) {
      if (!stands) this.open(at)
      this.keys[at] = key
      this.quantities[at] = quantity
    } else if (stands) {
      this.keys.copyWithin(at, at + 1, this.count)
      this.quantities.copyWithin(at, at + 1, this.count)
      this.count--
    }
  }

  /** Adds a level at the end; the caller keeps the order, or sorts afterwards. */
  append(key: number, quantity: number): void {
    if (this.count === this.keys.length) this.grow()
    this.keys[this.count] = key
    this.quantities[this.count++] = quantity
  }

  /** Brings appended levels into order: of equal keys the last one appended stays, quantities of 0 go. */
  sort(): void {
    const { keys, quantities, count } = this
    let ascents = 0
    let descents = 0
    for (let i = 1; i < count; i++) {
      if ((keys[i - 1] as number) < (keys[i] as number)) ascents++
      else if ((keys[i - 1] as number) > (keys[i] as number)) descents++
    }
    if (descents === count - 1) {
      keys.subarray(0, count).reverse()
      quantities.subarray(0, count).reverse()
    } else if (ascents !== count - 1) this.sortMixed()
    this.dropReplaced()
  }

  private sortMixed(): void {
    const count = this.count
    const keys = this.keys.slice(0, count)
    const quantities = this.quantities.slice(0, count)
    const order = Uint32Array.from({ length: count }, (_, i) => i)
    order.sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b)
    for (let i = 0; i < count; i++) {
      this.keys[i] = keys[order[i] as number] as number
      this.quantities[i] = quantities[order[i] as number] as number
    }
  }

  private dropReplaced(): void {
    const { keys, quantities, count } = this
    let kept = 0
    for (let i = 0; i < count; i++) {
      const isReplaced = i + 1 < count && keys[i + 1] === keys[i]
      if (isReplaced || quantities[i] === 0) continue
      keys[kept] = keys[i] as number
      quantities[kept++] = quantities[i] as number
    }
    this.count = kept
  }

  /** Moves every level; a quantity by the key that it had and the key that it has then. */
  rescale(
    rescaleKey: (key: number) => number, rescaleQuantity: (quantity: number, from: number, to: number) => number,
  ): void {
    for (let i = 0; i < this.count; i++) {
      const from = this.keys[i] as number
      const to = rescaleKey(from)
      this.keys[i] = to
      this.quantities[i] = rescaleQuantity(this.quantities[i] as number, from, to)
    }
  }

  private open(at: number): void {
    if (this.count === this.keys.length) this.grow()
    this.keys.copyWithin(at + 1, at, this.count)
    this.quantities.copyWithin(at + 1, at, this.count)
    this.count++
  }

  private grow(): void {
    for (const column of ['keys', 'quantities'] as const) {
      const grown = new Float64Array(this[column].length * 2)
      grown.set(this[column])
      this[column] = grown
    }
  }
}

/**
 * A function that moves scaled integers from one scale to another without rounding; it throws VALUE_INEXACT where it
 * cannot.
 */
export function exactRescale(noun: string, fromScale: number, toScale: number): (value: number) => number {
  const factor = factorBetween(0, Math.abs(toScale - fromScale))
  return (value: number): number => {
    const moved = toScale >= fromScale ? value * factor : value / factor
    if (Number.isSafeInteger(moved)) return moved
    throw new BacktapeError(
      'VALUE_INEXACT',
      `Cannot move a ${noun} of the book from scale ${fromScale} to ${toScale}: ${value} does not fit`,
      {
        field: noun,
        expected: 'an integer of at most 2^53 - 1 at the new scale',
        found: `${value} at scale ${fromScale}`,
      },
    )
  }
}
