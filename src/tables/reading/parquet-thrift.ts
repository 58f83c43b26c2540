import { ParquetFault } from './parquet-fault.js'

/** Types of fields in Thrift's compact protocol. */
const STOP = 0
const BOOLEANS: readonly number[] = [1, 2]
const BYTE = 3
const INTEGERS: readonly number[] = [4, 5, 6]
const DOUBLE = 7
const BINARY = 8
const LISTS: readonly number[] = [9, 10]
const STRUCT = 12
/** Structures within structures; a footer has six levels. */
const DEPTH_MAX = 16

/** Steps over the values of Thrift's compact protocol. */
class ThriftWalk {
  constructor(private readonly bytes: Uint8Array, public at: number) {}

  skip(type: number, depth: number): void {
    if (depth > DEPTH_MAX) throw new ParquetFault('a structure that is nested too deeply')
    if (INTEGERS.includes(type)) this.count()
    else if (type === BYTE) this.step(1)
    else if (type === DOUBLE) this.step(8)
    else if (type === BINARY) this.step(this.count())
    else if (LISTS.includes(type)) this.skipList(depth)
    else if (type === STRUCT) this.skipStruct(depth + 1)
    else if (!BOOLEANS.includes(type)) throw new ParquetFault('a field of no known type')
  }

  private skipStruct(depth: number): void {
    for (let head = this.byte(); head !== STOP; head = this.byte()) {
      if (head >> 4 === 0) this.count()
      this.skip(head & 15, depth)
    }
  }

  private skipList(depth: number): void {
    const head = this.byte()
    const type = head & 15
    const length = head >> 4 === 15 ? this.count() : head >> 4
    // An element takes a byte at least.
    if (length > this.bytes.length - this.at) throw new ParquetFault('a list that is longer than what holds it')
    // A boolean in a list takes a byte.
    for (let i = 0; i < length; i++) this.skip(BOOLEANS.includes(type) ? BYTE : type, depth + 1)
  }

  private byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new ParquetFault('a structure that ends early')
    return byte
  }

  /** An unsigned integer, as a double: lengths and counts. */
  private count(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
      if (factor > 2 ** 63) throw new ParquetFault('an integer of more than 64 bits')
    }
  }

  private step(count: number): void {
    this.at += count
    if (this.at > this.bytes.length) throw new ParquetFault('a structure that ends early')
  }
}

/**
 * The end of a structure of Thrift's compact protocol that begins at `from`: its lists and texts lie within the bytes,
 * so that a reader allocates no more than they justify. Throws a ParquetFault for any other.
 */
export function thriftEnd(bytes: Uint8Array, from: number): number {
  const walk = new ThriftWalk(bytes, from)
  walk.skip(STRUCT, 0)
  return walk.at
}
