import { keptValue } from '../../model/kept-value.js'
import type { ColumnsInput } from './report-input.js'

/** Places of rows in a table. */
export type Rows = readonly number[]

/** Rows by their keys, in the order in which the keys first come. */
export function grouped<Key>(rows: Iterable<number>, keyOf: (row: number) => Key): Map<Key, number[]> {
  const groups = new Map<Key, number[]>()
  for (const row of rows) keptValue(groups, keyOf(row), (): number[] => []).push(row)
  return groups
}

/** Rows of a table, all of them by default, by the text of a column. */
export function rowsBy<Row>(
  table: ColumnsInput<Row>, name: keyof Row & string, rows: Iterable<number> = Array(table.rowCount).keys(),
): Map<string, number[]> {
  const column = table.column(name)
  return grouped(rows, (row) => String(column.at(row)))
}
