import { isPegged, type OrderError } from '../../model/order.js'
import type { PlaceEntry } from '../../venue/messages.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import { adapterError, lotRefusal, offsetError, priceRefusal } from './adapter-checks.js'
import type { OrderRules } from '../profile/venue-profile.js'

/**
 * Why the fields of a place entry do not fit each other, or what the venue does with them is not known; null where all
 * is well.
 */
export function kindRefusal(entry: PlaceEntry, instrument: InstrumentEntry, rules: OrderRules): OrderError | null {
  return (
    pricing(entry) ??
    trigger(entry, instrument, rules) ??
    shown(entry, instrument, rules) ??
    closing(entry, instrument, rules)
  )
}

function pricing({ type, price, pegOffsetValue }: PlaceEntry): OrderError | null {
  const isPeg = isPegged(type)
  if (isPeg || type === 'MARKET') {
    if (price !== null) return adapterError('INVALID_PRICE', `a ${type} order has no price`)
  } else if (price === null) return adapterError('INVALID_PRICE', `a ${type} order needs a price`)
  if (pegOffsetValue === undefined) return null
  if (!isPeg) return adapterError('INVALID_REQUEST', `pegOffsetValue is for pegged orders, found it on a ${type} order`)
  return Number.isSafeInteger(pegOffsetValue) ? null : offsetError(pegOffsetValue)
}

function trigger(
  { type, triggerPrice }: PlaceEntry, instrument: InstrumentEntry, { defaultTrigger }: OrderRules,
): OrderError | null {
  if (type !== 'STOP_LIMIT')
    return triggerPrice === undefined
      ? null
      : adapterError('INVALID_REQUEST', `triggerPrice is for STOP_LIMIT orders, found it on a ${type} order`)
  if (triggerPrice === undefined) return adapterError('INVALID_PRICE', 'a STOP_LIMIT order needs a triggerPrice')
  if (defaultTrigger === undefined)
    return adapterError(
      'NOT_SUPPORTED', 'the venue profile does not say orders.defaultTrigger, by which a stop order triggers',
    )
  return priceRefusal(triggerPrice, instrument, 'triggerPrice')
}

function shown(
  { displayQuantity }: PlaceEntry, instrument: InstrumentEntry, { hiddenOrders }: OrderRules,
): OrderError | null {
  if (displayQuantity === undefined) return null
  if (displayQuantity === 0)
    return hiddenOrders === true
      ? null
      : adapterError('NOT_SUPPORTED', 'the venue profile does not allow orders.hiddenOrders (displayQuantity 0)')
  const refusal = lotRefusal(displayQuantity, instrument, 'displayQuantity')
  const hides = refusal !== null && displayQuantity < 0 && hiddenOrders === true
  return hides
    ? { ...refusal, message: refusal.message.replace('above 0', 'above 0, or 0 for a hidden order') }
    : refusal
}

function closing(
  { closeOnly, reduceOnly, openClose }: PlaceEntry, { instrument }: InstrumentEntry,
  { closeOnlyCancelsOthers }: OrderRules,
): OrderError | null {
  if (closeOnly !== true && reduceOnly !== true) return null
  const field = closeOnly === true ? 'closeOnly' : 'reduceOnly'
  if (openClose === 'OPEN') return adapterError('INVALID_REQUEST', `an order that is ${field} cannot OPEN a position`)
  if (instrument.type === 'spot')
    return adapterError(
      'NOT_SUPPORTED', `${field} needs a position, and the spot instrument ${instrument.code} has none`,
    )
  if (closeOnly === true && closeOnlyCancelsOthers === undefined)
    return adapterError('NOT_SUPPORTED', 'the venue profile does not say orders.closeOnlyCancelsOthers')
  return null
}
