import { accountEntries } from '../configuration/account-options.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import { FaultsError, joinedPath, pathPart, type Fault } from '../model/fault.js'
import type { Replay } from '../simulation/replay.js'
import { checkParameters } from '../strategy/parameter-check.js'
import type { BacktestOptions } from './backtest-options.js'
import { openRun } from './run-opening.js'

/** The faults of every parameter set. */
export function parameterFaults(options: BacktestOptions, { directory }: Replay): Fault[] {
  const strategies = runStrategies(options)
  const codes = new Set(directory.entries.map(({ instrument }) => instrument.exchangeCode))
  const known = accountEntries(options).map(([accountId, { exchange }]) => (
    { accountId, exchangeCode: exchange !== undefined && codes.has(exchange) ? exchange : null }))
  return setsOf(options.parameters).flatMap((config, number, { length }) => strategies.flatMap((one) => {
    const { strategy, name, parametersOf } = one
    const path = length === 1 ? 'parameters' : `parameters[${number}]`
    const at = name === null ? path : `${path}${pathPart(name)}`
    return checkParameters(strategy, parametersOf(config), directory, known).map((one) => (
      { ...one, path: joinedPath(at, one.path) }))
  }))
}

/**
 * Every fault of the options of a run, compared with its data, before anything runs: none where it would begin. Throws
 * the errors of the files.
 */
export async function runFaults(options: BacktestOptions): Promise<readonly Fault[]> {
  try {
    const run = await openRun(options, parameterFaults)
    try {
      return parameterFaults(options, run.replay)
    } finally {
      await run.close()
    }
  } catch (error) {
    if (error instanceof FaultsError) return error.faults
    throw error
  }
}
