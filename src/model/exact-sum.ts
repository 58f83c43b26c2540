import { Decimal } from './decimal.js'

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

  /** Adds `integer * 10^-scale`. */
  add(integer: number, scale: number): void {
    this.addProduct(integer, 1, scale)
  }

  /** Adds `a * b * 10^-scale`; both are safe integers. */
  addProduct(a: number, b: number, scale: number): void {
    if (scale > this.#scale) this.#widen(scale)
    const product = a * b
    const sum = this.#low + product
    if (scale === this.#scale && Number.isSafeInteger(product) && Number.isSafeInteger(sum)) {
      this.#low = sum
      return
    }
    this.#high += BigInt(this.#low) + BigInt(a) * BigInt(b) * tenTo(this.#scale - scale)
    this.#low = 0
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

function tenTo(exponent: number): bigint {
  return BigInt(`1${'0'.repeat(exponent)}`)
}
