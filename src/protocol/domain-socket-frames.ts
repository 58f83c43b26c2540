/** Bytes of the length in front of each message on a domain socket: a big-endian uint32 (spec 4, section 9). */
const PREFIX_BYTES = 4
/** The top bit of the length marks text. */
const TEXT_BIT = 0x80000000
const FIRST_BYTES = 4096

/** Why a frame cannot be read. */
export type FrameFault = 'binary' | 'empty' | 'tooLong' | 'notUtf8'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A text as it goes over a domain socket. */
export function frameOf(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const frame = new Uint8Array(PREFIX_BYTES + bytes.length)
  new DataView(frame.buffer).setUint32(0, (bytes.length | TEXT_BIT) >>> 0)
  frame.set(bytes, PREFIX_BYTES)
  return frame
}

/**
 * Takes messages out of the bytes of a domain socket, however they are cut. Holds at most one message and what came
 * with its end.
 */
export class FrameReader {
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  #from = 0
  #count = 0

  constructor(private readonly limitBytes: number) {}

  /** Bytes as they came. */
  push(chunk: Uint8Array): void {
    const held = this.#count - this.#from
    if (this.#count + chunk.length > this.#bytes.length) {
      const needed = held + chunk.length
      const target = needed > this.#bytes.length
        ? new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
        : this.#bytes
      target.set(this.#bytes.subarray(this.#from, this.#count))
      this.#bytes = target
      this.#from = 0
      this.#count = held
    }
    this.#bytes.set(chunk, this.#count)
    this.#count += chunk.length
  }

  /** The next whole message; null where there is none so far; a fault after which nothing more can be read. */
  next(): { readonly text: string } | { readonly fault: FrameFault } | null {
    if (this.#count - this.#from < PREFIX_BYTES) return null
    const prefix = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#from).getUint32(0)
    const length = prefix & ~TEXT_BIT
    if (length > this.limitBytes) return { fault: 'tooLong' }
    if ((prefix & TEXT_BIT) === 0) return { fault: 'binary' }
    if (length === 0) return { fault: 'empty' }
    const start = this.#from + PREFIX_BYTES
    if (this.#count - start < length) return null
    this.#from = start + length
    try {
      return { text: decoder.decode(this.#bytes.subarray(start, start + length)) }
    } catch {
      return { fault: 'notUtf8' }
    }
  }
}
