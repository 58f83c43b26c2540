import type { ErrorSource, EntryError } from '../../model/order.js'
import { RandomNumbers } from '../../model/random.js'
import type { LimitedRequest } from '../profile/venue-profile.js'
import type { AccountStatus } from '../../venue/account-messages.js'

/** The effect of a fault for a while. */
export type FaultEffect =
  /** The account has this status; where it means no connection, messages of the exchange wait for its end. */
  | { readonly kind: 'status'; readonly status: AccountStatus; readonly message: string }
  /** Requests fail with this error before they reach the exchange. */
  | {
      readonly kind: 'requests'
      readonly requests: readonly LimitedRequest[]
      readonly type: string
      readonly source: ErrorSource
      /** Earliest moment of a retry, where the error states one; nanoseconds since the run's first midnight. */
      readonly retryTimeNs?: number
    }
  /** Replaces cancel, and place nothing. */
  | { readonly kind: 'replaces'; readonly type: string }
  /** Fills are published this much later than what they changed. */
  | { readonly kind: 'fills'; readonly delayNs: number }

/**
 * A fault of a plan: once, or once in every interval at a time that the seed draws. Times are nanoseconds since the
 * run's first midnight.
 */
export interface PlannedFault {
  /** Null: every account. */
  readonly accountId: string | null
  readonly effect: FaultEffect
  readonly startNs: number
  /** Null: once, at `startNs`. */
  readonly everyNs: number | null
  /** Not above `everyNs`. */
  readonly forNs: number
}

/** The effect of a fault of one kind. */
export type EffectOf<Kind extends FaultEffect['kind']> = Extract<FaultEffect, { readonly kind: Kind }>

/**
 * The faults of a world: a pure function of seed and time, so that nothing of it has to be remembered, and those that
 * somebody asks for while it runs, which come first.
 */
export class FaultPlan {
  readonly #random: readonly RandomNumbers[]
  /** Faults on demand, each once, the newest first. */
  #demanded: readonly PlannedFault[] = []

  constructor(private readonly faults: readonly PlannedFault[], seed: number) {
    this.#random = faults.map((_, number) => new RandomNumbers(seed, `fault ${number}`, 0))
  }

  /** A fault on demand, which begins once and goes before those of the plan. */
  add(fault: PlannedFault): void {
    const open = this.#demanded.filter(({ startNs, forNs }) => startNs + forNs > fault.startNs)
    this.#demanded = [{ ...fault, everyNs: null }, ...open]
  }

  /** Ends faults on demand of a kind on an account (null: on all): from `timeNs` on they are gone. */
  end(kind: FaultEffect['kind'], accountId: string | null, timeNs: number): void {
    const isMeant = (fault: PlannedFault): boolean =>
      fault.effect.kind === kind && (accountId === null || fault.accountId === accountId)
    this.#demanded = this.#demanded.filter((fault) => !isMeant(fault) && fault.startNs + fault.forNs > timeNs)
  }

  /** When a fault of the plan begins for the first time. */
  firstNs(number: number): number {
    const fault = this.faults[number]
    return fault === undefined ? Infinity : this.#beginNs(number, fault, 0)
  }

  /** Why a replacement is not placed though its order was cancelled, or null. */
  replaceError(accountId: string, timeNs: number): EntryError | null {
    const fault = this.active('replaces', accountId, timeNs)
    if (fault === null) return null
    return {
      type: fault.type, message: 'the order was cancelled, the replacement was not placed (fault plan of the run)',
      source: 'EXCHANGE',
    }
  }

  /** The effect on an account now: the first of its kind. */
  active<Kind extends FaultEffect['kind']>(kind: Kind, accountId: string, timeNs: number): EffectOf<Kind> | null {
    // Asked for every message.
    if (this.faults.length === 0 && this.#demanded.length === 0) return null
    for (const { effect, startNs, forNs, accountId: one } of this.#demanded) {
      const isMeant = effect.kind === kind && (one === null || one === accountId)
      if (isMeant && timeNs >= startNs && timeNs < startNs + forNs) return effect as EffectOf<Kind>
    }
    for (const [number, fault] of this.faults.entries()) {
      if (fault.effect.kind !== kind || (fault.accountId !== null && fault.accountId !== accountId)) continue
      const begin = this.#beginNs(number, fault, this.#slot(fault, timeNs))
      if (timeNs >= begin && timeNs < begin + fault.forNs) return fault.effect as EffectOf<Kind>
    }
    return null
  }

  /** When the status of an account may change next; Infinity where it never does. */
  nextStatusNs(accountId: string, timeNs: number): number {
    let next = Infinity
    for (const { effect, startNs, forNs, accountId: one } of this.#demanded) {
      const endNs = startNs + forNs
      const isMeant = effect.kind === 'status' && (one === null || one === accountId)
      if (isMeant && endNs > timeNs) next = Math.min(next, endNs)
    }
    for (const [number, fault] of this.faults.entries()) {
      if (fault.effect.kind !== 'status' || (fault.accountId !== null && fault.accountId !== accountId)) continue
      const slot = this.#slot(fault, timeNs)
      for (const at of fault.everyNs === null ? [0] : [slot, slot + 1]) {
        const begin = this.#beginNs(number, fault, at)
        if (begin > timeNs) next = Math.min(next, begin)
        else if (begin + fault.forNs > timeNs) next = Math.min(next, begin + fault.forNs)
      }
    }
    return next
  }

  /** Which interval a time lies in; before the first it is the first. */
  #slot({ everyNs, startNs }: PlannedFault, timeNs: number): number {
    return everyNs === null ? 0 : Math.max(0, Math.floor((timeNs - startNs) / everyNs))
  }

  #beginNs(number: number, { everyNs, startNs, forNs }: PlannedFault, slot: number): number {
    if (everyNs === null) return startNs
    return startNs + slot * everyNs + (this.#random[number] as RandomNumbers).below(everyNs - forNs + 1, slot)
  }
}
