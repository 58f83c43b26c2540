import { loadPackage } from '../../files/package-reader.js'
import { Decimal } from '../../model/decimal.js'
import type { SignalValue } from '../../model/signal-row.js'
import { timeNsOf, valuesAs, wideDecimalAt } from './parquet-columns.js'
import { ParquetUnknown } from './parquet-fault.js'
import { damageOf, ParquetFile } from './parquet-file-reader.js'
import type { ParquetField } from './parquet-layout.js'
import { numberAt, numberOfPiece } from './parquet-numbers.js'
import type { Page } from './parquet-pages.js'
import type { PageValues } from './parquet-page-values.js'
import {
  checkNames, integerValue, rowRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile,
} from './row-file.js'

/** Rows that are given at once: the others of a row group wait in typed arrays. */
const PIECE_ROWS = 4_096

type Read = (at: number) => SignalValue

const KINDS: Readonly<Record<ParquetField['kind']['form'], CellKind>> = {
  time: 'timestamp', decimal: 'decimal', integer: 'integer', double: 'double', boolean: 'boolean', text: 'text',
}

function readingOfIntegers(values: PageValues, isSigned: boolean): Read {
  if (values.form === 'words')
    return (at) => (isSigned ? (values.words[at] as number) : (values.words[at] as number) >>> 0)
  const { words, pairs } = valuesAs(values, 'pairs')
  return (at) => {
    const number = numberAt(words, at)
    if (Number.isSafeInteger(number) && (isSigned || number >= 0)) return number
    return integerValue(isSigned ? (pairs[at] as bigint) : BigInt.asUintN(64, pairs[at] as bigint))
  }
}

function readingOfDecimals(values: PageValues, scale: number): Read {
  const decimal = (integer: bigint | number): Decimal => new Decimal(`${String(integer)}e-${scale}`)
  if (values.form === 'words') return (at) => decimal(values.words[at] as number)
  if (values.form === 'pairs') return (at) => decimal(values.pairs[at] as bigint)
  const pieces = valuesAs(values, 'pieces')
  return (at) => {
    const number = numberOfPiece(pieces, at)
    return decimal(Number.isNaN(number) ? wideDecimalAt(pieces, at) : number)
  }
}

function readingOfTexts(values: PageValues): Read {
  if (values.form !== 'pieces') return () => null
  const { bytes, starts, lengths } = values
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return (at) => texts.toString('utf8', starts[at], (starts[at] as number) + (lengths[at] as number))
}

/** The values of a page, by their places. */
function readingOf({ kind }: ParquetField, values: PageValues, refuse: (found: string) => never): Read {
  switch (kind.form) {
    case 'time': return (at) => {
      const raw = values.form === 'words' ? values.words[at] : valuesAs(values, 'pairs').pairs[at]
      return timeNsOf(raw ?? 0, kind.unitNs) ?? refuse(`${String(BigInt(raw ?? 0) * kind.unitNs)} ns`)
    }
    case 'decimal': return readingOfDecimals(values, kind.scale)
    case 'integer': return readingOfIntegers(values, kind.isSigned)
    case 'double': return (at) => valuesAs(values, 'doubles').doubles[at] as number
    case 'boolean': return (at) => valuesAs(values, 'flags').flags[at] === 1
    default: return readingOfTexts(values)
  }
}

/** The pages of one column in a row group, read from the first row on. */
class ColumnCursor {
  private readonly pages: Page[] = []
  private page = 0
  private row = 0
  private at = 0
  private read: Read | null = null
  /** The row of the file at hand, which counts from 1. */
  private number = 0

  constructor(private readonly field: ParquetField, private readonly refuse: (row: number, found: string) => never) {}

  add(page: Page): void {
    this.pages.push(page)
  }

  /** The next rows; `from` of the file were before them. */
  take(from: number, count: number): SignalValue[] {
    const values: SignalValue[] = []
    while (values.length < count) {
      const page = this.pages[this.page] as Page
      this.read ??= readingOf(this.field, page.values, (found) => this.refuse(this.number, found))
      const end = Math.min(page.rowCount, this.row + count - values.length)
      for (; this.row < end; this.row++) {
        this.number = from + values.length + 1
        values.push(page.present !== null && page.present[this.row] === 0 ? null : this.read(this.at++))
      }
      if (this.row < page.rowCount) continue
      this.page++
      this.row = 0
      this.at = 0
      this.read = null
    }
    return values
  }
}

/** A Parquet file; memory holds one row group. */
class ParquetRowFile implements RowFile {
  readonly columns: readonly RowColumn[]
  private group = 0
  private left = 0
  private row = 0
  private cursors: readonly ColumnCursor[] = []

  constructor(private readonly file: ParquetFile) {
    this.columns = file.layout.fields.map(({ name, kind }) => ({ name, kind: KINDS[kind.form] }))
  }

  /** Reads the next row group that has rows; false behind the last. */
  async load(): Promise<boolean> {
    const { path, layout } = this.file
    for (let group = layout.groups[this.group]; group !== undefined; group = layout.groups[this.group]) {
      this.group++
      if (group.rowCount === 0) continue
      const cursors: ColumnCursor[] = []
      for (const [at, field] of layout.fields.entries()) {
        const cursor = new ColumnCursor(field, (row, found) => {
          throw rowRefusal(path, row, JSON.stringify(field.name), 'a time from 1678 to 2262', found)
        })
        await this.file.eachPage(group, at, (page) => { cursor.add(page) })
        cursors.push(cursor)
      }
      this.cursors = cursors
      this.left = group.rowCount
      return true
    }
    return false
  }

  async next(): Promise<RowBatch | null> {
    if (this.left === 0 && !(await this.load())) return null
    const rowCount = Math.min(PIECE_ROWS, this.left)
    const columns = this.cursors.map((cursor, at) => {
      try {
        return cursor.take(this.row, rowCount)
      } catch (error) {
        throw damageOf(this.file.path, error, this.columns[at]?.name)
      }
    })
    this.left -= rowCount
    this.row += rowCount
    return { rowCount, columns }
  }

  close(): Promise<void> {
    return this.file.close()
  }
}

/** The rows of a file that only parquet-wasm can read. */
async function openOtherRows(path: string, groupCount: number): Promise<RowFile> {
  const { openParquetBatches } = await loadPackage('apache-arrow', () => import('./parquet-batch-reader.js'))
  const { rowsOfBatches } = await import('./arrow-row-reader.js')
  const { schema, batches } = await openParquetBatches(path, groupCount)
  return rowsOfBatches(path, schema, batches())
}

/**
 * Opens a Parquet file, whose rows come in the order of the file. Throws FILE_UNREADABLE, and PACKAGE_MISSING where it
 * needs parquet-wasm.
 */
export async function openParquetRows(path: string): Promise<RowFile> {
  const file = await ParquetFile.open(path)
  try {
    checkNames(path, file.layout.fields.map(({ name }) => name))
    const rows = new ParquetRowFile(file)
    // What is not known here is found in the first row group.
    await rows.load()
    return rows
  } catch (error) {
    await file.close()
    if (error instanceof ParquetUnknown) return openOtherRows(path, file.layout.groups.length)
    throw error
  }
}
