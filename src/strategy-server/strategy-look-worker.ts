import { parentPort, workerData } from 'node:worker_threads'
import { runFaults } from '../backtest/run-faults.js'
import { loadStrategies } from '../configuration/strategy-module-reader.js'
import { BacktapeError } from '../model/error.js'
import { describedParameters } from '../strategy/parameter-description.js'
import type { Strategy } from '../strategy/strategy.js'
import { hostFaults } from '../live/run-live.js'
import type { InstalledStrategy, LookMessage, LookOrder } from './strategy-look.js'

const { modules, check, bundles } = workerData as LookOrder

function send(message: LookMessage): void {
  parentPort?.postMessage(message)
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A strategy by its name; one that cannot be made with its error. */
function described(strategyName: string, StrategyClass: new () => Strategy): Omit<InstalledStrategy, 'module'> {
  try {
    return { strategyName, parameters: describedParameters(new StrategyClass()) }
  } catch (error) {
    return { strategyName, error: `new ${strategyName}() fails: ${words(error)}` }
  }
}

async function describe(path: string): Promise<readonly Omit<InstalledStrategy, 'module'>[]> {
  try {
    return [...await loadStrategies(path, bundles)].map(([name, strategy]) => described(name, strategy))
  } catch (error) {
    return [{ error: words(error) }]
  }
}

async function checkRun(path: string, { strategyName, options }: NonNullable<LookOrder['check']>): Promise<void> {
  try {
    const strategy = (await loadStrategies(path, bundles)).get(strategyName)
    if (strategy === undefined) throw new BacktapeError('STRATEGY_NOT_FOUND', `There is no strategy ${strategyName}`)
    const faults = 'sockets' in options
      ? await hostFaults({ ...options.sockets.hosts, strategy, parameters: options.parameters })
      : await runFaults({ ...options, strategy })
    send({ kind: 'faults', faults })
  } catch (error) {
    const isOfStrategy = error instanceof BacktapeError && error.code === 'STRATEGY_NOT_FOUND'
    const path = isOfStrategy ? 'strategyName' : 'venue'
    const ofVenue = 'sockets' in options ? 'a venue whose hosts answer' : 'a venue whose data can be read'
    const expected = isOfStrategy ? 'a strategy that can be loaded' : ofVenue
    send({ kind: 'faults', faults: [{ path, expected, found: words(error) }] })
  }
}

// A module that waits at its top for ever ends by the deadline of the thread.
const [first] = modules
if (check !== null && first !== undefined) await checkRun(first, check)
else for (const path of modules) send({ kind: 'strategies', found: await describe(path) })
