import type { Decimal } from 'decimal.js'

/** Digits of a word of decimal.js, and one above the greatest word. */
const WORD_DIGITS = 7
const BASE = 10_000_000
/** Results of so many words are exact in 40 digits, and more than money needs. */
const MOST_WORDS = 5

/** The words of a result in the making, the highest first: calculation is synchronous. */
const made = new Int32Array(MOST_WORDS + 1)

/** The limits of a constructor of decimal.js on the length of its values. */
interface DecimalKind {
  readonly precision: number
}

type Make = new (sign: number, exponent: number, words: number[]) => Decimal

/** The words that hold the 18 decimals of a quotient, and what lies below them in the last of these. */
const QUOTIENT_WORDS = 3
const BELOW_QUOTIENT = 1000
/** A quotient of so many digits has as many as decimal.js can tell from a tie. */
const QUOTIENT_LIMIT = BigInt(`1${'0'.repeat(36)}`)
const QUOTIENT_PRECISION = 40
const WORD_POWERS: readonly bigint[] = Array.from({ length: 2 * MOST_WORDS + 1 }, (_, words) =>
  BigInt(`1${'0'.repeat(words * WORD_DIGITS)}`),
)
const WORD_FACTORS: readonly number[] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
const TWO_WORDS = BigInt(BASE * BASE)

/** Exponent of the first word of a value, to the base of the words. */
function wordExponent(exponent: number): number {
  return Math.floor(exponent / WORD_DIGITS)
}

/** Digits of a word but one. */
function exponentInWord(word: number): number {
  if (word < 1000) return word < 10 ? 0 : word < 100 ? 1 : 2
  if (word < 100_000) return word < 10_000 ? 3 : 4
  return word < 1_000_000 ? 5 : 6
}

function copied(from: number, to: number): number[] {
  switch (to - from) {
    case 1:
      return [made[from] as number]
    case 2:
      return [made[from] as number, made[from + 1] as number]
    case 3:
      return [made[from] as number, made[from + 1] as number, made[from + 2] as number]
    case 4:
      return [made[from] as number, made[from + 1] as number, made[from + 2] as number, made[from + 3] as number]
    default:
      return [
        made[from] as number, made[from + 1] as number, made[from + 2] as number, made[from + 3] as number,
        made[from + 4] as number,
      ]
  }
}

/**
 * The value of the words that have been made, the first of which has the exponent `top`; null where that is too much
 * for this, or 0.
 */
function valueOf(make: Make, kind: DecimalKind, sign: number, top: number, count: number): Decimal | null {
  let from = 0
  let to = count
  while (from < to && made[from] === 0) from++
  while (to > from && made[to - 1] === 0) to--
  const length = to - from
  if (length === 0 || length > MOST_WORDS || length * WORD_DIGITS > kind.precision) return null
  return new make(sign, (top - from) * WORD_DIGITS + exponentInWord(made[from] as number), copied(from, to))
}

/** |a| + |b| with a sign; |a| - |b|, where |a| is the greater one, for a `signB` of -1. */
function sumOf(make: Make, kind: DecimalKind, sign: number, a: Decimal, b: Decimal, signB: 1 | -1): Decimal | null {
  const [wordsA, wordsB] = [a.d, b.d]
  const topA = wordExponent(a.e)
  const topB = wordExponent(b.e)
  // One more, for what is carried: nothing is where the result is smaller than the greater one.
  const carried = signB === 1 ? 1 : 0
  const top = (topA > topB ? topA : topB) + carried
  const endA = topA - wordsA.length
  const endB = topB - wordsB.length
  const count = top - (endA < endB ? endA : endB)
  if (count > MOST_WORDS + carried) return null
  let carry = 0
  for (let at = count - 1; at >= 0; at--) {
    const exponent = top - at
    let word = carry
    if (exponent <= topA && exponent > endA) word += wordsA[topA - exponent] as number
    if (exponent <= topB && exponent > endB) word += signB * (wordsB[topB - exponent] as number)
    carry = word >= BASE ? 1 : word < 0 ? -1 : 0
    made[at] = word - carry * BASE
  }
  return valueOf(make, kind, sign, top, count)
}

/** |a| * |b| with a sign. */
function productOf(make: Make, kind: DecimalKind, sign: number, a: Decimal, b: Decimal): Decimal | null {
  const [wordsA, wordsB] = [a.d, b.d]
  const { length: lengthA } = wordsA
  const { length: lengthB } = wordsB
  const count = lengthA + lengthB
  if (count > MOST_WORDS + 1) return null
  for (let at = 0; at < count; at++) made[at] = 0
  for (let atB = lengthB - 1; atB >= 0; atB--) {
    const factor = wordsB[atB] as number
    let carry = 0
    for (let atA = lengthA - 1; atA >= 0; atA--) {
      // Below 2^47: exact, and its quotient is never rounded up to the next integer.
      const whole = (made[atA + atB + 1] as number) + factor * (wordsA[atA] as number) + carry
      carry = Math.floor(whole / BASE)
      made[atA + atB + 1] = whole - carry * BASE
    }
    made[atB] = carry
  }
  return valueOf(make, kind, sign, wordExponent(a.e) + wordExponent(b.e) + 1, count)
}

/** The words of a value as one integer. */
function integerOf(words: readonly number[]): bigint {
  const { length } = words
  let whole = 0n
  let at = 0
  for (; at + 1 < length; at += 2) {
    const pair = BigInt((words[at] as number) * BASE + (words[at + 1] as number))
    whole = at === 0 ? pair : whole * TWO_WORDS + pair
  }
  return at === length ? whole : whole * BigInt(BASE) + BigInt(words[at] as number)
}

/**
 * a / b, rounded half-even to 18 decimals; null where decimal.js has to say it. It rounds to 40 digits first and then
 * to 18 decimals, which is the same as rounding once wherever what is cut off does not lie next to a tie.
 */
function quotientOf(make: Make, kind: DecimalKind, a: Decimal, b: Decimal): Decimal | null {
  if (kind.precision < QUOTIENT_PRECISION) return null
  const [wordsA, wordsB] = [a.d, b.d]
  const shift = QUOTIENT_WORDS + (wordExponent(a.e) - wordsA.length) - (wordExponent(b.e) - wordsB.length)
  if (shift < 0 || shift >= WORD_POWERS.length) return null
  const whole = (integerOf(wordsA) * (WORD_POWERS[shift] as bigint)) / integerOf(wordsB)
  if (whole >= QUOTIENT_LIMIT) return null
  let rest = whole
  for (let at = MOST_WORDS; at > 0; at -= 2) {
    const high = rest / TWO_WORDS
    const low = Number(rest - high * TWO_WORDS)
    const upper = Math.floor(low / BASE)
    made[at] = low - upper * BASE
    made[at - 1] = upper
    rest = high
  }
  const last = made[MOST_WORDS] as number
  const kept = Math.floor(last / BELOW_QUOTIENT)
  const below = last - kept * BELOW_QUOTIENT
  if (below === BELOW_QUOTIENT / 2 || below === BELOW_QUOTIENT / 2 - 1) return null
  made[MOST_WORDS] = (below > BELOW_QUOTIENT / 2 ? kept + 1 : kept) * BELOW_QUOTIENT
  for (let at = MOST_WORDS; at > 0 && made[at] === BASE; at--) {
    made[at] = 0
    made[at - 1] = (made[at - 1] as number) + 1
  }
  return valueOf(make, kind, a.s * b.s, MOST_WORDS - QUOTIENT_WORDS, MOST_WORDS + 1)
}

/** A value as a machine integer; null where it is none that is safe. */
function safeInteger({ s, e, d }: Decimal): number | null {
  const top = wordExponent(e)
  if (top > 2 || d.length > top + 1) return null
  let whole = 0
  for (let at = 0; at <= top; at++) whole = whole * BASE + (d[at] ?? 0)
  return Number.isSafeInteger(whole) ? s * whole : null
}

/** `integer * 10^-scale` of a safe integer other than 0. */
function scaledValue(make: Make, kind: DecimalKind, integer: number, scale: number): Decimal | null {
  const words = Math.ceil(scale / WORD_DIGITS)
  const factor = WORD_FACTORS[words * WORD_DIGITS - scale] as number
  let rest = Math.abs(integer)
  let carry = 0
  for (let at = 3; at >= 0; at--) {
    const upper = Math.floor(rest / BASE)
    const whole = (rest - upper * BASE) * factor + carry
    carry = Math.floor(whole / BASE)
    made[at] = whole - carry * BASE
    rest = upper
  }
  return valueOf(make, kind, integer < 0 ? -1 : 1, 3 - words, 4)
}

/** -1, 0 or 1 as |a| is below, equal to or above |b|; neither is 0. */
function comparison(a: Decimal, b: Decimal): number {
  if (a.e !== b.e) return a.e > b.e ? 1 : -1
  const [wordsA, wordsB] = [a.d, b.d]
  const [lengthA, lengthB] = [wordsA.length, wordsB.length]
  const length = lengthA < lengthB ? lengthA : lengthB
  for (let at = 0; at < length; at++) {
    const difference = (wordsA[at] as number) - (wordsB[at] as number)
    if (difference !== 0) return difference > 0 ? 1 : -1
  }
  return lengthA === lengthB ? 0 : lengthA > lengthB ? 1 : -1
}

type Value = Decimal.Value

/** Ways to make values of a constructor without the text between; null where they have to be made by the library. */
export interface QuickDecimals {
  /** `integer * 10^-scale` of a safe integer, the scale a whole number from 0. */
  scaled(integer: number, scale: number): Decimal | null
  /** The quotient, rounded half-even to 18 decimals. */
  quotient(dividend: Decimal, divisor: Decimal): Decimal | null
  /** The safe integer that a value is; null where it is none. */
  integer(value: Decimal): number | null
}

/** Makes values of a constructor from their parts, without its parsing. */
function makerOf(Constructor: typeof Decimal, prototype: Decimal): Make {
  function Made(
    this: { constructor: unknown; s: number; e: number; d: number[] }, sign: number, exponent: number, words: number[],
  ): void {
    this.constructor = Constructor
    this.s = sign
    this.e = exponent
    this.d = words
  }
  Made.prototype = prototype
  return Made as unknown as Make
}

/**
 * Gives a constructor of decimal.js own ways to add, subtract, multiply and compare values of a few words, which money
 * nearly always has: the library copies every operand, and rounds what needs no rounding. Results are exact and the
 * same to the last field; whatever is not finite, not a value of this constructor or too long is the library's to work
 * out, as before.
 */
export function hasten(Constructor: typeof Decimal): QuickDecimals {
  const library = Constructor.prototype
  const fast = Object.create(library) as Decimal
  const make = makerOf(Constructor, fast)
  const isOwn = (value: Value): value is Decimal =>
    typeof value === 'object' && (value as Decimal | null)?.constructor === Constructor
  /** The first word of a finite value, NaN of others. */
  const firstWord = ({ d }: Decimal): number => ((d as readonly number[] | null)?.[0] ?? NaN)
  /** True where a value is a number other than 0, and no longer than what this works out. */
  const isPlain = (value: Decimal): boolean =>
    firstWord(value) > 0 && value.d.length <= MOST_WORDS && value.d.length * WORD_DIGITS <= Constructor.precision

  const zero = new make(1, 0, [0])

  /** a + b, where b counts with the sign that is given; null where the library has to say it. */
  const added = (a: Decimal, b: Decimal, signB: number): Decimal | null => {
    if (!isPlain(a)) {
      if (firstWord(a) !== 0) return null
      if (isPlain(b)) return withSign(b, signB)
      return firstWord(b) === 0 && a.s === 1 && signB === 1 ? a : null
    }
    if (!isPlain(b)) return firstWord(b) === 0 ? a : null
    if (a.s === signB) return sumOf(make, Constructor, signB, a, b, 1)
    const order = comparison(a, b)
    if (order === 0) return Constructor.rounding === Constructor.ROUND_FLOOR ? null : zero
    return order > 0 ? sumOf(make, Constructor, a.s, a, b, -1) : sumOf(make, Constructor, signB, b, a, -1)
  }
  const withSign = (value: Decimal, sign: number): Decimal =>
    value.s === sign ? value : new make(sign, value.e, value.d)

  fast.plus = fast.add = function plus(this: Decimal, value: Value): Decimal {
    return (isOwn(value) ? added(this, value, value.s) : null) ?? library.plus.call(this, value)
  }
  fast.minus = fast.sub = function minus(this: Decimal, value: Value): Decimal {
    return (isOwn(value) ? added(this, value, -value.s) : null) ?? library.minus.call(this, value)
  }
  fast.times = fast.mul = function times(this: Decimal, value: Value): Decimal {
    if (isPlain(this)) {
      if (value === 1) return this
      if (value === -1) return withSign(this, -this.s)
      if (isOwn(value) && isPlain(value))
        return productOf(make, Constructor, this.s * value.s, this, value) ?? library.times.call(this, value)
    }
    return library.times.call(this, value)
  }
  fast.comparedTo = fast.cmp = function comparedTo(this: Decimal, value: Value): number {
    if (!isPlain(this)) return library.comparedTo.call(this, value)
    if (value === 0) return this.s
    if (!isOwn(value)) return library.comparedTo.call(this, value)
    if (isPlain(value))
      return this.s !== value.s ? this.s : this.s > 0 ? comparison(this, value) : comparison(value, this)
    return firstWord(value) === 0 ? this.s : library.comparedTo.call(this, value)
  }
  fast.negated = fast.neg = function negated(this: Decimal): Decimal {
    return isPlain(this) ? withSign(this, -this.s) : library.negated.call(this)
  }
  fast.absoluteValue = fast.abs = function absoluteValue(this: Decimal): Decimal {
    return isPlain(this) ? withSign(this, 1) : library.absoluteValue.call(this)
  }
  ;(Constructor as { prototype: Decimal }).prototype = fast
  return {
    scaled: (integer, scale) =>
      integer === 0 || !Number.isSafeInteger(integer) ? null : scaledValue(make, Constructor, integer, scale),
    quotient: (dividend, divisor) =>
      isPlain(dividend) && isPlain(divisor) ? quotientOf(make, Constructor, dividend, divisor) : null,
    integer: (value) => (isPlain(value) ? safeInteger(value) : null),
  }
}
