import { ByteWriter } from '../model/byte-writer.js'

/** Bytes with the numbers of Parquet's pages and headers: little-endian words and variable-length integers. */
export class ParquetBytes extends ByteWriter {
  /** Four bytes, the lowest first. */
  word(value: number): void {
    this.byte(value & 255)
    this.byte((value >>> 8) & 255)
    this.byte((value >>> 16) & 255)
    this.byte(value >>> 24)
  }

  /** An unsigned integer below 2^32, seven bits a byte. */
  varint(value: number): void {
    for (; value > 127; value >>>= 7) this.byte((value & 127) | 128)
    this.byte(value)
  }

  /** A signed integer of any size: the sign in the lowest bit, seven bits a byte. */
  zigzag(value: bigint): void {
    let rest = value < 0n ? -value * 2n - 1n : value * 2n
    for (; rest > 127n; rest >>= 7n) this.byte(Number(rest & 127n) | 128)
    this.byte(Number(rest))
  }
}
