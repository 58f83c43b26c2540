import { textFromScaled } from '../model/decimal.js'
import { type EventBatch, ID_FORMS, type IdColumn, type TextColumn, VALUE_SCALES } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { SIDE_CODES } from '../model/side.js'
import { ColumnBuffer, grown, type TableChunk } from '../tables/column.js'
import { bigScaled } from '../model/wide-numbers.js'
import { type ExportKind, isPerEvent, tableColumns, type TableShape, valueScaleOf } from './export-kind.js'
import { ShapeNeeds } from './shape-needs.js'

/** Rows of a chunk: a row group of Parquet, a record batch of Arrow. */
const CHUNK_ROW_LIMIT = 131_072

/** Rows that a table has room for at first; most tables of most files are small. */
const FIRST_ROWS = 1024

/** A chunk also ends where a text column holds this much, so that long texts do not pile up. */
const CHUNK_TEXT_LIMIT_BYTES = 16_777_216

const NONE = EVENT_KINDS.snapshot

const KINDS: Readonly<Record<ExportKind, readonly [number, number]>> = {
  trades: [EVENT_KINDS.trades, EVENT_KINDS.trades],
  bbo: [EVENT_KINDS.topOfBook, EVENT_KINDS.topOfBook],
  depth: [NONE, EVENT_KINDS.update],
  mark: [EVENT_KINDS.mark, EVENT_KINDS.mark],
  index: [EVENT_KINDS.index, EVENT_KINDS.index],
  funding: [EVENT_KINDS.funding, EVENT_KINDS.funding],
  liquidations: [EVENT_KINDS.liquidations, EVENT_KINDS.liquidations],
  states: [EVENT_KINDS.state, EVENT_KINDS.state],
}

const encoder = new TextEncoder()

function textAt(column: TextColumn, index: number): Uint8Array | null {
  return column.isNull[index] === 1
    ? null
    : column.bytes.subarray(column.start[index] ?? 0, column.start[index + 1] ?? 0)
}

/**
 * Gathers the rows of one table from batches into chunks. When a value needs a finer scale than the table's, or an id
 * is not a 64-bit decimal, the builder stops giving chunks and from then on only finds the shape that the whole file
 * needs (`neededShape`).
 */
export class TableBuilder {
  readonly columns: readonly ColumnBuffer[]
  rowCount = 0
  private readonly named: Readonly<Record<string, ColumnBuffer>>
  private readonly hasRuns: boolean
  /** Rows that there is room for; grows to a chunk. */
  private capacity = FIRST_ROWS
  private runStart: Uint32Array = new Uint32Array(FIRST_ROWS + 1)
  private runs = 0
  private rows = 0
  private epochDay = 0
  private readonly needs: ShapeNeeds

  constructor(
    readonly kind: ExportKind,
    readonly shape: TableShape,
    private readonly emit: (chunk: TableChunk) => void,
  ) {
    this.hasRuns = kind === 'depth' || kind === 'trades' || kind === 'liquidations'
    this.columns = tableColumns(kind, shape).map(
      (column) => new ColumnBuffer(column, this.hasRuns && isPerEvent(column), FIRST_ROWS),
    )
    this.named = Object.fromEntries(this.columns.map((buffer) => [buffer.column.name, buffer]))
    this.needs = new ShapeNeeds(kind, shape)
  }

  /** False once the table needs another shape: its output has to start again. */
  get fits(): boolean {
    return this.needs.fits
  }

  /** The shape that everything appended so far needs. */
  get neededShape(): TableShape {
    return this.needs.shape
  }

  /** Takes the rows of a batch; chunks are emitted as they fill. */
  append(batch: EventBatch): void {
    const [first, last] = KINDS[this.kind]
    if (batch.epochDay !== this.epochDay) {
      this.flush()
      this.epochDay = batch.epochDay
    }
    this.needs.measure(batch, first, last)
    if (!this.fits) return
    for (let event = 0; event < batch.count; event++) {
      const kind = batch.kind[event] ?? 0
      if (kind < first || kind > last) continue
      if (this.hasRuns) this.appendRows(batch, event)
      else this.appendEvent(batch, event)
    }
  }

  /** Emits what is left. */
  flush(): void {
    if (this.rows > 0 && this.fits) {
      this.runStart[this.runs] = this.rows
      this.emit({
        epochDay: this.epochDay, rowCount: this.rows, runCount: this.runs, runStart: this.runStart,
        columns: this.columns,
      })
      this.rowCount += this.rows
    }
    this.rows = 0
    this.runs = 0
  }

  private appendRows(batch: EventBatch, event: number): void {
    const end = batch.rowStart[event + 1] ?? 0
    for (let row = batch.rowStart[event] ?? 0; row < end; ) {
      const stop = Math.min(end, row + CHUNK_ROW_LIMIT - this.rows)
      this.makeRoom(stop - row)
      this.runStart[this.runs] = this.rows
      this.putEvent(batch, event, this.runs)
      this.copyRows(batch, row, stop)
      if (this.kind !== 'depth')
        this.copyTradeRows(batch, (batch.tradeRowStart[event] ?? 0) + row - (batch.rowStart[event] ?? 0), stop - row)
      this.rows += stop - row
      this.runs++
      row = stop
      this.flushWhenFull()
    }
  }

  /** Room for more rows of the chunk; a run has a row at least, so runs fit too. */
  private makeRoom(more: number): void {
    const wanted = this.rows + more
    if (wanted <= this.capacity) return
    this.capacity = Math.min(CHUNK_ROW_LIMIT, Math.max(wanted, this.capacity * 4))
    this.runStart = grown(this.runStart, this.capacity + 1)
    for (const column of this.columns) column.reserve(this.capacity)
  }

  private copyRows(batch: EventBatch, from: number, to: number): void {
    const { side, price, qty } = this.named
    const sides = side?.bytes ?? new Uint8Array(0)
    const at = this.rows - from
    for (let row = from; row < to; row++) sides[at + row] = batch.side[row] ?? 0
    this.copyNumbers('price', price, batch, from, to, this.rows)
    this.copyNumbers('quantity', qty, batch, from, to, this.rows)
  }

  /** Prices or quantities of rows, in the form of their column. */
  private copyNumbers(
    name: 'price' | 'quantity', target: ColumnBuffer | undefined, batch: EventBatch, from: number, to: number,
    at: number,
  ): void {
    if (target === undefined) return
    const isPrice = name === 'price'
    const form = isPrice ? this.shape.priceForm : this.shape.quantityForm
    const fromScale = isPrice ? batch.priceScale : batch.quantityScale
    const toScale = isPrice ? this.shape.priceScale : this.shape.quantityScale
    if (form === undefined) {
      if (!copyScaled(batch[name], from, to, target.numbers, at, fromScale, toScale)) this.needs.widen(name)
      return
    }
    const texts = batch.wide?.[name]
    for (let row = from; row < to; row++) {
      const text = texts?.get(row) ?? textFromScaled(batch[name][row] ?? 0, fromScale)
      if (!putDecimal(target, at + row - from, text, form === 'text' ? null : toScale)) this.needs.widen(name)
    }
  }

  private copyTradeRows(batch: EventBatch, from: number, count: number): void {
    const times = (this.named['trade_ts'] ?? this.named['liquidation_ts'])?.numbers ?? new Float64Array(0)
    const ids = this.named['trade_id']
    for (let i = 0; i < count; i++) {
      times[this.rows + i] = batch.rowTimeNs[from + i] ?? NaN
      ids?.putText(this.rows + i, textAt(batch.tradeId, from + i))
    }
  }

  private appendEvent(batch: EventBatch, event: number): void {
    const row = this.rows
    this.makeRoom(1)
    this.runStart[row] = row
    this.putEvent(batch, event, row)
    if (this.kind === 'bbo') this.putTopOfBook(batch, event, row)
    else if (this.kind === 'states') this.putState(batch, event, row)
    else this.putValues(batch, event, row)
    this.rows++
    this.runs++
    this.flushWhenFull()
  }

  private flushWhenFull(): void {
    if (this.rows === CHUNK_ROW_LIMIT) return this.flush()
    for (const buffer of this.columns) {
      if (
        buffer.start.length > 0 &&
        (buffer.start[buffer.perRun ? this.runs : this.rows] ?? 0) > CHUNK_TEXT_LIMIT_BYTES
      )
        return this.flush()
    }
  }

  private putEvent(batch: EventBatch, event: number, at: number): void {
    const {
      ts, exchange_ts: exchange, is_snapshot: snapshot, event_index: index, event_id: id, previous_event_id: previous,
    } = this.named
    if (ts !== undefined) ts.numbers[at] = batch.adapterTimeNs[event] ?? 0
    if (exchange !== undefined) exchange.numbers[at] = batch.exchangeTimeNs[event] ?? NaN
    if (snapshot !== undefined) snapshot.bytes[at] = batch.kind[event] === EVENT_KINDS.snapshot ? 1 : 0
    if (index !== undefined) index.numbers[at] = batch.firstEventIndex + event
    if (id !== undefined) this.putId(id, batch.eventId, event, at)
    if (previous !== undefined) this.putId(previous, batch.previousEventId, event, at)
  }

  private putId(target: ColumnBuffer, ids: IdColumn, event: number, at: number): void {
    const form = ids.form[event] ?? ID_FORMS.NONE
    const high = ids.high[event] ?? 0
    const low = ids.low[event] ?? 0
    if (!this.shape.idsAreText) {
      target.isNull[at] = form === ID_FORMS.NONE ? 1 : 0
      target.high[at] = high
      target.low[at] = low
      return
    }
    if (form === ID_FORMS.NONE) return target.putText(at, null)
    target.putText(
      at, encoder.encode(form === ID_FORMS.TEXT ? (ids.texts[low] ?? '') : String((BigInt(high) << 32n) | BigInt(low))),
    )
  }

  private putTopOfBook(batch: EventBatch, event: number, at: number): void {
    const { bid_price: bidPrice, bid_qty: bidQuantity, ask_price: askPrice, ask_qty: askQuantity } = this.named
    if (!bidPrice || !bidQuantity || !askPrice || !askQuantity) return
    // The last row of each side counts.
    let [bid, ask] = [-1, -1]
    for (let row = batch.rowStart[event] ?? 0, end = batch.rowStart[event + 1] ?? 0; row < end; row++)
      if (batch.side[row] === SIDE_CODES.ASK) ask = row
      else bid = row
    this.putTop('price', bidPrice, batch, bid, at)
    this.putTop('quantity', bidQuantity, batch, bid, at)
    this.putTop('price', askPrice, batch, ask, at)
    this.putTop('quantity', askQuantity, batch, ask, at)
  }

  private putTop(
    name: 'price' | 'quantity', target: ColumnBuffer, batch: EventBatch, row: number, at: number,
  ): void {
    if (row >= 0) return this.copyNumbers(name, target, batch, row, row + 1, at)
    const form = name === 'price' ? this.shape.priceForm : this.shape.quantityForm
    if (form === 'text') target.putText(at, null)
    else if (form === 38) target.putWide(at, null)
    else target.numbers[at] = NaN
  }

  private putState(batch: EventBatch, event: number, at: number): void {
    const from = batch.textStart[event] ?? 0
    this.named['state']?.putText(at, textAt(batch.text, from))
    this.named['text']?.putText(at, from + 1 < (batch.textStart[event + 1] ?? 0) ? textAt(batch.text, from + 1) : null)
  }

  private putValues(batch: EventBatch, event: number, at: number): void {
    const end = batch.valueStart[event + 1] ?? 0
    let value = batch.valueStart[event] ?? 0
    for (const buffer of this.columns) {
      if (isPerEvent(buffer.column)) continue
      const scale = value < end ? (batch.valueScale[value] ?? VALUE_SCALES.NULL) : VALUE_SCALES.NULL
      if (this.shape.valueForm !== undefined && DECIMAL_VALUES.has(buffer.column.name))
        this.putWideValue(buffer, at, batch, value, scale)
      else {
        buffer.numbers[at] = scale === VALUE_SCALES.NULL ? NaN : (batch.values[value] ?? NaN)
        if (buffer.scales.length > 0) buffer.scales[at] = scale
      }
      value++
    }
  }

  private putWideValue(buffer: ColumnBuffer, at: number, batch: EventBatch, value: number, scale: number): void {
    const isText = this.shape.valueForm === 'text'
    if (scale === VALUE_SCALES.NULL) return isText ? buffer.putText(at, null) : buffer.putWide(at, null)
    const text = batch.wide?.value.get(value) ?? textFromScaled(batch.values[value] ?? 0, scale)
    if (!putDecimal(buffer, at, text, isText ? null : valueScaleOf(this.shape))) this.needs.widenValues()
  }
}

/** Columns of marks, indexes and rates. */
const DECIMAL_VALUES: ReadonlySet<string> = new Set(['price', 'rate', 'predicted_rate'])

const WIDE_END = 10n ** 38n

/** Puts a decimal of up to 38 digits, or its text where there is no scale; false where the digits are too many. */
function putDecimal(buffer: ColumnBuffer, at: number, text: string, scale: number | null): boolean {
  if (scale === null) {
    buffer.putText(at, encoder.encode(text))
    return true
  }
  const integer = bigScaled(text, scale)
  if (integer === null || integer >= WIDE_END || -integer >= WIDE_END) return false
  buffer.putWide(at, integer)
  return true
}

/** False where a value exceeds 2^53 - 1 at the scale. */
function copyScaled(
  from: Float64Array, start: number, end: number, to: Float64Array, at: number, fromScale: number,
  toScale: number,
): boolean {
  const shift = at - start
  if (fromScale === toScale) {
    for (let i = start; i < end; i++) to[shift + i] = from[i] ?? NaN
    return true
  }
  // One of the two is 1; both are exact powers of ten, and so are product and quotient.
  const factor = Number(`1e${String(Math.max(0, toScale - fromScale))}`)
  const divisor = Number(`1e${String(Math.max(0, fromScale - toScale))}`)
  for (let i = start; i < end; i++) {
    const value = ((from[i] ?? NaN) * factor) / divisor
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
    to[shift + i] = value
  }
  return true
}
