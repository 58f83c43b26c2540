import { ParquetFault } from './parquet-fault.js'
import { unpack, varintAt } from './parquet-hybrid.js'

const BLOCK_MAX = 65_536
const TWO_32 = 4_294_967_296
/** Values of which the differences take more than 32 bits are read one by one; this many at once otherwise. */
const scratch = new Uint32Array(BLOCK_MAX)

/** A signed integer of 64 bits in two words. */
interface Pair {
  readonly low: number
  readonly high: number
  readonly end: number
}

/** A signed integer, its sign in the lowest bit, seven bits a byte. */
function zigzagAt(bytes: Uint8Array, from: number): Pair {
  let low = 0
  let high = 0
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at]
    if (byte === undefined || shift > 63) throw new ParquetFault('differences that end early')
    const bits = byte & 127
    if (shift < 28) low |= bits << shift
    else if (shift === 28) {
      low |= bits << 28
      high |= bits >>> 4
    } else high |= bits << (shift - 32)
    if (byte < 128) {
      const sign = -(low & 1)
      return { low: (((low >>> 1) | (high << 31)) ^ sign) >>> 0, high: (high >>> 1) ^ sign, end: at + 1 }
    }
  }
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)) >>> 0
}

/** Bits `bit` to `bit + 31` of the bytes from `from` on. */
function wordAt(bytes: Uint8Array, from: number, bit: number): number {
  const at = from + (bit >>> 3)
  const shift = bit & 7
  const low = word(bytes, at) >>> shift
  return shift === 0 ? low : (low | ((bytes[at + 4] ?? 0) << (32 - shift))) >>> 0
}

/** Differences of one width and the least of them: adds them up into `words`, two a value. */
class Adder {
  low = 0
  high = 0
  count = 0

  constructor(private readonly bytes: Uint8Array, readonly words: Int32Array) {}

  put(): void {
    this.words[2 * this.count] = this.low
    this.words[2 * this.count++ + 1] = this.high
  }

  /** Differences of at most 32 bits. */
  narrow(from: number, width: number, count: number, least: Pair): void {
    if (width === 0) scratch.fill(0, 0, count)
    else unpack(this.bytes, from, width, scratch, 0, count)
    const { words } = this
    const { low: leastLow, high: leastHigh } = least
    let { low, high, count: at } = this
    for (let i = 0; i < count; i++) {
      const sum = low + leastLow + (scratch[i] as number)
      low = sum >>> 0
      high = (high + leastHigh + (sum - low) / TWO_32) | 0
      words[2 * at] = low
      words[2 * at++ + 1] = high
    }
    this.low = low
    this.high = high
    this.count = at
  }

  wide(from: number, width: number, count: number, least: Pair): void {
    const mask = width === 64 ? 0xffffffff : 2 ** (width - 32) - 1
    for (let i = 0; i < count; i++) {
      const sum = this.low + least.low + wordAt(this.bytes, from, i * width)
      this.low = sum >>> 0
      const upper = (wordAt(this.bytes, from, i * width + 32) & mask) >>> 0
      this.high = (this.high + least.high + upper + (sum - this.low) / TWO_32) | 0
      this.put()
    }
  }
}

/** Integers, two words each, the low one first; their bytes end at `end`. */
export interface DeltaValues {
  readonly words: Int32Array
  readonly end: number
}

/**
 * DELTA_BINARY_PACKED, modulo 2^64, without a bigint. Throws a ParquetFault for bytes that end early or state another
 * number of values than `count`.
 */
export function readDelta(bytes: Uint8Array, from: number, count: number): DeltaValues {
  const block = varintAt(bytes, from)
  const minis = varintAt(bytes, block.end)
  const total = varintAt(bytes, minis.end)
  const size = block.value / minis.value
  if (!(block.value > 0 && block.value <= BLOCK_MAX && Number.isInteger(size) && size % 8 === 0))
    throw new ParquetFault(`differences in blocks of ${block.value} in ${minis.value}`)
  if (total.value !== count) throw new ParquetFault(`${total.value} differences for ${count} values`)
  const first = zigzagAt(bytes, total.end)
  const adder = new Adder(bytes, new Int32Array(2 * count))
  let at = first.end
  if (count > 0) {
    adder.low = first.low
    adder.high = first.high
    adder.put()
  }
  while (adder.count < count) {
    const least = zigzagAt(bytes, at)
    const widths = bytes.subarray(least.end, least.end + minis.value)
    at = least.end + minis.value
    for (let mini = 0; mini < minis.value && adder.count < count; mini++) {
      const width = widths[mini] ?? 65
      const wanted = Math.min(size, count - adder.count)
      if (width > 64 || at + Math.ceil((wanted * width) / 8) > bytes.length)
        throw new ParquetFault('differences that end early')
      if (width > 32) adder.wide(at, width, wanted, least)
      else adder.narrow(at, width, wanted, least)
      at += (size * width) / 8
    }
  }
  return { words: adder.words, end: at }
}
