import {
  roundTripColumnStatistics, type AmountRows, type RoundTripColumns,
} from '../../measures/round-trip-statistics.js'
import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import type { ExactCell } from '../../model/exact-cell.js'
import { doubleOf } from '../../tables/made-column.js'
import { histogramOf, ratioHistogramOf } from './distribution.js'
import type { ColumnsInput, RoundTripInput } from './report-input.js'
import type { ReportMoney, ReportTrip, ReportTripGroup } from './report-money.js'
import { rowsBy, type Rows } from './row-groups.js'

/** Round trips that are shown of the best and of the worst. */
const SHOWN = 5

type TripsInput = ColumnsInput<RoundTripInput>

/** The amounts of a column, which are made once. */
function amountsOf(table: TripsInput, name: keyof RoundTripInput): AmountRows {
  const column = table.column(name)
  const cell: ExactCell = { integer: NaN, scale: 0 }
  const [doubles, integers, scales] = [
    new Float64Array(column.length), new Float64Array(column.length), new Uint8Array(column.length),
  ]
  const long = new Map<number, bigint>()
  for (let row = 0; row < column.length; row++) {
    column.read(row, cell)
    doubles[row] = doubleOf(cell)
    scales[row] = cell.scale
    if (typeof cell.integer === 'number') integers[row] = cell.integer
    else long.set(row, cell.integer)
  }
  return {
    doubles, textAt: (row) => String(column.at(row)),
    addTo: (sum, row) => {
      sum.add((long.size === 0 ? null : long.get(row)) ?? (integers[row] as number), scales[row] as number)
    },
  }
}

function columnsOf(table: TripsInput): RoundTripColumns {
  const holding = table.column('holding_ns')
  return {
    profit: amountsOf(table, 'profit'),
    holdingNs: Float64Array.from({ length: table.rowCount }, (_, row) => Number(holding.at(row))),
    favorable: amountsOf(table, 'favorable_excursion'), adverse: amountsOf(table, 'adverse_excursion'),
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
    table.column(name).at(row) as RoundTripInput[Name])
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
function extremesOf({ doubles: all, textAt }: AmountRows, rows: Rows): Rows {
  const doubles = Float64Array.from(rows, (row) => all[row] as number)
  const ascending = doubles.slice().sort()
  const [low, high] = [ascending[SHOWN - 1] ?? Infinity, ascending[ascending.length - SHOWN] ?? -Infinity]
  const text = (at: number): string => textAt(rows[at] as number)
  return [...rows.keys()]
    .filter((at) => (doubles[at] as number) <= low || (doubles[at] as number) >= high)
    .sort((a, b) => (doubles[b] as number) - (doubles[a] as number) ||
      (text(a) === text(b) ? 0 : new Decimal(text(b)).cmp(text(a))))
    .map((at) => rows[at] as number)
}

/** The closed round trips of one underlying: groups, distributions, the best and the worst. */
export function tripParts(table: TripsInput, underlying: string): ReportMoney['trips'] {
  const [underlyings, isOpen, sides] = [table.column('underlying'), table.column('is_open'), table.column('side')]
  const trips = columnsOf(table)
  const { profit: { doubles } } = trips
  const closed = [...Array(table.rowCount).keys()].filter((row) => (
    isOpen.at(row) === false && underlyings.at(row) === underlying))
  const profits = Float64Array.from(closed, (row) => doubles[row] as number)
  const names = rowsBy(table, 'instrument', closed)
  const sorted = extremesOf(trips.profit, closed)
  const side = (name: string): Rows => closed.filter((row) => sides.at(row) === name)
  const shown = (rows: Rows, isShown: (profit: number) => boolean): ReportTrip[] => (
    rows.filter((row) => isShown(doubles[row] as number)).map((row) => shownOf(table, row)))
  return {
    groups: [groupOf('all', trips, closed), groupOf('long', trips, side('BID')), groupOf('short', trips, side('ASK'))],
    byInstrument: names.size < 2 ? [] : [...names].map(([name, rows]) => groupOf(name, trips, rows)),
    profits: histogramOf(profits),
    holdingS: ratioHistogramOf(closed.map((row) => (trips.holdingNs[row] as number) / 1e9)),
    best: shown(sorted.slice(0, SHOWN), (profit) => profit > 0),
    worst: shown(sorted.slice(-SHOWN).reverse(), (profit) => profit < 0),
  }
}
