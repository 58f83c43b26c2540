import { createRequire } from 'node:module'
import { requirePackage } from '../files/package-reader.js'
import type * as ArrowEncoding from './arrow-encoder.js'
import type { Column, TableColumn, TableValue } from './column.js'
import { showAs } from '../model/display.js'
import { ByteWriter } from '../model/byte-writer.js'
import { MadeColumn } from './made-column.js'
import { NO_TIME_NS, numberOfValue, PackedColumn, PackedTimes } from './packed-column.js'
import { shownTableOf } from './table-display.js'
import { tableChunks } from './table-chunks.js'

/** One row of a table, by column name. */
export type TableRow = Readonly<Record<string, TableValue>>

/** A row as JSON has it. */
export type JsonRow = Readonly<Record<string, string | number | boolean | null>>

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
  /**
   * The values of one column as doubles, for arithmetic: decimals as the nearest doubles, counts and ids too, sides as
   * 1 for BID and -1 for ASK, booleans as 1 and 0, NaN for null. Do not write into it: it may be the table's own.
   * Throws a RangeError for a name that is no column, and for texts and times.
   */
  numbers(name: string): Float64Array
  /**
   * The times of one column, exact: epoch nanoseconds, -2^63 for null (NaT of numpy). Do not write into it. Throws a
   * RangeError for a name that is no column of times.
   */
  timesNs(name: string): BigInt64Array
  /**
   * The times of one column as UTC milliseconds, for pictures and `Date`: doubles to about a microsecond, NaN for null.
   * Throws a RangeError for a name that is no column of times.
   */
  epochMs(name: string): Float64Array
  /**
   * The rows as JSON has them, for `JSON.stringify(table)`: the values that `--to json` writes, but not its bytes (a
   * double is 302 here and 302.0 there). Decimals, 64-bit ids and times are texts of their exact digits, counts and
   * doubles numbers, null an empty value. Decimals of `createTable` stay as they were given: 1.50 keeps its zero.
   */
  toJSON(): readonly JsonRow[]
  /** The rows one by one, as {@link Table.rows}. */
  [Symbol.iterator](): Iterator<TableRow>
  /** The table as an Arrow IPC stream, for any Arrow library: `tableFromIPC(table.toArrow())`. */
  toArrow(): Uint8Array
}

function jsonValue(value: TableValue): string | number | boolean | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'bigint' ? String(value) : value
}

/** Rows of a table as JSON has them. */
function jsonRows(rows: readonly object[]): JsonRow[] {
  const cells = (row: object): readonly (readonly [string, TableValue])[] => Object.entries(row)
  return rows.map((row) => Object.fromEntries(cells(row).map(([name, value]) => [name, jsonValue(value)])))
}

const load = createRequire(import.meta.url)

/**
 * The Arrow library weighs 20 MB and a third of a second: it is loaded when a table is first turned into it, and that
 * is not a promise.
 */
function arrowBytes(table: Pick<Table, 'columns' | 'rowCount' | 'column' | 'metadata'>): Uint8Array {
  const { ArrowEncoder } = requirePackage('apache-arrow', () => load('./arrow-encoder.js') as typeof ArrowEncoding)
  const out = new ByteWriter()
  const encoder = new ArrowEncoder(table.columns, table.metadata, 'arrows', (bytes) => { out.piece(bytes) })
  for (const chunk of tableChunks(table)) encoder.encode(chunk)
  encoder.finish()
  return out.bytes.slice(0, out.count)
}

function rowsOf(columns: readonly TableColumn[], rowCount: number): TableRow[] {
  const values = columns.map((column) => column.values)
  return Array.from({ length: rowCount }, (_, i) =>
    Object.fromEntries(columns.map((column, at) => [column.name, values[at]?.[i] ?? null])),
  )
}

/** The number of values of a column. */
function lengthOf(column: TableColumn | undefined): number {
  if (column instanceof PackedColumn || column instanceof MadeColumn) return column.length
  return column?.values.length ?? 0
}

function numbersOf(column: TableColumn): Float64Array {
  if (column instanceof PackedColumn) return column.numbers()
  if (column instanceof MadeColumn && column.type.form === 'decimal') return column.numbers()
  return Float64Array.from(column.values, (value) => numberOfValue(column, value))
}

function timesOf(column: TableColumn): BigInt64Array {
  if (column instanceof PackedTimes) return column.timesNs()
  if (column.type.form !== 'timestamp') throw new RangeError(`column ${column.name} holds no times`)
  return BigInt64Array.from(column.values, (value) => (value === null ? NO_TIME_NS : BigInt(value)))
}

function epochMsOf(timeNs: bigint): number {
  return timeNs === NO_TIME_NS ? NaN : Number(timeNs / 1_000_000n) + Number(timeNs % 1_000_000n) / 1e6
}

/**
 * A table over columns of equal length; the values are neither copied nor changed.
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
  const rowCount = lengthOf(columns[0])
  for (const column of columns) {
    if (lengthOf(column) !== rowCount)
      throw new RangeError(
        `column ${column.name} has ${String(lengthOf(column))} values, the first column ${String(rowCount)}`,
      )
  }
  const named = (name: string): TableColumn => {
    const found = columns.find((column) => column.name === name)
    if (found !== undefined) return found
    throw new RangeError(`no column ${name}; there are ${columns.map((column) => column.name).join(', ')}`)
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
    column: (name) => named(name).values,
    numbers: (name) => numbersOf(named(name)),
    timesNs: (name) => timesOf(named(name)),
    epochMs: (name) => Float64Array.from(timesOf(named(name)), epochMsOf),
    toJSON: () => jsonRows(table.rows),
    [Symbol.iterator]: () => table.rows[Symbol.iterator](),
    toArrow: () => arrowBytes(table),
  }
  return showAs(table, (self) => shownTableOf('Table', self))
}
