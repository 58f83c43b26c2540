/* The part of a summary that is money: what {@link MoneySummary} holds for each underlying, and all in one currency. */

/** The money of one underlying over all accounts of a run; amounts in that underlying. */
export interface MoneySummary {
  /** Id of the underlying. */
  readonly underlyingId: number
  /** Code of the underlying, its id where the data name none. */
  readonly underlying: string
  /** Starting balances. */
  readonly startEquity: string
  /** Realised profit, fees apart. */
  readonly realizedPnl: string
  /** Unrealised profit of the open positions at the end. */
  readonly unrealizedPnl: string
  /** Positive is a cost. */
  readonly fees: string
  /**
   * Funding and dividends received less paid, less interest, and what splits made of coins that no trade had brought.
   */
  readonly flows: string
  /** Realised and unrealised profit less fees, and flows. */
  readonly profit: string
  /**
   * Start and profit: for derivatives the cash balance and unrealised profit, for spot with what was bought at its
   * value.
   */
  readonly endEquity: string
  /** Value of all fills. */
  readonly turnover: string
  /** The greatest fall of sampled equity. */
  readonly maxDrawdown: DrawdownSummary
  /** Profit as a part of `startEquity`; null where that is not above 0. */
  readonly return: number | null
  /**
   * Per year, of daily returns from 20 days on, else of hourly ones; null where `returns.notComputed` says why, and
   * where all returns are equal.
   */
  readonly sharpe: number | null
  /** Alike, losses alone in the divisor; null without a loss. */
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
  /** `day` from 20 days on, else `hour`. */
  readonly unit: 'day' | 'hour'
  /** Number of returns. */
  readonly sampleCount: number
  /** Periods with data or a profit that are left out, as the data cover less than half of them. */
  readonly leftOutCount: number
  /** The scale of ratios: 365 days, or 8760 hours. */
  readonly periodsPerYear: number
  /** The reason why nothing is computed; null where it is. */
  readonly notComputed: string | null
  /** Standard deviation per year. */
  readonly volatility: number | null
  /** Greatest fall of the compounded returns, a part of the peak. */
  readonly maxDrawdown: number | null
  /** Compounded return per year over `maxDrawdown`; null without a fall. */
  readonly calmar: number | null
  /** Returns above 0, part of those that are not 0; null where all are 0. */
  readonly winRate: number | null
  /** Sum of the returns above 0 over that of those below; null without a loss. */
  readonly profitFactor: number | null
}

/** Closed round trips of one settlement underlying; their profit is net of the fees paid in it. */
export interface RoundTripSummary {
  /** Number of closed round trips. */
  readonly count: number
  /** Those with a profit above 0. */
  readonly winCount: number
  /** Those with a profit below 0. */
  readonly lossCount: number
  /** Quantities that were open when the run ended: rows of the table, no round trips. */
  readonly openCount: number
  /** Sum of the profits above 0. */
  readonly wins: string
  /** Sum of the losses, above 0. */
  readonly losses: string
  /** Wins, part of all closed; null where none was. */
  readonly winRate: number | null
  /** `wins` over `losses`; null without a loss. */
  readonly profitFactor: number | null
}

/**
 * Fills of one settlement underlying against the arrival mid: the middle of the best prices as the client saw them when
 * it sent the order, its replacement, or the last change of its price that was in force.
 */
export interface SlippageSummary {
  /** Fills that were measured: both sides were there when the order was sent. */
  readonly measuredCount: number
  /** Value at the price less value at the arrival mid for buys, the reverse for sells: above 0 is a cost. */
  readonly cost: string
  /** `cost` as a part of the value at the arrival mids; null where none was measured. */
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
  /** Starting balances. */
  readonly startEquity: string | null
  /** Realised and unrealised profit less fees, and flows. */
  readonly profit: string | null
  /** Positive is a cost. */
  readonly fees: string | null
  /** Value of all fills. */
  readonly turnover: string | null
  /** Start and profit. */
  readonly endEquity: string | null
  /** Profit as a part of `startEquity`; null where that is not above 0. */
  readonly return: number | null
}

/** The rate by which an underlying counts in a total. */
export interface TotalRate {
  /** Code of the underlying. */
  readonly underlying: string
  /** Worth of one unit in the currency of the total, half-even to 18 decimals; amounts are rounded once. */
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
  /** In the underlying, 0 or above. */
  readonly amount: string
  /** Part of the peak that was lost; null where the peak was not above 0. */
  readonly share: number | null
  /** Time of the highest sample before the fall. */
  readonly from: string
  /** Time of the lowest sample of the fall. */
  readonly to: string
}
