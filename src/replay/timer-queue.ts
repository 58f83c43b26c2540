import { nextDueNs } from '../model/time.js'
import type { TimerTarget } from '../venue/venue.js'

/**
 * So many instants are found by looking at each; more are found by a map, whose every change costs as much as looking
 * at some dozens.
 */
const FEW = 8

/** Lists beyond this give their memory back when their instant is over. */
const LONG_LIST = 4096

/** A timer's place in the queue. One object per timer lives as long as its client. */
export interface TimerSlot {
  readonly name: string
  readonly target: TimerTarget
  /** 0 for one that fires once; changed only while it does not wait. */
  readonly intervalNs: number
  /** Where it waits, which has its time; null while it does not. */
  instant: TimerInstant | null
  place: number
  /** Order of setting, but of those that rolled: {@link TimerQueue.sequenceOf}. */
  setOrder: number
}

/** All timers of one time, in the order of setting; places of those that left are null, as are all from `count` on. */
export interface TimerInstant<Slot extends TimerSlot = TimerSlot> {
  timeNs: number
  readonly slots: (Slot | null)[]
  /** The targets of the timers, place by place: who fires them looks at no timer. */
  readonly targets: (TimerTarget | null)[]
  readonly names: string[]
  count: number
  /** Every place before it is empty. */
  first: number
  waitingCount: number
  /** The interval of all of its timers; 0 where they have none, or not the same one. */
  rhythmNs: number
  /** Order of setting of the first place when its timers rolled last. */
  rolledSequence: number
  heapIndex: number
}

/**
 * Waiting timers by (time, order of setting): a binary heap of instants, each a list, as many strategies wake at the
 * same instants and then cost a push and a step each. Timers can be moved and removed in place; an instant without
 * timers leaves at once.
 *
 * Timers of one instant that all come again at one later time, as strategies of one rhythm do, stay where they are:
 * they roll. When the last of them has fired their instant takes the later time, and not one of them was moved. Whoever
 * sets, moves, removes or lists timers in between finds them there already.
 */
export class TimerQueue<Slot extends TimerSlot> {
  readonly #heap: TimerInstant<Slot>[] = []
  /**
   * Instants by their time: the first few to come in a list, the others in a map. Those that roll stay where they are.
   */
  readonly #few: TimerInstant<Slot>[] = []
  readonly #many: Map<number, TimerInstant<Slot>> = new Map()
  readonly #spare: TimerInstant<Slot>[] = []
  #latest: TimerInstant<Slot> | null = null
  /** The instant in which timers roll: places from `#rollFrom` up to its first one hold those that have fired. */
  #rolling: TimerInstant<Slot> | null = null
  #rollNs = NaN
  #rollFrom = 0
  #sequence = 0
  /** Due time of the next timer, Infinity where none waits. Kept, as it is looked at far more often than it changes. */
  nextTimeNs: number = Infinity

  /**
   * Fires the next timer, then those of its instant in the order of setting, until `limit` have fired or `goOn` says no
   * after one; returns how many fired. One that repeats is set anew before it is called, behind those set before for
   * its next time; `nowNs` says how late it is.
   */
  fire(nowNs: number, limit: number, goOn: () => boolean): number {
    const instant = this.#heap[0]
    if (instant === undefined) return 0
    const { timeNs } = instant
    let count = 0
    if (this.#beginRoll(instant, nowNs)) {
      try {
        count = this.#fireRolling(instant, limit, goOn)
      } finally {
        this.#endRoll()
      }
      // Where somebody moved timers in between, the rest goes on one by one.
      if (count < 0) count = -count
      else return count
    }
    // What a client did may have emptied the instant, and its memory may serve another one by now.
    while (
      count < limit &&
      instant.waitingCount > 0 &&
      this.#heap[0] === instant &&
      instant.timeNs === timeNs &&
      (count === 0 || goOn())
    ) {
      this.#fireNext(instant, nowNs)
      count++
    }
    return count
  }

  /** True where all timers of an instant come again at one time at which no others wait: from now on they roll. */
  #beginRoll(instant: TimerInstant<Slot>, nowNs: number): boolean {
    if (instant.rhythmNs === 0) return false
    const dueNs = nextDueNs(instant.timeNs, instant.rhythmNs, nowNs)
    if (this.#find(dueNs) !== undefined) return false
    this.#rolling = instant
    this.#rollNs = dueNs
    this.#rollFrom = instant.first
    return true
  }

  /**
   * Fires timers that roll; how many, below 0 where somebody put them where they belong in between and they roll no
   * more.
   */
  #fireRolling(instant: TimerInstant<Slot>, limit: number, goOn: () => boolean): number {
    const { targets, names } = instant
    let count = 0
    while (instant.first < instant.count) {
      if (count > 0 && !goOn()) return count
      const place = instant.first++
      const target = targets[place] ?? null
      if (target === null) continue
      target.onDue(names[place] as string)
      count++
      if (this.#rolling !== instant) return count === limit ? count : -count
      if (count === limit) return count
    }
    return count
  }

  /** Timers of an instant have fired, all or some: those that rolled are where they belong. */
  #endRoll(): void {
    const instant = this.#rolling
    if (instant === null) return
    if (instant.first < instant.count) return this.#unroll()
    this.#rolling = null
    const isOfMany = this.#many.size > 0 && this.#many.delete(instant.timeNs)
    instant.timeNs = this.#rollNs
    if (isOfMany) this.#list(instant)
    instant.first = this.#rollFrom
    instant.rolledSequence = this.#sequence
    this.#sequence += instant.count
    this.#latest = instant
    this.#settle(instant)
    this.#noteNext()
  }

  #fireNext(instant: TimerInstant<Slot>, nowNs: number): void {
    const { slots } = instant
    let { first } = instant
    while (slots[first] === null) first++
    const slot = slots[first] as Slot
    instant.first = first
    const { timeNs } = instant
    this.#take(slot, instant)
    if (slot.intervalNs > 0) this.#add(slot, nextDueNs(timeNs, slot.intervalNs, nowNs))
    slot.target.onDue(slot.name)
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

  /** Order of setting of a timer that waits. */
  sequenceOf(slot: Slot): number {
    this.#unroll()
    const { instant, setOrder, place } = slot
    // Those that rolled were set after everything before, in the order of their places; who came to them later was set
    // later still.
    return instant === null ? setOrder : Math.max(setOrder, instant.rolledSequence + place)
  }

  /** Makes the order of setting what a checkpoint says of a timer that was just put in. */
  restoreSequence(slot: Slot, sequence: number): void {
    slot.setOrder = sequence
    this.#sequence = Math.max(this.#sequence, sequence + 1)
  }

  #add(slot: Slot, timeNs: number): void {
    const latest = this.#latest
    const instant = latest !== null && latest.timeNs === timeNs ? latest : this.#instantOf(timeNs)
    const place = instant.count++
    slot.instant = instant
    slot.place = place
    slot.setOrder = this.#sequence++
    instant.slots[place] = slot
    instant.targets[place] = slot.target
    instant.names[place] = slot.name
    if (instant.waitingCount === 0) instant.rhythmNs = slot.intervalNs
    else if (instant.rhythmNs !== slot.intervalNs) instant.rhythmNs = 0
    if (place > 64 + 2 * ++instant.waitingCount) close(instant)
  }

  /** Takes a timer out; harmless where it does not wait. */
  remove(slot: Slot): void {
    if (slot.instant === null) return
    this.#unroll()
    this.#take(slot, slot.instant as TimerInstant<Slot>)
  }

  #take(slot: Slot, instant: TimerInstant<Slot>): void {
    slot.instant = null
    instant.slots[slot.place] = null
    instant.targets[slot.place] = null
    if (--instant.waitingCount === 0) this.#drop(instant)
  }

  /** All waiting timers in the order in which they will fire. */
  ordered(): { readonly slot: Slot; readonly timeNs: number }[] {
    this.#unroll()
    return [...this.#heap]
      .sort((a, b) => a.timeNs - b.timeNs)
      .flatMap(({ slots, timeNs }) => slots.filter((slot) => slot !== null).map((slot) => ({ slot, timeNs })))
  }

  /** Moves those that rolled to their time, one by one; the others wait where they are. */
  #unroll(): void {
    const instant = this.#rolling
    if (instant === null) return
    this.#rolling = null
    const { first, slots } = instant
    for (let place = this.#rollFrom; place < first; place++) {
      const slot = slots[place] ?? null
      if (slot === null) continue
      this.#take(slot, instant)
      this.#add(slot, this.#rollNs)
    }
  }

  #instantOf(timeNs: number): TimerInstant<Slot> {
    let instant = this.#find(timeNs)
    if (instant === undefined) {
      instant = this.#spare.pop() ?? {
        timeNs, slots: [], targets: [], names: [], count: 0, first: 0, waitingCount: 0, rhythmNs: 0,
        rolledSequence: -Infinity, heapIndex: 0,
      }
      instant.timeNs = timeNs
      instant.heapIndex = this.#heap.length
      this.#list(instant)
      this.#heap.push(instant)
      this.#settle(instant)
      this.#noteNext()
    }
    this.#latest = instant
    return instant
  }

  #find(timeNs: number): TimerInstant<Slot> | undefined {
    const few = this.#few
    for (let i = 0; i < few.length; i++) if ((few[i] as TimerInstant<Slot>).timeNs === timeNs) return few[i]
    return this.#many.size === 0 ? undefined : this.#many.get(timeNs)
  }

  #list(instant: TimerInstant<Slot>): void {
    if (this.#few.length < FEW) this.#few.push(instant)
    else this.#many.set(instant.timeNs, instant)
  }

  /** Forgets an instant without timers; its memory serves another one. */
  #drop(instant: TimerInstant<Slot>): void {
    const few = this.#few
    const at = few.indexOf(instant)
    if (at < 0) this.#many.delete(instant.timeNs)
    else {
      const other = few.pop() as TimerInstant<Slot>
      if (at < few.length) few[at] = other
    }
    if (this.#latest === instant) this.#latest = null
    const last = this.#heap.pop()
    if (last !== undefined && last !== instant) {
      last.heapIndex = instant.heapIndex
      this.#heap[last.heapIndex] = last
      this.#settle(last)
    }
    this.#noteNext()
    // The list keeps its memory, unless it was long for once.
    if (instant.slots.length > LONG_LIST)
      for (const list of [instant.slots, instant.targets, instant.names]) list.length = 0
    instant.count = 0
    instant.first = 0
    instant.rolledSequence = -Infinity
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
      if (
        child + 1 < heap.length &&
        (heap[child + 1] as TimerInstant<Slot>).timeNs < (heap[child] as TimerInstant<Slot>).timeNs
      )
        child++
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
  const { slots, targets, names } = instant
  let kept = 0
  for (let place = 0; place < instant.count; place++) {
    const slot = slots[place] ?? null
    if (slot === null) continue
    slots[place] = null
    targets[place] = null
    slots[kept] = slot
    targets[kept] = slot.target
    names[kept] = slot.name
    slot.place = kept++
  }
  instant.count = kept
  instant.first = 0
}
