import { dirname, join } from 'node:path'
import { REPORT_FILE, type RecordedCurves } from '../results/run-records-reader.js'
import { runRecord, type RunLabel, type RunRecord, type SetRecord } from '../results/run-record.js'
import type { PartsRecord } from '../sweep/parts-record.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import { runStrategies, strategiesBundle } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { shortCurve } from '../report/equity-curve.js'
import type { ReportTexts } from '../results/run-report-writer.js'
import type { Arguments } from './terminal/arguments.js'
import { writeRunRecord, type NewRecord } from '../results/run-record-writer.js'

/** Runs in CI leave nothing beside their run files. */
export function isRecorded(args: Arguments): boolean {
  return !args.flag('noRecord') && (process.env['CI'] ?? '') === ''
}

/** Where the compiled strategies of a run are kept: in its cache, else beside its record; null for nowhere. */
export function bundlesFolder(args: Arguments): string | null {
  const cache = args.text('cache')
  if (cache !== undefined) return cache
  return isRecorded(args) ? join(dirname(args.words[0] ?? ''), '.backtape', 'strategies') : null
}

/** The results of a command without their tables, as its record has them. */
function setOf(result: BacktestResult): SetRecord {
  const {
    parameters, fingerprint, configDigest, configuration, journalDigest, segmentDigests, journalLineCount, isPartial,
    summary,
  } = result
  return {
    parameters, fingerprint, configDigest, configuration, journalDigest, segmentDigests, journalLineCount, isPartial,
    summary,
  }
}

/** Points of the curves of all sets of a record together, and the fewest of one: more sets keep none. */
const [CURVE_POINTS, CURVE_POINTS_LEAST] = [4096, 16]

/** Curves of equity as short as a record keeps them, by set. */
function recordedCurves(results: readonly BacktestResult[]): RecordedCurves {
  const limit = Math.min(256, Math.floor(CURVE_POINTS / Math.max(1, results.length)))
  if (limit < CURVE_POINTS_LEAST) return []
  return results.map(({ curves }) => curves.map((curve) => shortCurve(curve, limit)))
}

/**
 * Remembers what a command ran, beside its run file, with its report where `page` makes one; returns notes: where the
 * report is, and a sentence about what could not be written.
 */
export async function rememberRun(
  run: RunFile, results: readonly BacktestResult[], label: Omit<RunLabel, 'runFile'>, page: (() => ReportTexts) | null,
): Promise<readonly string[]> {
  const sets = results.map(setOf)
  const texts = page?.() ?? null
  const more = { curves: recordedCurves(results), ...(texts === null ? {} : { report: texts }) }
  const { folder, warning } = await remember(run, sets, () => runRecord(sets, { ...label, runFile: run.path }), more)
  return [
    ...(warning === null ? [] : [`Warning: ${warning}`]),
    ...(texts === null || folder === null ? [] : [`Wrote the report ${join(folder, REPORT_FILE)}`]),
  ]
}

/** The same of a run in parts: one record with the chosen set of each part. */
export async function rememberParts(
  run: RunFile, { sets, ...more }: PartsRecord, label: Omit<RunLabel, 'runFile'>,
): Promise<string | null> {
  const recordOf = (): RunRecord => ({ ...runRecord(sets, { ...label, runFile: run.path }), ...more })
  const { warning } = await remember(run, sets, recordOf)
  return warning
}

async function remember(
  { path, content, options }: RunFile, sets: readonly SetRecord[], recordOf: () => RunRecord,
  more: Pick<NewRecord, 'curves' | 'report'> = {},
): Promise<{ readonly folder: string | null, readonly warning: string | null }> {
  try {
    const record = recordOf()
    const strategy = strategiesBundle(runStrategies(options))
    const folder = await writeRunRecord(dirname(path), { record, sets, configuration: content, strategy, ...more })
    return { folder, warning: null }
  } catch (error) {
    const warning = `the run is not recorded: ${error instanceof Error ? error.message : String(error)}`
    return { folder: null, warning }
  }
}
