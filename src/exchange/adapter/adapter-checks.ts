import { scaledFromText, textFromScaled } from '../../model/decimal.js'
import { isPegged, type EntryError } from '../../model/order.js'
import type { AmendEntry, PlaceEntry, ReplaceEntry } from '../../venue/messages.js'
import { ORDER_ATTRIBUTES, attributesIn, type AttributeNeed } from '../../venue/order-attributes.js'
import { unsupportedChange } from '../../venue/unsupported-change.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import {
  GENERIC_PROFILE, WALLET_TYPES, capabilitiesOf, type VenueProfile, type OrderRules,
} from '../profile/venue-profile.js'
import type { Capabilities } from '../../venue/account-messages.js'

/** Why what an order says of loans and isolated positions cannot be meant, or null. */
export function loanRefusal(
  { autoBorrow, autoRepay, openClose, walletType }: PlaceEntry, { instrument }: InstrumentEntry, profile: VenueProfile,
): EntryError | null {
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
  const isNet = openClose === undefined || openClose === 'AUTO'
  if (walletType === 'ISOLATED' && (isSpot || (isNet && profile.margin?.modes.includes('cross') !== false)))
    return adapterError(
      'INVALID_REQUEST', 'walletType ISOLATED is for orders of isolated positions: openClose OPEN or CLOSE',
    )
  const field = autoBorrow === true ? 'autoBorrow' : autoRepay === true ? 'autoRepay' : null
  if (field === null) return null
  if (!isSpot)
    return adapterError('INVALID_REQUEST', `${field} is for spot instruments, found it on a ${instrument.type}`)
  return profile.borrowRates === undefined
    ? adapterError('NOT_SUPPORTED', `the venue profile ${profile.name} does not say borrowRates, which ${field} needs`)
    : null
}

/** The capabilities of the simulated exchange: what is false or missing here is refused whatever a profile says. */
const WIRED: Capabilities = { ...capabilitiesOf(GENERIC_PROFILE), walletTypes: WALLET_TYPES }

/** The capabilities of a profile's adapter: what the profile states and the exchange does. */
export function adapterCapabilities(profile: VenueProfile): Capabilities {
  const stated = capabilitiesOf(profile)
  const both = (field: 'orderTypes' | 'timeInForces' | 'walletTypes'): string[] =>
    stated[field].filter((word) => WIRED[field].includes(word))
  const flags = Object.fromEntries(
    Object.entries(stated).map(([field, value]) => [
      field, value === true && WIRED[field as keyof Capabilities] === true,
    ]),
  ) as unknown as Capabilities
  return {
    ...flags, orderTypes: both('orderTypes'), timeInForces: both('timeInForces'), walletTypes: both('walletTypes'),
  }
}

/** An error of the adapter itself: it comes back without the exchange's leg. */
export function adapterError(type: string, message: string): EntryError {
  return { type, message, source: 'INTERNAL' }
}

/**
 * Why an order of an instrument that the run does not have is refused; 0 is what the SDK gives to one that was asked
 * for by a name which none has.
 */
export function unknownInstrument(instrumentId: number): EntryError {
  return adapterError(
    'UNKNOWN_INSTRUMENT',
    instrumentId === 0
      ? 'the run has no instrument of the name by which this one was asked for'
      : `no instrument has the id ${instrumentId}`,
  )
}

function hasTriggers({ orderTypes }: Capabilities): boolean {
  return orderTypes.includes('STOP_LIMIT')
}

function hasPegs({ orderTypes }: Capabilities): boolean {
  return orderTypes.includes('MARKET_PEGGED') || orderTypes.includes('PRIMARY_PEGGED')
}

/** True where an adapter takes attributes that need a capability (column `needs` of the table of attributes). */
function hasCapability(capabilities: Capabilities, needs: AttributeNeed): boolean {
  if (needs === 'trigger') return hasTriggers(capabilities)
  return needs === 'peg' ? hasPegs(capabilities) : capabilities[needs]
}

/** Attributes of a place entry that a capability has to allow. */
const GUARDED = attributesIn('place').flatMap((field) => {
  const { needs } = ORDER_ATTRIBUTES[field]
  return needs === undefined ? [] : [{ field, needs }]
})

/** True where an entry has any of {@link GUARDED}: few do, and asking by names is slow. */
function hasGuarded({
  displayQuantity, triggerPrice, pegOffsetValue, closeOnly, reduceOnly, autoBorrow, autoRepay, useSpare,
}: PlaceEntry): boolean {
  return (
    displayQuantity !== undefined ||
    triggerPrice !== undefined ||
    pegOffsetValue !== undefined ||
    closeOnly !== undefined ||
    reduceOnly !== undefined ||
    autoBorrow !== undefined ||
    autoRepay !== undefined ||
    useSpare !== undefined
  )
}

/** Why the adapter does not send a place entry on, or null. */
export function placeRefusal(
  entry: PlaceEntry, instrument: InstrumentEntry, capabilities: Capabilities,
): EntryError | null {
  if (!capabilities.orderTypes.includes(entry.type))
    return adapterError('NOT_SUPPORTED', `order type ${entry.type} is not among ${capabilities.orderTypes.join(', ')}`)
  if (!capabilities.timeInForces.includes(entry.timeInForce)) {
    return adapterError(
      'NOT_SUPPORTED', `timeInForce ${entry.timeInForce} is not among ${capabilities.timeInForces.join(', ')}`,
    )
  }
  if (hasGuarded(entry)) {
    for (const { field, needs } of GUARDED) {
      const value = entry[field]
      if (
        value !== undefined &&
        value !== null &&
        value !== false &&
        value !== 'AUTO' &&
        !hasCapability(capabilities, needs)
      )
        return adapterError('NOT_SUPPORTED', `this venue does not support ${field}`)
    }
  }
  if (entry.walletType !== undefined && !capabilities.walletTypes.includes(entry.walletType)) {
    return adapterError(
      'NOT_SUPPORTED', `wallet type ${entry.walletType} is not among ${capabilities.walletTypes.join(', ')}`,
    )
  }
  return quantityRefusal(entry.totalQuantity, instrument) ?? priceRefusal(entry.price, instrument)
}

/**
 * Why the adapter does not send an amend or a replace on, or null; `instrument` is undefined where it does not know the
 * order.
 */
export function changeRefusal(
  entry: AmendEntry | ReplaceEntry, instrument: InstrumentEntry | undefined, capabilities: Capabilities,
): EntryError | null {
  const verb = 'newOwnOrderId' in entry ? 'replace' : 'amend'
  const unsupported = unsupportedChange(verb, capabilities)
  if (unsupported !== null) return unsupported
  const { triggerPrice } = entry
  const pegOffsetValue = 'pegOffsetValue' in entry ? entry.pegOffsetValue : undefined
  if (triggerPrice !== undefined && !hasTriggers(capabilities))
    return adapterError('NOT_SUPPORTED', 'this venue does not support triggerPrice')
  if (pegOffsetValue !== undefined && !hasPegs(capabilities))
    return adapterError('NOT_SUPPORTED', 'this venue does not support pegOffsetValue')
  if (instrument === undefined) return null
  if (pegOffsetValue !== undefined && !Number.isSafeInteger(pegOffsetValue)) return offsetError(pegOffsetValue)
  return (
    quantityRefusal(entry.totalQuantity, instrument) ??
    priceRefusal(entry.price, instrument) ??
    priceRefusal(triggerPrice, instrument, 'triggerPrice')
  )
}

/** A peg's offset that no price of the instrument could be moved by. */
function offsetError(pegOffsetValue: number): EntryError {
  return adapterError(
    'INVALID_PRICE', `pegOffsetValue must be a number that the instrument can state, found ${String(pegOffsetValue)}`,
  )
}

function quantityRefusal(quantity: number | undefined, instrument: InstrumentEntry): EntryError | null {
  return quantity === undefined ? null : lotRefusal(quantity, instrument, 'totalQuantity')
}

/** Why a quantity is not above 0 in whole lots, or null; `field` names it. */
function lotRefusal(
  quantity: number, { instrument, quantityScale }: InstrumentEntry, field: string,
): EntryError | null {
  const isWhole = Number.isSafeInteger(quantity)
  if (
    isWhole &&
    quantity > 0 &&
    (instrument.lotSize === null || quantity % scaledStep(instrument.lotSize, quantityScale) === 0)
  )
    return null
  const text = isWhole ? textFromScaled(quantity, quantityScale) : String(quantity)
  const rule = isWhole && quantity > 0 ? `a multiple of the lot size ${instrument.lotSize ?? ''}` : 'above 0'
  return adapterError('INVALID_QUANTITY', `${field} must be ${rule}, found ${text}`)
}

/** Why a price is not above 0 on a tick, or null; `field` names it. */
export function priceRefusal(
  price: number | null | undefined, entry: InstrumentEntry, field = 'price',
): EntryError | null {
  if (price === null || price === undefined) return null
  if (!Number.isSafeInteger(price))
    return adapterError(
      'INVALID_PRICE', `${field} must be a number that the instrument can state, found ${String(price)}`,
    )
  if (price <= 0)
    return adapterError('INVALID_PRICE', `${field} must be above 0, found ${textFromScaled(price, entry.priceScale)}`)
  const tickText = tickSizeAt(price, entry)
  if (price % (tickText === null ? 1 : scaledStep(tickText, entry.priceScale)) === 0) return null
  return adapterError(
    'INVALID_PRICE',
    `${field} must be a multiple of the tick size ${tickText ?? ''}, found ${textFromScaled(price, entry.priceScale)}`,
  )
}

/** Sizes that are remembered. */
const STEP_LIMIT = 4096

const steps: Map<string, number> = new Map()

/** A tick or lot size as an integer at a scale, 1 where it is finer; worked out once, as every order asks for it. */
function scaledStep(text: string, scale: number): number {
  const key = `${text} ${String(scale)}`
  const known = steps.get(key)
  if (known !== undefined) return known
  const step = scaledFromText(text, scale) ?? 1
  if (steps.size < STEP_LIMIT) steps.set(key, step)
  return step
}

/** The tick size at a price: its band's, else the instrument's; null where neither is known. */
export function tickSizeAt(price: number, { instrument, priceScale }: InstrumentEntry): string | null {
  const band = instrument.tickBands.findLast(({ floor }) => price >= (scaledFromText(floor, priceScale) ?? Infinity))
  return band?.tickSize ?? instrument.tickSize
}

/**
 * Why the fields of a place entry do not fit each other, or what the venue does with them is not known; null where all
 * is well.
 */
export function kindRefusal(entry: PlaceEntry, instrument: InstrumentEntry, rules: OrderRules): EntryError | null {
  return (
    pricing(entry) ??
    trigger(entry, instrument, rules) ??
    shown(entry, instrument, rules) ??
    closing(entry, instrument, rules)
  )
}

function pricing({ type, price, pegOffsetValue }: PlaceEntry): EntryError | null {
  const isPeg = isPegged(type)
  if (isPeg || type === 'MARKET') {
    if (price !== null) return adapterError('INVALID_REQUEST', `a ${type} order has no price`)
  } else if (price === null) return adapterError('INVALID_REQUEST', `a ${type} order needs a price`)
  if (pegOffsetValue === undefined) return null
  if (!isPeg) return adapterError('INVALID_REQUEST', `pegOffsetValue is for pegged orders, found it on a ${type} order`)
  return Number.isSafeInteger(pegOffsetValue) ? null : offsetError(pegOffsetValue)
}

function trigger(
  { type, triggerPrice }: PlaceEntry, instrument: InstrumentEntry, { defaultTrigger }: OrderRules,
): EntryError | null {
  if (type !== 'STOP_LIMIT')
    return triggerPrice === undefined
      ? null
      : adapterError('INVALID_REQUEST', `triggerPrice is for STOP_LIMIT orders, found it on a ${type} order`)
  if (triggerPrice === undefined) return adapterError('INVALID_REQUEST', 'a STOP_LIMIT order needs a triggerPrice')
  if (defaultTrigger === undefined)
    return adapterError(
      'NOT_SUPPORTED', 'the venue profile does not say orders.defaultTrigger, by which a stop order triggers',
    )
  return priceRefusal(triggerPrice, instrument, 'triggerPrice')
}

function shown(
  { displayQuantity }: PlaceEntry, instrument: InstrumentEntry, { hiddenOrders }: OrderRules,
): EntryError | null {
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
): EntryError | null {
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
