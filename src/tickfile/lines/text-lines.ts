const NEWLINE = 10

/** A run of text: `bytes[at .. end)`; byte i of `bytes` is byte `base + i` of the decompressed text. */
interface Region {
  readonly bytes: Uint8Array
  at: number
  end: number
  base: number
}

const EMPTY: Uint8Array = new Uint8Array(0)

/**
 * Text as it arrives, in lines that may lie across arrivals. The rest of an arrival that is no whole line is carried in
 * front of the next one; what is longer than that room is gathered until its end comes, or it is longer than the limit.
 */
export class TextLines {
  /** The region under work; `at` is the start of the next line. */
  region: Region = { bytes: EMPTY, at: 0, end: 0, base: 0 }
  /** Number of the next line, 1 is the first. */
  lineNumber = 1
  /** Bytes fed so far. */
  textBytes = 0
  /** True while a line beyond the limit is passed over. */
  isOverlong = false
  readonly #lineLimitBytes: number
  readonly #headroomBytes: number
  #next: Region | null = null
  #carry: Uint8Array = EMPTY
  #carryLength = 0

  constructor(lineLimitBytes: number, headroomBytes: number) {
    this.#lineLimitBytes = lineLimitBytes
    this.#headroomBytes = headroomBytes
  }

  /** Absolute offset of the next line. */
  get offset(): number {
    return this.region.base + this.region.at
  }

  /** The index of the newline of the next line, or -1 where the region has none. */
  newline(): number {
    const { bytes, at, end } = this.region
    // Not in `bytes` itself: where the region has none the search would go on through all that lies behind it.
    const index = bytes.subarray(at, end).indexOf(NEWLINE)
    return index < 0 ? -1 : at + index
  }

  /**
   * Passes lines of white space alone that end in the region: a byte at a time, as a file may hold nothing else. True
   * where it stands elsewhere then.
   */
  passBlankLines(): boolean {
    const { region } = this
    const { bytes, at: start, end } = region
    const longest = this.#lineLimitBytes
    let lines = 0
    let begin = start
    for (let at = start; at < end && at - begin <= longest; at++) {
      const byte = bytes[at]
      if (byte === NEWLINE) {
        begin = at + 1
        lines++
      } else if (byte !== 32 && byte !== 13 && byte !== 9) break
    }
    region.at = begin
    this.lineNumber += lines
    return lines > 0
  }

  /** The next line is decoded or passed over; `at` behind its newline. */
  moveTo(at: number): void {
    this.region.at = at
    this.lineNumber++
  }

  /** Takes the region behind the gathered line; false where there is none. */
  takeNext(): boolean {
    if (this.region.at < this.region.end || this.#next === null) return false
    this.region = this.#next
    this.#next = null
    return true
  }

  /**
   * Copies the rest of the region aside, so that its memory may be reused. The offset of
   * that line where it is beyond the limit, else null: then it is dropped, and so is what follows up to its newline.
   */
  carryRest(): number | null {
    const { bytes, at, end } = this.region
    if (end > at && !this.isOverlong) this.#append(bytes, at, end)
    this.region.at = end
    if (this.#carryLength <= this.#lineLimitBytes + 1 || this.isOverlong) return null
    const offset = this.textBytes - this.#carryLength
    this.isOverlong = true
    this.#carryLength = 0
    this.#carry = EMPTY
    return offset
  }

  /** New text: `length` bytes at `start`, with room for `headroomBytes` before it. */
  feed(bytes: Uint8Array, start: number, length: number): void {
    const region: Region = { bytes, at: start, end: start + length, base: this.textBytes - start }
    this.textBytes += length
    this.region = region
    if (this.isOverlong) {
      const end = this.newline()
      if (end < 0) region.at = region.end
      else {
        this.moveTo(end + 1)
        this.isOverlong = false
      }
    } else if (this.#carryLength > 0) this.#joinCarry(region)
  }

  /** The end of the text: what is carried is the last line. False where nothing is. */
  finish(): boolean {
    if (this.#carryLength === 0 || this.isOverlong) return false
    this.#append(Uint8Array.of(NEWLINE), 0, 1)
    this.region = { bytes: this.#carry, at: 0, end: this.#carryLength, base: this.textBytes + 1 - this.#carryLength }
    this.#carryLength = 0
    return true
  }

  #joinCarry(region: Region): void {
    const length = this.#carryLength
    if (length <= this.#headroomBytes) {
      region.at -= length
      region.bytes.set(this.#carry.subarray(0, length), region.at)
      this.#carryLength = 0
      return
    }
    const end = this.newline()
    if (end < 0) return
    const base = this.textBytes - (region.end - region.at) - length
    this.#append(region.bytes, region.at, end + 1)
    region.at = end + 1
    this.#next = region
    this.region = { bytes: this.#carry, at: 0, end: this.#carryLength, base }
    // The gathered line is read from this array: the next carry takes a new one.
    this.#carry = EMPTY
    this.#carryLength = 0
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    const needed = this.#carryLength + to - from
    if (needed > this.#carry.length) {
      const grown = new Uint8Array(
        Math.max(4096, needed, Math.min(this.#carry.length * 2, this.#lineLimitBytes + 4096)),
      )
      grown.set(this.#carry.subarray(0, this.#carryLength))
      this.#carry = grown
    }
    this.#carry.set(bytes.subarray(from, to), this.#carryLength)
    this.#carryLength = needed
  }
}
