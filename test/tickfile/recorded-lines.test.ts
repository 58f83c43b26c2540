import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { EVENT_FLAGS } from '../../src/model/event-batch.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { plainFromBatch, plainFromLine } from '../support/naive-tick-line.js'
import { dayFiles, sharedData } from '../support/shared-data.js'
import { pathSource } from '../support/tick-text.js'
import { openTextStream } from '../../src/tickfile/zstd/text-stream.js'

interface Expected { readonly events: number; readonly counts: Record<string, number>; readonly trades_fills: number; readonly book_chain_gaps: number; readonly trade_chain_gaps: number }

async function linesOf(path: string): Promise<string[]> {
  const slots = { buffer: new SharedArrayBuffer(2_097_152), offsets: [0, 1_048_576], capacityBytes: 1_048_576 }
  const stream = openTextStream(pathSource(path).open(), slots, { fileName: path, zstd: 'auto', windowLimitBytes: 134_217_728 })
  const parts: Uint8Array[] = []
  for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
    const start = slots.offsets[filled.slot] ?? 0
    parts.push(new Uint8Array(slots.buffer).slice(start, start + filled.lengthBytes))
    stream.release(filled.slot)
  }
  return Buffer.concat(parts).toString().split('\n').slice(1).filter((line) => line !== '')
}

const expectations = dayFiles.length === 0 ? {} : JSON.parse(readFileSync(sharedData('expected/file-stats.json'), 'utf8')) as Record<string, Expected>

for (const path of dayFiles) {
  test(`${basename(path)}: both decoders say what the lines say`, { timeout: 180_000 }, async () => {
    const lines = await linesOf(path)
    for (const decoder of ['wasm', 'javascript'] as const) {
      const reading = await readTickFile(pathSource(path), { lines: decoder })
      const gaps = [0, 0, 0]
      let index = 0
      for await (const batch of reading.batches()) {
        for (let i = 0; i < batch.count; i++, index++) {
          // A fifth of the events of the WASM decoder, fewer of its twin: the naive side is slow.
          if (index % (decoder === 'javascript' ? 29 : 5) !== 0) continue
          const found = JSON.stringify(plainFromBatch(batch, i))
          const wanted = JSON.stringify(plainFromLine(lines[index] ?? ''))
          if (found !== wanted) expect(`${String(index + 2)}: ${found}`).toBe(`${String(index + 2)}: ${wanted}`)
        }
        for (let i = 0; i < batch.count; i++) {
          if (((batch.flags[i] ?? 0) & EVENT_FLAGS.CHAIN_GAP) === 0) continue
          const kind = batch.kind[i] ?? 0
          gaps[kind === 2 ? 1 : kind < 2 ? 0 : 2] = (gaps[kind === 2 ? 1 : kind < 2 ? 0 : 2] ?? 0) + 1
        }
      }
      const expected = expectations[basename(path)]
      expect(index).toBe(lines.length)
      expect([index, gaps[0], gaps[1]]).toEqual([expected?.events, expected?.book_chain_gaps, expected?.trade_chain_gaps])
    }
  })
}
