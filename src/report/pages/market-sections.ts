import { pictures } from '../plots/pictures.js'
import type { FillColumns } from '../plots/price-picture.js'
import { exposureMarkup } from './benchmark-sections.js'
import { figureMarkup, pointsOf } from './page-pictures.js'
import { html, type Markup } from '../../web/page-markup.js'
import { noteMarkup, ofNumbers, ofWords, tableMarkup } from './page-table.js'
import { count, NOTHING, percent, short, span } from './page-words.js'
import type { ReportInstrument, ReportTable, RunReport } from './report-data.js'
import { columnOf, rowsOfTable, timesOf } from './report-rows.js'
import type { ReportSeries } from './report-series.js'

/** Instruments with pictures of their own. */
const SHOWN = 8

/** Own fills of an instrument for a picture. */
function fillsOf(fills: ReportTable, instrument: string): FillColumns {
  const table = rowsOfTable(fills)
  const [named, time, price, side] = [
    columnOf(table, 'instrument'), columnOf(table, 'exchange_ts'), columnOf(table, 'price'), columnOf(table, 'side'),
  ]
  const rows = Uint32Array.from({ length: table.rowCount }, (_, row) => row).filter((row) => (
    named?.at(row) === instrument))
  const [epochMs, prices] = [time === null ? null : timesOf(time).epochMs, price?.numbers()]
  return {
    epochMs: Float64Array.from(rows, (row) => epochMs?.[row] ?? NaN),
    prices: Float64Array.from(rows, (row) => prices?.[row] ?? NaN),
    sides: Uint8Array.from(rows, (row) => (side?.at(row) === 'BID' ? 0 : 1)),
  }
}

function withPictures({ instruments }: RunReport): readonly ReportInstrument[] {
  return [...instruments].sort((a, b) => b.fillCount - a.fillCount).slice(0, SHOWN)
}

function leftOut({ instruments }: RunReport): Markup | false {
  return instruments.length > SHOWN && noteMarkup(
    `The ${String(SHOWN)} of ${String(instruments.length)} instruments with the most fills; report.json has all.`,
  )
}

/** Times of a course, which the run begins and ends, moved into those in which there were prices. */
function whileSeen(epochMs: readonly number[], { epochMs: seen, bucketMs }: ReportSeries): Float64Array {
  const [from, to] = [seen[0] ?? -Infinity, (seen.at(-1) ?? Infinity) + bucketMs]
  return Float64Array.from(epochMs, (time, at) => (
    at === 0 ? Math.max(time, Math.min(from, epochMs[1] ?? from)) :
      at === epochMs.length - 1 ? Math.min(time, Math.max(to, epochMs[at - 1] ?? to)) : time))
}

/** The position in each instrument over time. */
export function positionSection(report: RunReport): Markup {
  const rows = report.instruments.flatMap(({ instrument, positions }) => positions.map((one) => [
    instrument, one.account, percent(one.longShare, 1), percent(one.shortShare, 1),
    one.longShare === null || one.shortShare === null ? NOTHING : percent(1 - one.longShare - one.shortShare, 1),
  ]))
  if (rows.length === 0) return noteMarkup('There was no fill, hence no position.')
  return html`<div class="grid">${withPictures(report).filter(({ positions }) => positions.length > 0).map((one) => (
    figureMarkup((width) => pictures.line(one.positions.map(({ account, epochMs, position }) => ({
      name: account, epochMs: whileSeen(epochMs, one.price), values: Float64Array.from(position),
    })), { title: `Position, ${one.instrument}`, label: 'position', steps: true, withZero: true, width }))))}</div>
${leftOut(report)}${tableMarkup('Exposure: parts of the time', [
    ofWords('instrument'), ofWords('account'), ofNumbers('long'), ofNumbers('short'), ofNumbers('flat'),
  ], rows)}${exposureMarkup(report)}`
}

/** The price of each instrument with own fills. */
export function priceSection(report: RunReport): Markup {
  const shown = withPictures(report).filter(({ price, fillCount }) => price.epochMs.length > 0 || fillCount > 0)
  if (shown.length === 0) return noteMarkup('No price was seen.')
  return html`<div class="grid">${shown.map(({ instrument, price }) => {
    const { epochMs, values } = pointsOf(price)
    const fills = fillsOf(report.fills, instrument)
    return figureMarkup((width) => pictures.price(
      { mids: { epochMs, prices: values }, fills }, { title: `Price and own fills, ${instrument}`, width },
    ))
  })}</div>${leftOut(report)}${noteMarkup(
    'Mids as the strategy saw them, looked at once a second, in long runs less often; fills at the exchange.')}`
}

/** The course of the market after fills. */
export function markOutSection(report: RunReport): Markup {
  const shown = report.instruments.filter(({ markOuts }) => markOuts.length > 0)
  if (shown.length === 0) return noteMarkup('There was no fill to measure.')
  return html`${noteMarkup('Mid less price for buys, price less mid for sells, per unit, after the fill was ' +
    'received: above 0 the market went the way of the fill. The mean is weighted by quantity.')}
<div class="grid">${shown.map((one) => (
    html`<div>${curvesMarkup(one)}</div><div>${tableMarkup(
    `Mark-outs, ${one.instrument}`, [
      ofNumbers('after'), ofWords('fills'), ofNumbers('measured'), ofNumbers('mean'), ofNumbers('25 %'),
      ofNumbers('median'), ofNumbers('75 %'),
    ], one.markOuts.map((row) => [
      span(row.horizonNs), row.liquidity, count(row.measuredCount), short(row.mean), short(row.p25), short(row.median),
      short(row.p75),
    ]))}</div>`))}</div>`
}

/** Mean mark-outs by horizon. */
function curvesMarkup({ instrument, markOuts }: ReportInstrument): Markup {
  const names = [...new Set(markOuts.map(({ liquidity }) => liquidity))]
  const series = names.map((name) => {
    const own = markOuts.filter(({ liquidity }) => liquidity === name)
    return {
      name: name === 'all' ? 'all fills' : name, horizonsMs: Float64Array.from(own, (one) => one.horizonNs / 1e6),
      means: Float64Array.from(own, ({ mean }) => (mean === null ? NaN : Number(mean))),
    }
  })
  return figureMarkup((width) => pictures.markOuts(series, { title: `Mark-outs, ${instrument}`, width }))
}

/** Fill quality by the place in the queue. */
export function queueSection(report: RunReport): Markup {
  const shown = report.instruments.filter(({ queue }) => queue.length > 0)
  if (shown.length === 0) return noteMarkup('No order came to rest with a known place in its queue.')
  return html`${noteMarkup('Orders that came to rest, by the public quantity ahead of them when they last did: none, ' +
    'and quarters of the others. Where deep queues fill with bad mark-outs, the profit hangs on the queue model.')}${
    shown.map((one) => tableMarkup(`Fills by queue, ${one.instrument}`, [
      ofNumbers('ahead from'), ofNumbers('to'), ofNumbers('orders'), ofNumbers('filled'), ofNumbers('share'),
      ofNumbers('median time to the end'), ofNumbers('mean mark-out 1 s'),
    ], one.queue.map((bin) => [
      short(bin.from), short(bin.to), count(bin.orderCount), count(bin.filledCount),
      percent(bin.filledCount / bin.orderCount, 1), span(bin.medianFillNs), short(bin.markOut1s),
    ])))}`
}
