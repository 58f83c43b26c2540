import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { EngineSwitches, GapPolicy, RestingState } from './matching/assumptions.js'
import type { OrderLatency } from '../model/order-latency.js'
import type { QueueModel } from './matching/queue-model.js'
import type { AccountConfig, AccountSums } from './accounts/account-config.js'
import type { PlannedAction } from './accounts/corporate-actions.js'
import type { PlannedFault } from './adapter/fault-plan.js'
import type { WorldMoney } from './accounts/world-money.js'
import type { UnknownBookPeriod } from './market/unknown-book-time.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { IdCounters } from './matching/order-ids.js'
import type { ExecutionCause } from './market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { PostedFill } from './accounts/account.js'
import type { OrderReport } from '../model/order.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import type { OrderRowList, OrderTable, OrderTableState } from '../orders/order-table.js'
import type { OpenOrderState } from './open-orders.js'
import type { FundingAndMarginState } from './accounts/money-event.js'
import type { Fill } from '../venue/account-messages.js'
import type { LatencyQueueState } from './adapter/order-latency.js'
import type { MoneyObserver } from './risk/money-observer.js'
import type { HeldRequest } from './waiting-requests.js'
import type { AdapterState } from './adapter/adapter-order-index.js'
import type { GateState } from './adapter/adapter-gate.js'
import type { ConditionsState } from './matching/conditional-orders.js'

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
  /**
   * Local less exchange-side time of the latest line received of an instrument, for latencies that go by it; 0 where
   * absent.
   */
  readonly receivedLatencyNs?: (instrumentId: number) => number
  /** The failures of the venue, with their times; default none. */
  readonly faults?: readonly PlannedFault[]
  /** Splits and dividends; default none. */
  readonly corporateActions?: readonly PlannedAction[]
  /** The table of the world's orders, where a recorder looks at it as well; default one of its own. */
  readonly orders?: OrderTable
}

/** Where a gap ended a world (gap policy `halt`). */
export interface WorldHalt {
  readonly instrumentId: number
  readonly timeNs: number
  readonly reason: UnknownBookPeriod['reason']
}

/** Receives everything that a world's adapter sends and gets, in order; times are local. */
export interface WorldObserver extends MoneyObserver {
  /** `rows` are those of the orders that a request places. */
  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string, rows: OrderRowList): void
  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string, origin: MessageOrigin): void
  /**
   * An instrument in which the world has open interest has an unknown book, or a known one again; exchange-side
   * times (exchange rules 6.1). `isMet`: its book was unknown before, and an order has come there now.
   */
  bookLost?(instrumentId: number, period: UnknownBookPeriod, isMet: boolean): void
  bookRecovered?(instrumentId: number, timeNs: number): void
  /** An execution at the exchange, with its order as it stands then. */
  executed?(order: OrderAtExchange, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
  /**
   * The same execution, posted: as the client will receive it, and its row in the fills of the table of orders. After
   * {@link executed}, before {@link changed}.
   */
  filled?(order: OrderAtExchange, fill: Fill, posted: PostedFill, cause: ExecutionCause, row: number): void
  /**
   * An order as the exchange now has it: accepted, amended, executed or over. The record is the exchange's own and will
   * change; its quantities are integers at `quantityScale`, the market's.
   */
  changed?(order: OrderAtExchange, report: OrderReport, quantityScale: number): void
  /**
   * An account of a client has come to 0, which ends it (exchange rules 8.6): between callbacks, at the instant at
   * which it did.
   */
  stopped?(clientId: string, timeNs: number, reason: string): void
}

/** Where a client's channel stands. */
export interface ChannelState {
  readonly accountId: string
  readonly clientId: string
  /** See {@link Addressee}; left out for 0. */
  readonly login?: number
  readonly requests: LatencyQueueState
  readonly responses: LatencyQueueState
  /** The messages of the exchange while the adapter was not connected. */
  readonly held: readonly HeldMessage[]
}

/** A message of the exchange that waits for its client to be connected. */
export interface HeldMessage {
  readonly message: ClientMessage
  readonly origin: MessageOrigin
}

/** Open orders, id counters and waiting requests of a world as plain data. */
export interface HandlerState {
  readonly open: readonly OpenOrderState[]
  readonly ids: IdCounters
  readonly held: readonly HeldRequest[]
}

/** A world as plain data. What is on its way lies in the pass's agenda. */
export interface WorldState {
  readonly sequence: number
  readonly orders: OrderTableState
  readonly halt: WorldHalt | null
  /** True where its data have ended (exchange rules 1.6). */
  readonly hasEnded: boolean
  readonly accounts: readonly (readonly [accountId: string, sums: AccountSums])[]
  readonly adapters: readonly (readonly [accountId: string, memory: AdapterState])[]
  /** Windows of rate limits by account. */
  readonly gates: readonly (readonly [accountId: string, state: GateState])[]
  readonly handler: HandlerState
  readonly money: FundingAndMarginState
  readonly channels: readonly ChannelState[]
  readonly instruments: readonly (readonly [
    instrumentId: number,
    orders: RestingState,
    conditions: ConditionsState,
  ])[]
}
