import type { FeedServer } from '../feed/feed-source.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'
import { afterMs, steadyMs } from '../model/wall-client.js'
import { AwaitedReaders } from './awaited-readers.js'
import { LockStep } from './lock-step.js'
import type { ReplaySpeed, ReplayStart } from './serve-options.js'
import { stateAccounts } from '../exchange/demands.js'
import { BEGAN_AGAIN } from '../venue/account-messages.js'
import { NS_PER_DAY } from '../model/time.js'
import type { RestartableReplay } from './restartable-replay.js'

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
  #steps: (() => void)[] = []
  #calls: (() => void)[] = []
  #isRunning = false
  /** Nothing moves any more: what clients ask is played at once. */
  #isOver = false
  #midnightNs: number

  constructor(private readonly parts: PacerParts) {
    this.#speed = parts.speed
    this.#isPaused = parts.start === 'paused'
    this.#hasStarted = parts.start !== 'first-subscription'
    this.#midnightNs = nextMidnightNs(parts.replay.clock.nowNs())
    this.#readers = new AwaitedReaders({ ...parts, nowMs: () => this.#nowMs() })
    this.lockStep = new LockStep({ ...parts, isPinging: parts.step !== 'post', wake: () => this.#wake?.() })
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
    if (this.#isOver) return task()
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
  step(): Promise<void> {
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
      this.#isOver = true
      this.#playTasks()
      this.#jump?.done()
      for (const done of this.#steps.splice(0)) done()
    }
  }

  async #play(): Promise<'ended' | 'stopped'> {
    const { replay, feed } = this.parts
    replay.interrupt = this.#interrupt
    while (!this.#isStopping) {
      this.#isCalled = false
      this.#playTasks()
      await this.#takeJump()
      this.#lookAtMidnight()
      feed.flush()
      this.#hasStarted ||= this.lockStep.isReady || [...feed.connections].some(({ commandCount }) => commandCount > 0)
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
    if (isLockStep && this.lockStep.hasNews()) await this.lockStep.settle(this.#barrier, null)
    const count = this.#sentCount()
    const isOver = (): boolean => (
      this.#isStopping || (isLockStep ? this.lockStep.hasNews() : this.#sentCount() !== count))
    replay.interrupt = isOver
    const untilNs = replay.clock.nowNs() + STEP_NS
    await replay.play(untilNs)
    // A second in which nothing happens passes too.
    if (!isOver() && !replay.hasEnded) replay.clock.advance(untilNs)
    replay.interrupt = this.#interrupt
    if (isLockStep) this.lockStep.lateCount += this.#tasks.length
    feed.flush()
    if (isLockStep) await this.lockStep.settle(this.#barrier, null)
    done?.()
  }

  async #takeJump(): Promise<void> {
    const { replay, feed } = this.parts
    const jump = this.#jump
    if (jump === null) return
    this.#jump = null
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

  #sentCount(): number {
    const { feed, orderEntry } = this.parts
    let count = 0
    for (const one of feed.connections) count += one.sentCount
    for (const one of orderEntry.connections) count += one.sentCount
    return count
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
      if (isSettled()) return
      await this.#sleep(BARRIER_MS)
    }
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
    this.#base ??= { wallMs: this.#nowMs(), timeNs: replay.clock.nowNs() }
    const { wallMs, timeNs } = this.#base
    const nowNs = timeNs + Math.floor((this.#nowMs() - wallMs) * factor * NS_PER_MS)
    await replay.play(nowNs)
    if (this.#base !== null) replay.clock.advance(nowNs)
    this.#playTasks()
    feed.flush()
    await this.#sleep(TICK_MS)
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

function nextMidnightNs(timeNs: number): number {
  return (Math.floor(timeNs / NS_PER_DAY) + 1) * NS_PER_DAY
}
