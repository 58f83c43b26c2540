import { expect, test } from 'vitest'
import { isSkippedMember, openSources } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { plainFromBatch, plainFromLine } from '../support/naive-tick-line.js'
import { bundleFiles } from '../support/shared-data.js'
import { openTextStream } from '../../src/tickfile/zstd/text-stream.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'

async function linesOf(source: TickSource): Promise<string[]> {
  const slots = { buffer: new SharedArrayBuffer(2_097_152), offsets: [0, 1_048_576], capacityBytes: 1_048_576 }
  const stream = openTextStream(source.open(), slots, { fileName: source.name, zstd: 'auto', windowLimitBytes: 134_217_728 })
  const parts: Uint8Array[] = []
  for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
    const start = slots.offsets[filled.slot] ?? 0
    parts.push(new Uint8Array(slots.buffer).slice(start, start + filled.lengthBytes))
    stream.release(filled.slot)
  }
  return Buffer.concat(parts).toString().split('\n').slice(1).filter((line) => line !== '')
}

const options = bundleFiles.find((path) => path.includes('options') && path.endsWith('.tar'))

test.skipIf(options === undefined)('options with greeks and 16-digit marks: both decoders say what the lines say', async () => {
  let members = 0
  for await (const source of openSources(options ?? '')) {
    if (isSkippedMember(source)) continue
    members++
    const wanted = (await linesOf(source)).map((line) => JSON.stringify(plainFromLine(line)))
    for (const lines of ['wasm', 'javascript'] as const) {
      const found: string[] = []
      const reading = await readTickFile(source, { lines })
      for await (const batch of reading.batches()) for (let i = 0; i < batch.count; i++) found.push(JSON.stringify(plainFromBatch(batch, i)))
      expect(found).toEqual(wanted)
    }
  }
  expect(members).toBe(10)
})
