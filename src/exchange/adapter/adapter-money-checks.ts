import type { OrderError } from '../../model/order.js'
import type { PlaceEntry } from '../../venue/messages.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import { adapterError } from './adapter-checks.js'
import type { VenueProfile } from '../profile/venue-profile.js'

/** Why what an order says of loans and isolated positions cannot be meant, or null. */
export function loanRefusal(
  { autoBorrow, autoRepay, openClose }: PlaceEntry, { instrument }: InstrumentEntry, profile: VenueProfile,
): OrderError | null {
  const isSpot = instrument.type === 'spot'
  if (isSpot && openClose !== undefined && openClose !== 'AUTO')
    return adapterError('INVALID_REQUEST', `openClose is for positions: a spot instrument has none`)
  if (
    openClose !== undefined &&
    openClose !== 'AUTO' &&
    profile.kind !== 'generic' &&
    profile.margin?.modes.includes('isolated') !== true
  ) {
    return adapterError(
      'NOT_SUPPORTED',
      `the venue profile ${profile.name} does not say isolated among margin.modes, which openClose ${openClose} needs`,
    )
  }
  const field = autoBorrow === true ? 'autoBorrow' : autoRepay === true ? 'autoRepay' : null
  if (field === null) return null
  if (!isSpot)
    return adapterError('INVALID_REQUEST', `${field} is for spot instruments, found it on a ${instrument.type}`)
  return profile.borrowRates === undefined
    ? adapterError('NOT_SUPPORTED', `the venue profile ${profile.name} does not say borrowRates, which ${field} needs`)
    : null
}
