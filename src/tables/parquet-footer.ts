import type { Column } from './column.js'
import { THRIFT_TYPES, ThriftWriter } from './thrift-compact.js'

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

function physicalType({ type }: Column): number {
  if (type.form === 'boolean') return PHYSICAL.BOOLEAN
  if (type.form === 'uint32') return PHYSICAL.INT32
  if (type.form === 'double') return PHYSICAL.DOUBLE
  if (type.form === 'text' || type.form === 'side') return PHYSICAL.BYTE_ARRAY
  return type.form === 'decimal' && type.precision === 38 ? PHYSICAL.FIXED_LEN_BYTE_ARRAY : PHYSICAL.INT64
}

function putLogicalType(out: ThriftWriter, { type }: Column): void {
  const empty = (): undefined => undefined
  if (type.form === 'timestamp') {
    out.struct(10, () => {
      out.struct(LOGICAL_FIELDS.TIMESTAMP, () => {
        out.flag(1, false)
        out.struct(2, () => { out.struct(3, empty) })
      })
    })
  } else if (type.form === 'decimal') {
    out.i32(6, CONVERTED.DECIMAL)
    out.i32(7, type.scale)
    out.i32(8, type.precision)
    out.struct(10, () => {
      out.struct(LOGICAL_FIELDS.DECIMAL, () => {
        out.i32(1, type.scale)
        out.i32(2, type.precision)
      })
    })
  } else if (type.form === 'uint32' || type.form === 'uint64') {
    out.i32(6, type.form === 'uint32' ? CONVERTED.UINT_32 : CONVERTED.UINT_64)
    out.struct(10, () => {
      out.struct(LOGICAL_FIELDS.INTEGER, () => {
        out.i8(1, type.form === 'uint32' ? 32 : 64)
        out.flag(2, false)
      })
    })
  } else if (type.form === 'text' || type.form === 'side') {
    out.i32(6, CONVERTED.UTF8)
    out.struct(10, () => { out.struct(LOGICAL_FIELDS.STRING, empty) })
  }
}

function putSchema(out: ThriftWriter, columns: readonly Column[]): void {
  out.list(2, THRIFT_TYPES.STRUCT, columns.length + 1)
  out.structElement(() => {
    out.binary(4, 'schema')
    out.i32(5, columns.length)
  })
  for (const column of columns) {
    out.structElement(() => {
      const physical = physicalType(column)
      out.i32(1, physical)
      if (physical === PHYSICAL.FIXED_LEN_BYTE_ARRAY) out.i32(2, 16)
      out.i32(3, column.nullable ? 1 : 0)
      out.binary(4, column.name)
      putLogicalType(out, column)
    })
  }
}

function putColumnChunk(out: ThriftWriter, column: Column, facts: ColumnChunkFacts): void {
  const encodings = [...new Set([facts.encoding, RLE, ...(facts.dictionaryOffset === null ? [] : [PLAIN])])]
  out.i64(2, 0)
  out.struct(3, () => {
    out.i32(1, physicalType(column))
    out.list(2, THRIFT_TYPES.I32, encodings.length)
    for (const encoding of encodings) out.i32Element(encoding)
    out.list(3, THRIFT_TYPES.BINARY, 1)
    out.binaryElement(column.name)
    out.i32(4, ZSTD)
    out.i64(5, facts.valueCount)
    out.i64(6, facts.uncompressedBytes)
    out.i64(7, facts.compressedBytes)
    out.i64(9, facts.dataOffset)
    if (facts.dictionaryOffset !== null) out.i64(11, facts.dictionaryOffset)
    out.struct(12, () => {
      out.i64(3, facts.nullCount)
      if (facts.maximum !== null) out.binary(5, facts.maximum)
      if (facts.minimum !== null) out.binary(6, facts.minimum)
    })
  })
}

function putRowGroup(out: ThriftWriter, columns: readonly Column[], group: RowGroupFacts): void {
  out.list(1, THRIFT_TYPES.STRUCT, columns.length)
  columns.forEach((column, i) => {
    const facts = group.columns[i]
    if (facts !== undefined) out.structElement(() => { putColumnChunk(out, column, facts) })
  })
  out.i64(2, group.columns.reduce((sum, facts) => sum + facts.uncompressedBytes, 0))
  out.i64(3, group.rowCount)
}

/** The header of a data page (version 1) or of a dictionary page. */
export function parquetPageHeader(
  page: 'data' | 'dictionary', valueCount: number, encoding: number, uncompressedBytes: number, compressedBytes: number,
): Uint8Array {
  const out = new ThriftWriter()
  out.structElement(() => {
    out.i32(1, page === 'data' ? 0 : 2)
    out.i32(2, uncompressedBytes)
    out.i32(3, compressedBytes)
    out.struct(page === 'data' ? 5 : 7, () => {
      out.i32(1, valueCount)
      out.i32(2, encoding)
      if (page === 'dictionary') return
      out.i32(3, RLE)
      out.i32(4, RLE)
    })
  })
  return out.slice()
}

/** The footer of a file, without its length and the closing magic. */
export function parquetFooter(
  columns: readonly Column[], groups: readonly RowGroupFacts[], metadata: ReadonlyMap<string, string>,
): Uint8Array {
  const out = new ThriftWriter()
  out.structElement(() => {
    out.i32(1, 2)
    putSchema(out, columns)
    out.i64(3, groups.reduce((sum, group) => sum + group.rowCount, 0))
    out.list(4, THRIFT_TYPES.STRUCT, groups.length)
    for (const group of groups) out.structElement(() => { putRowGroup(out, columns, group) })
    out.list(5, THRIFT_TYPES.STRUCT, metadata.size)
    for (const [key, value] of metadata) {
      out.structElement(() => {
        out.binary(1, key)
        out.binary(2, value)
      })
    }
    out.binary(6, 'backtape')
    out.list(7, THRIFT_TYPES.STRUCT, columns.length)
    columns.forEach(() => { out.structElement(() => { out.struct(1, () => undefined) }) })
  })
  return out.slice()
}
