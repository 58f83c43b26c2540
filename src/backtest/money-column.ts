import type { Column, ColumnType } from '../export/column.js'
import type { TableValue } from '../export/table-value.js'
import type { Table } from '../export/table.js'
import { decimalScale } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'

const DIGITS = 38
const SCALE = 18

/** The type of every column of money, prices and quantities of a result, whatever the run. */
export const MONEY_TYPE: ColumnType = { form: 'decimal', precision: DIGITS, scale: SCALE }

type Columns = Pick<Table, 'columns' | 'column'>

function isFitting(value: TableValue): boolean {
  if (typeof value !== 'string') return true
  const scale = decimalScale(value) ?? Infinity
  return scale <= SCALE && (value.replace('-', '').split('.')[0]?.length ?? 0) <= DIGITS - SCALE
}

/** Checks that all values of {@link MONEY_TYPE} columns fit it. Throws VALUE_INEXACT with table, column and row where one does not: nothing is rounded. */
export function checkMoney(table: string, { columns, column }: Columns): void {
  for (const { name, type } of columns) {
    const row = type === MONEY_TYPE ? column(name).findIndex((value) => !isFitting(value)) : -1
    if (row < 0) continue
    const found = String(column(name)[row])
    const sentence = `Cannot state ${name} of row ${row} of the table ${table} as decimal128(${DIGITS}, ${SCALE}): found ${found}; CSV and JSON hold every digit`
    throw new BacktapeError('VALUE_INEXACT', sentence, { field: name, expected: `at most ${SCALE} decimals and ${DIGITS - SCALE} digits before them`, found })
  }
}

/** The columns as formats of text hold them: those with a value that no {@link MONEY_TYPE} holds are text, so that every digit stands. */
export function textColumns({ columns, column }: Columns): readonly Column[] {
  return columns.map((own) => (own.type === MONEY_TYPE && !column(own.name).every(isFitting) ? { ...own, type: { form: 'text' } } : own))
}
