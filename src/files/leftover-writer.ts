import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ownerState, partOwner } from './part-owner-reader.js'

/**
 * An unfinished file of a process that cannot be seen is a leftover when its times are older than this; heartbeats come
 * 30 times as often.
 */
export const LEFTOVER_MS = 600_000

/**
 * True for an unfinished file whose process has ended: known at once of processes of this PID namespace, of others by
 * times that nobody has refreshed. `nowMs` is the time of the file system, so clocks of machines that share it need not
 * agree.
 */
async function isLeftover(path: string, nowMs: number, leftoverMs: number): Promise<boolean> {
  const owner = partOwner(path)
  if (owner === null) return false
  const state = owner === 'unknown' ? owner : ownerState(owner)
  if (state !== 'unknown') return state === 'ended'
  const found = await stat(path).catch(() => null)
  return found !== null && nowMs - found.ctimeMs > leftoverMs
}

/** Which unfinished files to remove. */
export interface LeftoverOptions {
  /** Those of this output; absent: all in the folder. */
  readonly of?: string
  readonly leftoverMs?: number
}

/**
 * Removes what ended processes left unfinished beside `fresh`, a file that was made just now. What cannot be removed
 * stays.
 */
export async function removeLeftovers(
  fresh: string,
  { of, leftoverMs = LEFTOVER_MS }: LeftoverOptions = {},
): Promise<void> {
  const folder = dirname(fresh)
  const prefix = of === undefined ? '.' : `.${basename(of)}.backtape-part-`
  const nowMs = (await stat(fresh)).ctimeMs
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!name.startsWith(prefix)) continue
    const path = join(folder, name)
    if (await isLeftover(path, nowMs, leftoverMs)) await rm(path, { force: true }).catch(() => undefined)
  }
}
