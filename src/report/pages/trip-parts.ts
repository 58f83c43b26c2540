import { tradeStatistics, type ClosedTrade } from '../../measures/trade-statistics.js'
import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import { histogramOf, ratioHistogramOf } from './distribution.js'
import type { ReportMoney, ReportTrip, ReportTripGroup } from './report-money.js'
import type { TradeInput } from './report-input.js'

/** Round trips that are shown of the best and of the worst. */
const SHOWN = 5

interface Trip extends ClosedTrade {
  readonly row: TradeInput
}

function tripOf(row: TradeInput): Trip {
  return {
    row, profit: new Decimal(row.profit), holdingNs: Number(row.holding_ns),
    favorable: new Decimal(row.favorable_excursion), adverse: new Decimal(row.adverse_excursion),
  }
}

function groupOf(group: string, trips: readonly Trip[]): ReportTripGroup {
  const {
    profit, meanProfit, meanWin, meanLoss, greatestWin, greatestLoss, meanFavorable, meanAdverse, greatestFavorable,
    greatestAdverse, ...counts
  } = tradeStatistics(trips)
  const text = (amount: Decimal | null): string | null => amount === null ? null : amount.toFixed()
  return {
    group, ...counts, profit: profit.toFixed(), meanProfit: text(meanProfit), meanWin: text(meanWin),
    meanLoss: text(meanLoss), greatestWin: text(greatestWin), greatestLoss: text(greatestLoss),
    meanFavorable: text(meanFavorable), meanAdverse: text(meanAdverse), greatestFavorable: text(greatestFavorable),
    greatestAdverse: text(greatestAdverse),
  }
}

function shown({ row, holdingNs }: Trip): ReportTrip {
  return {
    instrument: row.instrument, direction: row.side === 'BID' ? 'long' : 'short', entry: isoFromEpochNs(row.entry_ts),
    exit: row.exit_ts === null ? '' : isoFromEpochNs(row.exit_ts), qty: row.qty, entryPrice: row.entry_price,
    exitPrice: row.exit_price, profit: row.profit, holdingNs,
  }
}

/** Trips from the greatest profit to the least; doubles decide nearly always, exact profits where these are equal. */
function fromGreatest(trips: readonly Trip[], doubles: Float64Array): Trip[] {
  return [...trips.keys()]
    .sort((a, b) => (doubles[b] as number) - (doubles[a] as number) ||
      (trips[b] as Trip).profit.cmp((trips[a] as Trip).profit))
    .map((at) => trips[at] as Trip)
}

/** The closed round trips of one underlying: groups, distributions, the best and the worst. */
export function tripParts(rows: readonly TradeInput[]): ReportMoney['trips'] {
  const closed = rows.filter((row) => !row.is_open).map(tripOf)
  const doubles = Float64Array.from(closed, ({ row }) => Number(row.profit))
  const sorted = fromGreatest(closed, doubles)
  const names = [...new Set(closed.map(({ row }) => row.instrument))]
  const side = (name: string): readonly Trip[] => closed.filter(({ row }) => row.side === name)
  return {
    groups: [groupOf('all', closed), groupOf('long', side('BID')), groupOf('short', side('ASK'))],
    byInstrument: names.length < 2 ? [] : names.map((name) => (
      groupOf(name, closed.filter(({ row }) => row.instrument === name)))),
    profits: histogramOf(doubles),
    holdingS: ratioHistogramOf(closed.map(({ holdingNs }) => holdingNs / 1e9)),
    best: sorted.slice(0, SHOWN).filter(({ profit }) => profit.gt(0)).map(shown),
    worst: sorted.slice(-SHOWN).filter(({ profit }) => profit.lt(0)).reverse().map(shown),
  }
}
