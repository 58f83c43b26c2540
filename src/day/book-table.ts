import { shapeFromInstrument, type TableShape } from '../export/export-kind.js'
import { damageMetadata } from '../model/damage-words.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import { createTable, type Table } from '../tables/table.js'
import { packedColumn } from '../tables/packed-column.js'
import { GRID_ROW_LIMIT, gridColumns, GridChunk, gridMetadata, gridRowCount, widerShape } from './book-grid.js'
import type { DayBook } from './day-book.js'

/** A day as far as a grid of its books needs it. */
interface GridDay {
  readonly name: string
  readonly instrument: Instrument
  readonly summary: ReadingSummary
  readonly everyMs: number
  readonly maxRows: number
  books(): AsyncIterable<DayBook>
}

/** One pass over the books: a table, or the shape with which to begin again. */
async function readOnce(day: GridDay, shape: TableShape): Promise<Table | TableShape> {
  const columns = gridColumns(shape).map(packedColumn)
  const chunk = new GridChunk(shape)
  const sink = {
    write: (rows: Parameters<Parameters<typeof chunk.drain>[0]['write']>[0]): Promise<void> => {
      rows.columns.forEach((buffer, at) => { columns[at]?.append(buffer, rows) })
      return Promise.resolve()
    },
  }
  let count = 0
  for await (const book of day.books()) {
    const wider = widerShape(book, shape)
    if (wider !== null) return wider
    count += gridRowCount(book)
    if (count > day.maxRows) throw tooMany(day)
    if (chunk.rowCount + gridRowCount(book) > GRID_ROW_LIMIT) await chunk.drain(sink)
    chunk.add(book)
  }
  await chunk.drain(sink)
  const metadata = [...gridMetadata(day.instrument, shape, day.everyMs), ...damageMetadata(day.summary)]
  return createTable(columns, new Map(metadata))
}

function tooMany({ name, maxRows }: GridDay): BacktapeError {
  const expected = `at most ${String(maxRows)} rows`
  const sentence = `Cannot hold the books of ${name}: the table must have ${expected}, found more; take fewer ` +
    'levels, a longer everyMs or a span, or raise maxRows'
  return new BacktapeError('LIMIT_EXCEEDED', sentence, { file: name, field: 'maxRows', expected, found: 'more' })
}

/** Books on a grid as one table: see `TickDay.bookTable`. */
export async function readBookTable(day: GridDay): Promise<Table> {
  let shape = shapeFromInstrument(day.instrument)
  for (;;) {
    const result = await readOnce(day, shape)
    if ('rowCount' in result) return result
    shape = result
  }
}
