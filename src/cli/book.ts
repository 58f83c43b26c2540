import { readBookAt, type BookAt } from '../day/book-at.js'
import type { BookLevel } from '../day/day-book.js'
import { openTickFile, type TickDay } from '../day/tick-day.js'
import { spanWords, timeWords } from '../day/window-words.js'
import { durationNsFromText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { instrumentName } from '../model/instrument.js'
import { isoFromEpochNs, NS_PER_DAY, NS_PER_MS } from '../model/time.js'
import { clockSentences } from '../model/clock-words.js'
import { damageSentences } from '../model/damage-words.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { writeGrid } from './book-grid.js'
import type { Output } from './terminal/output.js'
import { ReadProgress } from './read-progress.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import { alignedLines } from './terminal/text-table.js'

function everyNs(text: string): number {
  return durationNsFromText(text, { mostNs: NS_PER_DAY }, (expected) =>
    optionError('every', expected, JSON.stringify(text)),
  )
}

/** A book as lines for people: bids on the left, asks on the right, best levels first. */
function bookLines({ book, silentSince }: BookAt, day: TickDay): string[] {
  const rows = [['', 'bid quantity', 'bid', 'ask', 'ask quantity']]
  const cells = (level: BookLevel | undefined): [string, string] => [
    level?.price.toString() ?? '', level?.quantity.toString() ?? '',
  ]
  for (let level = 0; level < Math.max(book.bids.length, book.asks.length); level++) {
    const [bid, bidQuantity] = cells(book.bids[level])
    const [ask, askQuantity] = cells(book.asks[level])
    rows.push([String(level + 1), bidQuantity, bid, ask, askQuantity])
  }
  const suspect = book.suspect ? '  SUSPECT: after a gap or outage, or before the first snapshot' : ''
  const stale = silentSince === null ? '' : `  STALE: no data since ${timeWords(silentSince, day.epochDay)}`
  const title = `${instrumentName(day.instrument)}  ${book.time}${suspect}${stale}`
  return [title, ...alignedLines(rows, new Set([0, 1, 2, 3, 4]))]
}

/** Sentences about a book: on the time that was asked for, and on damage. */
interface BookNotes {
  readonly window: readonly string[]
  readonly damage: readonly string[]
}

/** Sentences about a book: no event lies at or before its time, or none at or behind it, or data were left out. */
function bookNotes({ span }: BookAt, epochNs: bigint, day: TickDay): BookNotes {
  const { first, last, isWhole } = span
  const time = timeWords(epochNs, day.epochDay)
  const words = spanWords(span, day.epochDay)
  const damage = damageSentences(day.summary, day.name)
  if (first === null || first > epochNs) return { window: [`${day.name}: no event up to ${time}: ${words}`], damage }
  if (!isWhole || last === null || last >= epochNs) return { window: [], damage }
  return { window: [`${day.name}: no event at ${time} or later, the book is the last one: ${words}`], damage }
}

/** Prints the book; false where there is something to be said about it. */
async function printBook(day: TickDay, at: string, levels: number, args: Arguments, output: Output): Promise<boolean> {
  const epochNs = day.epochNs(at)
  const found = await readBookAt(day, epochNs, { levels })
  const { window, damage } = bookNotes(found, epochNs, day)
  const clock = clockSentences(day.summary, day.name)
  if (args.flag('json')) {
    const { silentSince } = found
    const staleSince = silentSince === null ? null : isoFromEpochNs(silentSince)
    const notes = [...window, ...damage, ...clock]
    await output.line(JSON.stringify({ ...found.book.toJSON(), stale: silentSince !== null, staleSince, notes }))
  } else for (const line of bookLines(found, day)) await output.line(line)
  for (const sentence of window) output.note(sentence)
  for (const sentence of [...damage, ...clock]) output.note(`Warning: ${sentence}`)
  return window.length + damage.length === 0
}

/** The work of `backtape book`. */
export async function runBook(args: Arguments, output: Output): Promise<number> {
  const at = args.text('at')
  const every = args.text('every')
  if ((at === undefined) === (every === undefined)) {
    throw new BacktapeError(
      'OPTION_INVALID', 'Cannot run book: say either --at TIME for one book or --every SPAN for a grid',
      { field: 'at' },
    )
  }
  const levels = args.count('levels') ?? 10
  const everyMs = every === undefined ? 0 : everyNs(every) / NS_PER_MS
  if (at !== undefined && args.text('out') !== undefined)
    throw new BacktapeError('OPTION_INVALID', 'Cannot run book: --out goes with --every', { field: 'out' })
  if (at !== undefined && args.text('margins') !== undefined) {
    const sentence = 'Cannot run book: --margins goes with --every; a book --at a time may lie in a margin'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'margins' })
  }
  const progress = new ReadProgress(output)
  const source = await openSource(args.words[0] ?? '', { signal: args.signal })
  const day = await openTickFile(at === undefined ? progress.counted(source, 'sampling') : source, args.readOptions())
  try {
    const hasData =
      at === undefined
        ? await writeGrid(day, { everyMs, levels }, args, output)
        : await printBook(day, at, levels, args, output)
    return !hasData && args.flag('strict') ? 1 : 0
  } finally {
    progress.end(day.fileName)
    await day.close()
  }
}
