import type { InternalTask } from './risk/exchange-task.js'
import type { WorldMessage } from './world-message.js'

/** Phases of an instant (exchange rules 1.3) in which entries are played; lines are received in phase 3. */
export const EXCHANGE_REQUESTS = 1
export const EXCHANGE_INTERNAL = 2
export const LOCAL_RESPONSES = 4

/**
 * An entry that waits to happen: a request on its way to the exchange, a task of the exchange itself, or an answer on
 * its way to a client. Plain data.
 */
export interface AgendaEntry<T> {
  readonly timeNs: number
  /** {@link EXCHANGE_REQUESTS}, {@link EXCHANGE_INTERNAL} or {@link LOCAL_RESPONSES}. */
  readonly phase: number
  readonly instrumentId: number
  readonly worldNumber: number
  /** Order of making within its world: never a number that another world could move. */
  readonly sequence: number
  readonly message: T
}

/** An entry in the heap. */
interface HeapEntry<T> extends AgendaEntry<T> {
  /** The one that was made next and comes next, whatever else is there; null where that is another. */
  next: HeapEntry<T> | null
}

function isBefore<T>(a: AgendaEntry<T>, b: AgendaEntry<T>): boolean {
  return (
    (a.timeNs - b.timeNs ||
      a.phase - b.phase ||
      a.instrumentId - b.instrumentId ||
      a.worldNumber - b.worldNumber ||
      a.sequence - b.sequence) < 0
  )
}

/** True where nothing can come between two entries. */
function isNextTo<T>(a: AgendaEntry<T>, b: AgendaEntry<T>): boolean {
  return a.sequence + 1 === b.sequence && a.worldNumber === b.worldNumber && a.timeNs === b.timeNs &&
    a.phase === b.phase && a.instrumentId === b.instrumentId
}

/**
 * Everything that all worlds of a pass have on its way, in the order of exchange rules 1.3: a binary heap of chains.
 * What a world makes in one go for one instant (a fill's messages, a response and what it caused) is a chain and moves
 * through the heap as one.
 */
export class Agenda<T> {
  /** First entries of chains. */
  readonly #heap: HeapEntry<T>[] = []
  /** The entry that was put last, while it is there. */
  #last: HeapEntry<T> | null = null
  #size = 0
  /** Time of the next entry, Infinity where there is none. Kept, as it is looked at far more often than it changes. */
  nextTimeNs: number = Infinity

  get size(): number {
    return this.#size
  }

  peek(): AgendaEntry<T> | undefined {
    return this.#heap[0]
  }

  /** Puts an entry on the agenda, whose own it becomes. */
  put({ timeNs, phase, instrumentId, worldNumber, sequence, message }: AgendaEntry<T>): void {
    const entry: HeapEntry<T> = { timeNs, phase, instrumentId, worldNumber, sequence, message, next: null }
    const last = this.#last
    this.#last = entry
    this.#size++
    if (last !== null && isNextTo(last, entry)) {
      last.next = entry
      return
    }
    const heap = this.#heap
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, heap[parent] as HeapEntry<T>)) break
      heap[at] = heap[parent] as HeapEntry<T>
      at = parent
    }
    heap[at] = entry
    if (at === 0) this.nextTimeNs = entry.timeNs
  }

  take(): AgendaEntry<T> | undefined {
    const heap = this.#heap
    const first = heap[0]
    if (first === undefined) return undefined
    this.#size--
    if (first.next !== null) {
      heap[0] = first.next
      return first
    }
    if (first === this.#last) this.#last = null
    const last = heap.pop()
    if (last === undefined || heap.length === 0) {
      this.nextTimeNs = Infinity
      return first
    }
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as HeapEntry<T>, heap[child] as HeapEntry<T>)) child++
      if (!isBefore(heap[child] as HeapEntry<T>, last)) break
      heap[at] = heap[child] as HeapEntry<T>
      at = child
    }
    heap[at] = last
    this.nextTimeNs = (heap[0] as HeapEntry<T>).timeNs
    return first
  }

  /** All entries in order: for a checkpoint. */
  entries(): AgendaEntry<T>[] {
    const all: AgendaEntry<T>[] = []
    for (const first of this.#heap)
      for (let entry: HeapEntry<T> | null = first; entry !== null; entry = entry.next) {
        const { timeNs, phase, instrumentId, worldNumber, sequence, message } = entry
        all.push({ timeNs, phase, instrumentId, worldNumber, sequence, message })
      }
    return all.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  /** Takes entries of a checkpoint in the place of its own. */
  restore(entries: readonly AgendaEntry<T>[]): void {
    this.#heap.length = 0
    this.#last = null
    this.#size = 0
    this.nextTimeNs = Infinity
    for (const entry of entries) this.put(entry)
  }
}

/** The part of an agenda that one world writes: it counts its own entries. */
export class WorldAgenda {
  /** Entries that were made. */
  sequence = 0

  constructor(private readonly agenda: Agenda<WorldMessage>, private readonly worldNumber: number) {}

  /** Puts a request or an answer on its way. */
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void {
    const { worldNumber } = this
    this.agenda.put({ timeNs, phase, instrumentId, worldNumber, sequence: this.sequence++, message })
  }

  /** Puts a task of the exchange on the agenda: done after the feed and the requests of its instant (rules 1.3). */
  plan(timeNs: number, instrumentId: number, task: InternalTask): void {
    this.send(timeNs, EXCHANGE_INTERNAL, instrumentId, { way: 'internal', task })
  }
}
