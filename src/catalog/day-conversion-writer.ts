import { createHash } from 'node:crypto'
import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openTickFile } from '../day/tick-day.js'
import type { ConvertProgress } from '../export/convert-options.js'
import { convertFiles } from '../export/convert.js'
import { exportFileName, type ExportKind } from '../export/export-kind.js'
import { fileFacts } from '../export/output-folder-writer.js'
import { makeFolder } from '../files/folder-writer.js'
import { LEFTOVER_MS, partOwner } from '../files/leftover-writer.js'
import { createExclusiveFile } from '../files/whole-file-writer.js'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { writeTable } from '../tables/table-stream.js'
import type { FoundTick } from './catalog-day.js'
import { stampKey } from './catalog-file.js'
import { currentStamp } from './catalog-scan-reader.js'
import type { TableKind } from './table-kind.js'
import { checkUnchanged } from './tick-copies-reader.js'

/** The options of {@link DayConversions}. */
export interface DayConversionOptions {
  /** The folder of the converted days. */
  readonly folder: string
  /** Most bytes that converted days may take together. */
  readonly limitBytes: number
  readonly signal?: StopSignal | undefined
  readonly onProgress?: ((progress: ConvertProgress) => void) | undefined
}

/** The file in the folder of a converted day whose time is that of its last use. */
const USED = 'used'

/**
 * The file in the same folder that lists its tables with their checksums. Whoever makes a table changes it, in a turn
 * of its own: other processes wait.
 */
const MADE = 'made'

interface KeptDay {
  readonly folder: string
  readonly sizeBytes: number
  readonly usedMs: number
  /** True while a process makes a table of it. */
  readonly isBusy: boolean
}

/**
 * Converted days of tick files, kept in a folder up to a limit: the days that were used least recently leave first. A
 * day is made by `convertFiles`, so each of its tables is whole or absent, and belongs to the bytes of its tick file
 * and its name. The checksum of a table is compared when a process first reads it; a table that differs is made again.
 */
export class DayConversions {
  readonly #options: DayConversionOptions
  /** Folders of days that the statement at work needs. */
  readonly #pinned: Set<string> = new Set()
  /** States of tables whose checksum this process found right. */
  readonly #sound: Set<string> = new Set()

  constructor(options: DayConversionOptions) {
    this.#options = options
  }

  /** Lets the days of the statement before go. */
  unpin(): void {
    this.#pinned.clear()
  }

  /**
   * The paths of tables of a tick file with these bytes, in the order of `kinds`; those that are not there are made.
   * Throws what the conversion throws, OUTPUT_FAILED, FILE_UNREADABLE where the tick file changes meanwhile, and
   * LIMIT_EXCEEDED where the days of one statement do not fit.
   */
  async tables(tick: FoundTick, digest: string, kinds: readonly TableKind[]): Promise<string[]> {
    const folder = this.#folderOf(tick, digest)
    this.#pinned.add(folder)
    const paths = kinds.map((kind) => join(folder, fileNameOf(tick, kind)))
    const isWhole = (await this.#missing(folder, paths)).length === 0
    if (!isWhole) await makeFolder(folder)
    await markUsed(folder)
    if (isWhole) return paths
    await this.#make(tick, folder, new Map(paths.map((path, at) => [path, kinds[at] as TableKind])))
    await this.#evict()
    return paths
  }

  /** The path of a table of a tick file that is there already; null where it is not. */
  async kept(tick: FoundTick, digest: string, kind: TableKind): Promise<string | null> {
    const folder = this.#folderOf(tick, digest)
    const path = join(folder, fileNameOf(tick, kind))
    return (await this.#missing(folder, [path])).length === 0 ? path : null
  }

  /** Removes what was converted of a tick file, as it is damaged: it is made again when it is next needed. */
  async forget(tick: FoundTick, digest: string): Promise<void> {
    const folder = this.#folderOf(tick, digest)
    for (const name of await readdir(folder).catch((): string[] => []))
      if (name.endsWith('.parquet')) await rm(join(folder, name), { force: true })
  }

  #folderOf({ facts }: FoundTick, digest: string): string {
    const hash = createHash('sha256').update(`${facts.fileName}\n${digest}\n${String(DECODER_VERSION)}`).digest('hex')
    return join(this.#options.folder, hash.slice(0, 24))
  }

  /** Those of the tables that are not there as they were made. */
  async #missing(folder: string, paths: readonly string[]): Promise<string[]> {
    const made = await madeTables(folder)
    const missing: string[] = []
    for (const path of paths) {
      const stamp = await currentStamp(path)
      const key = stamp === null ? '' : stampKey(stamp)
      if (stamp !== null && this.#sound.has(key)) continue
      const checksum = made.get(basename(path))
      const facts = stamp === null || checksum === undefined ? null : await fileFacts(path)
      if (facts !== null && facts.checksum === checksum) this.#sound.add(key)
      else missing.push(path)
    }
    return missing
  }

  /** Makes tables, in a turn of their own: what another process made meanwhile is taken. */
  async #make(tick: FoundTick, folder: string, kindOf: ReadonlyMap<string, TableKind>): Promise<void> {
    const { signal } = this.#options
    const list = await createExclusiveFile(join(folder, MADE), { waitLimitMs: Infinity, signal })
    try {
      const missing = await this.#missing(folder, [...kindOf.keys()])
      const made = await madeTables(folder)
      for (const path of missing) await rm(path, { force: true })
      const kinds = missing.flatMap((path) => kindOf.get(path) ?? [])
      const events = kinds.filter((kind) => kind !== 'minutes')
      if (events.length > 0) await this.#convert(tick, events, folder)
      if (kinds.includes('minutes')) await this.#sumUp(tick, join(folder, fileNameOf(tick, 'minutes')))
      await checkUnchanged(tick.facts.name, tick.stamp)
      for (const path of missing) made.set(basename(path), (await fileFacts(path))?.checksum ?? '')
      await list.write(new TextEncoder().encode([...made].map((line) => line.join(' ')).join('\n')))
      await list.commit()
    } finally {
      await list.abort()
    }
  }

  async #convert({ facts }: FoundTick, kinds: readonly ExportKind[], out: string): Promise<void> {
    const { signal, onProgress } = this.#options
    const stop = signal === undefined ? {} : { signal }
    const result = await convertFiles([facts.name], {
      out, to: 'parquet', kinds, read: stop, force: true, ...stop, ...(onProgress === undefined ? {} : { onProgress }),
    })
    const [input] = result.inputs
    if (input?.error !== null && input !== undefined) throw input.error
    if (input === undefined || result.stopped)
      throw new BacktapeError(
        'STOPPED', `Cannot convert ${facts.name}: it was stopped`, { file: facts.name }, signal?.reason,
      )
  }

  async #sumUp({ facts }: FoundTick, path: string): Promise<void> {
    const { signal } = this.#options
    const day = await openTickFile(facts.name, signal === undefined ? {} : { signal })
    const table = await day.minutes({ columns: 'shop' })
    const form = { format: 'parquet' } as const
    const file = await createTableFile(path, form, { force: true })
    try {
      await writeTable(table, form, file)
      await file.commit(table.metadata)
    } finally {
      await file.abort()
    }
  }

  /** Removes days until the rest fits. Those of the statement at work stay, and are refused where they do not fit. */
  async #evict(): Promise<void> {
    const { folder, limitBytes } = this.#options
    const days = (await keptDays(folder)).sort((a, b) => a.usedMs - b.usedMs)
    let total = days.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    for (const day of days) {
      if (total <= limitBytes) return
      if (day.isBusy || this.#pinned.has(day.folder)) continue
      await rm(day.folder, { recursive: true, force: true })
      total -= day.sizeBytes
    }
    if (total <= limitBytes) return
    const expected = `at most ${String(limitBytes)} bytes (cacheLimitBytes)`
    throw new BacktapeError(
      'LIMIT_EXCEEDED',
      `Cannot keep the converted days of one statement in ${folder}: they must take ${expected}, found ` +
        `${String(total)}; raise the limit, or ask for fewer days`,
      { file: folder, expected, found: String(total) },
    )
  }
}

/** The checksums of the tables of a folder as they were made, by name; none where there is no list. */
async function madeTables(folder: string): Promise<Map<string, string>> {
  const text = await readFile(join(folder, MADE), 'utf8').catch(() => '')
  return new Map(text.split('\n').flatMap((line): [string, string][] => {
    const at = line.lastIndexOf(' ')
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
  }))
}

function fileNameOf({ facts }: FoundTick, kind: TableKind): string {
  // The name of minutes follows the same rule.
  return exportFileName(facts.fileName, { kind: kind as ExportKind, format: 'parquet' })
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
