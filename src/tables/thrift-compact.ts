import { ParquetBytes } from './parquet-values.js'

/** A value of Thrift's compact protocol: the number of its type, and what writes it. */
export interface ThriftValue {
  readonly type: number
  put(out: ParquetBytes): void
}

type FieldId = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15

/** The fields of a struct by their ids; null is left out. */
export type ThriftFields = { readonly [id in FieldId]?: ThriftValue | null }

const [TRUE, FALSE, I8, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 3, 5, 6, 8, 9, 12]

const encoder = new TextEncoder()

/** Values of the compact protocol: as much of it as Parquet's page headers and footers need. */
export const thrift = {
  flag: (value: boolean): ThriftValue => ({ type: value ? TRUE : FALSE, put: () => undefined }),
  i8: (value: number): ThriftValue => ({ type: I8, put: (out) => { out.byte(value) } }),
  i32: (value: number): ThriftValue => ({ type: I32, put: (out) => { out.zigzag(BigInt(value)) } }),
  i64: (value: number): ThriftValue => ({ type: I64, put: (out) => { out.zigzag(BigInt(value)) } }),

  binary: (value: Uint8Array | string): ThriftValue => ({
    type: BINARY,
    put: (out) => {
      const bytes = typeof value === 'string' ? encoder.encode(value) : value
      out.varint(bytes.length)
      out.piece(bytes)
    },
  }),

  /** Elements of one type; a list without any is one of structs. */
  list: (elements: readonly ThriftValue[]): ThriftValue => ({
    type: LIST,
    put: (out) => {
      const type = elements[0]?.type ?? STRUCT
      out.byte((Math.min(elements.length, 15) << 4) | type)
      if (elements.length >= 15) out.varint(elements.length)
      for (const element of elements) element.put(out)
    },
  }),

  struct: (fields: ThriftFields): ThriftValue => ({
    type: STRUCT,
    put: (out) => {
      let last = 0
      // The ids of an object literal come in ascending order.
      for (const [id, value] of Object.entries<ThriftValue | null>(fields)) {
        if (value === null) continue
        out.byte(((Number(id) - last) << 4) | value.type)
        value.put(out)
        last = Number(id)
      }
      out.byte(0)
    },
  }),
}

/** The bytes of a struct. */
export function thriftBytes(fields: ThriftFields): Uint8Array {
  const out = new ParquetBytes()
  thrift.struct(fields).put(out)
  return out.slice()
}
