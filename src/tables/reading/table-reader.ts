import { loadPackage } from '../../files/package-reader.js'
import { BacktapeError } from '../../model/error.js'
import { checkOptionNames, type OptionNames } from '../../model/option-names.js'
import { createTable, type Table } from '../table.js'
import type { ParquetLayout } from './parquet-layout.js'
import { checkNames, fileRefusal } from './row-file.js'
import { tableBytesOf, versionOf } from './row-file-reader.js'

/** The way a file of a table is read. */
export interface ReadTableOptions {
  /** Most rows that the table may have; default 1,073,741,824, which is what its columns can hold. */
  readonly maxRows?: number
}

const OPTION_NAMES: OptionNames<ReadTableOptions> = { maxRows: true }

const DEFAULT_MAX_ROWS = 2 ** 30

/** Refuses a table of more rows than memory shall hold. */
function checkRows(path: string, rowCount: number, maxRows: number): void {
  if (rowCount <= maxRows) return
  const [expected, found] = [`at most ${String(maxRows)} rows`, String(rowCount)]
  throw new BacktapeError(
    'LIMIT_EXCEEDED', `Cannot hold ${path}: it must have ${expected}, found ${found}; raise maxRows, or ask it by SQL`,
    { file: path, field: 'maxRows', expected, found },
  )
}

/** A file whose pages only parquet-wasm knows. */
async function fromOtherParquet(path: string, { rowCount, groups, metadata }: ParquetLayout): Promise<Table> {
  const { openParquetBatches } = await loadPackage('apache-arrow', () => import('./parquet-batch-reader.js'))
  const { PackedVectors } = await import('./packed-vectors.js')
  const file = await openParquetBatches(path, groups.length)
  const rows = new PackedVectors(path, file.schema)
  for (const batch of file.batches()) rows.add(batch)
  if (rows.rowCount !== rowCount)
    throw fileRefusal(path, `a table of ${String(rowCount)} rows, as it states`, String(rows.rowCount))
  return createTable(rows.columns(), metadata)
}

async function fromParquet(path: string, maxRows: number): Promise<Table> {
  const { ParquetFile } = await import('./parquet-file-reader.js')
  const { pageTarget } = await import('./parquet-columns.js')
  const { ParquetUnknown } = await import('./parquet-fault.js')
  const file = await ParquetFile.open(path)
  try {
    const { rowCount, fields, groups, metadata } = file.layout
    checkRows(path, rowCount, maxRows)
    checkNames(path, fields.map(({ name }) => name))
    const targets = fields.map((field) => pageTarget(path, field))
    for (const group of groups)
      for (const [at, target] of targets.entries()) await file.eachPage(group, at, (page) => { target.add(page) })
    return createTable(targets.map((target) => target.column()), metadata)
  } catch (error) {
    if (error instanceof ParquetUnknown) return await fromOtherParquet(path, file.layout)
    throw error
  } finally {
    await file.close()
  }
}

async function fromArrow(path: string, isStream: boolean, maxRows: number): Promise<Table> {
  const { openArrowBatches, nextArrowBatch } = await loadPackage('apache-arrow', () => import('./arrow-row-reader.js'))
  const { PackedVectors } = await import('./packed-vectors.js')
  const reader = await openArrowBatches(path, isStream)
  // At its end the reader forgets its schema.
  const { schema } = reader
  try {
    const rows = new PackedVectors(path, schema)
    for (let batch = await nextArrowBatch(path, reader); batch !== null; batch = await nextArrowBatch(path, reader)) {
      checkRows(path, rows.rowCount + batch.numRows, maxRows)
      rows.add(batch)
    }
    return createTable(rows.columns(), new Map(schema.metadata))
  } finally {
    await reader.cancel()
  }
}

/**
 * A Parquet or Arrow file (`.parquet`, `.arrow`, `.arrows`, known by its first bytes) as a table, with its metadata and
 * without a database; objects of JSON too, a line each or all in one array, whose columns have the kind of their first
 * value (numbers become decimals). Values are exact: times of any unit become epoch nanoseconds, decimals and signed
 * integers decimal texts, unsigned integers of 64 bits `bigint`; NaN reads as null. A column `side` that holds BID and
 * ASK alone is one of sides. Throws FILE_NOT_FOUND; LIMIT_EXCEEDED for more than `maxRows` rows; ROW_INVALID for a time
 * that no 64 bits of nanoseconds hold, and a row of JSON that is none; FILE_UNREADABLE for another format, damage,
 * compressed Arrow, and columns of other types (lists, structures, binary data, decimals of more than 38 digits).
 *
 * @example
 * ```ts
 * import { convertFiles, readTable } from 'backtape'
 * const result = await convertFiles(['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], {
 *   out: 'archive', kinds: ['trades'],
 * })
 * const trades = await readTable(result.inputs[0]?.outputs[0]?.path ?? '')
 * console.log(trades.rowCount, trades.rows[0]?.price, trades.metadata.get('instrument_code'))
 * ```
 */
export async function readTable(path: string, options: ReadTableOptions = {}): Promise<Table> {
  checkOptionNames(`read ${path}`, options, OPTION_NAMES)
  const { maxRows = DEFAULT_MAX_ROWS } = options
  if (!(Number.isSafeInteger(maxRows) && maxRows > 0)) {
    const [expected, found] = ['a whole number above 0', String(maxRows)]
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot read ${path}: maxRows must be ${expected}, found ${found}`,
      { file: path, field: 'maxRows', expected, found },
    )
  }
  await versionOf(path)
  const format = await tableBytesOf(path)
  if (format === 'text') throw fileRefusal(path, 'a Parquet, Arrow or JSON file', 'none of them')
  if (format === 'json') {
    const { tableFromJson } = await import('./json-table-reader.js')
    return tableFromJson(path, (rowCount) => { checkRows(path, rowCount, maxRows) })
  }
  return format === 'parquet' ? fromParquet(path, maxRows) : fromArrow(path, format === 'arrows', maxRows)
}
