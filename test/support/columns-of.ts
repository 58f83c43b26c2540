import type { ColumnsInput } from '../../src/report/pages/report-input.js'
import type { TableValue } from '../../src/tables/column.js'
import { MadeColumn, valueSource } from '../../src/tables/made-column.js'

/** Rows by their columns, as a report reads tables. */
export function columnsOf<Row>(rows: readonly Row[]): ColumnsInput<Row> {
  return {
    rowCount: rows.length,
    column: (name) => new MadeColumn(
      { name, type: { form: name.endsWith('ts') ? 'timestamp' : 'text' }, nullable: true },
      valueSource((row) => rows[row]![name] as TableValue), rows.length, 0,
    ),
  }
}
