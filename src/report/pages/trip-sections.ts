import { momentText } from '../short-summary.js'
import { html, type Markup } from '../../web/page-markup.js'
import { histogramMarkup } from './page-pictures.js'
import { noteMarkup, ofNumbers, ofWords, tableMarkup } from './page-table.js'
import { count, money, NOTHING, percent, ratio, short, span } from './page-words.js'
import type { RunReport } from './report-data.js'
import type { ReportTrip, ReportTripGroup } from './report-money.js'

/** Instruments in the table of round trips by instrument. */
const INSTRUMENTS_SHOWN = 30

type Row = readonly [name: string, value: (group: ReportTripGroup, code: string) => string]

/** The figures of a group of round trips, the most asked first. */
const ROWS: readonly Row[] = [
  ['closed', ({ count: own }) => count(own)],
  ['won', ({ winRate }) => percent(winRate, 1)],
  ['profit, net of fees', ({ profit }, code) => money(profit, code)],
  ['profit factor', ({ profitFactor }) => ratio(profitFactor)],
  ['mean profit: the expectancy', ({ meanProfit }) => short(meanProfit)],
  ['mean win', ({ meanWin }) => short(meanWin)],
  ['mean loss', ({ meanLoss }) => short(meanLoss)],
  ['mean win over mean loss', ({ payoff }) => ratio(payoff)],
  ['greatest win', ({ greatestWin }) => short(greatestWin)],
  ['greatest loss', ({ greatestLoss }) => short(greatestLoss)],
  ['standard deviation', ({ deviation }) => short(deviation)],
  ['quality: root of n, mean over deviation', ({ quality }) => ratio(quality)],
  ['longest row of wins', ({ longestWins }) => count(longestWins)],
  ['longest row of losses', ({ longestLosses }) => count(longestLosses)],
  ['median time held', ({ medianHoldingNs }) => span(medianHoldingNs)],
  ['mean time held', ({ meanHoldingNs }) => span(meanHoldingNs)],
  ['mean time held of wins', ({ meanWinHoldingNs }) => span(meanWinHoldingNs)],
  ['mean time held of losses', ({ meanLossHoldingNs }) => span(meanLossHoldingNs)],
  ['mean profit on the way (MFE)', ({ meanFavorable }) => short(meanFavorable)],
  ['greatest profit on the way', ({ greatestFavorable }) => short(greatestFavorable)],
  ['mean loss on the way (MAE)', ({ meanAdverse }) => short(meanAdverse)],
  ['greatest loss on the way', ({ greatestAdverse }) => short(greatestAdverse)],
]

function groupTable(groups: readonly ReportTripGroup[], code: string): Markup {
  return tableMarkup(`Closed round trips, ${code}`, [
    ofWords(''), ...groups.map(({ group }) => ofNumbers(group)),
  ], ROWS.map(([name, value]) => [name, ...groups.map((group) => value(group, code))]))
}

function instrumentTable(groups: readonly ReportTripGroup[], code: string): Markup {
  const sorted = [...groups].sort((a, b) => Number(b.profit) - Number(a.profit)).slice(0, INSTRUMENTS_SHOWN)
  return tableMarkup(`Round trips by instrument, ${code}`, [
    ofWords('instrument'), ofNumbers('closed'), ofNumbers('won'), ofNumbers('profit'), ofNumbers('factor'),
    ofNumbers('mean'), ofNumbers('median held'), ofNumbers('mean MFE'), ofNumbers('mean MAE'),
  ], sorted.map((one) => [
    one.group, count(one.count), percent(one.winRate, 1), money(one.profit, code), ratio(one.profitFactor),
    short(one.meanProfit), span(one.medianHoldingNs), short(one.meanFavorable), short(one.meanAdverse),
  ]))
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
  const shown = parts.filter(({ trips }) => (trips.groups[0]?.count ?? 0) > 0)
  if (shown.length === 0) return noteMarkup('No round trip was closed.')
  return html`${noteMarkup('Quantities from their opening to their closing, first in, first out: a fill that closes ' +
    'several is several round trips. Profits and losses on the way are before fees, looked at once a second.')}${
    shown.map(({ trips, underlying }) => html`
<div class="grid"><div>${groupTable(trips.groups, underlying)}</div>
<div>${histogramMarkup(`Profit of a round trip, ${underlying}`, trips.profits, (edge) => short(edge))}
${histogramMarkup('Time held, bins of equal ratio', trips.holdingS, (edge) => span(edge * 1e9))}</div>
<div>${trips.best.length > 0 && tripTable('Best', trips.best, underlying)}</div>
<div>${trips.worst.length > 0 && tripTable('Worst', trips.worst, underlying)}</div></div>
${trips.byInstrument.length > 0 && instrumentTable(trips.byInstrument, underlying)}`)}`
}
