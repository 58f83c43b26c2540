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
  /** Realised profit so far, fees apart. */
  readonly realized_pnl: string
  /** Unrealised profit of the open positions. */
  readonly unrealized_pnl: string
  /** So far; positive is a cost. */
  readonly fees: string
  /** The distance of equity below its highest sample so far. */
  readonly drawdown: string
}

/** One execution. */
export interface FillRow {
  /** Exchange time of the fill. */
  readonly exchange_ts: bigint
  /** When the client received it; null where the run ended before. */
  readonly ts: bigint | null
  /** Id of the instrument. */
  readonly instrument_id: number
  /** `exchange:code`. */
  readonly instrument: string
  /** Id of the account. */
  readonly account: string
  /** Side of our order. */
  readonly side: Side
  /** Price of the fill. */
  readonly price: string
  /** Quantity of the fill, in the instrument's own unit. */
  readonly qty: string
  /** Maker true, taker false. */
  readonly added_liquidity: boolean
  /** `trade`: a public trade; `shown`: an opposite level; `aggression`: our own; `gap`: the end of a gap. */
  readonly cause: string
  /** In the settlement underlying. */
  readonly value: string
  /** In `fee_underlying`; positive is a cost. */
  readonly fee: string
  /** Code of the underlying of `fee`. */
  readonly fee_underlying: string
  /** Profit that this fill realised, in the settlement underlying, fees apart. */
  readonly realized_pnl: string
  /** Signed position of the account after it; null on spot, which has the two that follow. */
  readonly position: string | null
  /** Spot alone: what the account's fills of the instrument have come to, bought less sold, fees not deducted. */
  readonly net_traded: string | null
  /** Spot alone: what the wallet of the coin held after it. */
  readonly wallet: string | null
  /** Id of the fill. */
  readonly own_fill_id: string
  /** Id of its order, from the client. */
  readonly own_order_id: string
  /**
   * Mid less price (buys) or price less mid (sells) that long after the client received it; null where not measured.
   */
  readonly mark_out_100ms: string | null
  /** The same after 1 s. */
  readonly mark_out_1s: string | null
  /** The same after 10 s. */
  readonly mark_out_10s: string | null
  /** The same after 60 s. */
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
  /** Id of the instrument. */
  readonly instrument_id: number
  /** `exchange:code`. */
  readonly instrument: string
  /** Id of the account. */
  readonly account: string
  /** Id of the client that sent the order. */
  readonly client: string
  /** Side of the order. */
  readonly side: Side
  /** Order type, such as `LIMIT`. */
  readonly type: string
  /** Time in force, such as `GOOD_TILL_CANCEL`. */
  readonly time_in_force: string
  /** True for an order that must not match at once. */
  readonly post_only: boolean
  /** The last that was in force; null for MARKET. */
  readonly price: string | null
  /** Total quantity; null where what was refused is no quantity of the instrument. */
  readonly qty: string | null
  /** Executed quantity, in the instrument's own unit. */
  readonly executed_qty: string
  /** PENDING_NEW: not answered when the run ended. */
  readonly state: string
  /** Public quantity ahead when it last came to rest; null where it never did, or unknown. */
  readonly quantity_ahead: string | null
  /** True where a time with an unknown book touched it (exchange rules 6.1). */
  readonly touched_by_gap: boolean
  /** Type of the error that ended it; null where none did. */
  readonly error_type: string | null
  /** `INTERNAL` or `EXCHANGE`; null without an error. */
  readonly error_source: string | null
  /** Id from the client, the same over amendments. */
  readonly own_order_id: string
  /** Id from the client, of its last terms. */
  readonly client_order_id: string
  /** Id from the exchange; null where it never accepted the order. */
  readonly exchange_order_id: string | null
  /** Own id of the order that it replaces. */
  readonly replaces: string | null
}
