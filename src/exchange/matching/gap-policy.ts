import type { Side } from '../../model/side.js'
import type { UnknownBookPeriod } from '../market/market-participant.js'
import type { QueueModel } from './queue-model.js'
import type { ExecutionSink } from '../market/resting-order.js'

/** The fate of orders while the book cannot be trusted (exchange rules 6.3). */
export type GapPolicy = 'assumeWorst' | 'cancelAndWait' | 'freeze' | 'halt'

/** The rules for a world's orders in one instrument. */
export interface WorldRules {
  readonly queue: QueueModel
  /** `partial` (exchange rules 2.4, 3, 4) or `whole`: every order fills in one piece, liquidity is never used up. */
  readonly fills: 'partial' | 'whole'
  readonly gaps: GapPolicy
  /** Quantity ahead where nothing is shown: unknown, or 0. */
  readonly notShown: 'unknown' | 'zero'
  /** Smallest part of a quantity that may trade, at the market's scale. */
  lotSize: number
  /** 10^scale of quantities. */
  unit: number
}

/** The events of one instrument that a world receives beside executions. */
export interface RestingOrdersHost extends ExecutionSink {
  bookLost(instrumentId: number, period: UnknownBookPeriod): void
  /** The snapshot that ends a time with an unknown book has been applied and judged. */
  bookRecovered(instrumentId: number, timeNs: number): void
  rescaled(instrumentId: number, priceFactor: number, quantityFactor: number): void
}

/**
 * One price of a world as plain data: its orders by account and own id, and what it left of the level (null: all of
 * it).
 */
export interface WorldLevelState {
  readonly side: Side
  readonly price: number
  readonly available: number | string | null
  readonly orders: readonly (readonly [accountId: string, ownOrderId: string])[]
}
