import { deflateSync } from 'node:zlib'
import type { ReportCell, ReportTable } from './report-data.js'

interface PackedTimes {
  readonly kind: 'time'
  readonly name: string
  readonly fromMs: number
  /** Milliseconds from the row before that has a time; null where a row has none. */
  readonly steps: readonly (number | null)[]
  /** Nanoseconds within the millisecond. */
  readonly restNs: readonly number[]
}

interface PackedWords {
  readonly kind: 'word'
  readonly name: string
  readonly words: readonly string[]
  readonly places: readonly number[]
}

interface PackedTexts {
  readonly kind: 'text'
  readonly name: string
  readonly isNumber: boolean
  readonly texts: readonly string[]
}

/** A column of the page's table of orders as the page's script reads it. */
type PackedColumn = PackedTimes | PackedWords | PackedTexts

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

const textOf = (cell: ReportCell | undefined): string => (cell === null || cell === undefined ? '' : String(cell))

function timeColumn(name: string, cells: readonly (ReportCell | undefined)[]): PackedColumn {
  const [steps, restNs]: [(number | null)[], number[]] = [[], []]
  let last = 0
  let fromMs: number | null = null
  for (const cell of cells) {
    if (typeof cell !== 'string') {
      steps.push(null)
      restNs.push(0)
      continue
    }
    // Of a text with nine decimals.
    const ms = Date.parse(`${cell.slice(0, 23)}Z`)
    if (fromMs === null) last = fromMs = ms
    steps.push(ms - last)
    last = ms
    restNs.push(Number(cell.slice(23, 29)))
  }
  return { kind: 'time', name, fromMs: fromMs ?? 0, steps, restNs }
}

function wordColumn(name: string, cells: readonly (ReportCell | undefined)[]): PackedColumn {
  const places = new Map<string, number>()
  const of = cells.map((cell) => {
    const word = textOf(cell)
    const known = places.get(word)
    if (known !== undefined) return known
    places.set(word, places.size)
    return places.size - 1
  })
  return { kind: 'word', name, words: [...places.keys()], places: of }
}

function packedColumn({ heading, kind }: Shown, cells: readonly (ReportCell | undefined)[]): PackedColumn {
  if (kind === 'time') return timeColumn(heading, cells)
  if (kind === 'word') return wordColumn(heading, cells)
  return { kind: 'text', name: heading, isNumber: kind === 'number', texts: cells.map(textOf) }
}

function shownTime(text: string): string {
  return text.replace('T', ' ').replace('Z', '').replace(/(\.\d{3}\d*?)0+$/, '$1')
}

/** The rows of the page's table of orders; the file beside it has the other columns too. */
export function orderRows({ columns, data }: ReportTable): OrderRows {
  const shown = Object.entries(SHOWN).flatMap(([name, form]) => {
    const place = columns.indexOf(name)
    const cells = data.map((row) => row[place])
    const isSame = cells.every((cell) => cell === cells[0])
    return place < 0 || (form.isOptional === true && isSame && (cells[0] === null || name !== 'error_type'))
      ? [] : [{ form, cells }]
  })
  const packed = shown.map(({ form, cells }) => packedColumn(form, cells))
  const text = JSON.stringify({ count: data.length, columns: packed })
  return {
    headings: shown.map(({ form: { heading, kind } }) => ({ name: heading, isNumber: kind === 'number' })),
    first: data.slice(0, STATIC_ROWS).map((_row, at) => shown.map(({ form, cells }) => (
      form.kind === 'time' ? shownTime(textOf(cells[at])) : textOf(cells[at])))),
    rowCount: data.length, packed: deflateSync(text, { level: 6 }).toString('base64'),
  }
}
