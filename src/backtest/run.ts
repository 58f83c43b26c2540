import { GENERIC_PROFILE } from '../exchange/profile/venue-profile.js'
import { durationOf } from '../model/duration.js'
import { asChecked } from '../model/fault.js'
import { isDone } from '../model/stop-signal.js'
import { epochNsFromTime, NS_PER_SECOND } from '../model/time.js'
import { PriceCourses } from '../report/price-course.js'
import type { RowStore } from '../rows/row-store.js'
import { unsavedNote } from '../strategy/strategy-memory.js'
import { assumptionNames } from '../configuration/assumptions.js'
import {
  checkCheckpoint, otherEnginesOf, readUpTo, restoreCheckpoint, runConfiguration, takeCheckpoint,
} from './checkpoint.js'
import type { EndedWorld } from '../results/world-result.js'
import type { Checkpoint } from './checkpoint-state.js'
import { playHistory } from '../simulation/history.js'
import { RunLoop, type LoopEnd, type LoopPause } from '../simulation/run-loop.js'
import type { BacktestProgress } from '../configuration/run-options.js'
import type { RunSpan } from '../configuration/run-span.js'
import { resultOptions } from './result-options.js'
import { OutsideWorld } from './outside-world.js'
import { RunInstance } from './run-instance.js'
import type { RunOutside, RunWish } from './run-outside.js'
import { type RunSetup, signalsConfiguration } from './run-setup.js'
import { stalenessBy } from '../configuration/stale-after.js'
import { setsOf, sourcesDigest, statedSet, statedStrategies, strategyWords } from '../configuration/run-strategies.js'
import type { OtherEngine } from '../results/summary-parts.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'

/** Market time for which answers to the last requests of a strategy are awaited. */
const LEAVING_NS = 10 * NS_PER_SECOND

/** The worlds of a run that one pass plays. */
export interface PassWorlds {
  /** Their numbers in the run. */
  readonly numbers: readonly number[]
  /** The memory of the run's tables. */
  readonly store: RowStore
  /** Asked before every step: true once the pass need not go on. */
  readonly isGivenUp: () => boolean
  /** Receives how far the pass is; null where nobody asks. */
  readonly report: ((at: PassTime) => void) | null
}

/** Market time of a pass. */
export type PassTime = Pick<BacktestProgress, 'timeNs' | 'fromNs' | 'toNs'>

/** One pass over the data with its worlds. */
export class Run {
  readonly #worlds: readonly RunInstance[]
  readonly #loop: RunLoop
  readonly #configuration: string
  /** Numbers of worlds that a gap has halted since the last step. */
  readonly #halted: Set<number> = new Set()
  #hasHalted = false
  #isEnded = false
  /** A signal's own flag costs more than a look at each step may. */
  #hasNotedUnsaved = false
  #isAborted = false
  readonly #abort = (): void => { this.#isAborted = true }
  #pausedNs = -Infinity
  #otherEngines: readonly OtherEngine[] = []
  #isWhole = false
  /** The program around the run, once its strategies have started: before that nothing asks it. */
  #outside: RunOutside | null = null
  readonly #outsideWorlds: readonly OutsideWorld[]
  /** True while a strategy that was ended waits for answers. */
  #isLeaving = false

  constructor(
    private readonly setup: RunSetup,
    private readonly span: RunSpan,
    private readonly pass: PassWorlds,
  ) {
    const { replay, options, assumptions, seed, input } = setup
    for (const { feed } of replay.instruments) feed.windowFromNs = span.fromNs
    const configs = setsOf(options.parameters)
    const shared = { store: pass.store, courses: new PriceCourses() }
    this.#worlds = pass.numbers.map((number) => new RunInstance(
      number, configs[number] ?? {}, setup, shared, options.journal?.(number) ?? null,
      (timeNs) => { this.#halt(number, timeNs) }, (timeNs) => { this.#loop.passLinesBefore(timeNs) },
    ))
    replay.unfit.isTraded = (instrumentId) => this.#worlds.some(({ tradingIds }) => tradingIds.includes(instrumentId))
    const words = strategyWords(setup.strategies)
    const nameOf = (number: number): string =>
      configs.length === 1 ? words : `${words} of parameters[${number}]`
    this.#outsideWorlds = this.#worlds.map((world) => new OutsideWorld(world))
    setup.signals.target = {
      row: (index, row) => { for (const world of this.#worlds) world.playSignal(index, row) },
      message: (message) => { for (const world of this.#outsideWorlds) world.playMessage(message) },
    }
    this.#loop = new RunLoop({
      ...replay, signals: setup.signals, nameOf, isStopped: () => this.#isStopped(),
      onLoaded: () => this.#reportProgress(),
      nextEndNs: () => this.#nextEndNs(), endWorlds: (timeNs) => this.#endWorlds(timeNs),
    })
    options.signal?.addEventListener('abort', this.#abort)
    this.#isAborted = options.signal?.aborted === true
    const { account, accounts, strategy, strategies, equity } = options
    this.#configuration = runConfiguration({
      ...resultOptions(options),
      strategy: strategy?.name, ...(strategies === undefined ? {} : { strategies: statedStrategies(setup.strategies) }),
      parameters: configs.map((set) => statedSet(setup.strategies, set)), account, accounts, equity,
      assumptions: assumptionNames(assumptions), seed,
      profiles: [...setup.profiles].filter(([, profile]) => profile !== GENERIC_PROFILE), trim: input.trim,
      span: [this.span.fromNs, String(this.span.toNs)],
      ...signalsConfiguration(options.signals, setup.signals),
    })
  }

  /** Plays to the end; its worlds as they ended. */
  async play(): Promise<EndedWorld[]> {
    try {
      return await this.#play()
    } finally {
      this.setup.options.signal?.removeEventListener('abort', this.#abort)
    }
  }

  async #play(): Promise<EndedWorld[]> {
    const { replay, options } = this.setup
    const { fromNs, toNs } = this.span
    await options.checkpoints?.begin?.(this.#configuration)
    if (options.resume === undefined) {
      await this.#loop.run(fromNs)
      replay.clock.advance(fromNs)
      this.#takeTerms(fromNs)
      for (const { feed, market } of replay.instruments) {
        feed.beginRun()
        market.beginRun(fromNs, replay.startNs)
      }
      await this.setup.signals.begin(fromNs)
      this.#beginStretch('with the run')
      for (const world of this.#worlds) world.start(null)
      await this.#warmUp()
    } else await this.#resume()
    this.#outside = this.setup.outside
    for (const world of this.#outsideWorlds) this.#outside?.begun(world)
    const end = await this.#playOn()
    // Whatever comes now comes too late.
    this.setup.signals.poll(Infinity)
    this.#outside?.ended({
      openOrders: this.#outsideWorlds.flatMap(({ openOrders }) => openOrders),
      unplayedCount: this.setup.signals.inbox?.unplayedCount ?? 0,
    })
    this.#isWhole = end === 'ended' || this.#isEnded
    if (end === 'ended' && toNs !== Infinity) replay.clock.advance(toNs)
    const isRead = (end !== 'ended' && !this.#isEnded) || await isDone(this.setup.input.finish())
    await this.setup.input.verify()
    await this.setup.signals.verify()
    for (const { market } of replay.instruments)
      if (!market.isWatched) market.advance(Math.min(replay.clock.nowNs(), toNs - 1), () => false)
    for (const world of this.#worlds) if (end !== 'ended' && !world.isOver) world.stop('the run was stopped')
    // A market by the wall's time has no end but that.
    const isPartial = end !== 'ended' && this.setup.input.live?.isOnWall !== true
    const ended = this.#worlds.map((world) => world.settle(
      { isPartial, isRead, otherEngines: this.#otherEngines },
    ))
    this.#outside?.settled?.()
    return ended
  }

  /**
   * Plays the market data before the run that strategies asked for in `onStart`: for all that asked for the same in one
   * go, so that nothing of it depends on the others.
   */
  async #warmUp(): Promise<void> {
    const { replay, reading, options, assumptions, profiles } = this.setup
    const groups = new Map<string, RunInstance[]>()
    for (const world of this.#worlds) {
      const key = JSON.stringify(world.warmUps.map(({ requests }) => (
        requests.map(({ instrumentId, sinceNs }) => [instrumentId, sinceNs]))))
      if (world.warmUps.length > 0) groups.set(key, [...(groups.get(key) ?? []), world])
    }
    for (const worlds of groups.values()) {
      const clients = worlds.flatMap(({ number, warmUps }) => (
        warmUps.map((warmUp, at) => ({ name: `${number} ${at} `, warmUp }))))
      const pasts = await playHistory(clients, {
        data: options.data, reading, replay, fromNs: this.span.fromNs,
        assumptions: { ...assumptions, staleness: stalenessBy(assumptions.staleAfter, options, profiles) },
        isStopped: () => this.#isAborted, refusesHoles: options.strict === true,
      })
      for (const world of worlds) world.pastPlayed(pasts)
    }
  }

  async #resume(): Promise<void> {
    const { replay, options } = this.setup
    if (options.resume === undefined) return
    const resume = checkCheckpoint(options.resume, {
      replay, configuration: this.#configuration, strategySource: sourcesDigest(this.setup.strategies),
      takesOtherEngine: options.otherEngine === true,
    })
    this.#otherEngines = otherEnginesOf(options.resume)
    this.#noteUnsaved(resume.worlds.flatMap(({ clients }) => clients.flatMap(({ runtime }) => runtime.unsavedFields)))
    await readUpTo(resume, replay)
    await this.setup.signals.resume(resume.signals ?? [], resume.inbox ?? null)
    replay.clock.advance(resume.nowNs)
    this.#takeTerms(resume.nowNs)
    for (const world of this.#worlds) world.start(resume.worlds[world.number] ?? null)
    restoreCheckpoint(resume, replay)
    this.#loop.restore(resume.loop)
    for (const world of this.#worlds) world.clockRestored()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
  }

  /** Notes once that fields of the strategy stand in no checkpoint. */
  #noteUnsaved(fields: readonly string[]): void {
    const { strategies, options: { onNote } } = this.setup
    if (fields.length > 0 && !this.#hasNotedUnsaved) onNote?.(unsavedNote(strategyWords(strategies), fields))
    this.#hasNotedUnsaved ||= fields.length > 0
  }

  /** Plays to the end with its checkpoints. */
  async #playOn(): Promise<LoopEnd> {
    const { stretch, options: { checkpoints } } = this.setup
    const outside = this.#outside
    if (stretch !== null) return this.#playStretch(stretch)
    for (;;) {
      const end = await this.#playTo(this.#nextPause())
      const wish = end === 'stopped' ? (outside?.wish ?? null) : null
      if (wish === 'stop' || wish === 'cancel') return this.#leave(wish)
      if (end === 'ended' || checkpoints === undefined) return end
      await this.setup.input.verify()
      await this.setup.signals.verify()
      const unsaved = this.#worlds.flatMap(({ unsavedFields }) => unsavedFields)
      if (outside !== null && wish === 'checkpoint') {
        outside.wish = null
        // A run from its beginning is exact, one from such a checkpoint is not.
        if (unsaved.length > 0) continue
      }
      this.#noteUnsaved(unsaved)
      const goesOn = await checkpoints.take(this.#checkpoint())
      if (goesOn === false || (end === 'stopped' && wish === null)) return 'stopped'
    }
  }

  /** Ends the strategy, cancels its orders where that is wished, and waits for their ends. */
  async #leave(wish: RunWish): Promise<LoopEnd> {
    for (const world of this.#worlds) world.stop('the run was stopped')
    if (wish === 'cancel') {
      this.#isLeaving = true
      for (const world of this.#outsideWorlds) world.cancelOpen()
      await this.#playTo({ timeNs: this.setup.replay.clock.nowNs() + LEAVING_NS })
    }
    return 'stopped'
  }

  /** Plays to the end of the stretch that is watched, and no further. */
  async #playStretch(stretch: StretchRecorder): Promise<LoopEnd> {
    const { fromNs, toNs } = stretch.span
    const before = stretch.hasBegun ? 'paused' : await this.#playTo({ timeNs: fromNs })
    if (before !== 'paused') return before
    this.#beginStretch('later')
    const end = await this.#playTo({ timeNs: toNs })
    stretch.end(end === 'paused' ? toNs : this.setup.replay.clock.nowNs())
    return end === 'paused' ? 'stopped' : end
  }

  /** Begins the stretch, unless it has begun: one that begins with the run sees its strategies start. */
  #beginStretch(when: 'with the run' | 'later'): void {
    const { stretch } = this.setup
    const [world] = this.#worlds
    if (stretch === null || stretch.hasBegun || world === undefined) return
    if (when !== 'later' && stretch.span.fromNs > this.span.fromNs) return
    world.observe(stretch)
    stretch.begin({ replay: this.setup.replay, world: world.parts.world, askedIds: () => world.parts.askedIds })
  }

  /**
   * Plays to the end or a pause, with the terms of each day from its midnight on: nothing at that midnight has been
   * played before.
   */
  async #playTo({ timeNs: pauseNs = Infinity, stepCount = Infinity }: LoopPause): Promise<LoopEnd> {
    const { replay, plan } = this.setup
    let stepsLeft = stepCount
    for (;;) {
      const { nextNs } = replay.terms
      const isBefore = nextNs < pauseNs && nextNs < this.span.toNs
      const end = await this.#loop.run(this.span.toNs, { timeNs: Math.min(nextNs, pauseNs), stepCount: stepsLeft })
      stepsLeft = this.#loop.stepsLeft
      if (end !== 'paused' || !isBefore || stepsLeft <= 0) return end
      replay.clock.advance(nextNs)
      for (const terms of replay.terms.take(nextNs, plan.money.usdRates))
        for (const world of this.#worlds) world.termsChanged(terms)
    }
  }

  /** Terms of days whose midnight lies behind, where a run begins or goes on. */
  #takeTerms(untilNs: number): void {
    const { replay, plan } = this.setup
    replay.terms.take(untilNs, plan.money.usdRates)
  }

  #checkpoint(): Checkpoint {
    const { replay, strategies, signals } = this.setup
    return takeCheckpoint({
      replay, signals, configuration: this.#configuration, strategySource: sourcesDigest(strategies),
      otherEngines: this.#otherEngines, loop: this.#loop.state(), worlds: this.#worlds,
    })
  }

  /**
   * Market times of checkpoints are counted from the run's begin, so that a run that goes on takes them at the same
   * times.
   */
  #nextPause(): LoopPause {
    const { every, everySteps } = this.setup.options.checkpoints ?? {}
    if (everySteps !== undefined) return { stepCount: everySteps }
    if (every === undefined) return {}
    const { fromNs } = this.span
    const lengthNs = asChecked(durationOf(every))
    const nowNs = Math.max(this.#pausedNs, this.setup.replay.clock.nowNs())
    this.#pausedNs = fromNs + (Math.floor((nowNs - fromNs) / lengthNs) + 1) * lengthNs
    return { timeNs: this.#pausedNs }
  }

  #nextEndNs(): number {
    let next = Infinity
    for (const world of this.#worlds) next = Math.min(next, world.endNs())
    return next
  }

  /** Ends the worlds whose data lie before a time; true where none is left. */
  #endWorlds(timeNs: number): boolean {
    for (const world of this.#worlds) if (world.endNs() <= timeNs) world.endWithData()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
    return this.#isEnded
  }

  #halt(worldNumber: number, timeNs: number): void {
    this.#loop.passLinesBefore(timeNs)
    this.#halted.add(worldNumber)
    this.#hasHalted = true
  }

  /** Asked before every step. */
  #isStopped(): boolean {
    if (this.#isEnded || this.#isAborted || this.pass.isGivenUp()) return true
    if (this.#outside !== null && this.#isToPause(this.#outside)) return true
    if (this.setup.stretch?.isFull === true) return true
    if (!this.#hasHalted) return false
    this.#hasHalted = false
    for (const world of this.#worlds) if (this.#halted.has(world.number)) world.endInGap()
    this.#halted.clear()
    this.#isEnded = this.#worlds.every((world) => world.isOver)
    return this.#isEnded
  }

  /** True where a wish of the outside ends the steps; where it only calls, the turn ends. */
  #isToPause(outside: RunOutside): boolean {
    if (outside.isCalling) this.#loop.endTurn()
    if (outside.wish === null) return false
    return !this.#isLeaving || this.#outsideWorlds.every(({ openOrders }) => openOrders.length === 0)
  }

  #reportProgress(): void {
    this.pass.report?.(this.time())
  }

  /** True once it was played, and not stopped before. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Its market time now. */
  time(): PassTime {
    const { replay } = this.setup
    const at = (timeNs: number): bigint => epochNsFromTime(timeNs, replay.clock.epochDay)
    const { fromNs, latestNs: toNs } = this.span
    return { timeNs: replay.clock.now(), fromNs: at(fromNs), toNs: toNs === Infinity ? null : at(toNs) }
  }
}
