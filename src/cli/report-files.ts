import { basename } from 'node:path'
import type { RunFile } from '../configuration/run-file-reader.js'
import { strategyWords, runStrategies } from '../configuration/run-strategies.js'
import { isJsonObject } from '../model/json-object.js'
import type { ComparisonReport } from '../report/pages/comparison-data.js'
import { makeComparison } from '../report/pages/comparison-making.js'
import type { ReportAbout, RunReport } from '../report/pages/report-data.js'
import {
  openReportFiles, reportTexts, type ReportFileOptions, type ReportFiles, type ReportTexts,
} from '../results/run-report-writer.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunLabel } from '../results/run-record.js'
import type { Arguments } from './terminal/arguments.js'

/** Reports that wait for the results of a run. */
export interface OpenReports {
  readonly paths: readonly string[]
  write(...made: Parameters<typeof reportOfRun>): Promise<readonly string[]>
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
  const write = async (...made: Parameters<typeof reportOfRun>): Promise<readonly string[]> => {
    const texts = reportTexts(reportOfRun(...made))
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
function reportOfRun(
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
