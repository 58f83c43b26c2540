import { brand } from './brand.js'
import { Decimal, decimalDigits, decimalFromScaled, scaledFromText, textFromScaled } from './decimal.js'
import { BacktapeError } from './error.js'

/**
 * An exact decimal: `integer * 10^-scale`, the integer at most 2^53 - 1 in magnitude. Immutable; compared by value.
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
  /** The value times 10^`scale`, at most 2^53 - 1 in magnitude. */
  declare readonly integer: number
  /** Number of decimal places of `integer`. */
  declare readonly scale: number

  constructor(integer: number, scale: number) {
    this.integer = integer
    this.scale = scale
  }

  /** Plain decimal text in shortest form: no exponent, no trailing zeros. */
  toString(): string {
    return textFromScaled(this.integer, this.scale)
  }

  /** The plain text, so that JSON never holds a binary float. */
  toJSON(): string {
    return this.toString()
  }

  /** The same value as a decimal of any size. */
  toDecimal(): Decimal {
    return decimalFromScaled(this.integer, this.scale)
  }

  /** The nearest double: for plots and statistics, never for money. */
  toNumber(): number {
    return Number(this.toString())
  }

  /** -1, 0 or 1 as this value is below, equal to or above the other; scales may differ. */
  compare(other: FixedDecimal): number {
    if (this.scale === other.scale) return Math.sign(this.integer - other.integer)
    return this.toDecimal().comparedTo(other.toDecimal())
  }

  /** True for the same value; scales may differ. */
  equals(other: FixedDecimal): boolean {
    return this.compare(other) === 0
  }
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
brand(Price, 'Price')
brand(Quantity, 'Quantity')
