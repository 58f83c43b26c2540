// FSE and Huffman tables (RFC 8878, sections 4.1 and 4.2).
import { bitsAt, HUFFMAN, lowBits, NEXT_STATES, PROBABILITIES, RANKS, streamBits, SYMBOLS, WEIGHT_TABLE, WEIGHTS } from './zstd-memory'

export const HUFFMAN_BITS_MAX: i32 = 11

/** Accuracy of the table description that was read last. */
export let accuracy: i32 = 0
let symbolCount: i32 = 0
/** Bits of the longest Huffman code; 0 while there is no table. */
export let huffmanBits: i32 = 0

export function forgetHuffman(): void {
  huffmanBits = 0
}

/** Reads a table description into PROBABILITIES; gives its length in bytes, or -1. */
export function readProbabilities(at: usize, end: usize, accuracyMax: i32, symbolMax: i32): i32 {
  if (at >= end) return -1
  accuracy = <i32>(load<u8>(at) & 15) + 5
  if (accuracy > accuracyMax) return -1
  let position = 4
  let left = 1 << accuracy
  let symbol = 0
  while (left > 0) {
    if (symbol > symbolMax) return -1
    const bits = 31 - clz<i32>(left + 1)
    const word = bitsAt(at, position)
    const low = <i32>lowBits(word, bits)
    const small = (1 << (bits + 1)) - 2 - left
    let value = low
    if (low < small) position += bits
    else {
      position += bits + 1
      value = <i32>lowBits(word, bits + 1)
      if (value >= 1 << bits) value -= small
    }
    const probability = value - 1
    store<i16>(PROBABILITIES + (<usize>symbol << 1), <i16>probability)
    symbol++
    left -= probability < 0 ? 1 : probability
    if (probability != 0) continue
    for (let repeat: u32 = 3; repeat == 3;) {
      repeat = lowBits(bitsAt(at, position), 2)
      position += 2
      for (let i: u32 = 0; i < repeat; i++) {
        if (symbol > symbolMax) return -1
        store<i16>(PROBABILITIES + (<usize>symbol << 1), 0)
        symbol++
      }
    }
  }
  symbolCount = symbol
  const length = (position + 7) >> 3
  return left < 0 || at + length > end ? -1 : length
}

/** Takes a predefined distribution as if it had been read. */
export function usePredefined(values: usize, count: i32, bits: i32): void {
  for (let i = 0; i < count; i++) store<i16>(PROBABILITIES + (<usize>i << 1), <i16>load<i8>(values + i))
  symbolCount = count
  accuracy = bits
}

/** Spreads the symbols of PROBABILITIES over SYMBOLS and sets NEXT_STATES. */
function spread(): void {
  const size = 1 << accuracy
  let high = size - 1
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    const probability = <i32>load<i16>(PROBABILITIES + (<usize>symbol << 1))
    if (probability < 0) store<u8>(SYMBOLS + high--, <u8>symbol)
    store<u16>(NEXT_STATES + (<usize>symbol << 1), <u16>(probability < 0 ? 1 : probability))
  }
  const step = (size >> 1) + (size >> 3) + 3
  let position = 0
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    const probability = <i32>load<i16>(PROBABILITIES + (<usize>symbol << 1))
    for (let i = 0; i < probability; i++) {
      store<u8>(SYMBOLS + position, <u8>symbol)
      do position = (position + step) & (size - 1)
      while (position > high)
    }
  }
}

/**
 * Builds a decoding table of the probabilities that were read. An entry of eight bytes: baseline (32 bits), extra bits (8), bits of the next
 * state (8), its base (16). `codes` lists (baseline, extra bits) of each symbol as words, or is 0 where a symbol stands for itself.
 */
export function buildTable(table: usize, codes: usize): void {
  spread()
  const size = 1 << accuracy
  for (let state = 0; state < size; state++) {
    const symbol = <usize>load<u8>(SYMBOLS + state)
    const next = <i32>load<u16>(NEXT_STATES + (symbol << 1))
    store<u16>(NEXT_STATES + (symbol << 1), <u16>(next + 1))
    const bits = accuracy - (31 - clz<i32>(next))
    const base = (next << bits) - size
    setEntry(table, state, symbol, codes, bits, base)
  }
}

/** A table of one symbol that takes no bits. */
export function buildRun(table: usize, symbol: usize, codes: usize): void {
  accuracy = 0
  setEntry(table, 0, symbol, codes, 0, 0)
}

function setEntry(table: usize, state: i32, symbol: usize, codes: usize, bits: i32, base: i32): void {
  const baseline = codes == 0 ? <u64>symbol : <u64>load<u32>(codes + (symbol << 3))
  const extra = codes == 0 ? 0 : <u64>load<u32>(codes + (symbol << 3) + 4)
  store<u64>(table + (<usize>state << 3), baseline | (extra << 32) | (<u64>bits << 40) | (<u64>base << 48))
}

/** Reads a Huffman tree description and builds HUFFMAN; gives its length in bytes, or -1. */
export function readHuffman(at: usize, end: usize): i32 {
  huffmanBits = 0
  if (at >= end) return -1
  const head = <i32>load<u8>(at)
  let count = head - 127
  let length = 1 + ((count + 1) >> 1)
  if (head < 128) {
    length = 1 + head
    if (at + length > end) return -1
    count = readPackedWeights(at + 1, head)
    if (count < 0) return -1
  } else {
    if (at + length > end) return -1
    for (let i = 0; i < count; i++) {
      const pair = load<u8>(at + 1 + (i >> 1))
      store<u8>(WEIGHTS + i, (i & 1) == 0 ? pair >> 4 : pair & 15)
    }
  }
  return buildHuffman(count) ? length : -1
}

/** Weights packed with FSE by two states in turn, until the bits are used up; gives their number, or -1. */
function readPackedWeights(at: usize, size: i32): i32 {
  const head = readProbabilities(at, at + size, 6, 255)
  if (head < 0) return -1
  buildTable(WEIGHT_TABLE, 0)
  const stream = at + head
  let position = streamBits(stream, size - head)
  if (position < 0) return -1
  let stateA: u32 = 0
  let stateB: u32 = 0
  let bitsA: u32 = accuracy
  let bitsB: u32 = accuracy
  for (let count = 0; count < 256;) {
    position -= bitsA
    if (position < 0) return count
    stateA += lowBits(bitsAt(stream, position), bitsA)
    const a = load<u64>(WEIGHT_TABLE + (<usize>stateA << 3))
    store<u8>(WEIGHTS + count++, <u8>a)
    position -= bitsB
    if (position < 0) return count
    stateB += lowBits(bitsAt(stream, position), bitsB)
    const b = load<u64>(WEIGHT_TABLE + (<usize>stateB << 3))
    store<u8>(WEIGHTS + count++, <u8>b)
    bitsA = <u32>(a >> 40) & 255
    stateA = <u32>(a >> 48)
    bitsB = <u32>(b >> 40) & 255
    stateB = <u32>(b >> 48)
  }
  return -1
}

/** Builds HUFFMAN of `count` weights and the one that follows from them: 2^bits entries, symbol and length of its code. */
function buildHuffman(count: i32): bool {
  if (count > 255) return false
  let sum: u32 = 0
  for (let i = 0; i < count; i++) {
    const weight = load<u8>(WEIGHTS + i)
    if (weight > 11) return false
    sum += weight == 0 ? 0 : 1 << (weight - 1)
  }
  if (sum == 0) return false
  const bits = 32 - clz<i32>(sum)
  const rest = (1 << bits) - sum
  if (bits > HUFFMAN_BITS_MAX || (rest & (rest - 1)) != 0) return false
  store<u8>(WEIGHTS + count, <u8>(32 - clz<i32>(rest)))
  memory.fill(RANKS, 0, 64)
  for (let i = 0; i <= count; i++) {
    const rank = RANKS + (<usize>load<u8>(WEIGHTS + i) << 2)
    store<u32>(rank, load<u32>(rank) + 1)
  }
  const ones = load<u32>(RANKS + 4)
  if (ones < 2 || (ones & 1) != 0) return false
  let place: u32 = 0
  for (let weight = 1; weight <= bits; weight++) {
    const rank = RANKS + (<usize>weight << 2)
    const held = load<u32>(rank)
    store<u32>(rank, place)
    place += held << (weight - 1)
  }
  for (let i = 0; i <= count; i++) {
    const weight = <i32>load<u8>(WEIGHTS + i)
    if (weight == 0) continue
    const rank = RANKS + (<usize>weight << 2)
    const from = load<u32>(rank)
    const to = from + (1 << (weight - 1))
    const entry = <u16>(i | ((bits + 1 - weight) << 8))
    for (let k = from; k < to; k++) store<u16>(HUFFMAN + (<usize>k << 1), entry)
    store<u32>(rank, to)
  }
  huffmanBits = bits
  return true
}
