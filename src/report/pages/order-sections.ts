import type { LatencyQuantiles } from '../../model/latency-sketch.js'
import { pictures } from '../plots/pictures.js'
import { momentText } from '../short-summary.js'
import { orderRows } from './order-rows.js'
import { figureMarkup } from './page-pictures.js'
import { html, Markup } from '../../web/page-markup.js'
import { noteMarkup, ofNumbers, ofWords, pairsMarkup, tableMarkup, tilesMarkup } from './page-table.js'
import { count, money, NOTHING, percent, short, span } from './page-words.js'
import type { ReportAbout, ReportLatency, ReportMoment, RunReport } from './report-data.js'
import type { ReportHistogram } from './report-series.js'

/** Orders by their ends, and rejections by reason. */
export function statesSection({ summary: { orders, rejections } }: RunReport): Markup {
  const { byState, orderCount, touchedByGapCount, openAtEndCount, acceptedCount } = orders
  if (orderCount === 0 && rejections.length === 0) return noteMarkup('There was no order.')
  return html`${tilesMarkup([
    ['sent', count(orderCount)], ['accepted', count(acceptedCount)],
    ...Object.entries(byState).map(([state, number]) => (
      [state, count(number), percent(orderCount === 0 ? null : number / orderCount, 1)] as const)),
    ['open at the end', count(openAtEndCount)], ['touched by a gap', count(touchedByGapCount)],
  ])}${rejections.length === 0 ? noteMarkup('Nothing was rejected.') : tableMarkup('Rejected requests', [
    ofWords('request'), ofWords('by'), ofWords('reason'), ofNumbers('count'),
  ], rejections.map((one) => [one.request, one.source, one.type, count(one.count)]))}`
}

/** Latencies: quantiles and distributions. */
export function latencySection({ latencies }: RunReport): Markup {
  const measured = latencies.filter(({ quantiles }) => quantiles.count > 0)
  if (measured.length === 0) return noteMarkup('No latency was measured.')
  return html`${tableMarkup('Latencies', [
    ofWords(''), ofNumbers('count'), ofNumbers('least'), ofNumbers('median'), ofNumbers('90 %'), ofNumbers('99 %'),
    ofNumbers('99.9 %'), ofNumbers('greatest'), ofNumbers('below 0'),
  ], measured.map(({ name, quantiles: one }) => [
    name, count(one.count), span(one.smallestNs), span(one.medianNs), span(one.p90Ns), span(one.p99Ns),
    span(one.p999Ns), span(one.largestNs), count(one.negativeCount),
  ]))}${latencyFigure(measured)}`
}

/** The part of the messages with at most a latency. */
function latencyFigure(measured: readonly ReportLatency[]): Markup {
  return figureMarkup((width) => pictures.latency(measured.map(({ name, quantiles: one, histogram }) => {
    const points: readonly (readonly [ns: number | null, share: number])[] = histogram === null ? [
      [one.smallestNs, 0], [one.medianNs, 0.5], [one.p90Ns, 0.9], [one.p99Ns, 0.99], [one.p999Ns, 0.999],
      [one.largestNs, 1],
    ] : cumulated(histogram, one)
    return {
      name, latenciesMs: Float64Array.from(points, ([ns]) => (ns ?? NaN) / 1e6),
      shares: Float64Array.from(points, ([, share]) => share),
    }
  }), { width }))
}

/** Ends of bins and the part of all that lies before them. */
function cumulated(
  { edges, counts }: ReportHistogram, { count: total, smallestNs, largestNs }: LatencyQuantiles,
): (readonly [ns: number, share: number])[] {
  let sum = total - counts.reduce((all, one) => all + one, 0)
  const within = (ns: number): number => Math.min(Math.max(ns, smallestNs ?? ns), largestNs ?? ns)
  return [
    [within(edges[0] ?? 0), sum / total],
    ...counts.map((one, at) => [within(edges[at + 1] as number), (sum += one) / total] as const),
  ]
}

/** Fees, funding, interest and whatever else the exchange moved. */
export function costSection({ fees, summary }: RunReport): Markup {
  const { moneyEvents, money: sums, wallets = [], usdRates } = summary
  return html`${fees.length > 0 && tableMarkup('Fees of fills; positive is a cost', [
    ofWords(''), ofNumbers('maker'), ofNumbers('taker'), ofNumbers('of the turnover'),
  ], fees.map(({ underlying, maker, taker }) => {
    const own = sums.find((one) => one.underlying === underlying)
    const turnover = Number(own?.turnover ?? 0)
    return [
      underlying, money(maker, underlying), money(taker, underlying),
      own === undefined || turnover === 0 ? NOTHING : `${short((Number(own.fees) / turnover) * 10_000)} bp`,
    ]
  }))}${moneyEvents.length === 0 ? noteMarkup('There was no funding, interest or other flow.') : tableMarkup(
    'Funding and other flows', [
      ofWords('kind'), ofWords('account'), ofWords('instrument'), ofNumbers('events'), ofNumbers('amount'), ofWords(''),
      ofNumbers('fees of it'),
    ], moneyEvents.map((one) => [
      one.kind, one.accountId, one.instrument, count(one.count), money(one.amount, one.underlying), one.underlying,
      money(one.fees, one.underlying),
    ]))}${wallets.length > 0 && tableMarkup('Wallets at the end', [
    ofWords('account'), ofWords(''), ofNumbers('balance'), ofNumbers('borrowed'),
  ], wallets.map((one) => [one.accountId, one.underlying, one.cashBalance, one.borrowed]))}${
    usdRates.length > 0 && pairsMarkup(usdRates.map(({ underlying, usd, declaredBy }) => (
      [`${underlying} in USD, declared by the ${declaredBy}`, usd] as const)))}`
}

/** Times without a book. */
export function unknownBookSection({ bookUnknown, summary: { markets } }: RunReport): Markup {
  const rows = markets.map(({ instrument, bookUnknownCount, bookUnknownNs, crossedGapCount, crossedGapNs }) => [
    instrument, count(bookUnknownCount), span(bookUnknownNs), count(crossedGapCount), span(crossedGapNs),
  ])
  return html`${noteMarkup('Times in which the recording has no trustworthy book: the exchange could not say what ' +
    'would have filled; what then happens to orders is the assumption "gaps".')}${rows.length > 0 && tableMarkup(
    'Without a book at the exchange', [
      ofWords('instrument'), ofNumbers('times'), ofNumbers('length'), ofNumbers('crossed'), ofNumbers('length'),
    ], rows)}${
    bookUnknown.length > 0 && tableMarkup(`The first ${count(bookUnknown.length)}`, [
      ofWords('instrument'), ofWords('last good line'), ofWords('noticed'), ofWords('book again'), ofWords('reason'),
    ], bookUnknown.map((one) => [
      one.instrument, one.since === null ? NOTHING : momentText(one.since), momentText(one.detected),
      one.end === null ? 'not within the run' : momentText(one.end), one.reason,
    ]))}`
}

function ladderMarkup({ instrument, bids, asks }: ReportMoment['books'][number]): Markup {
  const side = (name: string, levels: typeof bids): Markup => html`<div><div class="head"><span>${name}</span>
<span>quantity</span></div>${levels.map(([price, quantity]) => html`<div><span>${price}</span>
<span>${quantity}</span></div>`)}${levels.length === 0 && html`<div><span>empty</span></div>`}</div>`
  return html`<h4>${instrument}</h4><div class="ladder">${side('bid', bids)}${side('ask', asks)}</div>`
}

/** The worst moments with their books. */
export function momentSection({ worst, run, summary: { sampling } }: RunReport): Markup {
  if (worst.length === 0) return noteMarkup('Equity never fell from one sample to the next.')
  return html`${noteMarkup(`The greatest falls of equity between two samples (${span(sampling.intervalNs)} apart), ` +
    'and the books at their ends as the strategy saw them.')}
<div class="grid three">${worst.map((one) => html`<div class="moment">
<h3>${momentText(one.time)}: ${html`\u2212`}${money(one.fall, one.underlying)} ${one.underlying}</h3>
${noteMarkup(`since ${momentText(one.since)}, to ${money(one.equity, one.underlying)} ${one.underlying}; ` +
  `${count(one.fillCount)} own fills in between`)}${viewLine(run.about, one)}${
    one.books.map(ladderMarkup)}</div>`)}</div>`
}

/** The command that steps through a moment; nothing for a run without a run file. */
function viewLine({ file, overrides }: ReportAbout, { since, time }: ReportMoment): Markup | false {
  if (file === undefined) return false
  const words = `backtape view ${file} --from ${since} --to ${time}${overrides === undefined ? '' : ` ${overrides}`}`
  return html`<p class="note">Step through it: <code>${words}</code></p>`
}

/** The table of orders with search, sorting and pages. */
export function ordersSection({ orders }: RunReport): Markup {
  const { headings, first, rowCount, packed } = orderRows(orders)
  if (rowCount === 0) return noteMarkup('There was no order.')
  const button = (name: string, word: string): Markup => (
    html`<button type="button" id="orders-${name}" disabled>${word}</button>`)
  return html`<div class="tools"><input type="search" id="orders-search" disabled
placeholder="search: id, state, price, 12:03:" aria-label="Search the orders" autocomplete="off" spellcheck="false">
${button('first', 'First')}${button('previous', 'Previous')}${button('next', 'Next')}${button('last', 'Last')}</div>
<p class="note" id="orders-status" role="status" aria-live="polite">The first ${count(first.length)} of
${count(rowCount)} orders; report.json has all.</p>
<div class="scroll print-small" id="orders-table" tabindex="0" role="region" aria-label="Orders"><table>
<thead><tr>${headings.map(({ name, isNumber }) => html`<th scope="col"${isNumber && html` class="n"`}>
<button type="button">${name}</button></th>`)}</tr></thead>
<tbody>${first.map((row) => html`<tr>${row.map((cell, at) => (
    html`<td${headings[at]?.isNumber === true && html` class="n"`}>${cell}</td>`))}</tr>
`)}</tbody></table></div>
<p class="note">/ goes to the search, Escape empties it; a heading sorts; PageUp and PageDown turn pages within the
table.</p>
<script type="text/plain" id="orders-rows">${new Markup(packed)}</script>`
}
