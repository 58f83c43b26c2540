const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57]
/** Characters of a decimal, its sign apart, whose integer is safe. */
const EXACT_DIGITS = 15

/**
 * The digits behind the point of a decimal text that has few enough and is in the shortest form, which its integer and
 * scale alone say; null for every other text.
 */
export function shortScale(text: string): number | null {
  const { length } = text
  const from = text.charCodeAt(0) === MINUS ? 1 : 0
  if (length - from > EXACT_DIGITS || length === from) return null
  let point = -1
  for (let i = from; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === POINT && point < 0) point = i
    else if (code < ZERO || code > NINE) return null
  }
  const whole = (point < 0 ? length : point) - from
  if (whole === 0 || (whole > 1 && text.charCodeAt(from) === ZERO) || text === '-0') return null
  if (point < 0) return 0
  const last = text.charCodeAt(length - 1)
  return last === ZERO || last === POINT ? null : length - 1 - point
}

/** The integer of a decimal text at its {@link shortScale}, which is not null. */
export function shortInteger(text: string): number {
  let integer = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit >= 0) integer = integer * 10 + digit
  }
  return text.charCodeAt(0) === MINUS ? -integer : integer
}
