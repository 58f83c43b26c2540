import { BacktapeError } from '../model/error.js'
import { NS_PER_MS } from '../model/time.js'
import type { Clock, Timer, TimerTarget, Timers } from '../venue/venue.js'
import type { CallbackGuard } from './callback-guard.js'
import { foundText } from '../model/fault.js'
import type { Nothing } from './strategy.js'
import { TimerPlaces } from './timer-places.js'

/** A timer that waits, plain data. */
interface WaitingTimer {
  readonly name: string
  /** Due time, nanoseconds since the midnight of the clock's epochDay. */
  readonly timeNs: number
}

/** Timers of a strategy as a checkpoint holds them. */
export interface TimersState {
  /** In the order in which they were set. */
  readonly waiting: readonly WaitingTimer[]
  /** Every name that a strategy ever gave, its timer waiting or over; those without one are counted. */
  readonly names: readonly string[]
  /** The number of registrations without a name of their own. */
  readonly unnamedCount: number
}

/**
 * A timer of a strategy; what the venue's clock calls is the timer itself, and what a wake looks at lies close
 * together.
 */
class StrategyTimer implements TimerTarget {
  /** False once it was cancelled, or another one took its name. */
  isWaiting = true
  /** On the venue's clock; null until it is armed. */
  clock: Timer | null = null

  constructor(
    readonly callback: () => unknown,
    /** 0 for a timer that fires once. */
    readonly intervalNs: number,
    readonly name: string,
    /** When it is to fire once it is armed. */
    public firstDueNs: number,
    private readonly guard: CallbackGuard,
    private readonly owner: StrategyTimers,
    /** Where it was made, of one without a name whose place was noted. */
    private readonly made: Error | 'named' | null,
  ) {}

  onDue(): void {
    const guard = this.guard
    // What was queued may stop the timer, or the strategy, just now.
    if (guard.hasNews) this.owner.onWake()
    if (!this.isWaiting) return
    if (this.intervalNs === 0 || !guard.isOpen) {
      this.owner.stop(this)
      if (!guard.isOpen) return
    }
    guard.enter()
    try {
      const result: unknown = this.callback()
      if (result !== undefined) guard.refuse(this.#title(), result)
    } catch (error) {
      guard.fail(this.#title(), error)
    }
    guard.leave()
  }

  /** By its name, or by the place of the strategy that made it. */
  #title(): string {
    const title = this.made === 'named' ? null : this.owner.places.title(this.made, this.callback)
    return title ?? `timer ${JSON.stringify(this.name)}`
  }
}

/** The name under which the runtime wakes itself within an instant. */
const WAKE = '(runtime)'
/** Names that the runtime keeps for itself, for bars and for tactics. */
const OWN = /^\((?:runtime|(?:bars|tactic) \d+)\)$/

/** The timers of one strategy on the venue's clock: named, so that a checkpoint can hold them. */
export class StrategyTimers {
  /** For the timers themselves. */
  readonly places: TimerPlaces = new TimerPlaces()
  readonly #timers: Timers
  readonly #waiting: Map<string, StrategyTimer> = new Map()
  readonly #names: Set<string> = new Set()
  #unnamedCount = 0
  #resumed: TimersState | null = null

  constructor(
    clientId: string,
    private readonly clock: Clock,
    private readonly guard: CallbackGuard,
    /** Sends what waits. For the timers themselves. */
    readonly onWake: () => void,
  ) {
    this.#timers = clock.timers(clientId, () => { this.onWake() })
  }

  every(intervalMs: number, callback: () => Nothing, name: string | undefined): void {
    checkName(name, 'register')
    const intervalNs = durationNs(intervalMs, 'every')
    this.register(callback, intervalNs, this.clock.nowNs() + intervalNs, name)
  }

  after(delayMs: number, callback: () => Nothing, name: string | undefined): void {
    checkName(name, 'register')
    this.register(callback, 0, this.clock.nowNs() + durationNs(delayMs, 'after'), name)
  }

  /** Takes one of the runtime's own out. */
  cancelOwn(name: string): void {
    const timer = this.#waiting.get(name)
    if (timer !== undefined) this.stop(timer)
  }

  cancel(name: string): void {
    checkName(name, 'cancel')
    this.cancelOwn(name)
  }

  /** Wakes the runtime later within this instant. */
  wake(): void {
    this.#timers.at(this.clock.nowNs(), WAKE)
  }

  state(): TimersState {
    const armed = [...this.#waiting.values()].flatMap(({ name, clock }) => (clock === null ? [] : [{ name, clock }]))
    const waiting = armed
      .sort((a, b) => a.clock.sequence - b.clock.sequence)
      .map(({ name, clock }) => ({ name, timeNs: clock.dueNs }))
    return { waiting, names: [...this.#names], unnamedCount: this.#unnamedCount }
  }

  /** From here on a registration takes its saved due time; one that was over stays over. */
  beginResume(state: TimersState): void {
    this.#resumed = state
  }

  /**
   * Arms what was registered, in the order in which the saved timers had been set. A saved timer that nobody registered
   * is refused.
   */
  endResume(): void {
    const saved = this.#resumed
    if (saved === null) return
    this.#resumed = null
    const missing = saved.waiting.filter(({ name }) => !this.#waiting.has(name)).map(({ name }) => JSON.stringify(name))
    if (missing.length > 0) {
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot resume ${this.guard.strategyName}: nobody registered the saved ` +
        `timer${missing.length > 1 ? 's' : ''} ${missing.join(', ')}; ` +
          'register each in onStart or restoreState under its name (a timer that is registered later needs a name ' +
          'of its own)',
        { field: 'timers', found: missing.join(', ') },
      )
    }
    const registered = new Map(this.#waiting)
    this.#waiting.clear()
    for (const { name, timeNs } of saved.waiting) {
      const timer = registered.get(name)
      if (timer === undefined) continue
      timer.firstDueNs = timeNs
      registered.delete(name)
      this.#arm(timer)
    }
    for (const timer of registered.values()) this.#arm(timer)
    for (const name of saved.names) this.#names.add(name)
    this.#unnamedCount = Math.max(this.#unnamedCount, saved.unnamedCount)
  }

  /**
   * The venue's clock has been brought back to a saved state, which knows nothing of timers that were registered since:
   * those are set again.
   */
  clockRestored(): void {
    for (const timer of this.#waiting.values()) if (Number.isNaN(timer.clock?.dueNs)) this.#arm(timer)
  }

  /** Ends a timer: its name is free. For the timers themselves. */
  stop(timer: StrategyTimer): void {
    timer.isWaiting = false
    timer.clock?.cancel()
    this.#waiting.delete(timer.name)
  }

  /**
   * A timer first due at `firstDueNs` and, unless `intervalNs` is 0, each interval after; it takes the place of one of
   * its name. The runtime's own have a name of {@link OWN}.
   */
  register(callback: () => unknown, intervalNs: number, firstDueNs: number, wanted: string | undefined): void {
    if (typeof callback !== 'function') throw timerError('callback', 'a function to call', foundText(callback))
    if (wanted !== undefined && typeof wanted !== 'string')
      throw timerError('name', 'a text as its name', foundText(wanted))
    const name = wanted ?? String(this.#unnamedCount++)
    if (wanted !== undefined && /^\d+$/.test(wanted)) {
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot register a timer called ${JSON.stringify(wanted)}: digits alone are the names of timers without one`,
        { field: 'name', found: wanted },
      )
    }
    if (wanted !== undefined) this.#names.add(name)
    const made = wanted === undefined ? this.places.note(callback) : 'named'
    const timer = new StrategyTimer(callback, intervalNs, name, firstDueNs, this.guard, this, made)
    if (this.#resumed === null) this.#arm(timer)
    else if (this.#resumed.waiting.some((saved) => saved.name === name) || !isKnown(this.#resumed, name))
      this.#waiting.set(name, timer)
  }

  #arm(timer: StrategyTimer): void {
    const before = this.#waiting.get(timer.name)
    if (before !== undefined && before !== timer) this.stop(before)
    this.#waiting.set(timer.name, timer)
    timer.clock ??= this.#timers.timer(timer.name, timer)
    if (timer.intervalNs === 0) timer.clock.at(timer.firstDueNs)
    else timer.clock.every(timer.firstDueNs, timer.intervalNs)
  }
}

function checkName(name: unknown, verb: 'register' | 'cancel'): void {
  if (typeof name === 'string' && OWN.test(name))
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot ${verb} a timer called ${name}: the runtime uses this name itself`,
      { field: 'name', found: name },
    )
}

/** True where a saved run had a timer of this name, waiting or over. */
function isKnown({ names, unnamedCount }: TimersState, name: string): boolean {
  return names.includes(name) || (/^\d+$/.test(name) && Number(name) < unnamedCount)
}

/** A delay, or an interval, which is at least a nanosecond: once and again at one instant would never end. */
function durationNs(milliseconds: number, verb: 'every' | 'after'): number {
  const ns = typeof milliseconds === 'number' ? Math.round(milliseconds * NS_PER_MS) : NaN
  if (Number.isSafeInteger(ns) && ns >= (verb === 'every' ? 1 : 0)) return ns
  const least = verb === 'every' ? 'above 0' : 'from 0'
  throw timerError(verb, `a number of milliseconds ${least} to 104 days`, String(milliseconds), verb)
}

function timerError(field: string, expected: string, found: string, subject = 'it'): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot set a timer: ${subject} takes ${expected}, found ${found}`, {
    field, expected, found,
  })
}
