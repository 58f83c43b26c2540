import type { VenueKind } from './venue-profile.js'
import type { Instrument } from '../../model/instrument.js'

const OPTION_TYPES: ReadonlySet<string> = new Set(['call', 'put'])

/**
 * Why the master data of an instrument contradict that it is a prediction contract, or null. Their type says
 * `perpetual` for both (spec 4, section 2), but no prediction market pays funding, and a probability is neither inverse
 * nor quanto.
 */
export function noPrediction({ type, isInverse, isQuanto, fundingIntervalSeconds }: Instrument): string | null {
  if (type !== 'perpetual') return `its type is ${type === '' ? 'not stated' : type}`
  if (isInverse || isQuanto) return `it is ${isInverse ? 'inverse' : 'quanto'}`
  return fundingIntervalSeconds === null ? null : 'it pays funding'
}

/** True where an instrument is what venues of a kind trade, as far as master data say it. */
export function isOfKind(kind: VenueKind, instrument: Instrument): boolean {
  const { type, isInverse } = instrument
  switch (kind) {
    case 'generic': return true
    case 'spot': return type === 'spot'
    case 'options': return OPTION_TYPES.has(type)
    case 'usdtPerpetual': return type === 'perpetual' && !isInverse
    case 'coinPerpetual': return type === 'perpetual' && isInverse
    case 'prediction': return noPrediction(instrument) === null
  }
}
