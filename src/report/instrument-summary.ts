/* The part of a summary that is orders and fills, by account and instrument. */

/**
 * Where the market stood a while after the client received fills, signed so that above 0 is good for us; per unit of
 * quantity.
 */
export interface MarkOutSummary {
  /** Local time after the client received the fill, nanoseconds. */
  readonly horizonNs: number
  /**
   * Fills that were measured: the run went on for so long, and both sides were there. Formula: rows of `fills` of the
   * instrument with a `mark_out` of the horizon.
   */
  readonly measuredCount: number
  /**
   * Mid less price for buys, price less mid for sells, weighted by quantity, rounded half-even to 18 decimals; null
   * where none was measured. Formula: sum of `mark_out` x `qty` / sum of `qty`.
   */
  readonly mean: string | null
}

/** The counts of orders by their end. */
export interface OrderCounts {
  /** Number of orders, discarded ones included. Formula: rows of `orders`. */
  readonly orderCount: number
  /** Number of orders that the exchange accepted. Formula: rows of `orders` with `accepted_ts`. */
  readonly acceptedCount: number
  /**
   * By the state at the end, in the order of the states' names: FILLED, CANCELED, REJECTED, DISCARDED; CONFIRMED and
   * PENDING_NEW were open. Formula: rows of `orders` by `state`.
   */
  readonly byState: Readonly<Record<string, number>>
  /** Number of orders that were open at the end of the run. Formula: rows of `orders` without `ended_ts`. */
  readonly openAtEndCount: number
  /**
   * Orders that a time with an unknown book touched (exchange rules 6.1); null over sockets, where the exchange alone
   * knows it. Formula: rows of `orders` with `touched_by_gap`.
   */
  readonly touchedByGapCount: number | null
  /**
   * Accepted orders with a fill, part of all accepted; null where none was. Formula: rows with `accepted_ts` and
   * `executed_qty` above 0 / `acceptedCount`.
   */
  readonly filledOrderShare: number | null
}

/** The result of one account in one instrument; money in the settlement underlying unless a field says otherwise. */
export interface InstrumentSummary {
  /** Id of the instrument. */
  readonly instrumentId: number
  /** `exchange:code`. */
  readonly instrument: string
  /** Id of the account. */
  readonly accountId: string
  /** Where profit is settled. */
  readonly underlying: string
  /** Signed; long above 0; null on spot. Formula: sum of `qty` of `fills`, BID less ASK; 0 after a settlement. */
  readonly position: string | null
  /**
   * Spot alone, in the place of a position: what the fills have come to, bought less sold, fees not deducted. Absent
   * else. Formula: sum of `qty` of `fills`, BID less ASK.
   */
  readonly netTraded?: string
  /**
   * Spot alone: what the wallet of the coin holds at the end, start balance, fees and loans included. Absent else.
   * Formula: `cashBalance` of the coin in `wallets`.
   */
  readonly wallet?: string
  /**
   * Extremes of the position, on spot of what the fills have come to. Formula: least of 0 and `position` (spot:
   * `net_traded`) of `fills`.
   */
  readonly lowestPosition: string
  /** Greatest position, as `lowestPosition`. Formula: greatest of 0 and `position` (spot: `net_traded`) of `fills`. */
  readonly highestPosition: string
  /**
   * Of what is open; null where nothing is. Formula: the price at which the open quantity has the value that its fills
   * had: a fill that opens adds its `value`, one that closes takes out the part of its quantity in what is open.
   */
  readonly averageEntryPrice: string | null
  /**
   * The price by which an open position is valued (exchange rules 8.2); null where nothing was ever known. Formula: the
   * mark, else the mid that the client saw at the end of the run, else the last of them.
   */
  readonly markPrice: string | null
  /** The mark price, else the mid, else the last of them that was known (on spot: at a sample of equity). */
  readonly markedBy: 'mark' | 'mid' | 'earlier' | 'nothing'
  /**
   * Realised profit, fees apart. Formula: sum of `realized_pnl` of `fills`, and of `amount` of settlements among
   * `moneyEvents`.
   */
  readonly realizedPnl: string
  /** 0 where nothing marks it. Formula: sum of `gross_profit` of `round-trips`, less `realizedPnl`. */
  readonly unrealizedPnl: string
  /**
   * By code of the underlying; positive is a cost. Formula: sum of `fee` of `fills` by `fee_underlying`, and of `fees`
   * of `moneyEvents`.
   */
  readonly fees: Readonly<Record<string, string>>
  /**
   * Realised and unrealised profit less the fees that are paid in the settlement underlying. Formula: `realizedPnl` +
   * `unrealizedPnl` - `fees` in `underlying`.
   */
  readonly profit: string
  /** Value of all fills. Formula: sum of `value` of `fills` without its sign. */
  readonly turnover: string
  /** Number of fills. Formula: rows of `fills`. */
  readonly fillCount: number
  /** Fills that ended a gap (exchange rules 6.3); null over sockets. Formula: rows of `fills` with `cause` gap. */
  readonly gapFillCount: number | null
  /**
   * Fills while the depth book was crossed with itself (exchange rules 6.5). Formula: rows of `fills` at whose
   * exchange time a line of depth had left the book crossed, and none had uncrossed it.
   */
  readonly crossedFillCount: number
  /**
   * Value of the fills that added liquidity, part of the value of all; null where that is 0. Formula: sum of `value`
   * without its sign of the rows of `makerFillCount` / `turnover`.
   */
  readonly makerShare: number | null
  /** Number of the fills that added liquidity. Formula: rows of `fills` with `added_liquidity`. */
  readonly makerFillCount: number
  /**
   * Executed quantity, part of the quantity of accepted orders; null where none was. Formula: sum of `executed_qty` /
   * sum of `qty` of the rows of `orders` with `accepted_ts`.
   */
  readonly fillRatio: number | null
  /** Numbers of its orders by their ends. */
  readonly orders: OrderCounts
  /**
   * Orders that came to rest with a known queue position, and the mean quantity ahead of them then, rounded to 18
   * decimals; null over sockets. Formula: rows of `orders` with `quantity_ahead`.
   */
  readonly queuedCount: number | null
  /**
   * Mean quantity ahead of those orders; null where none was counted. Formula: sum of `quantity_ahead` / `queuedCount`.
   */
  readonly meanQuantityAhead: string | null
  /** Over all accounts, since they look at the instrument. */
  readonly markOuts: readonly MarkOutSummary[]
}
