import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { parseNestedJson } from '../model/nested-json.js'
import { outputError, systemCode } from './output-fault.js'
import { createExclusiveFile } from './whole-file-writer.js'

/** The form of a manifest. */
export interface ManifestForm<Entry> {
  /** Its name in the folder. */
  readonly name: string
  /** The word of its field `manifest`. */
  readonly word: string
  isEntry(value: unknown): value is Entry
  /** Equal for entries of which one takes the place of the other. */
  keyOf(entry: Entry): string
  /** The name that entries are asked for by. */
  groupOf(entry: Entry): string
}

interface ManifestContent {
  readonly manifest: string
  readonly version: 1
  readonly entries: readonly unknown[]
}

/** The state of the file that was read or written last: another one is read anew. */
interface KnownFile {
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly size: bigint
}

/**
 * The list of what a folder holds and what it was made of. Kept in memory and read anew where another process has
 * changed it, so that work may share a folder. A change is made in a turn of its own (`createExclusiveFile`) upon what
 * the file holds then: no process drops the entries of another.
 */
export class FolderManifest<Entry> {
  readonly path: string
  private known: KnownFile | null = null
  /** Entries by their key, and the same by their group. */
  private readonly byKey: Map<string, Entry> = new Map()
  private readonly byGroup: Map<string, Map<string, Entry>> = new Map()
  private turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, private readonly force: boolean, private readonly form: ManifestForm<Entry>) {
    this.path = join(folder, form.name)
  }

  /** Entries of a group; none where there is no manifest. Throws OUTPUT_EXISTS where the file is no manifest. */
  async entriesOf(group: string): Promise<readonly Entry[]> {
    await this.ordered(() => this.refresh())
    return [...(this.byGroup.get(group)?.values() ?? [])]
  }

  /** Puts entries in the place of those with the same keys, with one write. */
  put(entries: readonly Entry[]): Promise<void> {
    return this.ordered(async () => {
      const file = await createExclusiveFile(this.path)
      try {
        await this.refresh()
        for (const entry of entries) this.keep(entry)
        const sorted = [...this.byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
        const content: ManifestContent = { manifest: this.form.word, version: 1, entries: sorted }
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

  private keep(entry: Entry): void {
    const [key, group] = [this.form.keyOf(entry), this.form.groupOf(entry)]
    const entries = this.byGroup.get(group) ?? new Map<string, Entry>()
    this.byKey.set(key, entry)
    this.byGroup.set(group, entries.set(key, entry))
  }

  private async refresh(): Promise<void> {
    const found = await stat(this.path, { bigint: true }).catch(() => null)
    const { known } = this
    if (found !== null && found.ino === known?.ino && found.mtimeNs === known.mtimeNs && found.size === known.size)
      return
    const entries = await this.read()
    this.byKey.clear()
    this.byGroup.clear()
    for (const entry of entries) this.keep(entry)
    this.known = found
  }

  private async read(): Promise<readonly Entry[]> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return null
      throw new BacktapeError('OUTPUT_FAILED', `Cannot read ${this.path}: ${String(error)}`, { file: this.path }, error)
    })
    if (text === null) return []
    const entries = this.entriesIn(parsed(text))
    if (entries !== null) return entries
    if (this.force) return []
    throw new BacktapeError(
      'OUTPUT_EXISTS',
      `Cannot use ${this.path}: it is not a manifest of Backtape; move it away or ask to overwrite it with --force`,
      { file: this.path },
    )
  }

  private entriesIn(value: unknown): readonly Entry[] | null {
    const content = value as Partial<ManifestContent> | null
    const isManifest = typeof content === 'object' && content !== null && content.manifest === this.form.word
      && content.version === 1 && Array.isArray(content.entries)
    if (!isManifest) return null
    const entries = content.entries?.filter((entry) => this.form.isEntry(entry)) ?? []
    return entries.length === content.entries?.length ? entries : null
  }
}

function parsed(text: string): unknown {
  try {
    return parseNestedJson(text)
  } catch {
    return null
  }
}
