import { ByteWriter } from '../model/byte-writer.js'
import type { ColumnBuffer, TableChunk } from './column.js'

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

const BLOCK = 128
const MINI_BLOCKS = 4
const MINI_BLOCK = BLOCK / MINI_BLOCKS
const TWO_32 = 4_294_967_296

/**
 * Below this spread of the values every difference, and every difference of differences, is a 32-bit integer: half the
 * time of doubles.
 */
const NARROW_SPREAD = 2 ** 30

const deltas = new Float64Array(BLOCK)
const narrowDeltas = new Int32Array(BLOCK)
const widths = new Uint8Array(MINI_BLOCKS)

/** Unsigned LEB128 of an integer below 2^64. */
function bitWidth(value: number): number {
  return value < TWO_32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / TWO_32))
}

/** 32 values of at most 32 bits, the first in the lowest bits. */
function packNarrow(target: ParquetBytes, deltas: Float64Array | Int32Array, from: number, width: number): void {
  const { bytes } = target
  let at = target.count
  let word = 0
  let filled = 0
  for (let i = from; i < from + MINI_BLOCK; i++) {
    const value = deltas[i] ?? 0
    word |= value << filled
    filled += width
    if (filled < 32) continue
    bytes[at] = word
    bytes[at + 1] = word >>> 8
    bytes[at + 2] = word >>> 16
    bytes[at + 3] = word >>> 24
    at += 4
    filled -= 32
    word = filled === 0 ? 0 : (value >>> 0) >>> (width - filled)
  }
  target.count = at
}

/** 32 values of more than 32 bits. */
function packWide(target: ParquetBytes, from: number, width: number): void {
  let bits = 0n
  for (let i = MINI_BLOCK - 1; i >= 0; i--) bits = (bits << BigInt(width)) | BigInt(deltas[from + i] ?? 0)
  for (let byte = 0; byte < width * 4; byte++, bits >>= 8n) target.byte(Number(bits & 255n))
}

/**
 * DELTA_BINARY_PACKED: differences between neighbours, bit-packed by 32 over the least of each 128. `base` is added to
 * the first value alone, so that the numbers stay exact. `spread`, from the least to the greatest of the numbers, must
 * be below 2^53. The first value is signed even where the type is not.
 */
export function appendDelta(
  target: ParquetBytes, numbers: Float64Array, count: number, base: bigint, width: 4 | 8, spread: number,
): void {
  target.varint(BLOCK)
  target.varint(MINI_BLOCKS)
  target.varint(count)
  target.zigzag(count === 0 ? 0n : BigInt.asIntN(width * 8, BigInt(numbers[0] ?? 0) + base))
  if (spread < NARROW_SPREAD) putNarrowBlocks(target, numbers, count)
  else putBlocks(target, numbers, count)
}

function putNarrowBlocks(target: ParquetBytes, numbers: Float64Array, count: number): void {
  const deltas = narrowDeltas
  for (let from = 1; from < count; from += BLOCK) {
    const size = Math.min(BLOCK, count - from)
    let least = 0x7fffffff
    for (let i = 0; i < size; i++) {
      const delta = ((numbers[from + i] as number) - (numbers[from + i - 1] as number)) | 0
      deltas[i] = delta
      if (delta < least) least = delta
    }
    if (size < BLOCK) deltas.fill(least, size)
    putNarrowBlock(target, size, least)
  }
}

function putNarrowBlock(target: ParquetBytes, size: number, least: number): void {
  const deltas = narrowDeltas
  target.zigzag(BigInt(least))
  target.reserve(MINI_BLOCKS + BLOCK * 4)
  for (let mini = 0; mini < MINI_BLOCKS; mini++) {
    // The highest bit of all together is that of the greatest.
    let bits = 0
    for (let i = mini * MINI_BLOCK; i < (mini + 1) * MINI_BLOCK; i++) {
      const value = ((deltas[i] as number) - least) | 0
      deltas[i] = value
      bits |= value
    }
    widths[mini] = 32 - Math.clz32(bits)
    target.byte(widths[mini] as number)
  }
  for (let mini = 0; mini < MINI_BLOCKS && mini * MINI_BLOCK < size; mini++) {
    const width = widths[mini] as number
    if (width > 0) packNarrow(target, deltas, mini * MINI_BLOCK, width)
  }
}

function putBlocks(target: ParquetBytes, numbers: Float64Array, count: number): void {
  let previous = numbers[0] ?? 0
  for (let from = 1; from < count; from += BLOCK) {
    const size = Math.min(BLOCK, count - from)
    let least = Infinity
    for (let i = 0; i < size; i++) {
      const value = numbers[from + i] ?? 0
      const delta = value - previous
      deltas[i] = delta
      if (delta < least) least = delta
      previous = value
    }
    for (let i = size; i < BLOCK; i++) deltas[i] = least
    putBlock(target, size, least)
  }
}

function putBlock(target: ParquetBytes, size: number, least: number): void {
  target.zigzag(BigInt(least))
  target.reserve(MINI_BLOCKS + BLOCK * 8)
  for (let mini = 0; mini < MINI_BLOCKS; mini++) {
    let greatest = 0
    for (let i = mini * MINI_BLOCK; i < (mini + 1) * MINI_BLOCK; i++) {
      const value = (deltas[i] ?? 0) - least
      deltas[i] = value
      if (value > greatest) greatest = value
    }
    widths[mini] = bitWidth(greatest)
    target.byte(widths[mini] ?? 0)
  }
  for (let mini = 0; mini < MINI_BLOCKS && mini * MINI_BLOCK < size; mini++) {
    const width = widths[mini] ?? 0
    if (width > 32) packWide(target, mini * MINI_BLOCK, width)
    else if (width > 0) packNarrow(target, deltas, mini * MINI_BLOCK, width)
  }
}

/** Integers or doubles of a column chunk that are not null; value = number + base. */
export interface NumberValues {
  readonly numbers: Float64Array
  readonly count: number
  readonly base: bigint
}

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
