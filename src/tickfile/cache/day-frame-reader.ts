import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../../model/error.js'
import { parseNestedJson } from '../../model/nested-json.js'
import {
  CACHE_MAGIC, FRAME_COLUMNS_LIMIT, FRAME_HEAD_BYTES, FRAME_JSON_LIMIT, type BatchFrame, type EndFrame, type StartFrame,
} from './day-cache-frame.js'
import type { BatchOrder } from '../../replay/batch-order.js'
import { LentBlocks } from './lent-blocks.js'

/** One frame of a cached day, in memory that belongs to its reader. */
export interface Frame {
  readonly content: StartFrame | BatchFrame | EndFrame
  readonly buffer: ArrayBufferLike
  readonly columnsAt: number
  /** The exchange order of the items of a batch; null where none is made. */
  readonly order: BatchOrder | null
}

/** The number of events a frame holds. */
export function eventCount(content: Frame['content']): number {
  return content.kind === 'batch' ? content.count : 0
}

/**
 * Frames one after the other. A frame's memory is used again once the next one is asked for, unless somebody keeps it
 * (`model/batch-loan`).
 */
export interface FrameSource {
  next(): Promise<Frame>
  close(): Promise<void>
}

/** The error for a damaged cached day. */
export function damagedDay(path: string, words: string, byteOffset: number): BacktapeError {
  const sentence = `Cannot read the cached day ${path}: ${words} near byte ${String(byteOffset)}; delete it, it is ` +
    'made again from its source'
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: path, byteOffset })
}

/** Read and checked at a time: what was just read is still near when its checksum is made. */
const PIECE_BYTES = 262_144

/**
 * Reads and checks the frames of a cached day, waiting for the disk: a read that is waited for elsewhere costs two
 * changes of threads, which take longer than a piece. Large days are read in a thread of their own.
 */
export class FrameReader {
  constructor(
    private readonly fd: number,
    private readonly path: string,
    /** Where the next frame begins. */
    public byteOffset: number,
  ) {}

  checkMagic(): void {
    const magic = new Uint8Array(CACHE_MAGIC.length)
    this.fill(magic)
    if (magic.some((byte, index) => byte !== CACHE_MAGIC[index])) throw this.damaged('its first bytes are not ours')
  }

  /**
   * Reads a frame into the memory given, or into more from `allocate` where that is too small. `endAt`: where it ends.
   */
  read(
    memory: ArrayBufferLike, allocate: (sizeBytes: number) => ArrayBufferLike,
  ): Omit<Frame, 'order'> & { readonly endAt: number } {
    const head = new Uint8Array(FRAME_HEAD_BYTES)
    this.fill(head)
    const numbers = new DataView(head.buffer)
    const [jsonBytes, columnBytes, checksum] = [
      numbers.getUint32(0, true), numbers.getUint32(4, true), numbers.getUint32(8, true),
    ]
    if (jsonBytes > FRAME_JSON_LIMIT || columnBytes > FRAME_COLUMNS_LIMIT)
      throw this.damaged('a frame says an impossible length')
    // Columns begin at a multiple of eight, the JSON lies right before them.
    const columnsAt = Math.ceil(jsonBytes / 8) * 8
    const sizeBytes = columnsAt + columnBytes
    const buffer = memory.byteLength >= sizeBytes ? memory : allocate(sizeBytes + (sizeBytes >> 2))
    const bytes = new Uint8Array(buffer, columnsAt - jsonBytes, jsonBytes + columnBytes)
    if (this.fill(bytes) !== checksum) throw this.damaged('a checksum does not match')
    // A TextDecoder of a browser takes no view of shared memory.
    const json = new TextDecoder().decode(bytes.slice(0, jsonBytes))
    return { content: this.contentOf(json), buffer, columnsAt, endAt: sizeBytes }
  }

  private contentOf(json: string): Frame['content'] {
    try {
      return parseNestedJson(json) as Frame['content']
    } catch {
      throw this.damaged('a frame is no JSON')
    }
  }

  damaged(words: string): BacktapeError {
    return damagedDay(this.path, words, this.byteOffset)
  }

  /** Fills the target with the next bytes and returns their checksum. */
  private fill(target: Uint8Array): number {
    let checksum = 0
    for (let filled = 0; filled < target.length;) {
      const piece = target.subarray(filled, Math.min(target.length, filled + PIECE_BYTES))
      const sizeBytes = readSync(this.fd, piece, 0, piece.length, this.byteOffset)
      if (sizeBytes === 0) throw this.damaged('it ends before it is whole')
      checksum = crc32(sizeBytes === piece.length ? piece : piece.subarray(0, sizeBytes), checksum)
      filled += sizeBytes
      this.byteOffset += sizeBytes
    }
    return checksum
  }
}

/** Frames read in this thread: for days so small that another one would cost more. */
export class LocalFrames implements FrameSource {
  private readonly blocks = new LentBlocks<ArrayBufferLike>()

  constructor(private readonly reader: FrameReader, private readonly file: FileHandle) {}

  next(): Promise<Frame> {
    return Promise.resolve().then(() => {
      const frame = this.reader.read(
        this.blocks.takeBack() ?? new ArrayBuffer(0), (sizeBytes) => new ArrayBuffer(sizeBytes),
      )
      this.blocks.lend(frame.buffer, eventCount(frame.content))
      return { ...frame, order: null }
    })
  }

  async close(): Promise<void> {
    await this.file.close()
  }
}
