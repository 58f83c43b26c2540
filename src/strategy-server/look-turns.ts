import type { LiveLook } from '../panels/live-look.js'

/** A run that can be looked at. */
interface LookedRun {
  readonly isLookDue?: boolean
  look?(): LiveLook
  unlook?(): void
}

/** Between two looks at a run at least: 20 in a second. */
export const PAUSE_MS = 50

/** The looks at a run that its server asks for, one at a time, at the ends of its turns. */
export class LookTurns {
  #isWatched = false
  #isAsked = false
  #tookMs = -Infinity

  /** `say` takes the looks. */
  constructor(private readonly say: (look: LiveLook) => void) {}

  /** Whole milliseconds until the next look may be taken. */
  waitMs(nowMs: number): number {
    return Math.max(0, Math.ceil(this.#tookMs + PAUSE_MS - nowMs) + 1)
  }

  /** A look is wanted. */
  ask(): void {
    this.#isWatched = true
    this.#isAsked = true
  }

  /** No more are wanted. */
  leave(world: LookedRun | null): void {
    this.#isWatched = false
    this.#isAsked = false
    world?.unlook?.()
  }

  /** A turn of the run ends: the time for a look. */
  turn(world: LookedRun | null, nowMs: number): void {
    if (!this.#isWatched || nowMs - this.#tookMs < PAUSE_MS || !(this.#isAsked || world?.isLookDue === true)) return
    if (this.#take(world)) this.#tookMs = nowMs
  }

  /** The run has ended: a last look, where it was watched. */
  end(world: LookedRun | null): void {
    if (this.#isWatched) this.#take(world)
  }

  #take(world: LookedRun | null): boolean {
    const look = world?.look?.()
    if (look === undefined) return false
    this.#isAsked = false
    this.say(look)
    return true
  }
}
