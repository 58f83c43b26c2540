import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type {
  AmendEntry, AmendResult, CancelAllRequest, CancelAllResponse, CancelEntry, CancelResult, Fill, PlaceEntry, PlaceResult, Position, ReplaceEntry, ReplaceResult, Wallet,
} from '../venue/messages.js'
import type { OrderReport } from '../model/order.js'
import type { FeeSchedule } from './fees.js'
import type { OrderLatency } from './order-latency.js'
import type { QueueModel } from './queue-model.js'
import type { GapPolicy } from './world-orders.js'

/** One account of a world: it belongs to one exchange (exchange rules 8.5). */
export interface AccountConfig {
  readonly accountId: string
  readonly exchangeCode: string
  /** Starting cash by underlying id, decimal texts. */
  readonly balances: ReadonlyMap<number, string>
  readonly fees: FeeSchedule
}

/** The assumptions of a world. */
export interface WorldAssumptions {
  readonly queue: QueueModel
  readonly fills: 'partial' | 'whole'
  readonly gaps: GapPolicy
  readonly requestLatency: OrderLatency
  readonly responseLatency: OrderLatency
  readonly seed: number
}

/** A world: one run instance over a shared market. */
export interface WorldConfig {
  readonly number: number
  readonly assumptions: WorldAssumptions
  readonly accounts: readonly AccountConfig[]
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

/** A request as it travels, plain data. */
export type OrderRequest =
  | { readonly kind: 'place'; readonly entries: readonly PlaceEntry[] }
  | { readonly kind: 'amend'; readonly entries: readonly AmendEntry[] }
  | { readonly kind: 'replace'; readonly entries: readonly ReplaceEntry[] }
  | { readonly kind: 'cancel'; readonly entries: readonly CancelEntry[] }
  | ({ readonly kind: 'cancelAll' } & CancelAllRequest)

/** What the adapter says to a client, plain data. */
export type ClientMessage =
  | { readonly kind: 'placeResponse'; readonly results: readonly PlaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'amendResponse'; readonly results: readonly AmendResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'replaceResponse'; readonly results: readonly ReplaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelResponse'; readonly results: readonly CancelResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelAllResponse'; readonly response: CancelAllResponse; readonly adapterTimeNs: number }
  | { readonly kind: 'orderUpdate'; readonly orders: readonly OrderReport[]; readonly adapterTimeNs: number }
  | { readonly kind: 'fill'; readonly fills: readonly Fill[]; readonly adapterTimeNs: number }
  | { readonly kind: 'positionUpdate'; readonly positions: readonly Position[]; readonly adapterTimeNs: number }
  | { readonly kind: 'walletUpdate'; readonly wallets: readonly Wallet[]; readonly adapterTimeNs: number }

/** An entry of the agenda: a request of a client, or a message for it. */
export type WorldMessage =
  | { readonly way: 'request'; readonly clientId: string; readonly request: OrderRequest }
  | { readonly way: 'response'; readonly clientId: string; readonly message: ClientMessage }

/** Hears everything that a world's adapter sends and gets, in order; times are local. */
export interface WorldObserver {
  requested(clientId: string, timeNs: number, request: OrderRequest): void
  delivered(clientId: string, timeNs: number, message: ClientMessage): void
}
