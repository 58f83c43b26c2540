import { BacktapeError } from '../model/error.js'
import { LevelWindow } from './level-window.js'
import { OuterLevels } from './outer-levels.js'

/** A window begins with a part of its size: a book of a few levels, one of thousands as a rule, needs no more. */
const FIRST_PART = 64
/** Slots of the smallest window. */
const LEAST_SIZE = 32

/** Greatest size of the window, a multiple of 32, and limit of levels of one side. */
export interface BookSideOptions {
  readonly windowSize: number
  readonly levelLimit: number
}

/**
 * One side of a book. Levels are ordered by key: the price for bids, its negative for asks, so that greater is better
 * on both. The window holds the touch and what lies near it, one slot a step; every level worse than the window stands
 * in the outer columns. All keys are multiples of the step: a price off it refines the step (at most some fifty times
 * between snapshots).
 *
 * The touch stands at three quarters of a window just placed, since levels lie on its worse side alone; the window
 * moves when the touch has drifted an eighth of its size, so the touch never comes nearer than an eighth to its better
 * edge. The first level that a small window leaves out makes it as large as it may be.
 */
export class BookSide {
  private window: LevelWindow
  private readonly outer: OuterLevels
  private readonly windowSize: number
  private readonly levelLimit: number

  constructor(private readonly sign: 1 | -1, { windowSize, levelLimit }: BookSideOptions) {
    const first = windowSize / FIRST_PART
    this.window = new LevelWindow(Math.max(LEAST_SIZE, first - (first % LEAST_SIZE)))
    this.outer = new OuterLevels()
    this.windowSize = windowSize
    this.levelLimit = levelLimit
  }

  get levelCount(): number {
    return this.window.count + this.outer.count
  }

  /** Best price, NaN where the side is empty. */
  get bestPrice(): number {
    const { top, base, step } = this.window
    return top < 0 ? NaN : (base + top * step) * this.sign + 0
  }

  /** Quantity at the best price, 0 where the side is empty. */
  get bestQuantity(): number {
    const { top, quantities } = this.window
    return top < 0 ? 0 : (quantities[top] as number)
  }

  quantityAt(price: number): number {
    const { base, step, size, quantities } = this.window
    const key = price * this.sign
    if (key < base) return this.outer.quantityAt(key)
    const slot = (key - base) / step
    return slot < size && Number.isInteger(slot) ? (quantities[slot] as number) : 0
  }

  /** Price of the worst level, NaN where the side is empty. */
  get deepestPrice(): number {
    const { window, outer } = this
    if (outer.count > 0) return (outer.keys[0] as number) * this.sign + 0
    const slot = window.occupiedAtOrAbove(0)
    return slot < 0 ? NaN : (window.base + slot * window.step) * this.sign + 0
  }

  /** Copies up to `limit` best levels, best first; returns how many. */
  copyLevels(limit: number, prices: Float64Array, quantities: Float64Array): number {
    const { window, outer, sign } = this
    const wanted = Math.min(limit, prices.length, quantities.length, this.levelCount)
    let copied = 0
    for (let slot = window.top; copied < wanted && slot >= 0; slot = window.occupiedAtOrBelow(slot - 1)) {
      prices[copied] = (window.base + slot * window.step) * sign + 0
      quantities[copied++] = window.quantities[slot] as number
    }
    for (let at = outer.count - 1; copied < wanted; at--) {
      prices[copied] = (outer.keys[at] as number) * sign + 0
      quantities[copied++] = outer.quantities[at] as number
    }
    return copied
  }

  /**
   * Applies rows of this side: absolute quantities, 0 removes. The window's columns and counters live in locals, since
   * this is the loop that every depth row of a day passes; whatever the window cannot take goes the slow way. Call
   * {@link settle} after the last row.
   */
  applyRows(prices: Float64Array, newQuantities: Float64Array, from: number, to: number): void {
    const { window, sign } = this
    const { quantities, marks, size } = window
    let { base, step, top, count } = window
    for (let row = from; row < to; row++) {
      const key = (prices[row] as number) * sign
      const place = step === 1 ? key - base : (key - base) / step
      const slot = place | 0
      const quantity = newQuantities[row] as number
      // Of a negative slot the unsigned one is beyond any size.
      if (slot !== place || slot >>> 0 >= size) {
        window.top = top
        window.count = count
        this.applyFar(key, quantity)
        base = window.base
        step = window.step
        top = window.top
        count = window.count
        continue
      }
      // Without branches on what stood there: whether a level comes or goes is as good as random.
      count += Number(quantity !== 0) - Number(quantities[slot] !== 0)
      quantities[slot] = quantity
      marks[slot >>> 4] = 1
      if (slot > top && quantity !== 0) top = slot
    }
    window.top = top
    window.count = count
  }

  /** Finds the touch after a batch of rows and moves the window where the touch has drifted too far. */
  settle(): void {
    this.checkLimit()
    this.lay()
    if (this.outer.count === 0 || this.window.size === this.windowSize) return
    this.widen()
    this.lay()
  }

  /** Lays the window where the touch stands outside of its middle, or no level stands in it. */
  private lay(): void {
    const { window, outer } = this
    const top = window.settleTop()
    if (top < 0) {
      if (outer.count > 0) this.placeWindow(outer.keys[outer.count - 1] as number)
    } else if (top >= window.size * 0.875 || (top < window.size * 0.625 && outer.count > 0)) {
      this.placeWindow(window.base + top * window.step)
    }
  }

  /** Removes every level. */
  clear(): void {
    this.window.clear()
    this.outer.count = 0
  }

  /**
   * Replaces all levels by the rows whose side is `code`; of equal prices the last row counts. `coarsestStep` is the
   * greatest step that the instrument's ticks allow, 0 where unknown.
   */
  replace(
    code: number, sides: Uint8Array, prices: Float64Array, quantities: Float64Array, from: number, to: number,
    coarsestStep: number,
  ): void {
    const { outer, window, sign } = this
    this.clear()
    let step = coarsestStep
    for (let row = from; row < to; row++) {
      if ((sides[row] === 1 ? 1 : 0) !== code) continue
      const price = prices[row] as number
      if (step !== 1) step = greatestCommonDivisor(step, Math.abs(price))
      outer.append(price * sign, quantities[row] as number)
    }
    outer.sort()
    window.step = boundedStep(step, this.windowSize)
    window.base = 0
    this.settle()
  }

  /**
   * Moves every level to other scales; a quantity by the price that it had and the price that it has then.
   * `coarsestStep` is in units of the new scale.
   */
  rescale(
    rescalePrice: (price: number) => number, rescaleQuantity: (quantity: number, from: number, to: number) => number,
    coarsestStep: number,
  ): void {
    const { outer, window, sign } = this
    this.evict()
    // By its price, not its key: what does not fit is refused by the price that stands in the file.
    outer.rescale(
      (key) => rescalePrice(key * sign) * sign,
      (quantity, from, to) => rescaleQuantity(quantity, from * sign + 0, to * sign + 0),
    )
    let step = coarsestStep
    for (let i = 0; i < outer.count && step !== 1; i++)
      step = greatestCommonDivisor(step, Math.abs(outer.keys[i] as number))
    window.step = boundedStep(step, this.windowSize)
    window.base = 0
    this.settle()
  }

  /** A row that the window cannot take: off its step, better than its range, or worse. */
  private applyFar(key: number, quantity: number): void {
    const { window, outer } = this
    const isOffStep = window.step !== 1 && key % window.step !== 0
    if (quantity === 0) {
      if (!isOffStep && key < window.base) outer.set(key, 0)
      return
    }
    if (isOffStep) this.refine(key)
    const slot = (key - window.base) / window.step
    if (slot < 0 && (outer.count > 0 || window.count > 0)) {
      outer.set(key, quantity)
      return
    }
    if (slot >= window.size || slot < 0) this.placeWindow(key)
    const at = (key - window.base) / window.step
    if (window.quantities[at] === 0) window.fill(at, quantity)
    else window.quantities[at] = quantity
  }

  /** Takes a finer step, so that `key` lies on it, and lays the window anew. */
  private refine(key: number): void {
    const { window, outer } = this
    this.evict()
    window.step = greatestCommonDivisor(window.step, Math.abs(key))
    this.placeWindow(outer.count > 0 ? (outer.keys[outer.count - 1] as number) : key)
  }

  /** Takes a window of the whole size; {@link settle} lays it. */
  private widen(): void {
    this.evict()
    const { step, base } = this.window
    this.window = new LevelWindow(this.windowSize)
    this.window.step = step
    this.window.base = base
  }

  /** Lays the window so that `key` stands at three quarters of it, and takes in every level that it covers. */
  private placeWindow(key: number): void {
    const { window, outer } = this
    this.evict()
    const slotsBelow = Math.min(window.size * 0.75, Math.floor((key + Number.MAX_SAFE_INTEGER) / window.step))
    window.base = key - slotsBelow * window.step
    while (outer.count > 0) {
      const at = outer.count - 1
      const slot = ((outer.keys[at] as number) - window.base) / window.step
      if (slot < 0) return
      window.fill(slot, outer.quantities[at] as number)
      outer.count = at
    }
  }

  /**
   * Moves every level of the window to the outer columns: all of them are better than what stands there, so order
   * holds.
   */
  private evict(): void {
    const { window, outer } = this
    for (let slot = window.occupiedAtOrAbove(0); slot >= 0; slot = window.occupiedAtOrAbove(slot + 1)) {
      outer.append(window.base + slot * window.step, window.quantities[slot] as number)
    }
    window.clear()
  }

  private checkLimit(): void {
    if (this.levelCount <= this.levelLimit) return
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot apply a book event: a side may hold ${this.levelLimit} levels, found more`,
      {
        field: this.sign === 1 ? 'bids' : 'asks',
        expected: `at most ${this.levelLimit} levels a side`,
        found: String(this.levelCount),
      },
    )
  }
}

/** Greatest common divisor of two integers that are not negative; of 0 and n it is n. */
function greatestCommonDivisor(a: number, b: number): number {
  let [high, low] = [a, b]
  while (low !== 0) [high, low] = [low, high % low]
  return high
}

/**
 * The window must span less than 2^50, so that the distance of a key from its base stays exact; 1 divides every key.
 */
function boundedStep(step: number, windowSize: number): number {
  return step >= 1 && step * windowSize <= 2 ** 50 ? step : 1
}
