import type { StopSignal } from '../model/stop-signal.js'
import { refuseStopped } from '../model/stop-signal.js'
import { dayGroups, type CatalogDay } from './catalog-day.js'
import { stampKey, type AuditFacts, type FileFacts, type FileStamp } from './catalog-file.js'
import { readMemory, writeMemory, type CatalogMemory } from './catalog-index-writer.js'
import { scanFolders, type CatalogScan, type KnownManifests } from './catalog-scan-reader.js'
import { auditTick } from './tick-audit-reader.js'
import { readTableFacts } from './table-facts-reader.js'
import type { TickCopy } from '../tickfile/source-copies-reader.js'
import { readDigests, withoutCopies, type KnownDigests } from './tick-copies-reader.js'
import { readTickFacts } from './tick-facts-reader.js'

/** The folders of a catalog, and where it remembers. */
export interface FolderCatalogOptions {
  readonly folders: readonly string[]
  /** The folder of the index. */
  readonly memoryFolder: string
  readonly signal?: StopSignal | undefined
}

/** One state of the folders. */
export interface CatalogState {
  /** Rises whenever something has changed. */
  readonly version: number
  readonly files: readonly FileFacts[]
  readonly days: readonly CatalogDay[]
  /** Tick files that hold the bytes of another one of their day: they stand in no day. */
  readonly copies: readonly TickCopy[]
  readonly scan: CatalogScan
}

/** A table of the sizes and times of files in one text: equal texts, equal files. */
function fingerprint({ files, manifests }: CatalogScan): string {
  return [...files.map(stampKey), ...manifests.map(({ folder, entry }) => `${folder} ${entry.options}`)].join('\n')
}

/**
 * The contents of folders: tick files, archives of them, converted tables. The folders are the truth: each refresh
 * looks at names, sizes and times, and reads of a file only what it has not read at this size and time. An index
 * remembers what it has read; its loss costs time alone.
 */
export class FolderCatalog {
  #memory: CatalogMemory | null = null
  #state: CatalogState | null = null
  #fingerprint = ''
  readonly #manifests: KnownManifests = new Map()
  readonly #digests: KnownDigests = new Map()
  readonly #options: FolderCatalogOptions

  constructor(options: FolderCatalogOptions) {
    this.#options = options
  }

  /** Looks at the folders and reads what is new. Throws FILE_NOT_FOUND, FILE_UNREADABLE, LIMIT_EXCEEDED, STOPPED. */
  async refresh(): Promise<CatalogState> {
    const { folders, memoryFolder } = this.#options
    const memory = (this.#memory ??= await readMemory(memoryFolder))
    const scan = await scanFolders(folders, this.#manifests)
    const found = fingerprint(scan)
    if (this.#state !== null && found === this.#fingerprint) return this.#state
    const fresh = await this.#read(scan.files.filter((stamp) => !memory.files.has(stampKey(stamp))))
    for (const facts of fresh) memory.files.set(stampKey(facts.stamp), facts)
    const isForgotten = this.#forget(scan)
    if (fresh.length > 0 || isForgotten) await writeMemory(memoryFolder, memory)
    await readDigests(this.#daysOf(scan), this.#digests, this.#options.signal)
    return this.#take(scan, found)
  }

  /**
   * Audits tick files of the state and remembers what was found; those with an audit at their size and time are not
   * read.
   */
  async audit(
    days: readonly CatalogDay[], onAudit: (name: string) => void = () => undefined,
  ): Promise<CatalogState> {
    const state = this.#state ?? (await this.refresh())
    const memory = this.#memory as CatalogMemory
    for (const { ticks } of days) {
      for (const { facts, stamp } of ticks) {
        const key = auditKey(facts.name, stamp)
        if (memory.audits.has(key)) continue
        refuseStopped(this.#options.signal, facts.name)
        onAudit(facts.name)
        memory.audits.set(key, await auditTick(facts.name, this.#options.signal))
        await writeMemory(this.#options.memoryFolder, memory)
      }
    }
    return this.#take(state.scan, this.#fingerprint)
  }

  /** The state that was seen last; null before the first look. */
  get state(): CatalogState | null {
    return this.#state
  }

  /** True where the checksum of a table was found right at its size and time. */
  isChecked(stamp: FileStamp): boolean {
    return this.#memory?.checked.has(stampKey(stamp)) === true
  }

  /** Remembers that the checksums of tables are right. */
  async keepChecked(stamps: readonly FileStamp[]): Promise<void> {
    const memory = this.#memory
    if (memory === null || stamps.length === 0) return
    for (const stamp of stamps) memory.checked.add(stampKey(stamp))
    await writeMemory(this.#options.memoryFolder, memory)
  }

  #filesOf({ files }: CatalogScan): FileFacts[] {
    const memory = this.#memory as CatalogMemory
    return files.flatMap((stamp) => memory.files.get(stampKey(stamp)) ?? [])
  }

  /** Days with all of their files, copies too. */
  #daysOf(scan: CatalogScan): CatalogDay[] {
    const memory = this.#memory as CatalogMemory
    const auditOf = (name: string, stamp: FileStamp): AuditFacts | null =>
      memory.audits.get(auditKey(name, stamp)) ?? null
    return dayGroups(this.#filesOf(scan), scan, auditOf)
  }

  #take(scan: CatalogScan, found: string): CatalogState {
    const { days, copies } = withoutCopies(this.#daysOf(scan), this.#digests)
    this.#fingerprint = found
    this.#state = { version: (this.#state?.version ?? 0) + 1, files: this.#filesOf(scan), days, copies, scan }
    return this.#state
  }

  /** Forgets what stood under a path at another size or time, or at a path that is gone. */
  #forget({ files }: CatalogScan): boolean {
    const memory = this.#memory as CatalogMemory
    const kept = new Set(files.map(stampKey))
    let isChanged = false
    const drop = (keys: Iterable<string>, remove: (key: string) => void, stateOf: (key: string) => string): void => {
      for (const key of [...keys]) {
        if (kept.has(stateOf(key))) continue
        remove(key)
        isChanged = true
      }
    }
    drop(memory.files.keys(), (key) => memory.files.delete(key), (key) => key)
    drop(memory.checked, (key) => memory.checked.delete(key), (key) => key)
    drop(memory.audits.keys(), (key) => memory.audits.delete(key), (key) => key.slice(key.indexOf('\n\n') + 2))
    return isChanged
  }

  async #read(stamps: readonly FileStamp[]): Promise<FileFacts[]> {
    const isTable = ({ path }: FileStamp): boolean => /\.parquet$/i.test(path)
    const facts = await readTableFacts(stamps.filter(isTable))
    for (const stamp of stamps.filter((one) => !isTable(one))) {
      refuseStopped(this.#options.signal, stamp.path)
      facts.push(await readTickFacts(stamp, this.#options.signal))
    }
    return facts
  }
}

function auditKey(name: string, stamp: FileStamp): string {
  return `${name}\n\n${stampKey(stamp)}`
}
