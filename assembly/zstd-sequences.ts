// Sequences section of a block and its execution (RFC 8878, sections 3.1.1.3.2 and 3.1.1.4).
import { accuracy, buildRun, buildTable, readProbabilities, usePredefined } from './zstd-entropy'
import { literalCount, literals } from './zstd-literals'
import {
  bitsAt, LITERAL_LENGTHS, lowBits, MATCH_LENGTHS, OFFSETS, PREDEFINED_LITERAL_LENGTHS, PREDEFINED_MATCH_LENGTHS, PREDEFINED_OFFSETS, streamBits,
} from './zstd-memory'

const LITERAL_LENGTH_CODES = memory.data<u32>([
  0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0,
  16, 1, 18, 1, 20, 1, 22, 1, 24, 2, 28, 2, 32, 3, 40, 3, 48, 4, 64, 6, 128, 7, 256, 8, 512, 9, 1024, 10, 2048, 11, 4096, 12, 8192, 13, 16384, 14, 32768, 15, 65536, 16,
])
const MATCH_LENGTH_CODES = memory.data<u32>([
  3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0,
  19, 0, 20, 0, 21, 0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31, 0, 32, 0, 33, 0, 34, 0,
  35, 1, 37, 1, 39, 1, 41, 1, 43, 2, 47, 2, 51, 3, 59, 3, 67, 4, 83, 4, 99, 5, 131, 7, 259, 8, 515, 9, 1027, 10, 2051, 11, 4099, 12, 8195, 13, 16387, 14, 32771, 15, 65539, 16,
])
const OFFSET_CODES = memory.data<u32>([
  1, 0, 2, 1, 4, 2, 8, 3, 16, 4, 32, 5, 64, 6, 128, 7, 256, 8, 512, 9, 1024, 10, 2048, 11, 4096, 12, 8192, 13, 16384, 14, 32768, 15,
  65536, 16, 131072, 17, 262144, 18, 524288, 19, 1048576, 20, 2097152, 21, 4194304, 22, 8388608, 23, 16777216, 24, 33554432, 25, 67108864, 26, 134217728, 27,
  268435456, 28, 536870912, 29, 1073741824, 30, 2147483648, 31,
])
const PREDEFINED_LITERAL_LENGTH_VALUES = memory.data<i8>([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1])
const PREDEFINED_MATCH_LENGTH_VALUES = memory.data<i8>([
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
])
const PREDEFINED_OFFSET_VALUES = memory.data<i8>([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1])

// Accuracies of the tables in use; -1 says that there is none to repeat. The tables lie at fixed places, predefined ones are copied there:
// the loop over sequences has no register to spare for pointers.
let literalLengthBits: i32 = -1
let offsetBits: i32 = -1
let matchLengthBits: i32 = -1
// The three last offsets.
let recentA: u32 = 1
let recentB: u32 = 4
let recentC: u32 = 8
// The window: where the text of this frame starts on this lap, and what is kept of the lap before.
let lapStart: usize = 0
let earlierEnd: usize = 0
let earlierBytes: u32 = 0

/** Makes the predefined tables, once. */
export function initializeSequences(): void {
  usePredefined(PREDEFINED_LITERAL_LENGTH_VALUES, 36, 6)
  buildTable(PREDEFINED_LITERAL_LENGTHS, LITERAL_LENGTH_CODES)
  usePredefined(PREDEFINED_OFFSET_VALUES, 29, 5)
  buildTable(PREDEFINED_OFFSETS, OFFSET_CODES)
  usePredefined(PREDEFINED_MATCH_LENGTH_VALUES, 53, 6)
  buildTable(PREDEFINED_MATCH_LENGTHS, MATCH_LENGTH_CODES)
}

/** A new frame begins: nothing to repeat. */
export function forgetSequences(): void {
  literalLengthBits = -1
  offsetBits = -1
  matchLengthBits = -1
  recentA = 1
  recentB = 4
  recentC = 8
}

/** Says where text is: this lap's from `start`, the `bytes` of the lap before up to `end`. */
export function setHistory(start: usize, end: usize, bytes: u32): void {
  lapStart = start
  earlierEnd = end
  earlierBytes = bytes
}

/** Decodes the sequences and writes the block to `output`; gives its length in bytes, or -1. */
export function decodeSequences(at: usize, end: usize, output: usize, limit: usize): i32 {
  if (at >= end) return -1
  let count = <i32>load<u8>(at++)
  if (count > 127) {
    if (count < 255) count = ((count - 128) << 8) | load<u8>(at++)
    else {
      count = <i32>load<u16>(at) + 0x7f00
      at += 2
    }
  }
  if (count == 0) return at == end ? copyRest(output, 0, limit, output) : -1
  const modes = <i32>load<u8>(at++)
  if ((modes & 3) != 0) return -1
  const afterLiterals = readLiteralLengthTable(at, end, modes >> 6)
  if (afterLiterals == 0) return -1
  const afterOffsets = readOffsetTable(afterLiterals, end, (modes >> 4) & 3)
  if (afterOffsets == 0) return -1
  const stream = readMatchLengthTable(afterOffsets, end, (modes >> 2) & 3)
  if (stream == 0) return -1
  return execute(stream, streamBits(stream, <i32>(end - stream)), count, output, limit)
}

/** Reads or chooses a table by its mode (2 is a description, 1 a single symbol); gives where the next begins, or 0. */
function readTable(at: usize, end: usize, mode: i32, table: usize, codes: usize, accuracyMax: i32, symbolMax: i32): usize {
  if (mode == 1) {
    if (at >= end || <i32>load<u8>(at) > symbolMax) return 0
    buildRun(table, load<u8>(at), codes)
    return at + 1
  }
  const length = readProbabilities(at, end, accuracyMax, symbolMax)
  if (length < 0) return 0
  buildTable(table, codes)
  return at + length
}

function readLiteralLengthTable(at: usize, end: usize, mode: i32): usize {
  if (mode == 3) return literalLengthBits < 0 ? 0 : at
  if (mode == 0) {
    memory.copy(LITERAL_LENGTHS, PREDEFINED_LITERAL_LENGTHS, 64 * 8)
    literalLengthBits = 6
    return at
  }
  const next = readTable(at, end, mode, LITERAL_LENGTHS, LITERAL_LENGTH_CODES, 9, 35)
  literalLengthBits = next == 0 ? -1 : accuracy
  return next
}

function readOffsetTable(at: usize, end: usize, mode: i32): usize {
  if (mode == 3) return offsetBits < 0 ? 0 : at
  if (mode == 0) {
    memory.copy(OFFSETS, PREDEFINED_OFFSETS, 32 * 8)
    offsetBits = 5
    return at
  }
  const next = readTable(at, end, mode, OFFSETS, OFFSET_CODES, 8, 31)
  offsetBits = next == 0 ? -1 : accuracy
  return next
}

function readMatchLengthTable(at: usize, end: usize, mode: i32): usize {
  if (mode == 3) return matchLengthBits < 0 ? 0 : at
  if (mode == 0) {
    memory.copy(MATCH_LENGTHS, PREDEFINED_MATCH_LENGTHS, 64 * 8)
    matchLengthBits = 6
    return at
  }
  const next = readTable(at, end, mode, MATCH_LENGTHS, MATCH_LENGTH_CODES, 9, 52)
  matchLengthBits = next == 0 ? -1 : accuracy
  return next
}

// @ts-ignore: decorator
@inline
function extraBits(entry: u64): u32 { return <u32>(entry >> 32) & 255 }

// @ts-ignore: decorator
@inline
function stateBits(entry: u64): u32 { return <u32>(entry >> 40) & 255 }

function execute(stream: usize, bits: i32, count: i32, output: usize, limit: usize): i32 {
  let position = bits - literalLengthBits
  let entryL = load<u64>(<usize>lowBits(bitsAt(stream, position), literalLengthBits) << 3, LITERAL_LENGTHS)
  position -= offsetBits
  let entryO = load<u64>(<usize>lowBits(bitsAt(stream, position), offsetBits) << 3, OFFSETS)
  position -= matchLengthBits
  let entryM = load<u64>(<usize>lowBits(bitsAt(stream, position), matchLengthBits) << 3, MATCH_LENGTHS)
  let from = literals
  const literalEnd = literals + literalCount
  let to = output
  const lap = lapStart
  const earlier = earlierBytes
  for (let left = count - 1; ; left--) {
    // Offset and match length share one load, literal length and the three next states another: at most 47 and 42 bits.
    const offsetExtra = extraBits(entryO)
    const matchExtra = extraBits(entryM)
    position -= offsetExtra + matchExtra
    if (position < 0) return -1
    let word = bitsAt(stream, position)
    const matchLength = <u32>entryM + lowBits(word, matchExtra)
    let offset = <u32>entryO + lowBits(word >> <u64>matchExtra, offsetExtra)
    const literalExtra = extraBits(entryL)
    let literalLength = <u32>entryL
    if (left > 0) {
      const bitsL = stateBits(entryL)
      const bitsM = stateBits(entryM)
      const bitsO = stateBits(entryO)
      position -= literalExtra + bitsL + bitsM + bitsO
      if (position < 0) return -1
      word = bitsAt(stream, position)
      entryO = load<u64>(<usize>(<u32>(entryO >> 48) + lowBits(word, bitsO)) << 3, OFFSETS)
      word >>= <u64>bitsO
      entryM = load<u64>(<usize>(<u32>(entryM >> 48) + lowBits(word, bitsM)) << 3, MATCH_LENGTHS)
      word >>= <u64>bitsM
      entryL = load<u64>(<usize>(<u32>(entryL >> 48) + lowBits(word, bitsL)) << 3, LITERAL_LENGTHS)
      word >>= <u64>bitsL
      literalLength += lowBits(word, literalExtra)
    } else {
      position -= literalExtra
      if (position != 0) return -1
      literalLength += lowBits(bitsAt(stream, position), literalExtra)
    }
    offset = resolveOffset(offset, literalLength)
    if (offset == 0) return -1
    if (from + literalLength > literalEnd || to + literalLength + matchLength > limit) return -1
    copyOver(to, from, literalLength)
    to += literalLength
    from += literalLength
    if (!copyMatch(to, offset, matchLength, <u32>(to - lap), earlier)) return -1
    to += matchLength
    if (left == 0) break
  }
  return copyRest(output, <i32>(from - literals), limit, to)
}

/** The offset that an offset value of the format means, which becomes the most recent one; 0 is damage. */
// @ts-ignore: decorator
@inline
function resolveOffset(value: u32, literalLength: u32): u32 {
  if (value > 3) {
    recentC = recentB
    recentB = recentA
    return recentA = value - 3
  }
  const index = literalLength == 0 ? value + 1 : value
  if (index == 1) return recentA
  const recent = index == 2 ? recentB : index == 3 ? recentC : recentA - 1
  if (index > 2) recentC = recentB
  recentB = recentA
  return recentA = recent
}

/** Copies a match of this lap's `since` bytes of text, or of the `earlier` ones of the lap before; false when it starts before all of them. */
// @ts-ignore: decorator
@inline
function copyMatch(to: usize, offset: u32, length: u32, since: u32, earlier: u32): bool {
  if (offset > since) {
    if (offset - since > earlier) return false
    copyEarlier(to, offset - since, offset, length)
  } else if (offset < 16) copyPattern(to, offset, length)
  else {
    // Two steps without asking cost less than a wrong guess about matches between 16 and 32 bytes.
    const source = to - offset
    v128.store(to, v128.load(source))
    v128.store(to, v128.load(source, 16), 16)
    if (length <= 32) return true
    const stop = to + length
    for (let t = to + 32, f = source + 32; t < stop; t += 16, f += 16) v128.store(t, v128.load(f))
  }
  return true
}

/** Copies in steps of 16 bytes, beyond the end up to 15. */
// @ts-ignore: decorator
@inline
function copyOver(to: usize, from: usize, length: u32): void {
  v128.store(to, v128.load(from))
  if (length <= 16) return
  const end = to + length
  for (to += 16, from += 16; to < end; to += 16, from += 16) v128.store(to, v128.load(from))
}

/** A match that overlaps itself within 16 bytes. */
function copyPattern(to: usize, offset: u32, length: u32): void {
  const end = to + length
  // Doubling the distance, always a multiple of the offset, until steps of eight do not overlap.
  let distance = offset
  while (distance < 8) {
    const stop = min(end, to + distance)
    for (; to < stop; to++) store<u8>(to, load<u8>(to - distance))
    if (to >= end) return
    distance += distance
  }
  for (; to < end; to += 8) store<u64>(to, load<u64>(to - distance))
}

/** A match that starts `back` bytes before the end of the lap before. */
function copyEarlier(to: usize, back: u32, offset: u32, length: u32): void {
  const first = min(back, length)
  memory.copy(to, earlierEnd - back, first)
  for (let i: usize = first; i < length; i++) store<u8>(to + i, load<u8>(to + i - offset))
}

/** The literals after the last sequence; gives the length of the block. */
function copyRest(output: usize, used: i32, limit: usize, to: usize): i32 {
  const rest = literalCount - used
  if (to + rest > limit) return -1
  memory.copy(to, literals + used, rest)
  return <i32>(to + rest - output)
}
