import type { RunWorld } from '../backtest/run-outside.js'
import type { LiveLook } from '../panels/live-look.js'

/** Between two looks at a run at least: 20 in a second. */
const PAUSE_MS = 50

/** The looks at a run that its server asks for, one at a time, at the ends of its turns. */
export class LookTurns {
  #isWatched = false
  #isAsked = false
  #tookMs = -Infinity

  /** `say` takes the looks. */
  constructor(private readonly say: (look: LiveLook) => void) {}

  /** A look is wanted. */
  ask(): void {
    this.#isWatched = true
    this.#isAsked = true
  }

  /** No more are wanted. */
  leave(world: RunWorld | null): void {
    this.#isWatched = false
    this.#isAsked = false
    world?.unlook?.()
  }

  /** A turn of the run ends: the time for a look. */
  turn(world: RunWorld | null, nowMs: number): void {
    if (!this.#isWatched || nowMs - this.#tookMs < PAUSE_MS || !(this.#isAsked || world?.isLookDue === true)) return
    if (this.#take(world)) this.#tookMs = nowMs
  }

  /** The run has ended: a last look, where it was watched. */
  end(world: RunWorld | null): void {
    if (this.#isWatched) this.#take(world)
  }

  #take(world: RunWorld | null): boolean {
    const look = world?.look?.()
    if (look === undefined) return false
    this.#isAsked = false
    this.say(look)
    return true
  }
}
