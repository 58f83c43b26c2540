import { ParquetBytes } from './parquet-bytes.js'

/** Compact-protocol type ids of the Thrift structures that a Parquet footer is made of. */
export const THRIFT_TYPES = { TRUE: 1, FALSE: 2, I8: 3, I32: 5, I64: 6, BINARY: 8, LIST: 9, STRUCT: 12 } as const

const encoder = new TextEncoder()

/** Writes Thrift's compact protocol into growing bytes: as much of it as Parquet's page headers and footers need. */
export class ThriftWriter extends ParquetBytes {
  private lastField = 0
  private readonly outer: number[] = []

  private field(id: number, type: number): void {
    const delta = id - this.lastField
    if (delta > 0 && delta < 16) this.byte((delta << 4) | type)
    else {
      this.byte(type)
      this.zigzag(BigInt(id))
    }
    this.lastField = id
  }

  i32(id: number, value: number): void {
    this.field(id, THRIFT_TYPES.I32)
    this.zigzag(BigInt(value))
  }

  i64(id: number, value: number): void {
    this.field(id, THRIFT_TYPES.I64)
    this.zigzag(BigInt(value))
  }

  i8(id: number, value: number): void {
    this.field(id, THRIFT_TYPES.I8)
    this.byte(value)
  }

  flag(id: number, value: boolean): void {
    this.field(id, value ? THRIFT_TYPES.TRUE : THRIFT_TYPES.FALSE)
  }

  binary(id: number, value: Uint8Array | string): void {
    this.field(id, THRIFT_TYPES.BINARY)
    this.binaryElement(value)
  }

  binaryElement(value: Uint8Array | string): void {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value
    this.varint(bytes.length)
    this.piece(bytes)
  }

  i32Element(value: number): void {
    this.zigzag(BigInt(value))
  }

  /** A struct in field `id`; `fill` writes its fields. */
  struct(id: number, fill: () => void): void {
    this.field(id, THRIFT_TYPES.STRUCT)
    this.structElement(fill)
  }

  structElement(fill: () => void): void {
    this.outer.push(this.lastField)
    this.lastField = 0
    fill()
    this.byte(0)
    this.lastField = this.outer.pop() ?? 0
  }

  /** The head of a list in field `id`; its elements follow by the `...Element` methods. */
  list(id: number, type: number, size: number): void {
    this.field(id, THRIFT_TYPES.LIST)
    if (size < 15) this.byte((size << 4) | type)
    else {
      this.byte(0xf0 | type)
      this.varint(size)
    }
  }
}
