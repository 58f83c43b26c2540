import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BacktestOptions } from '../backtest/backtest-options.js'
import type { Checkpoint } from '../backtest/checkpoint-state.js'
import { CheckpointFile } from '../backtest/checkpoint-writer.js'
import { goldenPaths } from '../backtest/golden.js'
import { createJournalFile, keepFailedJournals, type JournalFile } from '../results/journal-file-writer.js'
import { spanNote } from '../configuration/parameter-grid.js'
import { readRunFile, type RunFile } from '../configuration/run-file-reader.js'
import { overridesText } from '../configuration/run-overrides.js'
import { parameterSetsOf, runRunFile, withFileErrors } from '../backtest/run-file.js'
import { checkDistinctOutputs } from '../files/output-place-reader.js'
import type { WholeFileOptions } from '../files/whole-file-writer.js'
import { durationNsFromText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { isoFromEpochNs } from '../model/time.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { failOnExit } from './exit-guard.js'
import { awaitDebugger } from './inspector.js'
import { jobsOf } from './jobs-option.js'
import { lackingAdvice } from './terminal/missing-day.js'
import type { Output } from './terminal/output.js'
import { overridesOf } from './override-options.js'
import { openResultFiles, type ResultFiles } from './result-files.js'
import { resultJson, resultText } from './result-text.js'
import { measureOf, SORT_MEASURES } from '../report/set-measures.js'
import { setsText } from './sets-text.js'
import { partsOptions, type PartsOptions } from './parts-options.js'
import type { OpenReports, reportOfRecord } from './report-files.js'
import { suggestion } from '../model/suggestion.js'
import { bundlesFolder, isRecorded, rememberRun } from './run-records.js'
import { RunProgress } from './run-progress.js'
import { needsRows, wantedReports, type WantedReports } from './wanted-reports.js'
import { chooseOption, formOf } from './table-output.js'
import { EXPORT_FORMATS, type ExportFormat } from '../tables/output-format.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunLabel } from '../results/run-record.js'

/** Exit code of a run that Ctrl-C ended with its result so far: what shells give an interrupted program. */
const STOPPED = 130

const JOURNAL_FORMATS = ['jsonl.gz', 'jsonl', 'btj'] as const

/** `journal.jsonl` for one world; `journal.0.jsonl`, `journal.1.jsonl` for several. */
function numberedNames(path: string, count: number): string[] {
  if (count === 1) return [path]
  const [, stem = path, ending = ''] = /^(.*?)((?:\.jsonl)?(?:\.gz)?|\.btj)$/is.exec(path) ?? []
  return Array.from({ length: count }, (_, number) => `${stem}.${String(number)}${ending}`)
}

/** Where the journal goes: a file of JSON lines, `journal.jsonl` in a folder; null where none is asked for. */
async function journalPath(args: Arguments): Promise<string | null> {
  const path = args.text('journal')
  if (path === undefined) return null
  const standardOutput = { refusedBecause: 'the summary goes to standard output' }
  const request = {
    option: 'journal', formats: JOURNAL_FORMATS, fallback: 'jsonl', writes: 'file', standardOutput,
  } as const
  const choice = await chooseOption<(typeof JOURNAL_FORMATS)[number]>(path, request)
  return choice.place === 'folder' ? join(choice.path, 'journal.jsonl') : choice.path
}

async function openJournals(path: string | null, count: number, options: WholeFileOptions): Promise<JournalFile[]> {
  const journals: JournalFile[] = []
  try {
    for (const name of path === null ? [] : numberedNames(path, count))
      journals.push(await createJournalFile(name, options))
  } catch (error) {
    for (const journal of journals) await journal.abort()
    throw error
  }
  return journals
}

interface Outputs {
  readonly journals: readonly JournalFile[]
  readonly tables: ResultFiles | null
  /** Null where none are asked for. */
  readonly reports: OpenReports | null
}

/**
 * Everything that is to be written, created before the run, so that a name that is taken is reported before the work is
 * done.
 */
async function openOutputs(
  args: Arguments, wanted: WantedReports, worldCount: number, checkpoint: CheckpointFile | null,
  options: WholeFileOptions,
): Promise<Outputs> {
  const [out, { format: to }] = [args.text('out'), endAndFormat(args)]
  const request = { option: 'out', to, formats: EXPORT_FORMATS, fallback: 'csv', writes: 'folder' } as const
  const { path: folder, format } = await chooseOption<ExportFormat>(out, request)
  const journals = await openJournals(await journalPath(args), worldCount, options)
  let tables: ResultFiles | null = null
  let reports: OpenReports | null = null
  try {
    tables = out === undefined ? null : await openResultFiles(folder, formOf(args, format), worldCount, options)
    if (wanted.paths.length > 0) {
      const { openReports } = await import('./report-files.js')
      reports = await openReports(wanted.paths, { ...options, png: args.flag('png') })
    }
    await checkDistinctOutputs(
      [...journals, ...(checkpoint === null ? [] : [checkpoint])].map(({ path }) => path)
        .concat(tables?.paths ?? [], reports?.paths ?? []),
    )
    return { journals, tables, reports }
  } catch (error) {
    await reports?.abort()
    await tables?.abort()
    for (const journal of journals) await journal.abort()
    throw error
  }
}

/** The head of a run in the output: its number and its parameters, where there is a list of them. */
function headOf(number: number, sets: readonly ParameterConfig[]): string {
  return `${number > 0 ? '\n' : ''}Parameters ${String(number)}: ${JSON.stringify(sets[number])}\n`
}

async function print(
  results: readonly BacktestResult[], { options: { parameters = {} } }: RunFile, args: Arguments, output: Output,
): Promise<void> {
  const sets = Array.isArray(parameters) ? (parameters as readonly ParameterConfig[]) : null
  const advice = lackingAdvice(results.flatMap(({ summary }) => summary.warnings))
  if (advice !== '') output.note(advice)
  if (args.flag('json')) {
    const worlds = results.map(resultJson)
    await output.line(JSON.stringify(sets === null ? worlds[0] : worlds, null, 2))
    return
  }
  const full = args.flag('full')
  const shown = args.count('show', 0)
  if (sets !== null && sets.length > 1 && !full && shown === undefined)
    return output.text(setsText(results, args.text('sort'), output.width))
  for (const [number, result] of results.entries()) {
    if (shown !== undefined && number !== shown) continue
    await output.text(`${sets === null ? '' : headOf(number, sets)}${resultText(result, { full })}`)
  }
}

/** Throws OPTION_INVALID for a measure that is none, and for a set that the run does not have. */
function checkView(args: Arguments, setCount: number): void {
  const [sort, show] = [args.text('sort'), args.count('show', 0)]
  if (sort !== undefined && measureOf(sort) === null) {
    const found = `${JSON.stringify(sort)}${suggestion(sort, SORT_MEASURES)}`
    throw optionError('sort', `one of ${SORT_MEASURES.join(', ')}; of money also profit_USDT`, found)
  }
  if (show !== undefined && show >= setCount)
    throw optionError('show', `the number of a set, below ${String(setCount)}`, String(show))
}

interface CheckpointFlags {
  readonly path: string
  readonly every: string | undefined
  readonly resumes: boolean
  readonly takesOtherEngine: boolean
}

/** Checkpoints lie beside the run file, unless `--checkpoint` says where; null where none are asked for. */
function checkpointFlags(args: Arguments, runPath: string): CheckpointFlags | null {
  const every = args.text('checkpointEvery')
  const resumes = args.flag('resume')
  const takesOtherEngine = args.flag('otherEngine')
  if (takesOtherEngine && !resumes) throw optionError('other-engine', 'given with --resume', 'without it')
  const given = args.text('checkpoint')
  if (every === undefined && !resumes && given === undefined) return null
  if (resumes && args.text('journal') !== undefined) {
    const sentence =
      'Cannot write the journal of a run that goes on from a checkpoint: its lines before it are gone; leave out ' +
        '--journal to go on, or --resume to run from the beginning'
    throw new BacktapeError('OPTION_INVALID', sentence, { field: 'journal' })
  }
  if (every !== undefined)
    durationNsFromText(every, {}, (expected) => {
      const sentence = `Cannot read --checkpoint-every: it must be ${expected}, found ${JSON.stringify(every)}`
      return new BacktapeError('OPTION_INVALID', sentence, { field: 'checkpoint-every', expected, found: every })
    })
  const path = given ?? runPath.replace(/(\.run)?\.json$/, '') + '.checkpoint.json'
  return { path, every, resumes, takesOtherEngine }
}

function checkpointOptions(
  file: CheckpointFile | null, flags: CheckpointFlags | null, output: Output,
): Pick<BacktestOptions, 'checkpoints' | 'resume' | 'otherEngine'> {
  if (file === null || flags === null) return {}
  const { every, takesOtherEngine } = flags
  // A run that is stopped where it has just taken one takes it again.
  let lastTime: string | null = null
  async function take(checkpoint: Checkpoint): Promise<void> {
    await file?.write(checkpoint)
    if (checkpoint.time === lastTime) return
    lastTime = checkpoint.time
    output.note(`Wrote the checkpoint of ${isoFromEpochNs(BigInt(checkpoint.time))} to ${file?.path ?? ''}`)
  }
  const begin = (configuration: string): void => { file.begin(configuration) }
  const { resume } = file
  return {
    checkpoints: { take, begin, ...(every === undefined ? {} : { every }) },
    ...(resume === null ? {} : { resume, otherEngine: takesOtherEngine }),
  }
}

/** Every file that the run reads, its golden and the kept days of its cache: no output may replace one of them. */
async function protectedFiles(
  { path, inputs }: RunFile, worldCount: number, cache: string | undefined,
): Promise<string[]> {
  const { golden, journals } = goldenPaths(path, worldCount)
  const kept = cache === undefined ? [] : await readdir(cache).catch((): string[] => [])
  return [...inputs, golden, ...journals, ...kept.map((name) => join(cache ?? '', name))]
}

/**
 * `--to` may be given twice: a time begins with a digit and ends the run, any other word is the format of the tables.
 */
function endAndFormat(args: Arguments): { readonly end: string | undefined; readonly format: string | undefined } {
  const given = args.list('to') ?? []
  const [ends, formats] = [given.filter((text) => /^\d/.test(text)), given.filter((text) => !/^\d/.test(text))]
  if (ends.length > 1 || formats.length > 1)
    throw optionError('to', 'one time, one format or both', given.join(' and '))
  return { end: ends[0], format: formats[0] }
}

/** Makes the page of a record. */
async function recordPage(): Promise<typeof reportOfRecord> {
  const { reportOfRecord } = await import('./report-files.js')
  return reportOfRecord
}

async function checkSort({ path, options }: RunFile, sort: string | undefined): Promise<void> {
  if (sort === undefined) return
  const { checkedSort } = await import('../backtest/sort-check.js')
  await withFileErrors(path, ['sort'], () => checkedSort(options, sort))
}

/** The work of `backtape backtest`. */
export function runBacktest(args: Arguments, output: Output): Promise<number> {
  return failOnExit(args.words[0] ?? '', output, () => play(args, output))
}

async function playInParts(
  runFile: RunFile, parts: PartsOptions, label: Omit<RunLabel, 'runFile'> | null, args: Arguments, output: Output,
): Promise<number> {
  const [cache, progress] = [args.text('cache'), new RunProgress(output, runFile.name)]
  try {
    const { playParts, reportParts } = await import('./parts.js')
    const found = await playParts(runFile, parts, {
      signal: args.signal,
      onProgress: (step) => progress.show(step),
      onNote: (sentence) => { output.note(sentence) },
      ...(cache === undefined ? {} : { cache }), ...jobsOf(args),
    })
    progress.clear()
    await reportParts(found, runFile, parts, label, args, output)
    return found.isPartial ? STOPPED : 0
  } finally {
    progress.clear()
  }
}

async function play(args: Arguments, output: Output): Promise<number> {
  const started = `${new Date().toISOString().slice(0, 19)}Z`
  const overrides = overridesOf(args, endAndFormat(args).end)
  // Before the run file is read: a fault may be of a value that was typed.
  const overriding = overridesText(overrides)
  if (overriding !== null) output.note(`Instead of the run file's: ${overriding}`)
  for (const text of args.list('grid') ?? []) {
    const note = spanNote(text)
    if (note !== null) output.note(note)
  }
  const inspected = args.count('inspect', 0)
  if (inspected !== undefined) awaitDebugger(inspected, output)
  const runFile = await readRunFile(args.words[0] ?? '', overrides, { bundles: bundlesFolder(args) })
  const cache = args.text('cache')
  const label = { started, name: args.text('name') ?? null, note: args.text('note') ?? null, overrides: overriding }
  const parts = partsOptions(args)
  const wanted = wantedReports(args, isRecorded(args))
  if (wanted.leftOut !== null) output.note(wanted.leftOut)
  if (parts !== null) return playInParts(runFile, parts, isRecorded(args) ? label : null, args, output)
  const flags = checkpointFlags(args, runFile.path)
  const worldCount = parameterSetsOf(runFile).length
  checkView(args, worldCount)
  if (worldCount > 1) await checkSort(runFile, args.text('sort'))
  const inputs = await protectedFiles(runFile, worldCount, cache)
  const checkpointFile =
    flags === null ? null : await CheckpointFile.open({ ...flags, force: args.flag('force'), inputs })
  const outputs = await openOutputs(args, wanted, worldCount, checkpointFile, { force: args.flag('force'), inputs })
  const { journals, tables, reports } = outputs
  const progress = new RunProgress(output, runFile.name)
  const { signal } = args
  try {
    const journalOf = (number: number): JournalSink => (journals[number] as JournalFile).sink
    const results = await runRunFile(runFile, {
      signal,
      strict: args.flag('strict'),
      onProgress: (step) => progress.show(step),
      onNote: (sentence) => { output.note(sentence) },
      // A run that goes on from a checkpoint may ask for the rows of the part before it.
      tables: tables === null && checkpointFile === null && !needsRows(wanted) ? 'none' : 'memory',
      ...(journals.length === 0 ? {} : { journal: journalOf }),
      ...(cache === undefined ? {} : { cache }), ...jobsOf(args),
      ...checkpointOptions(checkpointFile, flags, output),
    }).catch((error: unknown) => {
      throw keepFailedJournals(journals, error)
    })
    progress.clear()
    for (const [number, journal] of journals.entries())
      await journal.commit({ isPartial: results[number]?.isPartial === true })
    for (const journal of journals) output.note(`Wrote ${String(journal.lineCount)} journal lines to ${journal.path}`)
    for (const note of (await tables?.write(results)) ?? []) output.note(note)
    for (const note of (await reports?.write(runFile, results, label, args)) ?? []) output.note(note)
    if (results.every(({ isPartial }) => !isPartial)) await checkpointFile?.remove()
    await print(results, runFile, args, output)
    if (isRecorded(args)) {
      const page = wanted.isInRecord ? await recordPage() : null
      const made = page === null ? null : () => page(runFile, results, label, args)
      for (const note of await rememberRun(runFile, results, label, made)) output.note(note)
    }
    if (results.every(({ isPartial }) => !isPartial)) return 0
    output.note('Stopped before the data ended: this is the result so far.')
    return STOPPED
  } finally {
    progress.clear()
    await reports?.abort()
    await tables?.abort()
    for (const journal of journals) await journal.abort()
  }
}
