import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Reading } from '../../src/tickfile/lines/reading.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'
import { plainFromBatch, type PlainEvent } from './naive-tick-line.js'
import type { ReadOptions } from '../../src/tickfile/archive/read-options.js'

const BLOCK = 131_072

/** A zstd file of stored blocks: any bytes become a tick file without a compressor. */
export function storedZstd(content: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(content.length / BLOCK))
  const out = new Uint8Array(13 + content.length + blocks * 3)
  const view = new DataView(out.buffer)
  view.setUint32(0, 0xfd2fb528, true)
  out[4] = 0xe0
  view.setBigUint64(5, BigInt(content.length), true)
  let at = 13
  for (let i = 0; i < blocks; i++) {
    const part = content.subarray(i * BLOCK, (i + 1) * BLOCK)
    const head = (part.length << 3) | (i === blocks - 1 ? 1 : 0)
    out.set([head & 255, (head >> 8) & 255, head >> 16], at)
    out.set(part, at + 3)
    at += 3 + part.length
  }
  return out
}

export const MASTER = '{"instrument":{"id":1210,"code":"XRPUSDT","exchange_code":"bitmex","type":"perpetual","ticksize":0.0001,"lot_size":100},"underlyings":[]}'

/** A source over the text of a tick file. */
export function textSource(text: string | Uint8Array, fileName = '1210_2026-06-25.txt.zst'): TickSource {
  const packed = storedZstd(typeof text === 'string' ? new TextEncoder().encode(text) : text)
  return {
    name: fileName,
    fileName,
    sizeBytes: packed.length,
    repeatable: true,
    async *open() {
      yield packed.slice()
    },
  }
}

export function pathSource(path: string): TickSource {
  return { name: basename(path), fileName: basename(path), sizeBytes: null, repeatable: true, open: () => createReadStream(path) }
}

export interface ReadBack {
  readonly events: PlainEvent[]
  readonly batches: { count: number; priceScale: number; quantityScale: number; firstEventIndex: number; epochDay: number; flags: number[] }[]
  readonly error: unknown
  readonly reading: Reading | null
}

/** Reads to the end or the first error, everything in plain words. */
export async function readBack(source: TickSource, options: ReadOptions = {}): Promise<ReadBack> {
  const events: PlainEvent[] = []
  const batches: ReadBack['batches'] = []
  let reading: Reading | null = null
  try {
    reading = await readTickFile(source, options)
    for await (const batch of reading.batches()) {
      const { count, priceScale, quantityScale, firstEventIndex, epochDay } = batch
      batches.push({ count, priceScale, quantityScale, firstEventIndex, epochDay, flags: [...batch.flags.subarray(0, count)] })
      for (let i = 0; i < count; i++) events.push(plainFromBatch(batch, i))
    }
    return { events, batches, error: null, reading }
  } catch (error) {
    return { events, batches, error, reading }
  }
}

/** What the text of one line after the master data reads as. */
export function readLines(lines: string, options: ReadOptions = {}): Promise<ReadBack> {
  return readBack(textSource(`${MASTER}\n${lines}`), options)
}
