const ZERO = 48
const MINUS = 45
const POINT = 46
/** Digits that are read together. */
const GROUP_DIGITS = 9
const GROUP = 1_000_000_000
/** Digits before the point that are surely below 2^53. */
const WHOLE_DIGITS = 15
const WORDS = 8
const WORD_BITS = 16
const WORD = 65_536
const HALF_WORD = 32_768
const TWO_32 = 4_294_967_296

/**
 * Decimals of money as records hold them: signed 128-bit integers, little-endian, of so many decimals: 18, or 27. Eight
 * words of 16 bits are multiplied and divided in doubles, where every step stays below 2^53: no bigint is made.
 */
const words = new Float64Array(WORDS)

/** Multiplies the words by 10^9 and adds; false where they overflow. */
function shift(added: number): boolean {
  let carry = added
  for (let i = 0; i < WORDS; i++) {
    const value = (words[i] as number) * GROUP + carry
    carry = Math.floor(value / WORD)
    words[i] = value - carry * WORD
  }
  return carry === 0
}

/** Divides the words by 10^9; returns what is left. */
function unshift(): number {
  let rest = 0
  for (let i = WORDS - 1; i >= 0; i--) {
    const value = rest * WORD + (words[i] as number)
    const quotient = Math.floor(value / GROUP)
    words[i] = quotient
    rest = value - quotient * GROUP
  }
  return rest
}

function put(view: DataView, at: number, isNegative: boolean): void {
  let carry = 1
  for (let i = 0; i < WORDS; i++) {
    let value = words[i] as number
    if (isNegative) {
      value = (WORD - 1 - value) + carry
      carry = value === WORD ? 1 : 0
    }
    view.setUint16(at + 2 * i, value, true)
  }
}

/**
 * Writes a decimal text of money; false where the record cannot hold it, or its text would come back as another one: it
 * has more decimals, more than 15 digits before the point, or is not in its shortest plain form.
 */
export function writeMoney(text: string, decimals: number, view: DataView, at: number): boolean {
  const isNegative = text.charCodeAt(0) === MINUS
  const from = isNegative ? 1 : 0
  const { length } = text
  let whole = 0
  let i = from
  for (; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === POINT) break
    const digit = code - ZERO
    if (digit < 0 || digit > 9) return false
    whole = whole * 10 + digit
  }
  const digits = i - from
  if (digits === 0 || digits > WHOLE_DIGITS || (digits > 1 && text.charCodeAt(from) === ZERO)) return false
  const places = length - i - 1
  if (places > decimals || places === 0 || (places > 0 && text.charCodeAt(length - 1) === ZERO)) return false
  if (isNegative && whole === 0 && places < 0) return false
  words.fill(0)
  for (let word = 0; whole > 0; word++) {
    const upper = Math.floor(whole / WORD)
    words[word] = whole - upper * WORD
    whole = upper
  }
  i++
  for (let group = 0; group < decimals; group += GROUP_DIGITS) {
    let value = 0
    for (let place = 0; place < GROUP_DIGITS; place++, i++) {
      const digit = i < length ? text.charCodeAt(i) - ZERO : 0
      if (digit < 0 || digit > 9) return false
      value = value * 10 + digit
    }
    if (!shift(value)) return false
  }
  if ((words[WORDS - 1] as number) >= HALF_WORD) return false
  put(view, at, isNegative)
  return true
}

/** The text of the decimal that {@link writeMoney} wrote. */
export function moneyText(view: DataView, at: number, decimals: number): string {
  const isNegative = view.getInt16(at + 2 * (WORDS - 1), true) < 0
  let carry = 1
  for (let i = 0; i < WORDS; i++) {
    let value = view.getUint16(at + 2 * i, true)
    if (isNegative) {
      value = (WORD - 1 - value) + carry
      carry = value >= WORD ? 1 : 0
      value -= carry * WORD
    }
    words[i] = value
  }
  let fraction = ''
  for (let group = 0; group < decimals; group += GROUP_DIGITS)
    fraction = String(unshift()).padStart(GROUP_DIGITS, '0') + fraction
  const rest = (words[3] as number) * WORD * TWO_32 + (words[2] as number) * TWO_32 +
    (words[1] as number) * WORD + (words[0] as number)
  const places = fraction.replace(/0+$/, '')
  return `${isNegative ? '-' : ''}${rest}${places === '' ? '' : `.${places}`}`
}
