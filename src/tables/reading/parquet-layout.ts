import type { ColumnChunk, FileMetaData, SchemaElement } from 'hyparquet'
import { parquetMetadata } from 'hyparquet/src/metadata.js'
import { NS_PER_DAY, NS_PER_MS } from '../../model/time.js'
import { ParquetFault } from './parquet-fault.js'
import { thriftEnd } from './parquet-thrift.js'
import { typeRefusal } from './row-file.js'

/** The meaning of a column's values. */
export type ParquetKind =
  | { readonly form: 'time'; readonly unitNs: bigint }
  | { readonly form: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly form: 'integer'; readonly isWide: boolean; readonly isSigned: boolean }
  | { readonly form: 'double' | 'boolean' | 'text' }

/** A column of a file. */
export interface ParquetField {
  readonly name: string
  readonly nullable: boolean
  readonly physical: NonNullable<SchemaElement['type']>
  /** Bytes of a value of a fixed number of them; 0 for any other. */
  readonly byteCount: number
  readonly kind: ParquetKind
}

/** The values of a column in a row group, as they lie in the file. */
export interface ParquetChunk {
  readonly codec: string | undefined
  readonly from: number
  readonly byteCount: number
}

/** Rows that lie together. */
export interface ParquetGroup {
  readonly rowCount: number
  /** One a column; none in a group without rows, whose writers state any place. */
  readonly chunks: readonly ParquetChunk[]
}

/** The footer of a file. */
export interface ParquetLayout {
  readonly rowCount: number
  readonly fields: readonly ParquetField[]
  readonly groups: readonly ParquetGroup[]
  /** Sorted by key. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Writers of Arrow keep its schema here; it says nothing about the table. */
const ARROW_SCHEMA_KEY = 'ARROW:schema'
const DIGITS_MAX = 38
const UNITS_NS = { MILLIS: BigInt(NS_PER_MS), MICROS: 1_000n, NANOS: 1n } as const
const TEXTS: ReadonlySet<unknown> = new Set(['UTF8', 'ENUM', 'JSON', 'STRING', 'NULL'])
const OF_INTEGERS: ReadonlySet<unknown> = new Set(['INT32', 'INT64'])

function integerKind({ type, converted_type: converted, logical_type: logical }: SchemaElement): ParquetKind | null {
  const isWide = type === 'INT64'
  if (logical?.type === 'INTEGER') return { form: 'integer', isWide, isSigned: logical.isSigned }
  if (logical !== undefined) return null
  if (converted === undefined) return { form: 'integer', isWide, isSigned: true }
  return /^U?INT_/.test(converted) ? { form: 'integer', isWide, isSigned: converted.startsWith('INT') } : null
}

function decimalKind({ type, precision = 0, scale = 0, logical_type: logical }: SchemaElement): ParquetKind | null {
  const stated = logical?.type === 'DECIMAL' ? logical : { precision, scale }
  const isHeld = stated.precision >= 1 && stated.precision <= DIGITS_MAX
  if (!isHeld || stated.scale < 0 || stated.scale > DIGITS_MAX) return null
  const isNumber = OF_INTEGERS.has(type) || type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY'
  return isNumber ? { form: 'decimal', precision: stated.precision, scale: stated.scale } : null
}

function timeKind({ type, converted_type: converted, logical_type: logical }: SchemaElement): ParquetKind | null {
  if (type === 'INT96') return { form: 'time', unitNs: 1n }
  if (type === 'INT32' && (converted === 'DATE' || logical?.type === 'DATE'))
    return { form: 'time', unitNs: BigInt(NS_PER_DAY) }
  if (type !== 'INT64') return null
  if (logical?.type === 'TIMESTAMP') return { form: 'time', unitNs: UNITS_NS[logical.unit] }
  if (converted === 'TIMESTAMP_MILLIS') return { form: 'time', unitNs: UNITS_NS.MILLIS }
  return converted === 'TIMESTAMP_MICROS' ? { form: 'time', unitNs: UNITS_NS.MICROS } : null
}

/** The meaning of a column; null for one that no table holds. */
function kindOf(element: SchemaElement): ParquetKind | null {
  const { type, converted_type: converted, logical_type: logical } = element
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') return decimalKind(element)
  if (logical?.type === 'NULL') return { form: 'text' }
  if (type === 'BOOLEAN') return { form: 'boolean' }
  if (type === 'FLOAT' || type === 'DOUBLE') return { form: 'double' }
  if (type === 'FIXED_LEN_BYTE_ARRAY' && logical?.type === 'FLOAT16') return { form: 'double' }
  if (type === 'BYTE_ARRAY') return TEXTS.has(converted) || TEXTS.has(logical?.type) ? { form: 'text' } : null
  return timeKind(element) ?? (OF_INTEGERS.has(type) ? integerKind(element) : null)
}

function fieldOf(path: string, element: SchemaElement): ParquetField {
  const { name, type, type_length: byteCount = 0, converted_type: converted, logical_type: logical } = element
  const isNested = (element.num_children ?? 0) > 0 || element.repetition_type === 'REPEATED'
  const kind = isNested || type === undefined ? null : kindOf(element)
  const digits = element.precision ?? (logical?.type === 'DECIMAL' ? logical.precision : undefined)
  const own = logical?.type ?? converted ?? type ?? 'STRUCT'
  if (kind === null || type === undefined)
    throw typeRefusal(
      path, name, digits === undefined ? own : `DECIMAL of ${digits} digits`, 'write it as text, or leave it out',
    )
  if (type === 'FIXED_LEN_BYTE_ARRAY' && !(byteCount > 0 && byteCount <= 4_096))
    throw new ParquetFault(`values of ${byteCount} bytes each`, null, name)
  return {
    name, nullable: element.repetition_type === 'OPTIONAL', physical: type, kind,
    byteCount: type === 'FIXED_LEN_BYTE_ARRAY' ? byteCount : 0,
  }
}

/** The columns: children of the root that have none themselves. */
function fieldsOf(path: string, schema: readonly SchemaElement[]): ParquetField[] {
  const [root, ...rest] = schema
  // The first nested one is refused, so that none stands behind another's children.
  const fields = rest.map((element) => fieldOf(path, element))
  if (root === undefined || (root.num_children ?? 0) !== fields.length)
    throw new ParquetFault('a schema that contradicts itself')
  return fields
}

function countOf(value: unknown, what: string, column: string | null = null): number {
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 0) throw new ParquetFault(`${what} ${String(value)}`, null, column)
  return count
}

function chunkOf(
  { meta_data: facts, file_path: elsewhere }: ColumnChunk, field: ParquetField, end: number,
): ParquetChunk {
  const { name } = field
  if (facts === undefined || elsewhere !== undefined) throw new ParquetFault('values in another file', null, name)
  if (facts.type !== field.physical) throw new ParquetFault(`values of type ${facts.type}`, null, name)
  const data = countOf(facts.data_page_offset, 'a page at byte', name)
  const dictionary = countOf(facts.dictionary_page_offset ?? 0, 'a dictionary at byte', name)
  const from = dictionary > 0 ? Math.min(data, dictionary) : data
  const byteCount = countOf(facts.total_compressed_size, 'a size of', name)
  if (from < 4 || from + byteCount > end)
    throw new ParquetFault(`${byteCount} bytes that reach beyond the data of the file`, from, name)
  return { codec: facts.codec, from, byteCount }
}

function groupsOf({ row_groups: groups }: FileMetaData, fields: readonly ParquetField[], end: number): ParquetGroup[] {
  return groups.map(({ num_rows: rows, columns }) => {
    if (columns.length !== fields.length) throw new ParquetFault(`a row group of ${columns.length} columns`)
    const rowCount = countOf(rows, 'a row group of')
    const held = rowCount === 0 ? [] : columns
    return { rowCount, chunks: held.map((column, at) => chunkOf(column, fields[at] as ParquetField, end)) }
  })
}

/**
 * The layout that a footer states; `tail` are the last bytes of the file from the footer on, which begins at `end`.
 * Throws a ParquetFault for one that contradicts itself, and FILE_UNREADABLE for columns that no table holds.
 */
export function parquetLayout(path: string, tail: Uint8Array, end: number): ParquetLayout {
  thriftEnd(tail, 0)
  const footer = parquetMetadata(tail, { geoparquet: false })
  const fields = fieldsOf(path, footer.schema)
  const groups = groupsOf(footer, fields, end)
  const rowCount = groups.reduce((sum, group) => sum + group.rowCount, 0)
  if (rowCount !== countOf(footer.num_rows, 'a table of'))
    throw new ParquetFault(`${String(footer.num_rows)} rows, and ${rowCount} in the row groups`)
  const pairs = (footer.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ''] as const)
  const metadata = new Map(pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  metadata.delete(ARROW_SCHEMA_KEY)
  return { rowCount, fields, groups, metadata }
}
