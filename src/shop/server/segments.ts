import { createHash } from 'node:crypto'

/** A stretch of a file. It is sold only as long as the file is the one that was looked at. */
export interface FileStretch {
  readonly path: string
  /** Size and times of the whole file when it was looked at, see `stampOf`. */
  readonly stamp: string
  /** The first byte of the stretch. */
  readonly fromByte: number
  readonly sizeBytes: number
}

/** A piece of a thing that is served: bytes in memory, or a stretch of a file. */
export type Segment = Uint8Array | FileStretch

/** A thing that is served: a file, an export, a tar, a zip. */
export interface Segments {
  /** In their order. */
  readonly parts: readonly Segment[]
  /** The sum of the parts. */
  readonly sizeBytes: number
  /** A strong ETag with its quotation marks: other bytes have another. */
  readonly etag: string
  /** The last change, milliseconds since 1970. Null where a date does not tell all changes: an archive. */
  readonly modifiedMs: number | null
}

/** True for bytes in memory. */
export function isBytes(segment: Segment): segment is Uint8Array {
  return segment instanceof Uint8Array
}

/** The bytes of a part. */
function sizeOf(segment: Segment): number {
  return isBytes(segment) ? segment.length : segment.sizeBytes
}

/**
 * A thing made of parts. Its ETag is made of the bytes in memory and of the stamps of files, so that it outlives the
 * server and nothing is read for it.
 *
 * @example `segmentsOf([new Uint8Array([104, 105])]).sizeBytes` is 2
 */
export function segmentsOf(parts: readonly Segment[], modifiedMs: number | null = null): Segments {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for (const part of parts) {
    const words = isBytes(part) ? [part.length] : [part.path, part.stamp, part.fromByte, part.sizeBytes]
    hash.update(`${JSON.stringify(words)}\n`)
    if (isBytes(part)) hash.update(part)
    sizeBytes += sizeOf(part)
  }
  return { parts, sizeBytes, etag: `"${hash.digest('base64url').slice(0, ETAG_LETTERS)}"`, modifiedMs }
}

/** 192 bits. */
const ETAG_LETTERS = 32

/** The parts of the bytes from `from` up to, without, `end`. */
export function partsWithin(parts: readonly Segment[], from: number, end: number): readonly Segment[] {
  const within: Segment[] = []
  let at = 0
  for (const part of parts) {
    const size = sizeOf(part)
    const begin = Math.max(0, from - at)
    const stop = Math.min(size, end - at)
    if (begin < stop) within.push(stretchOf(part, begin, stop))
    at += size
    if (at >= end) break
  }
  return within
}

function stretchOf(part: Segment, begin: number, stop: number): Segment {
  if (isBytes(part)) return part.subarray(begin, stop)
  return { ...part, fromByte: part.fromByte + begin, sizeBytes: stop - begin }
}
