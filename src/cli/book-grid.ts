import { pipeBookGrid, writeBookGrid } from '../day/book-grid-writer.js'
import type { BookGridOptions } from '../day/sampled-books.js'
import type { TickDay } from '../day/tick-day.js'
import { windowOf, type TimeWindow } from '../day/time-input.js'
import { timeWords, windowWords } from '../day/window-words.js'
import { BacktapeError } from '../model/error.js'
import { clockSentences } from '../model/clock-words.js'
import { damageSentences } from '../model/damage-words.js'
import { epochNsFromTime } from '../model/time.js'
import { dayUnknownNote } from '../tickfile/archive/file-day.js'
import { checkedMargins, type Margins } from '../tickfile/days/margins.js'
import type { Arguments } from './terminal/arguments.js'
import { FORMAT_WORDS } from './command-options.js'
import { dataWords } from './day-inputs.js'
import type { Output } from './terminal/output.js'
import { chooseTableOutput, formOf, openTableOutput } from './table-output.js'
import { grouped } from './terminal/text-table.js'

/** Distance and depth of a grid of books. */
export interface GridOptions {
  readonly everyMs: number
  readonly levels: number
}

/**
 * The end and the format that `--to` names: it may be given twice, as the end of the grid and as a format; no time
 * looks like a format.
 */
function endAndFormat(args: Arguments): { readonly end: string | undefined; readonly format: string | undefined } {
  const words = args.texts('to') ?? []
  const formats = words.filter((word) => FORMAT_WORDS.includes(word))
  const times = words.filter((word) => !FORMAT_WORDS.includes(word))
  if (formats.length > 1 || times.length > 1) {
    const sentence = 'Cannot use --to: it must be one time and one format at most, found ' +
      words.map((word) => JSON.stringify(word)).join(', ')
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'to' })
  }
  return { end: times[0], format: formats[0] }
}

/** Sentences about a grid without margins: an unknown day, and times outside the day. */
function marginNotes({ name, epochDay }: TickDay, { from, to }: TimeWindow): string[] {
  if (epochDay === null) return [dayUnknownNote(name)]
  const [begin, end] = [epochNsFromTime(0, epochDay), epochNsFromTime(0, epochDay + 1)]
  const isOutside = (time: bigint | null): time is bigint => time !== null && (time < begin || time > end)
  return [from, to].filter(isOutside).map((time) => (
    `${timeWords(time, null)} lies outside the day of ${name}, whose margins are left out: --margins keep shows them`))
}

/**
 * Samples a day and writes the grid where `--out` says. False, with a note, where it holds no book or something of the
 * file was left out as damage.
 */
export async function writeGrid(day: TickDay, grid: GridOptions, args: Arguments, output: Output): Promise<boolean> {
  const from = args.text('from')
  const { end, format } = endAndFormat(args)
  const margins = checkedMargins(args.text('margins') as Margins | undefined)
  const span = { ...(from === undefined ? {} : { from }), ...(end === undefined ? {} : { to: end }) }
  const window = windowOf(span, day.epochDay)
  if (margins === 'trim') for (const sentence of marginNotes(day, window)) output.note(sentence)
  const count = await gridCount(day, { ...grid, ...span, margins }, format, { args, output })
  const damage = damageSentences(day.summary, day.name)
  for (const sentence of [...damage, ...clockSentences(day.summary, day.name)]) output.note(`Warning: ${sentence}`)
  if (count > 0) return damage.length === 0
  output.note(`${day.name}: no book${windowWords(window, day.epochDay)}${await dataWords(day)}`)
  return false
}

interface Call {
  readonly args: Arguments
  readonly output: Output
}

/** Writes the grid, or prints each book as one line of JSON (`--json`); how many books it has. */
async function gridCount(
  day: TickDay, options: BookGridOptions, format: string | undefined, { args, output }: Call,
): Promise<number> {
  if (args.flag('json')) {
    if (args.text('out') === undefined && format === undefined) return printBooks(day, options, output)
    const sentence = 'Cannot use --json with --out or a format: --json prints whole books; --to jsonl writes rows'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'json' })
  }
  const choice = await chooseTableOutput({ args, output }, format, `${day.fileName.replace(/(\.txt)?\.zst$/, '')}.book`)
  const form = formOf(args, choice.format)
  if (choice.place === 'standard output') {
    return pipeBookGrid(day, await openTableOutput(choice, form, output, {}), { ...options, form })
  }
  const count = await writeBookGrid(day, choice.path, { ...options, form, force: args.flag('force') })
  output.note(`Wrote ${grouped(count)} books to ${choice.path}`)
  return count
}

async function printBooks(day: TickDay, options: BookGridOptions, output: Output): Promise<number> {
  let count = 0
  for await (const book of day.books(options)) {
    count++
    await output.line(JSON.stringify(book))
  }
  return count
}
