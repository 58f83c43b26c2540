import { ColumnBuffer, type Column } from '../tables/column.js'
import { shapeFromInstrument, type TableShape } from '../export/export-kind.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { isTextFormat, type TableForm } from '../tables/table-form.js'
import { createTableStream, type TableStream, type TableTarget } from '../tables/table-stream.js'
import { BacktapeError } from '../model/error.js'
import type { FixedDecimal } from '../model/fixed-decimal.js'
import { epochDayFromNs, timeFromEpochNs } from '../model/time.js'
import { damageMetadata } from '../model/damage-words.js'
import type { BookLevel, DayBook } from './day-book.js'
import type { BookGridOptions, TickDay } from './tick-day.js'

/** The options of a grid's table. */
export interface GridTableOptions extends BookGridOptions {
  readonly form: TableForm
}

/** Rows gather to this many before they are encoded. */
const ROW_LIMIT = 65_536

/**
 * One row a level, level 1 is the best; null where a side has fewer levels. A book without levels is one row of level
 * 1.
 */
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

/** The number of rows of a book in a grid. */
function gridRowCount(book: DayBook): number {
  return Math.max(1, book.bids.length, book.asks.length)
}

/** Books gathered as columns. */
class GridChunk {
  rowCount = 0
  private readonly columns: readonly ColumnBuffer[]
  private readonly runStart: Uint32Array = Uint32Array.from({ length: ROW_LIMIT + 1 }, (_, i) => i)
  private epochDay: number | null = null

  constructor(private readonly shape: TableShape) {
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

  /** Hands the rows on and is empty again. */
  async drain(stream: TableStream): Promise<void> {
    const { rowCount, columns, epochDay } = this
    if (rowCount === 0) return
    const runStart =
      rowCount < this.runStart.length ? this.runStart : Uint32Array.from({ length: rowCount + 1 }, (_, i) => i)
    await stream.write({ epochDay: epochDay ?? 0, rowCount, runCount: rowCount, runStart, columns })
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
  throw new BacktapeError(
    'VALUE_INEXACT', `Cannot write ${value.toString()} with ${String(scale)} decimals: it exceeds 2^53 - 1`,
    { found: value.toString() },
  )
}

/** The shape that a book needs beside what was promised, or null where it fits. */
function widerShape(book: DayBook, shape: TableShape): TableShape | null {
  const level = book.bids[0] ?? book.asks[0]
  if (level === undefined || (level.price.scale <= shape.priceScale && level.quantity.scale <= shape.quantityScale))
    return null
  return {
    ...shape, priceScale: Math.max(shape.priceScale, level.price.scale),
    quantityScale: Math.max(shape.quantityScale, level.quantity.scale),
  }
}

function gridMetadata(day: TickDay, shape: TableShape, { everyMs }: GridTableOptions): Map<string, string> {
  const { id, code, exchangeCode, contractValue, multiplier } = day.instrument
  return new Map([
    ['table', 'book'],
    ['instrument_id', String(id)],
    ['exchange_code', exchangeCode],
    ['code', code],
    ['contract_value', contractValue ?? ''],
    ['multiplier', multiplier ?? ''],
    ['every_ms', String(everyMs)],
    ['price_scale', String(shape.priceScale)],
    ['quantity_scale', String(shape.quantityScale)],
    ['timestamps', 'nanoseconds since 1970-01-01T00:00:00 UTC'],
  ])
}

/** Where the rows of one pass go: a pass that a finer scale makes void can begin again in a file, but not in a pipe. */
interface GridTarget extends TableTarget {
  readonly beginsAgain: boolean
}

/** Writes one pass of a day; returns the number of books, or the shape with which to begin again. */
async function writePass(
  day: TickDay, target: GridTarget, firstShape: TableShape, options: GridTableOptions,
): Promise<number | TableShape> {
  let shape = firstShape
  const stream = await createTableStream(gridColumns(shape), gridMetadata(day, shape, options), options.form, target)
  let chunk = new GridChunk(shape)
  let count = 0
  for await (const book of day.books(options)) {
    const wider = widerShape(book, shape)
    if (wider !== null && target.beginsAgain) return wider
    if (wider !== null && !isTextFormat(options.form.format)) {
      const sentence =
        'Cannot write the grid to standard output: the file has finer digits than its master data; write it to a file'
      throw new BacktapeError('VALUE_INEXACT', sentence, { file: day.name })
    }
    if (wider !== null || chunk.rowCount + gridRowCount(book) > ROW_LIMIT) await chunk.drain(stream)
    if (wider !== null) chunk = new GridChunk((shape = wider))
    chunk.add(book)
    count++
  }
  await chunk.drain(stream)
  await stream.finish(new Map(damageMetadata(day.summary)))
  return count
}

/** Samples a day and writes the grid into a pipe, in bounded memory; returns the number of books. */
export async function pipeBookGrid(day: TickDay, target: TableTarget, options: GridTableOptions): Promise<number> {
  const write = (bytes: Uint8Array): Promise<void> => target.write(bytes)
  const count = await writePass(day, { write, beginsAgain: false }, shapeFromInstrument(day.instrument), options)
  return typeof count === 'number' ? count : 0
}

/**
 * Samples a day and writes the grid to a file, whole or not at all, in bounded memory; returns the number of books.
 * Where the file shows finer digits than its master data, the writing begins again with the finer scale. Throws
 * OUTPUT_EXISTS, OUTPUT_FAILED.
 */
export async function writeBookGrid(
  day: TickDay, path: string, options: GridTableOptions & { readonly force?: boolean },
): Promise<number> {
  let shape = shapeFromInstrument(day.instrument)
  const inputs = [day.name === 'standard input' ? '-' : day.name]
  for (;;) {
    const file = await createTableFile(path, options.form, { force: options.force === true, inputs })
    try {
      const write = (bytes: Uint8Array): Promise<void> => file.write(bytes)
      const result = await writePass(day, { write, beginsAgain: true }, shape, options)
      if (typeof result === 'number') {
        await file.commit(new Map([...gridMetadata(day, shape, options), ...damageMetadata(day.summary)]))
        return result
      }
      shape = result
    } finally {
      await file.abort()
    }
  }
}
