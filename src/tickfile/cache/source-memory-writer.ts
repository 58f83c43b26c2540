import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../../files/folder-writer.js'
import type { TickSource } from '../archive/tick-source.js'

/** The ending of names of remembered digests. */
export const SOURCE_SUFFIX = '.backtape-source'

/** Files below this are digested sooner than they are remembered. */
const LEAST_BYTES = 8_388_608

const SHA256 = /^[0-9a-f]{64}\n$/

/**
 * The digest that a source on disk had when somebody last read it whole, kept beside the cached days by where the file
 * lies and how the system describes it (size, times, number). Only a claim: whoever goes by it has to digest the file
 * all the same, before anybody trusts what came of it.
 */
export interface SourceMemory {
  /** The file, as absolute path. */
  readonly path: string
  /** 64 hex digits; null where nothing is remembered. */
  readonly claimedSha256: string | null
  /** Remembers a digest; what cannot be written is not remembered. */
  remember(sha256: string): Promise<void>
  /** The file has another digest than was remembered. */
  forget(): Promise<void>
}

/** The memory of a source; null for one that is no whole file on disk, or a small one. */
export async function sourceMemory({ diskPath, sizeBytes }: TickSource, folder: string): Promise<SourceMemory | null> {
  if (diskPath === undefined || (sizeBytes ?? 0) < LEAST_BYTES) return null
  const path = resolve(diskPath)
  const found = await stat(path, { bigint: true }).catch(() => null)
  if (found === null) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  const place = shortDigest(path)
  const file = join(folder, `${place}-${shortDigest([dev, ino, size, mtimeNs, ctimeNs].join(' '))}${SOURCE_SUFFIX}`)
  const text = await readFile(file, 'latin1').catch(() => '')
  const claimedSha256 = SHA256.test(text) ? text.trim() : null
  const now = new Date()
  if (claimedSha256 !== null) await utimes(file, now, now).catch(() => {})
  return {
    path, claimedSha256, remember: (sha256) => write(file, `${place}-`, `${sha256}\n`),
    forget: () => rm(file, { force: true }).catch(() => {}),
  }
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/**
 * Writes what is remembered, in the place of what was remembered of a file that lay there before. A text that is cut is
 * no digest, so nothing is written aside.
 */
async function write(file: string, placePrefix: string, text: string): Promise<void> {
  const folder = dirname(file)
  try {
    await makeFolder(folder)
    for (const name of await readdir(folder))
      if (name.startsWith(placePrefix) && name.endsWith(SOURCE_SUFFIX)) await rm(join(folder, name), { force: true })
    await writeFile(file, text)
  } catch {
    // The next run digests the file first, as this one did.
  }
}
