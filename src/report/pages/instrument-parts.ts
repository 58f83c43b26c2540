import { quotientTo18, type Decimal } from '../../model/decimal.js'
import { ExactSum } from '../../model/exact-sum.js'
import { epochNsFromText } from '../../model/time.js'
import { quantileOf } from '../../measures/quantile.js'
import { doubleOf, type MadeColumn } from '../../tables/made-column.js'
import type { ExactCell } from '../../model/exact-cell.js'
import { coveredBefore } from './covered-time.js'
import { ascendingOf } from './distribution.js'
import { grouped, rowsBy, type Rows } from './row-groups.js'
import { seriesOf } from './track-series.js'
import type { ReportInstrument, ReportMarkOut, ReportPosition, ReportQueueBin } from './report-data.js'
import type { ReportFees } from './report-money.js'
import type { ColumnsInput, FillInput, ReportInput } from './report-input.js'

const HORIZONS = [
  ['mark_out_100ms', 100_000_000], ['mark_out_1s', 1_000_000_000], ['mark_out_10s', 10_000_000_000],
  ['mark_out_60s', 60_000_000_000],
] as const
/** Points of the course of a position. */
const POINTS_MAX = 4000
const MS_PER_NS = 1e-6

type Fills = ColumnsInput<FillInput>

/** Mark-outs of one horizon over some fills. */
interface MarkOuts {
  /** Sum of mark-out times quantity. */
  readonly weighted: Decimal
  readonly quantity: Decimal
  readonly ascending: Float64Array
}

function markOutsOfRows(fills: Fills, rows: Rows, [name]: (typeof HORIZONS)[number]): MarkOuts {
  const [markOuts, quantities] = [fills.column(name), fills.column('qty')]
  const [markOut, own]: [ExactCell, ExactCell] = [{ integer: NaN, scale: 0 }, { integer: NaN, scale: 0 }]
  const [weighted, quantity] = [new ExactSum(), new ExactSum()]
  const numbers: number[] = []
  for (const row of rows) {
    markOuts.read(row, markOut)
    if (Number.isNaN(markOut.integer)) continue
    quantities.read(row, own)
    weighted.addProduct(markOut.integer, own.integer, markOut.scale + own.scale)
    quantity.add(own.integer, own.scale)
    numbers.push(doubleOf(markOut))
  }
  return { weighted: weighted.toDecimal(), quantity: quantity.toDecimal(), ascending: ascendingOf(numbers) }
}

function together(a: MarkOuts, b: MarkOuts): MarkOuts {
  const all = new Float64Array(a.ascending.length + b.ascending.length)
  all.set(a.ascending)
  all.set(b.ascending, a.ascending.length)
  return {
    weighted: a.weighted.plus(b.weighted), quantity: a.quantity.plus(b.quantity), ascending: all.sort(),
  }
}

function markOutOf(
  { weighted, quantity, ascending }: MarkOuts, liquidity: string, [, horizonNs]: (typeof HORIZONS)[number],
): ReportMarkOut {
  return {
    horizonNs, liquidity, measuredCount: ascending.length,
    mean: quantity.isZero() ? null : quotientTo18(weighted, quantity).toFixed(),
    p25: quantileOf(ascending, 0.25), median: quantileOf(ascending, 0.5), p75: quantileOf(ascending, 0.75),
  }
}

function markOutsOf(fills: Fills, rows: Rows): ReportMarkOut[] {
  const isMaker = fills.column('added_liquidity')
  const where = (isSo: boolean): Rows => rows.filter((row) => isMaker.at(row) === isSo)
  const [makers, takers] = [where(true), where(false)]
  const ofMakers = HORIZONS.map((horizon) => markOutsOfRows(fills, makers, horizon))
  const ofTakers = HORIZONS.map((horizon) => markOutsOfRows(fills, takers, horizon))
  const all = ofMakers.map((one, at) => together(one, ofTakers[at] as MarkOuts))
  const groups = makers.length === 0 || takers.length === 0
    ? [['all', all] as const] : [['all', all] as const, ['maker', ofMakers] as const, ['taker', ofTakers] as const]
  return groups.flatMap(([name, own]) => (
    HORIZONS.map((horizon, at) => markOutOf(own[at] as MarkOuts, name, horizon))))
}

/** Fills of each order, in their order: the first one by the row of the order, and the next one by that before it. */
interface OrderFills {
  readonly first: Int32Array
  readonly next: Int32Array
}

const NO_ROW = -1

function fillsOfOrders({ orders, fills, orderOf }: ReportInput): OrderFills {
  const first = new Int32Array(orders.rowCount).fill(NO_ROW)
  const next = new Int32Array(fills.rowCount).fill(NO_ROW)
  for (let fill = fills.rowCount - 1; fill >= 0; fill--) {
    const order = orderOf(fill)
    if (order < 0) continue
    next[fill] = first[order] as number
    first[order] = fill
  }
  return { first, next }
}

/** Mean mark-out after a second of the fills of some orders. */
function markOutOfOrders(orders: Rows, { first, next }: OrderFills, markOuts: Float64Array): number | null {
  let [sum, count] = [0, 0]
  for (const order of orders) {
    for (let fill = first[order] as number; fill >= 0; fill = next[fill] as number) {
      const markOut = markOuts[fill] as number
      if (Number.isNaN(markOut)) continue
      sum += markOut
      count++
    }
  }
  return count === 0 ? null : sum / count
}

/** Columns of orders and fills for {@link queueOf}. */
interface QueueColumns {
  readonly aheadTexts: MadeColumn
  readonly aheads: Float64Array
  readonly executed: Float64Array
  /** From acceptance to the end, NaN where an order lacks one. */
  readonly waits: Float64Array
  readonly fills: OrderFills
  readonly markOuts: Float64Array
}

function queueColumns(input: ReportInput): QueueColumns {
  const { orders, fills } = input
  const [aheadTexts, accepted, ended] = [
    orders.column('quantity_ahead'), orders.column('accepted_ts'), orders.column('ended_ts'),
  ]
  return {
    aheadTexts, aheads: aheadTexts.numbers(), executed: orders.column('executed_qty').numbers(),
    waits: Float64Array.from({ length: orders.rowCount }, (_, row) => {
      const [from, to] = [accepted.at(row), ended.at(row)]
      return from === null || to === null ? NaN : Number((to as bigint) - (from as bigint))
    }),
    fills: fillsOfOrders(input), markOuts: fills.column('mark_out_1s').numbers(),
  }
}

/** Orders that rested, by the quantity ahead of them then: none, and quarters of the others. */
function queueOf({ aheadTexts, aheads, executed, waits, fills, markOuts }: QueueColumns, own: Rows): ReportQueueBin[] {
  const ahead = (row: number | undefined): number => row === undefined ? Infinity : aheads[row] as number
  const rested = own.filter((row) => !Number.isNaN(ahead(row))).sort((a, b) => ahead(a) - ahead(b))
  const behind = rested.filter((row) => ahead(row) > 0)
  const quarter = behind.length / 4
  const edges = [1, 2, 3].map((part) => ahead(behind[Math.ceil(quarter * part) - 1]))
  const parts = [rested.filter((row) => ahead(row) <= 0), ...[-1, 0, 1, 2].map((at) => behind.filter((row) => (
    ahead(row) > (edges[at] ?? 0) && ahead(row) <= (edges[at + 1] ?? Infinity))))]
  return parts.filter((part) => part.length > 0).map((rows) => {
    const filled = rows.filter((row) => (executed[row] as number) > 0)
    const own = filled.map((row) => waits[row] as number).filter((wait) => !Number.isNaN(wait))
    return {
      from: String(aheadTexts.at(rows[0] as number)), to: String(aheadTexts.at(rows.at(-1) as number)),
      orderCount: rows.length, filledCount: filled.length, medianFillNs: quantileOf(ascendingOf(own), 0.5),
      markOut1s: markOutOfOrders(filled, fills, markOuts),
    }
  })
}

/** First, lowest, highest and last of equal spans, in the order of time. */
function thinned(epochMs: readonly number[], values: readonly number[]): readonly [number[], number[]] {
  if (values.length <= POINTS_MAX) return [[...epochMs], [...values]]
  const [first, last] = [epochMs[0] as number, epochMs.at(-1) as number]
  const spans = grouped(values.keys(), (at) => (
    Math.floor(((epochMs[at] as number) - first) / Math.max(1, last - first) * (POINTS_MAX / 4))))
  const kept = [...spans.values()].flatMap((places) => {
    const by = (better: (a: number, b: number) => boolean): number => places.reduce((best, at) => (
      better(values[at] as number, values[best] as number) ? at : best))
    const chosen = new Set([places[0], by((a, b) => a < b), by((a, b) => a > b), places.at(-1)])
    return places.filter((at) => chosen.has(at))
  })
  return [kept.map((at) => epochMs[at] as number), kept.map((at) => values[at] as number)]
}

/** The course of a position and the parts of the time of the data on either side. */
function positionOf(account: string, rows: Rows, { fills, summary }: ReportInput): ReportPosition {
  const fillTimes = fills.column('exchange_ts')
  const [positionsAfter, netTraded] = [fills.column('position').numbers(), fills.column('net_traded').numbers()]
  const [startNs, endNs] = [epochNsFromText(summary.start, null), epochNsFromText(summary.end, null)]
  const coveredNs = coveredBefore(summary.sampling)
  let [longNs, shortNs, sinceNs, held] = [0, 0, 0, 0]
  const pass = (until: bigint): void => {
    const untilNs = coveredNs(until)
    const length = Math.max(0, untilNs - sinceNs)
    if (held > 0) longNs += length
    if (held < 0) shortNs += length
    sinceNs = untilNs
  }
  const times = [Number(startNs) * MS_PER_NS]
  const positions = [0]
  for (const row of rows) {
    const time = fillTimes.at(row) as bigint
    pass(time)
    const [position, traded] = [positionsAfter[row] as number, netTraded[row] as number]
    held = Number.isNaN(position) ? (Number.isNaN(traded) ? 0 : traded) : position
    times.push(Number(time / 1000n) / 1000)
    positions.push(held)
  }
  pass(endNs)
  const length = coveredNs(endNs)
  const [epochMs, position] = thinned([...times, Number(endNs) * MS_PER_NS], [...positions, held])
  return {
    account, epochMs, position, longShare: length > 0 ? longNs / length : null,
    shortShare: length > 0 ? shortNs / length : null,
  }
}

/** The part of a report on each instrument: those with an order, a fill or a price, in the order of the summary. */
export function instrumentParts(input: ReportInput): ReportInstrument[] {
  const { tracks, instrumentOf, summary, epochDay } = input
  const [fills, orders] = [rowsBy(input.fills, 'instrument'), rowsBy(input.orders, 'instrument')]
  const queue = queueColumns(input)
  const priced = new Map([...tracks.prices].map(([id, track]) => [instrumentOf(id), track] as const))
  const names = new Set([
    ...summary.instruments.map(({ instrument }) => instrument), ...priced.keys(), ...fills.keys(), ...orders.keys(),
  ])
  return [...names].map((instrument) => {
    const own = fills.get(instrument) ?? []
    return {
      instrument, price: seriesOf(priced.get(instrument), epochDay), fillCount: own.length,
      positions: [...rowsBy(input.fills, 'account', own)].map(([account, rows]) => positionOf(account, rows, input)),
      markOuts: own.length === 0 ? [] : markOutsOf(input.fills, own),
      queue: queueOf(queue, orders.get(instrument) ?? []),
    }
  })
}

/** Fees of all fills by underlying. */
export function feeParts(fills: Fills): ReportFees[] {
  const [isMaker, fees] = [fills.column('added_liquidity'), fills.column('fee')]
  const cell: ExactCell = { integer: NaN, scale: 0 }
  return [...rowsBy(fills, 'fee_underlying')].map(([underlying, own]) => {
    const [maker, taker] = [new ExactSum(), new ExactSum()]
    for (const row of own) {
      fees.read(row, cell)
      const sum = isMaker.at(row) === true ? maker : taker
      sum.add(cell.integer, cell.scale)
    }
    return { underlying, maker: maker.toFixed(), taker: taker.toFixed() }
  })
}
