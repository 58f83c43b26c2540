import { GENERIC_PROFILE, type VenueProfile } from '../exchange/profile/venue-profile.js'
import { type RunStrategy, setsOf, statedSet, statedStrategies } from '../configuration/run-strategies.js'
import { type Assumptions, feedLatencyFaults, assumptionNames } from '../configuration/assumptions.js'
import type { ReplayInput, ReplayInputOptions } from '../simulation/replay-input.js'
import type { SignalPlayer } from '../simulation/signal-player.js'
import type { Replay } from '../simulation/replay.js'
import type { BacktestOptions } from './backtest-options.js'
import type { AccountConfig } from '../exchange/accounts/account-config.js'
import type { PlannedAction } from '../exchange/accounts/corporate-actions.js'
import type { PlannedFault } from '../exchange/adapter/fault-plan.js'
import type { WorldMoney } from '../exchange/accounts/world-money.js'
import type { Fault } from '../model/fault.js'
import type { EntryStateRules } from '../strategy/entry-state-watch.js'
import { plannedAccounts, statedCurrency, worldMoney } from '../configuration/account-options.js'
import { plannedActions } from '../configuration/corporate-action-options.js'
import { equityRowsOf, entryStateRules, type SignalOptions } from '../configuration/run-options.js'
import { plannedFaults } from '../configuration/fault-options.js'
import { runSpan, type RunSpan, boundTexts } from '../configuration/run-span.js'
import type { WorldConfig } from '../exchange/world-config.js'
import { dayText, isoFromTime } from '../model/time.js'
import type { CanonicalValue } from '../model/canonical-json.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { InstrumentPast } from '../simulation/history.js'
import type { StretchRecorder } from '../results/stretch-recorder.js'
import type { ResultSetting } from '../results/world-result.js'
import { resultOptions } from './result-options.js'
import type { RunOutside } from './run-outside.js'

/** The parts that all worlds of a run share. */
export interface RunSetup {
  readonly replay: Replay
  readonly input: ReplayInput
  /** The way in which `input` was opened. */
  readonly reading: ReplayInputOptions
  readonly options: BacktestOptions
  readonly strategies: readonly RunStrategy[]
  readonly assumptions: Assumptions
  readonly seed: number
  /** By account name. */
  readonly profiles: ReadonlyMap<string, VenueProfile>
  readonly plan: RunPlan
  /** Rows from outside. */
  readonly signals: SignalPlayer
  /** A stretch of its first world that is watched, behind which the run ends; null: none. */
  readonly stretch: StretchRecorder | null
  /** A program around a run of one world; null: none. */
  readonly outside: RunOutside | null
}

/**
 * The declarations of a run beside its strategy, with every name and time looked up: the same for all of its worlds.
 */
export interface RunPlan {
  readonly span: RunSpan
  readonly accounts: readonly AccountConfig[]
  readonly money: WorldMoney
  /** The currency of totals that accounts state; null where none does. */
  readonly currency: string | null
  readonly faults: readonly PlannedFault[]
  readonly corporateActions: readonly PlannedAction[]
  readonly entryStates: EntryStateRules
  /** Rows of equity that were asked for; null: those of the default. */
  readonly equityRows: ReturnType<typeof equityRowsOf>
}

/** Reads the declarations of a run; names and times that its data do not have go to `faults`. */
export function runPlan(
  options: BacktestOptions, replay: Replay, profiles: ReadonlyMap<string, VenueProfile>, faults: Fault[],
): RunPlan {
  const { directory: instruments, underlyings } = replay
  const { epochDay } = replay.clock
  const span = runSpan(options, replay, faults)
  faults.push(...feedLatencyFaults(options.assumptions ?? {}, instruments))
  const setting = { epochDay, span, instruments, underlyings }
  return {
    span,
    accounts: plannedAccounts(options, instruments, underlyings, profiles, epochDay, faults),
    currency: statedCurrency(options, underlyings, faults),
    money: worldMoney(options, instruments, underlyings, epochDay, replay.terms.steps, faults),
    faults: plannedFaults(options.faults ?? [], setting, faults),
    corporateActions: plannedActions(options.corporateActions ?? [], setting, faults),
    entryStates: entryStateRules(options.entryStates ?? {}),
    equityRows: equityRowsOf(options.equity ?? {}),
  }
}

/** The signals of a run by the bytes of their files, wherever those lie; nothing where there are none. */
export function signalsConfiguration(options: readonly SignalOptions[] | undefined, { feeds }: SignalPlayer): object {
  if (options === undefined || options.length === 0) return {}
  return { signals: options.map(({ file: _, ...terms }, at) => ({ ...terms, sha256: feeds[at]?.file.sha256 })) }
}

/**
 * Everything that the journal of a world depends on, and nothing else, as its digest takes it. Inputs of instruments
 * other than `askedIds`, those that the world asked for, are left out.
 */
export function worldConfiguration(
  { replay, input, options, strategies, assumptions, seed, signals }: RunSetup, parameters: ParameterConfig,
  worldAccounts: WorldConfig['accounts'], askedIds: readonly number[], pasts: readonly InstrumentPast[],
): CanonicalValue {
  const inputs = input.inputs.filter(({ instrument }) => askedIds.includes(instrument.id))
  const accounts = worldAccounts.map(
    ({ accountId, exchangeCode, balances, fees, profile, currency, atZero, requestLatency, responseLatency }) => ({
      accountId, exchangeCode, fees, balances: [...balances],
      ...(profile === undefined || profile === GENERIC_PROFILE ? {} : { profile }),
      ...(currency === undefined ? {} : { currency }),
      ...(atZero === 'note' ? { stopAtZero: false } : {}),
      ...(requestLatency === undefined ? {} : { requestLatency: requestLatency.name }),
      ...(responseLatency === undefined ? {} : { responseLatency: responseLatency.name }),
    }),
  )
  const config = {
    ...(input.live === undefined ? {} : { kind: 'paper', lagNs: input.live.lagNs }),
    ...(options.strategy === undefined
      ? { strategies: statedStrategies(strategies) }
      : { strategy: options.strategy.name }),
    parameters: statedSet(strategies, parameters),
    accounts,
    assumptions: assumptionNames(assumptions),
    seed,
    trim: input.trim,
    ...resultOptions(options),
    ...boundTexts(options, { epochDay: replay.clock.epochDay, lastEpochDay: replay.lastEpochDay }),
    ...signalsConfiguration(options.signals, signals),
    inputs: inputs.map(({ instrument, days, digests }) => ({
      instrumentId: instrument.id, days: days.map(dayText),
      files: digests.map((digest) => digest.hex() ?? 'not read to its end'),
    })),
    ...(pasts.length === 0
      ? {}
      : {
          warmUp: pasts.map(({ instrumentId, sinceNs, days, files }) => ({
            instrumentId, since: isoFromTime(sinceNs, replay.clock.epochDay), days, files,
          })),
        }),
  }
  return config as unknown as CanonicalValue
}

/** The parts of a run that the results of its worlds are made with. */
export function resultSetting(
  { replay, input, options, strategies }: Omit<RunSetup, 'stretch'>, threadCount: number,
): ResultSetting {
  return {
    kind: input.live === undefined ? 'backtest' : 'paper', epochDay: replay.clock.epochDay,
    instruments: replay.directory, underlyings: replay.underlyings,
    trim: input.trim, strategies, sets: setsOf(options.parameters), isKept: options.tables !== 'none', threadCount,
  }
}
