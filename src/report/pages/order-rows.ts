import { deflateSync } from 'node:zlib'
import { ByteWriter } from '../../model/byte-writer.js'
import { keptValue } from '../../model/kept-value.js'
import type { MadeColumn } from '../../tables/made-column.js'
import { shortJsonCells } from '../../tables/text-encoder.js'
import type { ReportCell, ReportTable } from './report-data.js'
import { cellsOf, chunksOf, columnOf, rowsOfTable, timesOf, type ReportCells } from './report-rows.js'

interface Shown {
  readonly heading: string
  readonly kind: 'time' | 'word' | 'number' | 'text'
  /** True: it is left out where all rows have the same value. */
  readonly isOptional?: boolean
}

/** Columns of the page's table by their names in the table of orders. */
const SHOWN: Readonly<Record<string, Shown>> = {
  ts: { heading: 'sent (UTC)', kind: 'time' },
  instrument: { heading: 'instrument', kind: 'word' },
  account: { heading: 'account', kind: 'word', isOptional: true },
  client: { heading: 'client', kind: 'word', isOptional: true },
  side: { heading: 'side', kind: 'word' },
  type: { heading: 'type', kind: 'word' },
  price: { heading: 'price', kind: 'number' },
  qty: { heading: 'quantity', kind: 'number' },
  executed_qty: { heading: 'executed', kind: 'number' },
  state: { heading: 'state', kind: 'word' },
  quantity_ahead: { heading: 'ahead', kind: 'number' },
  error_type: { heading: 'error', kind: 'word', isOptional: true },
  ended_ts: { heading: 'ended', kind: 'time' },
  own_order_id: { heading: 'own id', kind: 'text' },
}

/** Rows in the page where no script runs. */
const STATIC_ROWS = 50

/** The table of orders as a page holds it. */
export interface OrderRows {
  /** Names of the columns and whether they are of numbers. */
  readonly headings: readonly { readonly name: string; readonly isNumber: boolean }[]
  /** The first rows as texts. */
  readonly first: readonly (readonly string[])[]
  readonly rowCount: number
  /** All rows: JSON by columns, deflated (zlib), base64. */
  readonly packed: string
}

const textOf = (cell: ReportCell): string => (cell === null ? '' : String(cell))

/** A column that is shown. */
interface ShownColumn {
  readonly form: Shown
  readonly column: MadeColumn
  readonly cell: ReportCells
}

/** Writes one number or text after the other, with commas between them. */
function putList(out: ByteWriter, count: number, put: (at: number) => void): void {
  out.text('[')
  for (let at = 0; at < count; at++) {
    if (at > 0) out.text(',')
    put(at)
  }
  out.text(']')
}

/**
 * Times: those of the first row that has one, then milliseconds from the row before that has one, null where a row has
 * none, and nanoseconds within the millisecond.
 */
function putTimes(out: ByteWriter, column: MadeColumn): void {
  const { epochMs, restNs } = timesOf(column)
  const fromMs = epochMs.find((ms) => !Number.isNaN(ms)) ?? 0
  let last = fromMs
  out.text(`"fromMs":${String(fromMs)},"steps":`)
  putList(out, epochMs.length, (at) => {
    const ms = epochMs[at] as number
    if (Number.isNaN(ms)) return out.text('null')
    out.integer(ms - last)
    last = ms
  })
  out.text(',"restNs":')
  putList(out, restNs.length, (at) => { out.integer(restNs[at] as number) })
}

/** Words, each once, and the place of that of each row among them. */
function putWords(out: ByteWriter, { column, cell }: ShownColumn): void {
  const places = new Map<string, number>()
  const next = (): number => places.size
  const ofRows = new Uint32Array(column.length)
  let [last, place] = ['', -1]
  for (let row = 0; row < ofRows.length; row++) {
    const word = textOf(cell(row))
    if (word !== last || place < 0) [last, place] = [word, keptValue(places, word, next)]
    ofRows[row] = place
  }
  out.text(`"words":${JSON.stringify([...places.keys()])},"places":`)
  putList(out, ofRows.length, (at) => { out.integer(ofRows[at] as number) })
}

/** Texts, those of nulls empty. */
function putTexts(out: ByteWriter, { form, column }: ShownColumn): void {
  out.text(`"isNumber":${String(form.kind === 'number')},"texts":[`)
  let isFirst = true
  for (const { columns: [buffer], rowCount, epochDay } of chunksOf(column)) {
    if (buffer === undefined) continue
    const put = shortJsonCells(out, buffer, epochDay)
    for (let at = 0; at < rowCount; at++) {
      if (!isFirst) out.text(',')
      isFirst = false
      if (buffer.isNullAt(at)) out.text('""')
      else put(at)
    }
  }
  out.text(']')
}

/** The columns as JSON, as the page's script reads them. */
function putColumns(out: ByteWriter, rowCount: number, shown: readonly ShownColumn[]): void {
  out.text(`{"count":${String(rowCount)},"columns":`)
  putList(out, shown.length, (at) => {
    const one = shown[at] as ShownColumn
    const { form: { heading, kind }, column } = one
    const isText = kind === 'number' || kind === 'text'
    out.text(`{"kind":"${isText ? 'text' : kind}","name":${JSON.stringify(heading)},`)
    if (kind === 'time') putTimes(out, column)
    else if (isText) putTexts(out, one)
    else putWords(out, one)
    out.text('}')
  })
  out.text('}')
}

/** True where all rows have the value of the first one. */
function isSame({ column, cell }: ShownColumn): boolean {
  const first = column.length === 0 ? null : cell(0)
  for (let row = 1; row < column.length; row++) if (cell(row) !== first) return false
  return true
}

/** True for a column that says nothing: every row has the same value, and that is no error. */
function isLeftOut(one: ShownColumn, name: string): boolean {
  if (one.form.isOptional !== true || !isSame(one)) return false
  return name !== 'error_type' || one.column.length === 0 || one.cell(0) === null
}

function shownTime(text: string): string {
  return text.replace('T', ' ').replace('Z', '').replace(/(\.\d{3}\d*?)0+$/, '$1')
}

/** The rows of the page's table of orders; the file beside it has the other columns too. */
export function orderRows(table: ReportTable): OrderRows {
  const rows = rowsOfTable(table)
  const { rowCount } = rows
  const shown = Object.entries(SHOWN).flatMap(([name, form]): ShownColumn[] => {
    const column = columnOf(rows, name)
    if (column === null) return []
    const one = { form, column, cell: cellsOf(column) }
    return isLeftOut(one, name) ? [] : [one]
  })
  const out = new ByteWriter()
  putColumns(out, rowCount, shown)
  return {
    headings: shown.map(({ form: { heading, kind } }) => ({ name: heading, isNumber: kind === 'number' })),
    first: Array.from({ length: Math.min(rowCount, STATIC_ROWS) }, (_, row) => shown.map(({ form, cell }) => (
      form.kind === 'time' ? shownTime(textOf(cell(row))) : textOf(cell(row))))),
    rowCount, packed: deflateSync(out.slice(), { level: 6 }).toString('base64'),
  }
}
