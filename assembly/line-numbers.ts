// Numbers in text, sixteen bytes at a time and without a branch for each digit.

// Tables of this file lie between these addresses and 20480, in the first 64 K of the memory.
const SHUFFLES: usize = 4096
const POWERS: usize = 16384

const FAIL: i64 = -1
/** A decimal comes back as its value with its length in the top byte. */
export const LENGTH_SHIFT: i64 = 56
export const VALUE_MASK: i64 = (<i64>1 << 56) - 1

/** Builds the tables: where each digit of a text with its point at `dot` goes when digits are right-aligned in 16 bytes; powers of ten. */
export function initializeNumbers(): void {
  for (let length: u32 = 0; length <= 16; length++) {
    for (let dot: u32 = 0; dot <= 16; dot++) {
      const entry: usize = SHUFFLES + <usize>((length * 17 + dot) << 4)
      let lane: i32 = 15
      for (let source: i32 = <i32>length - 1; source >= 0; source--) {
        if (<u32>source == dot) continue
        store<u8>(entry + <usize>lane, <u8>source)
        lane--
      }
      for (; lane >= 0; lane--) store<u8>(entry + <usize>lane, 0x80)
    }
  }
  let power: i64 = 1
  for (let i: usize = 0; i < 19; i++) {
    store<i64>(POWERS + (i << 3), power)
    power *= 10
  }
}

// @ts-ignore: decorator
@inline
function sixteenDigits(digits: v128): i64 {
  const pairs = i16x8.add(i16x8.mul(v128.and(digits, i16x8.splat(0x00ff)), i16x8.splat(10)), i16x8.shr_u(digits, 8))
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1))
  const narrow = i16x8.narrow_i32x4_s(fours, fours)
  const eights = i32x4.dot_i16x8_s(narrow, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1))
  return <i64>i32x4.extract_lane(eights, 0) * 100000000 + <i64>i32x4.extract_lane(eights, 1)
}

// The decimal from p to its closing quote (at most 15 bytes) as integer of the scale, its length in the top byte; FAIL where it is anything else.
// @ts-ignore: decorator
@inline
export function decimal(p: usize, scale: u32): i64 {
  const v = v128.load(p)
  const digits = i8x16.sub(v, i8x16.splat(0x30))
  const quotes: u32 = i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x22)))
  const length: u32 = ctz(quotes | 0x10000)
  const inside: u32 = (1 << length) - 1
  const dots: u32 = i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x2e))) & inside
  const digitMask: u32 = i8x16.bitmask(i8x16.lt_u(digits, i8x16.splat(10)))
  const dot: u32 = ctz(dots | 0x10000)
  const fraction: u32 = dots ? length - dot - 1 : 0
  const shift: u32 = scale - fraction
  // One branch for everything unusual: not a digit, two points, a point at an end, too long, empty, finer than the scale, too large.
  const unusual: u32 = (inside & ~(digitMask | dots)) | (dots & (dots - 1)) | (dots & (1 | (1 << (length - 1)))) | (length & 16)
  if (unusual | u32(length == 0) | u32(shift + length > 15) | u32(shift > 15)) return FAIL
  const aligned = i8x16.swizzle(digits, v128.load(SHUFFLES + <usize>((length * 17 + dot) << 4)))
  return (sixteenDigits(aligned) * load<i64>(POWERS + (<usize>shift << 3))) | (<i64>length << LENGTH_SHIFT)
}

/** Length of the last id, 0 where it is unusual. */
export let idLength: usize = 0

// The id from p to its closing quote, its length in idLength (0: unusual). Canonical digits only, 19 at most.
// @ts-ignore: decorator
@inline
export function id(p: usize): i64 {
  const v = v128.load(p)
  const digits = i8x16.sub(v, i8x16.splat(0x30))
  const quotes: u32 = i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x22)))
  const length: u32 = ctz(quotes | 0x10000)
  const inside: u32 = (1 << length) - 1
  const digitMask: u32 = i8x16.bitmask(i8x16.lt_u(digits, i8x16.splat(10)))
  idLength = 0
  if ((inside & ~digitMask) | u32(length == 0) | (u32(load<u8>(p) == 0x30) & u32(length != 1))) return 0
  let value = sixteenDigits(i8x16.swizzle(digits, v128.load(SHUFFLES + <usize>((length * 17 + 16) << 4))))
  let at: usize = p + <usize>length
  if (length == 16) {
    const stop: usize = p + 19
    while (at < stop) {
      const digit: u32 = <u32>load<u8>(at) - 0x30
      if (digit > 9) break
      value = value * 10 + <i64>digit
      at++
    }
    if (load<u8>(at) != 0x22) return 0
  }
  idLength = at - p
  return value
}

// The 19 digits at p as nanoseconds, or FAIL.
// @ts-ignore: decorator
@inline
export function timestamp(p: usize): i64 {
  const digits = i8x16.sub(v128.load(p), i8x16.splat(0x30))
  const a: u32 = <u32>load<u8>(p + 16) - 0x30
  const b: u32 = <u32>load<u8>(p + 17) - 0x30
  const c: u32 = <u32>load<u8>(p + 18) - 0x30
  const mask: u32 = i8x16.bitmask(i8x16.lt_u(digits, i8x16.splat(10)))
  if (u32(mask != 0xffff) | u32(a > 9) | u32(b > 9) | u32(c > 9) | u32(load<u8>(p) == 0x30)) return FAIL
  return sixteenDigits(digits) * 1000 + <i64>(a * 100 + b * 10 + c)
}
