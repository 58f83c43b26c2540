import { Decimal, decimalDigits } from './decimal.js'
import { shortInteger, shortScale } from './short-decimal.js'

/** Powers of ten that are safe integers. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * An exact sum of scaled integers and of their products: additions of machine integers as long as they are safe, which
 * is nearly always, and arbitrary precision where they are not.
 */
export class ExactSum {
  #scale = 0
  #low = 0
  #high = 0n

  /** A sum that begins at a plain decimal text. */
  static from(text: string): ExactSum {
    const sum = new ExactSum()
    const [whole = '0', fraction = ''] = text.split('.')
    sum.#scale = fraction.length
    sum.#high = BigInt(whole + fraction)
    return sum
  }

  /** Adds `integer * 10^-scale`; a number is a safe integer. */
  add(integer: number | bigint, scale: number): void {
    this.addProduct(integer, 1, scale)
  }

  /** Adds `a * b * 10^-scale`; numbers are safe integers. */
  addProduct(a: number | bigint, b: number | bigint, scale: number): void {
    if (scale > this.#scale) this.#widen(scale)
    if (typeof a === 'bigint' || typeof b === 'bigint') {
      this.#high += BigInt(a) * BigInt(b) * tenTo(this.#scale - scale)
      return
    }
    const product = a * b
    const widened = product * (POWERS[this.#scale - scale] ?? NaN)
    const sum = this.#low + widened
    if (Number.isSafeInteger(product) && Number.isSafeInteger(widened) && Number.isSafeInteger(sum)) {
      this.#low = sum
      return
    }
    this.#high += BigInt(this.#low) + BigInt(a) * BigInt(b) * tenTo(this.#scale - scale)
    this.#low = 0
  }

  /** Adds a decimal text. */
  addText(text: string): void {
    this.addTextProduct(text, '1')
  }

  /** Adds the product of two decimal texts. */
  addTextProduct(a: string, b: string): void {
    const [scaleA, scaleB] = [shortScale(a), shortScale(b)]
    if (scaleA !== null && scaleB !== null)
      return this.addProduct(shortInteger(a), shortInteger(b), scaleA + scaleB)
    const [longA, longB] = [partsOf(a), partsOf(b)]
    const scale = longA.scale + longB.scale
    if (scale > this.#scale) this.#widen(scale)
    this.#high += longA.integer * longB.integer * tenTo(this.#scale - scale)
  }

  /** The sum as a Decimal, exact where it has at most as many digits as Decimals have here. */
  toDecimal(): Decimal {
    return new Decimal(`${this.#high + BigInt(this.#low)}e-${this.#scale}`)
  }

  /** The sum as a plain decimal text. */
  toFixed(): string {
    return this.toDecimal().toFixed()
  }

  #widen(scale: number): void {
    this.#high = (this.#high + BigInt(this.#low)) * tenTo(scale - this.#scale)
    this.#low = 0
    this.#scale = scale
  }
}

/** A decimal text as an integer at a scale of 0 or more. */
function partsOf(text: string): { readonly integer: bigint; readonly scale: number } {
  const parts = decimalDigits(text)
  if (parts === null) throw new RangeError(`${text} is no decimal`)
  const magnitude = BigInt(parts.digits) * tenTo(Math.max(0, -parts.scale))
  return { integer: parts.negative ? -magnitude : magnitude, scale: Math.max(0, parts.scale) }
}

function tenTo(exponent: number): bigint {
  return BigInt(`1${'0'.repeat(exponent)}`)
}
