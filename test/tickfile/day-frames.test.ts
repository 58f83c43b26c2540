import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sliceBatch } from '../../src/model/event-batch-columns.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { keptReading } from '../../src/tickfile/day-cache-writer.js'
import { ThreadFrames } from '../../src/tickfile/day-frame-client.js'
import { FrameReader, LocalFrames, type FrameSource } from '../../src/tickfile/day-frame-reader.js'
import type { Reading } from '../../src/tickfile/reading.js'
import { openSource } from '../../src/tickfile/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { datasetsFolder } from '../support/datasets-folder.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-frames-'))
  const reading = await readTickFile(await openSource(join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')))
  async function* manyTimes(): AsyncGenerator<EventBatch> {
    for await (const batch of reading.batches()) for (let i = 1; i <= 6; i++) yield sliceBatch(batch, 0, Math.floor((batch.count * i) / 6))
  }
  const kept = keptReading(Object.create(reading, { batches: { value: manyTimes } }) as Reading, { folder, limitBytes: 1e9 }, 'a.backtape-day')
  for await (const batch of kept.batches()) void batch
  path = join(folder, 'a.backtape-day')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Everything of all frames, copied as they come: their memory is used again. */
async function contents(frames: FrameSource): Promise<string[]> {
  const seen: string[] = []
  try {
    for (;;) {
      const { content, buffer, columnsAt } = await frames.next()
      const columns = content.kind === 'batch' ? Buffer.from(new Uint8Array(buffer, columnsAt, 1000).slice()).toString('hex') : ''
      seen.push(JSON.stringify(content) + columns)
      if (content.kind === 'end') return seen
    }
  } finally {
    await frames.close()
  }
}

async function both(): Promise<{ readonly local: FrameSource, readonly thread: FrameSource }> {
  const file = await open(path, 'r')
  const reader = new FrameReader(file, path, 0)
  await reader.checkMagic()
  await reader.read(new ArrayBuffer(0), (sizeBytes) => new ArrayBuffer(sizeBytes))
  return { local: new LocalFrames(reader, file), thread: new ThreadFrames({ path, byteOffset: reader.byteOffset }) }
}

describe('frames of a cached day', () => {
  test('come the same out of this thread and out of another one', async () => {
    const { local, thread } = await both()
    const seen = await contents(local)
    expect(seen.length).toBeGreaterThan(3)
    expect(await contents(thread)).toEqual(seen)
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
    const thread = new ThreadFrames({ path: join(folder, 'none'), byteOffset: 0 })
    await expect(contents(thread)).rejects.toMatchObject({ code: 'FILE_UNREADABLE', message: expect.stringContaining(join(folder, 'none')) as string })
  })
})
