import { ColumnBuffer } from '../export/column-buffer.js'
import type { Column } from '../export/column.js'
import { CsvEncoder } from '../export/csv-encoder.js'
import { shapeFromInstrument, type TableShape } from '../export/table-columns.js'
import type { ByteSink, TableEncoder } from '../export/table-encoder.js'
import { BacktapeError } from '../model/error.js'
import type { FixedDecimal } from '../model/fixed-decimal.js'
import { epochDayFromNs, timeFromEpochNs } from '../model/time.js'
import { createWholeFile, type WholeFile } from '../files/whole-file-writer.js'
import type { BookLevel, DayBook } from './day-book.js'
import type { BookGridOptions, TickDay } from './tick-day.js'

/** The file forms of a grid; each is also the extension that names it. */
export const GRID_FORMATS = ['parquet', 'arrow', 'arrows', 'csv'] as const
export type GridFormat = (typeof GRID_FORMATS)[number]

/** How a grid is written to a file. */
export interface GridFileOptions extends BookGridOptions {
  readonly format: GridFormat
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
}

/** Rows gather to this many before they are encoded. */
const ROW_LIMIT = 65_536

/** One row a level, level 1 is the best; null where a side has fewer levels. A book without levels is one row of level 1. */
function gridColumns({ priceScale, quantityScale }: TableShape): Column[] {
  const price = { form: 'decimal', precision: 18, scale: priceScale } as const
  const quantity = { form: 'decimal', precision: 18, scale: quantityScale } as const
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

/** How many rows a book has in a grid. */
export function gridRowCount(book: DayBook): number {
  return Math.max(1, book.bids.length, book.asks.length)
}

/** Books gathered as columns. */
class GridChunk {
  rowCount = 0
  private readonly columns: readonly ColumnBuffer[]
  private readonly runStart: Uint32Array = Uint32Array.from({ length: ROW_LIMIT + 1 }, (_, i) => i)
  private readonly shape: TableShape
  private epochDay: number | null = null

  constructor(shape: TableShape) {
    this.shape = shape
    this.columns = gridColumns(shape).map((column) => new ColumnBuffer(column, false, ROW_LIMIT))
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

  /** Hands the rows to an encoder and is empty again. */
  drain(encoder: TableEncoder): void {
    const { rowCount, columns, epochDay } = this
    if (rowCount === 0) return
    const runStart = rowCount < this.runStart.length ? this.runStart : Uint32Array.from({ length: rowCount + 1 }, (_, i) => i)
    encoder.encode({ epochDay: epochDay ?? 0, rowCount, runCount: rowCount, runStart, columns })
    this.rowCount = 0
  }

  private putLevel(level: BookLevel | undefined, price: ColumnBuffer, quantity: ColumnBuffer, row: number): void {
    price.numbers[row] = level === undefined ? NaN : scaledTo(level.price, this.shape.priceScale)
    quantity.numbers[row] = level === undefined ? NaN : scaledTo(level.quantity, this.shape.quantityScale)
  }
}

function scaledTo(value: FixedDecimal, scale: number): number {
  const integer = value.integer * 10 ** (scale - value.scale)
  if (Number.isSafeInteger(integer)) return integer
  throw new BacktapeError('VALUE_INEXACT', `Cannot write ${value.toString()} with ${String(scale)} decimals: it exceeds 2^53 - 1`, { found: value.toString() })
}

/** The shape that a book needs beside what was promised, or null where it fits. */
function widerShape(book: DayBook, shape: TableShape): TableShape | null {
  const level = book.bids[0] ?? book.asks[0]
  if (level === undefined || (level.price.scale <= shape.priceScale && level.quantity.scale <= shape.quantityScale)) return null
  return { ...shape, priceScale: Math.max(shape.priceScale, level.price.scale), quantityScale: Math.max(shape.quantityScale, level.quantity.scale) }
}

async function createEncoder(format: GridFormat, columns: readonly Column[], metadata: ReadonlyMap<string, string>, sink: ByteSink): Promise<TableEncoder> {
  if (format === 'csv') return new CsvEncoder(columns, metadata, sink)
  if (format === 'parquet') {
    const [{ ParquetEncoder }, { createCompressor }] = await Promise.all([import('../export/parquet-encoder.js'), import('../export/zstd-compressor.js')])
    return new ParquetEncoder(columns, metadata, await createCompressor(), sink)
  }
  const { ArrowEncoder } = await import('../export/arrow-encoder.js')
  return new ArrowEncoder(columns, metadata, format, sink)
}

function gridMetadata(day: TickDay, shape: TableShape, { everyMs }: GridFileOptions): Map<string, string> {
  const { id, code, exchangeCode, contractValue, multiplier } = day.instrument
  return new Map([
    ['instrument_id', String(id)],
    ['exchange_code', exchangeCode],
    ['code', code],
    ['contract_value', contractValue ?? ''],
    ['multiplier', multiplier ?? ''],
    ['every_ms', String(everyMs)],
    ['price_scale', String(shape.priceScale)],
    ['quantity_scale', String(shape.quantityScale)],
  ])
}

/** Writes one pass of a day; returns the number of books, or the shape with which to begin again. */
async function writePass(day: TickDay, file: WholeFile, shape: TableShape, options: GridFileOptions): Promise<number | TableShape> {
  const parts: Uint8Array[] = []
  const encoder = await createEncoder(options.format, gridColumns(shape), gridMetadata(day, shape, options), (bytes) => parts.push(bytes.slice()))
  const flush = async (): Promise<void> => {
    for (const part of parts.splice(0)) await file.write(part)
  }
  const chunk = new GridChunk(shape)
  let count = 0
  for await (const book of day.books(options)) {
    const wider = widerShape(book, shape)
    if (wider !== null) return wider
    if (chunk.rowCount + gridRowCount(book) > ROW_LIMIT) {
      chunk.drain(encoder)
      await flush()
    }
    chunk.add(book)
    count++
  }
  chunk.drain(encoder)
  encoder.finish()
  await flush()
  await file.commit()
  return count
}

/**
 * Samples a day and writes the grid to a file, whole or not at all, in bounded memory; returns the number of books. Where the file
 * shows finer digits than its master data, the writing begins again with the finer scale. Throws OUTPUT_EXISTS, OUTPUT_FAILED.
 */
export async function writeBookGrid(day: TickDay, path: string, options: GridFileOptions): Promise<number> {
  let shape = shapeFromInstrument(day.instrument)
  const inputs = [day.name === 'standard input' ? '-' : day.name]
  for (;;) {
    const file = await createWholeFile(path, { force: options.force === true, inputs })
    try {
      const result = await writePass(day, file, shape, options)
      if (typeof result === 'number') return result
      shape = result
    } finally {
      await file.abort()
    }
  }
}
