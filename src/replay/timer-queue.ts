/** Lists beyond this give their memory back when their instant is over. */
const LONG_LIST = 4096

/** A timer with its place in the queue. One object per name lives as long as its client. */
export interface TimerSlot {
  readonly clientId: string
  readonly name: string
  /** Whom it calls. */
  readonly onTimer: (name: string) => void
  timeNs: number
  sequence: number
  /** Where it waits; null while it does not. */
  instant: TimerInstant | null
  place: number
}

/** All timers of one time, in the order of setting; places of those that left are null, as are all from `count` on. */
export interface TimerInstant {
  timeNs: number
  readonly slots: (TimerSlot | null)[]
  count: number
  /** Every place before it is empty. */
  first: number
  waitingCount: number
  heapIndex: number
}

/**
 * Waiting timers by (time, order of setting): a binary heap of instants, each a list, as many strategies wake at the same instants
 * and then cost a push and a step each. Timers can be moved and removed in place; an instant without timers leaves at once.
 */
export class TimerQueue {
  readonly #heap: TimerInstant[] = []
  readonly #instants: Map<number, TimerInstant> = new Map()
  readonly #spare: TimerInstant[] = []
  #latest: TimerInstant | null = null

  /** Due time of the next timer, Infinity where none waits. */
  nextTimeNs(): number {
    const instant = this.#heap[0]
    return instant === undefined ? Infinity : instant.timeNs
  }

  /** The next timer, or undefined where none waits. */
  peek(): TimerSlot | undefined {
    const instant = this.#heap[0]
    if (instant === undefined) return undefined
    const { slots } = instant
    while (slots[instant.first] === null) instant.first++
    return slots[instant.first] ?? undefined
  }

  /** Puts a timer in at a time, behind those set before; moves it where it waits already. */
  put(slot: TimerSlot, timeNs: number): void {
    this.remove(slot)
    const instant = this.#instantOf(timeNs)
    slot.timeNs = timeNs
    slot.instant = instant
    slot.place = instant.count++
    instant.slots[slot.place] = slot
    instant.waitingCount++
    if (slot.place > 64 + 2 * instant.waitingCount) close(instant)
  }

  /** Takes a timer out; harmless where it does not wait. */
  remove(slot: TimerSlot): void {
    const { instant } = slot
    if (instant === null) return
    slot.instant = null
    instant.slots[slot.place] = null
    if (--instant.waitingCount === 0) this.#drop(instant)
  }

  /** All waiting timers in the order in which they will fire. */
  ordered(): TimerSlot[] {
    const instants = [...this.#heap].sort((a, b) => a.timeNs - b.timeNs)
    return instants.flatMap(({ slots }) => slots.filter((slot) => slot !== null))
  }

  #instantOf(timeNs: number): TimerInstant {
    if (this.#latest?.timeNs === timeNs) return this.#latest
    let instant = this.#instants.get(timeNs)
    if (instant === undefined) {
      instant = this.#spare.pop() ?? { timeNs, slots: [], count: 0, first: 0, waitingCount: 0, heapIndex: 0 }
      instant.timeNs = timeNs
      instant.heapIndex = this.#heap.length
      this.#instants.set(timeNs, instant)
      this.#heap.push(instant)
      this.#settle(instant)
    }
    this.#latest = instant
    return instant
  }

  #drop(instant: TimerInstant): void {
    this.#instants.delete(instant.timeNs)
    if (this.#latest === instant) this.#latest = null
    const last = this.#heap.pop()
    if (last !== undefined && last !== instant) {
      last.heapIndex = instant.heapIndex
      this.#heap[last.heapIndex] = last
      this.#settle(last)
    }
    // The list keeps its memory, unless it was long for once.
    if (instant.slots.length > LONG_LIST) instant.slots.length = 0
    instant.count = 0
    instant.first = 0
    if (this.#spare.length < 8) this.#spare.push(instant)
  }

  #settle(instant: TimerInstant): void {
    const heap = this.#heap
    let at = instant.heapIndex
    while (at > 0) {
      const parent = heap[(at - 1) >> 1] as TimerInstant
      if (parent.timeNs <= instant.timeNs) break
      heap[at] = parent
      parent.heapIndex = at
      at = (at - 1) >> 1
    }
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as TimerInstant).timeNs < (heap[child] as TimerInstant).timeNs) child++
      const below = heap[child] as TimerInstant
      if (below.timeNs >= instant.timeNs) break
      heap[at] = below
      below.heapIndex = at
      at = child
    }
    heap[at] = instant
    instant.heapIndex = at
  }
}

/** Closes the gaps of those that left: a timer that is set again and again for the same time must not fill memory. */
function close(instant: TimerInstant): void {
  const { slots } = instant
  let kept = 0
  for (let place = 0; place < instant.count; place++) {
    const slot = slots[place] ?? null
    if (slot === null) continue
    slots[place] = null
    slots[kept] = slot
    slot.place = kept++
  }
  instant.count = kept
  instant.first = 0
}
