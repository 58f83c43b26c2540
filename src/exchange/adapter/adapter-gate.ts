import type { OrderError } from '../../model/order.js'
import { adapterError } from './adapter-checks.js'
import type { FaultPlan } from './fault-plan.js'
import { RateLimiter, type RateWindowState } from './rate-limiter.js'
import type { LimitedRequest, VenueProfile } from '../profile/venue-profile.js'
import type { AccountStatus, RateLimitLoad } from '../../venue/account-messages.js'

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
    return this.faults === null || !UNCONNECTED.has(this.statusAt(timeNs).status)
  }

  nextStatusNs(timeNs: number): number {
    return this.faults?.nextStatusNs(this.accountId, timeNs) ?? Infinity
  }

  /** Why an entry that is right in itself does not go on, or null: then it has taken its tokens. */
  refusal(kind: LimitedRequest, useSpare: boolean, timeNs: number): OrderError | null {
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
  private faultRefusal(faults: FaultPlan, kind: LimitedRequest, timeNs: number): OrderError | null {
    const { status, message } = this.statusAt(timeNs)
    if (status !== 'OK' && (kind !== 'cancel' || UNCONNECTED.has(status))) {
      return adapterError(
        status, `the account is ${status}${message === '' ? '' : `: ${message}`}; requests fail until it is OK`,
      )
    }
    const fault = faults.active('requests', this.accountId, timeNs)
    if (fault === null || !fault.requests.includes(kind)) return null
    return { type: fault.type, message: 'the request failed (fault plan of the run)', source: fault.source }
  }
}
