import { pictures } from '../plots/pictures.js'
import type { LineSeries } from '../plots/line-picture.js'
import { figureMarkup, pointsOf } from './page-pictures.js'
import { html, type Markup } from '../../web/page-markup.js'
import { noteMarkup, ofNumbers, ofWords, tableMarkup } from './page-table.js'
import { NOTHING, percent, ratio, short } from './page-words.js'
import type { RunReport } from './report-data.js'
import type { ReportExposure, ReportMoney } from './report-money.js'
import type { ReportSeries } from './report-series.js'

/** Instruments beside the strategy. */
const SHOWN = 3

/** A series as its distance from its first value, per cent. */
function grown(name: string, series: ReportSeries, first: number): LineSeries {
  const { epochMs, values } = pointsOf(series)
  return { name, epochMs, values: values.map((value) => (value / first - 1) * 100) }
}

function curves({ instruments }: RunReport, part: ReportMoney, start: number): Markup {
  const held = part.benchmarks.slice(0, SHOWN).flatMap(({ instrument, firstPrice }) => {
    const price = instruments.find((one) => one.instrument === instrument)?.price
    return price === undefined || !(firstPrice > 0) ? [] : [grown(`holding ${instrument}`, price, firstPrice)]
  })
  return figureMarkup((width) => pictures.line([grown('strategy', part.equity, start), ...held], {
    title: `Return beside buying and holding, ${part.underlying}`, label: 'return', unit: '%', withZero: true, width,
  }))
}

function benchmarkTable({ benchmarks, underlying }: ReportMoney): Markup {
  const reasons = [...new Set(benchmarks.flatMap(({ notComputed }) => notComputed ?? []))]
  return html`${tableMarkup(`Buying and holding, beside returns in ${underlying}`, [
    ofWords('instrument'), ofNumbers('first mid'), ofNumbers('last mid'), ofNumbers('return'),
    ofNumbers('volatility per year'), ofNumbers('Sharpe'), ofNumbers('drawdown'), ofNumbers('beta'),
    ofNumbers('correlation'), ofNumbers('alpha per year'), ofNumbers('tracking error'),
    ofNumbers('information ratio'),
  ], benchmarks.map((one) => [
    one.instrument, short(one.firstPrice), short(one.lastPrice), percent(one.return, 3), percent(one.volatility),
    ratio(one.sharpe), percent(one.maxDrawdown), ratio(one.beta), ratio(one.correlation), percent(one.alpha),
    percent(one.trackingError), ratio(one.informationRatio),
  ]))}${reasons.map((reason) => noteMarkup(`${NOTHING} not computed: ${reason}.`))}`
}

/** Returns beside those of buying each instrument and holding it. */
export function benchmarkSection(report: RunReport): Markup {
  const shown = report.money.filter(({ benchmarks }) => benchmarks.length > 0)
  if (shown.length === 0) return noteMarkup('Nothing with a price was traded.')
  const note = 'One unit bought at the first mid and held, without fees and funding; its returns are of the same ' +
    'periods as the ratios of the summary, its drawdown is of the samples of equity.'
  return html`${noteMarkup(note)}<div class="grid">${shown.map((part) => {
    const start = Number(report.summary.money.find(({ underlying }) => underlying === part.underlying)?.startEquity)
    const picture = start > 0 ? curves(report, part, start) : noteMarkup('The account starts at 0: no return.')
    return html`<div>${picture}</div>
<div>${benchmarkTable(part)}</div>`
  })}</div>`
}

/** The value of positions and the leverage while there were data, as equity is drawn. */
function exposureFigure({ exposure, equity, underlying: code }: ReportMoney): Markup {
  const { epochMs, gross, net, leverage } = exposure
  const [from, to] = [equity.epochMs[0] ?? -Infinity, (equity.epochMs.at(-1) ?? Infinity) + equity.bucketMs]
  const seen = [...epochMs.keys()].filter((at) => (epochMs[at] as number) >= from && (epochMs[at] as number) <= to)
  const values = (of: readonly (number | null)[]): Float64Array => Float64Array.from(seen, (at) => of[at] ?? NaN)
  const times = values(epochMs)
  return html`${figureMarkup((width) => pictures.line([
    { name: 'all, long and short', epochMs: times, values: values(gross) },
    { name: 'long less short', epochMs: times, values: values(net) },
  ], {
    title: `Value of positions, ${code}`, label: 'value', unit: code, withZero: true, steps: true, width,
  }))}${
    leverage.some((one) => one !== null) && figureMarkup((width) => pictures.line(
      [{ name: 'leverage', epochMs: times, values: values(leverage) }],
      {
        title: `Leverage: value over equity, ${code}`, label: 'value over equity', withZero: true, steps: true, width,
      }))}`
}

/** A sentence on the leverage of the run. */
function leverageNote({ meanLeverage: mean, greatestLeverage: greatest }: ReportExposure): Markup | false {
  return mean !== null && greatest !== null && noteMarkup(
    `Means are over the time that the data cover. Leverage: mean ${short(mean)}, greatest ${short(greatest)}.`)
}

/** The value of positions over time in each currency. */
export function exposureMarkup({ money: parts }: RunReport): Markup {
  return html`${parts.filter(({ exposure }) => exposure.epochMs.length > 0).map((part) => html`
<div class="grid">${exposureFigure(part)}</div>${tableMarkup(`Value of positions, ${part.underlying}`, [
  ofWords('instrument'), ofNumbers('mean size'), ofNumbers('greatest size'), ofNumbers('mean, long less short'),
], part.exposure.instruments.map((one) => [
  one.instrument, short(one.meanGross), short(one.greatestGross), short(one.meanNet),
]))}${leverageNote(part.exposure)}`)}`
}
