import type { ColumnType, TableValue } from '../tables/column.js'
import { MadeColumn, valueSource, type ColumnSource } from '../tables/made-column.js'
import { createTable, type Table } from '../tables/table.js'
import { shownTableOf } from '../tables/table-display.js'
import { showAs } from '../model/display.js'
import { AMOUNT_TYPE, fittedTable, MONEY_TYPE, roundedCounts } from './money-column.js'

/** A table of a result whose rows have a type. */
export interface ResultTable<Row> extends Omit<Table, 'rows' | typeof Symbol.iterator> {
  /** The rows as objects, made when first asked for. */
  readonly rows: readonly Row[]
  /** The rows one by one, as {@link ResultTable.rows}. */
  [Symbol.iterator](): Iterator<Row>
  /**
   * The number of values by column that `toArrow` states rounded half-even to 18 decimals: money of more decimals, as
   * fees of inverse contracts have. Rows, CSV and JSON hold every digit.
   */
  readonly rounded: ReadonlyMap<string, number>
}

type Form = ColumnType['form'] | 'money'

/** The forms of the columns of a table, in their order. */
export type TableShape<Row> = { readonly [Name in keyof Row]: Form }

/** A table as it is in every run, whatever the data. */
export interface TableForm<Row> {
  readonly name: string
  readonly shape: TableShape<Row>
  /** Columns that may hold null. */
  readonly nullable: readonly (keyof Row & string)[]
}

/** The columns of a table: where the values of each come from. */
export type Cells<Row> = { readonly [Name in keyof Row]: ColumnSource<Row[Name]> }

/** The columns of rows that are made as objects, once and when somebody looks. */
export function cellsOfRows<Row extends { readonly [Name in keyof Row]: TableValue }>(
  { shape }: TableForm<Row>, rowCount: number, rowAt: (index: number) => Row,
): Cells<Row> {
  let rows: readonly Row[] | null = null
  const at = (index: number): Row => (
    (rows ??= Array.from({ length: rowCount }, (_, one) => rowAt(one)))[index] as Row)
  const cells = Object.keys(shape).map((name) => [name, valueSource((row) => at(row)[name as keyof Row])])
  return Object.fromEntries(cells) as Cells<Row>
}

function typeOf(form: Form): ColumnType {
  if (form === 'money') return MONEY_TYPE
  return form === 'decimal' ? AMOUNT_TYPE : { form }
}

/**
 * Makes columns and rows when somebody looks: a run that nobody asks pays nothing, and a column pays for itself alone.
 * Rows and columns by name hold every digit; Arrow what {@link fittedTable} makes of them. Cells are asked for the rows
 * from `firstRow` on.
 */
export function lazyTable<Row extends object>(
  form: TableForm<Row>, rowCount: number, metadata: ReadonlyMap<string, string>, cells: Cells<Row>,
  firstRow = 0,
): ResultTable<Row> {
  const names = Object.keys(form.shape) as (keyof Row & string)[]
  const columns = names.map((name) => new MadeColumn(
    { name, type: typeOf(form.shape[name]), nullable: form.nullable.includes(name) },
    cells[name] as ColumnSource, rowCount, firstRow,
  ))
  const table = createTable(columns, metadata)
  const shown: ResultTable<Row> = {
    rowCount,
    metadata,
    columns,
    get rows() {
      return table.rows as unknown as readonly Row[]
    },
    column: table.column,
    numbers: table.numbers,
    timesNs: table.timesNs,
    epochMs: table.epochMs,
    get rounded() {
      return roundedCounts(shown)
    },
    toJSON: table.toJSON,
    [Symbol.iterator]: () => shown.rows[Symbol.iterator](),
    toArrow: () => fittedTable(form.name, shown).toArrow(),
  }
  return showAs(shown, (self) => shownTableOf(form.name, self))
}
