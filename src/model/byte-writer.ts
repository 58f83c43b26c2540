import { textFromScaled } from './decimal.js'

const FIRST_BYTES = 1 << 16
const QUOTE = 34
const BACKSLASH = 92
const MINUS = 45
const POINT = 46
const ZERO = 48
const SPACE = 32
const TILDE = 126
const ASCII_END = 127
/** Integers of at most nine digits are written in machine integers. */
const SMALL_DIGITS = 9
const SMALL_END = 1_000_000_000
const TWO_32 = 4_294_967_296
/** The upper half of 2^53. */
const SAFE_HIGH = 0x200000
const POWERS: Float64Array = Float64Array.from({ length: 2 * SMALL_DIGITS + 1 }, (_, i) => Number(`1e${i}`))
const SMALL_POWERS: Int32Array = Int32Array.from(POWERS.subarray(0, SMALL_DIGITS + 1))
/** The digits of 0 to 99, two each. */
const PAIRS: Uint8Array = Uint8Array.from(
  { length: 200 }, (_, i) => ZERO + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10),
)

/**
 * Lines as UTF-8 bytes, written piece by piece: a line put together as a string would be made of many small ones,
 * copied once to join them and once more to encode them. The memory grows to the longest content and stays.
 */
export class ByteWriter {
  /** The bytes; those before `count` are written. */
  bytes: Uint8Array
  count = 0
  readonly #encoder = new TextEncoder()

  constructor(firstBytes: number = FIRST_BYTES) {
    this.bytes = new Uint8Array(firstBytes)
  }

  byte(value: number): void {
    if (this.count === this.bytes.length) this.#grow(1)
    this.bytes[this.count++] = value
  }

  /** A text as it stands. ASCII is copied here, as most texts are short; the encoder has a price of its own. */
  text(text: string): void {
    const { length } = text
    // A UTF-16 unit has at most three bytes.
    this.reserve(length * 3)
    const { bytes } = this
    let at = this.count
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > ASCII_END) {
        this.count += this.#encoder.encodeInto(text, bytes.subarray(this.count)).written
        return
      }
      bytes[at++] = code
    }
    this.count = at
  }

  /** Bytes as they stand: what comes in many lines is encoded once. */
  piece(piece: Uint8Array): void {
    const { length } = piece
    this.reserve(length)
    this.bytes.set(piece, this.count)
    this.count += length
  }

  /** A text as JSON has it, quoted. Printable ASCII but the quotation mark and the backslash stands as it is. */
  quoted(text: string): void {
    const { length } = text
    this.reserve(length + 2)
    const { bytes } = this
    let at = this.count
    bytes[at++] = QUOTE
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) {
        this.text(JSON.stringify(text))
        return
      }
      bytes[at++] = code
    }
    bytes[at++] = QUOTE
    this.count = at
  }

  /** A safe integer in digits; -0 is 0. */
  integer(value: number): void {
    if (value >= 0 && value < SMALL_END) return this.#small(value | 0)
    if (value < 0) {
      this.byte(MINUS)
      return this.integer(-value)
    }
    const high = Math.floor(value / SMALL_END)
    this.integer(high)
    this.padded(value - high * SMALL_END, SMALL_DIGITS)
  }

  /** An unsigned 64-bit integer of two halves, in digits. */
  integer64(high: number, low: number): void {
    if (high < SAFE_HIGH) return this.integer(high * TWO_32 + low)
    // Schoolbook division by 10^9, sixteen bits at a time: every step stays below 2^53.
    const first = high >>> 16
    const second = (first % SMALL_END) * 65_536 + (high & 0xffff)
    const third = (second % SMALL_END) * 65_536 + (low >>> 16)
    const fourth = (third % SMALL_END) * 65_536 + (low & 0xffff)
    const upper = Math.floor(second / SMALL_END) * 65_536 + Math.floor(third / SMALL_END)
    this.integer(upper * 65_536 + Math.floor(fourth / SMALL_END))
    this.padded(fourth % SMALL_END, SMALL_DIGITS)
  }

  /** An integer from 0 to 2^31 - 1 with zeros before it, in `width` digits. */
  padded(value: number, width: number): void {
    if (this.count + width > this.bytes.length) this.#grow(width)
    const { bytes } = this
    let rest = value | 0
    let at = this.count + width
    this.count = at
    let left = width
    for (; left > 1; left -= 2) {
      const hundredth = (rest / 100) | 0
      const pair = (rest - hundredth * 100) << 1
      bytes[--at] = PAIRS[pair + 1] as number
      bytes[--at] = PAIRS[pair] as number
      rest = hundredth
    }
    if (left > 0) bytes[--at] = ZERO + rest
  }

  /** The value integer * 10^-scale in its shortest plain form: what `textFromScaled` says. */
  scaled(integer: number, scale: number): void {
    if (integer >= 0 && integer < SMALL_END && scale <= SMALL_DIGITS) return this.#smallScaled(integer | 0, scale)
    if (!Number.isSafeInteger(integer) || scale >= POWERS.length) return this.text(textFromScaled(integer, scale))
    if (integer < 0) {
      this.byte(MINUS)
      return this.scaled(-integer, scale)
    }
    const power = POWERS[scale] as number
    const whole = Math.floor(integer / power)
    this.integer(whole)
    let rest = integer - whole * power
    if (rest === 0) return
    let places = scale
    for (; rest % 10 === 0; rest /= 10) places--
    this.byte(POINT)
    if (places <= SMALL_DIGITS) return this.padded(rest, places)
    const high = Math.floor(rest / SMALL_END)
    this.padded(high, places - SMALL_DIGITS)
    this.padded(rest - high * SMALL_END, SMALL_DIGITS)
  }

  /** Makes room for `more` bytes. */
  reserve(more: number): void {
    if (this.count + more > this.bytes.length) this.#grow(more)
  }

  /** The bytes that were written from `from` on. */
  slice(from: number = 0): Uint8Array {
    return this.bytes.subarray(from, this.count)
  }

  #small(value: number): void {
    let size = 1
    while (size < 9 && value >= (SMALL_POWERS[size] as number)) size++
    this.padded(value, size)
  }

  #smallScaled(integer: number, scale: number): void {
    const power = SMALL_POWERS[scale] as number
    const whole = (integer / power) | 0
    let rest = integer - whole * power
    this.#small(whole)
    if (rest === 0) return
    let places = scale
    for (let tenth = (rest / 10) | 0; tenth * 10 === rest; tenth = (rest / 10) | 0) {
      rest = tenth
      places--
    }
    this.byte(POINT)
    this.padded(rest, places)
  }

  #grow(more: number): void {
    const wider = new Uint8Array(Math.max(this.count + more, this.bytes.length * 2))
    wider.set(this.bytes.subarray(0, this.count))
    this.bytes = wider
  }
}
