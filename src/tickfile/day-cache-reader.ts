import { createHash } from 'node:crypto'
import { open, utimes, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { batchFromFrame, CACHE_MAGIC, FRAME_COLUMNS_LIMIT, FRAME_HEAD_BYTES, FRAME_JSON_LIMIT, type BatchFrame, type EndFrame, type StartFrame } from './day-cache-frame.js'
import { cacheFileName } from './day-cache-name.js'
import { keptReading, type DayCache } from './day-cache-writer.js'
import { epochDayFromFileName } from './file-day.js'
import { masterDataFromLine } from './master-data.js'
import type { Reading, ReadingSummary, ReadOptions } from './reading.js'
import { readTickFile } from './tick-file-reader.js'
import type { TickSource } from './tick-source.js'
import { epochDayFromText } from '../model/time.js'

interface Frame {
  readonly content: StartFrame | BatchFrame | EndFrame
  readonly buffer: ArrayBuffer
  readonly columnsAt: number
}

/** Reads the frames of a cached day one after the other, into two blocks of memory in turn. */
class FrameReader {
  readonly #file: FileHandle
  readonly #path: string
  readonly #blocks: [ArrayBuffer, ArrayBuffer] = [new ArrayBuffer(0), new ArrayBuffer(0)]
  #turn = 0
  #at = 0

  constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  async checkMagic(): Promise<void> {
    const magic = await this.#bytes(new Uint8Array(CACHE_MAGIC.length))
    if (magic.some((byte, index) => byte !== CACHE_MAGIC[index])) throw this.damaged('its first bytes are not ours')
  }

  async next(): Promise<Frame> {
    const head = await this.#bytes(new Uint8Array(FRAME_HEAD_BYTES))
    const numbers = new DataView(head.buffer)
    const [jsonBytes, columnBytes, checksum] = [numbers.getUint32(0, true), numbers.getUint32(4, true), numbers.getUint32(8, true)]
    if (jsonBytes > FRAME_JSON_LIMIT || columnBytes > FRAME_COLUMNS_LIMIT) throw this.damaged('a frame says an impossible length')
    // Columns begin at a multiple of eight, the JSON lies right before them.
    const columnsAt = Math.ceil(jsonBytes / 8) * 8
    const buffer = this.#block(columnsAt + columnBytes)
    const bytes = await this.#bytes(new Uint8Array(buffer, columnsAt - jsonBytes, jsonBytes + columnBytes))
    if (crc32(bytes) !== checksum) throw this.damaged('a checksum does not match')
    return { content: JSON.parse(new TextDecoder().decode(bytes.subarray(0, jsonBytes))) as Frame['content'], buffer, columnsAt }
  }

  damaged(words: string): BacktapeError {
    const sentence = `Cannot read the cached day ${this.#path}: ${words} near byte ${String(this.#at)}; delete it, it is made again from its source`
    return new BacktapeError('FILE_UNREADABLE', sentence, { file: this.#path, byteOffset: this.#at })
  }

  #block(sizeBytes: number): ArrayBuffer {
    this.#turn = 1 - this.#turn
    const block = this.#blocks[this.#turn] as ArrayBuffer
    if (block.byteLength >= sizeBytes) return block
    const larger = new ArrayBuffer(sizeBytes + (sizeBytes >> 2))
    this.#blocks[this.#turn] = larger
    return larger
  }

  async #bytes<T extends Uint8Array>(target: T): Promise<T> {
    let filled = 0
    while (filled < target.length) {
      const { bytesRead } = await this.#file.read(target, filled, target.length - filled, this.#at)
      if (bytesRead === 0) throw this.damaged('it ends before it is whole')
      filled += bytesRead
      this.#at += bytesRead
    }
    return target
  }
}

/** SHA-256 of a source's bytes, 64 hex digits: reads it once. */
async function contentDigest(source: TickSource): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source.open({ reuseChunks: true })) hash.update(chunk)
  return hash.digest('hex')
}

/** A reading, and the SHA-256 of its source where it was needed already. */
export interface CachedReading {
  readonly reading: Reading
  /** 64 hex digits; null for a source that can be read once only: such a one is not cached. */
  readonly sha256: string | null
}

/**
 * Opens a tick file through a cache of decoded days: the first reading keeps its columns there, a later one of the same bytes streams
 * them from the disk. The same events come either way. Throws what {@link readTickFile} throws, and FILE_UNREADABLE for a cached day
 * that is damaged.
 */
export async function readCachedDay(source: TickSource, options: ReadOptions, cache: DayCache): Promise<CachedReading> {
  if (!source.repeatable) return { reading: await readTickFile(source, options), sha256: null }
  const sha256 = await contentDigest(source)
  const day = options.day === undefined ? epochDayFromFileName(source.fileName) : epochDayFromText(options.day)
  const name = cacheFileName(sha256, day, options)
  const path = join(cache.folder, name)
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return { reading: keptReading(await readTickFile(source, options), cache, name), sha256 }
  try {
    return { reading: await cachedReading(file, path, source, day), sha256 }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function cachedReading(file: FileHandle, path: string, source: TickSource, day: number | null): Promise<Reading> {
  const frames = new FrameReader(file, path)
  await frames.checkMagic()
  const { content } = await frames.next()
  if (content.kind !== 'start') throw frames.damaged('it does not begin with master data')
  const { instrument, underlyings, text: masterDataText } = masterDataFromLine(content.masterDataText, source.name)
  const summary: { -readonly [K in keyof ReadingSummary]: ReadingSummary[K] } = {
    eventCount: 0, lineCount: 1, compressedBytes: 0, textBytes: 0, unknownTypes: new Map(), damagedLineCount: 0, damages: [],
  }
  let isTaken = false
  // Each time a day is used it becomes the newest.
  const now = new Date()
  await utimes(path, now, now).catch(() => {})
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    if (isTaken) throw new BacktapeError('OPTION_INVALID', `Cannot read ${source.name} twice: a reading gives its batches once; open the file again`, { file: source.name })
    isTaken = true
    try {
      let ahead = frames.next()
      for (;;) {
        const frame = await ahead
        if (frame.content.kind === 'end') {
          const { unknownTypes, ...rest } = frame.content.summary
          Object.assign(summary, rest, { unknownTypes: new Map(unknownTypes) })
          return
        }
        if (frame.content.kind !== 'batch') throw frames.damaged('it begins twice')
        ahead = frames.next()
        ahead.catch(() => {})
        summary.eventCount += frame.content.count
        yield batchFromFrame(frame.content, instrument, frame.buffer, frame.columnsAt)
      }
    } finally {
      await file.close()
    }
  }
  return {
    name: source.name, fileName: source.fileName, instrument, underlyings, masterDataText, day, summary, batches,
    async close(): Promise<void> {
      if (!isTaken) await file.close()
      isTaken = true
    },
  }
}
