import { roundTripColumnStatistics, type RoundTripColumns } from '../../measures/round-trip-statistics.js'
import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import { histogramOf, ratioHistogramOf } from './distribution.js'
import type { ColumnsInput, RoundTripInput } from './report-input.js'
import type { ReportMoney, ReportTrip, ReportTripGroup } from './report-money.js'
import { rowsBy, type Rows } from './row-groups.js'

/** Round trips that are shown of the best and of the worst. */
const SHOWN = 5

type TripsInput = ColumnsInput<RoundTripInput>

function columnsOf(table: TripsInput): RoundTripColumns {
  return {
    profit: table.values('profit'), holdingNs: Float64Array.from(table.values('holding_ns'), Number),
    favorable: table.values('favorable_excursion'), adverse: table.values('adverse_excursion'),
  }
}

function groupOf(group: string, trips: RoundTripColumns, rows: Rows): ReportTripGroup {
  const {
    profit, meanProfit, meanWin, meanLoss, greatestWin, greatestLoss, meanFavorable, meanAdverse, greatestFavorable,
    greatestAdverse, ...counts
  } = roundTripColumnStatistics(trips, rows)
  const text = (amount: Decimal | null): string | null => amount === null ? null : amount.toFixed()
  return {
    group, ...counts, profit: profit.toFixed(), meanProfit: text(meanProfit), meanWin: text(meanWin),
    meanLoss: text(meanLoss), greatestWin: text(greatestWin), greatestLoss: text(greatestLoss),
    meanFavorable: text(meanFavorable), meanAdverse: text(meanAdverse), greatestFavorable: text(greatestFavorable),
    greatestAdverse: text(greatestAdverse),
  }
}

function shownOf(table: TripsInput, row: number): ReportTrip {
  const of = <Name extends keyof RoundTripInput>(name: Name): RoundTripInput[Name] => (
    table.values(name)[row] as RoundTripInput[Name])
  const exit = of('exit_ts')
  return {
    instrument: of('instrument'), direction: of('side') === 'BID' ? 'long' : 'short',
    entry: isoFromEpochNs(of('entry_ts')), exit: exit === null ? '' : isoFromEpochNs(exit), qty: of('qty'),
    entryPrice: of('entry_price'), exitPrice: of('exit_price'), profit: of('profit'),
    holdingNs: Number(of('holding_ns')),
  }
}

/**
 * The rows with the greatest and the least profits, from the greatest on: at least {@link SHOWN} of both where there
 * are as many. Doubles decide nearly always, exact profits where these are equal.
 */
function extremesOf(profits: readonly string[], rows: Rows): Rows {
  const doubles = Float64Array.from(rows, (row) => Number(profits[row]))
  const ascending = doubles.slice().sort()
  const [low, high] = [ascending[SHOWN - 1] ?? Infinity, ascending[ascending.length - SHOWN] ?? -Infinity]
  const exact = (at: number): Decimal => new Decimal(profits[rows[at] as number] as string)
  return [...rows.keys()]
    .filter((at) => (doubles[at] as number) <= low || (doubles[at] as number) >= high)
    .sort((a, b) => (doubles[b] as number) - (doubles[a] as number) ||
      (profits[rows[a] as number] === profits[rows[b] as number] ? 0 : exact(b).cmp(exact(a))))
    .map((at) => rows[at] as number)
}

/** The closed round trips of one underlying: groups, distributions, the best and the worst. */
export function tripParts(table: TripsInput, underlying: string): ReportMoney['trips'] {
  const [underlyings, isOpen, sides] = [table.values('underlying'), table.values('is_open'), table.values('side')]
  const trips = columnsOf(table)
  const closed = [...isOpen.keys()].filter((row) => isOpen[row] === false && underlyings[row] === underlying)
  const profits = Float64Array.from(closed, (row) => Number(trips.profit[row]))
  const names = rowsBy(table, 'instrument', closed)
  const sorted = extremesOf(trips.profit, closed)
  const side = (name: string): Rows => closed.filter((row) => sides[row] === name)
  const shown = (rows: Rows, isShown: (profit: number) => boolean): ReportTrip[] => (
    rows.filter((row) => isShown(Number(trips.profit[row]))).map((row) => shownOf(table, row)))
  return {
    groups: [groupOf('all', trips, closed), groupOf('long', trips, side('BID')), groupOf('short', trips, side('ASK'))],
    byInstrument: names.size < 2 ? [] : [...names].map(([name, rows]) => groupOf(name, trips, rows)),
    profits: histogramOf(profits),
    holdingS: ratioHistogramOf(closed.map((row) => (trips.holdingNs[row] as number) / 1e9)),
    best: shown(sorted.slice(0, SHOWN), (profit) => profit > 0),
    worst: shown(sorted.slice(-SHOWN).reverse(), (profit) => profit < 0),
  }
}
