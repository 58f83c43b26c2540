import { open, type FileHandle } from 'node:fs/promises'
import { BacktapeError } from '../../model/error.js'
import { unpackerOf } from './parquet-codecs.js'
import { ParquetFault, ParquetUnknown } from './parquet-fault.js'
import { parquetLayout, type ParquetGroup, type ParquetLayout } from './parquet-layout.js'
import { ChunkPages, type Page } from './parquet-pages.js'

/** The length of the footer in four bytes, and the magic. */
const TAIL_BYTES = 8
const MAGIC = 'PAR1'

/** Any error of damaged bytes as FILE_UNREADABLE, with the column and the byte where they are known. */
export function damageOf(
  path: string, error: unknown, column: string | null = null, byteOffset: number | null = null,
): Error {
  if (error instanceof BacktapeError || error instanceof ParquetUnknown) return error
  const [words = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const own = error instanceof ParquetFault ? error : null
  const field = own?.column ?? column
  const at = own?.byteOffset ?? byteOffset
  const place = [...(field === null ? [] : [`column ${JSON.stringify(field)}`]), ...(at === null ? [] : [`byte ${at}`])]
  const expected = 'a Parquet file that can be read'
  const found = place.length === 0 ? words : `${words} (${place.join(', ')})`
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read ${path}: it must be ${expected}, found ${found}`,
    {
      file: path, expected, found: words.slice(0, 80), ...(field === null ? {} : { field }),
      ...(at === null ? {} : { byteOffset: at }),
    }, error,
  )
}

async function bytesAt(file: FileHandle, from: number, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count)
  for (let done = 0; done < count;) {
    const { bytesRead } = await file.read(bytes, done, count - done, from + done)
    if (bytesRead === 0) throw new ParquetFault('a file that ends early', from + done)
    done += bytesRead
  }
  return bytes
}

async function layoutOf(path: string, file: FileHandle): Promise<ParquetLayout> {
  const { size } = await file.stat()
  const tail = Buffer.from(await bytesAt(file, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES)))
  if (tail.length < TAIL_BYTES || tail.toString('latin1', 4) !== MAGIC) throw new ParquetFault('one that is cut', size)
  const from = size - TAIL_BYTES - tail.readUInt32LE(0)
  if (from < MAGIC.length) throw new ParquetFault('a footer that begins before the file', size - TAIL_BYTES)
  try {
    return parquetLayout(path, await bytesAt(file, from, size - from), from)
  } catch (error) {
    throw damageOf(path, error, null, from)
  }
}

/** A Parquet file whose columns are read row group by row group. */
export class ParquetFile {
  private constructor(
    readonly path: string, readonly layout: ParquetLayout, private readonly file: FileHandle,
  ) {}

  /**
   * Opens a file and reads its footer. Throws FILE_UNREADABLE for damage and for columns that no table holds, with the
   * place as far as it is known.
   */
  static async open(path: string): Promise<ParquetFile> {
    const file = await open(path)
    try {
      return new ParquetFile(path, await layoutOf(path, file), file)
    } catch (error) {
      await file.close()
      throw damageOf(path, error)
    }
  }

  /**
   * Calls back with the pages of a column in a row group, in their order; memory holds the column's packed bytes and
   * one page. Throws FILE_UNREADABLE for damage, ParquetUnknown for what is not read here.
   */
  async eachPage(group: ParquetGroup, column: number, visit: (page: Page) => void): Promise<void> {
    if (group.rowCount === 0) return
    const field = this.layout.fields[column]
    const chunk = group.chunks[column]
    if (field === undefined || chunk === undefined) throw new RangeError(`no column ${column}`)
    let pages: ChunkPages | null = null
    try {
      const bytes = await bytesAt(this.file, chunk.from, chunk.byteCount)
      pages = new ChunkPages(field, bytes, await unpackerOf(chunk.codec), group.rowCount)
      for (let page = pages.next(); page !== null; page = pages.next()) visit(page)
    } catch (error) {
      throw damageOf(this.path, error, field.name, chunk.from + (pages?.pageFrom ?? 0))
    }
  }

  async close(): Promise<void> {
    await this.file.close()
  }
}
