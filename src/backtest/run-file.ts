import { BacktapeError } from '../model/error.js'
import { FaultsError } from '../model/fault.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { BacktestOptions } from './backtest-options.js'
import { runBacktest } from './run-backtest.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import { setsOf } from '../configuration/run-strategies.js'
import { originalStack } from '../configuration/strategy-module-reader.js'
import { eventLoopTurn } from '../model/event-loop-client.js'
import type { BacktestResult } from '../results/backtest-result.js'

/** Options that a caller adds to a run file: where lines go, what stops it, what reports its progress. */
export type RunFileExtras = Pick<
  BacktestOptions,
  'journal' | 'signal' | 'onProgress' | 'onNote' | 'cache' | 'checkpoints' | 'resume' | 'strict' | 'tables' | 'jobs'
> &
  Partial<Pick<BacktestOptions, 'seed'>>

/** The same error about a run file: what its values mean is known only when the data are open. */
function aboutFile(path: string, error: unknown): unknown {
  if (!(error instanceof BacktapeError)) return error
  const { code, message, place } = error
  if (code === 'STRATEGY_FAILED')
    return new BacktapeError(code, originalStack(message), { file: path, ...place }, error)
  if (error instanceof FaultsError)
    return new FaultsError('RUN_FILE_INVALID', `Cannot run ${path}`, error.faults, 'the file', path)
  // An option that contradicts another file names that file.
  if (code !== 'OPTION_INVALID' || place.file !== undefined) return error
  return new BacktapeError('RUN_FILE_INVALID', `Cannot run ${path}: ${message}`, { file: path, ...place }, error)
}

/** The outcome of work on a run file, whose errors name it, but for those of some fields. */
export async function withFileErrors<Found>(
  path: string, otherFields: readonly string[], work: () => Promise<Found>,
): Promise<Found> {
  try {
    const found = await work()
    // An error that the strategy left to the event loop ends the process here, where the run can still fail as a whole.
    await eventLoopTurn()
    return found
  } catch (error) {
    const isOther = error instanceof BacktapeError && otherFields.includes(error.place.field ?? '')
    throw isOther && !(error instanceof FaultsError) ? error : aboutFile(path, error)
  }
}

/** The parameter sets of a run file: a world each. */
export function parameterSetsOf({ options: { parameters } }: RunFile): readonly ParameterConfig[] {
  return setsOf(parameters)
}

/**
 * Runs a run file; the result of every world, one for each parameter set. Stacks of a strategy name its own sources.
 */
export async function runRunFile(run: RunFile, extras: RunFileExtras = {}): Promise<BacktestResult[]> {
  return withFileErrors(run.path, [], () => (
    runBacktest({ ...run.options, ...extras, parameters: parameterSetsOf(run) })))
}
