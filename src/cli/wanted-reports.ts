import { join } from 'node:path'
import { missingPackage } from '../files/package-reader.js'
import { IN_RECORD } from './command-options.js'
import { optionError, type Arguments } from './terminal/arguments.js'

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
