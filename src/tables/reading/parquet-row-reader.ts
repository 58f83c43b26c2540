import { resolve } from 'node:path'
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from '@duckdb/node-api'
import { loadPackage } from '../../files/package-reader.js'
import { Decimal } from '../../model/decimal.js'
import type { SignalValue } from '../../model/signal-row.js'
import { NS_PER_DAY, NS_PER_MS, NS_PER_SECOND } from '../../model/time.js'
import {
  checkNames, fileRefusal, integerValue, typeRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile,
} from './row-file.js'

/** A value as DuckDB's library gives it: one of its classes of values, or a plain value. */
export interface DuckValue {
  readonly value: bigint
  readonly scale: number
  readonly micros: bigint
  readonly millis: bigint
  readonly seconds: bigint
  readonly nanos: bigint
  readonly days: number
  toString(): string
}

/** The kind of a type of the library, and its values as signals have them. */
interface Reading {
  readonly kind: CellKind
  readonly read: (value: DuckValue) => SignalValue
}

const INTEGERS: Reading = { kind: 'integer', read: (value) => integerValue(value as unknown as bigint | number) }
const PLAIN = (kind: CellKind): Reading => ({ kind, read: (value) => value as unknown as SignalValue })
const times = (read: (value: DuckValue) => bigint): Reading => ({ kind: 'timestamp', read })
const MICROS = times(({ micros }) => micros * 1_000n)

const READINGS: Readonly<Record<string, Reading>> = {
  TINYINT: INTEGERS, SMALLINT: INTEGERS, INTEGER: INTEGERS, BIGINT: INTEGERS, HUGEINT: INTEGERS,
  UTINYINT: INTEGERS, USMALLINT: INTEGERS, UINTEGER: INTEGERS, UBIGINT: INTEGERS, UHUGEINT: INTEGERS,
  FLOAT: PLAIN('double'), DOUBLE: PLAIN('double'), BOOLEAN: PLAIN('boolean'), VARCHAR: PLAIN('text'),
  TIMESTAMP: MICROS, 'TIMESTAMP WITH TIME ZONE': MICROS, TIMESTAMP_NS: times(({ nanos }) => nanos),
  TIMESTAMP_MS: times(({ millis }) => millis * BigInt(NS_PER_MS)),
  TIMESTAMP_S: times(({ seconds }) => seconds * BigInt(NS_PER_SECOND)),
  DATE: times(({ days }) => BigInt(days) * BigInt(NS_PER_DAY)),
}
const DECIMALS: Reading = { kind: 'decimal', read: ({ value, scale }) => new Decimal(`${value}e-${scale}`) }

function readingOf(type: string): Reading | undefined {
  return type.startsWith('DECIMAL(') ? DECIMALS : READINGS[type]
}

/** A field of the file's own schema, below its root. */
interface ParquetField {
  readonly name: string
  readonly type: string
  readonly logicalType: string
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The path as the library's patterns of names state it: a bracket, star or question mark stands for itself. */
function literalPath(path: string): string {
  return quoted(resolve(path).replace(/[[*?]/g, '[$&]'))
}

async function fieldsOf(connection: DuckDBConnection, path: string): Promise<ParquetField[]> {
  const result = await connection.runAndReadAll(
    `select name, coalesce(type, ''), coalesce(logical_type, ''), coalesce(num_children, 0)::INTEGER ` +
      `from parquet_schema(${literalPath(path)})`,
  )
  const nodes = result.getRows().map(([name, type, logicalType, childCount]) => (
    { name: String(name), type: String(type), logicalType: String(logicalType), childCount: Number(childCount) }))
  const fields: ParquetField[] = []
  // The nodes stand in the order of the tree: those below a field are no columns of their own.
  let below = 0
  for (const node of nodes.slice(1)) {
    if (below === 0) fields.push(node)
    else below--
    below += node.childCount
  }
  return fields
}

/** Refuses what the library would read inexactly: it keeps neither all digits of such times nor of such decimals. */
function checkField(path: string, { name, type, logicalType }: ParquetField, reading: Reading): void {
  const isCut = logicalType.includes('isAdjustedToUTC=1') && logicalType.includes('NanoSeconds()')
  if (isCut || type === 'INT96')
    throw typeRefusal(
      path, name, isCut ? 'timestamp of nanoseconds with a zone' : 'INT96 timestamp',
      'nanoseconds that Parquet marks as UTC would be cut to microseconds: write them without a zone, in ' +
        'microseconds, or as Arrow',
    )
  if (logicalType.startsWith('DecimalType') && reading.kind !== 'decimal')
    throw typeRefusal(path, name, 'decimal of more than 38 digits', 'decimals have at most 38 digits')
}

/** A Parquet file. */
class ParquetRowFile implements RowFile {
  readonly columns: readonly RowColumn[]

  constructor(
    private readonly path: string,
    private readonly instance: DuckDBInstance,
    private readonly result: DuckDBResult,
    fields: readonly ParquetField[],
    private readonly readings: readonly Reading[],
  ) {
    this.columns = fields.map(({ name }, at) => ({ name, kind: readings[at]?.kind ?? null }))
  }

  async next(): Promise<RowBatch | null> {
    const chunk = await this.result.fetchChunk().catch((error: unknown) => { throw damage(this.path, error) })
    if (chunk === null || chunk.rowCount === 0) return null
    const { rowCount } = chunk
    const columns = this.readings.map(({ read }, at) => {
      const vector = chunk.getColumnVector(at)
      return Array.from({ length: rowCount }, (_, row): SignalValue => {
        const value: unknown = vector.getItem(row)
        return value === null ? null : read(value as DuckValue)
      })
    })
    return { rowCount, columns }
  }

  close(): Promise<void> {
    this.instance.closeSync()
    return Promise.resolve()
  }
}

function damage(path: string, error: unknown): Error {
  const [words = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return fileRefusal(path, 'a Parquet file that can be read', words, error)
}

/** Opens a Parquet file, whose rows come in the order of the file. */
export async function openParquetRows(path: string): Promise<RowFile> {
  // Loaded when used: the library takes 35 MB.
  const { DuckDBInstance: Instance } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
  const instance = await Instance.create(':memory:', {
    threads: '1', memory_limit: '256MB', preserve_insertion_order: 'true', autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const fields = await fieldsOf(connection, path).catch((error: unknown) => { throw damage(path, error) })
    checkNames(path, fields.map(({ name }) => name))
    const result = await connection
      .stream(`select * from read_parquet(${literalPath(path)}, hive_partitioning = false)`)
      .catch((error: unknown) => { throw damage(path, error) })
    const readings = result.columnTypes().map((type, at) => {
      const field = fields[at] as ParquetField
      const reading = readingOf(String(type))
      if (reading === undefined) throw typeRefusal(path, field.name, String(type), 'write it as text, or leave it out')
      checkField(path, field, reading)
      return reading
    })
    return new ParquetRowFile(path, instance, result, fields, readings)
  } catch (error) {
    instance.closeSync()
    throw error
  }
}
