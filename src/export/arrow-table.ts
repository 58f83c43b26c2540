import {
  Bool,
  type Data,
  type DataType,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int8,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  TimestampNanosecond,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import { Decimal as ExactDecimal } from '../model/decimal.js'
import type { Column, ColumnType } from './column.js'
import type { TableColumn, TableValue } from './table-value.js'

const SIDE_TEXTS = vectorFromArray(['BID', 'ASK'], new Utf8())
const SIDE_TYPE = new Dictionary(new Utf8(), new Int8(), 0)

/** The Arrow type of a column. */
export function arrowType(type: ColumnType): DataType {
  if (type.form === 'timestamp') return new TimestampNanosecond(null)
  if (type.form === 'decimal') return new Decimal(type.scale, type.precision, 128)
  if (type.form === 'uint32') return new Uint32()
  if (type.form === 'uint64') return new Uint64()
  if (type.form === 'double') return new Float64()
  if (type.form === 'boolean') return new Bool()
  return type.form === 'text' ? new Utf8() : SIDE_TYPE
}

/** The Arrow schema of columns; timestamps are zone-less and mean UTC. */
export function arrowSchema(columns: readonly Column[], metadata: ReadonlyMap<string, string>): Schema {
  return new Schema(
    columns.map((column) => new Field(column.name, arrowType(column.type), column.nullable)),
    new Map(metadata),
  )
}

/** A record batch over column data in the order of the schema. */
export function arrowRecordBatch(schema: Schema, length: number, children: Data[]): RecordBatch {
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))
}

/** Data of a `side` column over its codes, 0 BID and 1 ASK. */
export function sideData(codes: Int8Array, length: number): Data {
  return makeData({ type: SIDE_TYPE, length, nullCount: 0, data: codes, dictionary: SIDE_TEXTS })
}

function decimalWords(values: readonly TableValue[], scale: number): Uint32Array {
  const pairs = new BigInt64Array(values.length * 2)
  values.forEach((value, i) => {
    const integer = value === null ? 0n : BigInt(new ExactDecimal(String(value)).mul(new ExactDecimal(10).pow(scale)).toFixed())
    pairs[2 * i] = BigInt.asIntN(64, integer)
    pairs[2 * i + 1] = integer >> 64n
  })
  return new Uint32Array(pairs.buffer)
}

function bits(flags: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(flags.length / 64) * 8)
  flags.forEach((flag, i) => {
    if (flag) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7))
  })
  return bytes
}

function columnData(column: TableColumn): Data {
  const { values } = column
  const { form } = column.type
  const length = values.length
  const nullCount = values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0)
  const common = { length, nullCount, ...(nullCount > 0 ? { nullBitmap: bits(values.map((value) => value !== null)) } : {}) }
  const type = arrowType(column.type)
  if (column.type.form === 'decimal') return makeData({ type: type as Decimal, data: decimalWords(values, column.type.scale), ...common })
  if (form === 'timestamp') return makeData({ type: type as TimestampNanosecond, data: BigInt64Array.from(values, (value) => BigInt(value ?? 0)), ...common })
  if (form === 'uint64') return makeData({ type: type as Uint64, data: BigUint64Array.from(values, (value) => BigInt(value ?? 0)), ...common })
  if (form === 'uint32') return makeData({ type: type as Uint32, data: Uint32Array.from(values, Number), ...common })
  if (form === 'double') return makeData({ type: type as Float64, data: Float64Array.from(values, Number), ...common })
  if (form === 'boolean') return makeData({ type: type as Bool, data: bits(values.map((value) => value === true)), ...common })
  if (form === 'side') return sideData(Int8Array.from(values, (value) => (value === 'ASK' ? 1 : 0)), length)
  const texts = values.map((value) => new TextEncoder().encode(value === null ? '' : String(value)))
  const valueOffsets = new Int32Array(length + 1)
  texts.forEach((text, i) => (valueOffsets[i + 1] = (valueOffsets[i] ?? 0) + text.length))
  const data = new Uint8Array(valueOffsets[length] ?? 0)
  texts.forEach((text, i) => { data.set(text, valueOffsets[i]) })
  return makeData({ type: type as Utf8, data, valueOffsets, ...common })
}

/** An Arrow IPC stream of a small table. */
export function arrowBytes(columns: readonly TableColumn[], metadata: ReadonlyMap<string, string>): Uint8Array {
  const schema = arrowSchema(columns, metadata)
  const length = columns[0]?.values.length ?? 0
  return tableToIPC(new Table([arrowRecordBatch(schema, length, columns.map(columnData))]), 'stream')
}
