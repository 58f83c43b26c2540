import { dirname } from 'node:path'
import { readJournalLines } from '../backtest/golden-writer.js'
import { withFileErrors } from '../backtest/run-file.js'
import { readRunFile, type RunFile } from '../configuration/run-file-reader.js'
import { runStrategies, setsOf, strategiesBundle } from '../configuration/run-strategies.js'
import { compareLive, readLiveOrders } from '../live/compare/compare-live.js'
import { comparisonLines } from '../live/compare/comparison-text.js'
import type { OrderTracks } from '../live/compare/order-tracks.js'
import { BacktapeError } from '../model/error.js'
import { epochNsFromText } from '../model/time.js'
import { readJournal } from '../results/journal-file-reader.js'
import type { SetRecord } from '../results/run-record.js'
import { configurationPath, readBundle, readRunRecords, readSets } from '../results/run-records-reader.js'
import { failOnExit } from './exit-guard.js'
import { overridesOf } from './override-options.js'
import { RunProgress } from './run-progress.js'
import { recordsOf, type FoundRecord } from './runs.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** A journal of a live run that was read. */
interface ReadRun {
  readonly tracks: OrderTracks
  /** Of a journal of records: its digest, which its record knows; null of lines. */
  readonly digest: string | null
}

/** A run that was remembered. */
interface RememberedRun {
  readonly record: FoundRecord
  readonly set: SetRecord
}

/** The work of `backtape live compare`. */
export async function runLiveCompare(args: Arguments, output: Output): Promise<number> {
  const [, journal, typed] = args.words
  if (journal === undefined)
    throw new BacktapeError('OPTION_INVALID', 'Cannot compare: name the journal of a live run: live compare JOURNAL ' +
      '--data DAYS [FILE.run.json]', { expected: 'a journal', found: 'none' })
  return failOnExit(typed ?? journal, output, () => compare(args, output, journal, typed))
}

async function compare(
  args: Arguments, output: Output, journal: string, typed: string | undefined,
): Promise<number> {
  const read = await readRun(journal)
  const remembered = await rememberedRun(read, args, output, typed)
  const run = await runFileOf(args, journal, typed, remembered)
  const sets = setsOf(run.options.parameters)
  if (sets.length > 1) throw optionError('set', 'one set of parameters', String(sets.length))
  const { tracks } = read
  const [from, to] = spanOf(tracks, remembered)
  const progress = new RunProgress(output, run.path)
  try {
    const comparison = await withFileErrors(run.path, ['data', 'accounts'], () => compareLive({
      name: journal, tracks, options: run.options, from, to,
      extras: {
        signal: args.signal, onProgress: (step) => { progress.show(step) }, onNote: (note) => { output.note(note) },
      },
    }))
    progress.clear()
    if (args.flag('json')) await output.line(JSON.stringify({ journal, ...comparison }, null, 2))
    else for (const line of comparisonLines(comparison)) await output.line(line)
    return comparison.isEqual ? 0 : 1
  } finally {
    progress.clear()
  }
}

async function readRun(path: string): Promise<ReadRun> {
  if (!path.endsWith('.btj')) return { tracks: await readLiveOrders(path, journalLines(path)), digest: null }
  let digest: string | null = null
  async function* lines(): AsyncGenerator<string, void, undefined> {
    const parts = readJournal(path)
    for (;;) {
      const { done, value } = await parts.next()
      if (done === true) {
        ({ digest } = value)
        return
      }
      yield* value.lines()
    }
  }
  return { tracks: await readLiveOrders(path, lines()), digest }
}

/** The lines of a journal as text. Throws FILE_NOT_FOUND, FILE_UNREADABLE. */
function journalLines(path: string): AsyncGenerator<string, void, undefined> {
  return readJournalLines(path, (why, cause) => {
    const isAbsent = (cause as { readonly code?: unknown } | undefined)?.code === 'ENOENT'
    const words = isAbsent ? 'there is no such file; check the path' : why
    const sentence = `Cannot read the journal ${path}: ${words}`
    return new BacktapeError(isAbsent ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', sentence, { file: path }, cause)
  })
}

/** The record of a live run: beside the run file, else around this folder; null where none is known to be it. */
async function rememberedRun(
  { tracks, digest }: ReadRun, args: Arguments, output: Output, typed: string | undefined,
): Promise<RememberedRun | null> {
  const folder = typed === undefined ? null : dirname(typed)
  const records = folder === null
    ? await recordsOf(args, output)
    : (await readRunRecords(folder)).records.map((record) => ({ ...record, folder }))
  const { first, last } = tracks
  for (const record of [...records].reverse()) {
    const [start, end] = [record.start, record.end].map((text) => epochNsFromText(text, null)) as [bigint, bigint]
    if (first === null || last === null || first < start || last > end) continue
    const [set] = await readSets(record.folder, record.id)
    if (set?.configuration['kind'] !== 'live') continue
    const isOne = digest === null ? set.journalLineCount === tracks.lineCount : set.journalDigest === digest
    if (isOne) return { record, set }
  }
  return null
}

/** The run file of the live run. Throws OPTION_INVALID where none is known, or its strategy is another by now. */
async function runFileOf(
  args: Arguments, journal: string, typed: string | undefined, remembered: RememberedRun | null,
): Promise<RunFile> {
  const overrides = overridesOf(args, undefined)
  if (remembered === null) {
    if (typed !== undefined) return readRunFile(typed, overrides, { bundles: null })
    const sentence = `Cannot compare ${journal}: no run that is remembered here left it; name its run file behind it`
    throw new BacktapeError('OPTION_INVALID', sentence, { file: journal, expected: 'a run file', found: 'none' })
  }
  const { record: { folder, id } } = remembered
  const run = typed === undefined
    ? await readRunFile(configurationPath(folder, id), overrides, { beside: folder })
    : await readRunFile(typed, overrides, { bundles: null })
  const [before, now] = [await readBundle(folder, id), strategiesBundle(runStrategies(run.options))]
  if (before === null || now === null || before === now) return run
  const sentence = `Cannot compare ${journal}: the strategy must be the code that ran, found another: ` +
    `that of run ${id} is kept in its record`
  const place = { field: 'strategy', expected: `the code of run ${id}`, found: run.path }
  throw new BacktapeError('OPTION_INVALID', sentence, place)
}

/** The span that both play, without its end: that of the record, else that of the journal's lines. */
function spanOf({ first, last }: OrderTracks, remembered: RememberedRun | null): readonly [bigint, bigint] {
  const behind = (last ?? 0n) + 1n
  if (remembered === null) return [first ?? 0n, behind]
  const { summary: { start, end } } = remembered.set
  const [begin, stated] = [epochNsFromText(start, null), epochNsFromText(end, null)]
  return [begin, stated > behind ? stated : behind]
}
