import type { FeedServer } from '../feed/feed-source.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'
import { LockStep } from './lock-step.js'
import type { ReplaySpeed, ReplayStart } from './serve-options.js'
import type { ServedReplay } from './served-replay.js'
import { afterMs, wallMs } from './wall-server.js'

/** The parts that a pacer moves. */
export interface PacerParts {
  readonly replay: ServedReplay
  readonly feed: FeedServer
  readonly orderEntry: OrderEntryServer
  readonly speed: ReplaySpeed
  readonly start: ReplayStart
  /** Monotonic time, milliseconds; the wall's in a server, a test's own in a test. */
  readonly nowMs?: () => number
}

/** At a factor, the replay follows the wall this often. */
const TICK_MS = 2
/** At `max` a reader with more unsent bytes is waited for, as long as it reads at all. */
const WAIT_BYTES = 1 << 20
const STALL_MS = 1_000
const NS_PER_MS = 1_000_000
/** A pong or a lost connection is noticed so late where nothing else happens. */
const BARRIER_MS = 5
/** At `max`, lines between two looks at the readers. */
const LOOK_LINES = 512

/**
 * Moves a replay and plays what its clients ask, one after the other: nothing that a client asks is ever played while
 * the replay moves. Requests arrive with the clock's time.
 */
export class Pacer {
  readonly lockStep: LockStep
  #speed: ReplaySpeed
  #isPaused: boolean
  #hasStarted: boolean
  #isStopping = false
  readonly #tasks: (() => void)[] = []
  #wake: (() => void) | null = null
  /** Wall and clock at the moment from which a factor counts. */
  #base: { readonly wallMs: number; readonly timeNs: number } | null = null
  #countdown = LOOK_LINES
  #isOverfull = false

  constructor(private readonly parts: PacerParts) {
    this.#speed = parts.speed
    this.#isPaused = parts.start === 'paused'
    this.#hasStarted = parts.start !== 'first-subscription'
    this.lockStep = new LockStep({ ...parts, wake: () => this.#wake?.() })
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
    this.#tasks.push(task)
    this.#wake?.()
  }

  /** Throws RangeError for a speed from or to lock-step: a replay is one or the other from its begin to its end. */
  setSpeed(speed: ReplaySpeed): void {
    if ((speed === 'lockstep') !== (this.#speed === 'lockstep')) throw new RangeError('lockstep')
    this.#speed = speed
    this.#base = null
    this.#wake?.()
  }

  pause(): void {
    this.#isPaused = true
    this.#base = null
  }

  resume(): void {
    this.#isPaused = false
    this.#hasStarted = true
    this.#wake?.()
  }

  /** Makes {@link run} return. */
  stop(): void {
    this.#isStopping = true
    this.#wake?.()
  }

  /** Plays until the data have ended or somebody stops it. */
  async run(): Promise<'ended' | 'stopped'> {
    const { replay, feed } = this.parts
    replay.interrupt = this.#interrupt
    while (!this.#isStopping) {
      this.#playTasks()
      feed.flush()
      this.#hasStarted ||= [...feed.connections].some(({ commandCount }) => commandCount > 0)
      if (this.#isPaused || !this.#hasStarted) await this.#sleep(null)
      else if (this.#speed === 'lockstep') await this.#stepOn()
      else if (this.#speed === 'max') await this.#rushOn()
      else await this.#followWall(this.#speed)
      if (!replay.hasEnded) continue
      feed.flush()
      if (this.#speed === 'lockstep') await this.lockStep.settle(this.#barrier, 'the data have ended')
      else await this.#awaitReaders(0)
      return 'ended'
    }
    return 'stopped'
  }

  /** Plays everything before a time at once, whoever reads; what clients asked before is played first. */
  async goTo(timeNs: number): Promise<void> {
    const { replay, feed } = this.parts
    this.#playTasks()
    replay.interrupt = () => this.#isStopping
    await replay.play(timeNs)
    replay.interrupt = this.#interrupt
    replay.clock.advance(timeNs)
    this.#base = null
    feed.flush()
  }

  readonly #interrupt = (): boolean => {
    if (this.#isStopping || this.#isPaused) return true
    if (this.#speed === 'lockstep') return this.lockStep.hasNews()
    if (this.#speed !== 'max') return false
    if (this.#tasks.length > 0) return true
    if (this.#isOverfull || --this.#countdown > 0) return this.#isOverfull
    this.#countdown = LOOK_LINES
    // It stays so until the replay has returned: the loop asks more than once.
    this.#isOverfull = this.#mostUnsent() > WAIT_BYTES
    return this.#isOverfull
  }

  #playTasks(): void {
    const { length } = this.#tasks
    for (let i = 0; i < length; i++) this.#tasks[i]?.()
    this.#tasks.splice(0, length)
  }

  async #stepOn(): Promise<void> {
    const { replay } = this.parts
    this.lockStep.cork(true)
    if (!this.lockStep.hasNews()) await replay.play()
    this.lockStep.lateCount += this.#tasks.length
    await this.lockStep.settle(this.#barrier, null)
  }

  /** While clients deal with a step, what they ask is played as it comes. */
  readonly #barrier = async (isSettled: () => boolean): Promise<void> => {
    while (!this.#isStopping) {
      this.#playTasks()
      // What is left to be sent goes with the next step.
      if (isSettled()) return
      this.lockStep.cork(false)
      this.parts.feed.flush()
      await this.#sleep(BARRIER_MS)
    }
  }

  async #rushOn(): Promise<void> {
    const { replay, feed } = this.parts
    await replay.play()
    this.#isOverfull = false
    feed.flush()
    await this.#awaitReaders(WAIT_BYTES)
  }

  /** Readers set the pace. One that reads nothing is not waited for: it will be closed at its limit. */
  async #awaitReaders(mostBytes: number): Promise<void> {
    let least = this.#mostUnsent()
    let sinceMs = this.#nowMs()
    while (least > mostBytes && !this.#isStopping) {
      await this.#sleep(1)
      this.#playTasks()
      const unsent = this.#mostUnsent()
      if (unsent < least) [least, sinceMs] = [unsent, this.#nowMs()]
      else if (this.#nowMs() - sinceMs > STALL_MS) break
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

  #mostUnsent(): number {
    const { feed, orderEntry } = this.parts
    let most = 0
    for (const { unsentBytes } of feed.connections) most = Math.max(most, unsentBytes)
    for (const { unsentBytes } of orderEntry.connections) most = Math.max(most, unsentBytes)
    return most
  }

  #nowMs(): number {
    return this.parts.nowMs?.() ?? wallMs()
  }

  /** Until somebody asks something, or a time is over. */
  async #sleep(ms: number | null): Promise<void> {
    if (this.#tasks.length > 0 || this.#isStopping) return
    await new Promise<void>((resolve) => {
      const end = ms === null ? null : afterMs(ms, resolve)
      this.#wake = (): void => {
        end?.()
        resolve()
      }
    })
    this.#wake = null
  }
}
