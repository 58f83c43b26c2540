import { ColumnBuffer, type TableChunk, type Column, type TableValue } from './column.js'
import { MadeColumn, valueSource, type ColumnSource } from './made-column.js'
import { PackedColumn } from './packed-column.js'

/** A table in memory, as far as its chunks need it. */
export interface TableContent {
  readonly columns: readonly Column[]
  readonly rowCount: number
  column(name: string): readonly TableValue[]
}

/** The source of a column; the values of a made or packed one are never all there at once. */
function sourceOf(table: TableContent, column: Column): Pick<ColumnSource, 'put'> {
  if (column instanceof MadeColumn) return column
  if (column instanceof PackedColumn) return valueSource((row) => column.at(row))
  const values = table.column(column.name)
  return valueSource((row) => values[row] ?? null)
}

/** Rows of a chunk, at most. */
export const CHUNK_ROWS = 65_536

/**
 * The rows of a table in memory as chunks of at most `rowLimit` for an encoder, in order; the columns of a chunk are
 * used again by the next. Throws VALUE_INEXACT for a decimal that its column's type does not hold.
 */
export function* tableChunks(table: TableContent, rowLimit: number = CHUNK_ROWS): Generator<TableChunk> {
  const { columns, rowCount } = table
  const capacity = Math.min(rowCount, rowLimit)
  const parts = columns.map((column) => (
    { source: sourceOf(table, column), buffer: new ColumnBuffer(column, false, capacity) }))
  const times = parts.filter(({ buffer }) => buffer.column.type.form === 'timestamp')
  const others = parts.filter(({ buffer }) => buffer.column.type.form !== 'timestamp')
  const buffers = parts.map(({ buffer }) => buffer)
  const runStart = Uint32Array.from({ length: capacity + 1 }, (_, i) => i)
  for (let from = 0; from < rowCount; ) {
    let to = Math.min(rowCount, from + rowLimit)
    for (const { source, buffer } of times) to = source.put(buffer, from, to)
    for (const { source, buffer } of others) source.put(buffer, from, to)
    yield { epochDay: 0, rowCount: to - from, runCount: to - from, runStart, columns: buffers }
    from = to
  }
}
