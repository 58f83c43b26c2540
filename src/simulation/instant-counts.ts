import type { Clock, Timer, TimerTarget, Timers } from '../venue/venue.js'

/** The most that one world may do at one instant before its run is taken for endless. */
export const INSTANT_LIMIT = 100_000

/** The counts of a world at the instant at hand. */
interface WorldCount {
  timeNs: number
  count: number
}

/** A count as a checkpoint holds it. */
export type InstantCountState = readonly [worldNumber: number, count: number]

/**
 * Counts what each world does at one instant: its requests and tasks that the exchange plays, the answers that it
 * receives, and what it sets its timers to for this very instant. Whatever goes round without end within an instant is
 * among these. Lines of the market and timers that were set before are not: there are only so many of them, and a
 * world's siblings count for themselves.
 */
export class InstantCounts {
  readonly #worlds: Map<number, WorldCount> = new Map()
  /** The world that did too much; null as long as there is none. */
  endlessWorld: number | null = null

  /** To be called for everything that counts. */
  note(worldNumber: number, timeNs: number): void {
    const world = this.#of(worldNumber)
    if (world.timeNs !== timeNs) {
      world.timeNs = timeNs
      world.count = 0
    }
    if (++world.count > INSTANT_LIMIT) this.endlessWorld ??= worldNumber
  }

  /** The clock of one world's clients: timers that are set for the instant at hand, or before, count. */
  clockOf(worldNumber: number, clock: Clock): Clock {
    const setting = (timeNs: number): void => {
      const nowNs = clock.nowNs()
      // As the clock takes it: what is not later is now.
      if (!(timeNs > nowNs)) this.note(worldNumber, nowNs)
    }
    return {
      epochDay: clock.epochDay,
      nowNs: () => clock.nowNs(),
      now: () => clock.now(),
      timers: (clientId, onTimer) => countedTimers(clock.timers(clientId, onTimer), setting),
    }
  }

  /** The counts of the instant at hand. */
  state(nowNs: number): InstantCountState[] {
    return [...this.#worlds]
      .filter(([, { timeNs }]) => timeNs === nowNs)
      .map(([worldNumber, { count }]) => [worldNumber, count] as const)
      .sort(([a], [b]) => a - b)
  }

  /** Makes the counts exactly what a checkpoint says. */
  restore(nowNs: number, counts: readonly InstantCountState[]): void {
    this.endlessWorld = null
    this.#worlds.clear()
    for (const [worldNumber, count] of counts) {
      this.#worlds.set(worldNumber, { timeNs: nowNs, count })
      if (count > INSTANT_LIMIT) this.endlessWorld ??= worldNumber
    }
  }

  #of(worldNumber: number): WorldCount {
    let world = this.#worlds.get(worldNumber)
    if (world === undefined) {
      world = { timeNs: -Infinity, count: 0 }
      this.#worlds.set(worldNumber, world)
    }
    return world
  }
}

function countedTimers(timers: Timers, setting: (timeNs: number) => void): Timers {
  return {
    at: (timeNs, name): void => {
      setting(timeNs)
      timers.at(timeNs, name)
    },
    cancel: (name): void => { timers.cancel(name) },
    timer: (name, target: TimerTarget): Timer => new CountedTimer(timers.timer(name, target), setting),
  }
}

/** A timer whose setting counts; what the clock fires is the timer behind it. */
class CountedTimer implements Timer {

  constructor(private readonly timer: Timer, private readonly setting: (timeNs: number) => void) {}

  get dueNs(): number {
    return this.timer.dueNs
  }

  get sequence(): number {
    return this.timer.sequence
  }

  at(timeNs: number): void {
    this.setting(timeNs)
    this.timer.at(timeNs)
  }

  every(firstNs: number, intervalNs: number): void {
    this.setting(firstNs)
    this.timer.every(firstNs, intervalNs)
  }

  cancel(): void {
    this.timer.cancel()
  }
}
