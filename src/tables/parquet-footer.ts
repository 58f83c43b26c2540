import type { Column } from './column.js'
import { thrift, thriftBytes, type ThriftFields, type ThriftValue } from './thrift-compact.js'

/** The footer's facts about one column chunk. */
export interface ColumnChunkFacts {
  readonly encoding: number
  readonly valueCount: number
  readonly uncompressedBytes: number
  readonly compressedBytes: number
  readonly dictionaryOffset: number | null
  readonly dataOffset: number
  readonly nullCount: number
  readonly minimum: Uint8Array | null
  readonly maximum: Uint8Array | null
}

/** The footer's facts about one row group. */
export interface RowGroupFacts {
  readonly rowCount: number
  readonly columns: readonly ColumnChunkFacts[]
}

const PHYSICAL = { BOOLEAN: 0, INT32: 1, INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6, FIXED_LEN_BYTE_ARRAY: 7 } as const
const CONVERTED = { UTF8: 0, DECIMAL: 5, UINT_32: 13, UINT_64: 14 } as const
const LOGICAL_FIELDS = { STRING: 1, DECIMAL: 5, TIMESTAMP: 8, INTEGER: 10 } as const
const ZSTD = 6
const PLAIN = 0
const RLE = 3

const { binary, flag, i8, i32, i64, list, struct } = thrift

const PHYSICAL_TYPES = {
  boolean: PHYSICAL.BOOLEAN, uint32: PHYSICAL.INT32, uint64: PHYSICAL.INT64, timestamp: PHYSICAL.INT64,
  double: PHYSICAL.DOUBLE, text: PHYSICAL.BYTE_ARRAY, side: PHYSICAL.BYTE_ARRAY,
} as const

function physicalType({ type }: Column): number {
  if (type.form !== 'decimal') return PHYSICAL_TYPES[type.form]
  return type.precision === 38 ? PHYSICAL.FIXED_LEN_BYTE_ARRAY : PHYSICAL.INT64
}

/** The fields of a schema element that say what its values mean. */
function logicalFields({ type }: Column): ThriftFields {
  switch (type.form) {
    case 'timestamp':
      return { 10: struct({ [LOGICAL_FIELDS.TIMESTAMP]: struct({ 1: flag(false), 2: struct({ 3: struct({}) }) }) }) }
    case 'decimal': {
      const [scale, precision] = [i32(type.scale), i32(type.precision)]
      const logical = struct({ [LOGICAL_FIELDS.DECIMAL]: struct({ 1: scale, 2: precision }) })
      return { 6: i32(CONVERTED.DECIMAL), 7: scale, 8: precision, 10: logical }
    }
    case 'uint32':
    case 'uint64': {
      const isWide = type.form === 'uint64'
      const logical = struct({ [LOGICAL_FIELDS.INTEGER]: struct({ 1: i8(isWide ? 64 : 32), 2: flag(false) }) })
      return { 6: i32(isWide ? CONVERTED.UINT_64 : CONVERTED.UINT_32), 10: logical }
    }
    case 'text':
    case 'side':
      return { 6: i32(CONVERTED.UTF8), 10: struct({ [LOGICAL_FIELDS.STRING]: struct({}) }) }
    default:
      return {}
  }
}

function schemaElement(column: Column): ThriftValue {
  const physical = physicalType(column)
  return struct({
    1: i32(physical),
    2: physical === PHYSICAL.FIXED_LEN_BYTE_ARRAY ? i32(16) : null,
    3: i32(column.nullable ? 1 : 0),
    4: binary(column.name),
    ...logicalFields(column),
  })
}

function columnChunk(column: Column, facts: ColumnChunkFacts): ThriftValue {
  const { dictionaryOffset, minimum, maximum } = facts
  const encodings = [...new Set([facts.encoding, RLE, ...(dictionaryOffset === null ? [] : [PLAIN])])]
  const statistics = struct({
    3: i64(facts.nullCount),
    5: maximum === null ? null : binary(maximum),
    6: minimum === null ? null : binary(minimum),
  })
  const metadata = struct({
    1: i32(physicalType(column)),
    2: list(encodings.map(i32)),
    3: list([binary(column.name)]),
    4: i32(ZSTD),
    5: i64(facts.valueCount),
    6: i64(facts.uncompressedBytes),
    7: i64(facts.compressedBytes),
    9: i64(facts.dataOffset),
    11: dictionaryOffset === null ? null : i64(dictionaryOffset),
    12: statistics,
  })
  return struct({ 2: i64(0), 3: metadata })
}

function rowGroup(columns: readonly Column[], group: RowGroupFacts): ThriftValue {
  return struct({
    1: list(group.columns.map((facts, i) => columnChunk(columns[i] as Column, facts))),
    2: i64(group.columns.reduce((sum, facts) => sum + facts.uncompressedBytes, 0)),
    3: i64(group.rowCount),
  })
}

/** The header of a data page (version 1) or of a dictionary page. */
export function parquetPageHeader(
  page: 'data' | 'dictionary', valueCount: number, encoding: number, uncompressedBytes: number, compressedBytes: number,
): Uint8Array {
  const [count, coding] = [i32(valueCount), i32(encoding)]
  return thriftBytes({
    1: i32(page === 'data' ? 0 : 2),
    2: i32(uncompressedBytes),
    3: i32(compressedBytes),
    5: page === 'data' ? struct({ 1: count, 2: coding, 3: i32(RLE), 4: i32(RLE) }) : null,
    7: page === 'data' ? null : struct({ 1: count, 2: coding }),
  })
}

/** The footer of a file, without its length and the closing magic. */
export function parquetFooter(
  columns: readonly Column[], groups: readonly RowGroupFacts[], metadata: ReadonlyMap<string, string>,
): Uint8Array {
  return thriftBytes({
    1: i32(2),
    2: list([struct({ 4: binary('schema'), 5: i32(columns.length) }), ...columns.map(schemaElement)]),
    3: i64(groups.reduce((sum, group) => sum + group.rowCount, 0)),
    4: list(groups.map((group) => rowGroup(columns, group))),
    5: list([...metadata].map(([key, value]) => struct({ 1: binary(key), 2: binary(value) }))),
    6: binary('backtape'),
    7: list(columns.map(() => struct({ 1: struct({}) }))),
  })
}
