import { Decimal as DecimalConstructor } from 'decimal.js'

/**
 * The decimal of this package: an own clone of decimal.js with 40 significant digits, half-even, which prints plain
 * text up to 10^40. Use it at the edges (parameters, fees, ledger, reports); hot loops hold scaled integers.
 */
export const Decimal: typeof DecimalConstructor = DecimalConstructor.clone({
  precision: 40,
  rounding: DecimalConstructor.ROUND_HALF_EVEN,
  toExpNeg: -40,
  toExpPos: 40,
  defaults: true,
})
/** An exact decimal number of decimal.js. */
export type Decimal = DecimalConstructor

/** The greatest scale that a scaled integer may carry. */
export const SCALE_LIMIT = 30

const DECIMAL_TEXT = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/

/** Digits and exponent of a decimal text: value = (negative ? -1 : 1) * digits * 10^-scale, in shortest form. */
export interface DecimalDigits {
  readonly negative: boolean
  /** Without leading or trailing zeros; "0" for zero. */
  readonly digits: string
  /** May be negative: 12000 is digits "12", scale -3. 0 for zero. */
  readonly scale: number
}

/**
 * Takes a decimal text apart without rounding: plain (`0.00010`) or scientific (`1.0E-4`). Zero has no sign.
 * Returns null where the text is not a decimal.
 */
export function decimalDigits(text: string): DecimalDigits | null {
  const match = DECIMAL_TEXT.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const joined = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = joined.replace(/0+$/, '')
  if (digits === '') return { negative: false, digits: '0', scale: 0 }
  return { negative: sign === '-', digits, scale: fraction.length - Number(exponent) - (joined.length - digits.length) }
}

/** The scale that a decimal text needs in shortest form (never below 0), or null where it is not a decimal. */
export function decimalScale(text: string): number | null {
  const parts = decimalDigits(text)
  return parts === null ? null : Math.max(0, parts.scale)
}

/**
 * The integer `text * 10^scale`, or null where it is not an integer, exceeds 2^53 - 1 in magnitude, or `text` is no
 * decimal.
 *
 * @example
 * ```ts
 * import { scaledFromText } from 'backtape/columns'
 * if (scaledFromText('1.0715', 4) !== 10715) throw new Error('exact')
 * if (scaledFromText('1.07155', 4) !== null) throw new Error('never rounds')
 * ```
 */
export function scaledFromText(text: string, scale: number): number | null {
  const parts = decimalDigits(text)
  if (parts === null) return null
  if (parts.digits === '0') return 0
  const zeros = scale - parts.scale
  if (zeros < 0 || parts.digits.length + zeros > 16) return null
  const magnitude = Number(parts.digits + '0'.repeat(zeros))
  if (!Number.isSafeInteger(magnitude)) return null
  return parts.negative ? -magnitude : magnitude
}

/**
 * The plain decimal text of `integer * 10^-scale` in shortest form: no exponent, no trailing zeros, no sign on zero.
 *
 * @example
 * ```ts
 * import { textFromScaled } from 'backtape/columns'
 * if (textFromScaled(10720, 4) !== '1.072') throw new Error('shortest form')
 * ```
 */
export function textFromScaled(integer: number, scale: number): string {
  if (integer === 0) return '0'
  let rest = Math.abs(integer)
  let places = scale
  while (places > 0 && rest % 10 === 0) {
    rest /= 10
    places--
  }
  const sign = integer < 0 ? '-' : ''
  if (places === 0) return sign + String(rest)
  const digits = String(rest).padStart(places + 1, '0')
  const point = digits.length - places
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A decimal text in shortest plain form (`1.0E-4` becomes `0.0001`), or null where it is not a decimal. */
export function plainDecimal(text: string): string | null {
  const parts = decimalDigits(text)
  if (parts === null) return null
  const sign = parts.negative ? '-' : ''
  if (parts.scale <= 0) return sign + parts.digits + '0'.repeat(parts.digits === '0' ? 0 : -parts.scale)
  const digits = parts.digits.padStart(parts.scale + 1, '0')
  return `${sign}${digits.slice(0, -parts.scale)}.${digits.slice(-parts.scale)}`
}

/** The exact Decimal of a scaled integer. */
export function decimalFromScaled(integer: number, scale: number): Decimal {
  return new Decimal(textFromScaled(integer, scale))
}

/** Decimals that a quotient of the ledger is rounded to. */
export const QUOTIENT_DECIMALS = 18

/** A quotient, rounded to 40 digits and then to 18 decimals, half-even. */
export function quotientTo18(dividend: Decimal, divisor: Decimal): Decimal {
  return dividend.div(divisor).toDecimalPlaces(QUOTIENT_DECIMALS, Decimal.ROUND_HALF_EVEN)
}

/** An exact sum; the sums of money of a fill are mostly of zeros, which need no new number. */
export function plus(a: Decimal, b: Decimal): Decimal {
  if (b.isZero()) return a
  return a.isZero() ? b : a.plus(b)
}
