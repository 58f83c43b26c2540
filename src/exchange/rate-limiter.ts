import type { OrderError } from '../model/order.js'
import { NS_PER_MS } from '../model/time.js'
import type { RateLimitLoad } from '../venue/messages.js'
import { adapterError } from './adapter-checks.js'
import { REQUEST_KINDS, type LimitedRequest, type RateLimit } from './venue-profile.js'

/** What one key has counted in its window, plain data. */
export interface RateWindowState {
  readonly windowNumber: number | null
  readonly counts: readonly number[]
  readonly blockedUntilNs: number | null
}

class RateWindow {
  readonly limit: RateLimit
  readonly windowNs: number
  readonly counts: number[] = [0, 0, 0, 0]
  number = -Infinity
  blockedUntilNs = -Infinity

  constructor(limit: RateLimit) {
    this.limit = limit
    this.windowNs = limit.windowMs * NS_PER_MS
  }

  /** Brings the window to a time: one that is over is empty. */
  turn(timeNs: number): void {
    const number = Math.floor(timeNs / this.windowNs)
    if (number === this.number) return
    this.number = number
    this.counts.fill(0)
  }

  get endNs(): number {
    return (this.number + 1) * this.windowNs
  }

  /** The budget of a kind of request; Infinity where the key does not count it. */
  budget(kind: LimitedRequest): number {
    const { tokens } = this.limit
    return 'shared' in tokens ? tokens.shared : (tokens[kind] ?? Infinity)
  }

  used(kind: LimitedRequest): number {
    return 'shared' in this.limit.tokens ? this.counts.reduce((sum, count) => sum + count, 0) : (this.counts[REQUEST_KINDS.indexOf(kind)] as number)
  }

  /** What of the budget a request may take. */
  open(kind: LimitedRequest, useSpare: boolean): number {
    return this.budget(kind) - (useSpare ? 0 : (this.limit.spare ?? 0))
  }

  /** From when on the window as it stands has budget: after its block, and not while it is full. */
  retryNs(kind: LimitedRequest, useSpare: boolean): number {
    return this.used(kind) < this.open(kind, useSpare) ? this.blockedUntilNs : Math.max(this.endNs, this.blockedUntilNs)
  }

  load(kind: LimitedRequest): number {
    const budget = this.budget(kind)
    return budget === Infinity ? 0 : budget === 0 ? 1 : Math.min(1, this.used(kind) / budget)
  }
}

/**
 * The adapter's own count of an account's requests, by the keys of its venue: windows begin at whole multiples of their length (exchange
 * rules have none; the profile wins). A request that a key has no budget for takes none of any key.
 */
export class RateLimiter {
  readonly #windows: readonly RateWindow[]
  readonly #tellsRetry: boolean
  #changed = false

  constructor(limits: readonly RateLimit[], tellsRetry: boolean) {
    this.#windows = limits.map((limit) => new RateWindow(limit))
    this.#tellsRetry = tellsRetry
  }

  /** Takes a token of every key that counts this request, or says why not. `useSpare` may take what is kept. */
  take(kind: LimitedRequest, useSpare: boolean, timeNs: number): OrderError | null {
    const counting = this.#windows.filter((window) => window.budget(kind) !== Infinity)
    for (const window of counting) window.turn(timeNs)
    // Every key must have budget, or the retry is refused by the next one.
    const retryNs = (): number => counting.reduce((latest, window) => Math.max(latest, window.retryNs(kind, useSpare)), timeNs)
    for (const window of counting) {
      const { blockMs, id } = window.limit
      if (timeNs < window.blockedUntilNs) return this.#error('RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', `everything that ${id} counts is blocked after its limit was exceeded`, retryNs())
      const open = window.open(kind, useSpare)
      if (window.used(kind) < open) continue
      if (blockMs !== undefined) window.blockedUntilNs = timeNs + blockMs * NS_PER_MS
      return this.#error('RATE_LIMIT_EXCEEDED', `${id} allows ${Math.max(0, open)} of these requests in ${window.limit.windowMs} ms`, retryNs())
    }
    for (const window of counting) window.counts[REQUEST_KINDS.indexOf(kind)] = (window.counts[REQUEST_KINDS.indexOf(kind)] as number) + 1
    if (counting.length > 0) this.#changed = true
    return null
  }

  /** Loads of all keys at a time, in the order of the profile. */
  loads(timeNs: number): RateLimitLoad[] {
    return this.#windows.map((window) => {
      window.turn(timeNs)
      return { id: window.limit.id, p: window.load('place'), a: window.load('amend'), r: window.load('replace'), c: window.load('cancel') }
    })
  }

  /** Whether a load has changed since this was asked last. */
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
      if (window.counts.some((count) => count > 0)) next = Math.min(next, window.endNs)
    }
    return next
  }

  state(): RateWindowState[] {
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
    return this.#windows.map(({ number, counts, blockedUntilNs }) => ({ windowNumber: finite(number), counts: [...counts], blockedUntilNs: finite(blockedUntilNs) }))
  }

  restore(states: readonly RateWindowState[]): void {
    for (const [at, state] of states.entries()) {
      const window = this.#windows[at]
      if (window === undefined) continue
      window.number = state.windowNumber ?? -Infinity
      window.blockedUntilNs = state.blockedUntilNs ?? -Infinity
      for (const [kind, count] of state.counts.entries()) window.counts[kind] = count
    }
  }

  #error(type: string, message: string, retryTimeNs: number): OrderError {
    return { ...adapterError(type, message), ...(this.#tellsRetry ? { retryTimeNs } : {}) }
  }
}
