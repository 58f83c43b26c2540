import type { SameStamp } from '../../model/exchange-order.js'
import type { Side } from '../../model/side.js'
import type { UnknownBookPeriod } from '../market/unknown-book-time.js'
import type { ExchangeTop, MarketRules } from '../market/touch-book.js'
import type { QueueModel } from './queue-model.js'

/**
 * Where a rule of the engine may be switched for comparison with other simulators. The defaults are the exchange rules.
 */
export interface EngineSwitches {
  /** A request that would meet the account's own resting order (rule 3.5): refused, or let through without a match. */
  readonly selfTrade: 'reject' | 'ignore'
  /** `postOnly` that would cross (rule 4.2): refused by EXCHANGE, or accepted and CANCELED at once. */
  readonly crossingPostOnly: 'reject' | 'expire'
  /** Quantity ahead at a price that is not shown (rule 3.1): unknown until it is shown, or 0. */
  readonly notShown: 'unknown' | 'zero'
}

/** The exchange rules as they stand. */
export const RULE_SWITCHES: EngineSwitches = { selfTrade: 'reject', crossingPostOnly: 'reject', notShown: 'unknown' }

/** The values that an assumption preset fixes; queue model, latencies and seed stay the caller's. */
export interface AssumptionPreset {
  readonly name: string
  readonly exchangeTop: ExchangeTop
  readonly sameStamp: SameStamp
  readonly market: MarketRules
  readonly fills: 'partial' | 'whole'
  readonly switches: EngineSwitches
}

/**
 * hftbacktest 2.4.4's no-partial-fill exchange in terms of this engine. Fills `whole` brings with it: unlimited
 * liquidity at the best opposite price, trade rows that are not shared out between own orders, a fill only when at
 * least half a lot traded beyond the quantity ahead, and fills by a crossing book only when a best improves.
 */
export const HFTBACKTEST_PRESET: AssumptionPreset = {
  name: 'hftbacktest',
  exchangeTop: 'depth',
  sameStamp: 'file',
  market: { gaps: 'ignored', snapshots: 'rows' },
  fills: 'whole',
  switches: { selfTrade: 'ignore', crossingPostOnly: 'expire', notShown: 'zero' },
}

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

/** Receives the times without a book of the instruments in which a world has open interest. */
export interface GapSink {
  bookLost(instrumentId: number, period: UnknownBookPeriod): void
  /** The snapshot that ends a time with an unknown book has been applied and judged. */
  bookRecovered(instrumentId: number, timeNs: number): void
}

/** Receives finer digits of an instrument: everything held of it is to be multiplied. */
export interface ScaleSink {
  rescaled(instrumentId: number, priceFactor: number, quantityFactor: number): void
}

/** The resting orders of a world on one instrument, plain data. */
export interface RestingState {
  /** Their places among the open orders: of each side the best price first, then queue order. */
  readonly resting: readonly number[]
  /** Levels of which it took something, and what it may still take. */
  readonly taken: readonly { readonly side: Side; readonly price: number; readonly available: number }[]
}
