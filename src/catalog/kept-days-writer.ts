import { createHash } from 'node:crypto'
import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFacts } from '../export/output-folder-writer.js'
import { makeFolder } from '../files/folder-writer.js'
import { LEFTOVER_MS, partOwner } from '../files/leftover-writer.js'
import { createExclusiveFile } from '../files/whole-file-writer.js'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'
import type { FoundTick } from './catalog-day.js'
import { stampKey } from './catalog-file.js'
import { currentStamp } from './catalog-scan-reader.js'
import { checkUnchanged } from './tick-copies-reader.js'

/** The options of {@link KeptDays}. */
export interface KeptDaysOptions {
  /** The folder of the converted days; nothing else lies in it. */
  readonly folder: string
  /** Most bytes that converted days may take together. */
  readonly limitBytes: number
  /** The option that states the limit, and the work that days are made for, in the sentence of a refusal. */
  readonly limitOption: string
  readonly workName: string
  readonly signal?: StopSignal | undefined
}

/** A file that was made, or its absence: it would have no row. */
export interface KeptFile {
  /** Null where there is no file, as it would have no row. */
  readonly path: string | null
}

/** Makes files of these names in a folder; one that it leaves out has no row. */
export type DayMaking = (folder: string, names: readonly string[]) => Promise<void>

/** The file in the folder of a converted day whose time is that of its last use. */
const USED = 'used'

/**
 * The file in the same folder that lists what was made with its checksums. Whoever makes a file changes it, in a turn
 * of its own: other processes wait.
 */
const MADE = 'made'

/** Stands in the list for the checksum of a file that would have no row. */
const NO_ROW = '-'

/** The folders of days among whatever else lies there. */
const DAY_FOLDER = /^[0-9a-f]{24}$/

interface KeptDay {
  readonly folder: string
  readonly sizeBytes: number
  readonly usedMs: number
  /** True while a process makes a file of it. */
  readonly isBusy: boolean
}

/**
 * Files made of tick files, kept in a folder up to a limit: the days that were used least recently leave first. A file
 * is whole or absent, and belongs to the bytes of its tick file and its name. Its checksum is compared when a process
 * first takes it; one that differs is made again.
 */
export class KeptDays {
  readonly #options: KeptDaysOptions
  /** Folders of days that the work in hand needs. */
  readonly #pinned: Set<string> = new Set()
  /** States of files whose checksum this process found right. */
  readonly #sound: Set<string> = new Set()

  constructor(options: KeptDaysOptions) {
    this.#options = options
  }

  /** Lets the days of the work before go. */
  unpin(): void {
    this.#pinned.clear()
  }

  /**
   * The files of a tick file with these bytes, in the order of `names`; those that are not there are made. Throws what
   * the making throws, OUTPUT_FAILED, FILE_UNREADABLE where the tick file changes meanwhile, and LIMIT_EXCEEDED where
   * the days of one work do not fit.
   */
  async files(tick: FoundTick, digest: string, names: readonly string[], make: DayMaking): Promise<KeptFile[]> {
    const folder = this.#folderOf(tick, digest)
    this.#pinned.add(folder)
    const isWhole = (await this.#missing(folder, names)).length === 0
    if (!isWhole) await makeFolder(folder)
    await markUsed(folder)
    if (!isWhole) {
      await this.#make(tick, folder, names, make)
      await this.#evict()
    }
    const made = await madeFiles(folder)
    return names.map((name) => ({ path: made.get(name) === NO_ROW ? null : join(folder, name) }))
  }

  /** A file of a tick file that was made already; null where it was not. */
  async kept(tick: FoundTick, digest: string, name: string): Promise<KeptFile | null> {
    const folder = this.#folderOf(tick, digest)
    if ((await this.#missing(folder, [name])).length > 0) return null
    return { path: (await madeFiles(folder)).get(name) === NO_ROW ? null : join(folder, name) }
  }

  /** Notes that a day is in use. */
  async use(tick: FoundTick, digest: string): Promise<void> {
    await markUsed(this.#folderOf(tick, digest))
  }

  /** Removes what was made of a tick file: it is made again when it is next needed. */
  async forget(tick: FoundTick, digest: string): Promise<void> {
    const folder = this.#folderOf(tick, digest)
    for (const name of (await madeFiles(folder)).keys()) await rm(join(folder, name), { force: true })
  }

  #folderOf({ facts }: FoundTick, digest: string): string {
    const hash = createHash('sha256').update(`${facts.fileName}\n${digest}\n${String(DECODER_VERSION)}`).digest('hex')
    return join(this.#options.folder, hash.slice(0, 24))
  }

  /** Those of the files that are not there as they were made. */
  async #missing(folder: string, names: readonly string[]): Promise<string[]> {
    const made = await madeFiles(folder)
    const missing: string[] = []
    for (const name of names) {
      const path = join(folder, name)
      const stamp = await currentStamp(path)
      const key = stamp === null ? '' : stampKey(stamp)
      if (stamp !== null && this.#sound.has(key)) continue
      const checksum = made.get(name)
      if (stamp === null && checksum === NO_ROW) continue
      const facts = stamp === null || checksum === undefined ? null : await fileFacts(path)
      if (facts !== null && facts.checksum === checksum) this.#sound.add(key)
      else missing.push(name)
    }
    return missing
  }

  /** Makes files, in a turn of their own: what another process made meanwhile is taken. */
  async #make(tick: FoundTick, folder: string, names: readonly string[], make: DayMaking): Promise<void> {
    const { signal } = this.#options
    const list = await createExclusiveFile(join(folder, MADE), { waitLimitMs: Infinity, signal })
    try {
      const missing = await this.#missing(folder, names)
      const made = await madeFiles(folder)
      for (const name of missing) await rm(join(folder, name), { force: true })
      if (missing.length > 0) await make(folder, missing)
      await checkUnchanged(tick.facts.name, tick.stamp)
      for (const name of missing) made.set(name, (await fileFacts(join(folder, name)))?.checksum ?? NO_ROW)
      await list.write(new TextEncoder().encode([...made].map((line) => line.join(' ')).join('\n')))
      await list.commit()
    } finally {
      await list.abort()
    }
  }

  /** Removes days until the rest fits. Those of the work in hand stay, and are refused where they do not fit. */
  async #evict(): Promise<void> {
    const { folder, limitBytes, limitOption, workName } = this.#options
    const days = (await keptDays(folder)).sort((a, b) => a.usedMs - b.usedMs)
    let total = days.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    for (const day of days) {
      if (total <= limitBytes) return
      if (day.isBusy || this.#pinned.has(day.folder)) continue
      await rm(day.folder, { recursive: true, force: true })
      total -= day.sizeBytes
    }
    if (total <= limitBytes) return
    const expected = `at most ${String(limitBytes)} bytes (${limitOption})`
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot keep the converted days of one ${workName} in ${folder}: they must take ${expected}, found ` +
        `${String(total)}; raise the limit, or ask for fewer days`,
      { file: folder, expected, found: String(total) },
    )
  }
}

/** The checksums of the files of a folder as they were made, by name; none where there is no list. */
async function madeFiles(folder: string): Promise<Map<string, string>> {
  const text = await readFile(join(folder, MADE), 'utf8').catch(() => '')
  return new Map(text.split('\n').flatMap((line): [string, string][] => {
    const at = line.lastIndexOf(' ')
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
  }))
}

async function markUsed(folder: string): Promise<void> {
  const path = join(folder, USED)
  const now = new Date()
  await utimes(path, now, now).catch(() => writeFile(path, '').catch(() => undefined))
}

async function keptDays(folder: string): Promise<KeptDay[]> {
  const days: KeptDay[] = []
  const nowMs = Date.now()
  for (const name of await readdir(folder).catch(() => [])) {
    if (!DAY_FOLDER.test(name)) continue
    const day = join(folder, name)
    let [sizeBytes, usedMs, isBusy] = [0, 0, false]
    for (const file of await readdir(day).catch(() => [])) {
      const found = await stat(join(day, file)).catch(() => null)
      sizeBytes += found?.size ?? 0
      if (file === USED) usedMs = found?.mtimeMs ?? 0
      // Heartbeats keep the unfinished files of a living process young.
      if (partOwner(file) !== null && nowMs - (found?.ctimeMs ?? 0) < LEFTOVER_MS) isBusy = true
    }
    days.push({ folder: day, sizeBytes, usedMs, isBusy })
  }
  return days
}
