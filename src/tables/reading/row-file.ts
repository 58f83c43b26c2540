import { BacktapeError } from '../../model/error.js'
import type { SignalValue } from '../../model/signal-row.js'

/** The kinds of values that a column may have. */
export const CELL_KINDS = ['integer', 'decimal', 'double', 'timestamp', 'boolean', 'text'] as const
export type CellKind = (typeof CELL_KINDS)[number]

/** A column of a table that is read. */
export interface RowColumn {
  readonly name: string
  /** Null for a column of text without a value so far: the first one decides. */
  readonly kind: CellKind | null
}

/** Some rows of a table, column by column. */
export interface RowBatch {
  readonly rowCount: number
  /** One list of values a column, in the order of the columns. */
  readonly columns: readonly (readonly SignalValue[])[]
}

/** A table that is read from its first row to its last, some rows at a time. */
export interface RowFile {
  readonly columns: readonly RowColumn[]
  /** The next rows, at least one; null behind the last. */
  next(): Promise<RowBatch | null>
  /** Closes the file. */
  close(): Promise<void>
}

/** Columns that a table may have. */
const COLUMNS_MAX = 1_000

/** The refusal of a file as a whole. */
export function fileRefusal(path: string, expected: string, found: string, cause?: unknown): BacktapeError {
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${path}: it must be ${expected}, found ${found}`,
    { file: path, expected, found: found.slice(0, 80) }, cause,
  )
}

/** The refusal of one row, which counts from 1. */
export function rowRefusal(path: string, row: number, field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'ROW_INVALID', `Cannot read row ${row} of ${path}: ${field} must be ${expected}, found ${found}`,
    { file: path, row, field, expected, found: found.slice(0, 80) },
  )
}

/** The refusal of a type that no value of a signal can hold. */
export function typeRefusal(path: string, column: string, type: string, advice: string): BacktapeError {
  const expected = `a table of numbers, texts, booleans, timestamps and days (${advice})`
  return fileRefusal(path, expected, `column ${JSON.stringify(column)} of type ${type}`)
}

/** Refuses a header that no row can be made of: a name that stands twice, too many columns, none. */
export function checkNames(path: string, names: readonly string[]): void {
  // It would be the prototype of a row and not a field of it.
  if (names.includes('__proto__')) throw fileRefusal(path, 'a table without a column __proto__', 'one')
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined)
    throw fileRefusal(path, 'a table whose columns have different names', `two of the name ${JSON.stringify(twice)}`)
  if (names.length === 0 || names.length > COLUMNS_MAX)
    throw fileRefusal(path, `a table of 1 to ${COLUMNS_MAX} columns`, `${names.length}`)
}

/** An integer of any size as a signal holds it. */
export function integerValue(value: bigint | number): bigint | number {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
