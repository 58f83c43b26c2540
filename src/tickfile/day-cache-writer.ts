import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { batchByteLength, copyBatch } from '../model/event-batch-columns.js'
import type { EventBatch } from '../model/event-batch.js'
import { BookTracker } from './book-tracker.js'
import { batchFrame, CACHE_MAGIC, FRAME_HEAD_BYTES, trackColumns, trackFrame, type EndFrame, type StartFrame } from './day-cache-frame.js'
import { CACHE_SUFFIX } from './day-cache-name.js'
import { SOURCE_SUFFIX } from './source-memory-writer.js'
import type { Reading } from './reading.js'
import { makeFolder } from '../files/folder-writer.js'
import { createWholeFile, type WholeFile } from '../files/whole-file-writer.js'

/** Where decoded days are kept, and how many bytes of them. */
export interface DayCache {
  readonly folder: string
  readonly limitBytes: number
}

/** Writes one day's frames. */
class DayWriter {
  readonly #file: WholeFile
  readonly #limitBytes: number
  readonly #tracker = new BookTracker()
  #buffer = new ArrayBuffer(0)
  #sizeBytes = 0

  constructor(file: WholeFile, limitBytes: number) {
    this.#file = file
    this.#limitBytes = limitBytes
  }

  get isTooLarge(): boolean {
    return this.#sizeBytes > this.#limitBytes
  }

  async start(masterDataText: string): Promise<void> {
    await this.#write(CACHE_MAGIC)
    await this.#frame({ kind: 'start', masterDataText } satisfies StartFrame)
  }

  async batch(batch: EventBatch): Promise<void> {
    const needed = batchByteLength(batchFrame(batch).capacity)
    if (needed > this.#buffer.byteLength) this.#buffer = new ArrayBuffer(needed * 2)
    const copy = copyBatch(batch, { buffer: this.#buffer })
    const frame = batchFrame(copy)
    const columns = new Uint8Array(this.#buffer, 0, batchByteLength(frame.capacity))
    const found = this.#tracker.track(copy)
    if (found === null) await this.#frame(frame, columns)
    else await this.#frame({ ...frame, track: trackFrame(found) }, columns, ...trackColumns(found))
  }

  async end({ summary }: Reading): Promise<void> {
    const { eventCount, lineCount, compressedBytes, textBytes, damagedLineCount, damages, unknownTypes } = summary
    const frame: EndFrame = { kind: 'end', summary: { eventCount, lineCount, compressedBytes, textBytes, damagedLineCount, damages, unknownTypes: [...unknownTypes] } }
    await this.#frame(frame)
  }

  async #frame(frame: object, ...columns: readonly (Float64Array | Uint8Array)[]): Promise<void> {
    const json = new TextEncoder().encode(JSON.stringify(frame))
    // The checksum of nothing after something is 0 in Node, not that of something.
    const parts = columns.filter(({ length }) => length > 0).map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))
    const head = new DataView(new ArrayBuffer(FRAME_HEAD_BYTES))
    head.setUint32(0, json.length, true)
    head.setUint32(4, parts.reduce((sum, { length }) => sum + length, 0), true)
    head.setUint32(8, parts.reduce((checksum, part) => crc32(part, checksum), crc32(json)), true)
    await this.#write(new Uint8Array(head.buffer))
    for (const part of [json, ...parts]) await this.#write(part)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#sizeBytes += bytes.length
    if (bytes.length > 0 && !this.isTooLarge) await this.#file.write(bytes)
  }
}

/**
 * The same reading, whose batches are kept in the cache as they pass; the cached day appears when the last one has. A day larger
 * than the cache's limit is read all the same and not kept. Throws OUTPUT_FAILED where the folder cannot be written.
 */
export function keptReading(reading: Reading, cache: DayCache, fileName: string): Reading {
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    await makeFolder(cache.folder)
    const file = await createWholeFile(join(cache.folder, fileName), { force: true })
    let isWhole = false
    try {
      const writer = new DayWriter(file, cache.limitBytes)
      await writer.start(reading.masterDataText)
      for await (const batch of reading.batches()) {
        if (batch.count > 0) await writer.batch(batch)
        yield batch
      }
      await writer.end(reading)
      isWhole = !writer.isTooLarge
      if (isWhole) {
        await file.commit()
        await removeOldest(cache, fileName)
      }
    } finally {
      if (!isWhole) await file.abort()
    }
  }
  return Object.create(reading, { batches: { value: batches }, close: { value: () => reading.close() } }) as Reading
}

/** Removes the days, and what is remembered of sources, that were used longest ago until the rest is within the limit; the one just written stays. */
async function removeOldest({ folder, limitBytes }: DayCache, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(CACHE_SUFFIX) || name.endsWith(SOURCE_SUFFIX))
  const days: { readonly name: string; readonly sizeBytes: number; readonly usedMs: number }[] = []
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found !== null) days.push({ name, sizeBytes: found.size, usedMs: found.mtimeMs })
  }
  days.sort((a, b) => (a.name === newest ? -1 : b.name === newest ? 1 : b.usedMs - a.usedMs))
  let sum = 0
  for (const { name, sizeBytes } of days) {
    sum += sizeBytes
    if (sum > limitBytes && name !== newest) await rm(join(folder, name), { force: true })
  }
}
