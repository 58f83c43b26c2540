import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeFolder } from '../files/folder-writer.js'
import { removeLeftovers, partName } from '../files/leftover-writer.js'
import { systemCode } from '../files/output-fault.js'

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

/** Bytes that are read at once. */
const PIECE_BYTES = 1_048_576

/** Buffers that no reading holds. */
const free: Uint8Array[] = []

/** Size and checksum of a file, in the manifest's form; null where there is none. */
export async function fileFacts(path: string): Promise<{ sizeBytes: number; checksum: string } | null> {
  const handle = await open(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error))) return null
    throw error
  })
  if (handle === null) return null
  const bytes = free.pop() ?? new Uint8Array(PIECE_BYTES)
  try {
    let [crc, sizeBytes] = [0, 0]
    for (;;) {
      const { bytesRead } = await handle.read(bytes, 0, bytes.length)
      if (bytesRead === 0) return { sizeBytes, checksum: `crc32:${crc.toString(16).padStart(8, '0')}` }
      crc = crc32(bytes.subarray(0, bytesRead), crc)
      sizeBytes += bytesRead
    }
  } catch (error) {
    if (systemCode(error) === 'EISDIR') return null
    throw error
  } finally {
    free.push(bytes)
    await handle.close()
  }
}
