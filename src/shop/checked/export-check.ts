import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BacktapeError } from '../../model/error.js'
import { openRowFile } from '../../tables/reading/row-file-reader.js'
import type { CheckDepth } from './tick-check.js'

const CHUNK_BYTES = 1 << 18

/** Unpacks gzip to its end: checksums and lengths must be those that it states. Throws FILE_UNREADABLE. */
export async function checkGzip(bytes: AsyncIterable<Uint8Array>, name: string): Promise<void> {
  let sizeBytes = 0
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of bytes) {
      sizeBytes += piece.length
      // The stream reads ahead, and the memory of a piece is used again.
      yield piece.slice()
    }
  }
  const source = Readable.from(counted(), { highWaterMark: 1 })
  const unpacker = createGunzip({ chunkSize: CHUNK_BYTES })
  source.on('error', (error) => unpacker.destroy(error))
  try {
    for await (const _ of source.pipe(unpacker) as AsyncIterable<Uint8Array>) continue
  } catch (error) {
    throw damage(name, error instanceof Error ? error.message : String(error), error)
  } finally {
    source.destroy()
    unpacker.destroy()
  }
  if (unpacker.bytesWritten !== sizeBytes) throw damage(name, `bytes behind its end at ${unpacker.bytesWritten}`)
}

function damage(name: string, found: string, cause?: unknown): BacktapeError {
  const expected = 'a gzip file that is whole'
  const sentence = `Cannot read ${name}: it must be ${expected}, found ${found}`
  return new BacktapeError('FILE_UNREADABLE', sentence, { file: name, expected, found: found.slice(0, 80) }, cause)
}

/** Reads the end of a Parquet file, which says where all lies; with `audit` every row. Throws FILE_UNREADABLE. */
export async function checkParquet(path: string, depth: CheckDepth): Promise<void> {
  const file = await openRowFile(path)
  try {
    if (depth === 'audit') while ((await file.next()) !== null) continue
  } finally {
    await file.close()
  }
}
