import { dirname } from 'node:path'
import type { RunFile } from '../configuration/run-file-reader.js'
import { runStrategies, strategiesBundle } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { writeRunRecord } from '../results/run-record-writer.js'
import { runRecord, type RunLabel, type SetRecord } from '../results/run-record.js'

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
export async function rememberRun(
  { path, content, options }: RunFile, results: readonly BacktestResult[], label: Omit<RunLabel, 'runFile'>,
): Promise<string | null> {
  try {
    const sets = results.map(setOf)
    const record = runRecord(sets, { ...label, runFile: path })
    const strategy = strategiesBundle(runStrategies(options))
    await writeRunRecord(dirname(path), { record, sets, configuration: content, strategy })
    return null
  } catch (error) {
    return `the run is not recorded: ${error instanceof Error ? error.message : String(error)}`
  }
}
