import { readFile } from 'node:fs/promises'
import { type RecordBatch, type Schema, tableFromIPC } from 'apache-arrow'
import { loadPackage } from '../../files/package-reader.js'
import { fileRefusal } from './row-file.js'

const BATCH_ROWS = 65_536

/** A Parquet file as parquet-wasm reads it, one row group at a time. */
export interface ParquetBatches {
  readonly schema: Schema
  /** The rows in the order of the file. Throws FILE_UNREADABLE where they are damaged. */
  batches(): Generator<RecordBatch, void, undefined>
}

function damage(path: string, error: unknown): Error {
  const [words = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const found = words === 'unreachable' ? 'data that contradict themselves' : words
  return fileRefusal(path, 'a Parquet file that can be read', found, error)
}

/**
 * Opens a Parquet file of so many row groups whose pages only parquet-wasm knows. Throws FILE_UNREADABLE for what is
 * none, PACKAGE_MISSING without that package. The forms of the library that give promises never settle where its
 * program gives up on damaged data, so those that return at once are called, row group by row group.
 */
export async function openParquetBatches(path: string, groupCount: number): Promise<ParquetBatches> {
  // Loaded when used: its program takes 5 MB.
  const { readParquet, readSchema } = await loadPackage('parquet-wasm', () => import('parquet-wasm'))
  const attempt = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw damage(path, error)
    }
  }
  const bytes = await readFile(path)
  const { schema } = attempt(() => tableFromIPC(readSchema(bytes).intoIPCStream()))
  return {
    schema,
    *batches() {
      for (let group = 0; group < groupCount; group++)
        yield* attempt(() => (
          tableFromIPC(readParquet(bytes, { rowGroups: [group], batchSize: BATCH_ROWS }).intoIPCStream()).batches))
    },
  }
}
