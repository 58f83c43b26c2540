import { Decimal, quotientTo18 } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import { ascendingOf, histogramOf, quantileOf, ratioHistogramOf } from './distribution.js'
import type { ReportMoney, ReportTrip, ReportTripGroup } from './report-data.js'
import type { TradeInput } from './report-input.js'

/** Round trips that are shown of the best and of the worst. */
const SHOWN = 5
const ZERO: Decimal = new Decimal(0)

interface Trip {
  readonly row: TradeInput
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

function groupOf(group: string, trips: readonly Trip[]): ReportTripGroup {
  const [wins, losses] = [trips.filter(({ profit }) => profit.gt(0)), trips.filter(({ profit }) => profit.lt(0))]
  return {
    group, count: trips.length, winCount: wins.length, profit: sumOf(trips).toFixed(), meanProfit: meanOf(trips),
    meanWin: meanOf(wins), meanLoss: meanOf(losses),
    medianHoldingNs: quantileOf(ascendingOf(trips.map(({ row }) => Number(row.holding_ns))), 0.5),
    longestLosses: longestLosses(trips),
  }
}

function shown({ row }: Trip): ReportTrip {
  return {
    instrument: row.instrument, direction: row.side === 'BID' ? 'long' : 'short', entry: isoFromEpochNs(row.entry_ts),
    exit: row.exit_ts === null ? '' : isoFromEpochNs(row.exit_ts), qty: row.qty, entryPrice: row.entry_price,
    exitPrice: row.exit_price, profit: row.profit, holdingNs: Number(row.holding_ns),
  }
}

/** The closed round trips of one underlying: groups, distributions, the best and the worst. */
export function tripParts(rows: readonly TradeInput[]): ReportMoney['trips'] {
  const closed = rows.filter((row) => !row.is_open).map((row): Trip => ({ row, profit: new Decimal(row.profit) }))
  const sorted = [...closed].sort((a, b) => b.profit.cmp(a.profit))
  const side = (name: string): readonly Trip[] => closed.filter(({ row }) => row.side === name)
  return {
    groups: [groupOf('all', closed), groupOf('long', side('BID')), groupOf('short', side('ASK'))],
    profits: histogramOf(closed.map(({ profit }) => profit.toNumber())),
    holdingS: ratioHistogramOf(closed.map(({ row }) => Number(row.holding_ns) / 1e9)),
    best: sorted.slice(0, SHOWN).filter(({ profit }) => profit.gt(0)).map(shown),
    worst: sorted.slice(-SHOWN).filter(({ profit }) => profit.lt(0)).reverse().map(shown),
  }
}
