import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import type { FoundTable } from './catalog-day.js'

async function checksumOf(path: string): Promise<string> {
  let crc = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) crc = crc32(chunk as Uint8Array, crc)
  return `crc32:${crc.toString(16).padStart(8, '0')}`
}

/**
 * Compares a table with the checksum that the manifest of its folder lists; a table that no manifest lists is taken as
 * it stands. Throws OUTPUT_DIFFERS, FILE_UNREADABLE.
 */
export async function checkTable({ stamp, listed }: FoundTable): Promise<void> {
  if (listed === null) return
  const { path } = stamp
  const found = await checksumOf(path).catch((error: unknown) => {
    throw new BacktapeError('FILE_UNREADABLE', `Cannot read ${path}: ${String(error)}`, { file: path }, error)
  })
  if (found === listed.checksum) return
  throw new BacktapeError(
    'OUTPUT_DIFFERS',
    `Cannot read ${path}: its checksum must be ${listed.checksum} by the manifest of its folder, found ${found}; ` +
      'convert its tick file again',
    { file: path, expected: listed.checksum, found },
  )
}
