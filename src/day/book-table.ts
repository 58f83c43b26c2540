import { shapeFromInstrument, type TableShape } from '../export/export-kind.js'
import { readingMetadata } from '../model/clock-words.js'
import { BacktapeError } from '../model/error.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import { createTable, type Table } from '../tables/table.js'
import { packedColumn } from '../tables/packed-column.js'
import {
  GRID_ROW_LIMIT, gridColumns, GridChunk, gridMetadata, gridRowCount, widerShape, type GridSubject,
} from './book-grid.js'
import type { DayBook } from './day-book.js'
import { DEFAULT_MAX_ROWS } from './event-table.js'
import type { BookGridOptions } from './sampled-books.js'

/** Most rows of a table in memory. */
export interface RowLimit {
  /** Most rows that the table may have; default 5,000,000. */
  readonly maxRows?: number
}

/** A day as far as a grid of its books needs it: a `TickDay` is one. */
interface GridDay extends GridSubject {
  readonly name: string
  readonly summary: ReadingSummary
  books(options: BookGridOptions): AsyncIterable<DayBook>
}

/** One pass over the books: a table, or the shape with which to begin again. */
async function readOnce(
  day: GridDay, shape: TableShape, options: BookGridOptions, maxRows: number,
): Promise<Table | TableShape> {
  const columns = gridColumns(shape).map(packedColumn)
  const chunk = new GridChunk(shape)
  const sink = {
    write: (rows: Parameters<Parameters<typeof chunk.drain>[0]['write']>[0]): Promise<void> => {
      rows.columns.forEach((buffer, at) => { columns[at]?.append(buffer, rows) })
      return Promise.resolve()
    },
  }
  let count = 0
  for await (const book of day.books(options)) {
    const wider = widerShape(book, shape)
    if (wider !== null) return wider
    count += gridRowCount(book)
    if (count > maxRows) throw tooManyRows(day.name, 'take fewer levels, a longer everyMs or a span', maxRows)
    if (chunk.rowCount + gridRowCount(book) > GRID_ROW_LIMIT) await chunk.drain(sink)
    chunk.add(book)
  }
  await chunk.drain(sink)
  return createTable(columns, new Map([...gridMetadata(day, shape, options), ...readingMetadata(day.summary)]))
}

/** The refusal of a table of books that has too many rows; `advice` says how to take less. */
export function tooManyRows(name: string, advice: string, maxRows: number): BacktapeError {
  const expected = `at most ${String(maxRows)} rows`
  const sentence = `Cannot hold the books of ${name}: the table must have ${expected}, found more; ${advice}, or ` +
    'raise maxRows'
  return new BacktapeError('LIMIT_EXCEEDED', sentence, { file: name, field: 'maxRows', expected, found: 'more' })
}

/** Books on a grid as one table: see `TickDay.bookTable`. */
export async function readBookTable(day: GridDay, given: BookGridOptions & RowLimit): Promise<Table> {
  const { maxRows = DEFAULT_MAX_ROWS, ...options } = given
  let shape = shapeFromInstrument(day.instrument)
  for (;;) {
    const result = await readOnce(day, shape, options, maxRows)
    if ('rowCount' in result) return result
    shape = result
  }
}
