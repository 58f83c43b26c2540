import type { WorldConfig } from '../exchange/world-config.js'
import { GENERIC_PROFILE } from '../exchange/profile/venue-profile.js'
import { dayText, isoFromTime } from '../model/time.js'
import type { CanonicalValue } from '../model/canonical-json.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { assumptionNames } from '../configuration/assumptions.js'
import { statedSet, statedStrategies } from '../configuration/run-strategies.js'
import { boundTexts } from '../configuration/run-span.js'
import type { SignalOptions } from '../configuration/signal-options.js'
import type { InstrumentPast } from '../simulation/history.js'
import type { SignalPlayer } from '../simulation/signal-feed.js'
import { resultOptions } from './result-options.js'
import type { RunSetup } from './run-setup.js'

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
    ({ accountId, exchangeCode, balances, fees, profile, atZero, requestLatency, responseLatency }) => ({
      accountId, exchangeCode, fees, balances: [...balances],
      ...(profile === undefined || profile === GENERIC_PROFILE ? {} : { profile }),
      ...(atZero === 'note' ? { stopAtZero: false } : {}),
      ...(requestLatency === undefined ? {} : { requestLatency: requestLatency.name }),
      ...(responseLatency === undefined ? {} : { responseLatency: responseLatency.name }),
    }),
  )
  const config = {
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
