// Where everything lies in the memory of the zstd block decoder; src/tickfile/zstd-wasm-decoder.ts knows INPUT and STAGING.

export const HUFFMAN: usize = 0x10000
export const LITERAL_LENGTHS: usize = 0x12000
export const OFFSETS: usize = 0x13000
export const MATCH_LENGTHS: usize = 0x14000
export const PREDEFINED_LITERAL_LENGTHS: usize = 0x15000
export const PREDEFINED_OFFSETS: usize = 0x15400
export const PREDEFINED_MATCH_LENGTHS: usize = 0x15800
export const PROBABILITIES: usize = 0x16000
export const NEXT_STATES: usize = 0x16400
export const SYMBOLS: usize = 0x16800
export const WEIGHTS: usize = 0x17000
export const RANKS: usize = 0x17200
export const WEIGHT_TABLE: usize = 0x17400
export const HASH: usize = 0x18000
export const LITERALS: usize = 0x30000
// Bits are read backwards by their position; what is read before the start of a damaged stream lies in the unused 128 KiB before.
export const INPUT: usize = 0x70000
export const STAGING: usize = 0xa0000
export const MASKS: usize = 0x17600
export const WINDOW: usize = 0xd0000

export const BLOCK_BYTES_MAX: i32 = 131072
/** Copies go in steps of 16 bytes and may write this far beyond their end. */
export const OVERRUN: i32 = 64

/** The bits of a stream from `position` on, at least 57 of them. */
// @ts-ignore: decorator
@inline
export function bitsAt(base: usize, position: i32): u64 {
  return load<u64>(base + <usize>(position >> 3)) >> <u64>(position & 7)
}

// @ts-ignore: decorator
@inline
export function lowBits(word: u64, count: u32): u32 {
  // A table, because x86 shifts by a variable slowly.
  return <u32>word & load<u32>(MASKS + (<usize>count << 2))
}

/** Number of bits of a backward stream: its last byte ends with a 1 as marker. -1 when there is none. */
export function streamBits(base: usize, size: i32): i32 {
  if (size < 1) return -1
  const last = load<u8>(base + size - 1)
  return last == 0 ? -1 : (size - 1) * 8 + 31 - clz<i32>(last)
}
