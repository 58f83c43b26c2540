import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process that writes files, as the names of its unfinished files state it. */
export interface PartOwner {
  /** The system and PID namespace that the number belongs to, 8 hex digits. */
  readonly space: string
  readonly pid: number
  /** When the process began, in the system's ticks; 0 where the system does not show it. */
  readonly start: string
}

/** `.NAME.backtape-part-SPACE-PID-START-RANDOM`. */
const PART_NAME = /^\..*\.backtape-part-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]{12}$/s
/** Names of versions before 0.2, which state a number alone. */
const OLD_PART_NAME = /^\..*\.backtape-part-\d+-\d+$/s

const SIGKILL_BIT = 0x100
const PF_EXITING = 0x4

function textOf(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** The fields of `/proc/PID/stat` behind the name of the program, which may hold spaces and brackets. */
function statFields(pid: number | 'self'): readonly string[] | null {
  const text = textOf(() => readFileSync(`/proc/${String(pid)}/stat`, 'latin1'))
  return text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? null
}

const STATE = 0
const FLAGS = 6
const START = 19

function readOwner(): PartOwner {
  const boot = textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  const space = textOf(() => readlinkSync('/proc/self/ns/pid'))
  const place = boot === null || space === null ? hostname() : `${boot.trim()} ${space}`
  return {
    space: createHash('sha256').update(place).digest('hex').slice(0, 8),
    pid: process.pid,
    start: statFields('self')?.[START] ?? '0',
  }
}

let own: PartOwner | undefined

/** This process. */
export function ownOwner(): PartOwner {
  own ??= readOwner()
  return own
}

/** A new name for an unfinished file, in the folder of what it will be: no two are the same, on any machine. */
export function partName(name: string): string {
  const { space, pid, start } = ownOwner()
  return `.${name}.backtape-part-${space}-${String(pid)}-${start}-${randomBytes(6).toString('hex')}`
}

/**
 * The owner that the name of an unfinished file states; `unknown` for one of an older version, null where the name is
 * not one of ours.
 */
export function partOwner(path: string): PartOwner | 'unknown' | null {
  const name = basename(path)
  const [, space, pid, start] = PART_NAME.exec(name) ?? []
  if (space !== undefined && pid !== undefined && start !== undefined) return { space, pid: Number(pid), start }
  return OLD_PART_NAME.test(name) ? 'unknown' : null
}

/**
 * True where `/proc` shows the processes of this namespace: without `--mount-proc` a container sees those of its host.
 */
function showsOwnProcesses(): boolean {
  return textOf(() => readlinkSync('/proc/self')) === String(process.pid)
}

/** A process that was killed counts as ended while the system still takes it down: it publishes nothing any more. */
function isTakenDown(pid: number, start: string): boolean {
  const fields = statFields(pid)
  if (fields === null) return false
  if (fields[START] !== start || /[ZXx]/.test(fields[STATE] ?? '') || (Number(fields[FLAGS]) & PF_EXITING) !== 0)
    return true
  const status = textOf(() => readFileSync(`/proc/${String(pid)}/status`, 'latin1')) ?? ''
  return [...status.matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)$/gm)].some(
    ([, mask = '0']) => (parseInt(mask.slice(-3), 16) & SIGKILL_BIT) !== 0,
  )
}

/**
 * `running` and `ended` for a process of this namespace; `unknown` for one of another container or machine, whose
 * number means nothing here.
 */
export function ownerState({ space, pid, start }: PartOwner): 'running' | 'ended' | 'unknown' {
  const self = ownOwner()
  if (space !== self.space) return 'unknown'
  if (pid === self.pid) return start === self.start ? 'running' : 'ended'
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ESRCH') return 'ended'
  }
  return showsOwnProcesses() && isTakenDown(pid, start) ? 'ended' : 'running'
}

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
  const prefix = of === undefined ? '.' : prefixOf(of)
  await sweep(dirname(fresh), prefix, { nowMs: (await stat(fresh)).ctimeMs, leftoverMs })
}

/**
 * Removes what ended processes left unfinished of an output; of those that cannot be seen from here all stay, as there
 * is no fresh file to tell the time by.
 */
export async function removeEnded(path: string): Promise<void> {
  await sweep(dirname(path), prefixOf(path), { nowMs: -Infinity, leftoverMs: LEFTOVER_MS })
}

function prefixOf(path: string): string {
  return `.${basename(path)}.backtape-part-`
}

async function sweep(
  folder: string, prefix: string, { nowMs, leftoverMs }: { readonly nowMs: number, readonly leftoverMs: number },
): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    if (!name.startsWith(prefix)) continue
    const path = join(folder, name)
    if (await isLeftover(path, nowMs, leftoverMs)) await rm(path, { force: true }).catch(() => undefined)
  }
}
