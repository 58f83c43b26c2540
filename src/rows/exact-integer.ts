import { Amount } from '../model/amount.js'
import { Decimal, decimalFromScaled, QUOTIENT_DECIMALS, textFromScaled } from '../model/decimal.js'

/** An exact integer: a number wherever that is safe, else a bigint. Equal ones are `===`. */
export type ExactInteger = number | bigint

/** Powers of ten that are safe integers. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`))

/** The form of an integer as this module has it. */
export function exactInteger(value: bigint): ExactInteger {
  // The nearest number of what is not safe is not safe either.
  const nearest = Number(value)
  return Number.isSafeInteger(nearest) ? nearest : value
}

const WIDE_POWERS: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

/** 10^exponent. */
export function tenTo(exponent: number): bigint {
  return WIDE_POWERS[exponent] ?? 10n ** BigInt(exponent)
}

/** a + b. */
export function sumOf(a: ExactInteger, b: ExactInteger): ExactInteger {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return exactInteger(BigInt(a) + BigInt(b))
}

/** a - b. */
export function differenceOf(a: ExactInteger, b: ExactInteger): ExactInteger {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return exactInteger(BigInt(a) - BigInt(b))
}

/** a * b. */
export function productOf(a: ExactInteger, b: ExactInteger): ExactInteger {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product
  }
  return exactInteger(BigInt(a) * BigInt(b))
}

/** An integer at a scale that is finer by so many digits. */
export function widened(value: ExactInteger, digits: number): ExactInteger {
  if (digits === 0) return value
  const power = POWERS[digits]
  return productOf(value, power ?? tenTo(digits))
}

/** The greater of two integers at scales of their own where `direction` is 1, the smaller for -1: a or b. */
export function isBeyond(
  a: ExactInteger, scaleA: number, b: ExactInteger, scaleB: number, direction: 1 | -1,
): boolean {
  const scale = Math.max(scaleA, scaleB)
  const [one, other] = [widened(a, scale - scaleA), widened(b, scale - scaleB)]
  return direction > 0 ? one > other : one < other
}

/**
 * The share `amount * part / whole`, at the scale of the amount and rounded half-even to 18 decimals where that is
 * finer; null where the scale is coarser and does not hold the share.
 */
export function shareAt(
  amount: ExactInteger, part: ExactInteger, whole: ExactInteger, scale: number,
): ExactInteger | null {
  if (amount === 0) return 0
  if (
    scale <= QUOTIENT_DECIMALS && typeof amount === 'number' && typeof part === 'number' && typeof whole === 'number'
  ) {
    const product = amount * part
    if (Number.isSafeInteger(product) && product % whole === 0) return product / whole
  }
  const product = BigInt(amount) * BigInt(part)
  if (scale >= QUOTIENT_DECIMALS) return quotientAt(product, BigInt(whole), scale)
  return product % BigInt(whole) === 0n ? exactInteger(product / BigInt(whole)) : null
}

/** The quotient of two integers of one scale, half-even to 18 decimals and stated at a scale of 18 or more. */
export function quotientAt(dividend: bigint, divisor: bigint, scale: number): ExactInteger {
  const finer = tenTo(scale - QUOTIENT_DECIMALS)
  const unit = divisor * finer
  let whole = dividend / unit
  const rest = dividend % unit
  const twice = 2n * (rest < 0n ? -rest : rest)
  const size = unit < 0n ? -unit : unit
  if (twice > size || (twice === size && whole % 2n !== 0n)) whole += dividend < 0n === unit < 0n ? 1n : -1n
  return exactInteger(whole * finer)
}

/** The plain decimal text of `integer * 10^-scale`, in shortest form. */
export function textOfExact(integer: ExactInteger, scale: number): string {
  if (typeof integer === 'number') return textFromScaled(integer, scale)
  return decimalOfExact(integer, scale).toFixed()
}

/** The Decimal of `integer * 10^-scale`. */
function decimalOfExact(integer: ExactInteger, scale: number): Decimal {
  return typeof integer === 'number' ? decimalFromScaled(integer, scale) : new Decimal(`${integer}e-${scale}`)
}

/** The amount `integer * 10^-scale`. */
export function amountOfExact(integer: ExactInteger, scale: number): Amount {
  return Amount.scaled(integer, scale)
}

/** An amount as an integer at its scale. One is used again and again, so that none is made. */
export class ScaledAmount {
  integer: ExactInteger = 0
  scale = 0

  /** Takes an amount in. */
  read({ units, scale }: Amount): this {
    this.integer = exactInteger(units)
    this.scale = scale
    return this
  }

  /** The integer at a scale that is as fine or finer. */
  at(scale: number): ExactInteger {
    return widened(this.integer, scale - this.scale)
  }
}

/** Digits in a word of decimal.js. */
export const WORD_DIGITS = 7
/** One above the greatest word of decimal.js. */
export const WORD = 10_000_000

/** A finite Decimal by its parts, as decimal.js has them: sign, exponent and words. */
export type DecimalWords = Pick<Decimal, 's' | 'e' | 'd'>

/** Zeros at the end of a word that is not 0. */
function zerosOf(word: number): number {
  let zeros = 0
  for (let rest = word; rest % 10 === 0; rest /= 10) zeros++
  return zeros
}

/** A Decimal as an integer at the scale that it needs. One is used again and again, so that none is made. */
export class ScaledDecimal {
  integer: ExactInteger = 0
  scale = 0

  /** Takes a finite Decimal in. */
  read(value: DecimalWords): this {
    const { s: sign, e: exponent, d: words } = value
    const count = words.length
    // Words behind the point, below 0 for words of zeros before it.
    const fraction = count - 1 - Math.floor(exponent / WORD_DIGITS)
    const zeros = fraction > 0 ? zerosOf(words[count - 1] as number) : 0
    this.scale = fraction > 0 ? fraction * WORD_DIGITS - zeros : 0
    const power = POWERS[zeros] as number
    const whole = (words[0] as number) * (count > 1 ? WORD : 1) + (count > 1 ? words[1] as number : 0)
    if (count <= 2 && fraction >= 0) this.integer = whole === 0 ? 0 : sign * (whole / power)
    else this.integer = exactInteger(BigInt(sign) * integerOf(words, Math.max(0, -fraction)) / BigInt(power))
    return this
  }

  /** The integer at a scale that is as fine or finer. */
  at(scale: number): ExactInteger {
    return widened(this.integer, scale - this.scale)
  }
}

/** The words of a value as one integer, with words of zeros behind them. */
function integerOf(words: readonly number[], zeroCount: number): bigint {
  let whole = 0n
  for (const word of words) whole = whole * BigInt(WORD) + BigInt(word)
  return whole * tenTo(zeroCount * WORD_DIGITS)
}
