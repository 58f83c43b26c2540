import { BacktapeError, type ErrorCode } from '../model/error.js'
import {
  BLOCK_BYTES, GROUP_BYTES, GROUP_LIMIT, HEADER_BYTES, LONG_TEXT_LIMIT, SBE_SCHEMA_ID, SBE_VERSION, SHORT_TEXT_LIMIT,
} from './sbe-layout.js'

const TWO_32 = 4_294_967_296
const ASCII_END = 127
const NO_BYTES = new Uint8Array(0)
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A frame that breaks the schema, before it is known which message of which connection that is. */
export class FrameFault extends Error {
  constructor(
    /** As the schema names it; rows with their number. */
    readonly field: string,
    readonly expected: string,
    readonly found: string,
    /** Offset in the frame. */
    readonly at: number,
    readonly code: ErrorCode = 'FRAME_MALFORMED',
  ) {
    super(`${field} must be ${expected}, found ${found}, at byte ${at}`)
  }

  /** The error of the message with this number on its connection. */
  toError(number: number): BacktapeError {
    const { field, expected, found, at } = this
    const words = `Cannot decode message ${number} of the feed: ${this.message}`
    return new BacktapeError(this.code, words, { byteOffset: at, field, expected, found })
  }
}

/**
 * One SBE message at a time: bounds are looked at before anything is read. Places are those of the memory under the
 * frame, so that frames which lie in one piece of memory need no view of their own.
 */
export class SbeFrame {
  /** The whole memory, and a view over it. */
  bytes: Uint8Array = NO_BYTES
  view: DataView = new DataView(NO_BYTES.buffer)
  /** The place of byte 0 of the frame, and the one behind its last. */
  start = 0
  end = 0
  templateId = 0
  version = 0
  /** Where the next thing to read is. */
  at = 0
  /** Of the group that was opened last. */
  entryBytes = 0
  entryCount = 0
  /** Of the text that was opened last: it ends at `at`. */
  textStart = 0
  #buffer: ArrayBufferLike | null = null

  /** Reads the header; `at` is behind it. Throws {@link FrameFault} for another schema. */
  open(frame: Uint8Array): void {
    const { buffer, byteOffset } = frame
    if (buffer !== this.#buffer) {
      this.#buffer = buffer
      this.bytes = new Uint8Array(buffer)
      this.view = new DataView(buffer)
    }
    this.start = byteOffset
    this.end = byteOffset + frame.length
    this.at = byteOffset
    if (frame.length < HEADER_BYTES) this.#cut('messageHeader', HEADER_BYTES)
    const { view } = this
    const schemaId = view.getUint16(byteOffset + 4, true)
    this.templateId = view.getUint16(byteOffset + 2, true)
    this.version = view.getUint16(byteOffset + 6, true)
    if (schemaId !== SBE_SCHEMA_ID)
      throw this.fault('schemaId', String(SBE_SCHEMA_ID), String(schemaId), byteOffset + 4)
    if (this.version < SBE_VERSION)
      throw this.fault('version', `${SBE_VERSION} or newer`, String(this.version), byteOffset + 6)
    this.at = byteOffset + HEADER_BYTES
  }

  /** Passes the block of a known template; its fields stand at their offsets from `start`. */
  passBlock(): void {
    const least = BLOCK_BYTES[this.templateId] ?? 0
    const length = this.view.getUint16(this.start, true)
    if (length < least) throw this.fault('blockLength', `at least ${least}`, String(length), this.start)
    if (length > this.end - this.at) this.#cut('the block', length)
    this.at += length
  }

  /** Opens a group whose entries have `least` bytes at least, and `behind` more in any case. */
  openGroup(name: string, least: number, behind: number = 0): void {
    const { at, view } = this
    if (this.end - at < GROUP_BYTES) this.#cut(name, GROUP_BYTES)
    const length = view.getUint16(at, true)
    const count = view.getUint32(at + 2, true)
    if (length < least) throw this.fault(`${name}.blockLength`, `at least ${least}`, String(length), at)
    if (count > GROUP_LIMIT) throw this.fault(`${name}.numInGroup`, `at most ${GROUP_LIMIT}`, String(count), at + 2)
    this.at = at + GROUP_BYTES
    const bytes = count * (length + behind)
    if (bytes > this.end - this.at) this.#cut(`${name} of ${count} entries`, bytes)
    this.entryBytes = length
    this.entryCount = count
  }

  /** Passes a text of type shortText: `bytes[textStart .. at)`. */
  passShortText(field: string): void {
    const { at } = this
    if (this.end - at < 2) this.#cut(field, 2)
    const length = this.view.getUint16(at, true)
    if (length === 0) {
      this.at = this.textStart = at + 2
      return
    }
    if (length > SHORT_TEXT_LIMIT)
      throw this.fault(`${field}.length`, `at most ${SHORT_TEXT_LIMIT}`, String(length), at)
    this.#passText(field, at + 2, length)
  }

  /** Passes a text of type longText. */
  passLongText(field: string): void {
    const { at } = this
    if (this.end - at < 4) this.#cut(field, 4)
    const length = this.view.getUint32(at, true)
    if (length > LONG_TEXT_LIMIT) throw this.fault(`${field}.length`, `at most ${LONG_TEXT_LIMIT}`, String(length), at)
    this.#passText(field, at + 4, length)
  }

  #passText(field: string, from: number, length: number): void {
    if (length > this.end - from) {
      this.at = from
      this.#cut(field, length)
    }
    this.textStart = from
    this.at = from + length
  }

  /** The text that was passed last. */
  text(field: string): string {
    try {
      return utf8.decode(this.bytes.slice(this.textStart, this.at))
    } catch {
      throw this.fault(field, 'UTF-8', 'other bytes', this.textStart)
    }
  }

  /** Throws where the text that was passed last is no UTF-8. */
  checkText(field: string): void {
    const { bytes, at } = this
    for (let i = this.textStart; i < at; i++) {
      if ((bytes[i] ?? 0) <= ASCII_END) continue
      this.text(field)
      return
    }
  }

  /** An unsigned integer that may exceed 2^53; what exceeds it is not exact, but beyond it. */
  unsigned(place: number): number {
    return this.view.getUint32(place + 4, true) * TWO_32 + this.view.getUint32(place, true)
  }

  /** No byte may follow in a message of this version; a newer one may have more. */
  close(): void {
    const rest = this.end - this.at
    if (rest > 0 && this.version === SBE_VERSION) throw this.fault('message', 'ended', `${rest} more bytes`, this.at)
  }

  /** The fault at a place of the memory. */
  fault(field: string, expected: string, found: string, place: number, code?: ErrorCode): FrameFault {
    return new FrameFault(field, expected, found, place - this.start, code)
  }

  #cut(field: string, bytes: number): never {
    throw this.fault(field, `${bytes} bytes long`, `${this.end - this.at} bytes`, this.at)
  }
}
