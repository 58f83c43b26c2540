import type { SameStamp } from '../../model/exchange-order.js'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../../model/error.js'
import { batchByteLength, copyBatch } from '../../model/event-batch-columns.js'
import type { EventBatch } from '../../model/event-batch.js'
import { BookTracker } from '../../book/book-tracker.js'
import {
  batchFrame, CACHE_MAGIC, FRAME_HEAD_BYTES, trackColumns, trackFrame, type EndFrame, type StartFrame,
} from './day-cache-frame.js'
import { CACHE_SUFFIX } from './day-cache-name.js'
import { SOURCE_SUFFIX } from './source-memory-writer.js'
import type { Reading } from '../lines/reading.js'
import { makeFolder } from '../../files/folder-writer.js'
import { outputError, systemCode } from '../../files/output-fault.js'
import { createWholeFile, type WholeFile } from '../../files/whole-file-writer.js'

/** Where decoded days are kept, and how many bytes of them. */
export interface DayCache {
  readonly folder: string
  readonly limitBytes: number
  /** Large days come with the exchange order of each batch by itself (`replay/batch-order`); absent: without. */
  readonly sameStamp?: SameStamp
  /** Receives a sentence where days cannot be kept or a kept one is damaged; the reading goes on without. */
  readonly onNote?: (sentence: string) => void
}

/** Notes that days are not kept, and why. */
function noteUnkept({ folder, onNote }: DayCache, cause: unknown): void {
  const reason = outputError(folder, cause).message.replace(/^Cannot write .*?: /s, '')
  onNote?.(`Decoded days are not kept in ${folder}: ${reason}. The run goes on without`)
}

/**
 * Makes the folder of a cache. Throws OUTPUT_FAILED where there can be none; a full disk is noted, as a run can go on
 * without kept days.
 */
export async function openDayCache(cache: DayCache): Promise<void> {
  try {
    await makeFolder(cache.folder)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : error
    if (!['ENOSPC', 'EDQUOT'].includes(systemCode(cause))) throw error
    noteUnkept(cache, cause)
  }
}

/** Writes one day's frames. */
class DayWriter {
  private readonly tracker = new BookTracker()
  private buffer = new ArrayBuffer(0)
  private sizeBytes = 0

  constructor(private readonly file: WholeFile, private readonly limitBytes: number) {}

  get isTooLarge(): boolean {
    return this.sizeBytes > this.limitBytes
  }

  async start(masterDataText: string): Promise<void> {
    await this.write(CACHE_MAGIC)
    await this.frame({ kind: 'start', masterDataText } satisfies StartFrame)
  }

  async batch(batch: EventBatch): Promise<void> {
    const needed = batchByteLength(batchFrame(batch).capacity)
    if (needed > this.buffer.byteLength) this.buffer = new ArrayBuffer(needed * 2)
    const copy = copyBatch(batch, { buffer: this.buffer })
    const frame = batchFrame(copy)
    const columns = new Uint8Array(this.buffer, 0, batchByteLength(frame.capacity))
    const found = this.tracker.track(copy)
    if (found === null) await this.frame(frame, columns)
    else await this.frame({ ...frame, track: trackFrame(found, copy) }, columns, ...trackColumns(found))
  }

  async end({ summary }: Reading): Promise<void> {
    const {
      eventCount, lineCount, compressedBytes, textBytes, damagedLineCount, damages, unknownTypes, cut, jumpedLineCount,
      clockJumps: { count, first }, farTimeCount,
    } = summary
    const frame: EndFrame = {
      kind: 'end',
      summary: {
        eventCount, lineCount, compressedBytes, textBytes, damagedLineCount, damages, unknownTypes: [...unknownTypes],
        jumpedLineCount, clockJumps: { count, first }, farTimeCount, ...(cut === null ? {} : { cut }),
      },
    }
    await this.frame(frame)
  }

  private async frame(frame: object, ...columns: readonly (Float64Array | Uint8Array)[]): Promise<void> {
    const json = new TextEncoder().encode(JSON.stringify(frame))
    // The checksum of nothing after something is 0 in Node, not that of something.
    const parts = columns
      .filter(({ length }) => length > 0)
      .map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))
    const head = new DataView(new ArrayBuffer(FRAME_HEAD_BYTES))
    head.setUint32(0, json.length, true)
    head.setUint32(4, parts.reduce((sum, { length }) => sum + length, 0), true)
    head.setUint32(8, parts.reduce((checksum, part) => crc32(part, checksum), crc32(json)), true)
    await this.write(new Uint8Array(head.buffer))
    for (const part of [json, ...parts]) await this.write(part)
  }

  private async write(bytes: Uint8Array): Promise<void> {
    this.sizeBytes += bytes.length
    if (bytes.length > 0 && !this.isTooLarge) await this.file.write(bytes)
  }
}

/** A day on its way into the cache; what fails of it is noted, and the rest is not kept. */
class KeptDay {
  private file: WholeFile | null = null
  private writer: DayWriter | null = null

  constructor(private readonly cache: DayCache, private readonly fileName: string) {}

  start(masterDataText: string): Promise<void> {
    return this.noted(async () => {
      const { folder, limitBytes } = this.cache
      await makeFolder(folder)
      this.file = await createWholeFile(join(folder, this.fileName), { force: true })
      this.writer = new DayWriter(this.file, limitBytes)
      await this.writer.start(masterDataText)
    })
  }

  /** Nothing where the day is not kept: a batch costs no promise chain then. */
  batch(batch: EventBatch): Promise<void> | undefined {
    const writer = this.writer
    return writer === null ? undefined : this.noted(() => writer.batch(batch))
  }

  end(reading: Reading): Promise<void> {
    return this.noted(async () => {
      await this.writer?.end(reading)
      if (this.file === null || this.writer === null || this.writer.isTooLarge) return
      await this.file.commit()
      await removeOldest(this.cache, this.fileName)
    })
  }

  async abort(): Promise<void> {
    this.writer = null
    await this.file?.abort()
  }

  private async noted(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await this.abort()
      noteUnkept(this.cache, error instanceof BacktapeError ? error.cause ?? error : error)
    }
  }
}

/**
 * The same reading, whose batches are kept in the cache as they pass; the cached day appears when the last one has. A
 * day larger than the cache's limit is read all the same and not kept; so is one that cannot be written, with a note.
 */
export function keptReading(reading: Reading, cache: DayCache, fileName: string): Reading {
  async function* batches(): AsyncGenerator<EventBatch, void, undefined> {
    const kept = new KeptDay(cache, fileName)
    await kept.start(reading.masterDataText)
    try {
      for await (const batch of reading.batches()) {
        if (batch.count > 0) await kept.batch(batch)
        yield batch
      }
      await kept.end(reading)
    } finally {
      await kept.abort()
    }
  }
  return Object.create(reading, { batches: { value: batches }, close: { value: () => reading.close() } }) as Reading
}

/**
 * Removes the days, and what is remembered of sources, that were used longest ago until the rest is within the limit;
 * the one just written stays.
 */
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
