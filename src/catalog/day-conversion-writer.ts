import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openTickFile } from '../day/tick-day.js'
import type { ConvertedInput, ConvertOptions, ConvertProgress } from '../export/convert-options.js'
import { convertFiles } from '../export/convert.js'
import { exportFileName, type ExportKind, type ExportTarget } from '../export/export-kind.js'
import { BacktapeError } from '../model/error.js'
import { createTableFile } from '../tables/table-file-writer.js'
import { writeTable } from '../tables/table-stream.js'
import type { FoundTick } from './catalog-day.js'
import { type KeptFile, KeptDays, type KeptDaysOptions } from './kept-days-writer.js'
import type { TableKind } from './table-kind.js'

/** The options of {@link DayConversions}. */
export interface DayConversionOptions extends KeptDaysOptions {
  readonly onProgress?: ((progress: ConvertProgress) => void) | undefined
}

/**
 * Tick files as tables and exports, made by `convertFiles` and kept in a folder up to a limit, see {@link KeptDays}.
 */
export class DayConversions {
  readonly #options: DayConversionOptions
  readonly #kept: KeptDays

  constructor(options: DayConversionOptions) {
    this.#options = options
    this.#kept = new KeptDays(options)
  }

  /** Lets the days of the work before go. */
  unpin(): void {
    this.#kept.unpin()
  }

  /**
   * The paths of tables of a tick file with these bytes, in the order of `kinds`; those that are not there are made,
   * also without rows. Throws what the conversion throws, and as {@link KeptDays.files}.
   */
  async tables(tick: FoundTick, digest: string, kinds: readonly TableKind[]): Promise<string[]> {
    const names = kinds.map((kind) => fileNameOf(tick, kind))
    const files = await this.#kept.files(tick, digest, names, async (folder, missing) => {
      const wanted = kinds.filter((kind) => missing.includes(fileNameOf(tick, kind)))
      const events = wanted.filter((kind) => kind !== 'minutes')
      if (events.length > 0) await this.#convert(tick, { to: 'parquet', kinds: events, out: folder })
      if (wanted.includes('minutes')) await this.#sumUp(tick, join(folder, fileNameOf(tick, 'minutes')))
    })
    return files.flatMap(({ path }) => path ?? [])
  }

  /** The path of a table of a tick file that is there already; null where it is not. */
  async kept(tick: FoundTick, digest: string, kind: TableKind): Promise<string | null> {
    return (await this.#kept.kept(tick, digest, fileNameOf(tick, kind)))?.path ?? null
  }

  /**
   * One of the shop's exports of a tick file with these bytes, made where it is not there: the bytes of
   * `backtape convert --to shop`. Throws as {@link tables}.
   */
  async export(tick: FoundTick, digest: string, target: ExportTarget): Promise<KeptFile> {
    const name = exportFileName(tick.facts.fileName, target)
    const { kind, format } = target
    const [file] = await this.#kept.files(tick, digest, [name], async (folder) => {
      const options = { to: format, kinds: [kind], comment: format.startsWith('csv'), out: folder }
      const { outputs } = await this.#convert(tick, options)
      if (outputs.every(({ rowCount }) => rowCount === 0)) await rm(join(folder, name), { force: true })
    })
    return file ?? { path: null }
  }

  /** The same, where it was made already; null where it was not. It counts as used. */
  async keptExport(tick: FoundTick, digest: string, target: ExportTarget): Promise<KeptFile | null> {
    const file = await this.#kept.kept(tick, digest, exportFileName(tick.facts.fileName, target))
    if (file !== null) await this.#kept.use(tick, digest)
    return file
  }

  /** Removes what was converted of a tick file, as it is damaged: it is made again when it is next needed. */
  async forget(tick: FoundTick, digest: string): Promise<void> {
    await this.#kept.forget(tick, digest)
  }

  async #convert({ facts }: FoundTick, options: ConvertOptions): Promise<ConvertedInput> {
    const { signal, onProgress } = this.#options
    const stop = signal === undefined ? {} : { signal }
    const result = await convertFiles([facts.name], {
      ...options, read: stop, force: true, ...stop, ...(onProgress === undefined ? {} : { onProgress }),
    })
    const [input] = result.inputs
    if (input?.error !== null && input !== undefined) throw input.error
    if (input === undefined || result.stopped)
      throw new BacktapeError(
        'STOPPED', `Cannot convert ${facts.name}: it was stopped`, { file: facts.name }, signal?.reason,
      )
    return input
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
}

function fileNameOf({ facts }: FoundTick, kind: TableKind): string {
  // The name of minutes follows the same rule.
  return exportFileName(facts.fileName, { kind: kind as ExportKind, format: 'parquet' })
}
