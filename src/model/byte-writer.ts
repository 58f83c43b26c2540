import { textFromScaled } from './decimal.js'
import { DIGITS_MAX, putInteger, putInteger64, putPadded, putScaled } from './digits.js'

const FIRST_BYTES = 1 << 12
const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32
const TILDE = 126
const ASCII_END = 127

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

  /** A part of some bytes as it stands. It is copied here, as most are short. */
  range(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from)
    const own = this.bytes
    let at = this.count
    for (let place = from; place < to; place++) own[at++] = bytes[place] as number
    this.count = at
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
    this.reserve(DIGITS_MAX)
    this.count = putInteger(this.bytes, this.count, value)
  }

  /** An unsigned 64-bit integer of two halves, in digits. */
  integer64(high: number, low: number): void {
    this.reserve(DIGITS_MAX)
    this.count = putInteger64(this.bytes, this.count, high, low)
  }

  /** An integer from 0 to 2^31 - 1 with zeros before it, in `width` digits. */
  padded(value: number, width: number): void {
    this.reserve(width)
    this.count = putPadded(this.bytes, this.count, value, width)
  }

  /** The value integer * 10^-scale in its shortest plain form: what `textFromScaled` says. */
  scaled(integer: number, scale: number): void {
    this.reserve(DIGITS_MAX)
    const end = putScaled(this.bytes, this.count, integer, scale)
    if (end < 0) this.text(textFromScaled(integer, scale))
    else this.count = end
  }

  /** Makes room for `more` bytes. */
  reserve(more: number): void {
    if (this.count + more > this.bytes.length) this.#grow(more)
  }

  /** The bytes that were written from `from` on. */
  slice(from: number = 0): Uint8Array {
    return this.bytes.subarray(from, this.count)
  }

  #grow(more: number): void {
    const wider = new Uint8Array(Math.max(this.count + more, this.bytes.length * 2))
    wider.set(this.bytes.subarray(0, this.count))
    this.bytes = wider
  }
}
