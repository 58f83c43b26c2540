import type { ByteWriter } from '../model/byte-writer.js'
import type { ColumnBuffer, TableChunk } from './column-buffer.js'
import type { ParquetBytes } from './parquet-bytes.js'

/** Integers or doubles of a column chunk that are not null; value = number + base. */
export interface NumberValues {
  readonly numbers: Float64Array
  readonly count: number
  readonly base: bigint
}

const TWO_32 = 4_294_967_296

/** Finds the values of a column that are not null. Results are reused by the next call. */
export class NumberGatherer {
  private present = new Float64Array(0)
  private expanded = new Float64Array(0)

  /**
   * One value a run where the column holds one a run. Null where they are ids too far apart to be numbers plus a base.
   */
  gather(buffer: ColumnBuffer, chunk: TableChunk): NumberValues | null {
    const count = buffer.perRun ? chunk.runCount : chunk.rowCount
    const { form } = buffer.column.type
    if (form === 'uint64') return this.gatherIds(buffer, count)
    const base = form === 'timestamp' ? BigInt(buffer.epochDay ?? chunk.epochDay) * 86_400_000_000_000n : 0n
    if (!buffer.column.nullable) return { numbers: buffer.numbers, count, base }
    const numbers = this.room(count)
    let written = 0
    for (let i = 0; i < count; i++) {
      const value = buffer.numbers[i] ?? NaN
      if (value === value) numbers[written++] = value
    }
    return { numbers, count: written, base }
  }

  private gatherIds(buffer: ColumnBuffer, count: number): NumberValues | null {
    const numbers = this.room(count)
    const first = buffer.high[0] ?? 0
    let written = 0
    for (let i = 0; i < count; i++) {
      if (buffer.isNull[i] === 1) continue
      const high = (buffer.high[i] ?? 0) - first
      if (high > 65_535 || high < -65_535) return null
      numbers[written++] = high * TWO_32 + (buffer.low[i] ?? 0)
    }
    return { numbers, count: written, base: BigInt(first) << 32n }
  }

  /** One value a row from one value a run. */
  expand(values: NumberValues, buffer: ColumnBuffer, chunk: TableChunk): NumberValues {
    if (!buffer.perRun) return values
    if (this.expanded.length < chunk.rowCount) this.expanded = new Float64Array(chunk.rowCount)
    const numbers = this.expanded
    let from = 0
    let written = 0
    for (let run = 0; run < chunk.runCount; run++) {
      if (buffer.isNullAt(run)) continue
      const end = written + (chunk.runStart[run + 1] ?? 0) - (chunk.runStart[run] ?? 0)
      numbers.fill(values.numbers[from++] ?? 0, written, end)
      written = end
    }
    return { numbers, count: written, base: values.base }
  }

  private room(count: number): Float64Array {
    if (this.present.length < count) this.present = new Float64Array(count)
    return this.present
  }
}

/** Little-endian integers of 4 or 8 bytes; `base` is added. */
export function appendIntegers(target: ByteWriter, { numbers, count, base }: NumberValues, width: 4 | 8): void {
  const baseLow = Number(base & 0xffffffffn)
  const baseHigh = Number(base >> 32n)
  const words = new Uint32Array((count * width) / 4)
  for (let i = 0; i < count; i++) {
    const value = numbers[i] ?? 0
    const upper = Math.floor(value / TWO_32)
    const lower = value - upper * TWO_32 + baseLow
    const carry = lower >= TWO_32 ? 1 : 0
    if (width === 4) words[i] = lower
    else {
      words[2 * i] = lower - carry * TWO_32
      words[2 * i + 1] = upper + baseHigh + carry
    }
  }
  target.piece(new Uint8Array(words.buffer))
}

/** Little-endian doubles. */
export function appendDoubles(target: ByteWriter, { numbers, count }: NumberValues): void {
  const doubles = numbers.slice(0, count)
  target.piece(new Uint8Array(doubles.buffer))
}

/** One run of the RLE/bit-packed hybrid: `length` times `value`. */
export function appendRun(target: ParquetBytes, value: number, length: number, bitWidth: number): void {
  target.varint(length * 2)
  for (let shift = 0; shift < bitWidth; shift += 8) target.byte((value >>> shift) & 255)
}

/** Flags (0 or 1) as one bit-packed run of the hybrid, for a bit width of 1. */
export function appendBits(target: ParquetBytes, flags: Uint8Array, count: number): void {
  target.varint(Math.ceil(count / 8) * 2 + 1)
  appendPlainBits(target, flags, count)
}

/** Flags (0 or 1) as bits, the first in the lowest bit. */
export function appendPlainBits(target: ByteWriter, flags: Uint8Array, count: number): void {
  const byteCount = Math.ceil(count / 8)
  target.reserve(byteCount)
  const { bytes } = target
  const begin = target.count
  const whole = count >> 3
  for (let i = 0, at = 0; i < whole; i++, at += 8) {
    bytes[begin + i] =
      (flags[at] ?? 0) |
      ((flags[at + 1] ?? 0) << 1) |
      ((flags[at + 2] ?? 0) << 2) |
      ((flags[at + 3] ?? 0) << 3) |
      ((flags[at + 4] ?? 0) << 4) |
      ((flags[at + 5] ?? 0) << 5) |
      ((flags[at + 6] ?? 0) << 6) |
      ((flags[at + 7] ?? 0) << 7)
  }
  if (whole < byteCount) {
    let byte = 0
    for (let at = whole * 8; at < count; at++) byte |= (flags[at] ?? 0) << (at & 7)
    bytes[begin + whole] = byte
  }
  target.count += byteCount
}
