import { isOfKind, noPrediction, type VenueKind, type VenueProfile } from '../exchange/profile/venue-profile.js'
import { durationOf } from '../model/duration.js'
import { instrumentName, type Instrument } from '../model/instrument.js'
import { SILENCE_NS, silenceCountsOf } from '../model/silence.js'
import { accountEntries, type AccountsOptions, type MoneyOptions } from './account-options.js'
import type { Staleness } from '../exchange/market/market-silence.js'

/** When data are silent (exchange rules 6.4), as an assumption. */
export interface StaleAfter {
  readonly name: string
  /** Null: silence is no gap. */
  readonly afterNs: Readonly<Record<Staleness['counts'], number>> | null
}

const SECOND_NS = 1_000_000_000
const LEAST_NS = SECOND_NS
const MOST_NS = 86_400 * SECOND_NS
const OFF: StaleAfter = { name: 'off', afterNs: null }
const BY_KIND: StaleAfter = {
  name: '60s for perpetuals and futures, 10min for others', afterNs: SILENCE_NS,
}

/** The assumption that a text names, `off` or a duration; the expected value in words for any other text. */
export function staleAfterOf(text: string): StaleAfter | string {
  if (text === 'off') return OFF
  const ns = durationOf(text, { leastNs: LEAST_NS, mostNs: MOST_NS })
  return typeof ns === 'string' ? 'a duration from 1s to 24h, or "off"' : { name: text, afterNs: { book: ns, any: ns } }
}

/** The assumption where nothing is said: by kind of instrument, or off where the run trusts every book. */
export function defaultStaleAfter(isTrusting: boolean): StaleAfter {
  return isTrusting ? OFF : BY_KIND
}

const COUNTS: Readonly<Record<VenueKind, Staleness['counts'] | null>> = {
  generic: null, usdtPerpetual: 'book', coinPerpetual: 'book', spot: 'any', options: 'any', prediction: 'any',
}

/**
 * By instrument: after how long it is silent, and which lines count, by the kind of its venue where a profile states
 * one, else by its type.
 */
export function stalenessBy(
  { afterNs }: StaleAfter, options: AccountsOptions & MoneyOptions, profiles: ReadonlyMap<string, VenueProfile>,
): (instrument: Instrument) => Staleness | null {
  const accounts = accountEntries(options).map(([name, { exchange }]) => ({
    exchange, kind: profiles.get(name)?.kind ?? 'generic',
  }))
  return (instrument) => {
    if (afterNs === null) return null
    const { id, code, exchangeCode, type } = instrument
    const stated = accounts.find(
      ({ exchange, kind }) =>
        (exchange ?? exchangeCode) === exchangeCode && COUNTS[kind] !== null && isOfKind(kind, instrument),
    )
    const hasOutcome =
      noPrediction(instrument) === null &&
      [instrumentName(instrument), code, String(id)].some((name) => Object.hasOwn(options.outcomes ?? {}, name))
    const byType = hasOutcome ? 'any' : silenceCountsOf(type)
    const counts = (stated === undefined ? null : COUNTS[stated.kind]) ?? byType
    return { afterNs: afterNs[counts], counts }
  }
}
