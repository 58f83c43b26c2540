import { type FileHandle, open, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../../model/error.js'
import { type FileStretch, isBytes, type Segment, type Segments, segmentsOf } from './segments.js'

/** Reads are of so many bytes; a download holds one of them. */
export const READ_BYTES: number = 1 << 20
const NS_OF_MS = 1_000_000n

/** A whole file, as it lies there now. Throws FILE_NOT_FOUND and FILE_UNREADABLE. */
export async function fileSegments(path: string): Promise<Segments> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => { throw notSold(path, error) })
  if (!found.isFile()) throw changed(path, 'a file', 'something else')
  const { size, mtimeNs, ctimeNs } = found
  return stretchSegments({ path, sizeBytes: Number(size), mtimeNs, ctimeNs })
}

/** A file as it was looked at: size and times, nanoseconds, as numbers or their digits. */
export interface LookedAtFile {
  readonly path: string
  readonly sizeBytes: number
  readonly mtimeNs: bigint | string
  readonly ctimeNs: bigint | string
}

/**
 * A stretch of a file, or all of it, as it was when somebody looked at it: nothing is read, and the bytes are sent only
 * while the file is the same.
 *
 * @example `stretchSegments({ path: 'a.tar', sizeBytes: 2048, mtimeNs: '1', ctimeNs: '2' }, 512, 3).sizeBytes` is 3
 */
export function stretchSegments(file: LookedAtFile, fromByte = 0, sizeBytes: number = file.sizeBytes): Segments {
  const [mtimeNs, ctimeNs] = [BigInt(file.mtimeNs), BigInt(file.ctimeNs)]
  // A file that takes the place of another keeps its own date of change, but not the time at which it came there.
  const changedNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  const stamp = stampOf({ size: BigInt(file.sizeBytes), mtimeNs, ctimeNs })
  return segmentsOf([{ path: file.path, stamp, fromByte, sizeBytes }], Number(changedNs / NS_OF_MS))
}

/** Size and times of a file, nanoseconds: other bytes have other ones. Without `ctimeNs` the part before it. */
function stampOf(
  { size, mtimeNs, ctimeNs }: Readonly<Record<'size' | 'mtimeNs', bigint> & { ctimeNs: bigint | null }>,
): string {
  return `${String(size)}-${String(mtimeNs)}-${String(ctimeNs ?? '')}`
}

/**
 * The bytes of parts in their order, as many at a time as `buffer` has: each piece lies in it, and is good until the
 * next is asked for. A file is open only while it is read, and is read to its end where its name goes meanwhile. Throws
 * FILE_NOT_FOUND and FILE_UNREADABLE, before the last byte of a file that is gone when its turn comes, shorter, or
 * another than was looked at.
 */
export async function* readSegments(
  parts: readonly Segment[], buffer: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0
  for (const part of parts) {
    for await (const filled of isBytes(part) ? copied(part, buffer, count) : readStretch(part, buffer, count)) {
      count = filled
      if (count < buffer.length) continue
      yield buffer
      count = 0
    }
  }
  if (count > 0) yield buffer.subarray(0, count)
}

/** The CRC-32 of a thing, unsigned: all of it is read. Throws as {@link readSegments} does. */
export async function checksumOf({ parts }: Segments): Promise<number> {
  let checksum = 0
  for await (const piece of readSegments(parts, new Uint8Array(READ_BYTES))) checksum = crc32(piece, checksum)
  return checksum
}

/** Fills a buffer from `count` on, and again from its beginning each time it is full; yields the bytes in it. */
function* copied(bytes: Uint8Array, buffer: Uint8Array, count: number): Generator<number, void, undefined> {
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + buffer.length - count)
    buffer.set(piece, count)
    at += piece.length
    yield count + piece.length
    count = (count + piece.length) % buffer.length
  }
}

/** As {@link copied}, of a file. */
async function* readStretch(
  stretch: FileStretch, buffer: Uint8Array, count: number,
): AsyncGenerator<number, void, undefined> {
  const { path, fromByte, sizeBytes } = stretch
  const file = await open(path, 'r').catch((error: unknown) => { throw notSold(path, error) })
  try {
    await checkStamp(file, stretch)
    for (let left = sizeBytes; left > 0;) {
      const wanted = Math.min(left, buffer.length - count)
      const { bytesRead } = await file.read(buffer, count, wanted, fromByte + sizeBytes - left)
        .catch((error: unknown) => { throw notSold(path, error) })
      if (bytesRead === 0) throw changed(path, `${String(left)} more bytes`, 'its end')
      left -= bytesRead
      if (left === 0) await checkRead(file, stretch)
      yield count + bytesRead
      count = (count + bytesRead) % buffer.length
    }
  } finally {
    await file.close()
  }
}

async function checkStamp(file: FileHandle, { path, stamp }: FileStretch): Promise<void> {
  const found = stampOf(await file.stat({ bigint: true }))
  if (found !== stamp) throw changed(path, stamp, found)
}

/** The same at the end. A file that lost its name meanwhile has kept its bytes; `ctime` is that of the loss. */
async function checkRead(file: FileHandle, { path, stamp }: FileStretch): Promise<void> {
  const stats = await file.stat({ bigint: true })
  const found = stampOf(stats)
  const isSame = stats.nlink === 0n ? stamp.startsWith(stampOf({ ...stats, ctimeNs: null })) : found === stamp
  if (!isSame) throw changed(path, stamp, found)
}

function changed(path: string, expected: string, found: string): BacktapeError {
  const sentence = `Cannot serve ${path}: it is not the file that was looked at: expected ${expected}, found ${found}`
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: path, expected, found })
}

function notSold(path: string, cause: unknown): BacktapeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isMissing = /^(ENOENT|ENOTDIR)\b/.test(reason)
  return new BacktapeError(
    isMissing ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot serve ${path}: the system says ${reason}`,
    { file: path, found: reason.slice(0, 80) }, cause,
  )
}
