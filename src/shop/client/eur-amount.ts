import { Decimal } from '../../model/decimal.js'
import { showAsText } from '../../model/display.js'

/** A decimal that prints as money does: two decimals, or more where it has more. Sums of it are plain decimals. */
class EurAmount extends Decimal {
  override toString(): string {
    return this.toFixed(Math.max(2, this.decimalPlaces()))
  }

  override valueOf(): string {
    return this.toString()
  }

  override toJSON(): string {
    return this.toString()
  }
}
showAsText(EurAmount.prototype, (amount) => amount.toString())

/** An amount of EUR of its text, exact: `1` prints as `1.00`. */
export function eurAmount(text: string): Decimal {
  return new EurAmount(text)
}

/** An amount of EUR of its whole cents, exact: 100 prints as `1.00`. */
export function eurOfCents(cents: number): Decimal {
  return new EurAmount(new Decimal(cents).dividedBy(100))
}
