import type { LatencyQueueState } from './adapter/latency-queue.js'
import type { ClientMessage } from '../venue/order-messages.js'
import type { ExchangeOrderRecord } from './market/resting-order.js'
import type { HeldRequest } from './waiting-requests.js'
import type { AccountSums } from './accounts/account-config.js'
import type { AdapterState } from './adapter/adapter-order-index.js'
import type { GateState } from './adapter/adapter-gate.js'
import type { FundingAndMarginState } from './accounts/money-event.js'
import type { WorldLevelState } from './matching/gap-policy.js'
import type { ConditionsState } from './matching/conditional-orders.js'
import type { WorldHalt } from './world-config.js'

/** Where a client's channel stands. */
export interface ChannelState {
  readonly accountId: string
  readonly clientId: string
  readonly requests: LatencyQueueState
  readonly responses: LatencyQueueState
  /** The messages of the exchange while the adapter was not connected. */
  readonly held: readonly ClientMessage[]
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

/** A world as plain data. What is on its way lies in the pass's agenda; numbers that JSON cannot hold are null. */
export interface WorldState {
  readonly sequence: number
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
    levels: readonly WorldLevelState[],
    conditions: ConditionsState,
  ])[]
}
