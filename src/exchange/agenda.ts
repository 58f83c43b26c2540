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

function isBefore<T>(a: AgendaEntry<T>, b: AgendaEntry<T>): boolean {
  return (
    (a.timeNs - b.timeNs ||
      a.phase - b.phase ||
      a.instrumentId - b.instrumentId ||
      a.worldNumber - b.worldNumber ||
      a.sequence - b.sequence) < 0
  )
}

/** Everything that all worlds of a pass have on its way, in the order of exchange rules 1.3: a binary heap. */
export class Agenda<T> {
  readonly #heap: AgendaEntry<T>[] = []
  /** Time of the next entry, Infinity where there is none. Kept, as it is looked at far more often than it changes. */
  nextTimeNs: number = Infinity

  get size(): number {
    return this.#heap.length
  }

  peek(): AgendaEntry<T> | undefined {
    return this.#heap[0]
  }

  put(entry: AgendaEntry<T>): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, heap[parent] as AgendaEntry<T>)) break
      heap[at] = heap[parent] as AgendaEntry<T>
      at = parent
    }
    heap[at] = entry
    if (at === 0) this.nextTimeNs = entry.timeNs
  }

  take(): AgendaEntry<T> | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) {
      this.nextTimeNs = Infinity
      return first
    }
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as AgendaEntry<T>, heap[child] as AgendaEntry<T>)) child++
      if (!isBefore(heap[child] as AgendaEntry<T>, last)) break
      heap[at] = heap[child] as AgendaEntry<T>
      at = child
    }
    heap[at] = last
    this.nextTimeNs = (heap[0] as AgendaEntry<T>).timeNs
    return first
  }

  /** All entries in order: for a checkpoint. */
  entries(): AgendaEntry<T>[] {
    return [...this.#heap].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  /** Takes entries of a checkpoint in the place of its own. */
  restore(entries: readonly AgendaEntry<T>[]): void {
    this.#heap.length = 0
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
