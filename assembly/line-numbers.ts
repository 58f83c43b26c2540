// Numbers in text, sixteen bytes at a time and without a branch for each digit.
// Vector constants are handed in: the engine builds a constant anew at each use, which costs more than the
// arithmetic, but keeps a local in a register.

// Tables, in the first 64 K of the memory: powers of ten; vectors; per (length, dot) of a text 32 bytes: where each
// digit goes when digits
// are right-aligned, how many follow the point, how many more zeros fit below 10^15.
const POWERS: usize = 4096
const VECTORS: usize = 4352
const SHAPES: usize = 8192
const NO_SHAPE: u32 = 0x80000000

const FAIL: i64 = -1
/** A decimal comes back as its value with its length in the top byte. */
export const LENGTH_SHIFT: i64 = 56
export const VALUE_MASK: i64 = (<i64>1 << 56) - 1

/** Addresses of the vector constants. */
export const V_ZERO: usize = VECTORS
export const V_QUOTE: usize = VECTORS + 16
export const V_DOT: usize = VECTORS + 32
export const V_NINE: usize = VECTORS + 48
export const V_PAIRS: usize = VECTORS + 64
export const V_FOURS: usize = VECTORS + 80
export const V_EIGHTS: usize = VECTORS + 96

// @ts-ignore: decorator
@inline
function shapeOf(length: u32, dot: u32): usize {
  return SHAPES + <usize>(((length << 5) | dot) << 5)
}

function buildShape(length: u32, dot: u32): void {
  const shape = shapeOf(length, dot)
  const hasDot = dot < length
  let lane: i32 = 15
  for (let source: i32 = <i32>length - 1; source >= 0; source--) {
    if (<u32>source == dot) continue
    store<u8>(shape + <usize>lane, <u8>source)
    lane--
  }
  for (; lane >= 0; lane--) store<u8>(shape + <usize>lane, 0x80)
  const isNumber = length > 0 && length < 16 && (!hasDot || (dot > 0 && dot + 1 < length))
  store<u32>(shape + 16, isNumber ? (hasDot ? length - dot - 1 : 0) : NO_SHAPE)
  store<u32>(shape + 20, isNumber ? 15 - (length - u32(hasDot)) : 0)
}

/** Builds the tables. */
export function initializeNumbers(): void {
  for (let length: u32 = 0; length <= 16; length++) for (let dot: u32 = 0; dot <= 16; dot++) buildShape(length, dot)
  let power: i64 = 1
  for (let i: usize = 0; i < 19; i++) {
    store<i64>(POWERS + (i << 3), power)
    power *= 10
  }
  v128.store(V_ZERO, i8x16.splat(0x30))
  v128.store(V_QUOTE, i8x16.splat(0x22))
  v128.store(V_DOT, i8x16.splat(0x2e))
  v128.store(V_NINE, i8x16.splat(9))
  v128.store(V_PAIRS, i16x8.splat(2561))
  v128.store(V_FOURS, i16x8(100, 1, 100, 1, 100, 1, 100, 1))
  v128.store(V_EIGHTS, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1))
}

// Sixteen digits, one a byte: 10 a + b of two bytes is the upper byte of (a + 256 b) * (1 + 2560).
// @ts-ignore: decorator
@inline
function sixteenDigits(digits: v128, pairs: v128, fours: v128, eights: v128): i64 {
  const twos = i16x8.shr_u(i16x8.mul(digits, pairs), 8)
  const quads = i32x4.dot_i16x8_s(twos, fours)
  const both = i64x2.extract_lane(i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(quads, quads), eights), 0)
  return (both & 0xffffffff) * 100000000 + (both >> 32)
}

// The decimal from p to its closing quote (at most 15 bytes) as integer of the scale, its length in the top byte,
// or FAIL where it is anything else.
// @ts-ignore: decorator
@inline
export function decimal(
  p: usize, scale: u32, zero: v128, quote: v128, point: v128, nine: v128, pairs: v128, fours: v128, eights: v128,
): i64 {
  const v = v128.load(p)
  const digits = i8x16.sub(v, zero)
  const length: u32 = ctz(<u32>i8x16.bitmask(i8x16.eq(v, quote)) | 0x10000)
  const inside: u32 = (1 << length) - 1
  const dot: u32 = ctz((<u32>i8x16.bitmask(i8x16.eq(v, point)) & inside) | 0x10000)
  const digitMask: u32 = i8x16.bitmask(i8x16.eq(i8x16.min_u(digits, nine), digits))
  const shape = shapeOf(length, dot)
  const shift: u32 = scale - load<u32>(shape, 16)
  if (((digitMask | (1 << dot)) & inside) != inside || shift > load<u32>(shape, 20)) return FAIL
  const value = sixteenDigits(i8x16.swizzle(digits, v128.load(shape)), pairs, fours, eights)
  return (value * load<i64>(POWERS + (<usize>shift << 3))) | (<i64>length << LENGTH_SHIFT)
}

/** Length of the last id, 0 where it is unusual. */
export let idLength: usize = 0

// The id from p to its closing quote, its length in idLength. Canonical digits only, 19 at most.
// @ts-ignore: decorator
@inline
export function id(p: usize, zero: v128, quote: v128, nine: v128, pairs: v128, fours: v128, eights: v128): i64 {
  const v = v128.load(p)
  const digits = i8x16.sub(v, zero)
  const length: u32 = ctz(<u32>i8x16.bitmask(i8x16.eq(v, quote)) | 0x10000)
  const inside: u32 = (1 << length) - 1
  const digitMask: u32 = i8x16.bitmask(i8x16.eq(i8x16.min_u(digits, nine), digits))
  idLength = 0
  if ((inside & ~digitMask) | u32(length == 0) | (u32(load<u8>(p) == 0x30) & u32(length != 1))) return 0
  let value = sixteenDigits(i8x16.swizzle(digits, v128.load(shapeOf(length, 16))), pairs, fours, eights)
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
export function timestamp(p: usize, zero: v128, nine: v128, pairs: v128, fours: v128, eights: v128): i64 {
  const digits = i8x16.sub(v128.load(p), zero)
  const a: u32 = <u32>load<u8>(p, 16) - 0x30
  const b: u32 = <u32>load<u8>(p, 17) - 0x30
  const c: u32 = <u32>load<u8>(p, 18) - 0x30
  const mask: u32 = i8x16.bitmask(i8x16.eq(i8x16.min_u(digits, nine), digits))
  if (u32(mask != 0xffff) | u32(a > 9) | u32(b > 9) | u32(c > 9) | u32(load<u8>(p) == 0x30)) return FAIL
  return sixteenDigits(digits, pairs, fours, eights) * 1000 + <i64>(a * 100 + b * 10 + c)
}
