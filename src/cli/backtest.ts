import type { BacktestOptions } from '../backtest/backtest-options.js'
import type { Checkpoint } from '../backtest/checkpoint-state.js'
import { CheckpointFile } from '../backtest/checkpoint-writer.js'
import { keepFailedJournals, type JournalFile } from '../results/journal-file-writer.js'
import { spanNote } from '../configuration/parameter-grid.js'
import { readRunFile, type RunFile } from '../configuration/run-file-reader.js'
import { overridesText } from '../configuration/run-overrides.js'
import { parameterSetsOf, runRunFile, withFileErrors } from '../backtest/run-file.js'
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
import { resultJson, resultText } from './result-text.js'
import { measureOf, SORT_MEASURES } from '../report/set-measures.js'
import { setsText } from './sets-text.js'
import { partsOptions, type PartsOptions } from './parts-options.js'
import { suggestion } from '../model/suggestion.js'
import {
  abortOutputs, endAndFormat, openOutputs, protectedFiles, rememberOutputs, STOPPED_EXIT_CODE, writeOutputs,
} from './run-outputs.js'
import { bundlesFolder, isRecorded } from './run-records.js'
import { RunProgress } from './run-progress.js'
import { needsRows, wantedReports } from './wanted-reports.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunLabel } from '../results/run-record.js'

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
    return found.isPartial ? STOPPED_EXIT_CODE : 0
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
  const { journals, tables } = outputs
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
    const written = { runFile, results, label }
    await writeOutputs(outputs, written, args, output)
    if (results.every(({ isPartial }) => !isPartial)) await checkpointFile?.remove()
    await print(results, runFile, args, output)
    await rememberOutputs(written, wanted, args, output)
    if (results.every(({ isPartial }) => !isPartial)) return 0
    output.note('Stopped before the data ended: this is the result so far.')
    return STOPPED_EXIT_CODE
  } finally {
    progress.clear()
    await abortOutputs(outputs)
  }
}
