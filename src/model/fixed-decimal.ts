import { brand } from './brand.js'
import { showAsText } from './display.js'
import { Decimal, decimalDigits, decimalFromScaled, scaledFromText, textFromScaled } from './decimal.js'
import { BacktapeError } from './error.js'
import { foundText } from './fault.js'
import { bigScaled, decimalsOf, wideDouble } from './wide-numbers.js'

/**
 * An exact decimal: `integer * 10^-scale`, the integer at most 2^53 - 1 in magnitude. Immutable; compared by value.
 * A number of a file that has more digits is one too: then `integer` is only the double next to the value times
 * 10^`scale`, no safe integer, and everything else is exact as ever.
 *
 * @example
 * ```ts
 * import { Price, Quantity, type FixedDecimal } from 'backtape'
 * const text = (value: FixedDecimal): string => value.toString()
 * if (text(Price.from('0.10')) !== '0.1' || text(Quantity.from('5')) !== '5') throw new Error('shortest form')
 * ```
 */
export abstract class FixedDecimal {
  // Declared only: a defined field costs far more than an assigned one on Node 20, and these are made by the million.
  /** The value times 10^`scale`: a safe integer, or next to it where the value has more digits. */
  declare readonly integer: number
  /** Number of decimal places of `integer`. */
  declare readonly scale: number
  /** The plain text of a value of a file whose digits no safe integer holds; absent where `integer` has them. */
  declare readonly digits?: string

  constructor(integer: number, scale: number) {
    this.integer = integer
    this.scale = scale
  }

  /** Plain decimal text in shortest form: no exponent, no trailing zeros. */
  toString(): string {
    return this.digits ?? textFromScaled(this.integer, this.scale)
  }

  /** The plain text, so that JSON never holds a binary float. */
  toJSON(): string {
    return this.toString()
  }

  /** The same value as a decimal of any size. */
  toDecimal(): Decimal {
    return this.digits === undefined ? decimalFromScaled(this.integer, this.scale) : new Decimal(this.digits)
  }

  /** The nearest double: for plots and statistics, never for money. */
  toNumber(): number {
    return Number(this.toString())
  }

  /** -1, 0 or 1 as this value is below, equal to or above the other; scales may differ. */
  compare(other: FixedDecimal): number {
    // Of two values at one scale, one of which a safe integer holds, the doubles have the order.
    if (this.scale === other.scale && (this.digits === undefined || other.digits === undefined))
      return Math.sign(this.integer - other.integer)
    return this.toDecimal().comparedTo(other.toDecimal())
  }

  /** True for the same value; scales may differ. */
  equals(other: FixedDecimal): boolean {
    return this.compare(other) === 0
  }

  /** -1, 0 or 1 as this value is below, equal to or above 0. */
  get sign(): number {
    return Math.sign(this.integer)
  }

  /**
   * The exact sum with another value of the same kind; scales may differ. Throws OPTION_INVALID for another kind, as a
   * quantity beside a price, and VALUE_INEXACT where the sum has too many digits.
   */
  plus(other: this): this {
    return this.#sum(other, 1)
  }

  /** The exact difference: this value less another one of the same kind. Throws as `plus` does. */
  minus(other: this): this {
    return this.#sum(other, -1)
  }

  /**
   * The exact product with a whole number. Throws OPTION_INVALID where `count` is not whole, VALUE_INEXACT as `plus`
   * does.
   */
  times(count: number): this {
    if (!Number.isSafeInteger(count)) {
      const place = { field: 'count', expected: 'a whole number', found: foundText(count) }
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot multiply ${this.toString()} by ${place.found}: it must be a whole number`, place,
      )
    }
    const product = this.integer * count
    if (Number.isSafeInteger(product) && Number.isSafeInteger(this.integer))
      return this.#made(product + 0, this.scale)
    return this.#shortest(this.units() * BigInt(count), this.scale, `${this.toString()} times ${count}`)
  }

  /** The same value with the other sign. */
  negated(): this {
    const { digits } = this
    if (digits === undefined) return this.#made(0 - this.integer, this.scale)
    return withDigits(this.#made(-this.integer, this.scale), digits.startsWith('-') ? digits.slice(1) : `-${digits}`)
  }

  /** The value without its sign. */
  abs(): this {
    return this.integer < 0 ? this.negated() : this
  }

  /** The value times 10^`scale`, exactly. */
  protected units(): bigint {
    return this.digits === undefined ? BigInt(this.integer) : (bigScaled(this.digits, this.scale) as bigint)
  }

  #sum(other: this, sign: 1 | -1): this {
    const kind = this instanceof Price ? Price : Quantity
    if (!((other as unknown) instanceof kind)) {
      const verb = sign === 1 ? 'add' : 'subtract'
      const place = { expected: this instanceof Price ? 'a price' : 'a quantity', found: foundKind(other) }
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot ${verb} ${place.found}: beside ${this.toString()} it must be ${place.expected}`,
        place,
      )
    }
    const sum = this.integer + sign * other.integer
    const isExact = Number.isSafeInteger(this.integer) && Number.isSafeInteger(other.integer)
    if (this.scale === other.scale && isExact && Number.isSafeInteger(sum)) return this.#made(sum, this.scale)
    const scale = Math.max(this.scale, other.scale)
    const at = (value: this): bigint => value.units() * 10n ** BigInt(scale - value.scale)
    const what = `${this.toString()} ${sign === 1 ? 'plus' : 'minus'} ${other.toString()}`
    return this.#shortest(at(this) + BigInt(sign) * at(other), scale, what)
  }

  #shortest(integer: bigint, scale: number, what: string): this {
    let [rest, places] = [integer, scale]
    while (places > 0 && rest % 10n === 0n) [rest, places] = [rest / 10n, places - 1]
    const value = Number(rest)
    if (Number.isSafeInteger(value)) return this.#made(value, places)
    const expected = 'at most 2^53 - 1 without its point'
    throw new BacktapeError('VALUE_INEXACT', `Cannot hold ${what} exactly: it must be ${expected}`, { expected })
  }

  #made(integer: number, scale: number): this {
    return new (this.constructor as new (integer: number, scale: number) => this)(integer, scale)
  }
}

function withDigits<T extends FixedDecimal>(value: T, digits: string): T {
  return Object.defineProperty(value, 'digits', { value: digits, enumerable: true })
}

/** A price of any number of digits: plain text in shortest form, as files have it. */
export function widePrice(text: string): Price {
  const scale = decimalsOf(text)
  return withDigits(new Price(wideDouble(text, scale), scale), text)
}

/** The same of a quantity. */
export function wideQuantity(text: string): Quantity {
  const scale = decimalsOf(text)
  return withDigits(new Quantity(wideDouble(text, scale), scale), text)
}

function foundKind(value: unknown): string {
  if (value instanceof Price) return `the price ${value.toString()}`
  return value instanceof Quantity ? `the quantity ${value.toString()}` : foundText(value)
}

function partsOf(text: string, noun: string): [integer: number, scale: number] {
  if (typeof (text as unknown) !== 'string') {
    const [expected, found] = ['a text', text === null ? 'null' : typeof text]
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot take a ${noun}: it must be ${expected} with a decimal, as in '1.5', found ${found}`,
      { field: noun, expected, found },
    )
  }
  const parts = decimalDigits(text)
  const scale = parts === null ? 0 : Math.max(0, parts.scale)
  const integer = parts === null ? null : scaledFromText(text, scale)
  if (integer !== null) return [integer, scale]
  const expected = parts === null ? 'a decimal' : 'at most 2^53 - 1 without its point'
  throw new BacktapeError(
    parts === null ? 'OPTION_INVALID' : 'VALUE_INEXACT',
    `Cannot take a ${noun} from ${JSON.stringify(text)}: it must be ${expected}`,
    {
      field: noun,
      expected,
      found: text.slice(0, 80),
    },
  )
}

/**
 * An exact price in the quote unit of its instrument.
 *
 * @example
 * ```ts
 * import { Price } from 'backtape'
 * if (Price.from('1.50').toString() !== '1.5') throw new Error('shortest form')
 * if (Price.from('1.5').plus(Price.from('0.1').times(3)).toString() !== '1.8') throw new Error('exact')
 * ```
 */
export class Price extends FixedDecimal {
  /** Throws OPTION_INVALID where the text is no decimal, VALUE_INEXACT where it has too many digits. */
  static from(text: string): Price {
    return new Price(...partsOf(text, 'price'))
  }
}

/**
 * An exact quantity in the instrument's own unit (base or contracts).
 *
 * @example
 * ```ts
 * import { Quantity } from 'backtape'
 * if (!Quantity.from('0.010').equals(Quantity.from('0.01'))) throw new Error('equal in value')
 * ```
 */
export class Quantity extends FixedDecimal {
  /** The quantity 0. */
  static readonly ZERO: Quantity = new Quantity(0, 0)

  /** Throws OPTION_INVALID where the text is no decimal, VALUE_INEXACT where it has too many digits. */
  static from(text: string): Quantity {
    return new Quantity(...partsOf(text, 'quantity'))
  }
}

brand(FixedDecimal, 'FixedDecimal')
showAsText(FixedDecimal.prototype, (value) => value.toString())
brand(Price, 'Price')
brand(Quantity, 'Quantity')
