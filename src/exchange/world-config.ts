import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import type { EngineSwitches } from './matching/assumptions.js'
import type { OrderLatency } from '../model/order-latency.js'
import type { QueueModel } from './matching/queue-model.js'
import type { AccountConfig } from './accounts/account-config.js'
import type { PlannedAction } from './accounts/corporate-actions.js'
import type { PlannedFault } from './adapter/fault-plan.js'
import type { WorldMoney } from './accounts/world-money.js'
import type { UnknownBookPeriod } from './market/market-participant.js'
import type { GapPolicy } from './matching/gap-policy.js'

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
}

/** Where a gap ended a world (gap policy `halt`). */
export interface WorldHalt {
  readonly instrumentId: number
  readonly timeNs: number
  readonly reason: UnknownBookPeriod['reason']
}
