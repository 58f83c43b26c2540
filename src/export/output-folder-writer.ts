import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { isAlive, outputError, temporaryOwner } from '../tickfile/whole-file-writer.js'

/** Folders that conversions of this process are writing to. */
const busy = new Map<string, number>()

/** The system says ENOENT where it may not make a folder on the way (a read-only disk): made one by one, the first that fails says why. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path)
  }
}

/**
 * Makes the folder where it is missing and removes what a killed conversion left in it: temporary files of ours whose process is gone.
 * `leaveFolder` has to follow.
 */
export async function enterFolder(path: string): Promise<void> {
  try {
    await makeFolder(path)
    const names = await readdir(path)
    for (const name of names) {
      const owner = temporaryOwner(name)
      if (owner === null) continue
      const isOurs = owner === process.pid
      if (isOurs ? (busy.get(path) ?? 0) === 0 : !isAlive(owner)) await rm(join(path, name), { force: true })
    }
  } catch (error) {
    throw outputError(path, error)
  }
  busy.set(path, (busy.get(path) ?? 0) + 1)
}

export function leaveFolder(path: string): void {
  busy.set(path, (busy.get(path) ?? 1) - 1)
}

/** Size and checksum of a file, in the manifest's form; null where there is none. */
export async function fileFacts(path: string): Promise<{ sizeBytes: number; checksum: string } | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) return null
  let crc = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Uint8Array>) crc = crc32(chunk, crc)
  return { sizeBytes: found.size, checksum: `crc32:${crc.toString(16).padStart(8, '0')}` }
}
