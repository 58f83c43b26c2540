import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { CACHE_MAGIC, FRAME_COLUMNS_LIMIT, FRAME_HEAD_BYTES, FRAME_JSON_LIMIT, type BatchFrame, type EndFrame, type StartFrame } from './day-cache-frame.js'

/** One frame of a cached day, in memory that belongs to its reader. */
export interface Frame {
  readonly content: StartFrame | BatchFrame | EndFrame
  readonly buffer: ArrayBufferLike
  readonly columnsAt: number
}

/** Frames one after the other. A frame's memory is used again once the next one is asked for. */
export interface FrameSource {
  next(): Promise<Frame>
  close(): Promise<void>
}

/** What a cached day is refused with. */
export function damagedDay(path: string, words: string, byteOffset: number): BacktapeError {
  const sentence = `Cannot read the cached day ${path}: ${words} near byte ${String(byteOffset)}; delete it, it is made again from its source`
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: path, byteOffset })
}

/** Reads and checks the frames of a cached day. */
export class FrameReader {
  /** Where the next frame begins. */
  byteOffset: number
  readonly #file: FileHandle
  readonly #path: string

  constructor(file: FileHandle, path: string, byteOffset: number) {
    this.#file = file
    this.#path = path
    this.byteOffset = byteOffset
  }

  async checkMagic(): Promise<void> {
    const magic = await this.#bytes(new Uint8Array(CACHE_MAGIC.length))
    if (magic.some((byte, index) => byte !== CACHE_MAGIC[index])) throw this.damaged('its first bytes are not ours')
  }

  /** Reads a frame into the memory given, or into more from `allocate` where that is too small. */
  async read(memory: ArrayBufferLike, allocate: (sizeBytes: number) => ArrayBufferLike): Promise<Frame> {
    const head = await this.#bytes(new Uint8Array(FRAME_HEAD_BYTES))
    const numbers = new DataView(head.buffer)
    const [jsonBytes, columnBytes, checksum] = [numbers.getUint32(0, true), numbers.getUint32(4, true), numbers.getUint32(8, true)]
    if (jsonBytes > FRAME_JSON_LIMIT || columnBytes > FRAME_COLUMNS_LIMIT) throw this.damaged('a frame says an impossible length')
    // Columns begin at a multiple of eight, the JSON lies right before them.
    const columnsAt = Math.ceil(jsonBytes / 8) * 8
    const sizeBytes = columnsAt + columnBytes
    const buffer = memory.byteLength >= sizeBytes ? memory : allocate(sizeBytes + (sizeBytes >> 2))
    const bytes = await this.#bytes(new Uint8Array(buffer, columnsAt - jsonBytes, jsonBytes + columnBytes))
    if (crc32(bytes) !== checksum) throw this.damaged('a checksum does not match')
    // A TextDecoder of a browser takes no view of shared memory.
    const json = new TextDecoder().decode(bytes.slice(0, jsonBytes))
    return { content: JSON.parse(json) as Frame['content'], buffer, columnsAt }
  }

  damaged(words: string): BacktapeError {
    return damagedDay(this.#path, words, this.byteOffset)
  }

  async #bytes<T extends Uint8Array>(target: T): Promise<T> {
    let filled = 0
    while (filled < target.length) {
      const { bytesRead } = await this.#file.read(target, filled, target.length - filled, this.byteOffset)
      if (bytesRead === 0) throw this.damaged('it ends before it is whole')
      filled += bytesRead
      this.byteOffset += bytesRead
    }
    return target
  }
}

/** Frames read in this thread, one ahead: for days so small that a thread would cost more. */
export class LocalFrames implements FrameSource {
  readonly #reader: FrameReader
  readonly #file: FileHandle
  readonly #blocks: ArrayBufferLike[] = [new ArrayBuffer(0), new ArrayBuffer(0)]
  #turn = 0
  #ahead: Promise<Frame> | null = null

  constructor(reader: FrameReader, file: FileHandle) {
    this.#reader = reader
    this.#file = file
  }

  async next(): Promise<Frame> {
    const frame = await (this.#ahead ?? this.#read())
    this.#ahead = frame.content.kind === 'end' ? null : this.#read()
    this.#ahead?.catch(() => {})
    return frame
  }

  async close(): Promise<void> {
    await this.#ahead?.catch(() => {})
    await this.#file.close()
  }

  async #read(): Promise<Frame> {
    const turn = 1 - this.#turn
    this.#turn = turn
    const frame = await this.#reader.read(this.#blocks[turn] as ArrayBufferLike, (sizeBytes) => new ArrayBuffer(sizeBytes))
    this.#blocks[turn] = frame.buffer
    return frame
  }
}
