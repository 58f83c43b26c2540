import { Decimal, quotientTo18 } from '../../model/decimal.js'
import { epochNsFromText } from '../../model/time.js'
import { quantileOf } from '../../measures/quantile.js'
import { ascendingOf } from './distribution.js'
import { seriesOf } from './track-series.js'
import type { ReportInstrument, ReportMarkOut, ReportPosition, ReportQueueBin } from './report-data.js'
import type { ReportFees } from './report-money.js'
import type { FillInput, OrderInput, ReportInput } from './report-input.js'

const HORIZONS = [
  ['mark_out_100ms', 100_000_000], ['mark_out_1s', 1_000_000_000], ['mark_out_10s', 10_000_000_000],
  ['mark_out_60s', 60_000_000_000],
] as const
/** Points of the course of a position. */
const POINTS_MAX = 4000
const ZERO: Decimal = new Decimal(0)
const MS_PER_NS = 1e-6

function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const own = groups.get(keyOf(row))
    if (own === undefined) groups.set(keyOf(row), [row])
    else own.push(row)
  }
  return groups
}

function markOutOf(
  fills: readonly FillInput[], liquidity: string, [column, horizonNs]: (typeof HORIZONS)[number],
): ReportMarkOut {
  const measured = fills.filter((fill) => fill[column] !== null)
  let [weighted, quantity] = [ZERO, ZERO]
  for (const fill of measured) {
    weighted = weighted.plus(new Decimal(fill[column] ?? 0).times(fill.qty))
    quantity = quantity.plus(fill.qty)
  }
  const ascending = ascendingOf(measured.map((fill) => Number(fill[column])))
  return {
    horizonNs, liquidity, measuredCount: measured.length,
    mean: quantity.isZero() ? null : quotientTo18(weighted, quantity).toFixed(),
    p25: quantileOf(ascending, 0.25), median: quantileOf(ascending, 0.5), p75: quantileOf(ascending, 0.75),
  }
}

function markOutsOf(fills: readonly FillInput[]): ReportMarkOut[] {
  const groups: readonly (readonly [string, readonly FillInput[]])[] = [
    ['all', fills], ['maker', fills.filter((fill) => fill.added_liquidity)],
    ['taker', fills.filter((fill) => !fill.added_liquidity)],
  ]
  return groups.filter(([name, own]) => name === 'all' || (own.length > 0 && own.length < fills.length))
    .flatMap(([name, own]) => HORIZONS.map((horizon) => markOutOf(own, name, horizon)))
}

/** Mean mark-out after a second of the fills of some orders. */
function markOutOfOrders(
  orders: readonly OrderInput[], fillsOf: ReadonlyMap<string, readonly FillInput[]>,
): number | null {
  const fills = orders.flatMap(({ own_order_id: id }) => fillsOf.get(id) ?? [])
    .filter((fill) => fill.mark_out_1s !== null)
  return fills.length === 0 ? null : fills.reduce((sum, fill) => sum + Number(fill.mark_out_1s), 0) / fills.length
}

/** Orders that rested, by the quantity ahead of them then: none, and quarters of the others. */
function queueOf(orders: readonly OrderInput[], fills: readonly FillInput[]): ReportQueueBin[] {
  const rested = orders.flatMap((order) => (
    order.quantity_ahead === null ? [] : [{ order, ahead: Number(order.quantity_ahead) }]))
  rested.sort((a, b) => a.ahead - b.ahead)
  const fillsOf = grouped(fills, (fill) => fill.own_order_id)
  const behind = rested.filter(({ ahead }) => ahead > 0)
  const quarter = behind.length / 4
  const edges = [1, 2, 3].map((part) => behind[Math.ceil(quarter * part) - 1]?.ahead ?? Infinity)
  const parts = [rested.filter(({ ahead }) => ahead <= 0), ...[-1, 0, 1, 2].map((at) => behind.filter(({ ahead }) => (
    ahead > (edges[at] ?? 0) && ahead <= (edges[at + 1] ?? Infinity))))]
  return parts.filter((part) => part.length > 0).map((part) => {
    const own = part.map(({ order }) => order)
    const filled = own.filter(({ executed_qty: executed }) => Number(executed) > 0)
    const waits = filled.flatMap(({ accepted_ts: from, ended_ts: to }) => (
      from === null || to === null ? [] : [Number(to - from)]))
    return {
      from: part[0]?.order.quantity_ahead ?? '0', to: part.at(-1)?.order.quantity_ahead ?? '0',
      orderCount: own.length, filledCount: filled.length, medianFillNs: quantileOf(ascendingOf(waits), 0.5),
      markOut1s: markOutOfOrders(filled, fillsOf),
    }
  })
}

/** First, lowest, highest and last of equal spans, in the order of time. */
function thinned(epochMs: readonly number[], values: readonly number[]): readonly [number[], number[]] {
  if (values.length <= POINTS_MAX) return [[...epochMs], [...values]]
  const [first, last] = [epochMs[0] as number, epochMs.at(-1) as number]
  const spans = grouped([...values.keys()], (at) => (
    String(Math.floor(((epochMs[at] as number) - first) / Math.max(1, last - first) * (POINTS_MAX / 4)))))
  const kept = [...spans.values()].flatMap((places) => {
    const by = (better: (a: number, b: number) => boolean): number => places.reduce((best, at) => (
      better(values[at] as number, values[best] as number) ? at : best))
    const chosen = new Set([places[0], by((a, b) => a < b), by((a, b) => a > b), places.at(-1)])
    return places.filter((at) => chosen.has(at))
  })
  return [kept.map((at) => epochMs[at] as number), kept.map((at) => values[at] as number)]
}

/** The course of a position and the parts of the run's time on either side. */
function positionOf(account: string, fills: readonly FillInput[], { summary }: ReportInput): ReportPosition {
  const [startNs, endNs] = [epochNsFromText(summary.start, null), epochNsFromText(summary.end, null)]
  let [longNs, shortNs, sinceNs, held] = [0n, 0n, startNs, 0]
  const pass = (untilNs: bigint): void => {
    const length = untilNs > sinceNs ? untilNs - sinceNs : 0n
    if (held > 0) longNs += length
    if (held < 0) shortNs += length
    sinceNs = untilNs
  }
  const times = [Number(startNs) * MS_PER_NS]
  const positions = [0]
  for (const fill of fills) {
    pass(fill.exchange_ts)
    held = Number(fill.position ?? fill.net_traded ?? 0)
    times.push(Number(fill.exchange_ts / 1000n) / 1000)
    positions.push(held)
  }
  pass(endNs)
  const length = Number(endNs - startNs)
  const [epochMs, position] = thinned([...times, Number(endNs) * MS_PER_NS], [...positions, held])
  return {
    account, epochMs, position, longShare: length > 0 ? Number(longNs) / length : null,
    shortShare: length > 0 ? Number(shortNs) / length : null,
  }
}

/** The part of a report on each instrument: those with an order, a fill or a price, in the order of the summary. */
export function instrumentParts(input: ReportInput): ReportInstrument[] {
  const { tracks, instrumentOf, summary, epochDay } = input
  const [fills, orders] = [
    grouped(input.fills, (row) => row.instrument), grouped(input.orders, (row) => row.instrument),
  ]
  const priced = new Map([...tracks.prices].map(([id, track]) => [instrumentOf(id), track] as const))
  const names = new Set([
    ...summary.instruments.map(({ instrument }) => instrument), ...priced.keys(), ...fills.keys(), ...orders.keys(),
  ])
  return [...names].map((instrument) => {
    const own = fills.get(instrument) ?? []
    return {
      instrument, price: seriesOf(priced.get(instrument), epochDay), fillCount: own.length,
      positions: [...grouped(own, (fill) => fill.account)].map(([account, rows]) => positionOf(account, rows, input)),
      markOuts: own.length === 0 ? [] : markOutsOf(own), queue: queueOf(orders.get(instrument) ?? [], own),
    }
  })
}

/** Fees of all fills by underlying. */
export function feeParts(fills: readonly FillInput[]): ReportFees[] {
  return [...grouped(fills, (fill) => fill.fee_underlying)].map(([underlying, own]) => {
    const sum = (isMaker: boolean): string => own.reduce((total, fill) => (
      fill.added_liquidity === isMaker ? total.plus(fill.fee) : total), ZERO).toFixed()
    return { underlying, maker: sum(true), taker: sum(false) }
  })
}
