import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckpointFile } from '../backtest/checkpoint-writer.js'
import { goldenPaths } from '../backtest/golden.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import { checkDistinctOutputs } from '../files/output-place-reader.js'
import type { WholeFileOptions } from '../files/whole-file-writer.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { createJournalFile, type JournalFile } from '../results/journal-file-writer.js'
import type { RunLabel } from '../results/run-record.js'
import { EXPORT_FORMATS, type ExportFormat } from '../tables/output-format.js'
import type { OpenReports, reportOfRecord } from './report-files.js'
import { openResultFiles, type ResultFiles } from './result-files.js'
import { isRecorded, rememberRun } from './run-records.js'
import { chooseOption, formOf } from './table-output.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import type { WantedReports } from './wanted-reports.js'

/** Exit code of a run that Ctrl-C ended with its result so far: what shells give an interrupted program. */
export const STOPPED_EXIT_CODE = 130

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

/** The files of a run, beside its summary. */
export interface Outputs {
  readonly journals: readonly JournalFile[]
  readonly tables: ResultFiles | null
  /** Null where none are asked for. */
  readonly reports: OpenReports | null
}

/**
 * Everything that is to be written, created before the run, so that a name that is taken is reported before the work is
 * done.
 */
export async function openOutputs(
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

/** Every file that the run reads, its golden and the kept days of its cache: no output may replace one of them. */
export async function protectedFiles(
  { path, inputs }: RunFile, worldCount: number, cache: string | undefined,
): Promise<string[]> {
  const { golden, journals } = goldenPaths(path, worldCount)
  const kept = cache === undefined ? [] : await readdir(cache).catch((): string[] => [])
  return [...inputs, golden, ...journals, ...kept.map((name) => join(cache ?? '', name))]
}

/**
 * `--to` may be given twice: a time begins with a digit and ends the run, any other word is the format of the tables.
 */
export function endAndFormat(
  args: Arguments,
): { readonly end: string | undefined; readonly format: string | undefined } {
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

/** The run that outputs are of. */
interface WrittenRun {
  readonly runFile: RunFile
  readonly results: readonly BacktestResult[]
  readonly label: Omit<RunLabel, 'runFile'>
}

/** Writes everything to its end, and says where it is. */
export async function writeOutputs(
  { journals, tables, reports }: Outputs, { runFile, results, label }: WrittenRun, args: Arguments, output: Output,
): Promise<void> {
  for (const [number, journal] of journals.entries())
    await journal.commit({ isPartial: results[number]?.isPartial === true })
  for (const journal of journals) output.note(`Wrote ${String(journal.lineCount)} journal lines to ${journal.path}`)
  for (const note of (await tables?.write(results)) ?? []) output.note(note)
  for (const note of (await reports?.write(runFile, results, label, args)) ?? []) output.note(note)
}

/** Leaves the run in the list of runs, with its report where one is wanted there. */
export async function rememberOutputs(
  { runFile, results, label }: WrittenRun, wanted: WantedReports, args: Arguments, output: Output,
): Promise<void> {
  if (!isRecorded(args)) return
  const page = wanted.isInRecord ? await recordPage() : null
  const made = page === null ? null : () => page(runFile, results, label, args)
  for (const note of await rememberRun(runFile, results, label, made)) output.note(note)
}

/** Ends what was not written to its end; harmless afterwards. */
export async function abortOutputs({ journals, tables, reports }: Outputs): Promise<void> {
  await reports?.abort()
  await tables?.abort()
  for (const journal of journals) await journal.abort()
}
