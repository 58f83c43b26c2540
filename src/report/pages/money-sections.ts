import { pictures } from '../plots/pictures.js'
import { momentText } from '../short-summary.js'
import { figureMarkup, histogramMarkup, pointsOf } from './page-pictures.js'
import { html, type Markup, type MarkupValue } from '../../web/page-markup.js'
import { heatCell, noteMarkup, ofNumbers, ofWords, pairsMarkup, tableMarkup } from './page-table.js'
import { count, money, NOTHING, percent, ratio, span, spanBetween } from './page-words.js'
import type { RunReport } from './report-data.js'
import type { ReportMoney, ReportReturn, ReportReturnShape } from './report-money.js'
import type { ReportHistogram } from './report-series.js'

/** Returns from which on their distribution is drawn. */
const LEAST_SAMPLES = 10
const DAYS = Array.from({ length: 31 }, (_, at) => String(at + 1))

function underwaterNote({ count: falls, share, longest }: ReportMoney['underwater']): Markup | false {
  if (longest === null) return false
  const end = longest.to === null ? 'not back within the run' : `back at ${momentText(longest.to)}`
  return noteMarkup(`${count(falls)} ${falls === 1 ? 'fall' : 'falls'} in all, below the highest row for ` +
    `${percent(share, 1)} of the time; the longest took ${span(longest.lengthNs)}, ` +
    `from ${momentText(longest.from)}, ${end}.`)
}

function drawdownTable({ drawdowns, underwater, underlying }: ReportMoney, end: string): Markup {
  if (drawdowns.length === 0) return noteMarkup(`Equity in ${underlying} was never below its highest row.`)
  return html`${tableMarkup(`Deepest drawdowns, ${underlying}`, [
    ofNumbers('depth'), ofNumbers('of the peak'), ofWords('from'), ofWords('lowest'), ofWords('back at'),
    ofNumbers('length'), ofNumbers('recovery'),
  ], drawdowns.map(({ from, lowest, to, amount, share }) => [
    money(amount, underlying), percent(share, 3), momentText(from), momentText(lowest),
    to === null ? 'not within the run' : momentText(to), spanBetween(from, to ?? end),
    to === null ? NOTHING : spanBetween(lowest, to),
  ]))}${underwaterNote(underwater)}`
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
  const { unit, windowCount, epochMs, sharpe, volatility, notComputed } = rolling
  const words = unit === 'day' ? 'days' : 'hours'
  if (notComputed !== null)
    return noteMarkup(`Moving Sharpe ratio and volatility, ${underlying}: not computed: ${notComputed}.`)
  const draw = (name: string, label: string, values: Float64Array, unit: string | undefined): Markup => (
    figureMarkup((width) => pictures.line([{
      name: `${name} of the last ${String(windowCount)} ${words}, ${underlying}`,
      epochMs: Float64Array.from(epochMs), values,
    }], { label, withZero: true, width, ...(unit === undefined ? {} : { unit }) })))
  const percents = Float64Array.from(volatility, (one) => (one ?? NaN) * 100)
  return html`${draw('Sharpe ratio', 'ratio per year', Float64Array.from(sharpe, (one) => one ?? NaN), undefined)}
${draw('Volatility', 'volatility per year', percents, '%')}`
}

function shapePairs({ unit, ...shape }: ReportReturnShape, code: string): Markup {
  const { notComputed } = shape
  if (notComputed !== null) return noteMarkup(`Shape of the returns, ${code}: not computed: ${notComputed}.`)
  const share = (value: number | null): string => percent(value, 4)
  return html`<h3>Shape of the ${unit === 'day' ? 'daily' : 'hourly'} returns, ${code}</h3>${pairsMarkup([
    ['mean', share(shape.mean)], ['compounded, per year', percent(shape.yearly)],
    ['best', share(shape.best)], ['worst', share(shape.worst)],
    ['mean gain', share(shape.meanGain)], ['mean loss', share(shape.meanLoss)],
    ['longest row of gains', count(shape.longestGains)], ['longest row of losses', count(shape.longestLosses)],
    ['value at risk, 5 %', share(shape.valueAtRisk)], ['expected shortfall, 5 %', share(shape.expectedShortfall)],
    ['skewness', ratio(shape.skewness)], ['excess kurtosis', ratio(shape.excessKurtosis)],
    ['probability of a Sharpe ratio above 0, one try supposed', percent(shape.probabilisticSharpe, 1)],
  ])}`
}

/** Money and activity of each year, month and day. */
function activityTable({ years, months, days, underlying }: ReportMoney): Markup {
  const longer = [...(years.length > 1 ? years : []), ...(months.length > 1 ? months : [])]
  return html`<details><summary>Days and months in numbers, ${underlying}</summary>${tableMarkup(
    `Profit and activity, ${underlying} (UTC)`, [
      ofWords(''), ofNumbers('return'), ofNumbers('profit'), ofNumbers('fees'), ofNumbers('turnover'),
      ofNumbers('fills'), ofNumbers('deepest below the peak'),
    ], [...longer, ...days].map((one) => [
      one.period, percent(one.return, 3), money(one.profit, underlying), money(one.fees, underlying),
      money(one.turnover, underlying), count(one.fillCount), money(one.drawdown, underlying),
    ]))}</details>`
}

function sampleCount({ counts }: ReportHistogram): number {
  return counts.reduce((sum, one) => sum + one, 0)
}

/** Returns by month, day and hour, their distribution and shape, and the moving ratios. */
export function returnsSection({ money: parts }: RunReport): Markup {
  return html`${parts.map((part) => html`<div class="print-small">${dayTable(part)}</div>
${activityTable(part)}
<div class="grid"><div>${hourTables(part)}${shapePairs(part.shape, part.underlying)}</div>
<div>${rollingMarkup(part)}
${sampleCount(part.returns) >= LEAST_SAMPLES && histogramMarkup(
  `Returns of ${part.days.length >= 20 ? 'days' : 'hours'}, ${part.underlying}`, part.returns,
  (edge) => percent(edge, 3))}
</div></div>`)}`
}
