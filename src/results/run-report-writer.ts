import { createWholeFile, type WholeFile, type WholeFileOptions } from '../files/whole-file-writer.js'
import { comparisonPage } from '../report/pages/comparison-page.js'
import type { ComparisonReport } from '../report/pages/comparison-data.js'
import type { RunReport } from '../report/pages/report-data.js'
import { runJson, runPage } from '../report/pages/run-page.js'
import { PAGE_NAME, reportDataPath } from './report-data-path.js'
import { openReportPictures, type ReportPictures } from './report-pictures-writer.js'

/** The options of the files of a report. */
export interface ReportFileOptions extends WholeFileOptions {
  /** Its pictures as PNG in the folder `NAME-pictures` beside it; default false. */
  readonly png?: boolean
}

/** A report as the contents of its files. */
export interface ReportTexts {
  readonly page: string
  /** JSON in pieces, made anew whenever it is asked for: long tables are never whole in memory. */
  readonly data: Iterable<Uint8Array>
}

/** The page of a report and its data. */
export function reportTexts(report: RunReport | ComparisonReport): ReportTexts {
  const page = report.kind === 'run' ? runPage(report) : comparisonPage(report)
  return { page, data: { [Symbol.iterator]: () => reportJson(report) } }
}

function* reportJson(report: RunReport | ComparisonReport): Generator<Uint8Array, void> {
  if (report.kind === 'run') yield* runJson(report)
  else yield new TextEncoder().encode(JSON.stringify(report))
  yield new TextEncoder().encode('\n')
}

/** Files that wait for a report. */
export interface ReportFiles {
  /** The page and its data, and the folder of its pictures where it has one. */
  readonly paths: readonly string[]
  write(texts: ReportTexts): Promise<void>
  /** Takes what is not whole away; harmless after `write`. */
  abort(): Promise<void>
}

/**
 * Creates the page of a report and its data beside it, so that a name that is taken is reported before the work. Throws
 * OUTPUT_EXISTS and OUTPUT_FAILED.
 */
export async function openReportFiles(path: string, options: ReportFileOptions = {}): Promise<ReportFiles> {
  const { png = false, ...ofFiles } = options
  const paths = [path, reportDataPath(path)]
  const files: WholeFile[] = []
  let pictures: ReportPictures | null = null
  const abort = async (): Promise<void> => {
    for (const file of files) await file.abort()
    await pictures?.abort()
  }
  try {
    for (const one of paths) files.push(await createWholeFile(one, ofFiles))
    if (png) pictures = await openReportPictures(path.replace(PAGE_NAME, '-pictures'), ofFiles)
  } catch (error) {
    await abort()
    throw error
  }
  const write = async ({ page, data }: ReportTexts): Promise<void> => {
    await files[0]?.write(new TextEncoder().encode(page))
    for (const piece of data) await files[1]?.write(piece)
    files.push(...((await pictures?.prepare(page)) ?? []))
    for (const file of files) await file.sync()
    for (const file of files) await file.commit()
  }
  return { paths: pictures === null ? paths : [...paths, pictures.folder], write, abort }
}

/** Writes the page of a report and its data beside it, both whole or neither; the paths of what was written. */
export async function writeReportFiles(
  path: string, make: () => RunReport | ComparisonReport, options: ReportFileOptions = {},
): Promise<readonly string[]> {
  const files = await openReportFiles(path, options)
  try {
    await files.write(reportTexts(make()))
    return files.paths
  } finally {
    await files.abort()
  }
}
