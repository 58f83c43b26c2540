import { Decimal, quotientTo18 } from '../model/decimal.js'
import { ExactSum } from '../model/exact-sum.js'
import { quantileOf } from './quantile.js'
import { longestRow } from './return-distribution.js'

/** A closed round trip, as its statistics need it; amounts in one currency. */
export interface ClosedRoundTrip {
  /** Net of fees. */
  readonly profit: Decimal
  /** Time between its ends, nanoseconds. */
  readonly holdingNs: number
  /** The greatest profit that it had on the way, 0 or above. */
  readonly favorable: Decimal
  /** The greatest loss that it had on the way, 0 or above. */
  readonly adverse: Decimal
}

/** Exact amounts by rows. */
export interface AmountRows {
  /** The nearest doubles. */
  readonly doubles: ArrayLike<number>
  /** Adds the amount of a row. */
  readonly addTo: (sum: ExactSum, row: number) => void
  /** The amount of a row as a plain decimal text in its shortest form. */
  readonly textAt: (row: number) => string
}

/** Closed round trips by columns, in the order of their ends: {@link ClosedRoundTrip}. */
export interface RoundTripColumns {
  readonly profit: AmountRows
  readonly holdingNs: ArrayLike<number>
  readonly favorable: AmountRows
  readonly adverse: AmountRows
}

function amountRows(amounts: readonly Decimal[]): AmountRows {
  const texts = amounts.map((amount) => amount.toFixed())
  return {
    doubles: texts.map(Number), addTo: (sum, row) => { sum.addText(texts[row] as string) },
    textAt: (row) => texts[row] as string,
  }
}

/**
 * Statistics of closed round trips; null where one is not defined. Sums and extremes are exact, means are rounded
 * half-even to 18 decimals.
 */
export interface RoundTripStatistics {
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

/**
 * Statistics of closed round trips in the order of their ends. One that brought exactly 0 is neither win nor loss.
 *
 * @example
 * ```ts
 * import { Decimal } from 'decimal.js'
 * import { roundTripStatistics } from 'backtape/measures'
 * const trips = ['2', '-1', '3'].map((profit) => (
 *   { profit: new Decimal(profit), holdingNs: 1e9, favorable: new Decimal(4), adverse: new Decimal(1) }))
 * const { profit, payoff, meanAdverse } = roundTripStatistics(trips)
 * if (profit.toFixed() !== '4' || payoff !== 2.5 || meanAdverse?.toFixed() !== '1') throw new Error(String(payoff))
 * ```
 */
export function roundTripStatistics(trips: readonly ClosedRoundTrip[]): RoundTripStatistics {
  const columns = {
    profit: amountRows(trips.map(({ profit }) => profit)), holdingNs: trips.map(({ holdingNs }) => holdingNs),
    favorable: amountRows(trips.map(({ favorable }) => favorable)),
    adverse: amountRows(trips.map(({ adverse }) => adverse)),
  }
  return roundTripColumnStatistics(columns, [...trips.keys()])
}

/** {@link roundTripStatistics} of some ascending rows: of many, without an object and three Decimals for each. */
export function roundTripColumnStatistics(
  { profit: profits, holdingNs, favorable, adverse }: RoundTripColumns, rows: readonly number[],
): RoundTripStatistics {
  const { length: count } = rows
  const values = rows.map((row) => profits.doubles[row] as number)
  const [wins, losses] = [rows.filter((_, at) => isGain(values[at])), rows.filter((_, at) => isLoss(values[at]))]
  const [won, lost] = [sumOf(profits, wins), sumOf(profits, losses)]
  const profit = won.plus(lost)
  const [meanWin, meanLoss] = [meanOf(won, wins.length), meanOf(lost, losses.length)]
  const deviation = deviationOf(values)
  const held = (own: readonly number[]): number[] => own.map((row) => holdingNs[row] as number)
  return {
    count, winCount: wins.length, lossCount: losses.length, winRate: count === 0 ? null : wins.length / count, profit,
    profitFactor: lost.isZero() ? null : won.div(lost.neg()).toNumber(),
    meanProfit: meanOf(profit, count), meanWin, meanLoss,
    payoff: meanWin === null || meanLoss === null ? null : meanWin.div(meanLoss.neg()).toNumber(),
    greatestWin: extremeOf(profits, wins, 1), greatestLoss: extremeOf(profits, losses, -1), deviation,
    quality: deviation === null || deviation === 0 ? null :
      (profit.div(count).toNumber() / deviation) * Math.sqrt(count),
    longestWins: longestRow(values, isGain), longestLosses: longestRow(values, isLoss),
    medianHoldingNs: quantileOf(Float64Array.from(held(rows)).sort(), 0.5),
    meanHoldingNs: meanNumber(held(rows)), meanWinHoldingNs: meanNumber(held(wins)),
    meanLossHoldingNs: meanNumber(held(losses)),
    meanFavorable: meanOf(sumOf(favorable, rows), count), meanAdverse: meanOf(sumOf(adverse, rows), count),
    greatestFavorable: extremeOf(favorable, rows, 1), greatestAdverse: extremeOf(adverse, rows, 1),
  }
}

function isGain(profit: number | undefined): boolean {
  return profit !== undefined && profit > 0
}

function isLoss(profit: number | undefined): boolean {
  return profit !== undefined && profit < 0
}

function sumOf(amounts: AmountRows, rows: readonly number[]): Decimal {
  const sum = new ExactSum()
  for (const row of rows) amounts.addTo(sum, row)
  return sum.toDecimal()
}

function meanOf(sum: Decimal, count: number): Decimal | null {
  return count === 0 ? null : quotientTo18(sum, new Decimal(count))
}

/** The greatest amount, or the least: doubles decide nearly always, exact amounts where these are equal. */
function extremeOf({ doubles, textAt }: AmountRows, rows: readonly number[], direction: 1 | -1): Decimal | null {
  let [extreme, size] = [-1, 0]
  for (const row of rows) {
    const own = (doubles[row] as number) * direction
    if (extreme < 0 || own > size || (own === size && isBeyond(textAt(row), textAt(extreme), direction)))
      [extreme, size] = [row, own]
  }
  return extreme < 0 ? null : new Decimal(textAt(extreme))
}

function isBeyond(amount: string, other: string, direction: 1 | -1): boolean {
  return amount !== other && new Decimal(amount).cmp(other) === direction
}

function meanNumber(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length
}

/** Null below two; 0 where all are equal, which rounding of the mean alone would not say. */
function deviationOf(values: readonly number[]): number | null {
  if (values.length < 2) return null
  if (values.every((one) => one === values[0])) return 0
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (values.length - 1))
}
