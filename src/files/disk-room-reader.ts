import { statfs } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'

/** Bytes that are free for this user where a folder lies; null where the system does not say it. */
export async function freeBytes(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null)
  return found === null ? null : found.bavail * found.bsize
}

/** Throws OUTPUT_FAILED where fewer bytes are free than will be written; null: it is not known. */
export function refuseFullDisk(folder: string, neededBytes: number, free: number | null): void {
  if (free === null || neededBytes <= free) return
  const [expected, found] = [`${neededBytes} bytes`, `${free} bytes`]
  const sentence = `Cannot write into ${folder}: the files have ${expected}, and ${found} are free; ` +
    'free some space or choose another folder'
  throw new BacktapeError('OUTPUT_FAILED', sentence, { file: folder, expected, found })
}
