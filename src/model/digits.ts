const MINUS = 45
const POINT = 46
const ZERO = 48
/** Integers of at most nine digits are written in machine integers. */
const SMALL_DIGITS = 9
const SMALL_END = 1_000_000_000
const TWO_32 = 4_294_967_296
/** The upper half of 2^53. */
const SAFE_HIGH = 0x200000
const POWERS: Float64Array = Float64Array.from({ length: 2 * SMALL_DIGITS + 1 }, (_, i) => Number(`1e${i}`))
const SMALL_POWERS: Int32Array = Int32Array.from(POWERS.subarray(0, SMALL_DIGITS + 1))
/** The digits of 0 to 99, two each. */
const PAIRS: Uint8Array = Uint8Array.from(
  { length: 200 }, (_, i) => ZERO + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10),
)

/** Most bytes that a number of this file has: a sign, 16 digits, a point, 18 digits. */
export const DIGITS_MAX = 36

// Digits are written at `at`, where there is room for them; what comes back is the place behind the last one. Loops
// keep that place in a local variable: a field that is stored with every byte costs as much as the byte.

/** Digits of an integer from 0 to 999,999,999, without a branch for each. */
function sizeOf(value: number): number {
  const size = ((32 - Math.clz32(value | 1)) * 1233) >> 12
  return value < (SMALL_POWERS[size] as number) ? size : size + 1
}

/** Writes an integer from 0 to 2^31 - 1 with zeros before it, in `width` digits. */
export function putPadded(bytes: Uint8Array, at: number, value: number, width: number): number {
  const end = at + width
  let rest = value | 0
  let place = end
  for (; place - at > 1; place -= 2) {
    const hundredth = (rest / 100) | 0
    const pair = (rest - hundredth * 100) << 1
    bytes[place - 1] = PAIRS[pair + 1] as number
    bytes[place - 2] = PAIRS[pair] as number
    rest = hundredth
  }
  if (place > at) bytes[at] = ZERO + rest
  return end
}

function putSmall(bytes: Uint8Array, at: number, value: number): number {
  return value < 10 ? putDigit(bytes, at, value) : putPadded(bytes, at, value, sizeOf(value))
}

/** Writes an integer from 0 to 9. */
export function putDigit(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = ZERO + value
  return at + 1
}

/** Writes a safe integer; -0 is 0. */
export function putInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 0 && value < SMALL_END) return putSmall(bytes, at, value | 0)
  if (value < 0) {
    bytes[at] = MINUS
    return putInteger(bytes, at + 1, -value)
  }
  const high = Math.floor(value / SMALL_END)
  return putPadded(bytes, putInteger(bytes, at, high), value - high * SMALL_END, SMALL_DIGITS)
}

/** Writes an unsigned 64-bit integer of two halves. */
export function putInteger64(bytes: Uint8Array, at: number, high: number, low: number): number {
  if (high < SAFE_HIGH) return putInteger(bytes, at, high * TWO_32 + low)
  // Schoolbook division by 10^9, sixteen bits at a time: every step stays below 2^53.
  const first = high >>> 16
  const second = (first % SMALL_END) * 65_536 + (high & 0xffff)
  const third = (second % SMALL_END) * 65_536 + (low >>> 16)
  const fourth = (third % SMALL_END) * 65_536 + (low & 0xffff)
  const upper = Math.floor(second / SMALL_END) * 65_536 + Math.floor(third / SMALL_END)
  const end = putInteger(bytes, at, upper * 65_536 + Math.floor(fourth / SMALL_END))
  return putPadded(bytes, end, fourth % SMALL_END, SMALL_DIGITS)
}

/** Writes integer * 10^-scale in its shortest plain form; -1, and nothing is written, where that needs a slower way. */
export function putScaled(bytes: Uint8Array, at: number, integer: number, scale: number): number {
  if (integer >= 0 && integer < SMALL_END && scale <= SMALL_DIGITS) return putSmallScaled(bytes, at, integer | 0, scale)
  if (!Number.isSafeInteger(integer) || scale >= POWERS.length) return -1
  if (integer < 0) {
    bytes[at] = MINUS
    return putScaled(bytes, at + 1, -integer, scale)
  }
  const power = POWERS[scale] as number
  const whole = Math.floor(integer / power)
  const end = putInteger(bytes, at, whole)
  let rest = integer - whole * power
  if (rest === 0) return end
  let places = scale
  for (; rest % 10 === 0; rest /= 10) places--
  bytes[end] = POINT
  if (places <= SMALL_DIGITS) return putPadded(bytes, end + 1, rest, places)
  const high = Math.floor(rest / SMALL_END)
  const middle = putPadded(bytes, end + 1, high, places - SMALL_DIGITS)
  return putPadded(bytes, middle, rest - high * SMALL_END, SMALL_DIGITS)
}

/** From the last digit to the first, with the point in its place: a division by the scale would cost more. */
function putSmallScaled(bytes: Uint8Array, at: number, integer: number, scale: number): number {
  let rest = integer
  let places = scale
  while (places > 0) {
    const tenth = (rest / 10) | 0
    if (tenth * 10 !== rest) break
    rest = tenth
    places--
  }
  if (places === 0) return putSmall(bytes, at, rest)
  const size = sizeOf(rest)
  const end = at + (size > places ? size : places + 1) + 1
  const point = end - places - 1
  let place = end
  for (; place - point > 2; place -= 2) {
    const hundredth = (rest / 100) | 0
    const pair = (rest - hundredth * 100) << 1
    bytes[place - 1] = PAIRS[pair + 1] as number
    bytes[place - 2] = PAIRS[pair] as number
    rest = hundredth
  }
  if (place - point > 1) {
    const tenth = (rest / 10) | 0
    bytes[--place] = ZERO + rest - tenth * 10
    rest = tenth
  }
  bytes[point] = POINT
  putPadded(bytes, at, rest, point - at)
  return end
}
