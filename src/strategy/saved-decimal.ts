import { plainDecimal, scaledFromText } from '../model/decimal.js'
import { Price, Quantity, widePrice, wideQuantity, type FixedDecimal } from '../model/fixed-decimal.js'

/**
 * A decimal as a checkpoint holds it: with all digits of its scale, so that it comes back as the same integer at the
 * same scale.
 */
export function savedText({ integer, scale, digits: wide }: FixedDecimal): string {
  if (wide !== undefined) return wide
  if (scale === 0) return String(integer)
  const digits = String(Math.abs(integer)).padStart(scale + 1, '0')
  return `${integer < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The same of a value that may be missing. */
export function savedOrNull(value: FixedDecimal | null): string | null {
  return value === null ? null : savedText(value)
}

/** The price of a {@link savedText}; throws as `Price.from` does. */
export function savedPrice(text: string): Price {
  return restored(Price, widePrice, text)
}

/** The same; null where there is none. */
export function priceOrNull(text: string | null): Price | null {
  return text === null ? null : savedPrice(text)
}

/** The quantity of a {@link savedText}; throws as `Quantity.from` does. */
export function savedQuantity(text: string): Quantity {
  return restored(Quantity, wideQuantity, text)
}

/** The same; null where there is none. */
export function quantityOrNull(text: string | null): Quantity | null {
  return text === null ? null : savedQuantity(text)
}

interface Kind<T> {
  new (integer: number, scale: number): T
  from(text: string): T
}

function restored<T>(Of: Kind<T>, wide: (text: string) => T, text: string): T {
  const point = text.indexOf('.')
  const scale = point < 0 ? 0 : text.length - point - 1
  const integer = scaledFromText(text, scale)
  if (integer !== null) return new Of(integer, scale)
  return plainDecimal(text) === text ? wide(text) : Of.from(text)
}
