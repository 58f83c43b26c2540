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
  TimestampNanosecond,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import type { Column, ColumnType } from './column.js'

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

/** The number of null values of a column, and their places. */
export interface Validity {
  readonly nullCount: number
  readonly nullBitmap?: Uint8Array
}

/** Data of a `side` column over its codes, 0 BID and 1 ASK. */
export function sideData(codes: Int8Array, length: number, validity: Validity): Data {
  return makeData({ type: SIDE_TYPE, length, data: codes, dictionary: SIDE_TEXTS, ...validity })
}
