import {
  EXPORT_KINDS, lateMetadata, marginMetadata, metadataOf, shapeFromInstrument, shapeMetadata, tableColumns,
  type ExportKind, type TableShape,
} from '../export/export-kind.js'
import { TableBuilder } from '../export/table-builder.js'
import { BacktapeError } from '../model/error.js'
import { PASSES_MAX } from '../export/shape-needs.js'
import type { EventBatch } from '../model/event-batch.js'
import { indexAtTime, sliceBatch } from '../model/event-batch-columns.js'
import { checkOptionNames, type OptionNames } from '../model/option-names.js'
import { isoFromEpochNs } from '../model/time.js'
import type { Column, TableChunk } from '../tables/column.js'
import { packedColumn, type PackedColumn } from '../tables/packed-column.js'
import { createTable, type Table } from '../tables/table.js'
import { columnsIn, metadataIn, type TableForm } from '../tables/table-form.js'
import { checkedMargins, fileRows, type FileRows, type Margins } from '../tickfile/days/margins.js'
import type { StitchInput } from '../tickfile/days/stitching.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import { timeInFile, windowOf, type TimeInput, type TimeWindow } from './time-input.js'

/** The forms of decimals in a table of events. */
const TABLE_NUMBERS = ['exact', 'float64'] as const

/** Which events become a table, and in which form. */
export interface EventTableOptions {
  /** First adapter time, inclusive; default the first event. */
  readonly from?: TimeInput
  /** End of the adapter time, exclusive, but a bare date includes that day; default the end of the data. */
  readonly to?: TimeInput
  /**
   * `exact` (default): decimals are exact texts. `float64`: the nearest doubles in typed arrays, which is what measures
   * and plots want. Times are exact nanoseconds in both.
   */
  readonly numbers?: 'exact' | 'float64'
  /** `trim` (default): the UTC day of the file alone. `keep`: the file as it stands. */
  readonly margins?: Margins
  /** Most rows that the table may have; default 5,000,000, which take about half a gigabyte. */
  readonly maxRows?: number
}

const OPTION_NAMES: OptionNames<EventTableOptions> = {
  from: true, to: true, numbers: true, margins: true, maxRows: true,
}

/** A file as far as its tables need it: a `TickDay` is one. */
interface EventTableDay extends Omit<StitchInput, 'day' | 'close'> {
  readonly epochDay: number | null
  /** Findings of its newest reading. */
  readonly summary: ReadingSummary
}

/** Rows of a table in memory, unless somebody says otherwise. */
export const DEFAULT_MAX_ROWS = 5_000_000

function refusal(field: string, expected: string, found: unknown): BacktapeError {
  const words = JSON.stringify(found) ?? 'nothing'
  return new BacktapeError(
    'OPTION_INVALID', `Cannot make a table: ${field} must be ${expected}, found ${words}`,
    { field, expected, found: words.slice(0, 80) },
  )
}

/** The part of the batches whose clock, which never steps back, lies in a window; `isWhole` is false where it ended. */
class WindowedRows {
  isWhole = true

  constructor(private readonly rows: FileRows, private readonly window: TimeWindow) {}

  async *batches(): AsyncGenerator<EventBatch, void, undefined> {
    const { from, to } = this.window
    let hasBegun = from === null
    for await (const batch of this.rows.batches()) {
      const first = hasBegun || from === null ? 0 : indexAtTime(batch, timeInFile(from, batch.epochDay))
      const end = to === null ? batch.count : indexAtTime(batch, timeInFile(to, batch.epochDay))
      if (first < batch.count) hasBegun = true
      if (first < end) yield sliceBatch(batch, first, end)
      if (end === batch.count) continue
      this.isWhole = false
      return
    }
  }
}

/** Columns that grow by chunks, up to a number of rows. */
class GrowingTable {
  readonly columns: readonly PackedColumn[]
  rowCount = 0

  constructor(
    columns: readonly Column[], private readonly maxRows: number, private readonly refuse: () => never,
  ) {
    this.columns = columns.map(packedColumn)
  }

  add(chunk: TableChunk): void {
    this.rowCount += chunk.rowCount
    if (this.rowCount > this.maxRows) this.refuse()
    chunk.columns.forEach((buffer, at) => { this.columns[at]?.append(buffer, chunk) })
  }
}

function checkOptions(kind: string, options: EventTableOptions): void {
  checkOptionNames('make a table', options, OPTION_NAMES)
  const { numbers, maxRows } = options
  if (!EXPORT_KINDS.some((known) => known === kind))
    throw refusal('kind', `one of ${EXPORT_KINDS.join(', ')}`, kind)
  if (numbers !== undefined && !TABLE_NUMBERS.includes(numbers))
    throw refusal('numbers', `one of ${TABLE_NUMBERS.join(', ')}`, numbers)
  if (maxRows !== undefined && !(Number.isSafeInteger(maxRows) && maxRows > 0))
    throw refusal('maxRows', 'a whole number above 0', maxRows)
}

/** Reads the file once: a table, or the shape that it needs where it shows more than was promised. */
async function readOnce(
  day: EventTableDay, kind: ExportKind, shape: TableShape, options: EventTableOptions,
): Promise<Table | TableShape> {
  const { name, instrument, underlyings, epochDay } = day
  const { numbers, maxRows = DEFAULT_MAX_ROWS } = options
  const form: TableForm = { format: 'arrows', numbers: numbers === 'float64' ? 'float64' : 'decimal' }
  const refuse = (): never => {
    const expected = `at most ${String(maxRows)} rows`
    const sentence = `Cannot hold the table ${kind} of ${name}: it must have ${expected}, found more; take a span by ` +
      'from and to, or raise maxRows'
    throw new BacktapeError('LIMIT_EXCEEDED', sentence, { file: name, field: 'maxRows', expected, found: 'more' })
  }
  const table = new GrowingTable(columnsIn(form, tableColumns(kind, shape)), maxRows, refuse)
  const builder = new TableBuilder(kind, shape, (chunk) => { table.add(chunk) })
  const rows = fileRows({
    name, instrument, underlyings, day: epochDay, batches: () => day.batches(), close: () => Promise.resolve(),
  }, checkedMargins(options.margins))
  const window = windowOf(options, epochDay)
  const windowed = new WindowedRows(rows, window)
  for await (const batch of windowed.batches()) builder.append(batch)
  builder.flush()
  if (!builder.fits) return builder.neededShape
  const metadata = new Map([
    ...metadataOf(instrument, { kind, format: 'arrows' }), ...marginMetadata(rows, epochDay), ...shapeMetadata(shape),
    ...spanMetadata(window),
    // What lies behind the end of a span was not read, and is not counted.
    ...lateMetadata(windowed.isWhole ? rows : { ...rows, report: null }, day.summary),
  ])
  return createTable(table.columns, metadataIn(form, metadata))
}

function spanMetadata({ from, to }: TimeWindow): (readonly [string, string])[] {
  return [
    ...(from === null ? [] : [['from', isoFromEpochNs(from)] as const]),
    ...(to === null ? [] : [['to', isoFromEpochNs(to)] as const]),
  ]
}

/** The rows of one kind of event of a day: see `TickDay.table`. */
export async function readEventTable(
  day: EventTableDay, kind: ExportKind, options: EventTableOptions = {},
): Promise<Table> {
  checkOptions(kind, options)
  let shape = shapeFromInstrument(day.instrument)
  // A file with finer digits, longer numbers or other ids than its master data say is read again.
  for (let passes = 0; passes <= PASSES_MAX; passes++) {
    const result = await readOnce(day, kind, shape, options)
    if ('rowCount' in result) return result
    shape = result
  }
  const sentence = `Cannot read ${day.name}: it changed while it was read`
  throw new BacktapeError('FILE_UNREADABLE', sentence, { file: day.name })
}
