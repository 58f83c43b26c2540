import { scaledFromText } from '../model/decimal.js'
import { Price, Quantity, type FixedDecimal } from '../model/fixed-decimal.js'

/**
 * A decimal as a checkpoint holds it: with all digits of its scale, so that it comes back as the same integer at the
 * same scale.
 */
export function savedText({ integer, scale }: FixedDecimal): string {
  if (scale === 0) return String(integer)
  const digits = String(Math.abs(integer)).padStart(scale + 1, '0')
  return `${integer < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The price of a {@link savedText}; throws as `Price.from` does. */
export function savedPrice(text: string): Price {
  const scale = scaleOf(text)
  const integer = scaledFromText(text, scale)
  return integer === null ? Price.from(text) : new Price(integer, scale)
}

/** The quantity of a {@link savedText}; throws as `Quantity.from` does. */
export function savedQuantity(text: string): Quantity {
  const scale = scaleOf(text)
  const integer = scaledFromText(text, scale)
  return integer === null ? Quantity.from(text) : new Quantity(integer, scale)
}

function scaleOf(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}
