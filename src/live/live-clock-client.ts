import { afterMs, steadyMs, wallTimeNs } from '../model/wall-client.js'
import type { SimulatedClock } from '../replay/simulated-clock.js'

/** The pace of a venue's time, by what its `/api/info` says. */
export type LivePace = 'lockstep' | 'wall' | 'max' | number

const NS_PER_MS = 1_000_000
/** Timers that fire before anything else is looked at: one that sets itself again at once must not hold up the rest. */
const TURN_TIMERS = 1_000

/**
 * Moves a client's clock by the wall's, or by the times of what it receives and so many times the wall's in between.
 * Timers of the clock fire late rather than never: on a wall nothing is exact.
 */
export class LiveClock {
  #disarm: () => void = () => {}
  #base: { readonly wallMs: number; readonly timeNs: number }

  constructor(
    private readonly clock: SimulatedClock, private readonly pace: LivePace, private readonly onDue: () => void,
  ) {
    this.#base = { wallMs: steadyMs(), timeNs: clock.nowNs() }
    if (pace === 'wall') clock.advance(wallTimeNs(clock.epochDay))
  }

  /** Moves the clock to now; `heardNs` is the latest time of what was received, -Infinity: of nothing. */
  advance(heardNs: number): void {
    const { clock, pace } = this
    if (pace === 'wall') return clock.advance(wallTimeNs(clock.epochDay))
    const wallMs = steadyMs()
    const { wallMs: baseMs, timeNs } = this.#base
    const nowNs = timeNs + (typeof pace === 'number' ? Math.floor((wallMs - baseMs) * pace * NS_PER_MS) : 0)
    if (heardNs > nowNs) this.#base = { wallMs, timeNs: heardNs }
    clock.advance(Math.max(nowNs, heardNs))
  }

  /** Fires what is due. */
  fire(): void {
    for (let i = 0; i < TURN_TIMERS && this.clock.nextTimerNs() <= this.clock.nowNs(); i++) this.clock.fire(1)
  }

  /** Wakes at the next timer; to be called after everything that may have set one. */
  arm(): void {
    this.#disarm()
    const waitNs = this.clock.nextTimerNs() - this.clock.nowNs()
    const factor = this.pace === 'wall' ? 1 : this.pace
    // At `max`, timers fire with what is received.
    if (waitNs === Infinity || typeof factor !== 'number') return
    const waitMs = Math.min(Math.max(0, waitNs / NS_PER_MS / factor), 1_000)
    this.#disarm = afterMs(waitMs, this.onDue)
  }

  stop(): void {
    this.#disarm()
  }
}
