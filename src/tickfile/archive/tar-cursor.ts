import type { OpenRanges } from './byte-range-reader.js'

/** Bytes read forwards. On disk a skip is a seek; in a stream it reads on. */
export interface TarCursor {
  /** Where the next byte stands in the archive. */
  readonly offset: number
  /** The next bytes without taking them: fewer than asked only at the end. */
  peek(length: number): Promise<Uint8Array>
  /** Takes up to `length` bytes, at least one but at the end. */
  take(length: number): Promise<Uint8Array>
  /** Moves on; false where the archive ends before. */
  skip(length: number): Promise<boolean>
}

const EMPTY = new Uint8Array(0)

/** A cursor over bytes with random access. */
export function rangeCursor(handle: OpenRanges, sizeBytes: number): TarCursor {
  let offset = 0
  return {
    get offset() {
      return offset
    },
    peek: (length) => handle.read(offset, Math.max(0, Math.min(length, sizeBytes - offset))),
    async take(length) {
      const bytes = await handle.read(offset, Math.max(0, Math.min(length, sizeBytes - offset)))
      offset += bytes.length
      return bytes
    },
    skip(length) {
      offset += length
      return Promise.resolve(offset <= sizeBytes)
    },
  }
}

/** A cursor over a stream. */
export function streamCursor(chunks: AsyncIterator<Uint8Array>): TarCursor {
  let buffer: Uint8Array = EMPTY
  let offset = 0
  let ended = false
  async function next(): Promise<void> {
    const step = await chunks.next()
    ended = step.done === true
    if (step.done === true) return
    if (buffer.length === 0) {
      buffer = step.value
      return
    }
    const joined = new Uint8Array(buffer.length + step.value.length)
    joined.set(buffer)
    joined.set(step.value, buffer.length)
    buffer = joined
  }
  async function fill(length: number): Promise<void> {
    while (buffer.length < length && !ended) await next()
  }
  async function take(length: number): Promise<Uint8Array> {
    await fill(1)
    const taken = buffer.slice(0, length)
    buffer = buffer.subarray(taken.length)
    offset += taken.length
    return taken
  }
  return {
    get offset() {
      return offset
    },
    async peek(length) {
      await fill(length)
      return buffer.subarray(0, length)
    },
    take,
    async skip(length) {
      const end = offset + length
      while (offset < end) if ((await take(Math.min(end - offset, 1 << 20))).length === 0) return false
      return true
    },
  }
}
