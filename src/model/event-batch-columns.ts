import { BATCH_EVENT_LIMIT, ID_FORMS, type EventBatch, type IdColumn, type TextColumn } from './event-batch.js'
import type { Instrument } from './instrument.js'
import { sliceLines } from './line-numbers.js'
import { innerRuns, totalOf, type Runs } from './runs.js'
import { copyWide } from './wide-numbers.js'

/** The capacity of each group of columns of a batch. */
export interface BatchCapacity {
  /** Most events. */
  readonly eventCount: number
  /** Most rows of all events together. */
  readonly rowCount: number
  /** Most trade and liquidation rows. */
  readonly tradeRowCount: number
  /** Most bytes of trade ids in UTF-8. */
  readonly tradeIdBytes: number
  /** Most values of mark, index and funding events. */
  readonly valueCount: number
  /** Most texts of state events. */
  readonly textCount: number
  /** Most bytes of those texts in UTF-8. */
  readonly textBytes: number
}

/** Room for a full batch of an ordinary day; a line that needs more has a batch of its own. */
export const BATCH_CAPACITY: BatchCapacity = {
  eventCount: BATCH_EVENT_LIMIT,
  rowCount: 262_144,
  tradeRowCount: 65_536,
  tradeIdBytes: 2_097_152,
  valueCount: BATCH_EVENT_LIMIT * 8,
  textCount: BATCH_EVENT_LIMIT * 2,
  textBytes: 1_048_576,
}

type ColumnArray = Float64Array | Uint32Array | Uint16Array | Uint8Array

/** A batch whose counters and texts its owner may set. */
export type WritableBatch = { -readonly [K in keyof EventBatch]: EventBatch[K] }

/** Bytes that {@link createBatch} needs for a capacity. */
export function batchByteLength(capacity: BatchCapacity): number {
  return batchLayout(capacity).byteLength
}

interface BatchLayout {
  readonly byteLength: number
  readonly offsets: ReadonlyMap<string, number>
}

/** Widths and lengths of all columns, widest first so that every column is aligned. */
function columnSizes(c: BatchCapacity): [name: string, width: number, length: number][] {
  const starts = c.eventCount + 1
  return [
    ['adapterTimeNs', 8, c.eventCount],
    ['exchangeTimeNs', 8, c.eventCount],
    ['price', 8, c.rowCount],
    ['quantity', 8, c.rowCount],
    ['rowTimeNs', 8, c.tradeRowCount],
    ['values', 8, c.valueCount],
    ['previousEventId.high', 4, c.eventCount],
    ['previousEventId.low', 4, c.eventCount],
    ['eventId.high', 4, c.eventCount],
    ['eventId.low', 4, c.eventCount],
    ['rowStart', 4, starts],
    ['tradeRowStart', 4, starts],
    ['valueStart', 4, starts],
    ['textStart', 4, starts],
    ['tradeId.start', 4, c.tradeRowCount + 1],
    ['text.start', 4, c.textCount + 1],
    ['flags', 2, c.eventCount],
    ['kind', 1, c.eventCount],
    ['previousEventId.form', 1, c.eventCount],
    ['eventId.form', 1, c.eventCount],
    ['side', 1, c.rowCount],
    ['valueScale', 1, c.valueCount],
    ['tradeId.bytes', 1, c.tradeIdBytes],
    ['tradeId.isNull', 1, c.tradeRowCount],
    ['text.bytes', 1, c.textBytes],
    ['text.isNull', 1, c.textCount],
  ]
}

function batchLayout(capacity: BatchCapacity): BatchLayout {
  const offsets = new Map<string, number>()
  let at = 0
  for (const [name, width, length] of columnSizes(capacity)) {
    offsets.set(name, at)
    at = (at + width * length + 7) & ~7
  }
  return { byteLength: at, offsets }
}

/** Where a new batch lies and what it belongs to. */
export interface BatchOptions {
  /** The instrument of its events. */
  readonly instrument: Instrument
  /** Days since 1970-01-01; the base of all times. */
  readonly epochDay: number
  /** Lengths of its columns. */
  readonly capacity: BatchCapacity
  /** Memory of at least {@link batchByteLength} bytes; default an own ArrayBuffer. */
  readonly buffer?: ArrayBufferLike
  /** Offset in `buffer`, a multiple of 8; default 0. */
  readonly byteOffset?: number
}

/**
 * An empty batch over given or new memory, count 0, all starts 0.
 *
 * @example
 * ```ts
 * import type { Instrument } from 'backtape'
 * import {
 *   BATCH_CAPACITY, batchByteLength, batchTransferList, createBatch, indexAtTime, sliceBatch,
 * } from 'backtape/columns'
 * const buffer = new SharedArrayBuffer(batchByteLength(BATCH_CAPACITY))
 * const batch = createBatch({ instrument: {} as Instrument, epochDay: 0, capacity: BATCH_CAPACITY, buffer })
 * batch.adapterTimeNs.set([10, 20, 30])
 * batch.count = 3
 * if (sliceBatch(batch, indexAtTime(batch, 15), 3).count !== 2) throw new Error('two events at or after 15 ns')
 * if (batchTransferList(batch).length !== 0) throw new Error('shared memory needs no transfer')
 * ```
 */
export function createBatch(options: BatchOptions): WritableBatch {
  const { capacity } = options
  const layout = batchLayout(capacity)
  const buffer = options.buffer ?? new ArrayBuffer(layout.byteLength)
  const base = options.byteOffset ?? 0
  const at = (name: string): number => base + (layout.offsets.get(name) ?? 0)
  const f64 = (name: string, length: number): Float64Array => new Float64Array(buffer, at(name), length)
  const u32 = (name: string, length: number): Uint32Array => new Uint32Array(buffer, at(name), length)
  const u16 = (name: string, length: number): Uint16Array => new Uint16Array(buffer, at(name), length)
  const u8 = (name: string, length: number): Uint8Array => new Uint8Array(buffer, at(name), length)
  const { eventCount: events, rowCount: rows, tradeRowCount: trades, valueCount: values } = capacity
  const texts: string[] = []
  const ids = (name: string): IdColumn => ({
    form: u8(`${name}.form`, events), high: u32(`${name}.high`, events), low: u32(`${name}.low`, events), texts,
  })
  return {
    instrument: options.instrument,
    epochDay: options.epochDay,
    priceScale: 0,
    quantityScale: 0,
    wide: null,
    lines: null,
    count: 0,
    firstEventIndex: 0,
    kind: u8('kind', events),
    adapterTimeNs: f64('adapterTimeNs', events),
    exchangeTimeNs: f64('exchangeTimeNs', events),
    previousEventId: ids('previousEventId'),
    eventId: ids('eventId'),
    flags: u16('flags', events),
    rowStart: u32('rowStart', events + 1),
    side: u8('side', rows),
    price: f64('price', rows),
    quantity: f64('quantity', rows),
    tradeRowStart: u32('tradeRowStart', events + 1),
    rowTimeNs: f64('rowTimeNs', trades),
    tradeId: {
      start: u32('tradeId.start', trades + 1), bytes: u8('tradeId.bytes', capacity.tradeIdBytes),
      isNull: u8('tradeId.isNull', trades),
    },
    valueStart: u32('valueStart', events + 1),
    values: f64('values', values),
    valueScale: u8('valueScale', values),
    textStart: u32('textStart', events + 1),
    text: {
      start: u32('text.start', capacity.textCount + 1), bytes: u8('text.bytes', capacity.textBytes),
      isNull: u8('text.isNull', capacity.textCount),
    },
  }
}

/** The layout of a copy by {@link copyBatch}. */
export interface CopyOptions {
  /**
   * True: in one SharedArrayBuffer, which other threads may read; default one ArrayBuffer, which can be transferred.
   */
  readonly shared?: boolean
  /** Memory to lay the copy in, where it is large enough; `shared` is not looked at then. */
  readonly buffer?: ArrayBufferLike
}

function copyColumn(target: ColumnArray, source: ColumnArray, runs: Runs): void {
  let at = 0
  for (let k = 0; k < runs.from.length; k++) {
    const part = source.subarray(runs.from[k], runs.to[k])
    target.set(part, at)
    at += part.length
  }
}

function copyStarts(target: Uint32Array, source: Uint32Array, runs: Runs): void {
  let at = 0
  let end = 0
  target[0] = 0
  for (let k = 0; k < runs.from.length; k++) {
    const from = runs.from[k] ?? 0
    const to = runs.to[k] ?? 0
    const shift = end - (source[from] ?? 0)
    for (let i = from; i < to; i++) target[++at] = (source[i + 1] ?? 0) + shift
    end = target[at] ?? 0
  }
}

function copyTexts(target: TextColumn, source: TextColumn, runs: Runs): void {
  copyStarts(target.start, source.start, runs)
  copyColumn(target.bytes, source.bytes, innerRuns(runs, source.start))
  copyColumn(target.isNull, source.isNull, runs)
}

function wholeOf({ count }: EventBatch): Runs {
  return { from: [0], to: [count] }
}

/** The rows, values and texts of some events of a batch. */
function partsOf(batch: EventBatch, events: Runs): Record<'rows' | 'trades' | 'values' | 'texts', Runs> {
  return {
    rows: innerRuns(events, batch.rowStart),
    trades: innerRuns(events, batch.tradeRowStart),
    values: innerRuns(events, batch.valueStart),
    texts: innerRuns(events, batch.textStart),
  }
}

/** The part of each column that some events of a batch use. */
function usedCapacity(batch: EventBatch, events: Runs): BatchCapacity {
  const { rows, trades, values, texts } = partsOf(batch, events)
  return {
    eventCount: totalOf(events),
    rowCount: totalOf(rows),
    tradeRowCount: totalOf(trades),
    tradeIdBytes: totalOf(innerRuns(trades, batch.tradeId.start)),
    valueCount: totalOf(values),
    textCount: totalOf(texts),
    textBytes: totalOf(innerRuns(texts, batch.text.start)),
  }
}

/** Bytes that {@link copyBatch} needs for a batch. */
export function copyByteLength(batch: EventBatch): number {
  return batchByteLength(usedCapacity(batch, wholeOf(batch)))
}

/**
 * The batch in own, exactly fitting memory: one buffer, independent of the reader. Only what its events use is copied.
 *
 * @example
 * ```ts
 * import { copyBatch, createBatch, BATCH_CAPACITY, type EventBatch } from 'backtape/columns'
 * const empty: EventBatch = createBatch({ instrument: { id: 1 } as never, epochDay: 0, capacity: BATCH_CAPACITY })
 * if (copyBatch(empty, { shared: true }).count !== 0) throw new Error('an empty copy')
 * ```
 */
export function copyBatch(batch: EventBatch, options: CopyOptions = {}): EventBatch {
  return copyRuns(batch, wholeOf(batch), options)
}

/** Some events of the batch in own memory, as {@link copyBatch} lays it out. */
export function copyRuns(batch: EventBatch, events: Runs, options: CopyOptions = {}): EventBatch {
  const { rows, trades, values, texts } = partsOf(batch, events)
  const capacity = usedCapacity(batch, events)
  const length = batchByteLength(capacity)
  const given = options.buffer !== undefined && options.buffer.byteLength >= length ? options.buffer : null
  const buffer = given ?? (options.shared === true ? new SharedArrayBuffer(length) : new ArrayBuffer(length))
  const copy = createBatch({ instrument: batch.instrument, epochDay: batch.epochDay, capacity, buffer })
  const idTexts = [...batch.eventId.texts]
  copy.priceScale = batch.priceScale
  copy.quantityScale = batch.quantityScale
  // Of events that are no neighbours nothing follows from the first.
  const [from] = events.from
  if (events.from.length === 1 && from !== undefined) copy.lines = sliceLines(batch.lines, from, events.to[0] ?? from)
  if (batch.wide !== null) copy.wide = copyWide(batch.wide, rows, values)
  copy.firstEventIndex = batch.firstEventIndex
  copy.count = capacity.eventCount
  for (const name of ['kind', 'flags', 'adapterTimeNs', 'exchangeTimeNs'] as const)
    copyColumn(copy[name], batch[name], events)
  for (const name of ['previousEventId', 'eventId'] as const) {
    copy[name] = { ...copy[name], texts: idTexts }
    for (const part of ['form', 'high', 'low'] as const) copyColumn(copy[name][part], batch[name][part], events)
  }
  for (const name of ['rowStart', 'tradeRowStart', 'valueStart', 'textStart'] as const)
    copyStarts(copy[name], batch[name], events)
  for (const name of ['side', 'price', 'quantity'] as const) copyColumn(copy[name], batch[name], rows)
  for (const name of ['values', 'valueScale'] as const) copyColumn(copy[name], batch[name], values)
  copyColumn(copy.rowTimeNs, batch.rowTimeNs, trades)
  copyTexts(copy.tradeId, batch.tradeId, trades)
  copyTexts(copy.text, batch.text, texts)
  return copy
}

/**
 * The ArrayBuffers under a batch, each once, for the transfer list of `postMessage`; SharedArrayBuffers need no
 * transfer and are left out. Transferring takes the memory away from the sender: transfer copies only.
 */
export function batchTransferList(batch: EventBatch): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) buffers.add(value.buffer)
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const inner of Object.values(value)) visit(inner)
    }
  }
  const { instrument: _instrument, wide: _wide, lines: _lines, ...columns } = batch
  visit(columns)
  return [...buffers]
}

/**
 * Events `from` to `to` (exclusive) as views of the same memory, without touching them. Row, value and text starts keep
 * counting in the shared columns, so `rowStart[0]` need not be 0.
 */
export function sliceBatch(batch: EventBatch, from: number, to: number): EventBatch {
  const first = Math.max(0, Math.min(from, batch.count))
  const end = Math.max(first, Math.min(to, batch.count))
  const ids = (c: IdColumn): IdColumn => ({
    form: c.form.subarray(first, end),
    high: c.high.subarray(first, end),
    low: c.low.subarray(first, end),
    texts: c.texts,
  })
  return {
    ...batch,
    count: end - first,
    lines: first === 0 ? batch.lines : sliceLines(batch.lines, first, end),
    firstEventIndex: batch.firstEventIndex + first,
    kind: batch.kind.subarray(first, end),
    adapterTimeNs: batch.adapterTimeNs.subarray(first, end),
    exchangeTimeNs: batch.exchangeTimeNs.subarray(first, end),
    previousEventId: ids(batch.previousEventId),
    eventId: ids(batch.eventId),
    flags: batch.flags.subarray(first, end),
    rowStart: batch.rowStart.subarray(first, end + 1),
    tradeRowStart: batch.tradeRowStart.subarray(first, end + 1),
    valueStart: batch.valueStart.subarray(first, end + 1),
    textStart: batch.textStart.subarray(first, end + 1),
  }
}

/**
 * The first event whose adapter time is at or after `timeNs` (nanoseconds since the batch's `epochDay`), or `count`
 * where there is none. That is where the running maximum of the adapter time reaches `timeNs`, steps back included.
 */
export function indexAtTime(batch: EventBatch, timeNs: number): number {
  const { adapterTimeNs, count } = batch
  for (let i = 0; i < count; i++) if ((adapterTimeNs[i] ?? NaN) >= timeNs) return i
  return count
}

/** The text at `index` of a text column; null where the source has null. */
export function textAt(column: TextColumn, index: number): string | null {
  if (column.isNull[index] === 1) return null
  const bytes = column.bytes.slice(column.start[index] ?? 0, column.start[index + 1] ?? 0)
  return new TextDecoder().decode(bytes)
}

/**
 * The exact text of the id of event `index`; null for an event without ids (a state).
 *
 * @example
 * ```ts
 * import type { Instrument } from 'backtape'
 * import { BATCH_CAPACITY, ID_FORMS, createBatch, idTextAt, idsEqual, textAt } from 'backtape/columns'
 * const batch = createBatch({ instrument: {} as Instrument, epochDay: 0, capacity: BATCH_CAPACITY })
 * for (const id of [batch.previousEventId, batch.eventId]) {
 *   id.form[0] = ID_FORMS.NUMBER
 *   id.low[0] = 7
 * }
 * if (idTextAt(batch.eventId, 0) !== '7' || !idsEqual(batch.eventId, 0, batch.previousEventId, 0)) {
 *   throw new Error('both are 7')
 * }
 * batch.text.isNull[0] = 1
 * if (textAt(batch.text, 0) !== null) throw new Error('null in the file')
 * ```
 */
export function idTextAt(column: IdColumn, index: number): string | null {
  const form = column.form[index]
  const high = column.high[index] ?? 0
  const low = column.low[index] ?? 0
  if (form === ID_FORMS.TEXT) return column.texts[low] ?? null
  if (form !== ID_FORMS.NUMBER) return null
  return high < 0x200000 ? String(high * 0x1_0000_0000 + low) : String((BigInt(high) << 32n) | BigInt(low))
}

/** True where id `index` of one column equals id `otherIndex` of another column of the same batch. */
export function idsEqual(column: IdColumn, index: number, other: IdColumn, otherIndex: number): boolean {
  return (
    column.form[index] === other.form[otherIndex] &&
    column.low[index] === other.low[otherIndex] &&
    column.high[index] === other.high[otherIndex]
  )
}
