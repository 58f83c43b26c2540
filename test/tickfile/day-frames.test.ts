import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { giveBackBatch, keepBatch } from '../../src/model/batch-loan.js'
import { BATCH_CAPACITY, createBatch, sliceBatch } from '../../src/model/event-batch-columns.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'
import { batchFromFrame, type BatchFrame } from '../../src/tickfile/cache/day-cache-frame.js'
import { keptReading } from '../../src/tickfile/cache/day-cache-writer.js'
import { ThreadFrames } from '../../src/tickfile/cache/day-frame-client.js'
import { FrameReader, LocalFrames, type Frame, type FrameSource } from '../../src/tickfile/cache/day-frame-reader.js'
import type { BatchOrder } from '../../src/replay/batch-order.js'
import { BatchOrders } from '../../src/replay/batch-order-making.js'
import type { Reading } from '../../src/tickfile/lines/reading.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-frames-'))
  const reading = await readTickFile(await openSource(join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')))
  async function* manyTimes(): AsyncGenerator<EventBatch> {
    for await (const batch of reading.batches()) for (let i = 12; i >= 1; i--) yield sliceBatch(batch, 0, Math.floor((batch.count * i) / 12))
  }
  const kept = keptReading(Object.create(reading, { batches: { value: manyTimes } }) as Reading, { folder, limitBytes: 1e9 }, 'a.backtape-day')
  for await (const batch of kept.batches()) void batch
  path = join(folder, 'a.backtape-day')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function textOf({ content, buffer, columnsAt }: Frame): string {
  const columns = content.kind === 'batch' ? Buffer.from(new Uint8Array(buffer, columnsAt, 1000).slice()).toString('hex') : ''
  return JSON.stringify(content) + columns
}

/** Everything of all frames, copied as they come: their memory is used again. */
async function contents(frames: FrameSource): Promise<string[]> {
  const seen: string[] = []
  try {
    for (;;) {
      const frame = await frames.next()
      seen.push(textOf(frame))
      if (frame.content.kind === 'end') return seen
    }
  } finally {
    await frames.close()
  }
}

/** An order with a digest of each column: to compare long ones value by value takes seconds. */
function orderText(order: BatchOrder): string {
  const digest = (column: ArrayBufferView): string => createHash('sha256').update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength)).digest('hex')
  return JSON.stringify(order, (_key, value: unknown) => (ArrayBuffer.isView(value) ? digest(value) : typeof value === 'number' ? String(value) : value))
}

async function firstFrameAt(): Promise<number> {
  const file = await open(path, 'r')
  const reader = new FrameReader(file.fd, path, 0)
  reader.checkMagic()
  reader.read(new ArrayBuffer(0), (sizeBytes) => new ArrayBuffer(sizeBytes))
  await file.close()
  return reader.byteOffset
}

async function both(): Promise<{ readonly local: FrameSource, readonly thread: FrameSource }> {
  const file = await open(path, 'r')
  const reader = new FrameReader(file.fd, path, 0)
  reader.checkMagic()
  reader.read(new ArrayBuffer(0), (sizeBytes) => new ArrayBuffer(sizeBytes))
  return { local: new LocalFrames(reader, file), thread: new ThreadFrames({ path, byteOffset: reader.byteOffset, sameStamp: null }) }
}

describe('frames of a cached day', () => {
  test('come the same out of this thread and out of another one', async () => {
    const { local, thread } = await both()
    const seen = await contents(local)
    expect(seen.length).toBeGreaterThan(3)
    expect(await contents(thread)).toEqual(seen)
  })

  test('come with the exchange order that is asked for, in the block of the frame', async () => {
    for (const sameStamp of ['trades', 'file'] as const) {
      const frames = new ThreadFrames({ path, byteOffset: await firstFrameAt(), sameStamp })
      const orders = new BatchOrders(sameStamp)
      for (let orderCount = 0; ; orderCount++) {
        const { content, buffer, columnsAt, order } = await frames.next()
        if (content.kind !== 'batch') {
          expect([content.kind, order, orderCount > 3]).toEqual(['end', null, true])
          break
        }
        const made = orders.orderOf(batchFromFrame(content, {} as Instrument, buffer, columnsAt), (sizeBytes) => ({ buffer: new ArrayBuffer(sizeBytes), byteOffset: 0 }))
        expect(orderText(order!)).toBe(orderText(made!))
        expect(order!.timeNs.buffer).toBe(buffer)
      }
      await frames.close()
    }
  })

  test('that somebody keeps stay as they are while the others are read, in memory that is used again once it is given back', async () => {
    const { local, thread } = await both()
    const seen = await contents((await both()).local)
    for (const frames of [local, thread]) {
      const kept: Frame[] = []
      const blocks = new Set<ArrayBufferLike>()
      for (let number = 0; ; number++) {
        const frame = await frames.next()
        blocks.add(frame.buffer)
        if (frame.content.kind === 'end') break
        if (frame.content.kind !== 'batch') continue
        const batch = batchFromFrame(frame.content, {} as Instrument, frame.buffer, frame.columnsAt)
        expect(keepBatch(sliceBatch(batch, 0, batch.count - 1))).toBe(false)
        expect(keepBatch(batch)).toBe(true)
        kept.push(frame)
        expect(kept.map(textOf)).toEqual(seen.slice(number + 1 - kept.length, number + 1))
        if (kept.length <= 2) continue
        const { content, buffer, columnsAt } = kept.shift()!
        expect(giveBackBatch(batchFromFrame(content as BatchFrame, {} as Instrument, buffer, columnsAt))).toBe(true)
      }
      await frames.close()
      // Shared memory comes out of another thread as a new object each time.
      if (frames === local) expect(blocks.size).toBeLessThan(6)
    }
    const own = createBatch({ instrument: {} as Instrument, epochDay: 0, capacity: BATCH_CAPACITY })
    expect([keepBatch(own), giveBackBatch(own)]).toEqual([false, false])
  })

  test('that were damaged or cut are the same error out of both', async () => {
    const bytes = readFileSync(path)
    for (const change of ['byte', 'cut'] as const) {
      writeFileSync(path, bytes)
      if (change === 'cut') truncateSync(path, bytes.length - 10)
      else writeFileSync(path, bytes.map((byte, at) => (at === bytes.length - 100_000 ? byte ^ 1 : byte)))
      const { local, thread } = await both()
      const said = await contents(local).then(() => 'whole', (error: unknown) => (error as Error).message)
      expect(said).toMatch(/^Cannot read the cached day .*(checksum|ends before).* near byte \d+; delete it/)
      await expect(contents(thread)).rejects.toThrow(said)
    }
  })

  test('of a file that is gone are an error of the thread that says which', async () => {
    const thread = new ThreadFrames({ path: join(folder, 'none'), byteOffset: 0, sameStamp: null })
    await expect(contents(thread)).rejects.toMatchObject({ code: 'FILE_UNREADABLE', message: expect.stringContaining(join(folder, 'none')) as string })
  })
})
