import { epochNsFromTime } from '../model/time.js'
import type { Clock, Timer, TimerTarget, Timers } from '../venue/venue.js'
import { TimerQueue, type TimerInstant, type TimerSlot } from './timer-queue.js'

const NEVER = (): boolean => false

/** A timer that waits, plain data. */
export interface WaitingTimerState {
  readonly clientId: string
  readonly name: string
  readonly timeNs: number
  /** Order of setting. */
  readonly sequence: number
}

/** A timer of a client: where it waits and what it calls are one object, as strategies wake often. */
class ClockTimer implements Timer, TimerSlot {
  /** 0 for one that fires once. */
  intervalNs = 0
  instant: TimerInstant | null = null
  place = 0
  setOrder = 0

  constructor(
    private readonly clock: SimulatedClock,
    private readonly queue: TimerQueue<ClockTimer>,
    readonly clientId: string,
    readonly name: string,
    readonly target: TimerTarget,
  ) {}

  get dueNs(): number {
    return this.queue.timeOf(this)
  }

  get sequence(): number {
    return this.queue.sequenceOf(this)
  }

  at(timeNs: number): void {
    this.clock.set(this, timeNs, 0)
  }

  every(firstNs: number, intervalNs: number): void {
    this.clock.set(this, firstNs, intervalNs)
  }

  cancel(): void {
    this.clock.forget(this)
  }
}

interface TimerClient {
  /** The target of its timers that have none of their own. */
  readonly target: TimerTarget
  readonly timers: Map<string, ClockTimer>
}

/**
 * Simulated time: moves only when the run loop says so. Timers fire in the order (time, order of setting). Nothing here
 * knows the wall clock.
 */
export class SimulatedClock implements Clock {
  // A number from the beginning: of a field that was nothing first, each new time would be an object.
  #nowNs: number = -Infinity
  readonly #clients: Map<string, TimerClient> = new Map()
  readonly #queue: TimerQueue<ClockTimer> = new TimerQueue()

  constructor(readonly epochDay: number, nowNs: number) {
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
    const client: TimerClient = { target: { onDue: onTimer }, timers: new Map() }
    this.#clients.set(clientId, client)
    const add = (name: string, target: TimerTarget): ClockTimer => this.#add(client, clientId, name, target)
    return {
      at: (timeNs, name): void => { (client.timers.get(name) ?? add(name, client.target)).at(timeNs) },
      cancel: (name): void => { client.timers.get(name)?.cancel() },
      timer: (name, target): Timer => {
        client.timers.get(name)?.cancel()
        return add(name, target)
      },
    }
  }

  /** Sets or moves a timer of this clock: behind all that were set before for the same time. */
  set(timer: ClockTimer, timeNs: number, intervalNs: number): void {
    this.#queue.remove(timer)
    timer.intervalNs = intervalNs
    this.#queue.put(timer, timeNs > this.#nowNs ? timeNs : this.#nowNs)
  }

  /** Takes a timer of this clock out, and its name unless another one has taken it. */
  forget(timer: ClockTimer): void {
    this.#queue.remove(timer)
    const timers = this.#clients.get(timer.clientId)?.timers
    if (timers?.get(timer.name) === timer) timers.delete(timer.name)
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
    return this.#queue.nextTimeNs
  }

  /**
   * Fires the next timer, then those of its instant in the order of setting, until `limit` have fired or `goOn` says no
   * after one; returns how many fired. One that repeats is set anew before its client is called.
   */
  fire(limit: number = 1, goOn: () => boolean = NEVER): number {
    return this.#queue.fire(this.#nowNs, limit, goOn)
  }

  /** All waiting timers in the order in which they will fire: for a checkpoint. */
  waiting(): WaitingTimerState[] {
    return this.#queue.ordered().map(({ slot, timeNs }) => ({
      clientId: slot.clientId, name: slot.name, timeNs, sequence: this.#queue.sequenceOf(slot),
    }))
  }

  /** Makes the waiting timers exactly what a checkpoint says; their clients have asked for their timers again. */
  restore(nowNs: number, waiting: readonly WaitingTimerState[]): void {
    this.#nowNs = nowNs
    for (const client of this.#clients.values()) for (const timer of client.timers.values()) this.#queue.remove(timer)
    for (const { clientId, name, timeNs, sequence } of waiting) {
      const client = this.#clients.get(clientId)
      if (client === undefined) continue
      const timer = client.timers.get(name) ?? this.#add(client, clientId, name, client.target)
      this.#queue.put(timer, timeNs)
      this.#queue.restoreSequence(timer, sequence)
    }
  }

  #add({ timers }: TimerClient, clientId: string, name: string, target: TimerTarget): ClockTimer {
    const timer = new ClockTimer(this, this.#queue, clientId, name, target)
    timers.set(name, timer)
    return timer
  }
}
