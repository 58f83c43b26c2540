/** A timer with its place in the heap (-1 while it does not wait). One object per name lives as long as its client. */
export interface TimerSlot {
  readonly clientId: string
  readonly name: string
  /** Whom it calls. */
  readonly onTimer: (name: string) => void
  timeNs: number
  sequence: number
  heapIndex: number
}

function isBefore(a: TimerSlot, b: TimerSlot): boolean {
  return a.timeNs < b.timeNs || (a.timeNs === b.timeNs && a.sequence < b.sequence)
}

/** Waiting timers in a binary heap by (time, order of setting) that can also move and remove one in place. */
export class TimerHeap {
  readonly #slots: TimerSlot[] = []

  get size(): number {
    return this.#slots.length
  }

  /** The next timer, or undefined where none waits. */
  peek(): TimerSlot | undefined {
    return this.#slots[0]
  }

  /** Puts a timer in, or moves it to its new time. */
  put(slot: TimerSlot): void {
    if (slot.heapIndex < 0) {
      slot.heapIndex = this.#slots.length
      this.#slots.push(slot)
    }
    this.#settle(slot)
  }

  /** Takes a timer out; harmless where it does not wait. */
  remove(slot: TimerSlot): void {
    const at = slot.heapIndex
    if (at < 0) return
    slot.heapIndex = -1
    const last = this.#slots.pop()
    if (last === undefined || last === slot) return
    last.heapIndex = at
    this.#slots[at] = last
    this.#settle(last)
  }

  /** All waiting timers in the order in which they will fire. */
  ordered(): TimerSlot[] {
    return [...this.#slots].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  #settle(slot: TimerSlot): void {
    const slots = this.#slots
    let at = slot.heapIndex
    while (at > 0) {
      const parent = slots[(at - 1) >> 1] as TimerSlot
      if (!isBefore(slot, parent)) break
      slots[at] = parent
      parent.heapIndex = at
      at = (at - 1) >> 1
    }
    for (;;) {
      let child = 2 * at + 1
      if (child >= slots.length) break
      if (child + 1 < slots.length && isBefore(slots[child + 1] as TimerSlot, slots[child] as TimerSlot)) child++
      const below = slots[child] as TimerSlot
      if (!isBefore(below, slot)) break
      slots[at] = below
      below.heapIndex = at
      at = child
    }
    slots[at] = slot
    slot.heapIndex = at
  }
}
