const DAY_SECONDS = 86_400
const NS_PER_SECOND = 1_000_000_000
const TWO_32 = 4_294_967_296
/** Room for one row or one line head whatever its numbers: longer texts reserve for themselves. */
const LINE_RESERVE = 512
const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30

/** Decimal digits of 0 to 9999, four bytes each. */
const FOUR_DIGITS: Uint8Array = Uint8Array.from(
  { length: 40_000 }, (_, i) => ZERO + (Math.floor((i >> 2) / ([1000, 100, 10, 1][i & 3] ?? 1)) % 10),
)

/** Appends the pieces of a tick line to a growing buffer, as bytes, without a string for the usual ones. */
export class ByteSink {
  private bytes: Uint8Array = new Uint8Array(1 << 16)
  private at = 0
  private readonly digits = new Uint8Array(24)
  private readonly encoder = new TextEncoder()
  private daySeconds = 0

  get length(): number {
    return this.at
  }

  /** The bytes so far, live: the next append changes them. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.at)
  }

  /** Drops the first `length` bytes. */
  drop(length: number): void {
    this.bytes.copyWithin(0, length, this.at)
    this.at -= length
  }

  /** The base of `time`. */
  setDay(epochDay: number): void {
    this.daySeconds = epochDay * DAY_SECONDS
  }

  reserveLine(): void {
    if (this.bytes.length - this.at < LINE_RESERVE) this.grow(LINE_RESERVE)
  }

  byte(value: number): void {
    this.bytes[this.at++] = value
  }

  comma(): void {
    this.bytes[this.at++] = COMMA
  }

  quote(): void {
    this.bytes[this.at++] = QUOTE
  }

  commaQuote(): void {
    this.bytes[this.at++] = COMMA
    this.bytes[this.at++] = QUOTE
  }

  quoteCommaQuote(): void {
    this.bytes[this.at++] = QUOTE
    this.bytes[this.at++] = COMMA
    this.bytes[this.at++] = QUOTE
  }

  /** ASCII text; reserves for itself. */
  ascii(text: string): void {
    const length = text.length
    if (this.bytes.length - this.at < length + LINE_RESERVE) this.grow(length + LINE_RESERVE)
    for (let i = 0; i < length; i++) this.bytes[this.at++] = text.charCodeAt(i)
  }

  /** Bytes as they are. */
  raw(source: Uint8Array): void {
    this.grow(source.length + LINE_RESERVE)
    this.bytes.set(source, this.at)
    this.at += source.length
  }

  /** An integer of at least 0, up to 2^53 - 1. */
  natural(value: number): void {
    const { bytes, digits } = this
    let at = digits.length
    let rest = value
    while (rest >= 10_000) {
      const high = Math.floor(rest / 10_000)
      const four = (rest - high * 10_000) * 4
      rest = high
      digits[--at] = FOUR_DIGITS[four + 3] as number
      digits[--at] = FOUR_DIGITS[four + 2] as number
      digits[--at] = FOUR_DIGITS[four + 1] as number
      digits[--at] = FOUR_DIGITS[four] as number
    }
    let small = rest
    do {
      const tenth = (small / 10) | 0
      digits[--at] = ZERO + small - tenth * 10
      small = tenth
    } while (small > 0)
    let to = this.at
    while (at < digits.length) bytes[to++] = digits[at++] as number
    this.at = to
  }

  /** An unsigned 64-bit integer of two halves. */
  integer64(high: number, low: number): void {
    if (high < 0x200000) this.natural(high * TWO_32 + low)
    else {
      // Schoolbook division by 10^9, sixteen bits at a time: every step stays below 2^53.
      const first = high >>> 16
      const second = (first % NS_PER_SECOND) * 65_536 + (high & 0xffff)
      const third = (second % NS_PER_SECOND) * 65_536 + (low >>> 16)
      const fourth = (third % NS_PER_SECOND) * 65_536 + (low & 0xffff)
      const upper = Math.floor(second / NS_PER_SECOND) * 65_536 + Math.floor(third / NS_PER_SECOND)
      this.natural(upper * 65_536 + Math.floor(fourth / NS_PER_SECOND))
      this.nineDigits(fourth % NS_PER_SECOND)
    }
  }

  /** A time as epoch nanoseconds; `0` where it is NaN. */
  time(timeNs: number): void {
    if (Number.isNaN(timeNs)) {
      this.bytes[this.at++] = ZERO
      return
    }
    const seconds = Math.floor(timeNs / NS_PER_SECOND)
    const epochSeconds = this.daySeconds + seconds
    const nanos = timeNs - seconds * NS_PER_SECOND
    if (epochSeconds > 0) {
      this.natural(epochSeconds)
      this.nineDigits(nanos)
    } else this.ascii(String(BigInt(epochSeconds) * BigInt(NS_PER_SECOND) + BigInt(nanos)))
  }

  /** `integer * 10^-scale` in shortest plain form. */
  decimal(integer: number, scale: number): void {
    if (integer < 0) {
      this.bytes[this.at++] = 0x2d
      this.decimal(-integer, scale)
      return
    }
    let places = scale
    let value = integer
    if (value === 0) places = 0
    while (places > 0 && value % 10 === 0) {
      value /= 10
      places--
    }
    if (places === 0) {
      this.natural(value)
      return
    }
    this.fraction(value, places)
  }

  /** Text as a JSON string. */
  jsonText(text: string): void {
    const bytes = this.encoder.encode(text)
    this.jsonBytes(bytes, 0, bytes.length)
  }

  /**
   * UTF-8 bytes as a JSON string; only quote, backslash and control characters are escaped, the short way where JSON
   * has one.
   */
  jsonBytes(source: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.bytes.length - this.at < length * 6 + LINE_RESERVE) this.grow(length * 6 + LINE_RESERVE)
    const { bytes } = this
    bytes[this.at++] = QUOTE
    for (let i = start; i < end; i++) {
      const byte = source[i] as number
      if (byte >= 0x20 && byte !== QUOTE && byte !== 0x5c) bytes[this.at++] = byte
      else this.ascii(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    }
    this.bytes[this.at++] = QUOTE
  }

  /** Digits of value with a point before the last `places`. */
  private fraction(value: number, places: number): void {
    const { bytes, at: start } = this
    this.natural(value)
    const length = this.at - start
    const zeros = Math.max(0, places + 1 - length)
    if (zeros > 0) {
      bytes.copyWithin(start + zeros, start, this.at)
      bytes.fill(ZERO, start, start + zeros)
      this.at += zeros
    }
    const point = this.at - places
    for (let i = this.at; i > point; i--) bytes[i] = bytes[i - 1] as number
    bytes[point] = 0x2e
    this.at++
  }

  private nineDigits(value: number): void {
    const { bytes } = this
    let at = this.at
    const top = Math.floor(value / 100_000_000)
    const rest = value - top * 100_000_000
    const middle = (rest / 10_000) | 0
    const low = (rest - middle * 10_000) * 4
    const high = middle * 4
    bytes[at++] = ZERO + top
    for (let i = 0; i < 4; i++) bytes[at++] = FOUR_DIGITS[high + i] as number
    for (let i = 0; i < 4; i++) bytes[at++] = FOUR_DIGITS[low + i] as number
    this.at = at
  }

  private grow(needed: number): void {
    if (this.bytes.length - this.at >= needed) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.at + needed))
    larger.set(this.bytes.subarray(0, this.at))
    this.bytes = larger
  }
}
