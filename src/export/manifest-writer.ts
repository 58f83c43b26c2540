import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { parseNestedJson } from '../model/nested-json.js'
import { createExclusiveFile, commitWholeFiles, type WholeFile } from '../files/whole-file-writer.js'
import { outputError } from '../files/output-fault.js'
import type { Margins } from '../tickfile/days/margins.js'
import type { LeftOutEvents } from '../tickfile/days/stitching-report.js'
import type { ReadingCut } from '../model/damage-words.js'
import type { ExportKind } from './export-kind.js'
import type { ExportFormat } from '../tables/output-format.js'

/** The manifest's name in the output folder. */
export const MANIFEST_NAME = 'backtape-manifest.json'

/** One result of a source. */
export interface ManifestOutput {
  readonly kind: ExportKind
  readonly format: ExportFormat
  /** File name in the folder; null for a kind without rows that was not asked for by name. */
  readonly file: string | null
  readonly rows: number
  readonly sizeBytes: number
  readonly checksum: string
  /** The metadata that Parquet and Arrow files hold themselves, for the formats that cannot: CSV and JSON. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The results of one source under one set of options. */
export interface ManifestEntry {
  readonly source: { readonly file: string; readonly sizeBytes: number; readonly sha256: string }
  /** The options that change the results, as text. */
  readonly options: string
  /** Events that the tables were made of. */
  readonly events: number
  /**
   * Of the tables: `keep` also where the day of the file is unknown. Entries of versions that knew no margins have none
   * of these three.
   */
  readonly margins: Margins
  readonly openingSnapshot: 'made' | 'none'
  readonly leftOut: LeftOutEvents
  readonly damagedLines: number
  /** Set where the file was cut: the tables hold what stood before. */
  readonly cut?: ReadingCut
  /** Sentences on times that were not taken as they stand. */
  readonly clockNotes?: readonly string[]
  readonly outputs: readonly ManifestOutput[]
}

interface ManifestContent {
  readonly manifest: 'backtape'
  readonly version: 1
  readonly entries: readonly ManifestEntry[]
}

function isEntry(value: unknown): value is ManifestEntry {
  const entry = value as Partial<ManifestEntry> | null
  return (
    typeof entry === 'object' &&
    entry !== null &&
    typeof entry.options === 'string' &&
    typeof entry.source?.file === 'string' &&
    Array.isArray(entry.outputs)
  )
}

function isManifest(value: unknown): value is ManifestContent {
  const content = value as Partial<ManifestContent> | null
  return (
    typeof content === 'object' &&
    content !== null &&
    content.manifest === 'backtape' &&
    content.version === 1 &&
    Array.isArray(content.entries) &&
    content.entries.every(isEntry)
  )
}

const keyOf = (entry: Pick<ManifestEntry, 'source' | 'options'>): string => `${entry.source.file}\n${entry.options}`

/** The state of the file that was read or written last: another one is read anew. */
interface KnownFile {
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly size: bigint
}

/**
 * The list of what a folder holds and what it was made of. Kept in memory and read anew where another process has
 * changed it, so that conversions may share a folder. A change is made in a turn of its own (`createExclusiveFile`)
 * upon what the file holds then: no process drops the entries of another.
 */
export class Manifest {
  readonly path: string
  private known: KnownFile | null = null
  /** Entries by their key, and the same by the file of their source. */
  private readonly byKey: Map<string, ManifestEntry> = new Map()
  private readonly bySource: Map<string, Map<string, ManifestEntry>> = new Map()
  private turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, private readonly force: boolean) {
    this.path = join(folder, MANIFEST_NAME)
  }

  /** Entries of a source file; none where there is no manifest. Throws OUTPUT_EXISTS where the file is no manifest. */
  async entriesOf(sourceFile: string): Promise<readonly ManifestEntry[]> {
    await this.ordered(() => this.refresh())
    return [...(this.bySource.get(sourceFile)?.values() ?? [])]
  }

  /** Puts entries in the place of those for the same files and options, with one write. */
  put(entries: readonly ManifestEntry[]): Promise<void> {
    return this.ordered(async () => {
      const file = await createExclusiveFile(this.path)
      try {
        await this.refresh()
        for (const entry of entries) this.keep(entry)
        const sorted = [...this.byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
        const content: ManifestContent = { manifest: 'backtape', version: 1, entries: sorted }
        await file.write(new TextEncoder().encode(`${JSON.stringify(content, null, 1)}\n`))
        await file.sync()
        const written = await stat(file.temporaryPath, { bigint: true })
        await file.commit()
        this.known = written
      } catch (error) {
        await file.abort()
        this.known = null
        throw outputError(this.path, error)
      }
    })
  }

  /** One reading or change at a time. */
  private ordered<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done.catch(() => undefined)
    return done
  }

  private keep(entry: ManifestEntry): void {
    const key = keyOf(entry)
    const { file } = entry.source
    const entries = this.bySource.get(file) ?? new Map<string, ManifestEntry>()
    this.byKey.set(key, entry)
    this.bySource.set(file, entries.set(key, entry))
  }

  private async refresh(): Promise<void> {
    const found = await stat(this.path, { bigint: true }).catch(() => null)
    const { known } = this
    if (found !== null && found.ino === known?.ino && found.mtimeNs === known.mtimeNs && found.size === known.size)
      return
    const entries = await this.read()
    this.byKey.clear()
    this.bySource.clear()
    for (const entry of entries) this.keep(entry)
    this.known = found
  }

  private async read(): Promise<readonly ManifestEntry[]> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return null
      throw new BacktapeError('OUTPUT_FAILED', `Cannot read ${this.path}: ${String(error)}`, { file: this.path }, error)
    })
    if (text === null) return []
    const content = parsed(text)
    if (isManifest(content)) return content.entries
    if (this.force) return []
    throw new BacktapeError(
      'OUTPUT_EXISTS',
      `Cannot use ${this.path}: it is not a manifest of Backtape; move it away or ask to overwrite it with --force`,
      { file: this.path },
    )
  }
}

function parsed(text: string): unknown {
  try {
    return parseNestedJson(text)
  } catch {
    return null
  }
}

/** Results of sources get their names at most this often, but for many at once. */
const INTERVAL_MS = 1000
/** Files that wait are open: as many as any system allows a process. */
const FILES_MAX = 512

interface Waiting {
  readonly entry: ManifestEntry
  readonly files: readonly WholeFile[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * Gives the results of many sources their names in batches: one write of the manifest and one flush of the folder a
 * batch, at most once a second where fewer than 512 files wait. A result that is ready a second after the last batch
 * waits for none.
 *
 * The manifest lists a result before the result has its name. So whatever moment a process is killed at, what stands in
 * the folder is listed: the same command finds it whole by size and checksum, or finds that it is not there and makes
 * it again. Its own results are never files of somebody else to it.
 */
export class ResultBatch {
  private waiting: Waiting[] = []
  private fileCount = 0
  private timer: NodeJS.Timeout | null = null
  private lastMs = -Infinity
  private flushing: Promise<void> = Promise.resolve()

  constructor(private readonly manifest: Manifest) {}

  /** Settles when the files have their names and the manifest lists them. Throws OUTPUT_EXISTS, OUTPUT_FAILED. */
  add(entry: ManifestEntry, files: readonly WholeFile[]): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.waiting.push({ entry, files, resolve, reject })
      this.fileCount += files.length
      if (this.fileCount >= FILES_MAX) void this.flush()
      else
        this.timer ??= setTimeout(() => void this.flush(), Math.max(0, this.lastMs + INTERVAL_MS - performance.now()))
    })
  }

  /** Settles while few enough files wait: so many sources at once never hold more files open than a system allows. */
  async ready(): Promise<void> {
    if (this.fileCount >= FILES_MAX) await this.flush()
    // A batch on its way has its files open still.
    if (this.fileCount >= FILES_MAX / 2) await this.flushing
  }

  /** Publishes what waits; never throws, as each result has an answer of its own. */
  flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    this.flushing = this.flushing.then(() => this.publish())
    return this.flushing
  }

  private async publish(): Promise<void> {
    const batch = this.waiting
    if (batch.length === 0) return
    this.waiting = []
    this.fileCount = 0
    try {
      await this.manifest.put(batch.map(({ entry }) => entry))
      const outcomes = await commitWholeFiles(batch.flatMap(({ files }) => files))
      let at = 0
      for (const { files, resolve, reject } of batch) {
        const error = outcomes.slice(at, (at += files.length)).find((outcome) => outcome !== null)
        if (error === undefined) resolve()
        else reject(error)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    this.lastMs = performance.now()
  }
}
