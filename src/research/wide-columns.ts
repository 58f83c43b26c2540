import type { DuckDBConnection } from '@duckdb/node-api'
import { globLiteral, sqlName } from '../catalog/duck-text.js'

/** The rows of a view that are in one table. */
export interface ViewPart {
  readonly select: string
  readonly path: string
}

/** Digits of the decimals of which a view may have several scales: their common type would have fewer. */
const WIDE_DIGITS = 38

/**
 * The casts of the columns that have decimals of 38 digits at several scales, or texts in their place, in the tables of
 * a view: to the finest scale, or to text. The database itself would round what it unites. Empty where none is needed.
 */
export async function castsOf(connection: DuckDBConnection, parts: readonly ViewPart[]): Promise<string> {
  if (parts.length < 2) return ''
  const list = parts.map(({ path }) => globLiteral(path)).join(', ')
  const result = await connection.runAndReadAll(
    'select name, max(precision), max(scale), count(distinct scale), bool_or(converted_type = \'UTF8\') ' +
      `from parquet_schema([${list}]) where precision is not null or converted_type = 'UTF8' ` +
      'group by name order by name',
  )
  return result.getRows().flatMap(([name, digits, scale, scales, hasTexts]) => {
    const isDecimal = digits !== null && Number(digits) > 0
    if (!isDecimal || (hasTexts !== true && (Number(digits) < WIDE_DIGITS || Number(scales) < 2))) return []
    const column = sqlName(String(name))
    const type = hasTexts === true ? 'VARCHAR' : `DECIMAL(${String(WIDE_DIGITS)},${String(scale)})`
    return [`${column}::${type} as ${column}`]
  }).join(', ')
}
