import { createHash } from 'node:crypto'
import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTickFile } from '../day/tick-day.js'
import type { ConvertProgress } from '../export/convert-options.js'
import { convertFiles } from '../export/convert.js'
import { exportFileName, type ExportKind } from '../export/export-kind.js'
import { makeFolder } from '../files/folder-writer.js'
import { exists } from '../files/whole-file-writer.js'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { writeTable } from '../tables/table-stream.js'
import type { FoundTick } from './catalog-day.js'
import { stampKey } from './catalog-file.js'
import type { TableKind } from './table-kind.js'

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

/** The file in the same folder that lists the states of its tables as they were made. */
const MADE = 'made'

interface KeptDay {
  readonly folder: string
  readonly sizeBytes: number
  readonly usedMs: number
}

/**
 * Converted days of tick files, kept in a folder up to a limit: the days that were used least recently leave first. A
 * day is made by `convertFiles`, so each of its tables is whole or absent, and belongs to one state of its tick file: a
 * file of another size or time is converted anew.
 */
export class DayConversions {
  readonly #options: DayConversionOptions
  /** Folders of days that the statement at work needs. */
  readonly #pinned: Set<string> = new Set()

  constructor(options: DayConversionOptions) {
    this.#options = options
  }

  /** Lets the days of the statement before go. */
  unpin(): void {
    this.#pinned.clear()
  }

  /**
   * The paths of tables of a tick file, in the order of `kinds`; those that are not there are made. Throws what the
   * conversion throws, OUTPUT_FAILED, and LIMIT_EXCEEDED where the days of one statement do not fit.
   */
  async tables(tick: FoundTick, kinds: readonly TableKind[]): Promise<string[]> {
    const folder = this.#folderOf(tick)
    this.#pinned.add(folder)
    const paths = kinds.map((kind) => join(folder, fileNameOf(tick, kind)))
    // Another state of a table than the one that was made is damage: the day is made again.
    if (await isChanged(folder)) await rm(folder, { recursive: true, force: true })
    const missing: TableKind[] = []
    for (const [at, path] of paths.entries()) if (!(await exists(path))) missing.push(kinds[at] as TableKind)
    if (missing.length > 0) {
      await makeFolder(folder)
      const events = missing.filter((kind) => kind !== 'minutes')
      if (events.length > 0) await this.#convert(tick, events, folder)
      if (missing.includes('minutes')) await this.#sumUp(tick, join(folder, fileNameOf(tick, 'minutes')))
      await writeFile(join(folder, MADE), (await tableStates(folder)).join('\n'))
    }
    await markUsed(folder)
    if (missing.length > 0) await this.#evict()
    return paths
  }

  /** Removes what was converted of a tick file, as it is damaged: it is made again when it is next needed. */
  async forget(tick: FoundTick): Promise<void> {
    await rm(this.#folderOf(tick), { recursive: true, force: true })
  }

  #folderOf({ facts, stamp }: FoundTick): string {
    const hash = createHash('sha256').update(`${facts.name}\n${stampKey(stamp)}`).digest('hex')
    return join(this.#options.folder, hash.slice(0, 24))
  }

  async #convert({ facts }: FoundTick, kinds: readonly ExportKind[], out: string): Promise<void> {
    const { signal, onProgress } = this.#options
    const stop = signal === undefined ? {} : { signal }
    const result = await convertFiles([facts.name], {
      out, to: 'parquet', kinds, read: stop, ...stop, ...(onProgress === undefined ? {} : { onProgress }),
    })
    const [input] = result.inputs
    if (input?.error !== null && input !== undefined) throw input.error
    if (input === undefined || result.stopped)
      throw new BacktapeError('STOPPED', `Cannot convert ${facts.name}: it was stopped`, { file: facts.name })
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
      if (this.#pinned.has(day.folder)) continue
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

/** Name, size and time of every table of a folder, by name; none where there is no folder. */
async function tableStates(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.parquet')).sort()
  return Promise.all(names.map(async (name) => {
    const { size, mtimeNs } = await stat(join(folder, name), { bigint: true })
    return `${String(size)} ${String(mtimeNs)} ${name}`
  }))
}

/** True where a table is not as it was noted; of one that is not noted, another process may be at work. */
async function isChanged(folder: string): Promise<boolean> {
  const made = await readFile(join(folder, MADE), 'utf8').catch(() => '')
  const byName = new Map(made.split('\n').map((state) => [nameIn(state), state]))
  return (await tableStates(folder)).some((state) => (byName.get(nameIn(state)) ?? state) !== state)
}

/** The name in a table's state. */
function nameIn(state: string): string {
  return state.split(' ').slice(2).join(' ')
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
  for (const name of await readdir(folder).catch(() => [])) {
    const day = join(folder, name)
    let sizeBytes = 0
    let usedMs = 0
    for (const file of await readdir(day).catch(() => [])) {
      const found = await stat(join(day, file)).catch(() => null)
      sizeBytes += found?.size ?? 0
      if (file === USED) usedMs = found?.mtimeMs ?? 0
    }
    days.push({ folder: day, sizeBytes, usedMs })
  }
  return days
}
