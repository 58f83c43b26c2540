import { Decimal } from './decimal.js'
import { BacktapeError } from './error.js'

/** Digits in a word of decimal.js. */
const WORD_DIGITS = 7
/** Two factors of five words together need 35 digits at most. */
const EXACT_WORDS = 5
/** Sums whose words span no more than this are exact, a carry included. */
const EXACT_SPAN = 37
/** Has room for every product and sum of two values that are exact themselves. */
export const Wide: typeof Decimal = Decimal.clone({ precision: 10 * Decimal.precision })

/**
 * Sums and products must be exact: 39 digits hold what a run can post; what does not fit is an error, never a rounding.
 */
export function exact(value: Decimal, what: string): Decimal {
  if (value.precision() < Decimal.precision) return value
  throw new BacktapeError('VALUE_INEXACT', `Cannot post ${what}: it needs more than ${Decimal.precision - 1} digits`, {
    field: what, found: value.toString().slice(0, 80),
  })
}

/**
 * A product, exact. One that had to be rounded may end in zeros and look shorter, so what needs many digits is looked
 * at with room for all of them.
 */
export function exactProduct(a: Decimal, b: Decimal, what: string): Decimal {
  if (a.d.length + b.d.length > EXACT_WORDS) exact(new Wide(a).times(b), what)
  return a.times(b)
}

/**
 * A sum, exact in the same sense: what reaches far below the point added to what reaches far above it is looked at with
 * room for both.
 */
export function exactSum(a: Decimal, b: Decimal, what: string): Decimal {
  if (b.isZero()) return a
  if (a.isZero()) return b
  const highest = Math.max(a.e, b.e)
  const lowest = Math.min(a.e - WORD_DIGITS * a.d.length, b.e - WORD_DIGITS * b.d.length)
  if (highest - lowest > EXACT_SPAN) exact(new Wide(a).plus(b), what)
  return a.plus(b)
}
