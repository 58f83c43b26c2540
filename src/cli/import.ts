import type { MarketKind } from '../tardis/stated-terms.js'
import { importTardis, type ImportedDay, type ImportStep } from '../tardis/tardis-import-writer.js'
import { BacktapeError } from '../model/error.js'
import type { Arguments } from './terminal/arguments.js'
import { IMPORT_EXAMPLE } from './command-options.js'
import { fileSentence } from './file-sentence.js'
import type { Output } from './terminal/output.js'
import { ReadProgress } from './read-progress.js'
import { counted } from './terminal/text-table.js'

/** Layouts that can be imported. */
const LAYOUTS = ['tardis'] as const

function dayLine({ path, outcome, eventCount, leftOutCount, audit, error }: ImportedDay): string {
  if (error !== null) return fileSentence(path, 'failed', error)
  if (outcome === 'skipped') return `${path}: whole already`
  const leftOut = leftOutCount === 0 ? '' : `, ${counted(leftOutCount, 'value')} left out`
  return `${path}: ${counted(eventCount, 'event')}, ${audit?.ok === true ? 'sound' : 'not sound'}${leftOut}`
}

function dayJson({ error, ...day }: ImportedDay): object {
  return { ...day, error: error === null ? null : { code: error.code, message: error.message, place: error.place } }
}

/** Notes that are the same for every day are said once. */
class Notes {
  private readonly said = new Set<string>()

  constructor(private readonly output: Output) {}

  say({ exchange, symbol, day, notes, audit }: ImportedDay): void {
    for (const note of notes) {
      const sentence = `${exchange} ${symbol}: ${note}`
      if (this.said.has(sentence)) continue
      this.said.add(sentence)
      this.output.note(`  ${sentence}`)
    }
    for (const reason of audit?.reasons ?? []) this.output.note(`  ${exchange} ${symbol} ${day}: ${reason}`)
  }
}

function layoutError(layout: string): BacktapeError {
  const expected = `one of ${LAYOUTS.join(', ')}`
  const found = JSON.stringify(layout)
  const sentence =
    `Cannot import: the layout must be ${expected}, found ${found}; for example: ${IMPORT_EXAMPLE}`
  return new BacktapeError('OPTION_INVALID', sentence, { field: 'layout', expected, found })
}

/** The work of `backtape import`. */
export async function runImport(args: Arguments, output: Output): Promise<number> {
  const [layout = '', folder = ''] = args.words
  if (!LAYOUTS.some((one) => one === layout)) throw layoutError(layout)
  const instruments = args.list('instrument')
  const kind = args.text('kind') as MarketKind | undefined
  const asJson = args.flag('json')
  const progress = new ReadProgress(output)
  const notes = new Notes(output)
  const { signal } = args
  let written: Promise<void> = Promise.resolve()
  let moving = ''
  const onProgress = (step: ImportStep): void => {
    moving = step.name
    progress.show(step)
  }
  const onDay = (day: ImportedDay): void => {
    progress.end(`${day.exchange} ${day.symbol} ${day.day}`)
    if (!asJson) written = written.then(() => output.line(dayLine(day))).then(() => output.flush())
    // Seen at the end: a reader that went away stops no import.
    written.catch(() => undefined)
    notes.say(day)
  }
  try {
    const { days, skipped } = await importTardis(folder, {
      out: args.text('out') ?? '.',
      force: args.flag('force'),
      strict: args.flag('strict'),
      signal,
      onProgress,
      onDay,
      ...(instruments === undefined ? {} : { instruments }),
      ...(kind === undefined ? {} : { kind }),
    })
    await written
    for (const { path, because } of skipped) output.note(`Skipped ${path}: ${because}`)
    if (asJson) await output.line(JSON.stringify({ days: days.map(dayJson), skipped }))
    const count = (outcome: ImportedDay['outcome']): string =>
      String(days.filter((day) => day.outcome === outcome).length)
    output.note(`${count('imported')} imported, ${count('skipped')} whole already, ${count('failed')} failed`)
    return days.some(({ outcome, audit }) => outcome === 'failed' || audit?.ok === false) ? 1 : 0
  } finally {
    progress.end(moving)
  }
}
