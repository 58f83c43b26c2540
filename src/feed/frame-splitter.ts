import { isUtf8 } from 'node:buffer'
import type { WebSocket } from 'ws'

const FINAL_TEXT = 0x81
const FINAL_BINARY = 0x82
const FINAL = 0x80
const OPCODE = 0x0f
const RESERVED = 0x70
const CONTROL = 8
const PING = 0x89
const PONG = 0x8a
const MASKED = 0x80
const MIDDLE = 126
const LONG = 127
/** Longer frames are left to `ws`, which gathers them. */
const LENGTH_MAX = 262_144
const NEWLINE = 10

/** Receives what a {@link FrameSplitter} finds. */
export interface SplitFrames {
  /** The payload `bytes[from .. end)` of a message; the bytes are used again afterwards. */
  onMessage(bytes: Uint8Array, from: number, end: number, isBinary: boolean): void
  /** Bytes for the receiver of `ws`, which keeps them. */
  onRest(bytes: Buffer): void
}

/**
 * Takes the messages of a WebSocket out of its chunks where they lie, without an object for each. That is done for
 * whole messages in one frame (RFC 6455, section 5.2); everything else, such as pings, fragments, long messages and
 * broken frames, goes to the receiver of `ws`, in its order. Texts that are no UTF-8 go there too.
 */
export class FrameSplitter {
  /** Bytes of a frame that `ws` is being handed. */
  #passing = 0
  #isInFragments = false
  /** A close frame has come, or a broken one: it is the last that is passed. */
  #isLeft = false
  /** `ws` reports what is wrong with a message a little later, so the rest of the chunk is for it, too. */
  #isChunkLeft = false
  #isOver = false
  /** The begin of a frame whose end has not come, and then the chunk behind it. */
  #joined: Uint8Array = new Uint8Array(0)
  #joinedCount = 0
  /** The payloads of a run of frames. */
  readonly #froms: number[] = []
  readonly #ends: number[] = []
  #count = 0
  #textCount = 0

  constructor(private readonly to: SplitFrames) {}

  /** Nothing more is taken: `ws` has given up. */
  stop(): void {
    this.#isOver = true
  }

  /** A chunk of the socket, which is written to. */
  take(chunk: Uint8Array): void {
    this.#isChunkLeft = false
    if (this.#joinedCount === 0) return this.#split(chunk, chunk.length)
    const count = this.#joinedCount
    const end = count + chunk.length
    if (end > this.#joined.length) {
      const wider = new Uint8Array(2 * end)
      wider.set(this.#joined.subarray(0, count))
      this.#joined = wider
    }
    this.#joined.set(chunk, count)
    this.#joinedCount = 0
    this.#split(this.#joined, end)
  }

  #split(bytes: Uint8Array, end: number): void {
    let at = 0
    while (at < end && !this.#isOver) {
      if (this.#passing > 0) {
        at = this.#pass(bytes, at, end)
        continue
      }
      const stopped = this.#run(bytes, at, end)
      this.#deliver(bytes, at, stopped)
      at = stopped
      if (at === end || this.#isOver) return
      const length = frameLength(bytes, at, end)
      if (length < 0 || (this.#isPlain(bytes, at) && length <= LENGTH_MAX)) return this.#keep(bytes, at, end)
      this.#meet(bytes[at] as number, length)
    }
  }

  /** Finds the whole messages that lie side by side from `start` on; the place behind them. */
  #run(bytes: Uint8Array, start: number, end: number): number {
    const froms = this.#froms
    const ends = this.#ends
    let at = start
    let count = 0
    this.#textCount = 0
    while (at + 2 <= end && this.#isPlain(bytes, at)) {
      let length = bytes[at + 1] as number
      let from = at + 2
      if (length === MIDDLE) {
        if (at + 4 > end) break
        length = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)
        from = at + 4
      } else if (length === LONG) {
        length = frameLength(bytes, at, end) - 10
        from = at + 10
        if (length < 0 || length > LENGTH_MAX) break
      }
      if (from + length > end) break
      if (bytes[at] === FINAL_TEXT) this.#textCount++
      froms[count] = from
      ends[count++] = at = from + length
    }
    this.#count = count
    return at
  }

  #isPlain(bytes: Uint8Array, at: number): boolean {
    const first = bytes[at] as number
    const isWhole = first === FINAL_TEXT || first === FINAL_BINARY
    const isOurs = !this.#isInFragments && !this.#isChunkLeft && !this.#isLeft
    return isOurs && isWhole && (bytes[at + 1] as number) < MASKED
  }

  /** Hands out the messages of a run `start .. end`. */
  #deliver(bytes: Uint8Array, start: number, end: number): void {
    const froms = this.#froms
    const ends = this.#ends
    const count = this.#count
    const isText = this.#textCount > 0
    if (isText && (this.#textCount < count || !this.#areTexts(bytes, start, end))) {
      this.#isChunkLeft = true
      this.#passing = end - start
      this.#pass(bytes, start, end)
      return
    }
    for (let i = 0; i < count && !this.#isOver; i++)
      this.to.onMessage(bytes, froms[i] as number, ends[i] as number, !isText)
  }

  /**
   * True where all payloads are UTF-8: one look for all of them, with newlines in place of their headers. The newlines
   * stay, as each ends the line before it.
   */
  #areTexts(bytes: Uint8Array, start: number, end: number): boolean {
    const froms = this.#froms
    let at = start
    for (let i = 0; i < this.#count; i++) {
      for (const from = froms[i] as number; at < from; at++) bytes[at] = NEWLINE
      at = this.#ends[i] as number
    }
    if (isUtf8(bytes.subarray(start, end))) return true
    at = start
    for (let i = 0; i < this.#count; i++) {
      putTextHeader(bytes, at, froms[i] as number, this.#ends[i] as number)
      at = this.#ends[i] as number
    }
    return false
  }

  #pass(bytes: Uint8Array, at: number, end: number): number {
    const count = this.#isLeft ? end - at : Math.min(this.#passing, end - at)
    this.#passing -= count
    this.#isOver ||= this.#isLeft && this.#passing <= 0
    this.to.onRest(Buffer.from(bytes.subarray(at, at + count)))
    return at + count
  }

  /** The frame at hand, of so many bytes, is for `ws`. */
  #meet(first: number, length: number): void {
    this.#passing = length
    if (first === PING || first === PONG) return
    this.#isChunkLeft = true
    const opcode = first & OPCODE
    if (opcode >= CONTROL || (first & RESERVED) !== 0) this.#isLeft = true
    else this.#isInFragments = (first & FINAL) === 0
  }

  /** Keeps the begin of a last frame until the rest comes. */
  #keep(bytes: Uint8Array, at: number, end: number): void {
    this.#joinedCount = end - at
    if (bytes === this.#joined) {
      bytes.copyWithin(0, at, end)
      return
    }
    if (this.#joined.length < end - at) this.#joined = new Uint8Array(2 * (end - at))
    this.#joined.set(bytes.subarray(at, end))
  }
}

/** The length of a frame with its header; -1 where the header has not come whole. */
function frameLength(bytes: Uint8Array, at: number, end: number): number {
  const rest = end - at
  if (rest < 2) return -1
  const second = bytes[at + 1] as number
  const mask = second >= MASKED ? 4 : 0
  const length = second & 0x7f
  if (length < MIDDLE) return 2 + mask + length
  if (length === MIDDLE && rest < 4) return -1
  if (length === MIDDLE) return 4 + mask + (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
  if (rest < 10) return -1
  let long = 0
  for (let i = 2; i < 10; i++) long = long * 256 + (bytes[at + i] as number)
  return 10 + mask + long
}

/** The header of a text frame `at .. from` with the payload `from .. end`. */
function putTextHeader(bytes: Uint8Array, at: number, from: number, end: number): void {
  let length = end - from
  bytes[at] = FINAL_TEXT
  bytes[at + 1] = from - at === 2 ? length : from - at === 4 ? MIDDLE : LONG
  for (let place = from - 1; place > at + 1; place--) {
    bytes[place] = length & 0xff
    length = Math.floor(length / 256)
  }
}

/**
 * Puts a splitter between the socket of a client and the receiver of `ws`, which then has the rest. To be called before
 * the connection is open.
 */
export function splitFramesOf(webSocket: WebSocket, onMessage: SplitFrames['onMessage']): FrameSplitter {
  let onRest: SplitFrames['onRest'] = () => {}
  const splitter = new FrameSplitter({ onMessage, onRest: (bytes) => onRest(bytes) })
  webSocket.once('upgrade', ({ socket }) => {
    webSocket.once('open', () => {
      const receivers = socket.listeners('data')
      socket.on('data', (chunk: Buffer) => splitter.take(chunk))
      for (const receive of receivers) socket.off('data', receive as (chunk: Buffer) => void)
      onRest = (bytes) => { for (const receive of receivers) receive.call(socket, bytes) }
    })
  })
  return splitter
}
