import { Decimal as Base } from 'decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { RunSummary } from '../../src/report/run-summary.js'
import type { EquityRow, FillRow, OrderRow, PeriodRow, RoundTripRow } from '../../src/results/result-rows.js'
import { DAY_NS, type JournalLine, type PlayedScene } from './measures-scenes.ts'
import { MADE_MIDNIGHT_NS } from './made-market-file.ts'
import type { MarketLine } from './market-lines.ts'

export const Decimal = Base.clone({ precision: 80, rounding: Base.ROUND_HALF_EVEN, toExpNeg: -100, toExpPos: 100 })
export type Amount = InstanceType<typeof Decimal>

export const sum = (values: readonly (string | Amount)[]): Amount => values.reduce((total: Amount, one) => total.plus(one), new Decimal(0))
export const rounded = (value: Amount): Amount => value.toDecimalPlaces(18, Decimal.ROUND_HALF_EVEN)
export const text = (value: Amount): string => value.toFixed()
export const part = (of: Amount | number, whole: Amount | number): number | null => (new Decimal(whole).isZero() ? null : new Decimal(of).div(whole).toNumber())
export const nsOf = (iso: string): bigint => {
  const [whole = '', fraction = ''] = iso.replace('Z', '').split('.')
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}
export const isoOf = (ns: bigint): string => `${new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
export const signed = (side: string, amount: string | Amount): Amount => new Decimal(amount).times(side === 'BID' ? 1 : -1)

/** The rows from which the figures of one object of the summary are made, and the run that they are of. */
export interface Rows {
  readonly played: PlayedScene
  /** Code of the underlying of the figures. */
  readonly code: string
  readonly instrument: Instrument
  readonly fills: readonly FillRow[]
  readonly orders: readonly OrderRow[]
  readonly equity: readonly EquityRow[]
  readonly hours: readonly PeriodRow[]
  readonly days: readonly PeriodRow[]
  readonly trips: readonly RoundTripRow[]
  /** Lines of the journal. */
  readonly journal: readonly JournalLine[]
  /** Durations in nanoseconds. */
  readonly durations: readonly bigint[]
  readonly horizonNs: number
}

export const summaryOf = ({ played }: Rows): RunSummary => played.result.summary
export const endNs = (rows: Rows): bigint => nsOf(summaryOf(rows).end)

/** The underlying in which an instrument settles. */
export function settlementCode({ type, isInverse }: Instrument): string {
  return isInverse && type !== 'spot' ? 'BASE' : 'CASH'
}

/** Value of a quantity at a price, as spec 4 has it. */
export function valueAt({ type, isInverse, contractValue, multiplier }: Instrument, quantity: string, price: string): Amount {
  if (isInverse) return rounded(new Decimal(quantity).times(contractValue ?? 1).div(price))
  return new Decimal(quantity).times(type === 'spot' ? 1 : (multiplier ?? 1)).times(price)
}

export function instrumentOf({ played }: Rows, id: number): Instrument {
  return played.instruments.find((one) => one.id === id)!
}

/** Lines of an instrument that were received in the run, by their epoch nanoseconds. */
export function linesOf(rows: Rows, id: number): { readonly ns: bigint; readonly line: MarketLine & { readonly adapterTimeNs: number } }[] {
  const end = endNs(rows)
  return rows.played.scene.markets[id - 1]!.days
    .flatMap((lines, day) => lines.map((line) => ({ ...line, timeNs: line.timeNs + day * DAY_NS, adapterTimeNs: line.adapterTimeNs! + day * DAY_NS })))
    .map((line) => ({ ns: MADE_MIDNIGHT_NS + BigInt(line.adapterTimeNs), line }))
    .filter(({ ns }) => ns <= end)
}

function allLines(rows: Rows): bigint[] {
  return rows.played.instruments.flatMap(({ id }) => linesOf(rows, id).map(({ ns }) => ns)).sort((a, b) => (a < b ? -1 : 1))
}

/** The mid of an instrument at the end of the run, by a book of its own. */
export function midAtEnd(rows: Rows, id: number): Amount {
  const sides = [new Map<number, number>(), new Map<number, number>()] as const
  for (const { line: { kind, rows: levels = [] } } of linesOf(rows, id)) {
    if (kind === 'snapshot') for (const side of sides) side.clear()
    if (kind !== 'snapshot' && kind !== 'update') continue
    for (const [side, price, quantity] of levels) if (quantity === 0) sides[side as 0 | 1].delete(price)
    else sides[side as 0 | 1].set(price, quantity)
  }
  return new Decimal(Math.max(...sides[0].keys())).plus(Math.min(...sides[1].keys())).div(2)
}

const MINUTE = 60_000_000_000n

const minuteOf = (ns: bigint): bigint => (ns + MINUTE - 1n) / MINUTE

/** Whole minutes from the first with a line to the last, and those in stretches of 60 or more without one; the spans between these. */
export function minutes(rows: Rows): { readonly all: bigint; readonly idle: bigint; readonly spans: { readonly from: string; readonly to: string }[] } {
  const lines = allLines(rows)
  const spans: [bigint, bigint][] = []
  let [idle, before] = [0n, lines[0]!]
  for (const ns of lines) {
    const missing = minuteOf(ns) - minuteOf(before) - 1n
    if (spans.length === 0) spans.push([ns, ns])
    else if (missing >= 60n) {
      idle += missing
      spans.push([(minuteOf(ns) - 1n) * MINUTE, ns])
    }
    spans.at(-1)![1] = ns
    before = ns
  }
  const last = endNs(rows) / MINUTE - minuteOf(before)
  const whole = minuteOf(before) * MINUTE <= endNs(rows) ? minuteOf(before) : minuteOf(before) - 1n
  return { all: whole - minuteOf(lines[0]!) + 1n - idle, idle: idle + (last >= 60n ? last : 0n), spans: spans.map(([from, to]) => ({ from: isoOf(from), to: isoOf(to) })) }
}

/** Lines of an instrument with the exchange time that they take by rule 1.1. */
export function exchangeTimes(rows: Rows): { readonly kind: string; readonly taken: number; readonly isMovedUp: boolean }[] {
  let greatest = -Infinity
  return linesOf(rows, rows.instrument.id).map(({ line: { kind, timeNs, adapterTimeNs } }) => {
    const time = kind !== 'ERROR' && timeNs <= adapterTimeNs ? timeNs : adapterTimeNs
    const isMovedUp = time < greatest - 10e9
    greatest = Math.max(greatest, time)
    return { kind, taken: isMovedUp ? greatest - 10e9 : time, isMovedUp }
  })
}

/** From the last book line before an error of the recorder to the next snapshot, else the end of the run. */
export function unknownSpans(rows: Rows): (readonly [from: number, to: number])[] {
  const lines = exchangeTimes(rows)
  return lines.flatMap(({ kind }, at) => {
    if (kind !== 'ERROR') return []
    const good = Math.max(...lines.slice(0, at).filter((line) => line.kind === 'update' || line.kind === 'snapshot').map(({ taken }) => taken))
    const known = lines.slice(at).find((line) => line.kind === 'snapshot')?.taken
    return [[good, known ?? Number(endNs(rows) - MADE_MIDNIGHT_NS)] as const]
  })
}

/** Stretches in which the depth book, as lines of depth leave it, has its best bid above its best ask. */
export function crossedSpans(rows: Rows): (readonly [from: number, to: number, fromAdapterNs: number])[] {
  const times = exchangeTimes(rows)
  const sides = [new Map<number, number>(), new Map<number, number>()] as const
  const spans: (readonly [from: number, to: number, fromAdapterNs: number])[] = []
  let since: readonly [from: number, fromAdapterNs: number] | null = null
  for (const [at, { line: { kind, adapterTimeNs, rows: levels = [] } }] of linesOf(rows, rows.instrument.id).entries()) {
    if (kind === 'snapshot') for (const side of sides) side.clear()
    if (kind !== 'snapshot' && kind !== 'update') continue
    for (const [side, price, quantity] of levels) if (quantity === 0) sides[side as 0 | 1].delete(price)
    else sides[side as 0 | 1].set(price, quantity)
    const isCrossed = Math.max(...sides[0].keys()) > Math.min(...sides[1].keys())
    if (isCrossed) since ??= [times[at]!.taken, adapterTimeNs]
    else if (since !== null) {
      spans.push([since[0], times[at]!.taken, since[1]])
      since = null
    }
  }
  return since === null ? spans : [...spans, [since[0], Number(endNs(rows) - MADE_MIDNIGHT_NS), since[1]]]
}

/** Rows of the whole run; those of an underlying, of an account and instrument, are parts of them. */
export function allRows(played: PlayedScene): Rows {
  const { fills, orders, equity, hours, days, roundTrips } = played.result
  return {
    played, code: '', instrument: played.instruments[0]!, fills: fills.rows, orders: orders.rows, equity: equity.rows,
    hours: hours.rows, days: days.rows, trips: roundTrips.rows, journal: played.journal, durations: [], horizonNs: 0,
  }
}

/** The rows of one underlying. */
export function rowsOfUnderlying(rows: Rows, code: string): Rows {
  const isOwn = ({ underlying }: { readonly underlying: string }): boolean => underlying === code
  return {
    ...rows, code, fills: rows.fills.filter(({ instrument_id: id }) => settlementCode(instrumentOf(rows, id)) === code), equity: rows.equity.filter(isOwn),
    hours: rows.hours.filter(isOwn), days: rows.days.filter(isOwn), trips: rows.trips.filter(isOwn),
  }
}

/** The rows of one instrument. */
export function rowsOfInstrument(rows: Rows, id: number): Rows {
  const isOwn = ({ instrument_id: own }: { readonly instrument_id: number }): boolean => own === id
  const instrument = instrumentOf(rows, id)
  return { ...rows, instrument, code: settlementCode(instrument), fills: rows.fills.filter(isOwn), orders: rows.orders.filter(isOwn), trips: rows.trips.filter(isOwn) }
}

/** Feed latencies of an instrument: from the exchange's time of a line to its adapter time. */
export function feedDurations(rows: Rows, id: number): bigint[] {
  return linesOf(rows, id).filter(({ line: { kind, timeNs } }) => kind !== 'ERROR' && Number.isFinite(timeNs)).map(({ line: { adapterTimeNs, timeNs } }) => BigInt(adapterTimeNs) - BigInt(timeNs))
}
