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
  /**
   * `trade`: a public trade; `shown`: an opposite level; `aggression`: our own; `gap`: the end of a gap; null in a run
   * over sockets, where the protocol does not say it.
   */
  readonly cause: string | null
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
  /** Mid as the client saw it when it sent the price that was filled; null where a side was empty. */
  readonly arrival_mid: string | null
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
  /** True where a time with an unknown book touched it (exchange rules 6.1); null in a run over sockets. */
  readonly touched_by_gap: boolean | null
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
  /** Mid as the client saw it when it sent the order, or the last change of its price; null where a side was empty. */
  readonly arrival_mid: string | null
}

/**
 * A quantity from its opening to its closing, matched first in, first out within its account, instrument and leg; or
 * what was open when the run ended, as its last rows. Fills that close several lots are several rows.
 */
export interface RoundTripRow {
  /** Exchange time of the fill that opened it. */
  readonly entry_ts: bigint
  /** Exchange time of its end; null where it was open at the end of the run. */
  readonly exit_ts: bigint | null
  /** Time between them, nanoseconds; to the end of the run where it was open. */
  readonly holding_ns: bigint
  /** Id of the instrument. */
  readonly instrument_id: number
  /** `exchange:code`. */
  readonly instrument: string
  /** Id of the account. */
  readonly account: string
  /** `net`, or the isolated `long` or `short` position. */
  readonly leg: string
  /** BID for what was bought first, ASK for what was sold first. */
  readonly side: Side
  /** In the instrument's own unit. */
  readonly qty: string
  /** Price of the fill that opened it; after a split what its value comes to. */
  readonly entry_price: string
  /** Price at which it ended; where it was open the price that values it, null where nothing does. */
  readonly exit_price: string | null
  /** Code of the settlement underlying: profit, fees and excursions are in it. */
  readonly underlying: string
  /** Gross profit less fees; funding is in no round trip. */
  readonly profit: string
  /** Value at its end against value at its begin; unrealised where it was open. */
  readonly gross_profit: string
  /** Its shares of the fees of both ends, as far as they were paid in `underlying`; positive is a cost. */
  readonly fees: string
  /** The same of fees that were paid in `other_fee_underlying`: no part of `profit`. */
  readonly other_fees: string
  /** Code of the underlying of `other_fees`; null where fees are paid in `underlying`. */
  readonly other_fee_underlying: string | null
  /** Highest of entry, exit, and the valuation price (mark, else mid) at whole seconds between them. */
  readonly high_price: string
  /** The lowest of the same. */
  readonly low_price: string
  /** The greatest gross profit that it had at those prices, 0 or above. */
  readonly favorable_excursion: string
  /** The greatest gross loss that it had at those prices, 0 or above. */
  readonly adverse_excursion: string
  /** True where it was open at the end of the run: no round trip. */
  readonly is_open: boolean
  /** `fill`, `liquidation`, `settlement`, `split`, or `open`. */
  readonly exit: string
  /** Own id of the fill that opened it; null for the fraction of a split. */
  readonly entry_fill_id: string | null
  /** Own id of the fill that closed it; null where no fill did. */
  readonly exit_fill_id: string | null
}

/** One underlying in one hour or day in UTC, over all accounts; the first and the last may be shorter. */
export interface PeriodRow {
  /** Begin of the whole hour or day. What happens at the very end of a period belongs to it. */
  readonly ts: bigint
  /** Code of the underlying; the amounts are in it. */
  readonly underlying: string
  /** Equity at the end less equity at the begin. */
  readonly profit: string
  /** Profit realised in it, fees apart. */
  readonly realized_pnl: string
  /** Change of the unrealised profit. */
  readonly unrealized_pnl: string
  /** Positive is a cost. */
  readonly fees: string
  /** Funding and dividends received less paid, less interest. */
  readonly flows: string
  /** The part of `flows` that is funding. */
  readonly funding: string
  /** Value of all fills. */
  readonly turnover: string
  /** Number of fills that were settled in the underlying. */
  readonly fills: number
  /** At the end. */
  readonly equity: string
  /** The deepest that a sample of equity in it lay below the highest of the run so far. */
  readonly drawdown: string
  /** Profit over equity at the begin; null where that was not above 0. */
  readonly return: number | null
  /** Part of it that the data cover (`sampling.covered` of the summary); below 0.5 it is no sample of the ratios. */
  readonly covered: number
}
