import { Decimal, quotientTo18 } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import { ascendingOf, histogramOf, quantileOf, ratioHistogramOf } from './distribution.js'
import type { ReportMoney, ReportTrip, ReportTripGroup } from './report-data.js'
import type { ColumnsInput, TradeInput } from './report-input.js'

/** Round trips that are shown of the best and of the worst. */
const SHOWN = 5
const ZERO: Decimal = new Decimal(0)

type Trades = ColumnsInput<TradeInput>

interface Trip {
  /** Its row of the table. */
  readonly row: number
  readonly profit: Decimal
}

function sumOf(trips: readonly Trip[]): Decimal {
  return trips.reduce((sum, { profit }) => sum.plus(profit), ZERO)
}

function meanOf(trips: readonly Trip[]): string | null {
  return trips.length === 0 ? null : quotientTo18(sumOf(trips), new Decimal(trips.length)).toFixed()
}

function longestLosses(trips: readonly Trip[]): number {
  let [longest, running] = [0, 0]
  for (const { profit } of trips) {
    running = profit.lt(0) ? running + 1 : 0
    longest = Math.max(longest, running)
  }
  return longest
}

function groupOf(group: string, trips: readonly Trip[], holdingNs: readonly bigint[]): ReportTripGroup {
  const [wins, losses] = [trips.filter(({ profit }) => profit.gt(0)), trips.filter(({ profit }) => profit.lt(0))]
  return {
    group, count: trips.length, winCount: wins.length, profit: sumOf(trips).toFixed(), meanProfit: meanOf(trips),
    meanWin: meanOf(wins), meanLoss: meanOf(losses),
    medianHoldingNs: quantileOf(ascendingOf(trips.map(({ row }) => Number(holdingNs[row]))), 0.5),
    longestLosses: longestLosses(trips),
  }
}

function shownOf(trades: Trades, row: number): ReportTrip {
  const of = <Name extends keyof TradeInput>(name: Name): TradeInput[Name] => (
    trades.values(name)[row] as TradeInput[Name])
  const exit = of('exit_ts')
  return {
    instrument: of('instrument'), direction: of('side') === 'BID' ? 'long' : 'short',
    entry: isoFromEpochNs(of('entry_ts')), exit: exit === null ? '' : isoFromEpochNs(exit), qty: of('qty'),
    entryPrice: of('entry_price'), exitPrice: of('exit_price'), profit: of('profit'),
    holdingNs: Number(of('holding_ns')),
  }
}

/** The closed round trips of one underlying: groups, distributions, the best and the worst. */
export function tripParts(trades: Trades, underlying: string): ReportMoney['trips'] {
  const [underlyings, isOpen, sides] = [trades.values('underlying'), trades.values('is_open'), trades.values('side')]
  const [profits, holdingNs] = [trades.values('profit'), trades.values('holding_ns')]
  const closed: Trip[] = []
  for (const [row, profit] of profits.entries())
    if (underlyings[row] === underlying && isOpen[row] === false) closed.push({ row, profit: new Decimal(profit) })
  const sorted = [...closed].sort((a, b) => b.profit.cmp(a.profit))
  const side = (name: string): readonly Trip[] => closed.filter(({ row }) => sides[row] === name)
  const shown = ({ row }: Trip): ReportTrip => shownOf(trades, row)
  return {
    groups: [
      groupOf('all', closed, holdingNs), groupOf('long', side('BID'), holdingNs),
      groupOf('short', side('ASK'), holdingNs),
    ],
    profits: histogramOf(closed.map(({ profit }) => profit.toNumber())),
    holdingS: ratioHistogramOf(closed.map(({ row }) => Number(holdingNs[row]) / 1e9)),
    best: sorted.slice(0, SHOWN).filter(({ profit }) => profit.gt(0)).map(shown),
    worst: sorted.slice(-SHOWN).filter(({ profit }) => profit.lt(0)).reverse().map(shown),
  }
}
