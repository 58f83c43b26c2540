import { BacktapeError } from '../model/error.js'
import type { SameStamp } from '../model/exchange-order.js'
import { FaultsError, type Fault } from '../model/fault.js'
import { openDayCache } from '../tickfile/cache/day-cache-writer.js'
import { daysOfSpan } from '../tickfile/data-input.js'
import { assumptionsFromOptions } from '../configuration/assumptions.js'
import { checkOptions } from '../configuration/run-check.js'
import { stalenessBy } from '../configuration/stale-after.js'
import { readAccountProfiles } from '../configuration/venue-profile-reader.js'
import { openReplayInput, type ReplayInput, type ReplayInputOptions } from '../simulation/replay-input.js'
import { openReplay, type Replay } from '../simulation/replay.js'
import type { SignalPlayer } from '../simulation/signal-player.js'
import type { BacktestOptions } from './backtest-options.js'
import { runPlan, type RunSetup } from './run-setup.js'
import { openSignals } from './run-signals.js'

const CACHE_LIMIT_BYTES = 21_474_836_480

/** The data of a run and what it declares, before anybody trades. */
export interface OpenedRun extends Omit<RunSetup, 'options' | 'strategies' | 'stretch' | 'outside'> {
  /** Closes the files; to be called once. */
  close(): Promise<void>
}

/**
 * Reads the options of a run and opens its data. Throws OPTION_INVALID with all faults at once, those that `faultsWith`
 * finds with the opened data among them, and the errors of the files; nothing stays open then. A `market` takes the
 * place of the data.
 */
export async function openRun(
  options: BacktestOptions, faultsWith: (known: BacktestOptions, replay: Replay) => readonly Fault[],
  market?: ReplayInput,
): Promise<OpenedRun> {
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
  const reading = inputOptions({ ...known, cacheLimitBytes }, assumptions.sameStamp)
  if (reading.cache !== undefined) await openDayCache(reading.cache).catch(failed)
  const input = market ?? await openReplayInput(options.data, reading).catch(failed)
  let signals: SignalPlayer | null = null
  const close = async (): Promise<void> => {
    await signals?.close()
    await input.close()
  }
  try {
    const replay = await openReplay(input, {
      ...assumptions, staleness: stalenessBy(assumptions.staleAfter, known, profiles),
    }).catch(failed)
    const plan = runPlan(known, replay, profiles, faults)
    signals = await openSignals(known.signals ?? [], replay.clock.epochDay, faults)
    if (faults.length > 0) throw runError([...faults, ...faultsWith(known, replay)])
    return { replay, input, reading, assumptions, seed, profiles, plan, signals, close }
  } catch (error) {
    try {
      await input.verify()
      await signals?.verify()
    } finally {
      await close()
    }
    throw error
  }
}

/** All faults of a configuration in one error. */
export function runError(faults: readonly Fault[]): FaultsError {
  return new FaultsError('OPTION_INVALID', 'Cannot run', faults, 'the options')
}

/** The fault of an option that an error of the data states; none where the data themselves are at fault. */
function optionFaultsOf(error: unknown): Fault[] {
  if (!(error instanceof BacktapeError) || error.code !== 'OPTION_INVALID') return []
  const { field, expected, found } = error.place
  return field === undefined || expected === undefined || found === undefined ? [] : [{ path: field, expected, found }]
}

/** The options of a run that say how its data are read; kept days come with the exchange order of `sameStamp`. */
export function inputOptions({
  trim, day, masterChanges, cache, cacheLimitBytes, onNote, signal, prefer, from, to,
}: BacktestOptions, sameStamp: SameStamp = 'trades'): ReplayInputOptions {
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
      : { cache: { folder: cache, limitBytes: cacheLimitBytes, onNote: noteOnce, sameStamp } }),
  }
}
