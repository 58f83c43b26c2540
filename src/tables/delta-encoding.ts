import type { ParquetBytes } from './parquet-bytes.js'

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
