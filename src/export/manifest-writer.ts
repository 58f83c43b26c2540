import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { parseNestedJson } from '../model/nested-json.js'
import { createWholeFile } from '../files/whole-file-writer.js'
import type { Margins } from '../tickfile/margins.js'
import type { LeftOutEvents } from '../tickfile/stitching-report.js'
import type { ExportFormat, ExportKind } from './export-kind.js'

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
  /** What Parquet and Arrow files say of themselves, for the formats that cannot: CSV and JSON. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** What was made of one source under one set of options. */
export interface ManifestEntry {
  readonly source: { readonly file: string; readonly sizeBytes: number; readonly sha256: string }
  /** The options that change the results, as text. */
  readonly options: string
  /** Events that the tables were made of. */
  readonly events: number
  /** Of the tables: `keep` also where the day of the file is unknown. Entries of versions that knew no margins have none of these three. */
  readonly margins: Margins
  readonly openingSnapshot: 'made' | 'none'
  readonly leftOut: LeftOutEvents
  readonly damagedLines: number
  readonly outputs: readonly ManifestOutput[]
}

interface ManifestContent {
  readonly manifest: 'backtape'
  readonly version: 1
  readonly entries: readonly ManifestEntry[]
}

function isEntry(value: unknown): value is ManifestEntry {
  const entry = value as Partial<ManifestEntry> | null
  return typeof entry === 'object' && entry !== null && typeof entry.options === 'string' && typeof entry.source?.file === 'string' && Array.isArray(entry.outputs)
}

function isManifest(value: unknown): value is ManifestContent {
  const content = value as Partial<ManifestContent> | null
  return typeof content === 'object' && content !== null && content.manifest === 'backtape' && content.version === 1 && Array.isArray(content.entries) && content.entries.every(isEntry)
}

const keyOf = (entry: Pick<ManifestEntry, 'source' | 'options'>): string => `${entry.source.file}\n${entry.options}`

/** The list of what a folder holds and what it was made of. Read anew before each change, so that two conversions may share a folder. */
export class Manifest {
  readonly path: string
  private readonly force: boolean
  private changes: Promise<void> = Promise.resolve()

  constructor(folder: string, force: boolean) {
    this.path = join(folder, MANIFEST_NAME)
    this.force = force
  }

  /** All entries, by source file and options; none where there is no manifest. */
  async entries(): Promise<readonly ManifestEntry[]> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return null
      throw new BacktapeError('OUTPUT_FAILED', `Cannot read ${this.path}: ${String(error)}`, { file: this.path }, error)
    })
    if (text === null) return []
    const content = parsed(text)
    if (isManifest(content)) return content.entries
    if (this.force) return []
    throw new BacktapeError('OUTPUT_EXISTS', `Cannot use ${this.path}: it is not a manifest of Backtape; move it away or ask to overwrite it with --force`, { file: this.path })
  }

  /** Puts an entry in the place of the one for the same file and options. */
  put(entry: ManifestEntry): Promise<void> {
    const change = this.changes.then(async () => {
      const others = (await this.entries()).filter((other) => keyOf(other) !== keyOf(entry))
      const entries = [...others, entry].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      const content: ManifestContent = { manifest: 'backtape', version: 1, entries }
      const file = await createWholeFile(this.path, { force: true })
      await file.write(new TextEncoder().encode(`${JSON.stringify(content, null, 1)}\n`))
      await file.commit()
    })
    this.changes = change.catch(() => undefined)
    return change
  }
}

function parsed(text: string): unknown {
  try {
    return parseNestedJson(text)
  } catch {
    return null
  }
}
