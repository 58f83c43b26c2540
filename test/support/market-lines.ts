import { EVENT_FLAGS, type EventBatch, type IdColumn, type TextColumn } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'

/** A row written by hand: side code, scaled price, scaled quantity, and for a trade its own time: default the line's, NaN for none. */
export type MarketRow = readonly [side: number, price: number, quantity: number, timeNs?: number]

/** A line of an instrument written by hand. */
export interface MarketLine {
  readonly kind: 'snapshot' | 'update' | 'trades' | 'liquidations' | 'top' | 'ERROR' | 'READY' | 'mark' | 'index' | 'funding'
  readonly timeNs: number
  /** Default: the exchange's. */
  readonly adapterTimeNs?: number
  readonly rows?: readonly MarketRow[]
  readonly gap?: boolean
  /** The first snapshot of the next day's file; with a gap it hands over a book that was suspect. */
  readonly seam?: boolean
  readonly value?: number
  /** Of `value`; default 0. */
  readonly valueScale?: number
  /** Funding lines: the time that the rate is for. */
  readonly nextFundingNs?: number
}

export interface LineBatchOptions {
  readonly instrument: Instrument
  readonly priceScale?: number
  readonly quantityScale?: number
}

const KINDS = { snapshot: 0, update: 1, trades: 2, ERROR: 5, READY: 5, top: 6, mark: 7, index: 8, funding: 9, liquidations: 17 } as const
/** Rows of these have times of their own. */
const isTimed = ({ kind }: MarketLine): boolean => kind === 'trades' || kind === 'liquidations'

/** Lines as a reader would deliver them, in one batch. */
export function lineBatch(lines: readonly MarketLine[], { instrument, priceScale = 0, quantityScale = 0 }: LineBatchOptions): EventBatch {
  const count = lines.length
  const rows = lines.flatMap((line) => [...(line.rows ?? [])])
  const tradeTimesNs = lines.flatMap((line) => (isTimed(line) ? (line.rows ?? []).map((row) => row[3] ?? line.timeNs) : []))
  const texts = lines.map((line) => (line.kind === 'ERROR' || line.kind === 'READY' ? [line.kind, 'why'] : []))
  const valuesOf = ({ kind, value = NaN, nextFundingNs = NaN }: MarketLine): number[] => (kind === 'funding' ? [value, nextFundingNs] : kind === 'mark' || kind === 'index' ? [value] : [])
  const starts = (lengthOf: (line: MarketLine, index: number) => number): Uint32Array => {
    let sum = 0
    return Uint32Array.from([0, ...lines.map((line, index) => (sum += lengthOf(line, index)))])
  }
  return {
    instrument, epochDay: 0, priceScale, quantityScale, count, firstEventIndex: 0, wide: null, lines: null,
    kind: Uint8Array.from(lines, (line) => KINDS[line.kind]),
    adapterTimeNs: Float64Array.from(lines, (line) => line.adapterTimeNs ?? line.timeNs),
    exchangeTimeNs: Float64Array.from(lines, (line) => line.timeNs),
    previousEventId: noIds(count), eventId: noIds(count),
    flags: Uint16Array.from(lines, (line) => (line.gap === true ? EVENT_FLAGS.CHAIN_GAP : 0) | (line.seam === true ? EVENT_FLAGS.SEAM : 0)),
    rowStart: starts((line) => line.rows?.length ?? 0),
    side: Uint8Array.from(rows, (row) => row[0]),
    price: Float64Array.from(rows, (row) => row[1]),
    quantity: Float64Array.from(rows, (row) => row[2]),
    tradeRowStart: starts((line) => (isTimed(line) ? (line.rows?.length ?? 0) : 0)),
    rowTimeNs: Float64Array.from(tradeTimesNs),
    tradeId: { ...textColumn([]), isNull: new Uint8Array(tradeTimesNs.length).fill(1) },
    valueStart: starts((line) => valuesOf(line).length),
    values: Float64Array.from(lines.flatMap(valuesOf)), valueScale: Uint8Array.from(lines.flatMap((line) => valuesOf(line).map((_, at) => (at === 0 ? (line.valueScale ?? 0) : 0)))),
    textStart: starts((_line, index) => texts[index]!.length),
    text: textColumn(texts.flat()),
  }
}

function noIds(count: number): IdColumn {
  return { form: new Uint8Array(count), high: new Uint32Array(count), low: new Uint32Array(count), texts: [] }
}

function textColumn(texts: readonly string[]): TextColumn {
  const parts = texts.map((text) => new TextEncoder().encode(text))
  let end = 0
  return {
    start: Uint32Array.from([0, ...parts.map((part) => (end += part.length))]),
    bytes: Uint8Array.from(parts.flatMap((part) => [...part])),
    isNull: new Uint8Array(texts.length),
  }
}

/** Master data of an instrument made for tests: linear, priced in underlying 2, quantities of underlying 1. */
export function madeInstrument(more: Partial<Instrument> = {}): Instrument {
  return {
    id: 1, code: 'TEST', codeAlias: null, nativeCode: null, exchangeId: 1, exchangeCode: 'test', type: 'perpetual', state: null, active: true,
    isInverse: false, isQuanto: false, contractValue: null, multiplier: '1', strikePrice: null, start: null, expiry: null, tickSize: '1', tickBands: [],
    significantDigits: null, maxDecimals: null, lotSize: '1', minOrder: null, maxOrder: null, minValue: null, fundingIntervalSeconds: null,
    baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 2, feeUnderlyingId: 2, ...more,
  }
}
