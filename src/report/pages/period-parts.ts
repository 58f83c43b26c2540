import { returnDistribution } from '../../measures/return-distribution.js'
import { returnStatistics } from '../../measures/return-statistics.js'
import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import type { ReturnsSummary } from '../money-summary.js'
import { COVERED_LEAST } from '../period-recorder.js'
import type { PeriodInput } from './report-input.js'
import type { ReportReturn, ReportReturnShape, ReportRolling } from './report-money.js'

const ZERO: Decimal = new Decimal(0)
/** Daily returns in a window of the moving ratios, and hourly ones. */
const [WINDOW_DAYS, WINDOW_HOURS] = [30, 24]

/** The name of an hour. */
export const hourNames: (ts: bigint) => string = isoFromEpochNs

/** The name of a day. */
export function dayNames(ts: bigint): string {
  return isoFromEpochNs(ts).slice(0, 10)
}

/** Returns of hours or days. */
export function returnsOf(rows: readonly PeriodInput[], nameOf: (ts: bigint) => string): ReportReturn[] {
  return rows.map(({ ts, profit, return: share, fees, turnover, fills, drawdown }) => (
    { period: nameOf(ts), profit, return: share, fees, turnover, fillCount: fills, drawdown }))
}

interface Longer {
  profit: Decimal
  fees: Decimal
  turnover: Decimal
  drawdown: Decimal
  fillCount: number
  /** Null where the return of a day is not known. */
  growth: number | null
}

/** Months (`digits` 7) or years (4) of days: amounts added, returns compounded, the deepest fall. */
export function longerOf(days: readonly ReportReturn[], digits: 4 | 7): ReportReturn[] {
  const all = new Map<string, Longer>()
  for (const day of days) {
    const name = day.period.slice(0, digits)
    const { profit, fees, turnover, drawdown, fillCount, growth } = all.get(name) ?? {
      profit: ZERO, fees: ZERO, turnover: ZERO, drawdown: ZERO, fillCount: 0, growth: 1,
    }
    all.set(name, {
      profit: profit.plus(day.profit), fees: fees.plus(day.fees), turnover: turnover.plus(day.turnover),
      drawdown: Decimal.max(drawdown, day.drawdown), fillCount: fillCount + day.fillCount,
      growth: growth === null || day.return === null ? null : growth * (1 + day.return),
    })
  }
  return [...all].map(([period, { profit, fees, turnover, drawdown, fillCount, growth }]) => ({
    period, profit: profit.toFixed(), return: growth === null ? null : growth - 1, fees: fees.toFixed(),
    turnover: turnover.toFixed(), fillCount, drawdown: drawdown.toFixed(),
  }))
}

/** Periods whose returns are samples of the ratios. */
export function sampledOf(rows: readonly PeriodInput[]): readonly PeriodInput[] {
  return rows.filter(({ covered }) => covered >= COVERED_LEAST)
}

/** The shape of the returns behind the ratios of the summary. */
export function shapeOf(
  { unit, periodsPerYear, notComputed }: ReturnsSummary, days: readonly PeriodInput[], hours: readonly PeriodInput[],
): ReportReturnShape {
  const returns = notComputed === null ? sampledOf(unit === 'day' ? days : hours).map((row) => row.return ?? 0) : []
  return { unit, notComputed, ...returnDistribution(returns, periodsPerYear) }
}

/** Moving ratios: of 30 days where there are as many, else of 24 hours where there are 48. */
export function rollingOf(days: readonly PeriodInput[], hours: readonly PeriodInput[]): ReportRolling {
  const [ofDays, ofHours] = [sampledOf(days), sampledOf(hours)]
  const isDaily = ofDays.length >= WINDOW_DAYS + 1
  const [unit, rows, windowCount, perYear] = isDaily
    ? ['day', ofDays, WINDOW_DAYS, 365] as const
    : ['hour', ofHours, WINDOW_HOURS, 8760] as const
  const none = (reason: string): ReportRolling => (
    { unit, windowCount, epochMs: [], sharpe: [], volatility: [], notComputed: reason })
  if (!isDaily && ofHours.length < 2 * WINDOW_HOURS)
    return none(`${ofHours.length} hourly returns, it needs ${2 * WINDOW_HOURS}, or ${WINDOW_DAYS + 1} days`)
  if (rows.some((row) => row.return === null)) return none('equity was not above 0')
  const values = rows.map((row) => row.return ?? 0)
  const ends = rows.slice(windowCount - 1)
  const windows = ends.map((_, at) => returnStatistics(values.slice(at, at + windowCount), perYear))
  return {
    unit, windowCount, epochMs: ends.map(({ ts }) => Number(ts / 1_000_000n)),
    sharpe: windows.map(({ sharpe }) => sharpe), volatility: windows.map(({ volatility }) => volatility),
    notComputed: null,
  }
}

/** Sums of profit by the hour of the day in UTC. */
export function byHourOf(hours: readonly PeriodInput[]): string[] {
  const sums = Array.from({ length: 24 }, () => ZERO)
  for (const { ts, profit } of hours) {
    const hour = Number((ts / 3_600_000_000_000n) % 24n)
    sums[hour] = (sums[hour] as Decimal).plus(profit)
  }
  return sums.map((sum) => sum.toFixed())
}
