import type { Side } from '../model/side.js'

/*
 * The rows of a result's tables. Times are epoch nanoseconds; prices, quantities and money exact decimal texts; a
 * column's name is that of the exports.
 */

/** Equity of one underlying at one sampled instant, over all accounts. */
export interface EquityRow {
  /** Local time. */
  readonly ts: bigint
  /** Code of the underlying; the amounts are in it. */
  readonly underlying: string
  /** Starting balance, realised and unrealised profit, less fees. */
  readonly equity: string
  readonly realized_pnl: string
  readonly unrealized_pnl: string
  /** So far; positive is a cost. */
  readonly fees: string
  /** How far equity lies below its highest sample so far. */
  readonly drawdown: string
}

/** One execution. */
export interface FillRow {
  readonly exchange_ts: bigint
  /** When the client heard of it; null where the run ended before. */
  readonly ts: bigint | null
  readonly instrument_id: number
  /** `exchange:code`. */
  readonly instrument: string
  readonly account: string
  readonly side: Side
  readonly price: string
  readonly qty: string
  /** Maker true, taker false. */
  readonly added_liquidity: boolean
  /** `trade`: a public trade; `shown`: an opposite level; `aggression`: our own; `gap`: the end of a gap. */
  readonly cause: string
  /** In the settlement underlying. */
  readonly value: string
  /** In `fee_underlying`; positive is a cost. */
  readonly fee: string
  readonly fee_underlying: string
  /** Profit that this fill realised, in the settlement underlying, fees apart. */
  readonly realized_pnl: string
  /** Signed position of the account after it; null on spot, which has the two that follow. */
  readonly position: string | null
  /** Spot alone: what the account's fills of the instrument have come to, bought less sold, fees not deducted. */
  readonly net_traded: string | null
  /** Spot alone: what the wallet of the coin held after it. */
  readonly wallet: string | null
  readonly own_fill_id: string
  readonly own_order_id: string
  /**
   * Mid less price (buys) or price less mid (sells) that long after the client heard of it; null where not measured.
   */
  readonly mark_out_100ms: string | null
  readonly mark_out_1s: string | null
  readonly mark_out_10s: string | null
  readonly mark_out_60s: string | null
}

/** One order from its sending to its end, or to the end of the run. */
export interface OrderRow {
  /** When its client sent it. */
  readonly ts: bigint
  /** Exchange time; null where it was never accepted. */
  readonly accepted_ts: bigint | null
  /** Exchange time (local for what the exchange never saw); null where it was open when the run ended. */
  readonly ended_ts: bigint | null
  readonly instrument_id: number
  /** `exchange:code`. */
  readonly instrument: string
  readonly account: string
  readonly client: string
  readonly side: Side
  readonly type: string
  readonly time_in_force: string
  readonly post_only: boolean
  /** The last that was in force; null for MARKET. */
  readonly price: string | null
  /** Total quantity; null where what was refused is no quantity of the instrument. */
  readonly qty: string | null
  readonly executed_qty: string
  /** PENDING_NEW: not answered when the run ended. */
  readonly state: string
  /** Public quantity ahead when it last came to rest; null where it never did, or unknown. */
  readonly quantity_ahead: string | null
  /** Whether a blind period touched it (exchange rules 6.1). */
  readonly touched_by_gap: boolean
  readonly error_type: string | null
  readonly error_source: string | null
  readonly own_order_id: string
  readonly client_order_id: string
  readonly exchange_order_id: string | null
  /** Own id of the order that it replaces. */
  readonly replaces: string | null
}
