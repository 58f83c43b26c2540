import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import type { BucketTrack } from '../bucket-track.js'
import { histogramOf } from './distribution.js'
import type { EquityInput, PeriodInput, ReportInput } from './report-input.js'
import type { ReportDrawdown, ReportMoney, ReportReturn, ReportRolling, ReportSeries } from './report-data.js'
import { tripParts } from './trip-parts.js'

const MS_PER_DAY = 86_400_000
const DRAWDOWNS_MAX = 10
const ZERO: Decimal = new Decimal(0)
/** Daily returns in a window of the moving Sharpe ratio, and hourly ones. */
const [WINDOW_DAYS, WINDOW_HOURS] = [30, 24]
/** Days of a run whose hours are listed. */
const HOURS_DAYS_MAX = 3
/** Days from which on the distribution is of daily returns. */
const DAILY_FROM = 20

/** A track of a recorder in epoch milliseconds. */
export function seriesOf(track: BucketTrack | undefined, epochDay: number): ReportSeries {
  if (track === undefined) return { bucketMs: 0, epochMs: [], low: [], high: [], last: [] }
  const { widthNs, fromNs, low, high, last } = track.series()
  return { bucketMs: widthNs / 1e6, epochMs: fromNs.map((ns) => epochDay * MS_PER_DAY + ns / 1e6), low, high, last }
}

/** The deepest falls of equity, from the rows of one underlying. */
export function drawdownsOf(rows: readonly EquityInput[]): ReportDrawdown[] {
  interface Fall { fromTs: bigint; peak: Decimal; lowestTs: bigint; lowest: Decimal; toTs: bigint | null }
  const falls: Fall[] = []
  let [peak, peakTs, known, open] = [null as Decimal | null, 0n, '', null as Fall | null]
  for (const { ts, equity } of rows) {
    if (equity === known) {
      if (open === null) peakTs = ts
      continue
    }
    known = equity
    const value = new Decimal(equity)
    if (peak === null || value.gte(peak)) {
      if (open !== null) open.toTs = ts
      open = null
      peak = value
      peakTs = ts
    } else if (open === null) {
      open = { fromTs: peakTs, peak, lowestTs: ts, lowest: value, toTs: null }
      falls.push(open)
    } else if (value.lt(open.lowest)) {
      open.lowest = value
      open.lowestTs = ts
    }
  }
  const depth = (fall: Fall): Decimal => fall.peak.minus(fall.lowest)
  return falls.sort((a, b) => depth(b).cmp(depth(a)) || (a.fromTs < b.fromTs ? -1 : 1)).slice(0, DRAWDOWNS_MAX)
    .map((fall) => ({
      from: isoFromEpochNs(fall.fromTs), lowest: isoFromEpochNs(fall.lowestTs),
      to: fall.toTs === null ? null : isoFromEpochNs(fall.toTs), amount: depth(fall).toFixed(),
      share: fall.peak.gt(0) ? depth(fall).div(fall.peak).toNumber() : null,
    }))
}

function returnsOf(rows: readonly PeriodInput[], nameOf: (ts: bigint) => string): ReportReturn[] {
  return rows.map(({ ts, profit, return: share }) => ({ period: nameOf(ts), profit, return: share }))
}

/** Months of days: profits added, returns compounded; null where one of a day is not known. */
function monthsOf(days: readonly ReportReturn[]): ReportReturn[] {
  const months = new Map<string, { profit: Decimal; growth: number | null }>()
  for (const day of days) {
    const name = day.period.slice(0, 7)
    const { profit, growth } = months.get(name) ?? { profit: ZERO, growth: 1 }
    months.set(name, {
      profit: profit.plus(day.profit),
      growth: growth === null || day.return === null ? null : growth * (1 + day.return),
    })
  }
  return [...months].map(([period, { profit, growth }]) => ({
    period, profit: profit.toFixed(), return: growth === null ? null : growth - 1,
  }))
}

function sharpeOf(returns: readonly number[], perYear: number): number | null {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const square = returns.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / (returns.length - 1)
  return square > 0 ? (mean / Math.sqrt(square)) * Math.sqrt(perYear) : null
}

/** Moving Sharpe ratios: of 30 days where there are as many, else of 24 hours where there are 48. */
function rollingOf(days: readonly PeriodInput[], hours: readonly PeriodInput[]): ReportRolling {
  const sampled = (rows: readonly PeriodInput[]): readonly PeriodInput[] => (
    rows.filter(({ has_data: hasData, profit }) => hasData || profit !== '0'))
  const [ofDays, ofHours] = [sampled(days), sampled(hours)]
  const isDaily = ofDays.length >= WINDOW_DAYS + 1
  const [unit, rows, windowCount, perYear] = isDaily
    ? ['day', ofDays, WINDOW_DAYS, 365] as const
    : ['hour', ofHours, WINDOW_HOURS, 8760] as const
  const none = (reason: string): ReportRolling => ({ unit, windowCount, epochMs: [], sharpe: [], notComputed: reason })
  if (!isDaily && ofHours.length < 2 * WINDOW_HOURS)
    return none(`${ofHours.length} hourly returns, it needs ${2 * WINDOW_HOURS}, or ${WINDOW_DAYS + 1} days`)
  if (rows.some((row) => row.return === null)) return none('equity was not above 0')
  const values = rows.map((row) => row.return ?? 0)
  const ends = rows.slice(windowCount - 1)
  return {
    unit, windowCount, epochMs: ends.map(({ ts }) => Number(ts / 1_000_000n)),
    sharpe: ends.map((_, at) => sharpeOf(values.slice(at, at + windowCount), perYear)), notComputed: null,
  }
}

/** Sums of profit by the hour of the day in UTC. */
function byHour(hours: readonly PeriodInput[]): string[] {
  const sums = Array.from({ length: 24 }, () => ZERO)
  for (const { ts, profit } of hours) {
    const hour = Number((ts / 3_600_000_000_000n) % 24n)
    sums[hour] = (sums[hour] as Decimal).plus(profit)
  }
  return sums.map((sum) => sum.toFixed())
}

/** The part of a report on each underlying, in the order of the summary. */
export function moneyParts(input: ReportInput): ReportMoney[] {
  const { summary, epochDay, tracks } = input
  return summary.money.map(({ underlyingId, underlying }) => {
    const own = <Row extends { readonly underlying: string }>(rows: readonly Row[]): readonly Row[] => (
      rows.filter((row) => row.underlying === underlying))
    const [days, hours] = [own(input.days), own(input.hours)]
    const ofDays = returnsOf(days, (ts) => isoFromEpochNs(ts).slice(0, 10))
    const sampled = days.length >= DAILY_FROM ? days : hours
    return {
      underlying,
      equity: seriesOf(tracks.equity.get(underlyingId), epochDay),
      drawdown: seriesOf(tracks.falls.get(underlyingId), epochDay),
      drawdowns: drawdownsOf(own(input.equity)),
      days: ofDays, months: monthsOf(ofDays),
      hours: days.length > HOURS_DAYS_MAX ? [] : returnsOf(hours, isoFromEpochNs),
      byHour: byHour(hours), rolling: rollingOf(days, hours),
      returns: histogramOf(sampled.flatMap((row) => (row.has_data && row.return !== null ? [row.return] : []))),
      trips: tripParts(input.trades, underlying),
    }
  })
}
