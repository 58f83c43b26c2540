import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { FRAME_HEAD_BYTES } from './day-cache-frame.js'

/** Nearly every end frame lies within so many last bytes; one that lists damages may be longer. */
const TAIL_BYTES = 16_384

/** The beginning of an end frame's JSON; within a string of JSON its quotes would be escaped. */
const END_BEGINS = '{"kind":"end",'

function tailOf(fd: number, sizeBytes: number, lengthBytes: number): Buffer {
  const tail = Buffer.alloc(lengthBytes)
  let filled = 0
  while (filled < lengthBytes) {
    const bytesRead = readSync(fd, tail, filled, lengthBytes - filled, sizeBytes - lengthBytes + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return tail.subarray(0, filled)
}

/**
 * True where the last bytes of a cached day are a whole end frame: one that was cut anywhere has none there. Looks at
 * little more than that frame.
 */
export function endsWhole(fd: number, sizeBytes: number): boolean {
  for (let lengthBytes = Math.min(sizeBytes, TAIL_BYTES); ; lengthBytes = Math.min(sizeBytes, lengthBytes * 16)) {
    const tail = tailOf(fd, sizeBytes, lengthBytes)
    const at = tail.lastIndexOf(END_BEGINS)
    if (at >= FRAME_HEAD_BYTES) {
      const head = tail.subarray(at - FRAME_HEAD_BYTES, at)
      const json = tail.subarray(at)
      return head.readUInt32LE(0) === json.length && head.readUInt32LE(4) === 0 && head.readUInt32LE(8) === crc32(json)
    }
    if (lengthBytes === sizeBytes) return false
  }
}
