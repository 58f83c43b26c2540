import { laterMs, steadyMs } from '../model/wall-client.js'
import { isJsonObject } from '../model/json-object.js'
import { epochNsFromTime } from '../model/time.js'
import type { LiveLook } from '../panels/live-look.js'
import type { StretchColumns } from '../panels/stretch-columns.js'
import { LookRecorder } from '../results/look-recorder.js'
import { simulatedWorld } from '../results/look-world.js'
import type { Serving } from '../serve/serving-server.js'
import type { InstanceWatcher } from './instance.js'
import type { WatchedRun } from './live-watch.js'
import { LookTurns, PAUSE_MS } from './look-turns.js'
import type { LiveReplay, ReplayAction } from './pages/live-frames.js'

/** Instruments that are shown at most: those that are subscribed when the first viewer comes, then the first ones. */
const INSTRUMENTS_MAX = 20
/** Between two looks while its time stands still, milliseconds: clients may ask something all the same. */
const STANDING_MS = 500

const ACTIONS: ReadonlySet<unknown> = new Set<ReplayAction>(['pause', 'resume', 'step', 'speed', 'go-to'])
/** A served world writes no journal. */
const NO_JOURNAL = { lineCount: 0, lastLines: (): readonly string[] => [], onClosing: null }

/** The parts of a server of a replay that are shown. */
export type ShownServing = Pick<Serving, 'pacer' | 'replay' | 'perform'>

/** The world of a served replay while it is watched. */
class WatchedReplay {
  readonly #recorder: LookRecorder
  #lookedNs = -Infinity
  #lookedMs = -Infinity

  constructor(readonly served: ShownServing['replay']['served']) {
    const { market, world } = served
    const ids = market.directory.entries.map(({ instrument: { id } }) => id)
      .filter((id) => market.subscribers.get(id) !== undefined)
    const isAsked = (id: number): boolean => market.subscribers.get(id)?.isQuiet === false
    const shown = [...ids.filter(isAsked), ...ids.filter((id) => !isAsked(id))].slice(0, INSTRUMENTS_MAX)
      .sort((a, b) => a - b)
    this.#recorder = new LookRecorder(simulatedWorld(market, world, {
      // Of several accounts there is no profit.
      journal: NO_JOURNAL, askedIds: () => shown, profits: () => [],
    }))
    served.watcher = this.#recorder
  }

  get isLookDue(): boolean {
    return this.#recorder.isDue
  }

  /** True where a look would show nothing new, as far as its time says. */
  isStanding(nowMs: number): boolean {
    return this.served.clock.nowNs() === this.#lookedNs && nowMs - this.#lookedMs < STANDING_MS
  }

  look(): LiveLook {
    this.#lookedNs = this.served.clock.nowNs()
    this.#lookedMs = steadyMs()
    return this.#recorder.take()
  }

  unlook(): void {
    this.#recorder.end()
    this.served.watcher = null
  }
}

/**
 * The replay that is served beside a strategy server, as its live view shows and moves it: it is looked at between its
 * steps, and moved by the actions of the control port.
 */
export class ServedView implements WatchedRun {
  readonly instanceId = null
  readonly named: Pick<StretchColumns, 'name' | 'facts'> = { name: 'Served replay', facts: [] }
  readonly #looks = new LookTurns((look) => { this.#watcher?.looked(look) })
  #watcher: InstanceWatcher | null = null
  #world: WatchedReplay | null = null
  #isAsked = false

  /** `onNote` receives sentences for an operator. */
  constructor(private readonly serving: ShownServing, private readonly onNote: (sentence: string) => void) {}

  /** Where it stands. */
  get state(): LiveReplay {
    const { pacer, replay } = this.serving
    const { clock: { epochDay } } = replay
    return {
      time: String(replay.feed.clock.now()), from: String(epochNsFromTime(replay.fromNs, epochDay)),
      state: pacer.isOver ? 'ENDED' : pacer.isPaused ? 'PAUSED' : pacer.hasStarted ? 'PLAYING' : 'WAITING',
      speed: pacer.speed, isStepped: pacer.isStepped && !pacer.isOver,
    }
  }

  watchBy(watcher: InstanceWatcher | null): void {
    this.#watcher = watcher
    if (watcher !== null) return watcher.begun()
    this.#between(() => { if (this.#watcher === null) this.#leave() })
  }

  look(): void {
    this.#looks.ask()
    if (this.#isAsked) return
    this.#isAsked = true
    this.#later(0)
  }

  /** Takes a look that is due though it was not asked for: to be called from time to time. */
  lookIfDue(): void {
    if (this.#world?.isLookDue === true) this.#between(() => { this.#turn() })
  }

  /** Moves it; the reason why it is refused, null where it is done. */
  async perform(action: unknown, fields: unknown): Promise<string | null> {
    if (!ACTIONS.has(action)) return `action must be one of ${[...ACTIONS].join(', ')}`
    if (!isJsonObject(fields)) return 'fields must be an object'
    if (this.serving.pacer.isOver) return 'The data have ended: serve them again'
    try {
      await this.serving.perform(action as ReplayAction, fields)
      return null
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Does something between two steps of the replay. */
  #between(work: () => void): void {
    const { pacer } = this.serving
    // In lock-step a task would be a request that came late.
    if (pacer.speed === 'lockstep') pacer.call(work)
    else pacer.post(work)
  }

  #later(leastMs: number): void {
    laterMs(Math.max(leastMs, this.#looks.waitMs(steadyMs())), () => { this.#between(() => { this.#turn() }) })
  }

  #turn(): void {
    const watcher = this.#watcher
    if (watcher === null) {
      this.#isAsked = false
      return
    }
    const { pacer, replay: { served } } = this.serving
    const nowMs = steadyMs()
    try {
      if (this.#world?.served !== served) {
        // It has begun anew: another world, with accounts as they were at the begin.
        this.#world?.unlook()
        if (this.#world !== null) watcher.begun()
        this.#world = new WatchedReplay(served)
      } else if (this.#world.isStanding(nowMs) && !this.#world.isLookDue) return this.#later(PAUSE_MS)
      this.#isAsked = false
      this.#looks.turn(this.#world, nowMs)
      if (pacer.isOver) watcher.ended()
    } catch (error) {
      this.#leave()
      this.onNote(`The replay cannot be shown: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #leave(): void {
    this.#isAsked = false
    this.#looks.leave(this.#world)
    this.#world = null
  }
}
