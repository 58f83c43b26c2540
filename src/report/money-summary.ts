/* The part of a summary that is money: what {@link MoneySummary} holds for each underlying, and all in one currency. */

/** The money of one underlying over all accounts of a run; amounts in that underlying. */
export interface MoneySummary {
  /** Id of the underlying. */
  readonly underlyingId: number
  /** Code of the underlying, its id where the data name none. */
  readonly underlying: string
  /** Starting balances. Formula: sum of `balances` of the accounts, 0 where they state none. */
  readonly startEquity: string
  /** Realised profit, fees apart. Formula: sum of `realized_pnl` of `hours`. */
  readonly realizedPnl: string
  /** Unrealised profit of the open positions at the end. Formula: sum of `unrealized_pnl` of `hours`. */
  readonly unrealizedPnl: string
  /**
   * Positive is a cost. Formula: sum of `fee` of `fills` with this `fee_underlying`, and of `fees` of `moneyEvents`.
   */
  readonly fees: string
  /**
   * Funding and dividends received less paid, less interest, and what splits made of coins that no trade had brought.
   * Formula: sum of `flows` of `hours`.
   */
  readonly flows: string
  /**
   * Realised and unrealised profit less fees, and flows. Formula: `realizedPnl` + `unrealizedPnl` - `fees` + `flows`.
   */
  readonly profit: string
  /**
   * Start and profit: for derivatives the cash balance and unrealised profit, for spot with what was bought at its
   * value. Formula: `startEquity` + sum of `profit` of `hours`.
   */
  readonly endEquity: string
  /** Value of all fills. Formula: sum of `value` of `fills` without its sign. */
  readonly turnover: string
  /** The greatest fall of sampled equity. */
  readonly maxDrawdown: DrawdownSummary
  /** Profit as a part of `startEquity`; null where that is not above 0. Formula: `profit` / `startEquity`. */
  readonly return: number | null
  /**
   * Per year, of daily returns from 20 days on, else of hourly ones; null where `returns.notComputed` says why, and
   * where all returns are equal. Formula: mean of r / standard deviation of r x root of `returns.periodsPerYear`; r as
   * in `returns.volatility`.
   */
  readonly sharpe: number | null
  /**
   * Alike, losses alone in the divisor; null without a loss. Formula: mean of r / root of (sum of the squares of r
   * below 0 / n) x root of `returns.periodsPerYear`.
   */
  readonly sortino: number | null
  /** The returns behind these ratios, and what else they say. */
  readonly returns: ReturnsSummary
  /** Round trips by FIFO. */
  readonly roundTrips: RoundTripSummary
  /** Fills against the mids that the client saw when it sent their orders. */
  readonly slippage: SlippageSummary
}

/**
 * Statistics of the returns of equal periods in UTC of which the data cover half or more. A return is the profit of a
 * period over equity at its begin. All null with `notComputed`.
 */
export interface ReturnsSummary {
  /**
   * `day` from 20 days on, else `hour`. Formula: `day` where 20 or more rows of `days` have `covered` of 0.5 or above.
   */
  readonly unit: 'day' | 'hour'
  /**
   * Number of returns. Formula: rows of `days` (`day`) or `hours` (`hour`) with `covered` of 0.5 or above; 0 where one
   * of them has no `return`.
   */
  readonly sampleCount: number
  /**
   * Periods with data or a profit that are left out, as the data cover less than half of them. Formula: rows with
   * `covered` below 0.5, and either `covered` above 0 or a `profit` other than 0, up to the first sample without
   * `return`.
   */
  readonly leftOutCount: number
  /** The scale of ratios: 365 days, or 8760 hours. Formula: 365 (`day`) or 8760 (`hour`). */
  readonly periodsPerYear: number
  /** The reason why nothing is computed; null where it is. */
  readonly notComputed: string | null
  /**
   * Standard deviation per year. Formula: root of (sum of (r - mean of r)^2 / (n - 1)) x root of `periodsPerYear`; r is
   * `return` of the n rows that `sampleCount` counts.
   */
  readonly volatility: number | null
  /**
   * Greatest fall of the compounded returns, a part of the peak. Formula: greatest 1 - w / highest w so far, where w is
   * the product of 1 + r from the begin on, 1 before the first.
   */
  readonly maxDrawdown: number | null
  /**
   * Compounded return per year over `maxDrawdown`; null without a fall. Formula: (w at the end ^ (`periodsPerYear` / n)
   * - 1) / `maxDrawdown`.
   */
  readonly calmar: number | null
  /**
   * Returns above 0, part of those that are not 0; null where all are 0. Formula: number of r above 0 / number of r
   * other than 0.
   */
  readonly winRate: number | null
  /**
   * Sum of the returns above 0 over that of those below; null without a loss. Formula: sum of r above 0 / -(sum of r
   * below 0).
   */
  readonly profitFactor: number | null
}

/** Closed round trips of one settlement underlying; their profit is net of the fees paid in it. */
export interface RoundTripSummary {
  /** Number of closed round trips. Formula: rows of `round-trips` with `is_open` false. */
  readonly count: number
  /** Those with a profit above 0. Formula: of these the rows with `profit` above 0. */
  readonly winCount: number
  /** Those with a profit below 0. Formula: of these the rows with `profit` below 0. */
  readonly lossCount: number
  /**
   * Quantities that were open when the run ended: rows of the table, no round trips. Formula: rows of `round-trips`
   * with `is_open` true.
   */
  readonly openCount: number
  /** Sum of the profits above 0. Formula: sum of `profit` of the rows of `winCount`. */
  readonly wins: string
  /** Sum of the losses, above 0. Formula: -(sum of `profit` of the rows of `lossCount`). */
  readonly losses: string
  /** Wins, part of all closed; null where none was. Formula: `winCount` / `count`. */
  readonly winRate: number | null
  /** `wins` over `losses`; null without a loss. Formula: `wins` / `losses`. */
  readonly profitFactor: number | null
}

/**
 * Fills of one settlement underlying against the arrival mid: the middle of the best prices as the client saw them when
 * it sent the order, its replacement, or the last change of its price that was in force.
 */
export interface SlippageSummary {
  /**
   * Fills that were measured: both sides were there when the order was sent. Formula: rows of `fills` with an
   * `arrival_mid` other than 0.
   */
  readonly measuredCount: number
  /**
   * Value at the price less value at the arrival mid for buys, the reverse for sells: above 0 is a cost. Formula: sum
   * over these rows of s x (`value` - v): v is the value of `qty` at `arrival_mid`, s is 1 for BID and -1 for ASK, the
   * reverse on inverse contracts.
   */
  readonly cost: string
  /**
   * `cost` as a part of the value at the arrival mids; null where none was measured. Formula: `cost` / sum of v without
   * its sign.
   */
  readonly share: number | null
}

/**
 * The money of all underlyings of a run in its currency, fees and flows included: that of `account.currency`, else the
 * settlement underlying of the derivatives that it trades, else the counter of its spot markets; USD where these
 * differ. An amount is null where a part of it has no rate.
 */
export interface TotalSummary {
  /** Code of the currency of the amounts. */
  readonly currency: string
  /** Rates of the other underlyings at the end of the run. */
  readonly rates: readonly TotalRate[]
  /** Codes of underlyings with money of which nothing gives a rate. */
  readonly notValued: readonly string[]
  /** Starting balances. Formula: sum of `startEquity` of `money`, each x its rate, rounded half-even to 18 decimals. */
  readonly startEquity: string | null
  /**
   * Realised and unrealised profit less fees, and flows. Formula: sum of `profit` of `money`, each x its rate, rounded
   * half-even to 18 decimals.
   */
  readonly profit: string | null
  /** Positive is a cost. Formula: sum of `fees` of `money`, each x its rate, rounded half-even to 18 decimals. */
  readonly fees: string | null
  /** Value of all fills. Formula: sum of `turnover` of `money`, each x its rate, rounded half-even to 18 decimals. */
  readonly turnover: string | null
  /** Start and profit. Formula: `startEquity` + `profit`. */
  readonly endEquity: string | null
  /** Profit as a part of `startEquity`; null where that is not above 0. Formula: `profit` / `startEquity`. */
  readonly return: number | null
}

/** The rate by which an underlying counts in a total. */
export interface TotalRate {
  /** Code of the underlying. */
  readonly underlying: string
  /**
   * Worth of one unit in the currency of the total, half-even to 18 decimals; amounts are rounded once. Formula: mid of
   * its market at the end of the run, 1 / mid where the underlying is the counter; of several `markets` the product;
   * `declared` is the rate in USD / that of the currency in USD.
   */
  readonly rate: string
  /** Instruments whose mids it is made of, as the client saw them at the end of the run, else last. */
  readonly markets: readonly string[]
  /** Rates in USD that it is made of, where no instrument gives it. */
  readonly declared: readonly {
    readonly underlying: string
    readonly usd: string
    readonly declaredBy: 'run' | 'data'
    readonly sampledAt?: string
  }[]
}

/** The greatest fall of sampled equity below its highest before. */
export interface DrawdownSummary {
  /**
   * In the underlying, 0 or above. Formula: greatest p - `equity` over the rows of `equity` in steps of
   * `sampling.intervalNs`, p the highest `equity` of a row so far, `startEquity` before the first.
   */
  readonly amount: string
  /** Part of the peak that was lost; null where the peak was not above 0. Formula: `amount` / p. */
  readonly share: number | null
  /** Time of the highest sample before the fall. Formula: `ts` of the last row at p before the fall. */
  readonly from: string
  /** Time of the lowest sample of the fall. Formula: `ts` of the first row at which the fall is `amount`. */
  readonly to: string
}
