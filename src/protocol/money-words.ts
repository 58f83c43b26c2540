import type { Amount } from '../model/amount.js'

const ZERO = 48
const MINUS = 45
const POINT = 46
/** Digits behind the point that are read together. */
const GROUP_DIGITS = 9
const GROUP = 1_000_000_000
/** Digits before the point that are surely below 2^53. */
const WHOLE_DIGITS = 15
const TWO_15 = 32_768
const TWO_17 = 131_072
const TWO_32 = 4_294_967_296
/** Where the ninth digits behind the eighteenth stand in a fine decimal. */
const FINE_AT = 16

/** Decimals of a decimal in 16 bytes. */
const DECIMALS = 18
/** Groups of nine digits behind the point, the first ones first. */
const groups = new Float64Array(3)

/** Reads the digits behind the point from a place on into {@link groups}; false where a character is none. */
function readGroups(text: string, from: number, count: number): boolean {
  const { length } = text
  let at = from
  for (let group = 0; group < count; group++) {
    let value = 0
    for (let place = 0; place < GROUP_DIGITS; place++, at++) {
      const digit = at < length ? text.charCodeAt(at) - ZERO : 0
      if (digit < 0 || digit > 9) return false
      value = value * 10 + digit
    }
    groups[group] = value
  }
  return true
}

/** Turns the groups into what is missing to one, for values below 0; true where there is something. */
function complement(count: number): boolean {
  let borrow = 0
  for (let group = count - 1; group >= 0; group--) {
    const value = (groups[group] as number) + borrow
    borrow = value === 0 ? 0 : 1
    groups[group] = value === 0 ? 0 : GROUP - value
  }
  return borrow === 1
}

/** Writes a whole number in 64 bits. */
function putInteger(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true)
  view.setInt32(at + 4, Math.floor(value / TWO_32), true)
}

/**
 * Writes a decimal text of money: the whole number below it in 64 bits, then what it is above that, in units of 10^-18
 * in 64 bits; with `isFine` nine digits more in 32 bits. False where the record cannot hold it, or its text would come
 * back as another one: it has more decimals, more than 15 digits before the point, or is not in its shortest form.
 */
export function writeMoney(text: string, view: DataView, at: number, isFine: boolean): boolean {
  const isNegative = text.charCodeAt(0) === MINUS
  const from = isNegative ? 1 : 0
  const { length } = text
  let whole = 0
  let i = from
  for (; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === POINT) break
    const digit = code - ZERO
    if (digit < 0 || digit > 9) return false
    whole = whole * 10 + digit
  }
  const digits = i - from
  if (digits === 0 || digits > WHOLE_DIGITS || (digits > 1 && text.charCodeAt(from) === ZERO)) return false
  const count = isFine ? 3 : 2
  if (i === length) {
    if (isNegative && whole === 0) return false
    putInteger(view, at, isNegative ? -whole : whole)
    view.setUint32(at + 8, 0, true)
    view.setUint32(at + 12, 0, true)
    if (isFine) view.setUint32(at + FINE_AT, 0, true)
    return true
  }
  const places = length - i - 1
  if (places === 0 || places > count * GROUP_DIGITS || text.charCodeAt(length - 1) === ZERO) return false
  if (!readGroups(text, i + 1, count)) return false
  if (isNegative) whole = complement(count) ? -whole - 1 : -whole
  putInteger(view, at, whole)
  putGroups(view, at + 8, groups[0] as number, groups[1] as number)
  if (isFine) view.setUint32(at + FINE_AT, groups[2] as number, true)
  return true
}

/** Writes two groups of digits as one number in 64 bits: the first times 10^9, in steps that stay below 2^53. */
function putGroups(view: DataView, at: number, first: number, second: number): void {
  const upper = Math.floor(first / TWO_15)
  const middle = upper * GROUP
  const high = Math.floor(middle / TWO_17)
  const low = (first - upper * TWO_15) * GROUP + second + (middle - high * TWO_17) * TWO_15
  const carry = Math.floor(low / TWO_32)
  view.setUint32(at, low - carry * TWO_32, true)
  view.setUint32(at + 4, high + carry, true)
}

/** Powers of ten up to the decimals of a fine value. */
const POWERS: readonly bigint[] = Array.from(
  { length: DECIMALS + GROUP_DIGITS + 1 }, (_, digits) => 10n ** BigInt(digits),
)
const BIG_GROUP = BigInt(GROUP)
const WHOLE_LIMIT = 10n ** BigInt(WHOLE_DIGITS)
const WHOLE_END = Number(WHOLE_LIMIT)

/** Writes an amount as {@link writeMoney} writes its text. */
export function writeAmount(amount: Amount, view: DataView, at: number, isFine: boolean): boolean {
  const decimals = isFine ? DECIMALS + GROUP_DIGITS : DECIMALS
  // Digits beyond the decimals are seldom: their text says whether they are zeros.
  if (amount.scale > decimals) return writeMoney(amount.toFixed(), view, at, isFine)
  const nearest = Number(amount.units)
  if (amount.scale <= GROUP_DIGITS && Number.isSafeInteger(nearest))
    return writeSafe(nearest, amount.scale, view, at, isFine)
  const unit = POWERS[amount.scale] as bigint
  let whole = amount.units / unit
  let rest = amount.units - whole * unit
  if (whole >= WHOLE_LIMIT || whole <= -WHOLE_LIMIT) return false
  if (rest < 0n) {
    whole -= 1n
    rest += unit
  }
  let fraction = rest * (POWERS[decimals - amount.scale] as bigint)
  view.setBigInt64(at, whole, true)
  if (isFine) {
    const upper = fraction / BIG_GROUP
    view.setUint32(at + FINE_AT, Number(fraction - upper * BIG_GROUP), true)
    fraction = upper
  }
  view.setBigUint64(at + 8, fraction, true)
  return true
}

/** Powers of ten up to a group of digits. */
const GROUP_POWERS: readonly number[] = Array.from({ length: GROUP_DIGITS + 1 }, (_, digits) => Number(`1e${digits}`))

/** The same of an integer that is safe, at a scale of one group of digits at most: most amounts are. */
function writeSafe(integer: number, scale: number, view: DataView, at: number, isFine: boolean): boolean {
  const unit = GROUP_POWERS[scale] as number
  // A remainder is exact; what is left of the integer is a multiple of the unit, and so is its quotient.
  const rest = integer % unit
  let whole = (integer - rest) / unit
  let group = rest * (GROUP_POWERS[GROUP_DIGITS - scale] as number)
  if (whole >= WHOLE_END || whole <= -WHOLE_END) return false
  if (group < 0) {
    whole -= 1
    group += GROUP
  }
  putInteger(view, at, whole)
  putGroups(view, at + 8, group, 0)
  if (isFine) view.setUint32(at + FINE_AT, 0, true)
  return true
}

/** The text of a decimal that {@link writeMoney} wrote. */
export function moneyText(view: DataView, at: number, isFine: boolean): string {
  const fraction = view.getBigUint64(at + 8, true)
  let digits = String(fraction).padStart(DECIMALS, '0')
  if (isFine) digits += String(view.getUint32(at + FINE_AT, true)).padStart(GROUP_DIGITS, '0')
  let whole = view.getInt32(at + 4, true) * TWO_32 + view.getUint32(at, true)
  let sign = ''
  if (whole < 0) {
    const length = digits.length
    const rest = 10n ** BigInt(length) - BigInt(digits)
    digits = String(rest).padStart(length, '0').slice(-length)
    whole = /^0*$/.test(digits) ? -whole : -whole - 1
    sign = '-'
  }
  const places = digits.replace(/0+$/, '')
  return `${sign}${whole}${places === '' ? '' : `.${places}`}`
}
