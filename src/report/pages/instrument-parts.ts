import { quotientTo18, type Decimal } from '../../model/decimal.js'
import { ExactSum } from '../../model/exact-sum.js'
import { epochNsFromText } from '../../model/time.js'
import { quantileOf } from '../../measures/quantile.js'
import { coveredBefore } from './covered-time.js'
import { ascendingOf } from './distribution.js'
import { grouped, rowsBy, type Rows } from './row-groups.js'
import { seriesOf } from './track-series.js'
import type { ReportInstrument, ReportMarkOut, ReportPosition, ReportQueueBin } from './report-data.js'
import type { ReportFees } from './report-money.js'
import type { ColumnsInput, FillInput, OrderInput, ReportInput } from './report-input.js'

const HORIZONS = [
  ['mark_out_100ms', 100_000_000], ['mark_out_1s', 1_000_000_000], ['mark_out_10s', 10_000_000_000],
  ['mark_out_60s', 60_000_000_000],
] as const
/** Points of the course of a position. */
const POINTS_MAX = 4000
const MS_PER_NS = 1e-6

type Fills = ColumnsInput<FillInput>
type Orders = ColumnsInput<OrderInput>

/** Mark-outs of one horizon over some fills. */
interface MarkOuts {
  /** Sum of mark-out times quantity. */
  readonly weighted: Decimal
  readonly quantity: Decimal
  readonly ascending: Float64Array
}

function markOutsOfRows(fills: Fills, rows: Rows, [column]: (typeof HORIZONS)[number]): MarkOuts {
  const [markOuts, quantities] = [fills.values(column), fills.values('qty')]
  const [weighted, quantity] = [new ExactSum(), new ExactSum()]
  const numbers: number[] = []
  for (const row of rows) {
    const markOut = markOuts[row]
    if (markOut === null || markOut === undefined) continue
    weighted.addTextProduct(markOut, quantities[row] as string)
    quantity.addText(quantities[row] as string)
    numbers.push(Number(markOut))
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
  const isMaker = fills.values('added_liquidity')
  const [makers, takers] = [rows.filter((row) => isMaker[row]), rows.filter((row) => isMaker[row] === false)]
  const ofMakers = HORIZONS.map((horizon) => markOutsOfRows(fills, makers, horizon))
  const ofTakers = HORIZONS.map((horizon) => markOutsOfRows(fills, takers, horizon))
  const all = ofMakers.map((one, at) => together(one, ofTakers[at] as MarkOuts))
  const groups = makers.length === 0 || takers.length === 0
    ? [['all', all] as const] : [['all', all] as const, ['maker', ofMakers] as const, ['taker', ofTakers] as const]
  return groups.flatMap(([name, own]) => (
    HORIZONS.map((horizon, at) => markOutOf(own[at] as MarkOuts, name, horizon))))
}

/** Mean mark-out after a second of the fills of some orders. */
function markOutOfOrders(
  orderIds: readonly string[], fillsOf: ReadonlyMap<string, Rows>, fills: Fills,
): number | null {
  const markOuts = fills.values('mark_out_1s')
  const measured = orderIds.flatMap((id) => fillsOf.get(id) ?? []).filter((row) => markOuts[row] !== null)
  return measured.length === 0 ? null
    : measured.reduce((sum, row) => sum + Number(markOuts[row]), 0) / measured.length
}

/** Orders that rested, by the quantity ahead of them then: none, and quarters of the others. */
function queueOf(orders: Orders, own: Rows, fills: Fills, ownFills: Rows): ReportQueueBin[] {
  const [aheads, executed] = [orders.values('quantity_ahead'), orders.values('executed_qty')]
  const [accepted, ended, ids] = [
    orders.values('accepted_ts'), orders.values('ended_ts'), orders.values('own_order_id'),
  ]
  const rested = own.flatMap((row) => (aheads[row] === null ? [] : [{ row, ahead: Number(aheads[row]) }]))
  rested.sort((a, b) => a.ahead - b.ahead)
  const fillsOf = rowsBy(fills, 'own_order_id', ownFills)
  const behind = rested.filter(({ ahead }) => ahead > 0)
  const quarter = behind.length / 4
  const edges = [1, 2, 3].map((part) => behind[Math.ceil(quarter * part) - 1]?.ahead ?? Infinity)
  const parts = [rested.filter(({ ahead }) => ahead <= 0), ...[-1, 0, 1, 2].map((at) => behind.filter(({ ahead }) => (
    ahead > (edges[at] ?? 0) && ahead <= (edges[at + 1] ?? Infinity))))]
  return parts.filter((part) => part.length > 0).map((part) => {
    const rows = part.map(({ row }) => row)
    const filled = rows.filter((row) => Number(executed[row]) > 0)
    const waits = filled.flatMap((row) => {
      const [from, to] = [accepted[row] ?? null, ended[row] ?? null]
      return from === null || to === null ? [] : [Number(to - from)]
    })
    return {
      from: aheads[rows[0] as number] ?? '0', to: aheads[rows.at(-1) as number] ?? '0',
      orderCount: rows.length, filledCount: filled.length, medianFillNs: quantileOf(ascendingOf(waits), 0.5),
      markOut1s: markOutOfOrders(filled.map((row) => ids[row] as string), fillsOf, fills),
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
  const [fillTimes, positionsAfter, netTraded] = [
    fills.values('exchange_ts'), fills.values('position'), fills.values('net_traded'),
  ]
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
    const time = fillTimes[row] as bigint
    pass(time)
    held = Number(positionsAfter[row] ?? netTraded[row] ?? 0)
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
      queue: queueOf(input.orders, orders.get(instrument) ?? [], input.fills, own),
    }
  })
}

/** Fees of all fills by underlying. */
export function feeParts(fills: Fills): ReportFees[] {
  const [isMaker, fees] = [fills.values('added_liquidity'), fills.values('fee')]
  return [...rowsBy(fills, 'fee_underlying')].map(([underlying, own]) => {
    const [maker, taker] = [new ExactSum(), new ExactSum()]
    for (const row of own) (isMaker[row] === true ? maker : taker).addText(fees[row] as string)
    return { underlying, maker: maker.toFixed(), taker: taker.toFixed() }
  })
}
