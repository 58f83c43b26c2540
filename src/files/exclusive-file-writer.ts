import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { LEFTOVER_MS } from './leftover-writer.js'
import { partOwner } from './part-owner-reader.js'
import { createWholeFile, type WholeFile } from './whole-file-writer.js'

const PAUSE_MS = 10
/** A turn lasts milliseconds. Whoever died elsewhere in the middle of one is a leftover after {@link LEFTOVER_MS}. */
const WAIT_LIMIT_MS = LEFTOVER_MS + 60_000

/** Names of the unfinished files of the same output that are not this one. */
async function othersOf(file: WholeFile): Promise<string[]> {
  const own = basename(file.temporaryPath)
  const prefix = `.${basename(file.path)}.backtape-part-`
  const names = await readdir(dirname(file.path))
  return names.filter((name) => name !== own && name.startsWith(prefix) && partOwner(name) !== null)
}

function waitedError(path: string, other: string): BacktapeError {
  const minutes = String(WAIT_LIMIT_MS / 60_000)
  const sentence = `Cannot write ${path}: another process has been writing it for ${minutes} minutes; end it and ` +
    'run this again'
  return new BacktapeError('OUTPUT_FAILED', sentence, { file: path, found: other.slice(0, 80) })
}

/**
 * Creates the next version of a file that several processes change: returns once no other process has an unfinished
 * one, so what is read then stays as it is until `commit`, which ends the turn, as `abort` does. The unfinished file is
 * the lock: each process makes its own, then looks; of two that see each other the larger name steps back. What an
 * ended process left is removed, and a process whose file was taken for a leftover fails in `commit`. Throws
 * OUTPUT_FAILED.
 */
export async function createExclusiveFile(path: string): Promise<WholeFile> {
  let file = await createWholeFile(path, { force: true })
  try {
    for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
      const [other, ...more] = await othersOf(file)
      if (other === undefined) return file
      if (waitedMs >= WAIT_LIMIT_MS) throw waitedError(path, other)
      const own = basename(file.temporaryPath)
      const isFirst = [other, ...more].every((name) => own < name)
      // Making the file anew also looks for leftovers; whoever is first keeps its place, and does so now and then.
      if (!isFirst || waitedMs % 1000 === 990) await file.abort()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (!isFirst || waitedMs % 1000 === 990) file = await createWholeFile(path, { force: true })
    }
  } catch (error) {
    await file.abort()
    throw error
  }
}
