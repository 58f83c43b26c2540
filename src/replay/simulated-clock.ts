import { epochNsFromTime } from '../model/time.js'
import type { Clock, Timer, Timers } from '../venue/venue.js'
import { TimerQueue, type TimerSlot } from './timer-queue.js'

/** A timer that waits, plain data. */
export interface WaitingTimerState {
  readonly clientId: string
  readonly name: string
  readonly timeNs: number
  /** Order of setting. */
  readonly sequence: number
}

interface TimerClient {
  readonly onTimer: (name: string) => void
  readonly slots: Map<string, TimerSlot>
}

/**
 * Simulated time: moves only when the run loop says so. Timers fire in the order (time, order of setting). Nothing here knows
 * the wall clock.
 */
export class SimulatedClock implements Clock {
  readonly epochDay: number
  #nowNs: number
  #sequence = 0
  readonly #clients: Map<string, TimerClient> = new Map()
  readonly #queue: TimerQueue = new TimerQueue()

  constructor(epochDay: number, nowNs: number) {
    this.epochDay = epochDay
    this.#nowNs = nowNs
  }

  nowNs(): number {
    return this.#nowNs
  }

  now(): bigint {
    return epochNsFromTime(this.#nowNs, this.epochDay)
  }

  /** Moves time forward; never back. */
  advance(timeNs: number): void {
    if (timeNs > this.#nowNs) this.#nowNs = timeNs
  }

  timers(clientId: string, onTimer: (name: string) => void): Timers {
    const client: TimerClient = { onTimer, slots: new Map() }
    this.#clients.set(clientId, client)
    const cancel = (name: string): void => {
      const slot = client.slots.get(name)
      if (slot === undefined) return
      this.#queue.remove(slot)
      client.slots.delete(name)
    }
    return {
      at: (timeNs, name): void => { this.#put(client.slots.get(name) ?? addSlot(client, clientId, name, onTimer), timeNs) },
      cancel,
      timer: (name, onDue): Timer => {
        cancel(name)
        const slot = addSlot(client, clientId, name, onDue)
        return {
          at: (timeNs): void => { this.#put(slot, timeNs) },
          cancel: (): void => {
            this.#queue.remove(slot)
            if (client.slots.get(name) === slot) client.slots.delete(name)
          },
        }
      },
    }
  }

  #put(slot: TimerSlot, timeNs: number): void {
    slot.sequence = this.#sequence++
    this.#queue.put(slot, timeNs > this.#nowNs ? timeNs : this.#nowNs)
  }

  /** The same clock for the clients of one world: their names are their own. */
  forClients(prefix: string): Clock {
    return {
      epochDay: this.epochDay,
      nowNs: () => this.#nowNs,
      now: () => this.now(),
      timers: (clientId, onTimer) => this.timers(prefix + clientId, onTimer),
    }
  }

  /** Due time of the next timer, Infinity where none waits. */
  nextTimerNs(): number {
    return this.#queue.nextTimeNs()
  }

  /** Takes the next timer out and calls its client. */
  fire(): void {
    const slot = this.#queue.peek()
    if (slot === undefined) return
    this.#queue.remove(slot)
    slot.onTimer(slot.name)
  }

  /** All waiting timers in the order in which they will fire: for a checkpoint. */
  waiting(): WaitingTimerState[] {
    return this.#queue.ordered().map(({ clientId, name, timeNs, sequence }) => ({ clientId, name, timeNs, sequence }))
  }

  /** Makes the waiting timers exactly what a checkpoint says; their clients have asked for their timers again. */
  restore(nowNs: number, waiting: readonly WaitingTimerState[]): void {
    this.#nowNs = nowNs
    for (const client of this.#clients.values()) for (const slot of client.slots.values()) this.#queue.remove(slot)
    for (const { clientId, name, timeNs, sequence } of waiting) {
      const client = this.#clients.get(clientId)
      if (client === undefined) continue
      const slot = client.slots.get(name) ?? addSlot(client, clientId, name, client.onTimer)
      slot.sequence = sequence
      this.#queue.put(slot, timeNs)
      this.#sequence = Math.max(this.#sequence, sequence + 1)
    }
  }
}

function addSlot({ slots }: TimerClient, clientId: string, name: string, onTimer: (name: string) => void): TimerSlot {
  const slot: TimerSlot = { clientId, name, onTimer, timeNs: 0, sequence: 0, instant: null, place: 0 }
  slots.set(name, slot)
  return slot
}
