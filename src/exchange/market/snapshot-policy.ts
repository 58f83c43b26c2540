/** The rules of a market that are assumptions of the pass. */
export interface MarketRules {
  /** `ignored`: a book is trusted whatever its chain and state say (hftbacktest's way). */
  readonly gaps: 'observed' | 'ignored'
  /**
   * `rows`: a snapshot empties the book and sets its rows; a level that it does not name is no change (hftbacktest's
   * way).
   */
  readonly snapshots: 'difference' | 'rows'
}

/** Exchange rules 2.3 and 6. */
export const MARKET_RULES: MarketRules = { gaps: 'observed', snapshots: 'difference' }
