import { decimalDigits, plainDecimal, SCALE_LIMIT, scaledFromText } from '../../model/decimal.js'
import type { ErrorCode } from '../../model/error.js'
import { jsonNumberEnd } from './json-number.js'
import { isStringContent, resolvedContent, unsharedBytes } from './string-content.js'

const QUOTE = 34
const BACKSLASH = 92
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const COMMA = 44
const POINT = 46
const OPEN = 91
const CLOSE = 93
const BRACE = 123
/** Longest text of a decimal. */
const DECIMAL_LENGTH_MAX = 5000
/** Most digits before or behind the point that an exponent may make of a shorter text. */
const EXPONENT_DIGITS_MAX = 400

/** The fault of a line, before it is known which line of which file that is. */
export class LineFault extends Error {
  constructor(
    readonly field: string,
    readonly expected: string,
    /** Index of the offending byte in the cursor's bytes. */
    readonly at: number,
    readonly code: ErrorCode = 'LINE_MALFORMED',
  ) {
    super(`${field} must be ${expected}`)
  }
}

/** Reads the JSON of one line at a time from bytes; every miss is a {@link LineFault} that names the field. */
export class LineCursor {
  bytes: Uint8Array = new Uint8Array(0)
  at = 0
  end = 0
  /** The last decimal: `integer * 10^-scale`, as written (trailing zeros count). */
  integer = 0
  scale = 0
  /** The plain text of the last decimal where no scaled integer holds it, else null; then `integer` is near it. */
  wide: string | null = null
  /** Where the content of the last string lies, and whether it has escapes or bytes beyond ASCII. */
  from = 0
  to = 0
  isPlain = true
  /** Open brackets of a value that is skipped, a bit each: 1 is a brace. */
  #braces = new Uint8Array(64)
  #depth = 0

  open(bytes: Uint8Array, at: number, end: number): void {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** The next byte that is not JSON white space within the line, or -1 at the end. */
  peek(): number {
    const { bytes, end } = this
    let at = this.at
    while (at < end) {
      const byte = bytes[at] ?? 0
      if (byte !== 32 && byte !== 9 && byte !== 13) {
        this.at = at
        return byte
      }
      at++
    }
    this.at = at
    return -1
  }

  take(byte: number, field: string, expected: string): void {
    if (this.peek() !== byte) throw new LineFault(field, expected, this.at)
    this.at++
  }

  /** True after a comma, false after the closing bracket; anything else is a fault. */
  takeNext(field: string): boolean {
    const byte = this.peek()
    if (byte !== COMMA && byte !== CLOSE) throw new LineFault(field, 'followed by "," or "]"', this.at)
    this.at++
    return byte === COMMA
  }

  takeOpen(field: string, expected: string): void {
    this.take(OPEN, field, expected)
  }

  takeComma(field: string): void {
    this.take(COMMA, field, 'followed by another element')
  }

  takeClose(field: string, expected: string): void {
    this.take(CLOSE, field, expected)
  }

  /** A JSON integer without sign, exact up to 2^53 - 1. */
  readInteger(field: string): number {
    let byte = this.peek()
    const start = this.at
    let value = 0
    let at = start
    for (; at < this.end; at++) {
      byte = this.bytes[at] ?? 0
      if (byte < 48 || byte > 57) break
      value = value * 10 + (byte - 48)
    }
    this.#endInteger(field, start, at)
    if (value > Number.MAX_SAFE_INTEGER) throw new LineFault(field, 'an integer up to 2^53 - 1', start, 'VALUE_INEXACT')
    return value
  }

  #endInteger(field: string, start: number, at: number): void {
    const byte = at < this.end ? (this.bytes[at] ?? 0) : 32
    const isWrong =
      at === start ||
      (at - start > 1 && this.bytes[start] === 48) ||
      byte === POINT ||
      (byte | 32) === 101 ||
      byte === 45 ||
      byte === 43
    if (isWrong) throw new LineFault(field, 'an integer', start)
    this.at = at
  }

  /**
   * Epoch nanoseconds as nanoseconds since the midnight of `epochDay`; NaN for 0, infinite where more than 104 days lie
   * between them. Seconds and the nine digits behind them are kept apart, because the whole exceeds 2^53.
   */
  readTime(field: string, epochDay: number): number {
    this.peek()
    const start = this.at
    const { bytes, end } = this
    let at = start
    while (at < end && (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
    this.#endInteger(field, start, at)
    const length = at - start
    if (length === 1 && bytes[start] === 48) return NaN
    const split = Math.max(start, at - 9)
    let seconds = 0
    for (let i = start; i < split; i++) seconds = seconds * 10 + ((bytes[i] ?? 0) - 48)
    let rest = 0
    for (let i = split; i < at; i++) rest = rest * 10 + ((bytes[i] ?? 0) - 48)
    const time = (seconds - epochDay * 86_400) * 1e9 + rest
    return Number.isSafeInteger(time) ? time : Math.sign(time) * Infinity
  }

  /** Days since 1970-01-01 of the epoch nanoseconds that stand next, without moving. */
  peekDay(field: string): number {
    const start = this.at
    this.peek()
    const first = this.at
    let at = first
    while (at < this.end && (this.bytes[at] ?? 0) >= 48 && (this.bytes[at] ?? 0) <= 57) at++
    this.#endInteger(field, first, at)
    const seconds = at - first > 9 ? Number(this.text(first, at - 9)) : 0
    this.at = start
    return Math.floor(seconds / 86_400)
  }

  /** A decimal text in quotes into `integer` and `scale`; plain digits here, everything else in the slow part. */
  readDecimal(field: string, noun: string): void {
    const start = this.at
    if (this.peek() !== QUOTE) throw new LineFault(field, noun, this.at)
    const { bytes, end } = this
    let at = this.at + 1
    const first = at
    let value = 0
    let point = -1
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - 48
      if (digit >= 0 && digit <= 9) value = value * 10 + digit
      else if (digit === -2 && point < 0 && at > first) point = at
      else break
    }
    if (at < end && bytes[at] === QUOTE && at > first && point !== at - 1 && value <= Number.MAX_SAFE_INTEGER) {
      this.integer = value
      this.scale = point < 0 ? 0 : at - point - 1
      this.wide = null
      this.at = at + 1
      if (this.scale <= SCALE_LIMIT) return
    }
    this.at = start
    this.#readOddDecimal(field, noun)
  }

  #readOddDecimal(field: string, noun: string): void {
    this.peek()
    const start = this.at
    this.readString(field)
    const length = this.to - this.from
    if (length > DECIMAL_LENGTH_MAX)
      throw new LineFault(field, `a decimal of at most ${String(DECIMAL_LENGTH_MAX)} characters`, start)
    const text = this.text(this.from, this.to)
    const parts = this.isPlain ? decimalDigits(text) : null
    if (parts === null) throw new LineFault(field, noun, start)
    const scale = Math.max(0, parts.scale)
    const integer = scale > SCALE_LIMIT ? null : scaledFromText(text, scale)
    this.wide = null
    if (integer === null) {
      // An exponent must not make a short text a very long one.
      if (Math.abs(parts.scale) > Math.max(length, EXPONENT_DIGITS_MAX))
        throw new LineFault(
          field, `at most ${String(EXPONENT_DIGITS_MAX)} digits by its exponent`, start, 'VALUE_INEXACT',
        )
      this.wide = plainDecimal(text)
    }
    this.integer = integer ?? Number(text)
    this.scale = integer === null ? 0 : scale
  }

  /** The nearest double of a decimal text in quotes. */
  readDouble(field: string): number {
    this.peek()
    const start = this.at
    this.readString(field, 'a decimal or null')
    const text = this.to - this.from > 5000 ? '' : this.text(this.from, this.to)
    if (!this.isPlain || decimalDigits(text) === null) throw new LineFault(field, 'a decimal or null', start)
    const value = Number(text)
    if (!Number.isFinite(value)) throw new LineFault(field, 'within the range of a double', start, 'VALUE_INEXACT')
    return value
  }

  /** Takes trailing zeros off the last decimal. */
  shorten(): void {
    while (this.scale > 0 && this.integer % 10 === 0) {
      this.integer /= 10
      this.scale--
    }
  }

  /** True and moved behind it where a null stands next. */
  takeNull(): boolean {
    return this.takeWord('null')
  }

  /** True and moved behind it where this word stands next. */
  takeWord(word: string): boolean {
    this.peek()
    for (let i = 0; i < word.length; i++)
      if (this.at + i >= this.end || this.bytes[this.at + i] !== word.charCodeAt(i)) return false
    this.at += word.length
    return true
  }

  /** A JSON string; its content is `from .. to`. */
  readString(field: string, expected = 'a text in quotes'): void {
    if (this.peek() !== QUOTE) throw new LineFault(field, expected, this.at)
    const { bytes, end } = this
    const start = this.at
    let at = start + 1
    this.isPlain = true
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) {
        this.from = start + 1
        this.to = at
        this.at = at + 1
        return
      }
      if (byte === BACKSLASH) {
        this.isPlain = false
        at++
      } else if (byte > 127) this.isPlain = false
      if (byte < 32 || (bytes[at] ?? 0) < 32) throw new LineFault(field, `${expected}, ended by a quote`, start)
    }
    throw new LineFault(field, `${expected}, ended by a quote`, start)
  }

  /** Bytes as text; only for ASCII. */
  text(from: number, to: number): string {
    let text = ''
    for (let i = from; i < to; i++) text += String.fromCharCode(this.bytes[i] ?? 0)
    return text
  }

  /** The last string as UTF-8, its escapes resolved: a view of the line or bytes of their own. */
  stringBytes(field: string): Uint8Array {
    if (this.isPlain) return this.bytes.subarray(this.from, this.to)
    this.#checkContent(field)
    return resolvedContent(this.bytes, this.from, this.to)
  }

  /** The same as a text. */
  stringText(field: string): string {
    // Letter by letter a long text would cost thirty times its length.
    if (this.isPlain && this.to - this.from <= 256) return this.text(this.from, this.to)
    const bytes = this.stringBytes(field)
    return utf8.decode(unsharedBytes(bytes, 0, bytes.length))
  }

  /** Moves behind any JSON value, which must be well-formed. */
  skipValue(field: string): void {
    this.#depth = 0
    for (;;) {
      const byte = this.peek()
      if (byte === OPEN || byte === BRACE) {
        this.at++
        if (this.peek() !== byte + 2) {
          this.#open(byte === BRACE)
          if (byte === BRACE) this.#skipKey(field)
          continue
        }
        this.at++
      } else this.#skipScalar(field, byte)
      if (!this.#closeSkipped(field)) return
    }
  }

  /** Notes an open bracket: a bit each, so that a line of nothing else costs an eighth of its length. */
  #open(isBrace: boolean): void {
    const index = this.#depth >> 3
    if (index >= this.#braces.length) {
      const grown = new Uint8Array(this.#braces.length * 2)
      grown.set(this.#braces)
      this.#braces = grown
    }
    const bit = 1 << (this.#depth & 7)
    const byte = this.#braces[index] ?? 0
    this.#braces[index] = isBrace ? byte | bit : byte & ~bit
    this.#depth++
  }

  /** Behind a value: true where a next value follows in the innermost open bracket, false when all are closed. */
  #closeSkipped(field: string): boolean {
    while (this.#depth > 0) {
      const byte = this.peek()
      const innermost = this.#depth - 1
      const isBrace = ((this.#braces[innermost >> 3] ?? 0) & (1 << (innermost & 7))) !== 0
      if (byte !== COMMA && byte !== (isBrace ? BRACE + 2 : CLOSE))
        throw new LineFault(field, 'well-formed JSON', this.at)
      this.at++
      if (byte === COMMA) {
        if (isBrace) this.#skipKey(field)
        return true
      }
      this.#depth--
    }
    return false
  }

  #skipKey(field: string): void {
    this.#skipString(field, 'well-formed JSON')
    this.take(58, field, 'well-formed JSON')
  }

  #skipScalar(field: string, byte: number): void {
    if (byte === QUOTE) {
      this.#skipString(field)
      return
    }
    if (this.takeWord('null') || this.takeWord('true') || this.takeWord('false')) return
    const end = jsonNumberEnd(this.bytes, this.at, this.end)
    if (end < 0) throw new LineFault(field, 'well-formed JSON', this.at)
    this.at = end
  }

  #skipString(field: string, expected?: string): void {
    this.readString(field, expected)
    if (!this.isPlain) this.#checkContent(field)
  }

  #checkContent(field: string): void {
    if (isStringContent(this.bytes, this.from, this.to)) return
    throw new LineFault(field, 'a text in UTF-8 with JSON escapes, without half surrogate pairs', this.from - 1)
  }

  /** The token at an index, as it stands, at most 80 characters: for messages. */
  tokenAt(index: number): string {
    const { bytes } = this
    let at = index
    const isText = bytes[at] === QUOTE
    const isBracket = bytes[at] === OPEN || bytes[at] === 123
    for (; at < this.end && at - index < 80; at++) {
      const byte = bytes[at] ?? 0
      if (byte === 10 || byte === 13) break
      if (
        isText
          ? at > index && byte === QUOTE && bytes[at - 1] !== BACKSLASH
          : !isBracket && (byte === COMMA || byte === CLOSE)
      ) {
        if (isText || at === index) at++
        break
      }
    }
    return at === index ? 'the end of the line' : new TextDecoder().decode(bytes.slice(index, at))
  }
}
