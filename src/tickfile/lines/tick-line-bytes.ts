import { ByteWriter } from '../../model/byte-writer.js'
import { NS_PER_SECOND } from '../../model/time.js'

const SECONDS_PER_DAY = 86_400
/** Most bytes of an escaped byte, and what the last of them and the quotes may reserve on top. */
const ESCAPED_MAX = 6
const QUOTES_RESERVE = 20
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const BACKSLASH = 0x5c

/** Appends the pieces of a tick line to a growing buffer, as bytes, without a string for the usual ones. */
export class TickLineBytes extends ByteWriter {
  #daySeconds = 0

  /** Drops the first `length` bytes. */
  drop(length: number): void {
    this.bytes.copyWithin(0, length, this.count)
    this.count -= length
  }

  /** The base of `time`. */
  setDay(epochDay: number): void {
    this.#daySeconds = epochDay * SECONDS_PER_DAY
  }

  comma(): void {
    this.byte(COMMA)
  }

  quote(): void {
    this.byte(QUOTE)
  }

  /** A time as epoch nanoseconds; `0` where it is NaN. */
  time(timeNs: number): void {
    if (Number.isNaN(timeNs)) return this.byte(ZERO)
    const seconds = Math.floor(timeNs / NS_PER_SECOND)
    const epochSeconds = this.#daySeconds + seconds
    const nanos = timeNs - seconds * NS_PER_SECOND
    if (epochSeconds > 0) {
      this.integer(epochSeconds)
      this.padded(nanos, 9)
    } else this.text(String(BigInt(epochSeconds) * BigInt(NS_PER_SECOND) + BigInt(nanos)))
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
