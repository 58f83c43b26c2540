import { type EventBatch, ID_FORMS, type IdColumn, type TextColumn, VALUE_SCALES } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { ColumnChecksum } from './column-checksum.js'
import { textFromScaled } from '../model/decimal.js'
import { bigScaled } from '../model/wide-numbers.js'
import { type ExportKind, tableColumns, type TableShape, valueScaleOf } from './export-kind.js'

const DAY_NS = 86_400_000_000_000n

const EVENT_KIND_TABLES: Readonly<Record<number, ExportKind>> = {
  [EVENT_KINDS.snapshot]: 'depth',
  [EVENT_KINDS.update]: 'depth',
  [EVENT_KINDS.trades]: 'trades',
  [EVENT_KINDS.state]: 'states',
  [EVENT_KINDS.topOfBook]: 'bbo',
  [EVENT_KINDS.mark]: 'mark',
  [EVENT_KINDS.index]: 'index',
  [EVENT_KINDS.funding]: 'funding',
  [EVENT_KINDS.liquidations]: 'liquidations',
}

const encoder = new TextEncoder()

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(Math.max(0, exponent))

/**
 * The sums that one table of a source has to have, straight from the batches and without the code that builds tables:
 * so that a fault there shows when a result is read back.
 */
export class SourceSums {
  rowCount = 0
  readonly sums: Map<string, ColumnChecksum>

  constructor(private readonly kind: ExportKind, private readonly shape: TableShape) {
    this.sums = new Map(tableColumns(kind, shape).map((column) => [column.name, new ColumnChecksum()]))
  }

  add(batch: EventBatch): void {
    for (let event = 0; event < batch.count; event++) {
      if (EVENT_KIND_TABLES[batch.kind[event] ?? -1] === this.kind) this.addEvent(batch, event)
    }
    for (const [name, sum] of this.sums) {
      if (name === 'ts' || name.endsWith('_ts')) sum.settle(1n, 1n, BigInt(batch.epochDay) * DAY_NS)
      else if (name.endsWith('qty'))
        sum.settle(
          powerOfTen(this.shape.quantityScale - batch.quantityScale),
          powerOfTen(batch.quantityScale - this.shape.quantityScale),
        )
      else if (name.endsWith('price'))
        sum.settle(
          powerOfTen(this.shape.priceScale - batch.priceScale), powerOfTen(batch.priceScale - this.shape.priceScale),
        )
      else sum.settle()
    }
  }

  private addEvent(batch: EventBatch, event: number): void {
    const from = batch.rowStart[event] ?? 0
    const rows =
      this.kind === 'depth' || this.kind === 'trades' || this.kind === 'liquidations'
        ? (batch.rowStart[event + 1] ?? 0) - from
        : 1
    for (let i = 0; i < rows; i++) {
      this.put('ts', batch.adapterTimeNs[event] ?? NaN)
      this.put('exchange_ts', batch.exchangeTimeNs[event] ?? NaN)
      this.put('event_index', batch.firstEventIndex + event)
      this.put('is_snapshot', batch.kind[event] === EVENT_KINDS.snapshot ? 1 : 0)
      this.putId('event_id', batch.eventId, event)
      this.putId('previous_event_id', batch.previousEventId, event)
    }
    this.rowCount += rows
    if (this.kind === 'bbo') this.addTopOfBook(batch, event)
    else if (this.kind === 'states') this.addTexts(['state', 'text'], batch.text, batch.textStart[event] ?? 0)
    else if (this.kind === 'mark' || this.kind === 'index' || this.kind === 'funding') this.addValues(batch, event)
    else this.addRows(batch, event, from, rows)
  }

  private addRows(batch: EventBatch, event: number, from: number, rows: number): void {
    const trade = batch.tradeRowStart[event] ?? 0
    for (let i = 0; i < rows; i++) {
      this.put('side', batch.side[from + i] ?? 0)
      this.putRow('price', 'price', batch, from + i)
      this.putRow('qty', 'quantity', batch, from + i)
      if (this.kind === 'depth') continue
      this.put(this.kind === 'trades' ? 'trade_ts' : 'liquidation_ts', batch.rowTimeNs[trade + i] ?? NaN)
      if (this.kind === 'trades') this.addTexts(['trade_id'], batch.tradeId, trade + i)
    }
  }

  /** The last row of each side counts. */
  private addTopOfBook(batch: EventBatch, event: number): void {
    const last = [-1, -1]
    for (let row = batch.rowStart[event] ?? 0, end = batch.rowStart[event + 1] ?? 0; row < end; row++)
      last[batch.side[row] ?? 0] = row
    last.forEach((row, side) => {
      if (row < 0) return
      this.putRow(side === 1 ? 'ask_price' : 'bid_price', 'price', batch, row)
      this.putRow(side === 1 ? 'ask_qty' : 'bid_qty', 'quantity', batch, row)
    })
  }

  private addTexts(names: readonly string[], texts: TextColumn, from: number): void {
    names.forEach((name, i) => {
      if (texts.isNull[from + i] !== 1) this.put(name, (texts.start[from + i + 1] ?? 0) - (texts.start[from + i] ?? 0))
    })
  }

  private addValues(batch: EventBatch, event: number): void {
    const names =
      this.kind === 'funding'
        ? ['rate', 'next_funding_ts', 'predicted_rate']
        : ['price', 'delta', 'gamma', 'vega', 'theta', 'mark_vol', 'bid_vol', 'ask_vol']
    const from = batch.valueStart[event] ?? 0
    names.slice(0, (batch.valueStart[event + 1] ?? 0) - from).forEach((name, i) => {
      const value = batch.values[from + i] ?? NaN
      const scale = batch.valueScale[from + i] ?? VALUE_SCALES.NULL
      if (scale === VALUE_SCALES.NULL) return
      if (scale === VALUE_SCALES.DOUBLE) this.sums.get(name)?.addBig(0n)
      else if (name === 'next_funding_ts') this.put(name, value)
      else {
        const text = batch.wide?.value.get(from + i) ?? textFromScaled(value, scale)
        this.putText(name, text, this.shape.valueForm === 'text' ? null : valueScaleOf(this.shape))
      }
    })
  }

  /** A price or quantity of a row: one that its column holds as an integer is settled with the others of its batch. */
  private putRow(name: string, column: 'price' | 'quantity', batch: EventBatch, row: number): void {
    const isPrice = column === 'price'
    const form = isPrice ? this.shape.priceForm : this.shape.quantityForm
    if (form === undefined) return this.put(name, batch[column][row] ?? NaN)
    const scale = isPrice ? batch.priceScale : batch.quantityScale
    const text = batch.wide?.[column].get(row) ?? textFromScaled(batch[column][row] ?? 0, scale)
    this.putText(name, text, form === 'text' ? null : isPrice ? this.shape.priceScale : this.shape.quantityScale)
  }

  /** The integer of a decimal at a scale; without one the column is of texts. */
  private putText(name: string, text: string, scale: number | null): void {
    const value = scale === null ? BigInt(text.length) : bigScaled(text, scale)
    if (value !== null) this.sums.get(name)?.addBig(value)
  }

  private put(name: string, value: number): void {
    if (value === value) this.sums.get(name)?.add(value)
  }

  private putId(name: string, ids: IdColumn, event: number): void {
    const form = ids.form[event]
    if (form === undefined || form === ID_FORMS.NONE) return
    const id = (BigInt(ids.high[event] ?? 0) << 32n) | BigInt(ids.low[event] ?? 0)
    if (!this.shape.idsAreText) this.sums.get(name)?.addBig(id)
    else
      this.put(
        name, form === ID_FORMS.TEXT ? encoder.encode(ids.texts[ids.low[event] ?? 0] ?? '').length : String(id).length,
      )
  }
}
