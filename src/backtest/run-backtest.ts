import { joinedPath, pathPart, type Fault } from '../model/fault.js'
import { checkParameters } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/instrument-reference.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { accountEntries } from '../configuration/account-options.js'
import type { BacktestOptions } from './backtest-options.js'
import type { WorldOutcome } from './checkpoint-state.js'
import type { Replay } from '../simulation/replay.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunSpan } from '../configuration/run-span.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'
import { openRun, runError } from './run-opening.js'
import { Run } from './run.js'
import type { RunSetup } from './run-setup.js'
import { dividedNumbers, threadRunOf, type ThreadRun } from './thread-run.js'
import { WorldThreads } from './world-thread-client.js'

/**
 * Runs a strategy over recorded days and says what it did. Deterministic: the same inputs, configuration and seed give
 * the same journal byte for byte. An array of parameters gives an array of results, each equal to that of a run alone.
 *
 * A class that is handed over is run as it stands: nothing is known of its source, so calls of `Date.now` or
 * `Math.random` in it are not noted, as the command line does for modules of run files. A strategy that calls
 * `process.exit` ends the program; the command line ends its run as failed.
 *
 * Throws OPTION_INVALID for a configuration that means nothing, STRATEGY_FAILED where the strategy throws, and the
 * errors of the files.
 *
 * @example
 * ```ts
 * import { runBacktest, Strategy, Parameter, TradingInstrument } from 'backtape'
 * class OneBid extends Strategy {
 *   @Parameter(TradingInstrument) instrument!: TradingInstrument
 *   override onStart(): void {
 *     this.after(60_000, () => this.bid())
 *   }
 *   bid(): void {
 *     const { bestBid } = this.instrument
 *     if (bestBid === null) return
 *     const quantity = this.instrument.quantity('100')
 *     this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
 *   }
 * }
 * const result = await runBacktest({
 *   strategy: OneBid,
 *   data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'],
 *   parameters: { instrument: 'XRPUSDT' },
 *   account: { balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } },
 * })
 * if (!result.fingerprint.startsWith('bt3:')) throw new Error(result.fingerprint)
 * ```
 */
export async function runBacktest(
  options: BacktestOptions & { readonly parameters: readonly ParameterConfig[] },
): Promise<BacktestResult[]>
export async function runBacktest(
  options: BacktestOptions & { readonly parameters?: ParameterConfig },
): Promise<BacktestResult>
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult | BacktestResult[]> {
  return playBacktest(options, null)
}

/** Where a run lies in time. */
export interface RunTimes extends RunSpan {
  /** Its first midnight, days since 1970-01-01. */
  readonly epochDay: number
}

/**
 * The same, and of the first world a stretch is watched that the times of the run say: null for none. Behind the
 * stretch the run ends.
 */
export async function playBacktest(
  options: BacktestOptions, stretchOf: ((times: RunTimes) => StretchRecorder | null) | null,
): Promise<BacktestResult | BacktestResult[]> {
  const jobs = stretchOf === null ? (options.jobs ?? 1) : 1
  return withRun(options, async (setup) => {
    const { plan: { span }, replay: { clock: { epochDay } } } = setup
    const stretch = stretchOf?.({ ...span, epochDay }) ?? null
    const shares = jobs === 1 ? null : threadShares(options, jobs)
    const threads = shares === null ? null : new WorldThreads(shares.others, options)
    try {
      const division = shares === null ? null : {
        numbers: shares.numbers, threadCount: shares.others.length + 1, elsewhere: threads,
      }
      const results = await new Run({ ...setup, stretch }, span, division).play()
      const [only] = results
      return Array.isArray(options.parameters) || only === undefined ? results : only
    } finally {
      await threads?.close()
    }
  })
}

/** Plays some worlds of a run, by their numbers, for the thread that makes their results. */
export async function playWorlds(options: BacktestOptions, numbers: readonly number[]): Promise<WorldOutcome[]> {
  return withRun(options, (setup) => (
    new Run({ ...setup, stretch: null }, setup.plan.span, { numbers, threadCount: 1, elsewhere: null }).outcomes()))
}

/** The worlds of this thread and the runs of others; null where all worlds stay here, which is noted. */
function threadShares(
  options: BacktestOptions, jobs: number,
): { readonly numbers: readonly number[]; readonly others: readonly ThreadRun[] } | null {
  const run = threadRunOf(options)
  if (typeof run === 'string') {
    options.onNote?.(`The run uses one thread: ${run} cannot be divided.`)
    return null
  }
  const [numbers = [], ...others] = dividedNumbers(setsOf(options.parameters).length, jobs)
  return {
    numbers,
    others: others.map((share) => ({ ...run, numbers: share })),
  }
}

/** Opens the data of a run, plays it and closes them. */
async function withRun<Played>(
  options: BacktestOptions, play: (setup: Omit<RunSetup, 'stretch'>) => Promise<Played>,
): Promise<Played> {
  const opened = await openRun(options, parameterFaults)
  try {
    const { close: _, ...setup } = opened
    return await play({ ...setup, options, strategies: runStrategies(options) }).catch((error: unknown) => {
      // The parameters of a run without other faults are read when its strategies begin; of a list others may be
      // faulty.
      throw error instanceof ParameterError ? runError(parameterFaults(options, opened.replay)) : error
    })
  } catch (error) {
    await opened.input.verify()
    await opened.signals.verify()
    throw error
  } finally {
    await opened.close()
  }
}

/** The faults of every parameter set. */
function parameterFaults(options: BacktestOptions, { directory }: Replay): Fault[] {
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
