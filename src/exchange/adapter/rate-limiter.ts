import type { OrderError } from '../../model/order.js'
import { NS_PER_MS } from '../../model/time.js'
import { adapterError } from './adapter-checks.js'
import { REQUEST_KINDS, type LimitedRequest, type RateLimit } from '../profile/venue-profile.js'
import type { RateLimitLoad } from '../../venue/account-messages.js'

/** The counts of one key in its window, plain data. */
export interface RateWindowState {
  readonly windowNumber: number | null
  readonly counts: readonly number[]
  /** The requests taken from the reserve. */
  readonly spareCounts: readonly number[]
  readonly blockedUntilNs: number | null
}

class RateWindow {
  readonly windowNs: number
  readonly counts: number[] = [0, 0, 0, 0]
  readonly spareCounts: number[] = [0, 0, 0, 0]
  number = -Infinity
  blockedUntilNs = -Infinity

  constructor(readonly limit: RateLimit) {
    this.windowNs = limit.windowMs * NS_PER_MS
  }

  /** Brings the window to a time: one that is over is empty. */
  turn(timeNs: number): void {
    const number = Math.floor(timeNs / this.windowNs)
    if (number === this.number) return
    this.number = number
    this.counts.fill(0)
    this.spareCounts.fill(0)
  }

  get endNs(): number {
    return (this.number + 1) * this.windowNs
  }

  /** The budget of a kind of request; Infinity where the key does not count it. */
  budget(kind: LimitedRequest): number {
    const { tokens } = this.limit
    return 'shared' in tokens ? tokens.shared : (tokens[kind] ?? Infinity)
  }

  #used(counts: readonly number[], kind: LimitedRequest): number {
    return 'shared' in this.limit.tokens
      ? counts.reduce((sum, count) => sum + count, 0)
      : (counts[REQUEST_KINDS.indexOf(kind)] as number)
  }

  /** The part of the budget that is kept for requests with `useSpare`. */
  #reserve(kind: LimitedRequest): number {
    return Math.min(this.limit.spare ?? 0, this.budget(kind))
  }

  /** The part of the budget that a request may take, were nothing used. */
  open(kind: LimitedRequest, useSpare: boolean): number {
    return this.budget(kind) - (useSpare ? 0 : this.#reserve(kind))
  }

  #hasSpare(kind: LimitedRequest, useSpare: boolean): boolean {
    return useSpare && this.#used(this.spareCounts, kind) < this.#reserve(kind)
  }

  hasBudget(kind: LimitedRequest, useSpare: boolean): boolean {
    return this.#hasSpare(kind, useSpare) || this.#used(this.counts, kind) < this.open(kind, false)
  }

  /** Counts a request: of the reserve first where it may have it, else of the ordinary tokens. */
  count(kind: LimitedRequest, useSpare: boolean): void {
    const counts = this.#hasSpare(kind, useSpare) ? this.spareCounts : this.counts
    counts[REQUEST_KINDS.indexOf(kind)] = (counts[REQUEST_KINDS.indexOf(kind)] as number) + 1
  }

  get isUsed(): boolean {
    return this.counts.some((count) => count > 0) || this.spareCounts.some((count) => count > 0)
  }

  /** From when on the window as it stands has budget: after its block, and not while it is full. */
  retryNs(kind: LimitedRequest, useSpare: boolean): number {
    return this.hasBudget(kind, useSpare) ? this.blockedUntilNs : Math.max(this.endNs, this.blockedUntilNs)
  }

  load(kind: LimitedRequest): number {
    const budget = this.budget(kind)
    return budget === Infinity
      ? 0
      : budget === 0
        ? 1
        : Math.min(1, (this.#used(this.counts, kind) + this.#used(this.spareCounts, kind)) / budget)
  }
}

/**
 * The adapter's own count of an account's requests, by the keys of its venue: windows begin at whole multiples of their
 * length (exchange rules have none; the profile wins). A request that a key has no budget for takes none of any key.
 */
export class RateLimiter {
  readonly #windows: readonly RateWindow[]
  #changed = false

  constructor(limits: readonly RateLimit[], private readonly statesRetry: boolean) {
    this.#windows = limits.map((limit) => new RateWindow(limit))
  }

  /** Takes a token of every key that counts this request, or says why not. `useSpare` takes of what is kept first. */
  take(kind: LimitedRequest, useSpare: boolean, timeNs: number): OrderError | null {
    const counting = this.#windows.filter((window) => window.budget(kind) !== Infinity)
    for (const window of counting) window.turn(timeNs)
    // Every key must have budget, or the retry is refused by the next one.
    const retryNs = (): number =>
      counting.reduce((latest, window) => Math.max(latest, window.retryNs(kind, useSpare)), timeNs)
    for (const window of counting) {
      const { blockMs, id } = window.limit
      if (timeNs < window.blockedUntilNs)
        return this.#error(
          'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', `everything that ${id} counts is blocked after its limit was exceeded`,
          retryNs(),
        )
      if (window.hasBudget(kind, useSpare)) continue
      if (blockMs !== undefined) window.blockedUntilNs = timeNs + blockMs * NS_PER_MS
      return this.#error(
        'RATE_LIMIT_EXCEEDED',
        `${id} allows ${window.open(kind, useSpare)} of these requests in ${window.limit.windowMs} ms`, retryNs(),
      )
    }
    for (const window of counting) window.count(kind, useSpare)
    if (counting.length > 0) this.#changed = true
    return null
  }

  /** Loads of all keys at a time, in the order of the profile. */
  loads(timeNs: number): RateLimitLoad[] {
    return this.#windows.map((window) => {
      window.turn(timeNs)
      return {
        id: window.limit.id, p: window.load('place'), a: window.load('amend'), r: window.load('replace'),
        c: window.load('cancel'),
      }
    })
  }

  /** True where a load has changed since this was asked last. */
  takeChanged(): boolean {
    const changed = this.#changed
    this.#changed = false
    return changed
  }

  /** When the next window with something in it ends; Infinity where all are empty. */
  nextEndNs(timeNs: number): number {
    let next = Infinity
    for (const window of this.#windows) {
      window.turn(timeNs)
      if (window.isUsed) next = Math.min(next, window.endNs)
    }
    return next
  }

  state(): RateWindowState[] {
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
    return this.#windows.map(({ number, counts, spareCounts, blockedUntilNs }) => ({
      windowNumber: finite(number), counts: [...counts], spareCounts: [...spareCounts],
      blockedUntilNs: finite(blockedUntilNs),
    }))
  }

  restore(states: readonly RateWindowState[]): void {
    for (const [at, state] of states.entries()) {
      const window = this.#windows[at]
      if (window === undefined) continue
      window.number = state.windowNumber ?? -Infinity
      window.blockedUntilNs = state.blockedUntilNs ?? -Infinity
      for (const [kind, count] of state.counts.entries()) window.counts[kind] = count
      for (const [kind, count] of state.spareCounts.entries()) window.spareCounts[kind] = count
    }
  }

  #error(type: string, message: string, retryTimeNs: number): OrderError {
    return { ...adapterError(type, message), ...(this.statesRetry ? { retryTimeNs } : {}) }
  }
}
