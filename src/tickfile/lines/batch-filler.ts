import type { BatchCapacity, WritableBatch } from '../../model/event-batch-columns.js'
import { ID_FORMS, type IdColumn, type TextColumn, VALUE_SCALES } from '../../model/event-batch.js'
import { gatherWideNumbers, wideOrNull, type GatheredWideNumbers, type WideNumbers } from '../../model/wide-numbers.js'

const encoder = new TextEncoder()

/**
 * A batch being filled: columns, how far each is filled by whole events, and how far by the event under way. What is
 * written beyond a column's end is lost, as typed arrays do; `fits` says so before the event is kept.
 */
export class BatchFiller {
  count = 0
  rowCount = 0
  tradeRowCount = 0
  tradeIdBytes = 0
  valueCount = 0
  textCount = 0
  textBytes = 0
  /** Null in nearly every batch. */
  #wide: GatheredWideNumbers | null = null
  /** Interned id texts of this batch. */
  readonly #textIndex: Map<string, number> = new Map()
  #texts: string[]

  constructor(public batch: WritableBatch, public capacity: BatchCapacity) {
    this.#texts = batch.eventId.texts as string[]
  }

  /** Empties the batch, or takes another one, empty. */
  start(batch: WritableBatch, capacity: BatchCapacity): void {
    this.batch = batch
    this.capacity = capacity
    this.#texts = batch.eventId.texts as string[]
    this.#texts.length = 0
    this.#textIndex.clear()
    this.#wide = null
    this.count = 0
    this.rewind()
  }

  /** Forgets what the event under way has written. */
  rewind(): void {
    const { batch, count } = this
    this.rowCount = batch.rowStart[count] ?? 0
    this.tradeRowCount = batch.tradeRowStart[count] ?? 0
    this.valueCount = batch.valueStart[count] ?? 0
    this.textCount = batch.textStart[count] ?? 0
    this.tradeIdBytes = batch.tradeId.start[this.tradeRowCount] ?? 0
    this.textBytes = batch.text.start[this.textCount] ?? 0
    if (this.#wide !== null) this.#rewindWide(this.#wide)
  }

  #rewindWide({ price, quantity, value }: GatheredWideNumbers): void {
    for (const row of price.keys()) if (row >= this.rowCount) price.delete(row)
    for (const row of quantity.keys()) if (row >= this.rowCount) quantity.delete(row)
    for (const at of value.keys()) if (at >= this.valueCount) value.delete(at)
  }

  /** The numbers of the whole events that no scaled integer holds; null where there are none. */
  get wide(): WideNumbers | null {
    return this.#wide === null ? null : wideOrNull(this.#wide)
  }

  /** The number that {@link addRow} adds next is next to one that no scaled integer holds. */
  addWide(column: 'price' | 'quantity', text: string): void {
    this.#wide ??= gatherWideNumbers()
    this.#wide[column].set(this.rowCount, text)
  }

  /** A value that no scaled integer holds. */
  addWideValue(text: string): void {
    this.#wide ??= gatherWideNumbers()
    this.#wide.value.set(this.valueCount, text)
    this.addValue(Number(text), VALUE_SCALES.WIDE)
  }

  get fits(): boolean {
    const c = this.capacity
    const isRoom =
      this.count < c.eventCount &&
      this.rowCount <= c.rowCount &&
      this.tradeRowCount <= c.tradeRowCount &&
      this.valueCount <= c.valueCount
    return (
      isRoom && this.tradeIdBytes <= c.tradeIdBytes && this.textCount <= c.textCount && this.textBytes <= c.textBytes
    )
  }

  /** The capacity that the event under way needs. */
  needed(): BatchCapacity {
    return {
      eventCount: this.count + 1,
      rowCount: this.rowCount,
      tradeRowCount: this.tradeRowCount,
      tradeIdBytes: this.tradeIdBytes,
      valueCount: this.valueCount,
      textCount: this.textCount,
      textBytes: this.textBytes,
    }
  }

  /** Keeps the event under way. */
  keep(): void {
    const { batch } = this
    const next = ++this.count
    batch.rowStart[next] = this.rowCount
    batch.tradeRowStart[next] = this.tradeRowCount
    batch.valueStart[next] = this.valueCount
    batch.textStart[next] = this.textCount
  }

  addRow(side: number, price: number, quantity: number): void {
    const { batch, rowCount } = this
    batch.side[rowCount] = side
    batch.price[rowCount] = price
    batch.quantity[rowCount] = quantity
    this.rowCount = rowCount + 1
  }

  addValue(value: number, scale: number): void {
    this.batch.values[this.valueCount] = value
    this.batch.valueScale[this.valueCount++] = scale
  }

  /** A trade row's time and id: bytes `from .. to` of `source`, copied as they stand. */
  addTradeId(timeNs: number, source: Uint8Array, from: number, to: number, isNull: number): void {
    const { tradeId, rowTimeNs } = this.batch
    rowTimeNs[this.tradeRowCount] = timeNs
    this.tradeIdBytes = addText(tradeId, this.tradeRowCount++, this.tradeIdBytes, source, from, to, isNull)
  }

  addText(text: string | null): void {
    const bytes = encoder.encode(text ?? '')
    this.addTextBytes(bytes, 0, bytes.length, text === null ? 1 : 0)
  }

  /** A text as the bytes of its UTF-8: a long one costs no copies on the way. */
  addTextBytes(bytes: Uint8Array, from: number, to: number, isNull = 0): void {
    this.textBytes = addText(this.batch.text, this.textCount++, this.textBytes, bytes, from, to, isNull)
  }

  setTextId(column: IdColumn, text: string): void {
    let index = this.#textIndex.get(text)
    if (index === undefined) {
      index = this.#texts.length
      this.#texts.push(text)
      this.#textIndex.set(text, index)
    }
    this.setId(column, ID_FORMS.TEXT, 0, index)
  }

  setId(column: IdColumn, form: number, high: number, low: number): void {
    column.form[this.count] = form
    column.high[this.count] = high
    column.low[this.count] = low
  }
}

function addText(
  column: TextColumn, index: number, start: number, source: Uint8Array, from: number, to: number, isNull: number,
): number {
  const { bytes } = column
  for (let i = from, at = start; i < to; i++, at++) bytes[at] = source[i] ?? 0
  const end = start + to - from
  column.isNull[index] = isNull
  column.start[index + 1] = end
  return end
}
