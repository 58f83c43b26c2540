import { type FileHandle, open } from 'node:fs/promises'
import { BacktapeError } from '../../model/error.js'
import { failedRead } from './stream-source.js'
import type { BlobInput, SourceOptions } from './tick-source.js'

/** Bytes that can be read at any offset, opened as often as needed. Nothing is held open between `open` and `close`. */
export interface ByteRanges {
  /** Their name in messages. */
  readonly name: string
  readonly sizeBytes: number
  /** The file whose bytes they are; absent for bytes in memory. */
  readonly diskPath?: string
  open(): Promise<OpenRanges>
}

/** An open handle of {@link ByteRanges}. */
export interface OpenRanges {
  /**
   * Up to `length` bytes from `offset`: fewer only at the end. The caller owns them; they may lie in `target` where it
   * is given.
   */
  read(offset: number, length: number, target?: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

// Each read costs two changes of threads, more than the bytes of a small one.
const CHUNK_BYTES = 1 << 20

/** Turns the system's refusal to open or read a file into one sentence that says what to do. */
export function fileError(name: string, cause: unknown): BacktapeError {
  const system = cause as { code?: unknown; message?: unknown }
  const reason = String(system.message ?? cause)
  const place = { file: name, found: reason.slice(0, 80) }
  switch (system.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new BacktapeError(
        'FILE_NOT_FOUND', `Cannot open ${name}: there is no such file; check the path`, place, cause,
      )
    case 'EISDIR':
      return new BacktapeError(
        'FILE_UNREADABLE',
        `Cannot read ${name}: it is a folder; name the files in it, as in ${name.replace(/\/+$/, '')}/*.zst`,
        place,
        cause,
      )
    case 'EACCES':
    case 'EPERM':
      return new BacktapeError(
        'FILE_UNREADABLE', `Cannot read ${name}: permission denied; make it readable for this user`, place, cause,
      )
    default:
      return new BacktapeError('FILE_UNREADABLE', `Cannot read ${name}: the system says ${reason}`, place, cause)
  }
}

async function readFully(
  handle: FileHandle, name: string, offset: number, length: number, target?: Uint8Array,
): Promise<Uint8Array> {
  const bytes = target?.subarray(0, length) ?? new Uint8Array(length)
  let filled = 0
  try {
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
  } catch (error) {
    throw fileError(name, error)
  }
  return filled === length ? bytes : bytes.slice(0, filled)
}

/** The bytes of a regular file on disk. Throws from `open` and `read` as {@link fileError} says. */
export function fileRanges(path: string, sizeBytes: number): ByteRanges {
  return {
    name: path,
    sizeBytes,
    diskPath: path,
    async open() {
      const handle = await open(path, 'r').catch((error: unknown) => {
        throw fileError(path, error)
      })
      return {
        read: (offset, length, target) => readFully(handle, path, offset, length, target), close: () => handle.close(),
      }
    },
  }
}

/** Bytes in memory. Reads copy, so that a receiver may keep or transfer what it gets. */
export function memoryRanges(name: string, bytes: Uint8Array): ByteRanges {
  return {
    name,
    sizeBytes: bytes.length,
    open: () =>
      Promise.resolve({
        read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
        close: () => Promise.resolve(),
      }),
  }
}

/** Bytes of a blob, read piece by piece. */
export function blobRanges(blob: BlobInput): ByteRanges {
  const name = blob.name ?? 'blob'
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.slice(offset, Math.min(offset + length, blob.size)).arrayBuffer())
    } catch (error) {
      throw failedRead(name, 'blob', error)
    }
  }
  return {
    name, sizeBytes: blob.size,
    open: () => Promise.resolve({ read, close: () => Promise.resolve() }),
  }
}

/**
 * The bytes from `start` to `end` in order, a mebibyte at a time. Ends early where the bytes do: the caller knows what
 * that means. Leaving the loop early closes the handle. With `reuseChunks` every chunk lies in the same memory, so that
 * a large file makes no garbage.
 */
export async function* rangeChunks(
  ranges: ByteRanges,
  start: number,
  end: number,
  options: SourceOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await ranges.open()
  const isReused = options.reuseChunks === true
  const chunkBytes = options.chunkBytes ?? CHUNK_BYTES
  const target = isReused ? new Uint8Array(Math.min(chunkBytes, Math.max(0, end - start))) : undefined
  try {
    for (let offset = start; offset < end; ) {
      const chunk = await handle.read(offset, Math.min(chunkBytes, end - offset), target)
      if (chunk.length === 0) return
      offset += chunk.length
      yield chunk
    }
  } finally {
    await handle.close()
  }
}
