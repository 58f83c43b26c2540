import { readFile } from 'node:fs/promises'
import { type RecordBatch, type Schema, tableFromIPC } from 'apache-arrow'
import { loadPackage } from '../../files/package-reader.js'
import { parquetCounts } from './parquet-counts.js'
import { fileRefusal } from './row-file.js'

/** Writers of Arrow keep its schema here; it says nothing about the table. */
const ARROW_SCHEMA_KEY = 'ARROW:schema'
/** The length of the footer in four bytes, and the magic. */
const TAIL_BYTES = 8
const MAGIC = 'PAR1'
const BATCH_ROWS = 65_536

/** A Parquet file, read one row group at a time. */
export interface ParquetBatches {
  readonly rowCount: number
  readonly schema: Schema
  readonly metadata: ReadonlyMap<string, string>
  /** The rows in the order of the file. Throws FILE_UNREADABLE where they are damaged. */
  batches(): Generator<RecordBatch, void, undefined>
}

function damage(path: string, error: unknown): Error {
  const [words = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const found = words === 'unreachable' ? 'data that contradict themselves' : words
  return fileRefusal(path, 'a Parquet file that can be read', found, error)
}

function footerOf(bytes: Uint8Array): Uint8Array {
  const tail = Buffer.from(bytes.subarray(-TAIL_BYTES))
  if (tail.length < TAIL_BYTES || tail.toString('latin1', 4) !== MAGIC) throw new RangeError('one that is cut')
  const end = bytes.length - TAIL_BYTES
  const from = end - tail.readUInt32LE(0)
  if (from < MAGIC.length) throw new RangeError('a footer that begins before the file')
  return bytes.subarray(from, end)
}

/**
 * Opens a Parquet file. Throws FILE_UNREADABLE for what is none. The forms of the library that give promises never
 * settle where its program gives up on damaged data, so those that return at once are called, row group by row group.
 */
export async function openParquetBatches(path: string): Promise<ParquetBatches> {
  // Loaded when used: its program takes 5 MB.
  const { readParquet, readSchema } = await loadPackage('parquet-wasm', () => import('parquet-wasm'))
  const attempt = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw damage(path, error)
    }
  }
  const bytes = await readFile(path).catch((error: unknown) => { throw damage(path, error) })
  return attempt(() => {
    const { rowCount, groupCount } = parquetCounts(footerOf(bytes))
    const { schema } = tableFromIPC(readSchema(bytes).intoIPCStream())
    // The library gives them in any order.
    const metadata = new Map([...schema.metadata].sort(([a], [b]) => (a < b ? -1 : 1)))
    metadata.delete(ARROW_SCHEMA_KEY)
    return {
      rowCount, schema, metadata,
      *batches() {
        for (let group = 0; group < groupCount; group++)
          yield* attempt(() => (
            tableFromIPC(readParquet(bytes, { rowGroups: [group], batchSize: BATCH_ROWS }).intoIPCStream()).batches))
      },
    }
  })
}
