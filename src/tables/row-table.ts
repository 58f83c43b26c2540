import type { ColumnType, TableColumn, TableValue } from './column.js'
import { createTable, type Table } from './table.js'

/** A value of a row that somebody wrote: what has another type counts as its text. */
export type RowValue = string | number | bigint | boolean | null | undefined

const DECIMAL = /^-?\d{1,20}(?:\.(\d{1,18}))?$/
/** Whole numbers that a column of 64 bits holds. */
const UINT64_MAX = 2n ** 64n - 1n

/** The type that all values of a column have; null for none but nulls. */
function typeOf(values: readonly RowValue[]): ColumnType {
  const known = values.filter((value) => value !== null && value !== undefined)
  const all = (test: (value: RowValue) => boolean): boolean => known.length > 0 && known.every(test)
  if (all((value) => typeof value === 'boolean')) return { form: 'boolean' }
  if (all((value) => typeof value === 'number')) return { form: 'double' }
  if (all((value) => typeof value === 'bigint' && value >= 0n && value <= UINT64_MAX)) return { form: 'uint64' }
  if (all((value) => typeof value === 'string' && DECIMAL.test(value))) {
    const scales = known.map((value) => (DECIMAL.exec(String(value))?.[1] ?? '').length)
    return { form: 'decimal', precision: 38, scale: scales.reduce((most, scale) => Math.max(most, scale), 0) }
  }
  return { form: 'text' }
}

function valueOf(value: RowValue, { form }: ColumnType): TableValue {
  if (value === null || value === undefined) return null
  return form === 'text' ? String(value) : value
}

/**
 * A table of rows that a program made: notebooks show it as one, and it can be joined, written and handed on. The
 * columns are the fields in the order in which rows first have them; a field that a row lacks is null. Numbers become
 * doubles, texts that are all plain decimals exact decimals, whole `bigint` 64-bit counts, everything else texts.
 *
 * @example
 * ```ts
 * import { tableOf } from 'backtape'
 * const table = tableOf([{ market: 'perpetual', spread: '0.0001' }, { market: 'spot', spread: '0.00012' }])
 * if (table.rowCount !== 2 || table.numbers('spread')[1] !== 0.00012) throw new Error('a table of two rows')
 * ```
 */
export function tableOf(rows: readonly Readonly<Record<string, RowValue>>[]): Table {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names.map((name): TableColumn => {
    const given = rows.map((row) => row[name])
    const type = typeOf(given)
    const values = given.map((value) => valueOf(value, type))
    return { name, type, nullable: values.includes(null), values }
  })
  return createTable(columns)
}
