import { EVENT_FLAGS, type EventBatch, type IdColumn, type TextColumn } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'

/** A depth event written by hand: rows are [side code, scaled price, scaled quantity]. */
export interface DepthEvent {
  readonly kind: 'snapshot' | 'update' | 'ERROR' | 'READY' | 'other'
  readonly rows?: readonly (readonly [side: number, price: number, quantity: number])[]
  readonly gap?: boolean
  /** The event begins a file of a run of several days. */
  readonly seam?: boolean
  /** The line was made where a silence is detected. */
  readonly silence?: boolean
  /** The first text of an event; a state event says its kind where nothing else is given. */
  readonly says?: string
  readonly timeNs?: number
}

export interface DepthBatchOptions {
  readonly priceScale?: number
  readonly quantityScale?: number
  readonly tickSize?: string | null
  readonly tickBands?: Instrument['tickBands']
}

const KINDS = { snapshot: 0, update: 1, ERROR: 5, READY: 5, other: 8 } as const

/** A batch of depth and state events as a reader would deliver it. */
export function depthBatch(events: readonly DepthEvent[], options: DepthBatchOptions = {}): EventBatch {
  const { priceScale = 0, quantityScale = 0 } = options
  const count = events.length
  const rows = events.flatMap((event) => [...(event.rows ?? [])])
  const texts = events.map(({ kind, says = kind === 'ERROR' || kind === 'READY' ? kind : undefined }) => (says === undefined ? [] : [says, 'why']))
  let row = 0
  let text = 0
  return {
    instrument: { id: 1, code: 'TEST', tickSize: options.tickSize ?? null, tickBands: options.tickBands ?? [] } as unknown as Instrument,
    epochDay: 0, priceScale, quantityScale, count, firstEventIndex: 0, wide: null, lines: null,
    kind: Uint8Array.from(events, (event) => KINDS[event.kind]),
    adapterTimeNs: Float64Array.from(events, (event, i) => event.timeNs ?? i),
    exchangeTimeNs: new Float64Array(count).fill(NaN),
    previousEventId: noIds(count), eventId: noIds(count),
    flags: Uint16Array.from(events, flagsOf),
    rowStart: Uint32Array.from([0, ...events.map((event) => (row += event.rows?.length ?? 0))]),
    side: Uint8Array.from(rows, (r) => r[0]),
    price: Float64Array.from(rows, (r) => r[1]),
    quantity: Float64Array.from(rows, (r) => r[2]),
    tradeRowStart: new Uint32Array(count + 1), rowTimeNs: new Float64Array(0), tradeId: textColumn([]),
    valueStart: new Uint32Array(count + 1), values: new Float64Array(0), valueScale: new Uint8Array(0),
    textStart: Uint32Array.from([0, ...texts.map((t) => (text += t.length))]),
    text: textColumn(texts.flat()),
  }
}

function flagsOf({ gap, seam, silence }: DepthEvent): number {
  const { CHAIN_GAP, SEAM, SILENCE } = EVENT_FLAGS
  return (gap === true ? CHAIN_GAP : 0) | (seam === true ? SEAM : 0) | (silence === true ? SILENCE : 0)
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
