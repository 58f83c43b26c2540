import { dirname } from 'node:path'
import { runRecord, type RunLabel, type RunRecord, type SetRecord } from '../results/run-record.js'
import type { PartsRecord } from '../sweep/parts-record.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import { runStrategies, strategiesBundle } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { writeRunRecord } from '../results/run-record-writer.js'

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

/**
 * Remembers what a command ran, beside its run file; returns a sentence about what could not be written, null where
 * all was.
 */
export function rememberRun(
  run: RunFile, results: readonly BacktestResult[], label: Omit<RunLabel, 'runFile'>,
): Promise<string | null> {
  const sets = results.map(setOf)
  return remember(run, sets, () => runRecord(sets, { ...label, runFile: run.path }))
}

/** The same of a run in parts: one record with the chosen set of each part. */
export function rememberParts(
  run: RunFile, { sets, ...more }: PartsRecord, label: Omit<RunLabel, 'runFile'>,
): Promise<string | null> {
  return remember(run, sets, () => ({ ...runRecord(sets, { ...label, runFile: run.path }), ...more }))
}

async function remember(
  { path, content, options }: RunFile, sets: readonly SetRecord[], recordOf: () => RunRecord,
): Promise<string | null> {
  try {
    const record = recordOf()
    const strategy = strategiesBundle(runStrategies(options))
    await writeRunRecord(dirname(path), { record, sets, configuration: content, strategy })
    return null
  } catch (error) {
    return `the run is not recorded: ${error instanceof Error ? error.message : String(error)}`
  }
}
