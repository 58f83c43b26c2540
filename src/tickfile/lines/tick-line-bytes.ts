import { ByteWriter } from '../../model/byte-writer.js'
import { putDigit, putInteger, putPadded } from '../../model/digits.js'
import { NS_PER_SECOND } from '../../model/time.js'

/** Most bytes of a time: the digits of a sum of doubles. */
export const TIME_MAX = 40

const SECONDS_PER_DAY = 86_400
/** Most bytes of an escaped byte, and what the last of them and the quotes may reserve on top. */
const ESCAPED_MAX = 6
const QUOTES_RESERVE = 20
/** Seconds with ten digits: the years 2001 to 2286. */
const SECOND_DIGITS = 10
const SECONDS_MIN = 1_000_000_000
const SECONDS_END = 10_000_000_000
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Appends the pieces of a tick line to a growing buffer, as bytes, without a string for the usual ones. */
export class TickLineBytes extends ByteWriter {
  #daySeconds = 0
  /** The second of the last time, since the midnight of the day, and the digits of its epoch seconds. */
  #seconds = NaN
  readonly #secondDigits = new Uint8Array(SECOND_DIGITS)

  /** Drops the first `length` bytes. */
  drop(length: number): void {
    this.bytes.copyWithin(0, length, this.count)
    this.count -= length
  }

  /** The base of `time`. */
  setDay(epochDay: number): void {
    const daySeconds = epochDay * SECONDS_PER_DAY
    if (daySeconds === this.#daySeconds) return
    this.#daySeconds = daySeconds
    this.#seconds = NaN
  }

  /** A time as epoch nanoseconds; `0` where it is NaN. */
  time(timeNs: number): void {
    this.reserve(TIME_MAX)
    this.count = this.putTime(this.bytes, this.count, timeNs)
  }

  /** The same at a place of `bytes` with room for {@link TIME_MAX}; returns the place behind. */
  putTime(bytes: Uint8Array, at: number, timeNs: number): number {
    if (Number.isNaN(timeNs)) return putDigit(bytes, at, 0)
    const seconds = Math.floor(timeNs / NS_PER_SECOND)
    const nanos = timeNs - seconds * NS_PER_SECOND
    if (seconds !== this.#seconds && !this.#setSeconds(seconds)) return this.#putEarly(bytes, at, seconds, nanos)
    const digits = this.#secondDigits
    for (let i = 0; i < SECOND_DIGITS; i++) bytes[at + i] = digits[i] as number
    return putPadded(bytes, at + SECOND_DIGITS, nanos, 9)
  }

  /** Times follow one another, so the digits of their seconds are kept; false where there are not ten of them. */
  #setSeconds(seconds: number): boolean {
    const epochSeconds = this.#daySeconds + seconds
    if (!(epochSeconds >= SECONDS_MIN && epochSeconds < SECONDS_END)) return false
    putInteger(this.#secondDigits, 0, epochSeconds)
    this.#seconds = seconds
    return true
  }

  #putEarly(bytes: Uint8Array, at: number, seconds: number, nanos: number): number {
    const text = String(BigInt(this.#daySeconds + seconds) * BigInt(NS_PER_SECOND) + BigInt(nanos))
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
    return at + text.length
  }

  /**
   * UTF-8 bytes as a JSON string; only quote, backslash and control characters are escaped, the short way where JSON
   * has one.
   */
  jsonBytes(source: Uint8Array, start: number, end: number): void {
    this.reserve((end - start) * ESCAPED_MAX + QUOTES_RESERVE)
    const { bytes } = this
    bytes[this.count++] = QUOTE
    for (let i = start; i < end; i++) {
      const byte = source[i] as number
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) bytes[this.count++] = byte
      else this.text(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    }
    bytes[this.count++] = QUOTE
  }
}
