import { createReadStream } from 'node:fs'
import { RecordBatchReader, type Vector } from 'apache-arrow'
import { loadPackage } from '../files/package-reader.js'
import type { Column } from '../tables/column.js'
import { type ColumnSum, ColumnChecksum } from './column-checksum.js'
import { columnsIn, type TableForm } from '../tables/table-form.js'

/** The sums of a file that was read back. */
export interface ResultSums {
  readonly rowCount: number
  readonly sums: ReadonlyMap<string, ColumnSum>
}

const encoder = new TextEncoder()
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The type of a value where it is summed up. */
const SQL_TYPES = {
  timestamp: 'BIGINT', uint32: 'UINTEGER', uint64: 'UBIGINT', double: 'DOUBLE', boolean: 'BOOLEAN', text: 'VARCHAR',
  side: 'VARCHAR',
} as const

function sqlType({ type }: Column): string {
  return type.form === 'decimal'
    ? `DECIMAL(${String(type.precision)}, ${String(type.scale)})`
    : SQL_TYPES[type.form]
}

/** Text formats are read as text: what is summed up are the characters that stand there. */
function sqlSource(path: string, { format, comment }: TableForm, columns: readonly Column[]): string {
  if (format === 'parquet') return `read_parquet(${quoted(path)})`
  const types = columns.map((column) => `${quoted(column.name)}: 'VARCHAR'`).join(', ')
  const compression = quoted(format.endsWith('.gz') ? 'gzip' : 'uncompressed')
  if (format.startsWith('json')) {
    const shape = quoted(format === 'json' ? 'array' : 'newline_delimited')
    return `read_json(${quoted(path)}, columns = {${types}}, format = ${shape}, compression = ${compression})`
  }
  const dialect = `header = true, auto_detect = false, comment = '${comment === true ? '#' : ''}', delim = ',', ` +
    `quote = '"', escape = '"', allow_quoted_nulls = false`
  return `read_csv(${quoted(path)}, columns = {${types}}, ${dialect}, compression = ${compression})`
}

function sqlSum(column: Column, { format, times }: TableForm): string {
  const { name, type } = column
  const text = `"${name}"`
  if (type.form === 'text') return `sum(strlen(${text}))`
  if (type.form === 'side') return `sum((${text} = 'ASK')::INTEGER)`
  if (type.form === 'double') return '0'
  if (type.form === 'timestamp' && (format === 'parquet' || times === 'iso'))
    return `sum(epoch_ns(${text}::TIMESTAMP_NS))`
  const value = format === 'parquet' ? text : `${text}::${sqlType(column)}`
  if (type.form === 'decimal' && type.precision === 38) return wideSum(value)
  return type.form === 'boolean' ? `sum((${value})::INTEGER)` : `sum(${value})`
}

/** The sum of 38 digits in two parts, as one of all digits can be too long: upper digits, a space, lower digits. */
function wideSum(value: string): string {
  const integer = `replace((${value})::VARCHAR, '.', '')::HUGEINT`
  const part = (operator: string): string => `coalesce(sum(${integer} ${operator} ${LOWER_END}::HUGEINT), 0)::VARCHAR`
  return `${part('//')} || ' ' || ${part('%')}`
}

/** The end of the lower part of a number of 38 digits. */
const LOWER_END = 10n ** 19n

/** A sum as it was written by SQL. */
function totalOf(cell: string): bigint {
  const [upper, lower] = cell.split(' ')
  if (lower === undefined) return BigInt(cell.replace('.', ''))
  return BigInt(upper ?? 0) * LOWER_END + BigInt(lower)
}

async function sumsByDuckDb(path: string, form: TableForm, columns: readonly Column[]): Promise<ResultSums> {
  // Loaded when used: the library takes 35 MB, and reading a result back is rare.
  const { DuckDBInstance } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' })
  try {
    const connection = await instance.connect()
    const parts = columns.map(
      (column) => `count("${column.name}")::VARCHAR, coalesce((${sqlSum(column, form)})::VARCHAR, '0')`,
    )
    const result = await connection.runAndReadAll(
      `select count(*)::VARCHAR, ${parts.join(', ')} from ${sqlSource(path, form, columns)}`,
    )
    const cells = (result.getRows()[0] ?? []).map(String)
    connection.closeSync()
    const sums = new Map(
      columns.map((column, i) => [
        column.name, { count: Number(cells[1 + 2 * i]), total: totalOf(cells[2 + 2 * i] ?? '') },
      ]),
    )
    return { rowCount: Number(cells[0]), sums }
  } finally {
    instance.closeSync()
  }
}

/** Sums the values of a vector by the accessors of the Arrow library, which share no code with our encoder. */
function addVector(sum: ColumnChecksum, vector: Vector, column: Column): void {
  const { form } = column.type
  for (let i = 0; i < vector.length; i++) {
    const value: unknown = vector.get(i)
    if (value === null) continue
    if (form === 'decimal') sum.addBig(bigFromWords(value as Uint32Array))
    else if (form === 'side') sum.addBig(value === 'ASK' ? 1n : 0n)
    else if (form === 'text') sum.addBig(BigInt(encoder.encode(value as string).length))
    else if (form === 'boolean') sum.addBig(value === true ? 1n : 0n)
    else sum.addBig(form === 'double' ? 0n : BigInt(value as bigint | number))
  }
}

function bigFromWords(words: Uint32Array): bigint {
  let value = 0n
  for (let i = 3; i >= 0; i--) value = (value << 32n) | BigInt(words[i] ?? 0)
  return BigInt.asIntN(128, value)
}

async function sumsByArrow(path: string, columns: readonly Column[]): Promise<ResultSums> {
  const sums = new Map(columns.map((column) => [column.name, new ColumnChecksum()]))
  let rowCount = 0
  const reader = await RecordBatchReader.from(createReadStream(path, { highWaterMark: 1_048_576 }))
  for await (const batch of reader) {
    rowCount += batch.numRows
    columns.forEach((column) => {
      const vector = batch.getChild(column.name)
      const sum = sums.get(column.name)
      // Timestamps of nanoseconds come as milliseconds from the accessor: their integers lie in the column itself.
      if (vector === null || sum === undefined) return
      if (column.type.form === 'timestamp') addTimes(sum, vector)
      else addVector(sum, vector, column)
    })
  }
  return { rowCount, sums }
}

function addTimes(sum: ColumnChecksum, vector: Vector): void {
  for (const data of vector.data) {
    const times = data.values as BigInt64Array
    for (let i = 0; i < data.length; i++) if (data.getValid(i)) sum.addBig(times[i] ?? 0n)
  }
}

/** Reads a result back: Parquet and text by DuckDB, Arrow by the Arrow library. Doubles are counted, not summed. */
export function readResultSums(path: string, form: TableForm, columns: readonly Column[]): Promise<ResultSums> {
  const own = columnsIn(form, columns)
  return form.format === 'arrow' || form.format === 'arrows' ? sumsByArrow(path, own) : sumsByDuckDb(path, form, own)
}
