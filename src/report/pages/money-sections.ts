import { pictures } from '../plots/pictures.js'
import { momentText } from '../short-summary.js'
import { figureMarkup, histogramMarkup, pointsOf } from './page-pictures.js'
import { html, type Markup, type MarkupValue } from './page-markup.js'
import { heatCell, noteMarkup, ofNumbers, ofWords, tableMarkup } from './page-table.js'
import { count, money, NOTHING, percent, short, span, spanBetween } from './page-words.js'
import type { ReportHistogram, ReportMoney, ReportReturn, ReportTrip, RunReport } from './report-data.js'

/** Returns from which on their distribution is drawn. */
const LEAST_SAMPLES = 10
const DAYS = Array.from({ length: 31 }, (_, at) => String(at + 1))

function drawdownTable({ drawdowns, underlying }: ReportMoney, end: string): Markup {
  if (drawdowns.length === 0) return noteMarkup(`Equity in ${underlying} was never below its highest row.`)
  return tableMarkup(`Deepest drawdowns, ${underlying}`, [
    ofNumbers('depth'), ofNumbers('of the peak'), ofWords('from'), ofWords('lowest'), ofWords('back at'),
    ofNumbers('length'),
  ], drawdowns.map(({ from, lowest, to, amount, share }) => [
    money(amount, underlying), percent(share, 3), momentText(from), momentText(lowest),
    to === null ? 'not within the run' : momentText(to), spanBetween(from, to ?? end),
  ]))
}

/** Equity and its drawdown in each currency. */
export function equitySection({ money: parts, summary }: RunReport): Markup {
  return html`<div class="grid">${parts.map((part) => {
    const { epochMs, values } = pointsOf(part.equity)
    const below = pointsOf(part.drawdown)
    return html`<div>${figureMarkup((width) => pictures.equity(
      { epochMs, equity: values, ...(below.values.length === values.length ? { drawdown: below.values } : {}) },
      { unit: part.underlying, width, title: `Equity and drawdown, ${part.underlying}` },
    ))}</div><div>${drawdownTable(part, summary.end)}</div>`
  })}</div>`
}

/** The greatest magnitude of some returns. */
function reachOf(returns: readonly ReportReturn[]): number {
  return returns.reduce((most, one) => Math.max(most, Math.abs(one.return ?? 0)), 0)
}

function returnCell(one: ReportReturn | undefined, reach: number, code: string): MarkupValue {
  if (one === undefined) return null
  const share = one.return === null ? null : reach === 0 ? 0 : one.return / reach
  const text = percent(one.return, reach < 0.001 ? 4 : reach < 0.01 ? 3 : 2)
  return heatCell(text, share, `${one.period}: ${money(one.profit, code)} ${code}`)
}

function dayTable({ days, months, underlying }: ReportMoney): Markup {
  const [byDay, reach] = [new Map(days.map((day) => [day.period, day])), reachOf(days)]
  const used = DAYS.filter((day) => days.some(({ period }) => Number(period.slice(8)) === Number(day)))
  return tableMarkup(`Returns by day, ${underlying} (UTC)`, [
    ofWords('month'), ofNumbers('whole month'), ofNumbers('profit'), ...used.map(ofNumbers),
  ], months.map((month) => [
    month.period, returnCell(month, reachOf(months), underlying), money(month.profit, underlying),
    ...used.map((day) => returnCell(byDay.get(`${month.period}-${day.padStart(2, '0')}`), reach, underlying)),
  ]))
}

function hourTables({ hours, byHour, days, underlying }: ReportMoney): Markup {
  const isLong = days.length > 3 || hours.length > 24
  const reach = byHour.reduce((most, sum) => Math.max(most, Math.abs(Number(sum))), 0)
  const cells = byHour.map((sum) => heatCell(money(sum, underlying), reach === 0 ? 0 : Number(sum) / reach))
  return html`${hours.length > 0 && tableMarkup(`Returns by hour, ${underlying} (UTC)`, [
    ofWords('hour'), ofNumbers('return'), ofNumbers('profit'),
  ], hours.map((hour) => [
    momentText(hour.period), returnCell(hour, reachOf(hours), underlying), money(hour.profit, underlying),
  ]))}${isLong && tableMarkup(`Profit by the hour of the day, ${underlying} (UTC), sums over all days`,
    byHour.map((_, hour) => ofNumbers(String(hour))), [cells])}`
}

function rollingMarkup({ rolling, underlying }: ReportMoney): Markup {
  const { unit, windowCount, epochMs, sharpe, notComputed } = rolling
  const words = unit === 'day' ? 'days' : 'hours'
  if (notComputed !== null) return noteMarkup(`Moving Sharpe ratio, ${underlying}: not computed: ${notComputed}.`)
  return figureMarkup((width) => pictures.line([{
    name: `Sharpe of the last ${String(windowCount)} ${words}`, epochMs: Float64Array.from(epochMs),
    values: Float64Array.from(sharpe, (value) => value ?? NaN),
  }], { label: 'Sharpe ratio per year', withZero: true, width }))
}

function sampleCount({ counts }: ReportHistogram): number {
  return counts.reduce((sum, one) => sum + one, 0)
}

/** Returns by month, day and hour, their distribution, and the moving Sharpe ratio. */
export function returnsSection({ money: parts }: RunReport): Markup {
  return html`${parts.map((part) => html`<div class="print-small">${dayTable(part)}</div>
<div class="grid"><div>${hourTables(part)}</div><div>${rollingMarkup(part)}
${sampleCount(part.returns) >= LEAST_SAMPLES && histogramMarkup(
  `Returns of ${part.days.length >= 20 ? 'days' : 'hours'}, ${part.underlying}`, part.returns,
  (edge) => percent(edge, 3))}
</div></div>`)}`
}

function tripTable(title: string, trips: readonly ReportTrip[], code: string): Markup {
  return tableMarkup(`${title}, ${code}`, [
    ofNumbers('profit'), ofWords('instrument'), ofWords(''), ofNumbers('quantity'), ofWords('entry'), ofWords('exit'),
    ofNumbers('from'), ofNumbers('to'), ofNumbers('held'),
  ], trips.map((trip) => [
    money(trip.profit, code), trip.instrument, trip.direction, trip.qty, momentText(trip.entry), momentText(trip.exit),
    trip.entryPrice, trip.exitPrice ?? NOTHING, span(trip.holdingNs),
  ]))
}

/** Round trips: groups, distribution of profits and holding times, the best and the worst. */
export function tripsSection({ money: parts }: RunReport): Markup {
  return html`${parts.filter(({ trips }) => (trips.groups[0]?.count ?? 0) > 0).map(({ trips, underlying }) => html`
${tableMarkup(`Closed round trips, net of fees, ${underlying}`, [
  ofWords(''), ofNumbers('count'), ofNumbers('won'), ofNumbers('profit'), ofNumbers('mean'), ofNumbers('mean win'),
  ofNumbers('mean loss'), ofNumbers('median held'), ofNumbers('longest row of losses'),
], trips.groups.map((group) => [
  group.group, count(group.count), group.count === 0 ? NOTHING : percent(group.winCount / group.count, 1),
  money(group.profit, underlying), short(group.meanProfit), short(group.meanWin), short(group.meanLoss),
  span(group.medianHoldingNs), count(group.longestLosses),
]))}
<div class="grid">${histogramMarkup(`Profit of a round trip, ${underlying}`, trips.profits, (edge) => short(edge))}
${histogramMarkup('Time held, bins of equal ratio', trips.holdingS, (edge) => span(edge * 1e9))}
<div>${trips.best.length > 0 && tripTable('Best', trips.best, underlying)}</div>
<div>${trips.worst.length > 0 && tripTable('Worst', trips.worst, underlying)}</div></div>`)}`
}
