import { benchmarksOf } from './benchmark-parts.js'
import { histogramOf } from './distribution.js'
import { drawdownsOf, underwaterOf } from './drawdown-parts.js'
import { exposureOf } from './exposure-parts.js'
import { byHourOf, hourNames, dayNames, longerOf, returnsOf, rollingOf, sampledOf, shapeOf } from './period-parts.js'
import type { ReportInput } from './report-input.js'
import type { ReportMoney } from './report-money.js'
import { seriesOf } from './track-series.js'
import { tripParts } from './trip-parts.js'

/** Days of a run whose hours are listed. */
const HOURS_DAYS_MAX = 3
/** Days from which on the distribution is of daily returns. */
const DAILY_FROM = 20

/** The part of a report on each underlying, in the order of the summary. */
export function moneyParts(input: ReportInput): ReportMoney[] {
  const { summary, epochDay, tracks } = input
  return summary.money.map(({ underlyingId, underlying, returns }) => {
    const own = <Row extends { readonly underlying: string }>(rows: readonly Row[]): readonly Row[] => (
      rows.filter((row) => row.underlying === underlying))
    const [days, hours, equity] = [own(input.days), own(input.hours), own(input.equity)]
    const ofDays = returnsOf(days, dayNames)
    const sampled = days.length >= DAILY_FROM ? days : hours
    return {
      underlying,
      equity: seriesOf(tracks.equity.get(underlyingId), epochDay),
      drawdown: seriesOf(tracks.falls.get(underlyingId), epochDay),
      drawdowns: drawdownsOf(equity), underwater: underwaterOf(equity, summary),
      days: ofDays, months: longerOf(ofDays, 7), years: longerOf(ofDays, 4),
      hours: days.length > HOURS_DAYS_MAX ? [] : returnsOf(hours, hourNames),
      byHour: byHourOf(hours), rolling: rollingOf(days, hours),
      returns: histogramOf(sampledOf(sampled).flatMap((row) => (row.return === null ? [] : [row.return]))),
      shape: shapeOf(returns, days, hours),
      benchmarks: benchmarksOf(input, underlying, returns, days, hours),
      exposure: exposureOf(input, underlying, equity),
      trips: tripParts(input.roundTrips, underlying),
    }
  })
}
