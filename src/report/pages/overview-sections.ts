import {
  hasOtherMoney, momentText, notValuedText, playedLine, ratioText, roundTripText, slippageText,
} from '../short-summary.js'
import { makerText } from '../summary-words.js'
import { html, type Markup } from '../../web/page-markup.js'
import { noteMarkup, ofNumbers, ofWords, pairsMarkup, tableMarkup, tilesMarkup } from './page-table.js'
import { count, money, NOTHING, percent, ratio, short, span, spanBetween } from './page-words.js'
import type { RunReport } from './report-data.js'
import type { ReportMoney } from './report-money.js'

/** The head of a page: strategy, span, instruments, and what must be known before anything else. */
export function leadMarkup({ title, summary, run: { about, parameters } }: RunReport): Markup {
  const own = Object.entries(parameters).map(([name, value]) => (
    `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`))
  const more = [about.name, about.note].filter((text) => text !== undefined && text !== '')
  return html`<h1>${title}</h1>
<p>${playedLine(summary)} (${spanBetween(summary.start, summary.end)})</p>
${more.length > 0 && html`<p>${more.join(': ')}</p>`}
<p>${own.join(', ')}</p>
`
}

/** Assumptions and warnings: what the figures below depend on. */
export function assumptionsSection({ assumptions, summary }: RunReport): Markup {
  const { warnings, halt, stop, isPartial, moneyNotes, planNotes = [] } = summary
  const facts = [
    ...(isPartial ? ['The run was stopped before its data ended: this is the result so far.'] : []),
    ...(halt === null ? [] : [`A gap ended the run: ${halt.instrument}, ${momentText(halt.time)}, ${halt.reason}`]),
    ...(stop === null ? [] : [`The strategy was ended at ${momentText(stop.time)}: ${stop.reason}`]),
    ...warnings,
  ]
  return html`${facts.map((text) => html`<p class="warning">${text}</p>
`)}${pairsMarkup(Object.entries(assumptions))}
${[...moneyNotes, ...planNotes].map(noteMarkup)}`
}

function tilesOf(report: RunReport, part: ReportMoney): Markup {
  const { summary, fees } = report
  const own = summary.money.find(({ underlying }) => underlying === part.underlying)
  if (own === undefined) return html``
  const code = own.underlying
  const paid = fees.find(({ underlying }) => underlying === code)
  const drawdown = own.maxDrawdown.share === null ? '' : percent(own.maxDrawdown.share)
  const { roundTrips } = own
  return tilesMarkup([
    [`profit, ${code}`, money(own.profit, code), `return ${percent(own.return, 3)}`],
    ['equity', money(own.endEquity, code), `from ${money(own.startEquity, code)}`],
    ['greatest drawdown', money(own.maxDrawdown.amount, code), drawdown],
    ['Sharpe, Sortino', `${ratio(own.sharpe)}, ${ratio(own.sortino)}`, own.returns.notComputed ??
      `${count(own.returns.sampleCount)} ${own.returns.unit === 'day' ? 'daily' : 'hourly'} returns`],
    ['fees', money(own.fees, code), paid === undefined ? undefined :
      `maker ${money(paid.maker, code)}, taker ${money(paid.taker, code)}`],
    ['funding and other flows', money(own.flows, code)],
    ['turnover', money(own.turnover, code)],
    ['round trips', count(roundTrips.count), `${percent(roundTrips.winRate, 1)} won, factor ` +
      ratio(roundTrips.profitFactor)],
  ].map(([name = '', value = '', more]) => (
    more === undefined ? [name, value] as const : [name, value, more] as const)))
}

function moneyPairs(report: RunReport): Markup {
  return html`${report.summary.money.map((own) => {
    const code = own.underlying
    const { returns } = own
    return html`<h3>${code}</h3>${pairsMarkup([
      ['realised profit', money(own.realizedPnl, code)], ['unrealised profit', money(own.unrealizedPnl, code)],
      ['ratios', ratioText(own)], ['volatility per year', percent(returns.volatility)],
      ['Calmar', ratio(returns.calmar)],
      [`${returns.unit === 'day' ? 'days' : 'hours'} with a gain`, percent(returns.winRate)],
      ['profit factor of returns', ratio(returns.profitFactor)], ['round trips', roundTripText(own.roundTrips)],
      ['slippage', slippageText(own.slippage, code)],
      ['drawdown from, to', own.maxDrawdown.amount === '0' ? 'none' :
        `${momentText(own.maxDrawdown.from)}, ${momentText(own.maxDrawdown.to)}`],
    ])}`
  })}`
}

/** The figures of the run. */
export function summarySection(report: RunReport): Markup {
  const { summary, money: parts, instruments } = report
  const { total, orders } = summary
  const all = tilesMarkup([
    ['orders', count(orders.orderCount), `${percent(orders.filledOrderShare, 1)} of accepted ones filled`],
    ['fills', count(summary.fillCount), makerText(summary)],
    ['exposure', percent(summary.exposure, 1), 'of the time of the data with a position'],
    ['instruments', count(instruments.length), `${count(summary.markets.length)} asked for`],
    ...(hasOtherMoney(summary) ? [[
      `profit of all, ${total.currency}`, total.profit === null ? NOTHING : money(total.profit, total.currency),
      total.profit === null ? notValuedText(total) : percent(total.return),
    ] as const] : []),
  ])
  const rows = summary.instruments.map((one) => [
    one.instrument, one.accountId, money(one.profit, one.underlying), one.underlying, count(one.fillCount),
    count(one.makerFillCount), percent(one.makerShare, 1), percent(one.fillRatio, 1),
    money(one.turnover, one.underlying),
    one.netTraded ?? one.position ?? NOTHING, one.lowestPosition, one.highestPosition,
    short(one.averageEntryPrice), short(one.markPrice), one.meanQuantityAhead === null ? NOTHING :
      short(one.meanQuantityAhead),
  ])
  return html`${parts.map((part) => tilesOf(report, part))}
${all}
${rows.length > 0 && tableMarkup('By account and instrument', [
    ofWords('instrument'), ofWords('account'), ofNumbers('profit'), ofWords(''), ofNumbers('fills'),
    ofNumbers('maker fills'), ofNumbers('maker, of the value'), ofNumbers('filled quantity'), ofNumbers('turnover'),
    ofNumbers('position'), ofNumbers('lowest'), ofNumbers('highest'),
    ofNumbers('mean entry'), ofNumbers('valued at'), ofNumbers('mean ahead'),
  ], rows)}
<details open><summary>All figures by currency</summary>${moneyPairs(report)}</details>
${dataNotes(report)}`
}

/** Where the figures come from: samples, times of the data. */
function dataNotes({ summary: { sampling, markets } }: RunReport): Markup {
  const left = sampling.leftOutCount === 0 ? '' : `, ${count(sampling.leftOutCount)} without an event left out`
  const sentence = `Equity is sampled every ${span(sampling.intervalNs)} of market time: ` +
    `${count(sampling.intervalCount)} whole intervals${left}.`
  return html`${noteMarkup(sentence)}${markets.length > 0 && tableMarkup('Data', [
    ofWords('instrument'), ofWords('first line received'), ofWords('last line received'),
    ofNumbers('times moved'), ofNumbers('without a book'),
  ], markets.map(({ instrument, firstEvent, lastEvent, clampedTimes: times, bookUnknownNs }) => [
    instrument, firstEvent === null ? NOTHING : momentText(firstEvent),
    lastEvent === null ? NOTHING : momentText(lastEvent),
    count(times === null ? null : Object.values(times).reduce((sum, one) => sum + one, 0)),
    span(bookUnknownNs),
  ]))}`
}
