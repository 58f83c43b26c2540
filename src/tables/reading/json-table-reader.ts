import type { Decimal } from '../../model/decimal.js'
import type { ColumnType, TableColumn, TableValue } from '../column.js'
import { createTable, type Table } from '../table.js'
import { openJsonRows } from './json-row-reader.js'
import { rowRefusal, type CellKind, type RowColumn } from './row-file.js'

/** Digits that a decimal of a table has at most. */
const DIGITS_MAX = 38

/** A table of decimals has them at one scale: texts in plain digits. */
function decimalText(path: string, row: number, name: string, value: Decimal): string {
  const text = value.toFixed()
  const digits = text.replace(/^-?0*\.?|\./g, '').length
  if (digits <= DIGITS_MAX) return text
  throw rowRefusal(path, row, JSON.stringify(name), `a decimal of at most ${DIGITS_MAX} digits`, text.slice(0, 60))
}

function typeOf(kind: CellKind | null, values: readonly TableValue[]): ColumnType {
  if (kind === 'timestamp' || kind === 'boolean') return { form: kind }
  if (kind !== 'decimal') return { form: 'text' }
  const scale = values.reduce<number>((most, value) => (
    value === null ? most : Math.max(most, (String(value).split('.')[1] ?? '').length)), 0)
  return { form: 'decimal', precision: DIGITS_MAX, scale }
}

function columnOf({ name, kind }: RowColumn, values: readonly TableValue[]): TableColumn {
  return { name, type: typeOf(kind, values), nullable: values.includes(null), values }
}

/**
 * Objects of JSON, a line each or all in one array, as a table. `checkRows` throws where there are too many. Throws
 * FILE_UNREADABLE, ROW_INVALID.
 */
export async function tableFromJson(path: string, checkRows: (rowCount: number) => void): Promise<Table> {
  const file = await openJsonRows(path, {})
  try {
    const values = file.columns.map((): TableValue[] => [])
    let rowCount = 0
    for (let batch = await file.next(); batch !== null; batch = await file.next()) {
      checkRows(rowCount + batch.rowCount)
      for (const [at, column] of batch.columns.entries()) {
        const { name, kind } = file.columns[at] as RowColumn
        for (const [row, value] of column.entries())
          values[at]?.push(kind === 'decimal' && value !== null
            ? decimalText(path, rowCount + row + 1, name, value as Decimal) : (value as TableValue))
      }
      rowCount += batch.rowCount
    }
    return createTable(file.columns.map((column, at) => columnOf(column, values[at] ?? [])))
  } finally {
    await file.close()
  }
}
