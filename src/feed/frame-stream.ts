import type { EventBatch } from '../model/event-batch.js'
import type { FeedEncoder, FeedLoginResponse, FeedState } from '../protocol/feed-messages.js'

const FINAL_TEXT = 0x81
const FINAL_BINARY = 0x82
const HEADER_MAX = 10
const SHORT_MAX = 125
const MIDDLE_MAX = 0xffff
const TWO_32 = 4_294_967_296
/** A block: as large as what is written to a socket at once, as a large write costs less a byte. */
const BLOCK_BYTES = 262_144
/** Turned over when so full: most messages find room in the rest. */
const FULL_BYTES = BLOCK_BYTES - 16_384
/** Messages of a kind with as many rows are about as long; from so many rows on they all count as one. */
const ROWS_MAX = 8
const KIND_COUNT = 32

/**
 * The messages of one encoding as WebSocket frames (RFC 6455, section 5.2; a server masks nothing), back to back in one
 * block. A message is encoded once; a connection takes the range of its frame, and neighbours are one range.
 */
export class FrameStream {
  /** The last frame: `bytes[from .. to)`. */
  from = 0
  to = 0
  readonly #sink: FeedEncoder['sink']
  readonly #opcode: number
  /** Where the payload begins, and the length of the header that is expected before it. */
  #start = 0
  #header = HEADER_MAX
  /** The last length of a header by kind and rows of its message. */
  readonly #headers = new Uint8Array(KIND_COUNT * ROWS_MAX).fill(4)
  #isLent = false

  constructor(
    private readonly encoder: FeedEncoder, isBinary: boolean,
    /** Ranges of the block must be copied now: it begins anew. */
    private readonly onTurn: () => void,
  ) {
    this.#sink = encoder.sink
    this.#sink.bytes = emptyBlock(BLOCK_BYTES)
    this.#opcode = isBinary ? FINAL_BINARY : FINAL_TEXT
  }

  /** The block; another object as it grows. */
  get bytes(): Uint8Array {
    return this.#sink.bytes
  }

  /** False, and there is no frame, where a value does not fit the encoding. */
  line(batch: EventBatch, index: number): boolean {
    const rows = (batch.rowStart[index + 1] as number) - (batch.rowStart[index] as number)
    const like = (batch.kind[index] as number) * ROWS_MAX + Math.min(rows, ROWS_MAX - 1)
    this.#begin(this.#headers[like] as number)
    if (!this.encoder.line(batch, index)) {
      this.#sink.count = this.to
      return false
    }
    this.#end()
    this.#headers[like] = this.#header
    return true
  }

  state(state: FeedState): void {
    this.#begin(4)
    this.encoder.state(state)
    this.#end()
  }

  loginResponse(response: FeedLoginResponse): void {
    this.#begin(4)
    this.encoder.loginResponse(response)
    this.#end()
  }

  /** A socket reads the block as it stands until it is done: what is written from the next begin on goes elsewhere. */
  lend(): void {
    this.#isLent = true
  }

  /** The block begins anew, or another one where a socket reads it; nobody has ranges of it any more. */
  clear(): void {
    this.#renew(BLOCK_BYTES)
    this.from = 0
    this.to = 0
  }

  #renew(size: number): void {
    this.#sink.count = 0
    if (!this.#isLent) return
    this.#isLent = false
    this.#sink.bytes = emptyBlock(size)
  }

  #begin(header: number): void {
    const sink = this.#sink
    // Room for a header must be there: encoders see to the room of what they write, from `count` on.
    if (sink.count > 0 && (sink.count > FULL_BYTES || sink.count + HEADER_MAX >= sink.bytes.length)) {
      this.onTurn()
      this.clear()
    }
    this.#header = sink.count === 0 ? HEADER_MAX : header
    this.#start = sink.count + this.#header
    sink.count = this.#start
  }

  #end(): void {
    const sink = this.#sink
    const length = sink.count - this.#start
    const header = length <= SHORT_MAX ? 2 : length <= MIDDLE_MAX ? 4 : HEADER_MAX
    if (header !== this.#header) this.#shift(header)
    const { bytes } = sink
    const from = this.#start - header
    bytes[from] = this.#opcode
    if (header === 2) bytes[from + 1] = length
    else if (header === 4) {
      bytes[from + 1] = 126
      bytes[from + 2] = length >> 8
      bytes[from + 3] = length & 0xff
    } else writeLongLength(bytes, from + 1, length)
    this.from = from
    this.to = sink.count
  }

  /** The payload moves to where its header ends; the first one of a block has room for any. */
  #shift(header: number): void {
    const sink = this.#sink
    const before = this.#header
    this.#header = header
    if (this.#start === HEADER_MAX && this.to === 0) return
    const payload = sink.bytes.subarray(this.#start, sink.count)
    let start = this.#start - before + header
    if (start + payload.length > sink.bytes.length) {
      this.onTurn()
      this.#renew(Math.max(BLOCK_BYTES, HEADER_MAX + payload.length))
      this.to = 0
      start = HEADER_MAX
    }
    sink.bytes.set(payload, start)
    sink.count = start + payload.length
    this.#start = start
  }
}

/** No Buffer: encoders are slower where they see both kinds. */
function emptyBlock(size: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
}

function writeLongLength(bytes: Uint8Array, at: number, length: number): void {
  const high = Math.floor(length / TWO_32)
  bytes[at] = 127
  for (let i = 0; i < 4; i++) {
    bytes[at + 1 + i] = (high >>> (24 - i * 8)) & 0xff
    bytes[at + 5 + i] = (length >>> (24 - i * 8)) & 0xff
  }
}

/** A frame of its own, payload up to 125 bytes: pings, pongs and notices. */
export function shortFrame(kind: 'text' | 'ping' | 'pong', payload: Uint8Array): Uint8Array {
  const opcode = kind === 'text' ? FINAL_TEXT : kind === 'ping' ? 0x89 : 0x8a
  const length = Math.min(payload.length, SHORT_MAX)
  const frame = new Uint8Array(2 + length)
  frame[0] = opcode
  frame[1] = length
  frame.set(payload.subarray(0, length), 2)
  return frame
}

/** The end of the first frame of a row that ends at so many bytes or behind them; where none does, that of the row. */
export function frameEnd(frames: Uint8Array, leastBytes: number): number {
  let end = 0
  while (end < leastBytes && end < frames.length) end += frameLength(frames, end)
  return end
}

/** Bytes of an unmasked frame, its header included. */
function frameLength(bytes: Uint8Array, at: number): number {
  const short = bytes[at + 1] as number
  if (short <= SHORT_MAX) return 2 + short
  if (short === 126) return 4 + (bytes[at + 2] as number) * 256 + (bytes[at + 3] as number)
  let length = 0
  for (let i = 0; i < 8; i++) length = length * 256 + (bytes[at + 2 + i] as number)
  return HEADER_MAX + length
}
