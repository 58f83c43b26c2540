import type { ExchangeTop } from '../market/touch-book.js'
import type { MarketRules } from '../market/snapshot-policy.js'

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
  market: { gaps: 'ignored', snapshots: 'rows' },
  fills: 'whole',
  switches: { selfTrade: 'ignore', crossingPostOnly: 'expire', notShown: 'zero' },
}
