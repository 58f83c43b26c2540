import type { TableShape, WideForm } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import type { FixedDecimal, Quantity } from '../model/fixed-decimal.js'
import type { Instrument } from '../model/instrument.js'
import { epochDayFromNs, timeFromEpochNs } from '../model/time.js'
import { bigScaled, decimalsOf } from '../model/wide-numbers.js'
import { ColumnBuffer, type Column, type ColumnType } from '../tables/column.js'
import type { TableStream } from '../tables/table-stream.js'
import { checkedMargins } from '../tickfile/days/margins.js'
import type { BookLevel, DayBook } from './day-book.js'
import type { BookGridOptions } from './sampled-books.js'

/** Rows gather to this many before they are encoded. */
export const GRID_ROW_LIMIT = 65_536

/**
 * One row a level, level 1 is the best; null where a side has fewer levels. A book without levels is one row of level
 * 1.
 */
export function gridColumns({ priceScale, quantityScale, quantityForm }: TableShape): Column[] {
  const price = { form: 'decimal', precision: 18, scale: priceScale } as const
  const quantity: ColumnType = quantityForm === 'text' ? { form: 'text' }
    : { form: 'decimal', precision: quantityForm ?? 18, scale: quantityScale }
  return [
    { name: 'ts', type: { form: 'timestamp' }, nullable: false },
    { name: 'suspect', type: { form: 'boolean' }, nullable: false },
    { name: 'level', type: { form: 'uint32' }, nullable: false },
    { name: 'bid_price', type: price, nullable: true },
    { name: 'bid_qty', type: quantity, nullable: true },
    { name: 'ask_price', type: price, nullable: true },
    { name: 'ask_qty', type: quantity, nullable: true },
  ]
}

/** The number of rows of a book in a grid. */
export function gridRowCount(book: DayBook): number {
  return Math.max(1, book.bids.length, book.asks.length)
}

/** Books gathered as columns. */
export class GridChunk {
  rowCount = 0
  private readonly columns: readonly ColumnBuffer[]
  private readonly runStart: Uint32Array = Uint32Array.from({ length: GRID_ROW_LIMIT + 1 }, (_, i) => i)
  private epochDay: number | null = null

  constructor(private readonly shape: TableShape) {
    this.columns = gridColumns(shape).map((column) => new ColumnBuffer(column, false, GRID_ROW_LIMIT))
  }

  add(book: DayBook): void {
    this.epochDay ??= epochDayFromNs(book.timestampNs)
    const count = gridRowCount(book)
    const time = timeFromEpochNs(book.timestampNs, this.epochDay)
    const [ts, suspect, number, bidPrice, bidQuantity, askPrice, askQuantity] = this.columns as readonly [
      ColumnBuffer, ColumnBuffer, ColumnBuffer, ColumnBuffer, ColumnBuffer, ColumnBuffer, ColumnBuffer,
    ]
    for (const column of this.columns) column.reserve(this.rowCount + count)
    for (let level = 0; level < count; level++) {
      const row = this.rowCount++
      ts.numbers[row] = time
      suspect.bytes[row] = book.suspect ? 1 : 0
      number.numbers[row] = level + 1
      this.putLevel(book.bids[level], bidPrice, bidQuantity, row)
      this.putLevel(book.asks[level], askPrice, askQuantity, row)
    }
  }

  /** Hands the rows on and is empty again. */
  async drain(stream: Pick<TableStream, 'write'>): Promise<void> {
    const { rowCount, columns, epochDay } = this
    if (rowCount === 0) return
    const runStart =
      rowCount < this.runStart.length ? this.runStart : Uint32Array.from({ length: rowCount + 1 }, (_, i) => i)
    await stream.write({ epochDay: epochDay ?? 0, rowCount, runCount: rowCount, runStart, columns })
    this.rowCount = 0
  }

  private putLevel(level: BookLevel | undefined, price: ColumnBuffer, quantity: ColumnBuffer, row: number): void {
    price.numbers[row] = level === undefined ? NaN : scaledTo(level.price, this.shape.priceScale)
    const { quantityForm, quantityScale } = this.shape
    if (quantityForm === undefined)
      quantity.numbers[row] = level === undefined ? NaN : scaledTo(level.quantity, quantityScale)
    else if (quantityForm === 38)
      quantity.putWide(row, level === undefined ? null : bigScaled(level.quantity.toString(), quantityScale))
    else quantity.putText(row, level === undefined ? null : encoder.encode(level.quantity.toString()))
  }
}

const encoder = new TextEncoder()

function scaledTo(value: FixedDecimal, scale: number): number {
  const integer = value.integer * 10 ** (scale - value.scale)
  if (Number.isSafeInteger(integer)) return integer
  throw new BacktapeError(
    'VALUE_INEXACT', `Cannot write ${value.toString()} with ${String(scale)} decimals: it exceeds 2^53 - 1`,
    { found: value.toString() },
  )
}

/** The shape that a book needs beside what was promised, or null where it fits. */
export function widerShape({ bids, asks }: DayBook, shape: TableShape): TableShape | null {
  let { priceScale, quantityScale, quantityForm } = shape
  for (const { price, quantity } of [...bids, ...asks]) {
    priceScale = Math.max(priceScale, price.scale)
    if (quantityForm === 'text') continue
    quantityScale = Math.max(quantityScale, Math.min(quantity.scale, DIGITS_MAX))
    quantityForm = formOf(quantity, quantityScale) ?? quantityForm
  }
  if (priceScale === shape.priceScale && quantityScale === shape.quantityScale && quantityForm === shape.quantityForm)
    return null
  return { ...shape, priceScale, quantityScale, ...(quantityForm === undefined ? {} : { quantityForm }) }
}

/** Most digits of a decimal column. */
const DIGITS_MAX = 38

/** The form that a quantity needs at a scale; undefined where any has room for it. */
function formOf(quantity: Quantity, scale: number): WideForm | undefined {
  const { digits, integer } = quantity
  if (digits === undefined && Number.isSafeInteger(integer * 10 ** (scale - quantity.scale))) return undefined
  const text = quantity.toString()
  const [whole = ''] = text.split('.')
  return decimalsOf(text) > DIGITS_MAX || whole.length + scale > DIGITS_MAX ? 'text' : 38
}

/** The parts of a day that a grid states. */
export interface GridSubject {
  readonly instrument: Instrument
  /** `2026-07-01`; null where it is unknown. */
  readonly day: string | null
}

/** The facts about a grid as a whole. */
export function gridMetadata(
  { instrument, day }: GridSubject, shape: TableShape, { everyMs, levels, margins }: BookGridOptions,
): Map<string, string> {
  const { id, code, exchangeCode, contractValue, multiplier } = instrument
  return new Map([
    ['table', 'book'],
    ['instrument_id', String(id)],
    ['exchange_code', exchangeCode],
    ['code', code],
    ['contract_value', contractValue ?? ''],
    ['multiplier', multiplier ?? ''],
    ['day', day ?? 'unknown'],
    ['margins', day === null ? 'keep' : checkedMargins(margins)],
    ['every_ms', String(everyMs)],
    ['levels', levels === undefined || levels === Infinity ? 'all' : String(levels)],
    ['price_scale', String(shape.priceScale)],
    ['quantity_scale', String(shape.quantityScale)],
    ...(shape.quantityForm === undefined ? [] : [['quantity_form', String(shape.quantityForm)] as const]),
    ['timestamps', 'nanoseconds since 1970-01-01T00:00:00 UTC'],
  ])
}
