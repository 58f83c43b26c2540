import type { Column, ColumnType, TableValue } from '../tables/column.js'
import { MadeColumn } from '../tables/made-column.js'
import { createTable, type Table } from '../tables/table.js'
import { Decimal, decimalScale } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'

const DIGITS = 38
const SCALE = 18

const FORM = { form: 'decimal', precision: DIGITS, scale: SCALE } as const

/** The type of every column of prices and quantities of a result, in every run: what it does not hold is refused. */
export const AMOUNT_TYPE: ColumnType = { ...FORM }

/**
 * The type of every column of money of a result, in every run. Fees of inverse contracts are products of more decimals
 * than it holds: Parquet and Arrow state those rounded half-even, and count them.
 */
export const MONEY_TYPE: ColumnType = { ...FORM }

type Columns = Pick<Table, 'columns' | 'column'>

function hasMoreDecimals(value: TableValue): boolean {
  return typeof value === 'string' && (decimalScale(value) ?? Infinity) > SCALE
}

function isFitting(value: TableValue): boolean {
  if (typeof value !== 'string') return true
  return !hasMoreDecimals(value) && (value.replace('-', '').split('.')[0]?.length ?? 0) <= DIGITS - SCALE
}

function isAllFitting(own: Column, column: Columns['column']): boolean {
  return (own instanceof MadeColumn ? own.isHeld() : null) ?? column(own.name).every(isFitting)
}

function isDecimal({ type }: Column): boolean {
  return type === AMOUNT_TYPE || type === MONEY_TYPE
}

/**
 * The number of values by column of {@link MONEY_TYPE} that {@link fittedTable} rounds, in the order of the columns;
 * columns without one are left out.
 */
export function roundedCounts({ columns, column }: Columns): ReadonlyMap<string, number> {
  const money = columns.filter(({ type }) => type === MONEY_TYPE)
  const counts = money.map((own): [string, number] => (
    [own.name, isAllFitting(own, column) ? 0 : column(own.name).filter(hasMoreDecimals).length]))
  return new Map(counts.filter(([, count]) => count > 0))
}

function roundedMoney(value: TableValue): TableValue {
  if (!hasMoreDecimals(value)) return value
  return new Decimal(String(value)).toDecimalPlaces(SCALE, Decimal.ROUND_HALF_EVEN).toFixed()
}

/** The values as decimal128 holds them. Throws VALUE_INEXACT for the first that it does not hold. */
function fittedValues(table: string, { name, type }: Column, values: readonly TableValue[]): readonly TableValue[] {
  const fitted = type === MONEY_TYPE ? values.map(roundedMoney) : values
  const row = fitted.findIndex((value) => !isFitting(value))
  if (row < 0) return fitted
  const found = String(values[row])
  const place = `Cannot state ${name} of row ${row} of the table ${table}`
  const sentence = `${place} as decimal128(${DIGITS}, ${SCALE}): found ${found}; CSV and JSON hold every digit`
  const expected = `at most ${SCALE} decimals and ${DIGITS - SCALE} digits before them`
  throw new BacktapeError('VALUE_INEXACT', sentence, { field: name, expected, found })
}

/**
 * The table as Parquet and Arrow hold it. Money of more than 18 decimals is rounded half-even to 18; `rounded` in its
 * metadata counts those values by column (`fee 123, realized_pnl 4`). Throws VALUE_INEXACT with table, column and row
 * for a price or quantity of more decimals, and for anything of more than 20 digits before them.
 */
export function fittedTable(name: string, table: Pick<Table, 'columns' | 'column' | 'metadata'>): Table {
  const fitted = table.columns.map((own) => {
    const isWhole = !isDecimal(own) || isAllFitting(own, table.column)
    if (isWhole && own instanceof MadeColumn) return own
    const values = table.column(own.name)
    return { ...own, values: isWhole ? values : fittedValues(name, own, values) }
  })
  const counts = [...roundedCounts(table)].map(([own, count]) => `${own} ${count}`)
  const rounded: [string, string][] = counts.length === 0 ? [] : [['rounded', counts.join(', ')]]
  return createTable(fitted, new Map([...table.metadata, ...rounded]))
}

/**
 * The columns as formats of text hold them: those with a value that no decimal128(38, 18) holds are text, so that every
 * digit stands.
 */
export function textColumns({ columns, column }: Columns): readonly Column[] {
  return columns.map((own) => {
    const isText = isDecimal(own) && !isAllFitting(own, column)
    return isText ? { ...own, type: { form: 'text' } } : own
  })
}
