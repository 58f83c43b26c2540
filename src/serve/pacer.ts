import type { FeedServer } from '../feed/feed-source.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'
import { afterMs, steadyMs } from '../model/wall-client.js'
import { AwaitedReaders } from './awaited-readers.js'
import type { Hole } from './data-holes.js'
import { LockStep } from './lock-step.js'
import type { ReplaySpeed, ReplayStart } from './serve-options.js'
import { stateAccounts } from '../exchange/demands.js'
import { BEGAN_AGAIN } from '../venue/account-messages.js'
import type { RestartableReplay } from './restartable-replay.js'
import { nextMidnightNs } from './served-access.js'
import { sentCount, sentCounts, sentSince, type SentCount } from './sent-counts.js'

/** The parts that a pacer moves. */
export interface PacerParts {
  readonly replay: RestartableReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  readonly speed: ReplaySpeed
  readonly start: ReplayStart
  /** `post`: nothing moves but by {@link Pacer.step}. Default `ping`. */
  readonly step?: 'ping' | 'post'
  /** True: begins again at its end. */
  readonly isLooping?: boolean
  /** True: at a factor, days without data are played at once. */
  readonly skipsHoles?: boolean
  /** A client in lock-step is waited for so long, milliseconds; default as long as it is there. */
  readonly patienceMs?: number
  /** Monotonic time, milliseconds; the wall's in a server, a test's own in a test. */
  readonly nowMs?: () => number
}

/** At a factor, the replay follows the wall this often. */
const TICK_MS = 2
/** At `max` a reader with more unsent bytes is waited for, as long as it reads. */
const WAIT_BYTES = 1 << 20
const NS_PER_MS = 1_000_000
/** A pong or a lost connection is noticed so late where nothing else happens. */
const BARRIER_MS = 5
/** A step is at most so long, nanoseconds. */
const STEP_NS = 1_000_000_000
/** At `max`, lines between two looks at the readers, where no block of the feed is filled before. */
const LOOK_LINES = 512

/**
 * Moves a replay and plays what its clients ask, one after the other: nothing that a client asks is ever played while
 * the replay moves. Requests arrive with the clock's time.
 */
export class Pacer {
  readonly lockStep: LockStep
  readonly #readers: AwaitedReaders
  #speed: ReplaySpeed
  #isPaused: boolean
  #hasStarted: boolean
  #isStopping = false
  readonly #tasks: (() => void)[] = []
  #wake: (() => void) | null = null
  /** Wall and clock at the moment from which a factor counts. */
  #base: { readonly wallMs: number; readonly timeNs: number } | null = null
  #countdown = LOOK_LINES
  #blockCount = 0
  #isOverfull = false
  /** Somebody wants something of {@link run}: it returns to its top. */
  #isCalled = false
  #jump: { readonly timeNs: number; readonly done: (error?: Error) => void } | null = null
  #steps: ((sent: readonly SentCount[]) => void)[] = []
  #calls: (() => void)[] = []
  #isRunning = false
  /** Nothing moves any more: what clients ask is played at once. */
  isOver = false
  #midnightNs: number
  /** Days without data that are not waited for. */
  readonly #holes: readonly Hole[]

  constructor(private readonly parts: PacerParts) {
    this.#speed = parts.speed
    this.#isPaused = parts.start === 'paused'
    this.#hasStarted = parts.start !== 'first-subscription'
    this.#midnightNs = nextMidnightNs(parts.replay.clock.nowNs())
    this.#readers = new AwaitedReaders({ ...parts, nowMs: () => this.#nowMs() })
    this.#holes = parts.skipsHoles === true ? parts.replay.holes : []
    this.lockStep = new LockStep({
      ...parts, isPinging: parts.step !== 'post', wake: () => this.#wake?.(), nowMs: () => this.#nowMs(),
    })
  }

  get speed(): ReplaySpeed {
    return this.#speed
  }
  get isPaused(): boolean {
    return this.#isPaused
  }
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Plays a task between two steps of the replay: at once, unless the replay moves. */
  readonly post = (task: () => void): void => {
    if (this.isOver) return task()
    this.#tasks.push(task)
    this.#wake?.()
  }

  /** Plays what an operator asks between two steps, whatever the replay waits for; no request is late by it. */
  readonly call = (task: () => void): void => {
    if (!this.#isRunning) return task()
    this.#calls.push(task)
    this.#call()
  }

  /** Throws RangeError for a speed from or to lock-step: a replay is one or the other from its begin to its end. */
  setSpeed(speed: ReplaySpeed): void {
    if ((speed === 'lockstep') !== (this.#speed === 'lockstep')) throw new RangeError('lockstep')
    this.#speed = speed
    this.#call()
  }

  pause(): void {
    this.#isPaused = true
    this.#call()
  }

  resume(): void {
    this.#isPaused = false
    this.#hasStarted = true
    this.#call()
  }

  /** True where {@link step} moves the replay, and nothing else does. */
  get isStepped(): boolean {
    return this.#isPaused || this.parts.step === 'post'
  }

  /**
   * Plays until somebody has been sent something, a second of the clock at most, or the end; resolves when that has
   * been written to the sockets. To be called while {@link isStepped}.
   */
  step(): Promise<readonly SentCount[]> {
    return new Promise((resolve) => {
      this.#steps.push(resolve)
      this.#wake?.()
    })
  }

  /**
   * Goes to a time: what lies between is not sent, but the state there, with `forceReset`. A time that has been is
   * reached from the begin, with accounts as they were then. Rejects with the errors of the files.
   */
  goTo(timeNs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#jump?.done()
      const done = (error?: Error): void => {
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#jump = { timeNs, done }
      this.#call()
    })
  }

  /** Makes {@link run} return. */
  stop(): void {
    this.#isStopping = true
    this.#wake?.()
  }

  /** Plays until the data have ended or somebody stops it. */
  async run(): Promise<'ended' | 'stopped'> {
    this.#isRunning = true
    try {
      return await this.#play()
    } finally {
      this.#isRunning = false
      this.isOver = true
      this.#playTasks()
      this.#jump?.done()
      for (const done of this.#steps.splice(0)) done([])
    }
  }

  async #play(): Promise<'ended' | 'stopped'> {
    const { replay, feed } = this.parts
    replay.interrupt = this.#interrupt
    replay.isStanding = this.#stands
    while (!this.#isStopping) {
      this.#isCalled = false
      this.#playTasks()
      await this.#takeJump()
      this.#lookAtMidnight()
      feed.flush()
      this.#hasStarted ||= this.lockStep.isReady || [...feed.connections].some(({ commandCount }) => commandCount > 0)
      replay.isStanding = this.#stands
      if (replay.isStanding) replay.playDue()
      if (this.#steps.length > 0) await this.#takeStep()
      else if (this.isStepped || !this.#hasStarted) await this.#sleep(null)
      else if (this.#speed === 'lockstep') await this.#stepOn()
      else if (this.#speed === 'max') await this.#rushOn()
      else await this.#followWall(this.#speed)
      if (!replay.hasEnded) continue
      feed.flush()
      if (this.parts.isLooping === true) {
        await this.#beginAnew()
        continue
      }
      if (this.#speed === 'lockstep') await this.lockStep.settle(this.#barrier, 'the data have ended')
      else await this.#finish()
      return 'ended'
    }
    return 'stopped'
  }

  /**
   * True before the first subscription: what clients ask is answered at once, at the time at hand. Those that answer
   * steps are ready soon, and the replay begins with that.
   */
  get #stands(): boolean {
    return !this.#hasStarted && !this.#isPaused && !(this.#speed === 'lockstep' && this.lockStep.isAwaited)
  }

  #call(): void {
    this.#base = null
    this.#isCalled = true
    this.#wake?.()
  }

  async #takeStep(): Promise<void> {
    const { replay, feed } = this.parts
    const [done] = this.#steps.splice(0, 1)
    const isLockStep = this.#speed === 'lockstep'
    this.#hasStarted = true
    replay.isStanding = false
    if (isLockStep && this.lockStep.hasNews()) await this.lockStep.settle(this.#barrier, null)
    const [before, count] = [sentCounts(this.parts), sentCount(this.parts)]
    const isOver = (): boolean =>
      this.#isStopping || (isLockStep ? this.lockStep.hasNews() : sentCount(this.parts) !== count)
    replay.interrupt = isOver
    const untilNs = replay.clock.nowNs() + STEP_NS
    await replay.play(untilNs)
    // A second in which nothing happens passes too.
    if (!isOver() && !replay.hasEnded) replay.clock.advance(untilNs)
    replay.interrupt = this.#interrupt
    if (isLockStep) this.lockStep.lateCount += this.#tasks.length
    feed.flush()
    if (isLockStep) await this.lockStep.settle(this.#barrier, null)
    done?.(sentSince(before, this.parts))
  }

  async #takeJump(): Promise<void> {
    const { replay, feed } = this.parts
    const jump = this.#jump
    if (jump === null) return
    this.#jump = null
    replay.isStanding = false
    const { timeNs, done } = jump
    try {
      if (timeNs < replay.clock.nowNs()) await this.#openAnew()
      for (const { instrument: { id } } of replay.feed.instruments.entries) feed.omit(id, { untilNs: timeNs })
      replay.interrupt = () => this.#isStopping
      await replay.play(timeNs)
      if (!replay.hasEnded) replay.clock.advance(timeNs)
      feed.resendSnapshots()
      feed.flush()
      done()
    } catch (error) {
      done(error as Error)
      throw error
    } finally {
      replay.interrupt = this.#interrupt
      this.#base = null
    }
  }

  async #beginAnew(): Promise<void> {
    await this.#openAnew()
    this.parts.feed.resendSnapshots()
  }

  async #openAnew(): Promise<void> {
    const { replay, feed } = this.parts
    await replay.restart()
    // Behind it: what lies before the begin is that of the replay that was opened.
    feed.beginAnew()
    stateAccounts(replay.world, null, replay.clock.nowNs(), BEGAN_AGAIN)
    this.#midnightNs = -Infinity
    this.#base = null
  }

  /** Keys are decided by the day of the clock. */
  #lookAtMidnight(): void {
    const nowNs = this.parts.replay.clock.nowNs()
    if (nowNs < this.#midnightNs) return
    this.#midnightNs = nextMidnightNs(nowNs)
    this.parts.feed.recheckAccess()
  }

  readonly #interrupt = (): boolean => {
    if (this.#isStopping || this.#isCalled) return true
    if (typeof this.#speed === 'number') return false
    if (this.parts.replay.clock.nowNs() >= this.#midnightNs) return true
    if (this.#speed === 'lockstep') return this.lockStep.hasNews()
    if (this.#tasks.length > 0) return true
    if (this.#isOverfull) return true
    const { blockCount } = this.parts.feed
    if (--this.#countdown > 0 && blockCount === this.#blockCount) return false
    this.#countdown = LOOK_LINES
    this.#blockCount = blockCount
    // It stays so until the replay has returned: the loop asks more than once.
    this.#isOverfull = this.#readers.isBehind(WAIT_BYTES)
    return this.#isOverfull
  }

  #playTasks(): void {
    for (const task of this.#calls.splice(0)) task()
    const { length } = this.#tasks
    for (let i = 0; i < length; i++) this.#tasks[i]?.()
    this.#tasks.splice(0, length)
  }

  async #stepOn(): Promise<void> {
    const { replay } = this.parts
    if (!this.lockStep.hasNews()) await replay.play()
    this.lockStep.lateCount += this.#tasks.length
    await this.lockStep.settle(this.#barrier, null)
  }

  /** While clients deal with a step, what they ask is played as it comes. */
  readonly #barrier = async (isSettled: () => boolean): Promise<void> => {
    while (!this.#isStopping) {
      this.#playTasks()
      this.parts.feed.flush()
      if (isSettled()) break
      this.lockStep.look()
      await this.#sleep(BARRIER_MS)
    }
    this.lockStep.settled()
  }

  async #rushOn(): Promise<void> {
    const { replay, feed } = this.parts
    await replay.play()
    this.#isOverfull = false
    feed.flush()
    await this.#awaitReaders(() => this.#readers.isBehind(WAIT_BYTES))
  }

  /** The data have ended: whoever reads is waited for until it has read everything. */
  async #finish(): Promise<void> {
    this.#readers.ping()
    await this.#awaitReaders(() => this.#readers.isReading())
  }

  /** Readers set the pace, but those that do not read. */
  async #awaitReaders(isAwaited: () => boolean): Promise<void> {
    while (!this.#isStopping && isAwaited()) {
      await this.#sleep(1)
      this.#playTasks()
    }
  }

  async #followWall(factor: number): Promise<void> {
    const { replay, feed } = this.parts
    const clockNs = replay.clock.nowNs()
    const hole = this.#holes.find(({ fromNs, toNs }) => fromNs <= clockNs && clockNs < toNs)
    if (hole !== undefined) return this.#skip(hole)
    this.#base ??= { wallMs: this.#nowMs(), timeNs: clockNs }
    const { wallMs, timeNs } = this.#base
    const nowNs = timeNs + Math.floor((this.#nowMs() - wallMs) * factor * NS_PER_MS)
    await replay.play(nowNs)
    if (this.#base !== null) replay.clock.advance(nowNs)
    this.#playTasks()
    feed.flush()
    await this.#sleep(TICK_MS)
  }

  /** Plays days without data at once; where somebody wants something meanwhile, the rest of them comes behind it. */
  async #skip({ toNs }: Hole): Promise<void> {
    const { replay, feed } = this.parts
    if ((await replay.play(toNs)) === 'paused') replay.clock.advance(toNs)
    this.#base = null
    feed.flush()
  }

  #nowMs(): number {
    return this.parts.nowMs?.() ?? steadyMs()
  }

  /** Until somebody asks something, or a time is over. What was asked before, while the loop awaited, counts. */
  async #sleep(ms: number | null): Promise<void> {
    if (this.#tasks.length > 0 || this.#calls.length > 0 || this.#isStopping) return
    if (ms === null && (this.#isCalled || this.#steps.length > 0)) return
    await new Promise<void>((resolve) => {
      const forget = ms === null ? (): void => {} : afterMs(ms, resolve)
      this.#wake = (): void => {
        forget()
        resolve()
      }
    })
    this.#wake = null
  }
}
