import type { FeeSchedule } from './fees.js'
import type { VenueProfile } from './venue-profile.js'

/** One account of a world: it belongs to one exchange (exchange rules 8.5). */
export interface AccountConfig {
  readonly accountId: string
  readonly exchangeCode: string
  /** Starting cash by underlying id, decimal texts. */
  readonly balances: ReadonlyMap<number, string>
  readonly fees: FeeSchedule
  /** What its venue accepts, limits and says; default `generic`. */
  readonly profile?: VenueProfile
}

/** An account as plain data. */
export interface AccountSums {
  readonly cash: readonly (readonly [underlyingId: number, amount: string])[]
  readonly positions: readonly PositionState[]
}

/** One position of an {@link AccountSums}. */
export interface PositionState {
  readonly instrumentId: number
  readonly quantity: string
  readonly openValue: string
  readonly realizedPnl: string
  readonly turnover: string
  readonly fees: readonly (readonly [underlyingId: number, fee: string])[]
}
