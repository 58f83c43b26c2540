import { Decimal, quotientTo18 } from '../model/decimal.js'
import { quantileOf } from './quantile.js'
import { longestRow } from './return-distribution.js'

/** A closed round trip, as its statistics need it; amounts in one currency. */
export interface ClosedTrade {
  /** Net of fees. */
  readonly profit: Decimal
  /** Time between its ends, nanoseconds. */
  readonly holdingNs: number
  /** The greatest profit that it had on the way, 0 or above. */
  readonly favorable: Decimal
  /** The greatest loss that it had on the way, 0 or above. */
  readonly adverse: Decimal
}

/**
 * Statistics of closed round trips; null where one is not defined. Sums and extremes are exact, means are rounded
 * half-even to 18 decimals.
 */
export interface TradeStatistics {
  /** Number of round trips. */
  readonly count: number
  /** Those with a profit above 0. */
  readonly winCount: number
  /** Those with a profit below 0. */
  readonly lossCount: number
  /** Wins, part of all; null without a round trip. */
  readonly winRate: number | null
  /** Sum of the profits. */
  readonly profit: Decimal
  /** Sum of the profits above 0 over the sum of the losses; null without a loss. */
  readonly profitFactor: number | null
  /** Mean profit, which is the expectancy; null without a round trip. */
  readonly meanProfit: Decimal | null
  /** Mean of the profits above 0. */
  readonly meanWin: Decimal | null
  /** Mean of the losses, below 0. */
  readonly meanLoss: Decimal | null
  /** Mean win over the size of the mean loss; null without one of them. */
  readonly payoff: number | null
  /** The greatest profit above 0. */
  readonly greatestWin: Decimal | null
  /** The greatest loss, below 0. */
  readonly greatestLoss: Decimal | null
  /** Standard deviation of the profits, divisor n - 1; null below two. */
  readonly deviation: number | null
  /**
   * Mean profit over its standard error, the root of n times mean over deviation: Van Tharp's system quality number,
   * and a t-statistic where round trips are independent; null below two, or where all are equal.
   */
  readonly quality: number | null
  /** The longest row of profits above 0. */
  readonly longestWins: number
  /** The longest row of losses. */
  readonly longestLosses: number
  /** Median time held. */
  readonly medianHoldingNs: number | null
  /** Mean time held. */
  readonly meanHoldingNs: number | null
  /** Mean time held of those with a profit. */
  readonly meanWinHoldingNs: number | null
  /** Mean time held of those with a loss. */
  readonly meanLossHoldingNs: number | null
  /** Mean of the greatest profits on the way: maximum favorable excursion, MFE. */
  readonly meanFavorable: Decimal | null
  /** Mean of the greatest losses on the way: maximum adverse excursion, MAE. */
  readonly meanAdverse: Decimal | null
  /** The greatest of the profits on the way. */
  readonly greatestFavorable: Decimal | null
  /** The greatest of the losses on the way. */
  readonly greatestAdverse: Decimal | null
}

const ZERO: Decimal = new Decimal(0)

/**
 * Statistics of closed round trips in the order of their ends. One that brought exactly 0 is neither win nor loss.
 *
 * @example
 * ```ts
 * import Decimal from 'decimal.js'
 * import { tradeStatistics } from 'backtape/measures'
 * const trades = ['2', '-1', '3'].map((profit) => (
 *   { profit: new Decimal(profit), holdingNs: 1e9, favorable: new Decimal(4), adverse: new Decimal(1) }))
 * const { profit, payoff, meanAdverse } = tradeStatistics(trades)
 * if (profit.toFixed() !== '4' || payoff !== 2.5 || meanAdverse?.toFixed() !== '1') throw new Error(String(payoff))
 * ```
 */
export function tradeStatistics(trades: readonly ClosedTrade[]): TradeStatistics {
  const { length: count } = trades
  const [wins, losses] = [trades.filter(({ profit }) => isGain(profit)), trades.filter(({ profit }) => isLoss(profit))]
  const [won, lost] = [sumOf(wins, profitOf), sumOf(losses, profitOf)]
  const profit = won.plus(lost)
  const [meanWin, meanLoss] = [meanOf(won, wins.length), meanOf(lost, losses.length)]
  const deviation = deviationOf(trades)
  return {
    count, winCount: wins.length, lossCount: losses.length, winRate: count === 0 ? null : wins.length / count, profit,
    profitFactor: lost.isZero() ? null : won.div(lost.neg()).toNumber(),
    meanProfit: meanOf(profit, count), meanWin, meanLoss,
    payoff: meanWin === null || meanLoss === null ? null : meanWin.div(meanLoss.neg()).toNumber(),
    greatestWin: extremeOf(wins, profitOf, 1), greatestLoss: extremeOf(losses, profitOf, -1), deviation,
    quality: deviation === null || deviation === 0 ? null :
      (profit.div(count).toNumber() / deviation) * Math.sqrt(count),
    longestWins: longestRow(trades, (one) => isGain(one.profit)),
    longestLosses: longestRow(trades, (one) => isLoss(one.profit)),
    medianHoldingNs: quantileOf(Float64Array.from(trades, ({ holdingNs }) => holdingNs).sort(), 0.5),
    meanHoldingNs: meanHolding(trades), meanWinHoldingNs: meanHolding(wins), meanLossHoldingNs: meanHolding(losses),
    meanFavorable: meanOf(sumOf(trades, favorableOf), count), meanAdverse: meanOf(sumOf(trades, adverseOf), count),
    greatestFavorable: extremeOf(trades, favorableOf, 1), greatestAdverse: extremeOf(trades, adverseOf, 1),
  }
}

type AmountOf = (trade: ClosedTrade) => Decimal

const profitOf: AmountOf = ({ profit }) => profit
const favorableOf: AmountOf = ({ favorable }) => favorable
const adverseOf: AmountOf = ({ adverse }) => adverse

function isGain(profit: Decimal): boolean {
  return profit.isPositive() && !profit.isZero()
}

function isLoss(profit: Decimal): boolean {
  return profit.isNegative() && !profit.isZero()
}

function sumOf(trades: readonly ClosedTrade[], amountOf: AmountOf): Decimal {
  return trades.reduce((sum, trade) => sum.plus(amountOf(trade)), ZERO)
}

function meanOf(sum: Decimal, count: number): Decimal | null {
  return count === 0 ? null : quotientTo18(sum, new Decimal(count))
}

function extremeOf(trades: readonly ClosedTrade[], amountOf: AmountOf, direction: 1 | -1): Decimal | null {
  let extreme: Decimal | null = null
  for (const trade of trades) {
    const amount = amountOf(trade)
    if (extreme === null || amount.cmp(extreme) === direction) extreme = amount
  }
  return extreme
}

function meanHolding(trades: readonly ClosedTrade[]): number | null {
  return trades.length === 0 ? null : trades.reduce((sum, { holdingNs }) => sum + holdingNs, 0) / trades.length
}

/** Null below two; 0 where all are equal, which rounding of the mean alone would not say. */
function deviationOf(trades: readonly ClosedTrade[]): number | null {
  const values = trades.map(({ profit }) => profit.toNumber())
  if (values.length < 2) return null
  if (values.every((one) => one === values[0])) return 0
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (values.length - 1))
}
