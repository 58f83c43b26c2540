import type { OrderLatency } from '../../model/order-latency.js'
import type { LoanState } from './account-loans.js'
import type { Leg } from './account-position.js'
import type { RoundingsState } from '../../model/position-sums.js'
import type { FeeSchedule } from './fees.js'
import type { VenueProfile } from '../profile/venue-profile.js'

/** One account of a world: it belongs to one exchange (exchange rules 8.5). */
export interface AccountConfig {
  readonly accountId: string
  readonly exchangeCode: string
  /** Starting cash by underlying id, decimal texts. */
  readonly balances: ReadonlyMap<number, string>
  readonly fees: FeeSchedule
  /** Instruments whose outcome the run gives: prediction contracts, whatever their type says. */
  readonly predictions?: ReadonlySet<number>
  /** `none`: nothing is asked of orders before they are taken (preset hftbacktest). Default `all`. */
  readonly checks?: 'all' | 'none'
  /** The venue's limits, accepted orders and messages; default `generic`. */
  readonly profile?: VenueProfile
  /** The currency of the run's totals, where the account states it. */
  readonly currency?: string
  /**
   * The action where its equity comes to 0 (exchange rules 8.6): its strategies are stopped, or it is noted when it was
   * below. Default: nobody looks.
   */
  readonly atZero?: 'stop' | 'note'
  /** The way of its requests to the exchange; default: that of the world. */
  readonly requestLatency?: OrderLatency
  /** The way of its answers and events back; default: that of the world. */
  readonly responseLatency?: OrderLatency
}

/** An account as plain data: amounts are decimal texts by underlying id. */
export interface AccountSums {
  readonly cash: readonly (readonly [underlyingId: number, amount: string])[]
  readonly debts: readonly (readonly [underlyingId: number, amount: string])[]
  readonly flows: readonly (readonly [underlyingId: number, amount: string])[]
  readonly loans: readonly LoanState[]
  /** Clients that were stopped (exchange rules 8.6): nothing more is taken of them. */
  readonly stopped: readonly string[]
  readonly positions: readonly PositionState[]
}

/** One position of an {@link AccountSums}. */
interface PositionState {
  readonly instrumentId: number
  readonly realizedPnl: string
  readonly turnover: string
  readonly legs: readonly (RoundingsState & {
    readonly leg: Leg
    readonly quantity: string
    readonly openValue: string
    readonly margin: string
  })[]
  readonly fees: readonly (readonly [underlyingId: number, fee: string])[]
}
