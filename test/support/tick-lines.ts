import { decompress } from 'fzstd'
import type { EventBatch } from '../../src/model/event-batch.js'
import { LineEncoder } from '../../src/tickfile/lines/line-encoder.js'
import type { Reading } from '../../src/tickfile/lines/reading.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'
import { createFrameCompressor } from '../../src/files/zstd-compressor.js'
import { bytesOf } from './collected.js'
import type { ReadOptions } from '../../src/tickfile/archive/read-options.js'

/** Lines as a tick file in memory. */
export async function tickSource(fileName: string, lines: readonly string[]): Promise<TickSource> {
  const compress = await createFrameCompressor(1)
  const bytes = compress(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')))
  return {
    name: fileName,
    fileName,
    sizeBytes: bytes.length,
    repeatable: true,
    async *open() {
      yield await Promise.resolve(bytes.slice())
    },
  }
}

/** Lines as an open reading. */
export async function tickReading(fileName: string, lines: readonly string[], options: ReadOptions = {}): Promise<Reading> {
  return readTickFile(await tickSource(fileName, lines), options)
}

/** The whole text of a source, decompressed by fzstd. */
export async function textOf(source: TickSource): Promise<string> {
  return new TextDecoder().decode(decompress(await bytesOf(source.open())))
}

/** The lines that a batch encodes to. */
export function linesOfBatch(batch: EventBatch): string[] {
  const encoder = new LineEncoder()
  encoder.encode(batch)
  return new TextDecoder().decode(encoder.sink.slice()).split('\n').slice(0, -1)
}

/** Master data of a made instrument. */
export function masterLine(more: Record<string, unknown> = {}): string {
  const instrument = { id: 7, code: 'MADE', exchange_code: 'test', type: 'perpetual', ticksize: 0.1, lot_size: '0.001', is_inverse: false, is_quanto: false, ...more }
  return JSON.stringify({ instrument, underlyings: [{ id: 1, code: 'M', name: 'M', type: 'coin', fx_rate: 1, ts_fx: '2025-01-01T00:00:00Z' }] })
}
