const ZERO = 48
/** Most digits of a 64-bit number, and of one that is surely below 2^53. */
const DIGITS_MAX = 20
const SAFE_DIGITS = 15
const TWO_32 = 4_294_967_296

/**
 * True where `bytes[from .. to)` is a 64-bit unsigned number without sign and leading zeros: `halves` are then its
 * upper and its lower 32 bits.
 */
export function numberFromDigits(bytes: Uint8Array, from: number, to: number, halves: Uint32Array): boolean {
  const length = to - from
  if (length === 0 || length > DIGITS_MAX || (length > 1 && bytes[from] === ZERO)) return false
  let low = 0
  let high = 0
  if (length <= SAFE_DIGITS) {
    for (let i = from; i < to; i++) {
      const digit = (bytes[i] ?? 0) - ZERO
      if (digit < 0 || digit > 9) return false
      low = low * 10 + digit
    }
    high = Math.floor(low / TWO_32)
    low -= high * TWO_32
  } else {
    for (let i = from; i < to; i++) {
      const digit = (bytes[i] ?? 0) - ZERO
      if (digit < 0 || digit > 9) return false
      // Below 2^53 in both steps: the halves are below 2^32 and the carry is below 10.
      const lower = low * 10 + digit
      const carry = Math.floor(lower / TWO_32)
      low = lower - carry * TWO_32
      high = high * 10 + carry
    }
    if (high >= TWO_32) return false
  }
  halves[0] = high
  halves[1] = low
  return true
}
