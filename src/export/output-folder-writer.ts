import { createReadStream } from 'node:fs'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeFolder } from '../files/folder-writer.js'
import { removeLeftovers, partName } from '../files/leftover-writer.js'

/**
 * Makes the folder where it is missing and removes what ended processes left unfinished in it. In a folder that cannot
 * be written nothing is removed: what stands there may be whole already. Throws OUTPUT_FAILED where there is no folder
 * and none can be made.
 */
export async function enterFolder(path: string): Promise<void> {
  await makeFolder(path)
  const probe = join(path, partName('probe'))
  try {
    await writeFile(probe, '', { flag: 'wx' })
    await removeLeftovers(probe)
  } catch {
    // Whoever writes into it is refused in a sentence of its own.
  } finally {
    await rm(probe, { force: true }).catch(() => undefined)
  }
}

/** Size and checksum of a file, in the manifest's form; null where there is none. */
export async function fileFacts(path: string): Promise<{ sizeBytes: number; checksum: string } | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) return null
  let crc = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Uint8Array>)
    crc = crc32(chunk, crc)
  return { sizeBytes: found.size, checksum: `crc32:${crc.toString(16).padStart(8, '0')}` }
}
