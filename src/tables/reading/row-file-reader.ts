import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { loadPackage } from '../../files/package-reader.js'
import { BacktapeError } from '../../model/error.js'
import { openCsvRows } from './csv-row-reader.js'
import { fileRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile } from './row-file.js'

/** A table that is read, and the bytes that it is read from. */
export interface OpenRowFile extends RowFile {
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string
  /** Throws FILE_UNREADABLE where the file is another one than when it was opened. */
  verify(): Promise<void>
}

/**
 * Digits of a file's place, length and last change: another version has others. Throws FILE_NOT_FOUND, and
 * FILE_UNREADABLE for what is no plain file.
 */
export async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw fileRefusal(path, 'a file that can be read', message, error)
    const [expected, what] = ['a file that exists', JSON.stringify(path)]
    throw new BacktapeError(
      'FILE_NOT_FOUND', `Cannot read ${path}: it does not exist`, { file: path, expected, found: what }, error,
    )
  })
  if (!found.isFile()) throw fileRefusal(path, 'a plain file', found.isDirectory() ? 'a folder' : 'a device or pipe')
  return [found.dev, found.ino, found.size, found.mtimeNs].join(':')
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(bytes as Uint8Array)
  return hash.digest('hex')
}

/** First bytes of formats that hold a table in another one. */
const PACKED: readonly (readonly [magic: string, name: string])[] = [
  ['\x1f\x8b', 'gzip'], ['\x28\xb5\x2f\xfd', 'zstd'], ['PK\x03\x04', 'zip'],
]

/** The formats of tables, known by their first bytes. */
export type TableBytes = 'parquet' | 'arrow' | 'arrows' | 'json' | 'text'

/** The format of a file by its first bytes. Throws FILE_UNREADABLE for one that is packed in another. */
export async function tableBytesOf(path: string): Promise<TableBytes> {
  const first = await firstBytes(path)
  const packed = PACKED.find(([magic]) => first.startsWith(magic))
  if (packed !== undefined) throw fileRefusal(path, 'a Parquet, Arrow, CSV or JSON file that is not packed', packed[1])
  if (first.startsWith('ARROW1')) return 'arrow'
  if (first.startsWith('\xff\xff\xff\xff')) return 'arrows'
  if (first.startsWith('PAR1')) return 'parquet'
  return /^(?:\xef\xbb\xbf)?\s*[[{]/.test(first) ? 'json' : 'text'
}

/** Spaces may stand before the first bracket of JSON. */
const FIRST_BYTES = 64

async function firstBytes(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0)
    return buffer.subarray(0, bytesRead).toString('latin1')
  } finally {
    await file.close()
  }
}

/** Kinds of columns of CSV and JSON, by name; Parquet and Arrow state those of their columns. */
export interface RowFileOptions {
  /** Kinds that follow from how a column is used. */
  readonly implied?: Readonly<Record<string, CellKind>>
  /** Kinds that the user states: refused for Parquet and Arrow. */
  readonly stated?: Readonly<Record<string, CellKind>>
}

/** Opens a table by what its first bytes say it is. */
async function openByContent(path: string, { implied, stated = {} }: RowFileOptions): Promise<RowFile> {
  const format = await tableBytesOf(path)
  if (format === 'text') return openCsvRows(path, { ...implied, ...stated })
  if (format === 'json') return (await import('./json-row-reader.js')).openJsonRows(path, { ...implied, ...stated })
  if (Object.keys(stated).length > 0)
    throw fileRefusal(
      path, 'a CSV or JSON file, as types are stated', format === 'parquet' ? 'Parquet, which states its own' : 'Arrow',
    )
  if (format === 'parquet') return (await import('./parquet-row-reader.js')).openParquetRows(path)
  const { openArrowRows } = await loadPackage('apache-arrow', () => import('./arrow-row-reader.js'))
  return openArrowRows(path, format === 'arrows')
}

/**
 * Opens a Parquet, Arrow (file or stream), CSV or JSON file (objects, a line each or in one array) by its content, and
 * digests it. Throws FILE_NOT_FOUND; FILE_UNREADABLE for what is no such file or holds what no row can. Both state what
 * was expected and found. Rows throw ROW_INVALID, with the number of the row, when they are read.
 */
export async function openRowFile(path: string, options: RowFileOptions = {}): Promise<OpenRowFile> {
  const version = await versionOf(path)
  const verify = async (): Promise<void> => {
    const found = await versionOf(path).catch(() => null)
    if (found !== version) throw fileRefusal(path, 'left alone while a run reads it', 'another version of it')
  }
  try {
    const sha256 = await digestOf(path)
    const file = await openByContent(path, options)
    return {
      sha256, verify,
      get columns(): readonly RowColumn[] { return file.columns },
      next: (): Promise<RowBatch | null> => file.next(),
      close: () => file.close(),
    }
  } catch (error) {
    if (error instanceof BacktapeError) throw error
    throw fileRefusal(path, 'a file that can be read', (error as Error).message, error)
  }
}
