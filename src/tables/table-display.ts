import { rowsText, shownTable, type Shown } from '../model/display-table.js'
import { isoFromEpochNs } from '../model/time.js'
import type { Column, ColumnType, TableValue } from './column.js'

/** The parts of a table that are shown. */
export interface TableParts {
  readonly columns: readonly Column[]
  readonly rowCount: number
  readonly metadata: ReadonlyMap<string, string>
  column(name: string): readonly TableValue[]
}

const isNumber = ({ form }: ColumnType): boolean => form !== 'text' && form !== 'side' && form !== 'boolean'

/** A value of a table as a cell: times as ISO-8601 in UTC without zeros at the end; empty for null. */
function valueText(value: TableValue, { form }: ColumnType): string {
  if (value === null) return ''
  if (form !== 'timestamp' || typeof value !== 'bigint') return String(value)
  return isoFromEpochNs(value).replace(/\.?0+Z$/, 'Z')
}

/** A table as it is shown: its name, the number of rows, its warning, the first and the last ten rows. */
export function shownTableOf(name: string, table: TableParts): Shown {
  const columns = table.columns.map((column) => ({ ...column, values: table.column(column.name) }))
  const warning = table.metadata.get('warning')
  return shownTable({
    title: `${name}: ${rowsText(table.rowCount)}, ${String(columns.length)} columns`,
    ...(warning === undefined ? {} : { warning }),
    columns: columns.map(({ name: column, type }) => ({ name: column, isNumber: isNumber(type) })),
    rowCount: table.rowCount,
    rowAt: (index) => columns.map(({ values, type }) => valueText(values[index] ?? null, type)),
  })
}
