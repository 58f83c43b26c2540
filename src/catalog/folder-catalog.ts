import { eventLoopTurn } from '../model/event-loop-client.js'
import type { StopSignal } from '../model/stop-signal.js'
import { refuseStopped } from '../model/stop-signal.js'
import { dayGroups, type CatalogDay, type FoundTick } from './catalog-day.js'
import { stampKey, type FileFacts, type FileStamp, type TickFacts } from './catalog-file.js'
import { readMemory, writeMemory, type CatalogMemory } from './catalog-index-writer.js'
import { scanFolders, type CatalogScan, type KnownManifests } from './catalog-scan-reader.js'
import { auditTick } from './tick-audit-reader.js'
import { readTableFacts } from './table-facts-reader.js'
import type { TickCopy } from '../tickfile/source-copies-reader.js'
import { checkUnchanged, readCopyDigests, readDigest, tickKey, withoutCopies } from './tick-copies-reader.js'
import { readTickFacts } from './tick-facts-reader.js'

/** The folders of a catalog, and where it remembers. */
export interface FolderCatalogOptions {
  readonly folders: readonly string[]
  /** The path of the index. */
  readonly indexPath: string
  readonly signal?: StopSignal | undefined
  /** `ticks`: converted tables that no index knows are left out, so that no database is needed; default `all`. */
  readonly holds?: 'all' | 'ticks'
  /** True: a file that is named itself may go after the first look, as one in a folder may; default false. */
  readonly filesMayGo?: boolean
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

/** The states of files in one text: equal texts, equal files. */
function fingerprint({ files, manifests }: CatalogScan): string {
  return [...files.map(stampKey), ...manifests.map(({ folder, entry }) => `${folder} ${entry.options}`)].join('\n')
}

/**
 * The contents of folders: tick files, archives of them, converted tables. The folders are the truth: each refresh
 * looks at names, sizes, times and file numbers, and reads of a file only what it has not read in this state. An index
 * remembers what it has read; its loss costs time alone. What takes long to make of a tick file belongs to the digest
 * of its bytes: a file in another state is digested, and nothing is made again where the digest is the same.
 */
export class FolderCatalog {
  #memory: CatalogMemory | null = null
  #state: CatalogState | null = null
  #fingerprint = ''
  #isKept = true
  readonly #manifests: KnownManifests = new Map()
  /** Null: files that are named must be there. */
  readonly #mayGo: Set<string> | null
  readonly #options: FolderCatalogOptions

  constructor(options: FolderCatalogOptions) {
    this.#options = options
    this.#mayGo = options.filesMayGo === true ? new Set() : null
  }

  /** Looks at the folders and reads what is new. Throws FILE_NOT_FOUND, FILE_UNREADABLE, LIMIT_EXCEEDED, STOPPED. */
  async refresh(): Promise<CatalogState> {
    const { folders, indexPath, signal } = this.#options
    const memory = (this.#memory ??= await readMemory(indexPath))
    const scan = await scanFolders(folders, this.#manifests, this.#mayGo)
    const found = fingerprint(scan)
    if (this.#state !== null && found === this.#fingerprint) return this.#state
    // Of many files each step takes its time: a server answers others between them.
    await eventLoopTurn()
    const fresh = await this.#read(scan.files.filter((stamp) => !memory.files.has(stampKey(stamp))))
    for (const facts of fresh) memory.files.set(stampKey(facts.stamp), facts)
    const isForgotten = this.#forget(scan)
    await eventLoopTurn()
    const days = this.#daysOf(scan)
    const digestCount = memory.digests.size
    await eventLoopTurn()
    const hasDigested = await readCopyDigests(days, memory.digests, signal)
    if (fresh.length > 0 || isForgotten || hasDigested) await writeMemory(indexPath, memory)
    return this.#take(scan, found, memory.digests.size === digestCount ? days : this.#daysOf(scan))
  }

  /**
   * Audits tick files of the state and remembers what was found; those whose bytes have an audit are not audited again.
   */
  async audit(
    days: readonly CatalogDay[], onAudit: (name: string) => void = () => undefined,
  ): Promise<CatalogState> {
    const state = this.#state ?? (await this.refresh())
    const memory = this.#memory as CatalogMemory
    for (const { ticks } of days) {
      for (const tick of ticks) {
        const { facts } = tick
        refuseStopped(this.#options.signal, facts.name)
        const key = auditKey(facts, await this.digest(tick))
        if (memory.audits.has(key)) continue
        onAudit(facts.name)
        const found = await auditTick(facts.name, this.#options.signal)
        await checkUnchanged(facts.name, tick.stamp)
        memory.audits.set(key, found)
        await this.keep()
      }
    }
    return this.#take(state.scan, this.#fingerprint)
  }

  /** The state that was seen last; null before the first look. */
  get state(): CatalogState | null {
    return this.#state
  }

  /** SHA-256 of a tick file of the state, where it was read in this state. */
  knownDigest({ facts, stamp }: FoundTick): string | null {
    const known = this.#memory?.digests.get(tickKey(facts.name, stamp)) ?? ''
    return known === '' ? null : known
  }

  /** The same, read where it is not known. Throws as {@link readDigest}. */
  async digest(tick: FoundTick): Promise<string> {
    const known = this.knownDigest(tick)
    if (known !== null) return known
    const found = await readDigest(tick, this.#options.signal)
    this.#memory?.digests.set(tickKey(tick.facts.name, tick.stamp), found)
    this.#isKept = false
    return found
  }

  /** Remembers the digests that were read, for the next process. */
  async keep(): Promise<void> {
    if (this.#memory !== null && !this.#isKept) await writeMemory(this.#options.indexPath, this.#memory)
    this.#isKept = true
  }

  /** Reads the digests of tick files, and judges the days by them. */
  async decide(ticks: readonly FoundTick[]): Promise<void> {
    for (const tick of ticks) await this.digest(tick)
    await this.keep()
    if (this.#state !== null) this.#take(this.#state.scan, this.#fingerprint)
  }

  #filesOf({ files }: CatalogScan): FileFacts[] {
    const memory = this.#memory as CatalogMemory
    return files.flatMap((stamp) => memory.files.get(stampKey(stamp)) ?? [])
  }

  /** Days with all of their files, copies too. */
  #daysOf(scan: CatalogScan): CatalogDay[] {
    const memory = this.#memory as CatalogMemory
    return dayGroups(this.#filesOf(scan), scan, (facts, stamp) => {
      // A shop has thousands of files and reads the digests of few.
      const digest = memory.digests.size === 0 ? '' : memory.digests.get(tickKey(facts.name, stamp)) ?? ''
      if (digest === '') return { digest: null, audit: null }
      return { digest, audit: memory.audits.get(auditKey(facts, digest)) ?? null }
    })
  }

  #take(scan: CatalogScan, found: string, all = this.#daysOf(scan)): CatalogState {
    const { days, copies } = withoutCopies(all)
    this.#fingerprint = found
    this.#state = { version: (this.#state?.version ?? 0) + 1, files: this.#filesOf(scan), days, copies, scan }
    return this.#state
  }

  /** Forgets files in another state and audits of tick files that are gone. */
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
    drop(memory.digests.keys(), (key) => memory.digests.delete(key), (key) => key.slice(key.indexOf('\n\n') + 2))
    const names = new Set([...memory.files.values()].flatMap(({ ticks }) => ticks.map(({ fileName }) => fileName)))
    for (const key of [...memory.audits.keys()]) {
      if (names.has(key.slice(0, key.indexOf('\n')))) continue
      memory.audits.delete(key)
      isChanged = true
    }
    return isChanged
  }

  async #read(stamps: readonly FileStamp[]): Promise<FileFacts[]> {
    const isTable = ({ path }: FileStamp): boolean => /\.parquet$/i.test(path)
    const facts = this.#options.holds === 'ticks' ? [] : await readTableFacts(stamps.filter(isTable))
    for (const stamp of stamps.filter((one) => !isTable(one))) {
      refuseStopped(this.#options.signal, stamp.path)
      facts.push(await readTickFacts(stamp, this.#options.signal))
    }
    return facts
  }
}

/** An audit is one of a file name, which says the day, and of bytes. */
function auditKey({ fileName }: TickFacts, digest: string): string {
  return `${fileName}\n${digest}`
}
