import { epochNsFromText, isoFromEpochNs, NS_PER_MS, NS_PER_SECOND } from '../../model/time.js'
import type { Column, TableValue } from '../../tables/column.js'
import { MadeColumn, valueSource } from '../../tables/made-column.js'
import { tableChunks } from '../../tables/table-chunks.js'
import { jsonArrayLayout, TextTableEncoder } from '../../tables/text-encoder.js'
import type { ReportCell, ReportTable } from './report-data.js'

/* The long tables of a report. Plain rows are made when they are asked for; files are written without them. */

/** A table of a report by its columns: times, exact decimals, words and truth values. */
export interface ReportRows {
  readonly rowCount: number
  readonly columns: readonly MadeColumn[]
}

/** Rows of a chunk. */
const CHUNK_ROWS = 4096
const MS_PER_DAY = 86_400_000

/** The columns that a table was made of. */
const rowsOfTables = new WeakMap<ReportTable, ReportRows>()

/** Times as ISO-8601; those of one second share its text. */
function timeCells(): (value: TableValue) => ReportCell {
  let [secondNs, text] = [0n, '']
  return (value) => {
    if (typeof value !== 'bigint') return null
    let rest = Number(value - secondNs)
    if (text === '' || rest < 0 || rest >= NS_PER_SECOND) {
      secondNs = value - value % BigInt(NS_PER_SECOND)
      text = isoFromEpochNs(secondNs).slice(0, 20)
      rest = Number(value - secondNs)
    }
    return `${text}${String(rest).padStart(9, '0')}Z`
  }
}

/** The cell of a row of a column, as plain data have it. */
export type ReportCells = (row: number) => ReportCell

/** The cells of a column as plain data. */
export function cellsOf(column: MadeColumn): ReportCells {
  if (column.type.form !== 'timestamp') return (row) => column.at(row) as ReportCell
  const text = timeCells()
  return (row) => text(column.at(row))
}

/** A table over columns, in the form of pandas. */
export function reportTable(rows: ReportRows): ReportTable {
  let data: ReportTable['data'] | null = null
  const table: ReportTable = {
    columns: rows.columns.map(({ name }) => name),
    get data() {
      const cells = rows.columns.map(cellsOf)
      return (data ??= Array.from({ length: rows.rowCount }, (_, row) => cells.map((cell) => cell(row))))
    },
  }
  rowsOfTables.set(table, rows)
  return table
}

/** The columns of a table, also of one that is plain data. */
export function rowsOfTable(table: ReportTable): ReportRows {
  return rowsOfTables.get(table) ?? rowsOfData(table)
}

function rowsOfData({ columns, data }: ReportTable): ReportRows {
  return { rowCount: data.length, columns: columns.map((name, place) => {
    const at = (row: number): ReportCell => data[row]?.[place] ?? null
    const isTime = name.endsWith('ts')
    const column: Column = { name, type: { form: isTime ? 'timestamp' : 'text' }, nullable: true }
    return new MadeColumn(column, valueSource((row): TableValue => {
      const cell = at(row)
      if (cell === null) return null
      return isTime ? epochNsFromText(String(cell), null) : String(cell)
    }), data.length, 0)
  }) }
}

/** A column by its name; null where there is none. */
export function columnOf({ columns }: ReportRows, name: string): MadeColumn | null {
  return columns.find((column) => column.name === name) ?? null
}

/** A column of times as epoch milliseconds, rounded down, and nanoseconds within them; NaN and 0 for null. */
export function timesOf(column: MadeColumn): { readonly epochMs: Float64Array; readonly restNs: Uint32Array } {
  const [epochMs, restNs] = [new Float64Array(column.length), new Uint32Array(column.length)]
  let row = 0
  for (const { columns: [times], rowCount } of chunksOf(column)) {
    const midnightMs = (times?.epochDay ?? 0) * MS_PER_DAY
    for (let at = 0; at < rowCount; at++, row++) {
      const timeNs = times?.numbers[at] ?? NaN
      const ms = Math.floor(timeNs / NS_PER_MS)
      epochMs[row] = midnightMs + ms
      restNs[row] = timeNs - ms * NS_PER_MS
    }
  }
  return { epochMs, restNs }
}

/** A column as text holds it: decimals of which one does not fit into their type are texts. */
function asText(column: MadeColumn): MadeColumn {
  if (column.type.form !== 'decimal' || column.isHeld() === true) return column
  const { name, nullable, length } = column
  return new MadeColumn({ name, type: { form: 'text' }, nullable }, valueSource((row) => column.at(row)), length, 0)
}

/** The rows of a column as chunks for text. */
export function chunksOf(own: MadeColumn): ReturnType<typeof tableChunks> {
  const column = asText(own)
  return tableChunks({ columns: [column], rowCount: column.length, column: () => column.values }, CHUNK_ROWS)
}

/** The table as JSON has its plain data, in pieces. */
export function* tableJson(table: ReportTable): Generator<Uint8Array, void> {
  const rows = rowsOfTables.get(table)
  const encoder = new TextEncoder()
  if (rows === undefined) {
    yield encoder.encode(JSON.stringify(table))
    return
  }
  yield encoder.encode(`{"columns":${JSON.stringify(table.columns)},"data":[`)
  const pieces: Uint8Array[] = []
  const columns = rows.columns.map(asText)
  const rowEncoder = new TextTableEncoder(jsonArrayLayout(columns), (bytes) => { pieces.push(bytes.slice()) })
  const content = { columns, rowCount: rows.rowCount, column: (name: string) => columnOf(rows, name)?.values ?? [] }
  for (const chunk of tableChunks(content, CHUNK_ROWS)) {
    rowEncoder.encode(chunk)
    yield* pieces.splice(0)
  }
  rowEncoder.finish()
  yield* pieces
  yield encoder.encode(']}')
}
