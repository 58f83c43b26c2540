import { GRID_FORMATS, gridRowCount, writeBookGrid, type GridFormat } from '../day/book-grid-writer.js'
import type { DayBook } from '../day/day-book.js'
import type { TickDay } from '../day/tick-day.js'
import { windowOf } from '../day/time-input.js'
import { windowWords } from '../day/window-words.js'
import { optionError, type Arguments } from './arguments.js'
import { dataWords } from './day-inputs.js'
import type { Output } from './output.js'
import { grouped } from './text-table.js'

/** Distance and depth of a grid of books. */
export interface GridOptions {
  readonly everyMs: number
  readonly levels: number
}

const GRID_COLUMNS = ['ts', 'suspect', 'level', 'bid_price', 'bid_qty', 'ask_price', 'ask_qty'] as const

/** One row a level: level 1 is the best; an empty cell where a side has fewer levels. A book without levels is one row of level 1. */
export function gridRows(book: DayBook): string[][] {
  const rows: string[][] = []
  const count = gridRowCount(book)
  for (let level = 0; level < count; level++) {
    const bid = book.bids[level]
    const ask = book.asks[level]
    rows.push([
      String(book.timestampNs),
      String(book.suspect),
      String(level + 1),
      bid?.price.toString() ?? '',
      bid?.quantity.toString() ?? '',
      ask?.price.toString() ?? '',
      ask?.quantity.toString() ?? '',
    ])
  }
  return rows
}

/** Samples a day and writes the grid: CSV or JSON lines to standard output, or the file that `--out` names. False, with a note, where it holds no book. */
export async function writeGrid(day: TickDay, grid: GridOptions, args: Arguments, output: Output): Promise<boolean> {
  const count = await gridCount(day, grid, args, output)
  if (count > 0) return true
  const [from, to] = [args.text('from'), args.text('to')]
  const window = windowOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, day.epochDay)
  output.note(`${day.name}: no book${windowWords(window, day.epochDay)}${await dataWords(day)}`)
  return false
}

/** Writes the grid; how many books it has. */
async function gridCount(day: TickDay, grid: GridOptions, args: Arguments, output: Output): Promise<number> {
  const [from, to, out] = [args.text('from'), args.text('to'), args.text('out')]
  const options = { ...grid, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  if (out !== undefined) {
    const count = await writeBookGrid(day, out, { ...options, format: formatOf(out), force: args.flag('force') })
    output.note(`Wrote ${grouped(count)} books to ${out}`)
    return count
  }
  const books = day.books(options)
  let count = 0
  if (args.flag('json')) {
    for await (const book of books) {
      count++
      await output.line(JSON.stringify(book))
    }
    return count
  }
  // A span that is refused is refused by the first book: nothing must stand before that.
  const header = GRID_COLUMNS.join(',')
  for await (const book of books) {
    if (count++ === 0) await output.line(header)
    for (const row of gridRows(book)) await output.line(row.join(','))
  }
  if (count === 0) await output.line(header)
  return count
}

/** The file form that a name asks for. */
function formatOf(out: string): GridFormat {
  const extension = /\.([^./\\]+)$/.exec(out)?.[1]?.toLowerCase()
  const format = GRID_FORMATS.find((name) => name === extension)
  if (format !== undefined) return format
  throw optionError('out', `a file name ending in ${GRID_FORMATS.map((name) => `.${name}`).join(', ')}`, JSON.stringify(out))
}
