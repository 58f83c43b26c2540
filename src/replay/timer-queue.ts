/** Lists beyond this give their memory back when their instant is over. */
const LONG_LIST = 4096

/** A timer's place in the queue. One object per timer lives as long as its client. */
export interface TimerSlot {
  /** Where it waits, which has its time; null while it does not. */
  instant: TimerInstant | null
  place: number
}

/** All timers of one time, in the order of setting; places of those that left are null, as are all from `count` on. */
export interface TimerInstant<Slot extends TimerSlot = TimerSlot> {
  timeNs: number
  readonly slots: (Slot | null)[]
  count: number
  /** Every place before it is empty. */
  first: number
  waitingCount: number
  heapIndex: number
}

/**
 * Waiting timers by (time, order of setting): a binary heap of instants, each a list, as many strategies wake at the same instants
 * and then cost a push and a step each. Timers can be moved and removed in place; an instant without timers leaves at once.
 *
 * Timers of one instant that all come again at one later time, as strategies of one rhythm do, stay where they are: they roll. When the last of
 * them has fired their instant takes the later time, and not one of them was moved. Whoever sets, moves, removes or lists timers in between finds them there already.
 */
export class TimerQueue<Slot extends TimerSlot> {
  readonly #heap: TimerInstant<Slot>[] = []
  readonly #instants: Map<number, TimerInstant<Slot>> = new Map()
  readonly #spare: TimerInstant<Slot>[] = []
  #latest: TimerInstant<Slot> | null = null
  /** The instant in which timers roll: places from `#rollFrom` up to its first one hold those that have fired, `#rolledCount` of them. */
  #rolling: TimerInstant<Slot> | null = null
  #rollNs = NaN
  #rollFrom = 0
  #rolledCount = 0
  /** Due time of the next timer, Infinity where none waits. Kept, as it is looked at far more often than it changes. */
  nextTimeNs: number = Infinity

  /** The instant that comes first; undefined where no timer waits. */
  first(): TimerInstant<Slot> | undefined {
    return this.#heap[0]
  }

  /** The next timer of an instant in which one waits; it waits on until {@link leave} or {@link carry}. */
  next(instant: TimerInstant<Slot>): Slot {
    const { slots } = instant
    let { first } = instant
    while (slots[first] === null) first++
    instant.first = first
    return slots[first] as Slot
  }

  /** Takes the next timer of an instant out. */
  leave(instant: TimerInstant<Slot>, slot: Slot): void {
    instant.slots[instant.first++] = null
    slot.instant = null
    if (--instant.waitingCount === 0 && this.#rolling !== instant) this.#drop(instant)
  }

  /** Moves the next timer of an instant to a later time, behind those set before; {@link endFire} is to follow, after more of them. */
  carry(instant: TimerInstant<Slot>, slot: Slot, timeNs: number): void {
    if (this.#rolling === null && !this.#instants.has(timeNs)) {
      this.#rolling = instant
      this.#rollNs = timeNs
      this.#rollFrom = instant.first
      this.#rolledCount = 0
    }
    if (this.#rolling === instant && this.#rollNs === timeNs) {
      instant.first++
      instant.waitingCount--
      this.#rolledCount++
    } else {
      this.leave(instant, slot)
      this.#add(slot, timeNs)
    }
  }

  /** Timers of an instant have fired, all or some: those that rolled are where they belong. */
  endFire(): void {
    const instant = this.#rolling
    if (instant === null) return
    if (instant.waitingCount > 0) return this.#unroll()
    this.#rolling = null
    this.#instants.delete(instant.timeNs)
    instant.timeNs = this.#rollNs
    this.#instants.set(instant.timeNs, instant)
    instant.first = this.#rollFrom
    instant.waitingCount = this.#rolledCount
    this.#latest = instant
    this.#settle(instant)
    this.#noteNext()
  }

  /** Puts a timer in at a time, behind those set before; moves it where it waits already. */
  put(slot: Slot, timeNs: number): void {
    if (slot.instant !== null) this.remove(slot)
    this.#unroll()
    this.#add(slot, timeNs)
  }

  /** When a timer fires; NaN where it does not wait. */
  timeOf(slot: Slot): number {
    this.#unroll()
    return slot.instant?.timeNs ?? NaN
  }

  #add(slot: Slot, timeNs: number): void {
    const latest = this.#latest
    const instant = latest !== null && latest.timeNs === timeNs ? latest : this.#instantOf(timeNs)
    const place = instant.count++
    slot.instant = instant
    slot.place = place
    instant.slots[place] = slot
    if (place > 64 + 2 * ++instant.waitingCount) close(instant)
  }

  /** Takes a timer out; harmless where it does not wait. */
  remove(slot: Slot): void {
    if (slot.instant === null) return
    this.#unroll()
    const instant = slot.instant as TimerInstant<Slot>
    slot.instant = null
    instant.slots[slot.place] = null
    if (--instant.waitingCount === 0) this.#drop(instant)
  }

  /** All waiting timers in the order in which they will fire. */
  ordered(): { readonly slot: Slot; readonly timeNs: number }[] {
    this.#unroll()
    const instants = [...this.#heap].sort((a, b) => a.timeNs - b.timeNs)
    return instants.flatMap(({ slots, timeNs }) => slots.filter((slot) => slot !== null).map((slot) => ({ slot, timeNs })))
  }

  /** Moves those that roll to their time, one by one. */
  #unroll(): void {
    const instant = this.#rolling
    if (instant === null) return
    this.#rolling = null
    for (let place = this.#rollFrom; place < instant.first; place++) {
      const slot = instant.slots[place] ?? null
      if (slot === null) continue
      instant.slots[place] = null
      this.#add(slot, this.#rollNs)
    }
    if (instant.waitingCount === 0) this.#drop(instant)
  }

  #instantOf(timeNs: number): TimerInstant<Slot> {
    let instant = this.#instants.get(timeNs)
    if (instant === undefined) {
      instant = this.#spare.pop() ?? { timeNs, slots: [], count: 0, first: 0, waitingCount: 0, heapIndex: 0 }
      instant.timeNs = timeNs
      instant.heapIndex = this.#heap.length
      this.#instants.set(timeNs, instant)
      this.#heap.push(instant)
      this.#settle(instant)
      this.#noteNext()
    }
    this.#latest = instant
    return instant
  }

  /** Forgets an instant without timers; its memory serves another one. */
  #drop(instant: TimerInstant<Slot>): void {
    this.#instants.delete(instant.timeNs)
    if (this.#latest === instant) this.#latest = null
    const last = this.#heap.pop()
    if (last !== undefined && last !== instant) {
      last.heapIndex = instant.heapIndex
      this.#heap[last.heapIndex] = last
      this.#settle(last)
    }
    this.#noteNext()
    // The list keeps its memory, unless it was long for once.
    if (instant.slots.length > LONG_LIST) instant.slots.length = 0
    instant.count = 0
    instant.first = 0
    if (this.#spare.length < 8) this.#spare.push(instant)
  }

  #noteNext(): void {
    const first = this.#heap[0]
    this.nextTimeNs = first === undefined ? Infinity : first.timeNs
  }

  #settle(instant: TimerInstant<Slot>): void {
    const heap = this.#heap
    let at = instant.heapIndex
    while (at > 0) {
      const parent = heap[(at - 1) >> 1] as TimerInstant<Slot>
      if (parent.timeNs <= instant.timeNs) break
      heap[at] = parent
      parent.heapIndex = at
      at = (at - 1) >> 1
    }
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as TimerInstant<Slot>).timeNs < (heap[child] as TimerInstant<Slot>).timeNs) child++
      const below = heap[child] as TimerInstant<Slot>
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
function close<Slot extends TimerSlot>(instant: TimerInstant<Slot>): void {
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
