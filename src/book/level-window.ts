/** Slots that share a mark, as a power of two: two cache lines of quantities. */
const GROUP_BITS = 4
const GROUP_SIZE = 1 << GROUP_BITS

/**
 * A ladder of price levels around the touch: one slot a tick. Slot s holds the key `base + s * step`; greater slots are
 * better levels, a quantity of 0 is none. Plain data plus the few operations that keep it whole.
 */
export class LevelWindow {
  readonly quantities: Float64Array
  /**
   * A byte for each sixteen slots: 0 where none of them holds a level. One that is set may be out of date; a search
   * that finds the sixteen empty corrects it. So whoever sets a quantity writes here without reading, whether it is 0
   * or not.
   */
  readonly marks: Uint8Array
  base = 0
  step = 1
  /** Occupied slots. */
  count = 0
  /** No slot above this one is occupied; exact after {@link settleTop}. -1 where the window is known to be empty. */
  top = -1
  /** The same bytes, four at a time. */
  readonly #markWords: Int32Array

  constructor(readonly size: number) {
    this.quantities = new Float64Array(size)
    this.#markWords = new Int32Array(Math.ceil(size / GROUP_SIZE / 4))
    this.marks = new Uint8Array(this.#markWords.buffer)
  }

  /** Fills an empty slot; the caller has checked its range. */
  fill(slot: number, quantity: number): void {
    this.quantities[slot] = quantity
    this.marks[slot >>> GROUP_BITS] = 1
    this.count++
    if (slot > this.top) this.top = slot
  }

  /** Lowers `top` to the best occupied slot. */
  settleTop(): number {
    const { top } = this
    if (top >= 0 && this.quantities[top] !== 0) return top
    this.top = this.count === 0 ? -1 : this.occupiedAtOrBelow(top)
    return this.top
  }

  /** The highest occupied slot that is not above `slot`, or -1. */
  occupiedAtOrBelow(slot: number): number {
    const { quantities, marks } = this
    for (let at = slot; at >= 0;) {
      const group = at >>> GROUP_BITS
      const first = group << GROUP_BITS
      if (marks[group] !== 0) {
        for (let i = at; i >= first; i--) if (quantities[i] !== 0) return i
        if (at >= this.top || at === first + GROUP_SIZE - 1) marks[group] = 0
      }
      at = first - 1
    }
    return -1
  }

  /** The lowest occupied slot that is not below `slot`, or -1. */
  occupiedAtOrAbove(slot: number): number {
    const { quantities, marks, top } = this
    const words = this.#markWords
    for (let at = slot; at <= top;) {
      const group = at >>> GROUP_BITS
      if ((group & 3) === 0 && words[group >>> 2] === 0) {
        at = (group + 4) << GROUP_BITS
        continue
      }
      const end = (group + 1) << GROUP_BITS
      if (marks[group] !== 0) {
        for (let i = at; i < end; i++) if (quantities[i] !== 0) return i
        if (at === end - GROUP_SIZE) marks[group] = 0
      }
      at = end
    }
    return -1
  }

  /** Empties every slot. */
  clear(): void {
    const { quantities, marks } = this
    for (let group = this.top >> GROUP_BITS; group >= 0; group--) {
      if (marks[group] !== 0) quantities.fill(0, group << GROUP_BITS, (group + 1) << GROUP_BITS)
    }
    marks.fill(0)
    this.count = 0
    this.top = -1
  }
}
