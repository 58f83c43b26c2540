import type { EntryError } from '../../model/order.js'
import { NS_PER_MS } from '../../model/time.js'
import { adapterError } from './adapter-checks.js'
import { REQUEST_KINDS, type LimitedRequest, type RateLimit, type VenueProfile } from '../profile/venue-profile.js'
import type { RateLimitLoad, AccountStatus } from '../../venue/account-messages.js'
import type { FaultPlan } from './fault-plan.js'

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
  take(kind: LimitedRequest, useSpare: boolean, timeNs: number): EntryError | null {
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
      Object.assign(this.#windows[at] ?? {}, {
        number: state.windowNumber ?? -Infinity, blockedUntilNs: state.blockedUntilNs ?? -Infinity,
        counts: [...state.counts], spareCounts: [...state.spareCounts],
      })
    }
  }

  #error(type: string, message: string, retryTimeNs: number): EntryError {
    return { ...adapterError(type, message), ...(this.statesRetry ? { retryTimeNs } : {}) }
  }
}

/** Statuses under which the adapter receives nothing of the exchange, and nothing reaches it. */
const UNCONNECTED: ReadonlySet<AccountStatus> = new Set([
  'DISCONNECTED', 'UNASSIGNED', 'MANUAL_SHUTDOWN', 'EMERGENCY_SHUTDOWN',
])

/** The memory of a gate, plain data. */
export interface GateState {
  readonly wakeNs: number | null
  readonly windows: readonly RateWindowState[]
}

const CONNECTED: { readonly status: AccountStatus; readonly message: string } = { status: 'OK', message: '' }

/** The gate of an adapter for one account: by its status, the faults of the run, and the venue's rate limits. */
export class AdapterGate {
  private readonly limiter: RateLimiter | null
  private wakeNs = Infinity

  constructor(private readonly accountId: string, profile: VenueProfile, private readonly faults: FaultPlan | null) {
    const { rateLimits = [], capabilities } = profile
    this.limiter = rateLimits.length === 0 ? null : new RateLimiter(rateLimits, capabilities.retryTime === true)
  }

  /** Status of the account, with its text. */
  statusAt(timeNs: number): { readonly status: AccountStatus; readonly message: string } {
    const { status, message } = this.faults?.active('status', this.accountId, timeNs) ?? CONNECTED
    return { status, message }
  }

  /** True where messages of the exchange arrive. */
  isConnected(timeNs: number): boolean {
    const fault = this.faults?.active('status', this.accountId, timeNs) ?? null
    return fault === null || !UNCONNECTED.has(fault.status)
  }

  nextStatusNs(timeNs: number): number {
    return this.faults?.nextStatusNs(this.accountId, timeNs) ?? Infinity
  }

  /** Why an entry that is right in itself does not go on, or null: then it has taken its tokens. */
  refusal(kind: LimitedRequest, useSpare: boolean, timeNs: number): EntryError | null {
    if (this.faults !== null) {
      const error = this.faultRefusal(this.faults, kind, timeNs)
      if (error !== null) return error
    }
    return this.limiter === null ? null : this.limiter.take(kind, useSpare, timeNs)
  }

  /** The loads where one has changed since this was asked last, else null. */
  changedLoads(timeNs: number): RateLimitLoad[] | null {
    return this.limiter?.takeChanged() === true ? this.limiter.loads(timeNs) : null
  }

  loads(timeNs: number): RateLimitLoad[] {
    return this.limiter?.loads(timeNs) ?? []
  }

  /**
   * When somebody has to be woken for the next fall of a load; null where that is known already, or none is above 0.
   */
  nextWakeNs(timeNs: number): number | null {
    const next = this.limiter?.nextEndNs(timeNs) ?? Infinity
    if (next >= this.wakeNs) return null
    this.wakeNs = next
    return next
  }

  /** True where a wake is the one that is waited for; it is not any more. */
  woken(timeNs: number): boolean {
    if (timeNs !== this.wakeNs) return false
    this.wakeNs = Infinity
    return true
  }

  state(): GateState {
    return { wakeNs: Number.isFinite(this.wakeNs) ? this.wakeNs : null, windows: this.limiter?.state() ?? [] }
  }

  restore({ wakeNs, windows }: GateState): void {
    this.wakeNs = wakeNs ?? Infinity
    this.limiter?.restore(windows)
  }

  /**
   * Without a connection everything fails; under another bad status only cancelling may be tried (spec 2, "Errors";
   * spec 3, DEGRADED).
   */
  private faultRefusal(faults: FaultPlan, kind: LimitedRequest, timeNs: number): EntryError | null {
    const { status, message } = this.statusAt(timeNs)
    if (status !== 'OK' && (kind !== 'cancel' || UNCONNECTED.has(status))) {
      return adapterError(
        status, `the account is ${status}${message === '' ? '' : `: ${message}`}; requests fail until it is OK`,
      )
    }
    const fault = faults.active('requests', this.accountId, timeNs)
    if (fault === null || !fault.requests.includes(kind)) return null
    const { type, source, retryTimeNs } = fault
    return {
      type, message: 'the request failed (fault plan of the run)', source,
      ...(retryTimeNs === undefined ? {} : { retryTimeNs }),
    }
  }
}
