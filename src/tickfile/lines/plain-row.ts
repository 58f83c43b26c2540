import { SCALE_LIMIT } from '../../model/decimal.js'
import type { BatchFiller } from './batch-filler.js'

const QUOTE = 34
const COMMA = 44
const POINT = 46
const ZERO = 48
const OPEN = 91
const CLOSE = 93
/** Numbers of so many digits are exact while they are read. */
const DIGITS_EXACT = 15
const POWERS: readonly number[] = Array.from({ length: SCALE_LIMIT + 1 }, (_, i) => Number(`1e${String(i)}`))

/** Reads rows of a book as every writer has them; a {@link LineCursor} reads the same, and everything else. */
export class PlainRow {
  #value = 0

  /**
   * Adds the row `[side,"price","quantity",orderCount]` at `at`; the place behind it. -1, and nothing is added, where
   * it has white space, more digits than fit the scales, or a fault.
   */
  read(
    bytes: Uint8Array, start: number, end: number, filler: BatchFiller, priceScale: number, quantityScale: number,
  ): number {
    const side = (bytes[start + 1] as number) - ZERO
    if (bytes[start] !== OPEN || (side !== 0 && side !== 1) || bytes[start + 2] !== COMMA) return -1
    let at = this.#decimal(bytes, start + 3, priceScale)
    const price = this.#value
    if (at < 0 || bytes[at] !== COMMA) return -1
    at = this.#decimal(bytes, at + 1, quantityScale)
    const quantity = this.#value
    if (at < 0 || bytes[at] !== COMMA) return -1
    at = countEnd(bytes, at + 1)
    if (at < 0 || at >= end || bytes[at] !== CLOSE) return -1
    filler.addRow(side, price, quantity)
    return at + 1
  }

  /** A decimal in quotes as integer of the scale; the place behind it, or -1. */
  #decimal(bytes: Uint8Array, start: number, scale: number): number {
    if (bytes[start] !== QUOTE) return -1
    const from = start + 1
    let at = from
    let value = 0
    let digit = (bytes[at] as number) - ZERO
    for (; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - ZERO) value = value * 10 + digit
    let digits = at - from
    let shift = scale
    if (bytes[at] === POINT && digits > 0) {
      const point = at++
      digit = (bytes[at] as number) - ZERO
      for (; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - ZERO) value = value * 10 + digit
      const decimals = at - point - 1
      if (decimals === 0) return -1
      digits += decimals
      shift -= decimals
    }
    if (digits === 0 || digits > DIGITS_EXACT || shift < 0 || bytes[at] !== QUOTE) return -1
    if (shift > 0) value *= POWERS[shift] as number
    if (value > Number.MAX_SAFE_INTEGER) return -1
    this.#value = value
    return at + 1
  }
}

/** Behind an integer without a sign; -1 where none stands there. */
function countEnd(bytes: Uint8Array, start: number): number {
  let at = start
  let digit = (bytes[at] as number) - ZERO
  for (; digit >= 0 && digit <= 9; digit = (bytes[++at] as number) - ZERO);
  const length = at - start
  return length === 0 || length > DIGITS_EXACT || (length > 1 && bytes[start] === ZERO) ? -1 : at
}

/** The number that some digits are; -1 where they are none, or begin with a zero for nothing. */
export function shortNumber(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = (bytes[i] as number) - ZERO
    if (!(digit >= 0 && digit <= 9)) return -1
    value = value * 10 + digit
  }
  return to === from || (to - from > 1 && bytes[from] === ZERO) ? -1 : value
}
