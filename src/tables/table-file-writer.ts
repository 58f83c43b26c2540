import { readFile, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { outputError } from '../files/output-fault.js'
import type { InputFiles } from '../files/output-place-reader.js'
import { createWholeFile, exists, type WholeFile } from '../files/whole-file-writer.js'
import { isTextFormat, metadataIn, type TableForm } from './table-form.js'
import type { TableTarget } from './table-stream.js'

/** A table on its way into a file of its own: whole with its metadata, or absent. */
export interface TableFile extends TableTarget {
  readonly path: string
  /**
   * Flushes everything to the disk, so that `commit` only gives names: of several tables, all before the first has one.
   */
  prepare(metadata: ReadonlyMap<string, string>): Promise<void>
  /** Gives the file its name, and the metadata to a file beside it where its format has no place for them. */
  commit(metadata: ReadonlyMap<string, string>): Promise<void>
  /** Removes what is not whole; harmless after `commit`. */
  abort(): Promise<void>
}

/** The options of a new table file. */
export interface TableFileOptions extends InputFiles {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** True where the metadata lie beside the table; default: where its format has no place for them. */
  readonly describes?: boolean
}

/** `x.csv.json`: where the metadata of `x.csv` lie. */
export function metadataPath(path: string): string {
  return `${path}.json`
}

/** True where a file holds metadata of a table that is not there: a process was killed between the two. */
async function isOrphan(path: string): Promise<boolean> {
  if (await exists(path)) return false
  try {
    const content = JSON.parse(await readFile(metadataPath(path), 'utf8')) as {
      readonly backtape?: unknown
      readonly file?: unknown
    } | null
    return content?.backtape === 'table' && content.file === basename(path)
  } catch {
    return false
  }
}

class TableFileWriter implements TableFile {
  private crc = 0
  private sizeBytes = 0
  private isPrepared = false

  constructor(
    readonly path: string,
    private readonly form: TableForm,
    private readonly table: WholeFile,
    private readonly description: WholeFile | null,
    private readonly force: boolean,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.crc = crc32(bytes, this.crc)
    this.sizeBytes += bytes.length
    await this.table.write(bytes)
  }

  async prepare(metadata: ReadonlyMap<string, string>): Promise<void> {
    if (this.isPrepared) return
    await this.description?.write(new TextEncoder().encode(this.descriptionText(metadata)))
    await this.description?.sync()
    await this.table.sync()
    this.isPrepared = true
  }

  async commit(metadata: ReadonlyMap<string, string>): Promise<void> {
    const { description, table, path } = this
    await this.prepare(metadata)
    if (description === null) return table.commit()
    if (this.force) await rm(path, { force: true }).catch((error: unknown) => { throw outputError(path, error) })
    await description.commit()
    try {
      await table.commit()
    } catch (error) {
      await rm(description.path, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async abort(): Promise<void> {
    await this.table.abort()
    await this.description?.abort()
  }

  private descriptionText(metadata: ReadonlyMap<string, string>): string {
    const checksum = `crc32:${this.crc.toString(16).padStart(8, '0')}`
    const { sizeBytes, form, path } = this
    const content = {
      backtape: 'table', file: basename(path), format: form.format, sizeBytes, checksum,
      metadata: Object.fromEntries(metadataIn(form, metadata)),
    }
    return `${JSON.stringify(content, null, 1)}\n`
  }
}

/**
 * Creates the file of a table. CSV and JSON have their metadata in `NAME.csv.json` beside them. Both are written and
 * flushed first; then an old table that is to be overwritten is removed, the metadata get their name, the table gets
 * its name last. So no table ever stands without its metadata or beside those of another, whatever moment a process is
 * killed at; metadata without their table are a leftover, which the next call replaces. Throws OUTPUT_EXISTS,
 * OUTPUT_FAILED.
 */
export async function createTableFile(
  path: string, form: TableForm, options: TableFileOptions = {},
): Promise<TableFile> {
  const { force = false, describes = isTextFormat(form.format), inputs = [] } = options
  const table = await createWholeFile(path, { force, inputs })
  try {
    const replaces = force || (await isOrphan(path))
    const description = describes ? await createWholeFile(metadataPath(path), { force: replaces, inputs }) : null
    return new TableFileWriter(path, form, table, description, force)
  } catch (error) {
    await table.abort()
    throw error
  }
}
