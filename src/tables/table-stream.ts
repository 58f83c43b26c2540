import type { TableChunk, Column } from './column.js'
import { CHUNK_ROWS, tableChunks } from './table-chunks.js'
import { createTableEncoder } from './table-encoders.js'
import { isTextFormat, type TableForm } from './table-form.js'
import type { Table } from './table.js'

/** Rows of a chunk that becomes text: few enough to stay in the caches of a processor. */
const TEXT_CHUNK_ROWS = 4096

/** The taker of the bytes of a table, in order; they may be used again once the promise has settled. */
export interface TableTarget {
  write(bytes: Uint8Array): Promise<void>
}

/** A table on its way into a target, chunk by chunk. */
export interface TableStream {
  write(chunk: TableChunk): Promise<void>
  /** Writes what closes the table; `late` is metadata known at the end alone, for formats that have metadata there. */
  finish(late?: ReadonlyMap<string, string>): Promise<void>
}

/**
 * Opens a table in a form; nothing reaches the target before the first chunk, so that what fails before it leaves
 * nothing.
 */
export async function createTableStream(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm, target: TableTarget,
): Promise<TableStream> {
  const parts: Uint8Array[] = []
  const encoder = await createTableEncoder(columns, metadata, form, (bytes) => { parts.push(bytes.slice()) })
  const drain = async (): Promise<void> => {
    for (const part of parts.splice(0)) await target.write(part)
  }
  return {
    write: async (chunk) => {
      encoder.encode(chunk)
      await drain()
    },
    finish: async (late) => {
      encoder.finish(late)
      await drain()
    },
  }
}

/**
 * Writes a table in memory, in bounded pieces. Throws VALUE_INEXACT for a value that its column's type does not hold.
 */
export async function writeTable(
  table: Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>, form: TableForm, target: TableTarget,
): Promise<void> {
  const stream = await createTableStream(table.columns, table.metadata, form, target)
  // The bytes of a text are those of its rows, however they come; other formats have a group of rows for each chunk.
  const rowLimit = isTextFormat(form.format) ? TEXT_CHUNK_ROWS : CHUNK_ROWS
  for (const chunk of tableChunks(table, rowLimit)) await stream.write(chunk)
  await stream.finish()
}
