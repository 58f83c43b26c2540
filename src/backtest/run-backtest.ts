import { BacktapeError } from '../model/error.js'
import { FaultsError, joinedPath, pathPart, type Fault } from '../model/fault.js'
import { checkParameters } from '../strategy/parameter-check.js'
import { ParameterError } from '../strategy/instrument-reference.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { openDayCache } from '../tickfile/cache/day-cache-writer.js'
import { accountEntries } from '../configuration/account-options.js'
import { assumptionsFromOptions } from '../configuration/assumptions.js'
import type { BacktestOptions } from './backtest-options.js'
import { openReplayInput, type ReplayInputOptions } from '../simulation/replay-input.js'
import { openReplay, type Replay } from '../simulation/replay.js'
import type { SignalPlayer } from '../simulation/signal-feed.js'
import { checkOptions } from '../configuration/run-check.js'
import { runPlan } from './run-setup.js'
import { daysOfSpan } from '../tickfile/data-input.js'
import { openSignals } from './run-signals.js'
import { stalenessBy } from '../configuration/stale-after.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import { readAccountProfiles } from '../configuration/venue-profile-reader.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { RunSpan } from '../configuration/run-span.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'
import { Run } from './run.js'

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
 * if (!result.fingerprint.startsWith('bt2:')) throw new Error(result.fingerprint)
 * ```
 */
export async function runBacktest(
  options: BacktestOptions & { readonly parameters: readonly ParameterConfig[] },
): Promise<BacktestResult[]>
export async function runBacktest(
  options: BacktestOptions & { readonly parameters?: ParameterConfig },
): Promise<BacktestResult>
export async function runBacktest(options: BacktestOptions): Promise<BacktestResult | BacktestResult[]> {
  return playBacktest(options, () => null)
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
  options: BacktestOptions, stretchOf: (times: RunTimes) => StretchRecorder | null,
): Promise<BacktestResult | BacktestResult[]> {
  const checked = await checkOptions(options)
  const faults = [...checked.faults]
  const known = checked.sound as BacktestOptions
  const profiles = await readAccountProfiles(known, faults)
  const { seed = 1, cacheLimitBytes = CACHE_LIMIT_BYTES } = known
  // Without faults alone the assumptions can be read; the other faults do not depend on them.
  const assumptions = assumptionsFromOptions(faults.length === 0 ? known.assumptions : {}, seed)
  if (faults.some(({ path }) => /^(data|$)/.test(path))) throw runError(faults)
  // Data that cannot be read leave the faults that are found before.
  const failed = (error: unknown): never => {
    throw faults.length > 0 ? runError([...faults, ...optionFaultsOf(error)]) : error
  }
  const passOptions = inputOptions({ ...known, cacheLimitBytes })
  if (passOptions.cache !== undefined) await openDayCache(passOptions.cache).catch(failed)
  const input = await openReplayInput(options.data, passOptions).catch(failed)
  let signals: SignalPlayer | null = null
  try {
    const replay = await openReplay(input, {
      ...assumptions, staleness: stalenessBy(assumptions.staleAfter, known, profiles),
    }).catch(failed)
    const plan = runPlan(known, replay, profiles, faults)
    signals = await openSignals(known.signals ?? [], replay.clock.epochDay, faults)
    if (faults.length > 0) throw runError([...faults, ...parameterFaults(known, replay)])
    const strategies = runStrategies(options)
    const stretch = stretchOf({ ...plan.span, epochDay: replay.clock.epochDay })
    const run = new Run(
      { replay, input, reading: passOptions, options, strategies, assumptions, seed, profiles, plan, signals, stretch },
      plan.span,
    )
    const results = await run.play().catch((error: unknown) => {
      // The parameters of a run without other faults are read when its strategies begin; of a list others may be
      // faulty.
      throw error instanceof ParameterError ? runError(parameterFaults(options, replay)) : error
    })
    const [only] = results
    return Array.isArray(options.parameters) || only === undefined ? results : only
  } catch (error) {
    await input.verify()
    await signals?.verify()
    throw error
  } finally {
    await signals?.close()
    await input.close()
  }
}

const CACHE_LIMIT_BYTES = 21_474_836_480

/** All faults of a configuration in one error. */
function runError(faults: readonly Fault[]): FaultsError {
  return new FaultsError('OPTION_INVALID', 'Cannot run', faults, 'the options')
}

/** The fault of an option that an error of the data states; none where the data themselves are at fault. */
function optionFaultsOf(error: unknown): Fault[] {
  if (!(error instanceof BacktapeError) || error.code !== 'OPTION_INVALID') return []
  const { field, expected, found } = error.place
  return field === undefined || expected === undefined || found === undefined ? [] : [{ path: field, expected, found }]
}

/** The options of a run that say how its data are read. */
export function inputOptions({
  trim, day, masterChanges, cache, cacheLimitBytes, onNote, signal, prefer, from, to,
}: BacktestOptions): ReplayInputOptions {
  const noted = new Set<string>()
  const noteOnce = (sentence: string): void => {
    if (!noted.has(sentence)) onNote?.(sentence)
    noted.add(sentence)
  }
  return {
    days: daysOfSpan({ from, to }),
    ...(prefer === undefined ? {} : { prefer }), ...(trim === undefined ? {} : { trim }),
    ...(masterChanges === undefined ? {} : { masterChanges }), ...(day === undefined ? {} : { day }),
    ...(signal === undefined ? {} : { signal }),
    ...(cache === undefined || cacheLimitBytes === undefined
      ? {}
      : { cache: { folder: cache, limitBytes: cacheLimitBytes, onNote: noteOnce } }),
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
