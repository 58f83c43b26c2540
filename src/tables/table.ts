import { createRequire } from 'node:module'
import type * as ArrowEncoding from './arrow-encoder.js'
import type { Column, TableColumn, TableValue } from './column.js'
import { showAs } from '../model/display.js'
import { ByteWriter } from '../model/byte-writer.js'
import { shownTableOf } from './table-display.js'
import { tableChunks } from './table-chunks.js'

/** One row of a table, by column name. */
export type TableRow = Readonly<Record<string, TableValue>>

/** A small table in memory: what a notebook shows, filters and hands on. */
export interface Table {
  /** The columns in their order. */
  readonly columns: readonly Column[]
  /** Number of rows. */
  readonly rowCount: number
  /** The facts about the table as a whole: key and value of its files' metadata. */
  readonly metadata: ReadonlyMap<string, string>
  /** The rows as objects, made when first asked for. */
  readonly rows: readonly TableRow[]
  /** The values of one column, in row order; throws a RangeError for a name that is no column. */
  column(name: string): readonly TableValue[]
  /** The table as an Arrow IPC stream, for any Arrow library: `tableFromIPC(table.toArrow())`. */
  toArrow(): Uint8Array
}

const load = createRequire(import.meta.url)

/**
 * The Arrow library weighs 20 MB and a third of a second: it is loaded when a table is first turned into it, and that
 * is not a promise.
 */
function arrowBytes(table: Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>): Uint8Array {
  const { ArrowEncoder } = load('./arrow-encoder.js') as typeof ArrowEncoding
  const out = new ByteWriter()
  const encoder = new ArrowEncoder(table.columns, table.metadata, 'arrows', (bytes) => { out.piece(bytes) })
  for (const chunk of tableChunks(table)) encoder.encode(chunk)
  encoder.finish()
  return out.bytes.slice(0, out.count)
}

function rowsOf(columns: readonly TableColumn[], rowCount: number): TableRow[] {
  return Array.from({ length: rowCount }, (_, i) =>
    Object.fromEntries(columns.map((column) => [column.name, column.values[i] ?? null])),
  )
}

/**
 * A table over columns of equal length; the values are not copied.
 *
 * @example
 * ```ts
 * import { createTable } from 'backtape/columns'
 * const type = { form: 'decimal', precision: 18, scale: 1 } as const
 * const table = createTable([{ name: 'price', type, nullable: false, values: ['1.5', '2'] }])
 * if (table.rowCount !== 2 || table.rows[0]?.price !== '1.5') throw new Error('exact decimal texts')
 * ```
 */
export function createTable(columns: readonly TableColumn[], metadata: ReadonlyMap<string, string> = new Map()): Table {
  const rowCount = columns[0]?.values.length ?? 0
  for (const column of columns) {
    if (column.values.length !== rowCount)
      throw new RangeError(
        `column ${column.name} has ${String(column.values.length)} values, the first column ${String(rowCount)}`,
      )
  }
  let rows: TableRow[] | null = null
  const table: Table = {
    columns,
    rowCount,
    metadata,
    get rows() {
      rows ??= rowsOf(columns, rowCount)
      return rows
    },
    column(name) {
      const found = columns.find((column) => column.name === name)
      if (found === undefined)
        throw new RangeError(`no column ${name}; there are ${columns.map((column) => column.name).join(', ')}`)
      return found.values
    },
    toArrow: () => arrowBytes(table),
  }
  return showAs(table, (self) => shownTableOf('Table', self))
}
