import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type {
  AccountState, AmendEntry, AmendResult, CancelAllRequest, CancelAllResponse, CancelEntry, CancelResult, CorporateAction, Fill, FillContextEntry, FillContextResult, IsolatedPosition,
  OrderContextEntry, OrderContextResult, PlaceEntry, PlaceResult, Position, RateLimitLoad, ReplaceEntry, ReplaceResult, UsdAmount,
  Wallet,
} from '../venue/messages.js'
import type { OrderReport } from '../model/order.js'
import type { EngineSwitches } from './matching/assumptions.js'
import type { OrderLatency } from './adapter/order-latency.js'
import type { QueueModel } from './matching/queue-model.js'
import type { PostedFill } from './accounts/account.js'
import type { AccountConfig, AccountSums } from './accounts/account-config.js'
import type { GateState } from './adapter/adapter-gate.js'
import type { AdapterState } from './adapter/adapter-order-index.js'
import type { ConditionsState } from './matching/conditional-orders.js'
import type { UntimedMessage } from './fill-messages.js'
import type { PlannedAction } from './accounts/corporate-actions.js'
import type { Fault } from './adapter/fault-plan.js'
import type { MoneyDeskState, MoneyEvent } from './accounts/money-event.js'
import type { WorldMoney } from './accounts/world-money.js'
import type { BlindPeriod } from './market/market-participant.js'
import type { ExchangeOrderRecord, ExecutionCause } from './market/resting-order.js'
import type { GapPolicy, WorldLevelState } from './matching/gap-policy.js'

/** The assumptions of a world. */
export interface WorldAssumptions {
  readonly queue: QueueModel
  readonly fills: 'partial' | 'whole'
  readonly gaps: GapPolicy
  readonly requestLatency: OrderLatency
  readonly responseLatency: OrderLatency
  readonly seed: number
  readonly switches: EngineSwitches
}

/** A world: one run instance over a shared market. */
export interface WorldConfig {
  readonly number: number
  readonly assumptions: WorldAssumptions
  readonly accounts: readonly AccountConfig[]
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Rates, ends and outcomes that are declared; default none. */
  readonly money?: WorldMoney
  /** Local less exchange-side time of the latest line heard of an instrument, for latencies that go by it; 0 where absent. */
  readonly heardLatencyNs?: (instrumentId: number) => number
  /** What goes wrong, and when; default nothing. */
  readonly faults?: readonly Fault[]
  /** Splits and dividends; default none. */
  readonly corporateActions?: readonly PlannedAction[]
}

/** A request as it travels, plain data. */
export type OrderRequest =
  | { readonly kind: 'place'; readonly entries: readonly PlaceEntry[] }
  | { readonly kind: 'amend'; readonly entries: readonly AmendEntry[] }
  | { readonly kind: 'replace'; readonly entries: readonly ReplaceEntry[] }
  | { readonly kind: 'cancel'; readonly entries: readonly CancelEntry[] }
  | ({ readonly kind: 'cancelAll' } & CancelAllRequest)

/** A request that the adapter answers itself. */
export type ContextRequest =
  | { readonly kind: 'orderContext'; readonly entries: readonly OrderContextEntry[] }
  | { readonly kind: 'fillContext'; readonly entries: readonly FillContextEntry[] }

/** Everything that a client may ask. */
export type ClientRequest = OrderRequest | ContextRequest

/** What the adapter says to a client, plain data. */
export type ClientMessage =
  | { readonly kind: 'placeResponse'; readonly results: readonly PlaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'amendResponse'; readonly results: readonly AmendResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'replaceResponse'; readonly results: readonly ReplaceResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelResponse'; readonly results: readonly CancelResult[]; readonly adapterTimeNs: number }
  | { readonly kind: 'cancelAllResponse'; readonly response: CancelAllResponse; readonly adapterTimeNs: number }
  | { readonly kind: 'orderUpdate'; readonly orders: readonly OrderReport[]; readonly adapterTimeNs: number }
  | { readonly kind: 'fill'; readonly fills: readonly Fill[]; readonly adapterTimeNs: number }
  | { readonly kind: 'positionUpdate'; readonly positions: readonly Position[]; readonly isolatedPositions?: readonly IsolatedPosition[]; readonly adapterTimeNs: number }
  | {
    readonly kind: 'walletUpdate'
    readonly wallets: readonly Wallet[]
    readonly maintenanceMargin?: readonly UsdAmount[]
    readonly totalBalances?: readonly UsdAmount[]
    readonly adapterTimeNs: number
  }
  | { readonly kind: 'orderContextResponse'; readonly results: readonly OrderContextResult[] }
  | { readonly kind: 'fillContextResponse'; readonly results: readonly FillContextResult[] }
  | { readonly kind: 'rateLimitLoad'; readonly loads: readonly RateLimitLoad[]; readonly adapterTimeNs: number }
  | { readonly kind: 'accountStatus'; readonly state: AccountState }
  | { readonly kind: 'corporateAction'; readonly action: CorporateAction; readonly adapterTimeNs: number }

/** What the exchange does of its own accord at an instant, after the feed and the requests of that instant (exchange rules 1.3). */
export type InternalTask =
  /** Stop orders whose trigger was reached enter; pegged orders follow their reference; `closeOnly` orders grow with their position (exchange rules 7.1, 7.2, 7.4). */
  | { readonly kind: 'conditions', readonly instrumentId: number }
  /** Funding of every position in an instrument (exchange rules 8.1). */
  | { readonly kind: 'funding'; readonly instrumentId: number }
  /** Looks whether an account's positions are to be liquidated (exchange rules 8.3). */
  | { readonly kind: 'judge'; readonly accountId: string }
  /** A full hour of what an account has borrowed. */
  | { readonly kind: 'interest'; readonly accountId: string }
  /** The contract of an instrument ends. */
  | { readonly kind: 'expiry'; readonly instrumentId: number }
  /** A corporate action of the plan, by its place there. */
  | { readonly kind: 'corporateAction'; readonly number: number }

/** An entry of the agenda: a request of a client, a message for it, or a task of the exchange. */
export type WorldMessage =
  | { readonly way: 'request'; readonly accountId: string; readonly clientId: string; readonly request: OrderRequest }
  | { readonly way: 'response'; readonly accountId: string; readonly clientId: string; readonly message: ClientMessage }
  | { readonly way: 'internal'; readonly task: InternalTask }
  /** The adapter's own word: it needs no connection to the exchange. */
  | { readonly way: 'notice'; readonly accountId: string; readonly clientId: string; readonly message: ClientMessage }
  /** An account of a client has come to 0 (exchange rules 8.6). */
  | { readonly way: 'stop'; readonly accountId: string; readonly clientId: string; readonly reason: string }
  /** The status of an account may have changed; a window of its rate limits is over. */
  | { readonly way: 'status' | 'window'; readonly accountId: string }
  /** What is published later than its cause. */
  | { readonly way: 'late'; readonly accountId: string; readonly instrumentId: number; readonly message: UntimedMessage }

/** A request that waits for a snapshot (gap policy `freeze`). */
export interface HeldRequest {
  readonly clientId: string
  readonly accountId: string
  readonly instrumentId: number
  readonly request: OrderRequest
}

/** An order as JSON holds it: unknown quantities are null. */
export type RestingOrderState = Omit<ExchangeOrderRecord, 'quantityAhead' | 'entryQuantityAhead'> & {
  readonly quantityAhead: number | null
  readonly entryQuantityAhead: number | null
}

/** Open orders, id counters and waiting requests of a world as plain data. */
export interface HandlerState {
  readonly open: readonly RestingOrderState[]
  readonly ids: readonly (readonly [key: string, count: number])[]
  readonly held: readonly HeldRequest[]
}

/** Where a client's channel stands. */
export interface ChannelState {
  readonly accountId: string
  readonly clientId: string
  readonly requests: LaneState
  readonly responses: LaneState
  /** What the exchange said while the adapter was not connected. */
  readonly held: readonly ClientMessage[]
}

/** One direction of a channel: how many messages it carried, and the latest arrival (null: none yet). */
export interface LaneState {
  readonly count: number
  readonly lastArrivalNs: number | null
  readonly lastInstrumentId: number
}

/** A world as plain data. What is on its way lies in the pass's agenda; numbers that JSON cannot hold are null. */
export interface WorldState {
  readonly sequence: number
  readonly halt: WorldHalt | null
  /** Whether its data have ended (exchange rules 1.6). */
  readonly hasEnded: boolean
  readonly accounts: readonly (readonly [accountId: string, sums: AccountSums])[]
  readonly adapters: readonly (readonly [accountId: string, memory: AdapterState])[]
  /** Windows of rate limits by account. */
  readonly gates: readonly (readonly [accountId: string, state: GateState])[]
  readonly handler: HandlerState
  readonly money: MoneyDeskState
  readonly channels: readonly ChannelState[]
  readonly instruments: readonly (readonly [instrumentId: number, levels: readonly WorldLevelState[], conditions: ConditionsState])[]
}

/** Where a gap ended a world (gap policy `halt`). */
export interface WorldHalt {
  readonly instrumentId: number
  readonly timeNs: number
  readonly reason: BlindPeriod['reason']
}

/** Hears everything that a world's adapter sends and gets, in order; times are local. */
export interface WorldObserver {
  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string): void
  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void
  /**
   * An instrument in which the world has something at stake went blind, or is seen again; exchange-side times (exchange rules 6.1). `isMet`: it has been
   * blind before, and an order has come there now.
   */
  blinded?(instrumentId: number, period: BlindPeriod, isMet: boolean): void
  sighted?(instrumentId: number, timeNs: number): void
  /** An execution at the exchange, with its order as it stands then. */
  executed?(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
  /** The same execution, posted: as the client will hear it. After {@link executed}, before {@link changed}. */
  filled?(order: ExchangeOrderRecord, fill: Fill, posted: PostedFill, cause: ExecutionCause): void
  /**
   * An order as the exchange now has it: accepted, amended, executed or over. The record is the exchange's own and will change;
   * its quantities are `quantityFactor` times those of the report.
   */
  changed?(order: ExchangeOrderRecord, report: OrderReport, quantityFactor: number): void
  /** Money moved without an order: at the exchange, in its time. */
  money?(event: MoneyEvent): void
  /** An account of a client has come to 0, which ends it (exchange rules 8.6): between callbacks, at the instant at which it did. */
  stopped?(clientId: string, timeNs: number, reason: string): void
}
