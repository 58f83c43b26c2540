/**
 * A ladder of price levels around the touch: one slot a tick, an occupancy bit a slot. Slot s holds the key `base + s * step`;
 * greater slots are better levels. Plain data plus the few operations that keep it whole.
 */
export class LevelWindow {
  readonly size: number
  readonly quantities: Float64Array
  /** Bit s & 31 of word s >>> 5 is set where slot s holds a level. */
  readonly bits: Int32Array
  base = 0
  step = 1
  /** Occupied slots. */
  count = 0
  /** No slot above this one is occupied; exact after {@link settleTop}. -1 where the window is known to be empty. */
  top = -1

  constructor(size: number) {
    this.size = size
    this.quantities = new Float64Array(size)
    this.bits = new Int32Array(size >>> 5)
  }

  /** Fills an empty slot; the caller has checked its range. */
  fill(slot: number, quantity: number): void {
    this.quantities[slot] = quantity
    const word = slot >>> 5
    this.bits[word] = (this.bits[word] as number) | (1 << slot)
    this.count++
    if (slot > this.top) this.top = slot
  }

  /** Lowers `top` to the best occupied slot. */
  settleTop(): number {
    this.top = this.count === 0 ? -1 : occupiedAtOrBelow(this.bits, this.top)
    return this.top
  }

  /** Empties every slot. */
  clear(): void {
    for (let slot = this.top; this.count > 0; this.count--) {
      slot = occupiedAtOrBelow(this.bits, slot)
      this.quantities[slot] = 0
      this.bits[slot >>> 5] = (this.bits[slot >>> 5] as number) & ~(1 << slot)
    }
    this.top = -1
  }
}

/** The highest occupied slot that is not above `slot`, or -1. */
export function occupiedAtOrBelow(bits: Int32Array, slot: number): number {
  if (slot < 0) return -1
  let word = slot >>> 5
  let rest = (bits[word] as number) & (-1 >>> (31 - (slot & 31)))
  while (rest === 0) {
    if (--word < 0) return -1
    rest = bits[word] as number
  }
  return (word << 5) + 31 - Math.clz32(rest)
}

/** The lowest occupied slot that is not below `slot`, or -1. */
export function occupiedAtOrAbove(bits: Int32Array, slot: number): number {
  let word = slot >>> 5
  if (word >= bits.length) return -1
  let rest = (bits[word] as number) & (-1 << (slot & 31))
  while (rest === 0) {
    if (++word === bits.length) return -1
    rest = bits[word] as number
  }
  return (word << 5) + 31 - Math.clz32(rest & -rest)
}
