import { terminalCell } from '../files/terminal-text.js'
import { isoFromEpochNs } from '../model/time.js'
import type { Column, TableValue } from '../tables/column.js'
import type { Table } from '../tables/table.js'

/** The options of {@link tableText}. */
export interface TableTextOptions {
  /** Most rows; a line says how many more there are. */
  readonly limitRows?: number
  /** Characters in a line; columns that do not fit are left out, and a line names them. Default: no limit. */
  readonly widthCharacters?: number
}

/** Longest cell; the rest of it is cut off. */
const CELL_CHARACTERS = 48

const GAP = 2

function cellText({ type }: Column, value: TableValue): string {
  if (value === null) return ''
  if (type.form === 'timestamp') return isoFromEpochNs(value as bigint)
  const text = terminalCell(String(value))
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS - 1)}…` : text
}

const isText = ({ type }: Column): boolean => ['text', 'side', 'timestamp', 'boolean'].includes(type.form)

interface Laid {
  readonly lines: readonly string[]
  readonly width: number
}

/** One column under its name: numbers end flush, text begins flush. */
function laid(column: Column, values: readonly TableValue[]): Laid {
  const cells = [terminalCell(column.name), ...values.map((value) => cellText(column, value))]
  const width = Math.max(...cells.map((cell) => cell.length))
  return { width, lines: cells.map((cell) => (isText(column) ? cell.padEnd(width) : cell.padStart(width))) }
}

/** The number of columns that stand side by side in a line of a width; at least one. */
function fitting(columns: readonly Laid[], width: number): number {
  let used = 0
  for (const [at, column] of columns.entries()) {
    used += column.width + (at === 0 ? 0 : GAP)
    if (used > width) return Math.max(1, at)
  }
  return columns.length
}

/** A table as aligned text: times as ISO-8601, decimals with all their digits, nothing where there is no value. */
export function tableText(table: Table, options: TableTextOptions = {}): string {
  const { limitRows = Infinity, widthCharacters = Infinity } = options
  const shown = Math.min(table.rowCount, limitRows)
  const all = table.columns.map((column) => laid(column, table.column(column.name).slice(0, shown)))
  const count = fitting(all, widthCharacters)
  const lines = Array.from({ length: shown + 1 }, (_, row) =>
    all.slice(0, count).map((column) => column.lines[row] ?? '').join(' '.repeat(GAP)).trimEnd())
  const rest = table.rowCount - shown
  if (rest > 0) lines.push(`... and ${String(rest)} more ${rest === 1 ? 'row' : 'rows'}`)
  const hidden = table.columns.slice(count).map(({ name }) => terminalCell(name))
  if (hidden.length > 0) lines.push(`not shown: ${hidden.join(', ')}`)
  return lines.join('\n')
}
