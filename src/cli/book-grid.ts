import type { DayBook } from '../day/day-book.js'
import type { TickDay } from '../day/tick-day.js'
import { createWholeFile } from '../tickfile/whole-file-writer.js'
import { optionError, type Arguments } from './arguments.js'
import type { Output } from './output.js'

/** Distance and depth of a grid of books. */
export interface GridOptions {
  readonly everyMs: number
  readonly levels: number
}

const GRID_COLUMNS = ['ts', 'suspect', 'level', 'bid_price', 'bid_qty', 'ask_price', 'ask_qty'] as const

/** One row a level: level 1 is the best; an empty cell where a side has fewer levels. A book without levels is one row of level 1. */
export function gridRows(book: DayBook): string[][] {
  const rows: string[][] = []
  const count = Math.max(1, book.bids.length, book.asks.length)
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

/** Samples a day and writes the grid: CSV or JSON lines to standard output, or the file that `--out` names. */
export async function writeGrid(day: TickDay, grid: GridOptions, args: Arguments, output: Output): Promise<void> {
  const [from, to, out] = [args.text('from'), args.text('to'), args.text('out')]
  const books = day.books({ ...grid, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) })
  if (out !== undefined) {
    await writeGridFile(books, out, args, output)
    return
  }
  if (args.flag('json')) {
    for await (const book of books) await output.line(JSON.stringify(book))
    return
  }
  await output.line(GRID_COLUMNS.join(','))
  for await (const book of books) for (const row of gridRows(book)) await output.line(row.join(','))
}

async function writeGridFile(books: AsyncIterable<DayBook>, out: string, args: Arguments, output: Output): Promise<void> {
  const extension = /\.(csv)$/i.exec(out)?.[1]?.toLowerCase()
  if (extension === undefined) throw optionError('out', 'a file name ending in .csv', JSON.stringify(out))
  const file = await createWholeFile(out, { force: args.flag('force') })
  try {
    const encoder = new TextEncoder()
    await file.write(encoder.encode(`${GRID_COLUMNS.join(',')}\n`))
    let count = 0
    for await (const book of books) {
      await file.write(encoder.encode(`${gridRows(book).map((row) => row.join(',')).join('\n')}\n`))
      count++
    }
    await file.commit()
    output.note(`Wrote ${String(count)} books to ${file.path}`)
  } finally {
    await file.abort()
  }
}
