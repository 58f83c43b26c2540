import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import type { Clock, Timers } from '../venue/venue.js'
import { orderEntryStateOf, takeState, type Account, type OrderEntryState } from './account.js'
import type { CallbackGuard } from './callback-guard.js'
import type { TrackedOrder } from './order-tracker.js'
import type { AccountStatus } from '../venue/account-messages.js'

/** When order entry counts as late, and when it ends a strategy; nanoseconds. */
export interface EntryStateRules {
  /**
   * A fill and the order update that states it are reported this far apart before the account is DELAYED; default one
   * second.
   */
  readonly delayedAfterNs?: number
  /** A strategy is stopped when an account has been DEGRADED, or DELAYED, for so long; null (default): never. */
  readonly stopDegradedAfterNs?: number | null
  /** The same for DELAYED. */
  readonly stopDelayedAfterNs?: number | null
}

/** The parts that the watch of an account needs. */
export interface EntryStateContext {
  readonly clientId: string
  readonly clock: Clock
  readonly guard: CallbackGuard
  readonly rules: EntryStateRules
  /** True where an order is still known: an order that is not cannot catch up any more. */
  readonly isKnown: (ownOrderId: Id) => boolean
  /** Tells the strategy of the state that the account now has. */
  readonly tell: () => void
}

/** A watch as a checkpoint holds it; its timers are the clock's to keep. */
export interface EntryStateWatchState {
  readonly status: OrderEntryState
  /** Since when orders have executed more or less than their fills say. */
  readonly apart: IdMap<number>
  readonly isDelayed: boolean
  readonly isArmed: boolean
}

const SECOND_NS = 1_000_000_000
const LATE = 'late'
const STOP = 'stop'

/**
 * The order-entry state of one account (spec 3): its status, and whether the two sources that a position is tracked by,
 * order updates and fills, say the same. Stops the strategy where a bad state lasts too long, and at once under ERROR.
 */
export class EntryStateWatch {
  readonly #timers: Timers
  #apart: IdMap<number> = new IdMap()
  #status: OrderEntryState = 'READY'
  #isDelayed = false
  #isArmed = false

  constructor(private readonly account: Account, private readonly context: EntryStateContext) {
    this.#timers = context.clock.timers(`${context.clientId} states ${account.id}`, (name) => this.#fire(name))
  }

  /** The status at login: no callback. */
  begin(status: AccountStatus): void {
    this.#status = orderEntryStateOf(status)
    takeState(this.account, this.#status)
    if (this.#status === 'ERROR') this.#stop(`its status is ${status}`)
    else this.#await(this.#status)
  }

  takeStatus(status: AccountStatus): void {
    this.#status = orderEntryStateOf(status)
    if (this.#status === 'ERROR') this.#stop(`its status is ${status}`)
    else this.#settle()
  }

  /** After a fill or an update of an order. */
  compare({ ownOrderId, executed, filled }: TrackedOrder): void {
    if (executed === filled) {
      if (this.#apart.size === 0 || !this.#apart.delete(ownOrderId)) return
      if (this.#apart.size === 0 && this.#isDelayed) this.#setDelayed(false)
    } else if (!this.#apart.has(ownOrderId)) {
      const nowNs = this.context.clock.nowNs()
      this.#apart.set(ownOrderId, nowNs)
      this.#arm(nowNs)
    }
  }

  /** Own ids of orders whose updates and fills do not say the same yet. */
  apart(): readonly Id[] {
    return this.#apart.ids()
  }

  state(): EntryStateWatchState {
    return { status: this.#status, apart: this.#apart, isDelayed: this.#isDelayed, isArmed: this.#isArmed }
  }

  restore({ status, apart, isDelayed, isArmed }: EntryStateWatchState): void {
    this.#status = status
    this.#isDelayed = isDelayed
    this.#isArmed = isArmed
    this.#apart = apart
  }

  /** One timer at most waits, so that fills whose update follows at once cost nothing more. */
  #arm(sinceNs: number): void {
    if (this.#isArmed || this.#isDelayed) return
    this.#isArmed = true
    this.#timers.at(sinceNs + (this.context.rules.delayedAfterNs ?? SECOND_NS), LATE)
  }

  #fire(name: string): void {
    const { rules, clock, isKnown } = this.context
    if (name === STOP) return this.#stop(`it has been ${this.account.state} too long`)
    this.#isArmed = false
    let oldestNs = Infinity
    for (const ownOrderId of this.#apart.ids()) {
      if (!isKnown(ownOrderId)) this.#apart.delete(ownOrderId)
      else oldestNs = Math.min(oldestNs, this.#apart.get(ownOrderId) ?? Infinity)
    }
    if (oldestNs === Infinity) return
    if (clock.nowNs() - oldestNs >= (rules.delayedAfterNs ?? SECOND_NS)) this.#setDelayed(true)
    else this.#arm(oldestNs)
  }

  #setDelayed(isDelayed: boolean): void {
    this.#isDelayed = isDelayed
    this.#settle()
  }

  #settle(): void {
    const state = this.#status === 'READY' && this.#isDelayed ? 'DELAYED' : this.#status
    if (state === this.account.state) return
    takeState(this.account, state)
    this.#await(state)
    this.context.tell()
  }

  #await(state: OrderEntryState): void {
    const { rules, clock } = this.context
    const afterNs =
      (state === 'DEGRADED' ? rules.stopDegradedAfterNs : state === 'DELAYED' ? rules.stopDelayedAfterNs : null) ?? null
    if (afterNs === null) this.#timers.cancel(STOP)
    else this.#timers.at(clock.nowNs() + afterNs, STOP)
  }

  #stop(why: string): void {
    this.context.guard.stop(`order entry of account ${this.account.id}: ${why}`)
  }
}
