import { globLiteral, sqlName, sqlText } from '../catalog/duck-text.js'
import { columnsOfKind, timeColumn, type TableKind } from '../catalog/table-kind.js'
import type { TableShape } from '../export/export-kind.js'
import { dayText, epochDayFromText } from '../model/time.js'
import type { ColumnType } from '../tables/column.js'
import { isTable, NO_SHAPE, type ViewBranch } from './view-branch.js'

/** The type of a column in SQL. */
export function sqlType(type: ColumnType): string {
  switch (type.form) {
    case 'timestamp': return 'TIMESTAMP_NS'
    case 'decimal': return `DECIMAL(${String(type.precision)},${String(type.scale)})`
    case 'uint32': return 'UINTEGER'
    case 'uint64': return 'UBIGINT'
    case 'double': return 'DOUBLE'
    case 'boolean': return 'BOOLEAN'
    default: return 'VARCHAR'
  }
}

const instrumentSql = (instrument: string | null): string =>
  instrument === null ? 'NULL::VARCHAR' : sqlText(instrument)

/** A branch as far as planning needs it. */
type PlannedBranch = Omit<ViewBranch, 'source' | 'undecided'>

/** A table without rows that stands for the file of a branch while a statement is planned. */
export function planTable({ kind, shape, instrument, day }: PlannedBranch, name: string): string {
  const columns = columnsOfKind(kind, shape).map((column) => `${sqlName(column.name)} ${sqlType(column.type)}`)
  // What nobody knows is a column: no filter on it can leave the file out.
  if (instrument === null) columns.push('plan_instrument VARCHAR')
  if (day === null) columns.push('plan_day DATE')
  return `create table ${sqlName(name)} (${columns.join(', ')})`
}

function names(kind: TableKind, shape: TableShape): string {
  return columnsOfKind(kind, shape).map((column) => sqlName(column.name)).join(', ')
}

/** The branch over its {@link planTable}. */
export function planSelect({ kind, shape, instrument, day }: PlannedBranch, name: string): string {
  const of = instrument === null ? 'plan_instrument' : sqlText(instrument)
  const on = day === null ? 'plan_day' : `DATE ${sqlText(day)}`
  return `select ${of} as instrument, ${on} as day, ${names(kind, shape)} from ${sqlName(name)}`
}

/** The rows of a day out of a table that may hold its margins too. */
function trimmed(kind: TableKind, day: string): string {
  const next = dayText((epochDayFromText(day) ?? 0) + 1)
  const time = sqlName(timeColumn(kind))
  const at = (text: string): string => `TIMESTAMP_NS ${sqlText(`${text} 00:00:00`)}`
  return ` where ${time} >= ${at(day)} and ${time} < ${at(next)}`
}

/** The branch over the table at `path`, which holds its day alone or is trimmed to it. */
export function branchSelect({ kind, shape, instrument, day, source }: ViewBranch, path: string): string {
  const on = day === null ? `${sqlName(timeColumn(kind))}::DATE` : `DATE ${sqlText(day)}`
  const isWhole = isTable(source) && source.facts.margins === 'keep' && day !== null
  return `select ${instrumentSql(instrument)} as instrument, ${on} as day, ${names(kind, shape)} ` +
    `from read_parquet(${globLiteral(path)}, hive_partitioning = false)${isWhole ? trimmed(kind, day) : ''}`
}

/** Nothing, with the types of a file. */
function emptySelect(kind: TableKind, shape: TableShape): string {
  const columns = columnsOfKind(kind, shape).map(({ name, type }) => `NULL::${sqlType(type)} as ${sqlName(name)}`)
  return `select NULL::VARCHAR as instrument, NULL::DATE as day, ${columns.join(', ')} where false`
}

/**
 * The statement that makes a view of its branches. `shapes` are those of files that it does not open: their types count
 * as if they were there.
 */
export function viewSql(kind: TableKind, selects: readonly string[], shapes: readonly TableShape[] = []): string {
  const unopened = [...new Set(shapes.map((shape) => emptySelect(kind, shape)))]
  const parts = [...selects, ...unopened]
  const body = parts.length === 0 ? emptySelect(kind, NO_SHAPE) : parts.join(' union all ')
  return `create or replace view ${sqlName(kind)} as ${body}`
}
