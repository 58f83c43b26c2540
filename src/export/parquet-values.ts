import type { ColumnBuffer, TableChunk } from './column-buffer.js'

/** The values of a column chunk that are not null, as 32-bit halves; one a run or one a row. */
export interface WordValues {
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly count: number
}

/** Bytes that grow; `bytes` is replaced when it does. */
export class ByteBuffer {
  bytes: Uint8Array = new Uint8Array(65_536)
  length = 0

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.length + more, this.bytes.length * 2))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  put(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  word(value: number): void {
    this.put(value & 255)
    this.put((value >>> 8) & 255)
    this.put((value >>> 16) & 255)
    this.put(value >>> 24)
  }

  varint(value: number): void {
    for (; value > 127; value >>>= 7) this.put((value & 127) | 128)
    this.put(value)
  }

  result(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

const TWO_32 = 4_294_967_296
const doubles = new Float64Array(1)
const doubleWords = new Uint32Array(doubles.buffer)

/** Splits numbers plus a base into halves, leaving NaNs out; returns how many there are. */
function wordsFromNumbers(numbers: Float64Array, count: number, base: bigint, low: Uint32Array, high: Uint32Array): number {
  const baseLow = Number(base & 0xffffffffn)
  const baseHigh = Number(base >> 32n)
  let written = 0
  for (let i = 0; i < count; i++) {
    const value = numbers[i] ?? NaN
    if (value !== value) continue
    const upper = Math.floor(value / TWO_32)
    const lower = value - upper * TWO_32 + baseLow
    const carry = lower >= TWO_32 ? 1 : 0
    low[written] = lower - carry * TWO_32
    high[written] = upper + baseHigh + carry
    written++
  }
  return written
}

function wordsFromDoubles(numbers: Float64Array, count: number, low: Uint32Array, high: Uint32Array): number {
  let written = 0
  for (let i = 0; i < count; i++) {
    const value = numbers[i] ?? NaN
    if (value !== value) continue
    doubles[0] = value
    low[written] = doubleWords[0] ?? 0
    high[written] = doubleWords[1] ?? 0
    written++
  }
  return written
}

function wordsFromIds(buffer: ColumnBuffer, count: number, low: Uint32Array, high: Uint32Array): number {
  let written = 0
  for (let i = 0; i < count; i++) {
    if (buffer.isNull[i] === 1) continue
    low[written] = buffer.low[i] ?? 0
    high[written] = buffer.high[i] ?? 0
    written++
  }
  return written
}

/** The values of a column that are not null, one a run where the column holds one a run. The result is reused by the next call. */
export class WordGatherer {
  private low = new Uint32Array(0)
  private high = new Uint32Array(0)
  private expandedLow = new Uint32Array(0)
  private expandedHigh = new Uint32Array(0)

  gather(buffer: ColumnBuffer, chunk: TableChunk): WordValues {
    const count = buffer.perRun ? chunk.runCount : chunk.rowCount
    if (this.low.length < count) {
      this.low = new Uint32Array(count)
      this.high = new Uint32Array(count)
    }
    const { low, high } = this
    const { form } = buffer.column.type
    const base = form === 'timestamp' ? BigInt(chunk.epochDay) * 86_400_000_000_000n : 0n
    const written =
      form === 'uint64' ? wordsFromIds(buffer, count, low, high)
      : form === 'double' ? wordsFromDoubles(buffer.numbers, count, low, high)
      : wordsFromNumbers(buffer.numbers, count, base, low, high)
    return { low, high, count: written }
  }

  /** One value a row from one value a run. */
  expand(values: WordValues, buffer: ColumnBuffer, chunk: TableChunk): WordValues {
    if (!buffer.perRun) return values
    if (this.expandedLow.length < chunk.rowCount) {
      this.expandedLow = new Uint32Array(chunk.rowCount)
      this.expandedHigh = new Uint32Array(chunk.rowCount)
    }
    const { expandedLow: low, expandedHigh: high } = this
    let from = 0
    let written = 0
    for (let run = 0; run < chunk.runCount; run++) {
      if (buffer.isNullAt(run)) continue
      const end = written + (chunk.runStart[run + 1] ?? 0) - (chunk.runStart[run] ?? 0)
      low.fill(values.low[from] ?? 0, written, end)
      high.fill(values.high[from] ?? 0, written, end)
      written = end
      from++
    }
    return { low, high, count: written }
  }
}

/** Plain little-endian values of 4 or 8 bytes. */
export function appendPlain(target: ByteBuffer, { low, high, count }: WordValues, width: 4 | 8): void {
  target.reserve(count * width)
  const words = new Uint32Array((count * width) / 4)
  if (width === 4) words.set(low.subarray(0, count))
  else {
    for (let i = 0; i < count; i++) {
      words[2 * i] = low[i] ?? 0
      words[2 * i + 1] = high[i] ?? 0
    }
  }
  target.append(new Uint8Array(words.buffer))
}

/** BYTE_STREAM_SPLIT: all first bytes, then all second bytes, and so on. Few of them change, so zstd is fast and small. */
export function appendSplit(target: ByteBuffer, { low, high, count }: WordValues, width: 4 | 8): void {
  target.reserve(count * width)
  splitWords(target.bytes, target.length, low, count)
  if (width === 8) splitWords(target.bytes, target.length + 4 * count, high, count)
  target.length += count * width
}

function splitWords(bytes: Uint8Array, at: number, words: Uint32Array, count: number): void {
  const second = at + count
  const third = second + count
  const fourth = third + count
  for (let i = 0; i < count; i++) {
    const word = words[i] ?? 0
    bytes[at + i] = word
    bytes[second + i] = word >>> 8
    bytes[third + i] = word >>> 16
    bytes[fourth + i] = word >>> 24
  }
}

/** One run of the RLE/bit-packed hybrid: `length` times `value`. */
export function appendRun(target: ByteBuffer, value: number, length: number, bitWidth: number): void {
  target.varint(length * 2)
  for (let shift = 0; shift < bitWidth; shift += 8) target.put((value >>> shift) & 255)
}

/** Bits of a predicate as one bit-packed run of the hybrid, for a bit width of 1. */
export function appendBits(target: ByteBuffer, count: number, bitAt: (index: number) => number): void {
  const groups = Math.ceil(count / 8)
  target.varint(groups * 2 + 1)
  appendPlainBits(target, count, bitAt)
}

/** Bits of a predicate, the first in the lowest bit. */
export function appendPlainBits(target: ByteBuffer, count: number, bitAt: (index: number) => number): void {
  for (let at = 0; at < count; at += 8) {
    let byte = 0
    for (let bit = 0, end = Math.min(8, count - at); bit < end; bit++) byte |= bitAt(at + bit) << bit
    target.put(byte)
  }
}
