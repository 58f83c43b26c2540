/**
 * Messages that one connection is to be sent, as ranges of the block of its encoding: neighbours are one range, so that
 * a message for all costs each a comparison, and bytes are copied in large pieces.
 */
export class Outbox {
  /** Bytes of all ranges. */
  byteCount = 0
  #from: number[] = []
  #to: number[] = []
  #count = 0
  /** Range of the top-of-book line that waits, by instrument. */
  readonly #tops: Map<number, number> = new Map()

  /** The frame `from .. to` of the block. */
  add(from: number, to: number): void {
    this.byteCount += to - from
    const last = this.#count - 1
    if (last >= 0 && this.#to[last] === from) this.#to[last] = to
    else this.#open(from, to)
  }

  /**
   * A top-of-book line that takes the place of the one that waits: of each instrument the last remains. True where one
   * was dropped.
   */
  addTop(instrumentId: number, from: number, to: number): boolean {
    const before = this.#tops.get(instrumentId)
    if (before !== undefined) {
      this.byteCount -= (this.#to[before] as number) - (this.#from[before] as number)
      // An empty range nobody's: the next frame may not be joined to it.
      this.#from[before] = 0
      this.#to[before] = 0
    }
    this.byteCount += to - from
    this.#tops.set(instrumentId, this.#count)
    this.#open(from, to)
    // What follows is a range of its own, as this one may be dropped.
    this.#open(0, 0)
    return before !== undefined
  }

  /** All messages in their order as they lie in the block, where they lie side by side; else null. */
  lying(block: Uint8Array): Uint8Array | null {
    return this.#count === 1 ? block.subarray(this.#from[0], this.#to[0]) : null
  }

  /** All messages in their order, copied out of the block; null where there are none. */
  drain(block: Uint8Array): Uint8Array | null {
    const count = this.#count
    if (count === 0) return null
    const bytes = Buffer.allocUnsafe(this.byteCount)
    let at = 0
    for (let i = 0; i < count; i++) {
      const from = this.#from[i] as number
      const to = this.#to[i] as number
      if (from === to) continue
      bytes.set(block.subarray(from, to), at)
      at += to - from
    }
    this.clear()
    return bytes
  }

  clear(): void {
    this.#count = 0
    this.byteCount = 0
    if (this.#tops.size > 0) this.#tops.clear()
  }

  #open(from: number, to: number): void {
    this.#from[this.#count] = from
    this.#to[this.#count++] = to
  }
}
