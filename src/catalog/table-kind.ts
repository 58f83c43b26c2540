import { EXPORT_KINDS, tableColumns, type ExportKind, type TableShape } from '../export/export-kind.js'
import { minuteColumns } from '../export/minutes-table.js'
import type { Column } from '../tables/column.js'

/** The tables that a catalog knows: those of a conversion, and the minutes. */
export type TableKind = ExportKind | 'minutes'

/** Every value of {@link TableKind}, in the order in which people read them. */
export const TABLE_KINDS: readonly TableKind[] = [...EXPORT_KINDS, 'minutes']

/** The columns of a table: those that a conversion writes, or the 22 of the minutes. */
export function columnsOfKind(kind: TableKind, shape: TableShape): readonly Column[] {
  return kind === 'minutes' ? minuteColumns('shop') : tableColumns(kind, shape)
}

/** The column that a table's rows are ordered by. */
export function timeColumn(kind: TableKind): 'ts' | 'time' {
  return kind === 'minutes' ? 'time' : 'ts'
}

/** The kind that the name of a table states: `BASE.trades.parquet`; null for a name without one. */
export function kindOfFileName(fileName: string): { readonly kind: TableKind; readonly base: string } | null {
  const found = /^(.+)\.([a-z]+)\.parquet$/.exec(fileName)
  const kind = TABLE_KINDS.find((known) => known === found?.[2])
  return kind === undefined || found?.[1] === undefined ? null : { kind, base: found[1] }
}
