import { FolderManifest, type ManifestForm } from '../files/folder-manifest-writer.js'
import { commitWholeFiles, type WholeFile } from '../files/whole-file-writer.js'
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

/** The version of the decoder that the options of an entry state; 0 where they state none, as those of old versions. */
export function decoderOf({ options }: ManifestEntry): number {
  try {
    const { decoder } = JSON.parse(options) as { readonly decoder?: unknown }
    return typeof decoder === 'number' ? decoder : 0
  } catch {
    return 0
  }
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

const FORM: ManifestForm<ManifestEntry> = {
  name: MANIFEST_NAME, word: 'backtape', isEntry, keyOf: ({ source, options }) => `${source.file}\n${options}`,
  groupOf: ({ source }) => source.file,
}

/** The list of what a folder holds and what it was made of; entries are asked for by the file of their source. */
export class Manifest extends FolderManifest<ManifestEntry> {
  constructor(folder: string, force: boolean) {
    super(folder, force, FORM)
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
