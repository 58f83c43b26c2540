import type { IncomingMessage, ServerResponse } from 'node:http'
import { lastModifiedOf, rangeAnswer } from './range.js'
import { partsWithin, type Segments } from './segments.js'
import { READ_BYTES, readSegments } from './segments-reader.js'

/** A client that takes nothing for so long is cut off, milliseconds. */
const STALL_MS = 60_000

/** The buffers of all downloads take so much together, and the least that each needs. */
const BUFFERS_BYTES = 8 << 20
const BUFFER_BYTES_MIN = 1 << 16
/** A download takes so much of what the others have left. */
const SHARE = 8
let lentBytes = 0

/** The buffer of a download of so many bytes: large for one alone, smaller the more there are. */
function bufferBytes(sizeBytes: number): number {
  const share = Math.min(READ_BYTES, Math.max(BUFFER_BYTES_MIN, (BUFFERS_BYTES - lentBytes) / SHARE))
  return Math.max(1, Math.min(sizeBytes, Math.floor(share)))
}

/** Options of {@link sendSegments}. */
export interface SendOptions {
  /** Headers of the answers with bytes: `content-type`, and a name to save it by. */
  readonly headers?: Readonly<Record<string, string>>
  /** A client that takes nothing for so long is cut off, milliseconds; default 60,000. */
  readonly stallMs?: number
}

/**
 * Answers a GET or HEAD with a thing, or the part that its `Range` asks for. The next bytes are read when the client
 * has taken those before. Returns true once all of them were handed to the system, false where the client left or
 * stalled. Throws FILE_NOT_FOUND and FILE_UNREADABLE as `readSegments` does: before the answer began, which is then for
 * the caller to give (`headersSent` is false); later the connection is cut, so that what came is never taken for whole.
 */
export async function sendSegments(
  request: IncomingMessage, response: ServerResponse, segments: Segments, options: SendOptions = {},
): Promise<boolean> {
  const lastModified = lastModifiedOf(segments.modifiedMs, Date.now())
  const { sizeBytes, etag } = segments
  const isGet = request.method === 'GET'
  const { range, 'if-range': ifRange } = request.headers
  const asked = isGet ? { range, 'if-range': ifRange?.toString() } : {}
  const { status, from, end, contentRange } = rangeAnswer(asked, { sizeBytes, etag, lastModified })
  const parts = isGet ? partsOf(segments, from, end) : []
  const buffer = new Uint8Array(bufferBytes(isGet ? end - from : 0))
  const pieces = readSegments(parts, buffer)
  lentBytes += buffer.length
  try {
    let piece = await pieces.next()
    response.on('error', () => response.destroy())
    response.setTimeout(options.stallMs ?? STALL_MS, () => response.destroy())
    response.writeHead(status, {
      ...status === 416 ? {} : options.headers,
      'accept-ranges': 'bytes', 'content-length': end - from, etag,
      ...lastModified === null ? {} : { 'last-modified': lastModified },
      ...contentRange === null ? {} : { 'content-range': contentRange },
    })
    for (; piece.done !== true; piece = await pieces.next()) if (!await isTaken(response, piece.value)) return false
    response.end()
    return true
  } catch (error) {
    if (response.headersSent) response.destroy()
    throw error
  } finally {
    lentBytes -= buffer.length
    await pieces.return()
  }
}

/** All parts of a whole thing, also those without a byte: their files are looked at too. */
function partsOf({ parts, sizeBytes }: Segments, from: number, end: number): Segments['parts'] {
  return from === 0 && end === sizeBytes ? parts : partsWithin(parts, from, end)
}

/** Waits until the system has the bytes; false: the client has left. */
function isTaken(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const left = (): void => { resolve(false) }
    if (response.destroyed) return left()
    response.once('close', left)
    response.write(bytes, (error) => {
      response.off('close', left)
      resolve((error ?? null) === null)
    })
  })
}
