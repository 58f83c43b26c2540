import { basename, join } from 'node:path'
import type { RunFile } from '../configuration/run-file-reader.js'
import { strategyWords, runStrategies } from '../configuration/run-strategies.js'
import { missingPackage } from '../files/package-reader.js'
import { isJsonObject } from '../model/json-object.js'
import type { ComparisonReport } from '../report/pages/comparison-data.js'
import { makeComparison } from '../report/pages/comparison-making.js'
import type { ReportAbout, RunReport } from '../report/pages/report-data.js'
import {
  openReportFiles, reportTexts, type ReportFileOptions, type ReportFiles, type ReportTexts,
} from '../results/run-report-writer.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunLabel } from '../results/run-record.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { IN_RECORD } from './command-options.js'

/** The name of a report in the folder of `--out` and in a record. */
const REPORT_NAME = 'report.html'

/** The reports of a run that were asked for. */
export interface WantedReports {
  /** Pages: the one of `--report FILE` and that of the folder of `--out`. */
  readonly paths: readonly string[]
  /** True for `--report` alone: the record of the run gets one. */
  readonly isInRecord: boolean
  /** The report that the folder of `--out` does not get, as a package of the part `pictures` is missing; in words. */
  readonly leftOut: string | null
}

/** Packages that a page of a report draws with; PNG files need one more. */
const PAGE_PACKAGES = ['linkedom', '@observablehq/plot'] as const

/**
 * The reports that a command line asks for. Throws OPTION_INVALID for `--report` without a file where neither a record
 * nor a folder of `--out` keeps one, PACKAGE_MISSING where what a report draws with is not installed; the tables of
 * `--out` come without one then.
 */
export function wantedReports(args: Arguments, isRecorded: boolean): WantedReports {
  const [report, out] = [args.text('report'), args.text('out')]
  const isInRecord = report === IN_RECORD
  const folder = out === undefined || out === '-' ? null : out.replace(/[\\/]+$/, '')
  if (isInRecord && !isRecorded && folder === null)
    throw optionError('report', 'a file such as report.html, as no record of the run is kept', 'no file')
  const named = report === undefined || isInRecord ? [] : [report]
  const paths = [...named, ...(folder === null ? [] : [join(folder, REPORT_NAME)])]
  if (args.flag('png') && paths.length === 0)
    throw optionError('png', 'given with --report FILE or --out FOLDER, beside which pictures go', 'neither of them')
  const missing = missingPackage(args.flag('png') ? [...PAGE_PACKAGES, '@resvg/resvg-js'] : PAGE_PACKAGES)
  if (missing === null || (report === undefined && paths.length === 0)) return { paths, isInRecord, leftOut: null }
  if (report !== undefined || args.flag('png')) throw missing
  return { paths: [], isInRecord, leftOut: `${paths.join()} was left out. ${missing.message}` }
}

/** True where rows are needed for a report. */
export function needsRows({ paths, isInRecord }: WantedReports): boolean {
  return paths.length > 0 || isInRecord
}

/** Reports that wait for the results of a run. */
export interface OpenReports {
  readonly paths: readonly string[]
  write(made: RunReport | ComparisonReport): Promise<readonly string[]>
  abort(): Promise<void>
}

/** Creates the files of reports, so that a name that is taken is reported before the run. */
export async function openReports(paths: readonly string[], options: ReportFileOptions): Promise<OpenReports> {
  const files: ReportFiles[] = []
  const abort = async (): Promise<void> => {
    for (const file of files) await file.abort()
  }
  try {
    for (const path of paths) files.push(await openReportFiles(path, options))
  } catch (error) {
    await abort()
    throw error
  }
  const write = async (made: RunReport | ComparisonReport): Promise<readonly string[]> => {
    const texts = reportTexts(made)
    for (const file of files) await file.write(texts)
    return files.map((file) => `Wrote the report ${pathWords(file.paths)}`)
  }
  return { paths: files.flatMap((file) => file.paths), write, abort }
}

/** `report.html and report.json`, with `report-pictures` behind them. */
export function pathWords([page = '', data = '', pictures]: readonly string[]): string {
  return `${page} and ${data}${pictures === undefined ? '' : `, and its pictures into ${pictures}`}`
}

function aboutOf({ path, content }: RunFile, label: Omit<RunLabel, 'runFile'>): ReportAbout {
  const { name, note, overrides } = label
  return {
    file: basename(path), ...(isJsonObject(content) ? { runFile: content } : {}), ...(name === null ? {} : { name }),
    ...(note === null ? {} : { note }), ...(overrides === null ? {} : { overrides }),
  }
}

/** The report of a run: of its only set or of the one that `--show` names, else a comparison of all. */
export function reportOfRun(
  runFile: RunFile, results: readonly BacktestResult[], label: Omit<RunLabel, 'runFile'>, args: Arguments,
): RunReport | ComparisonReport {
  const shown = args.count('show', 0) ?? (results.length === 1 ? 0 : undefined)
  const one = shown === undefined ? undefined : results[shown]
  if (one !== undefined) return one.report(aboutOf(runFile, label))
  const sort = args.text('sort')
  return makeComparison(
    results.map((result, number) => ({ ...setOf(result), name: `set ${String(number)}` })),
    {
      title: `${strategyWords(runStrategies(runFile.options))}, ${basename(runFile.path)}`,
      ...(sort === undefined ? {} : { sort }),
    },
  )
}

function setOf({ parameters, summary, fingerprint, isPartial, curves }: BacktestResult): Pick<
  BacktestResult, 'parameters' | 'summary' | 'fingerprint' | 'isPartial' | 'curves'
> {
  return { parameters, summary, fingerprint, isPartial, curves }
}

/** The report as a record keeps it, with the start of the command, which is in the record too. */
export function reportOfRecord(
  runFile: RunFile, results: readonly BacktestResult[], label: Omit<RunLabel, 'runFile'>, args: Arguments,
): ReportTexts {
  const made = reportOfRun(runFile, results, label, args)
  if (made.kind === 'comparison') return reportTexts(made)
  const { run } = made
  return reportTexts({ ...made, run: { ...run, about: { ...run.about, started: label.started } } })
}
