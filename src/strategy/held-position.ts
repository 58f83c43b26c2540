import { Amount } from '../model/amount.js'
import type { StatedAmount } from '../model/amount.js'
import { contractValue, isPaidInFull, isValuedAt, isValueInverse, type Contract } from '../model/contract.js'
import type { FixedDecimal, Quantity } from '../model/fixed-decimal.js'
import { averageEntryPrice, profitAt, type OpenSums, type PositionSums } from '../model/position-sums.js'
import type { DataInstrument } from './data-instrument.js'
import type { IsolatedSides } from './order-messages.js'

/** The part of a position message beyond its quantity that a strategy may ask for. */
export interface StatedTerms {
  /** The isolated part of the position; left out where there never was one. */
  readonly isolated?: IsolatedSides
  /** Average entry price of what is not isolated; left out where the venue does not state it. */
  readonly averageEntryPrice?: StatedAmount
}

/** These terms alone, without the rest of the message that had them. */
export function statedTerms({ isolated, averageEntryPrice }: StatedTerms): StatedTerms {
  return {
    ...(isolated === undefined ? {} : { isolated }), ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }),
  }
}

/** Everything that a strategy's runtime knows of a position. */
export interface Holding {
  readonly instrument: DataInstrument
  /** As the last position message stated it. */
  readonly position: Quantity
  readonly stated: StatedTerms
  /** Null where the master data do not state its terms. */
  readonly contract: Contract | null
  /** The sums of own fills; null where they do not add up. */
  readonly own: Readonly<PositionSums> | null
}

/** Long and short, net and isolated, as the account last stated it; `net` is above 0 where it is long. */
export interface HeldSides {
  readonly net: Amount
  readonly long: Amount
  readonly short: Amount
}

const ZERO: Amount = Amount.ZERO

export function amountOf({ integer, scale, digits }: FixedDecimal): Amount {
  return digits === undefined ? Amount.scaled(integer, scale) : Amount.from(digits)
}

/** The net position, and the isolated ones beside it. */
export function heldSides({ instrument, position, stated: { isolated } }: Holding): HeldSides {
  const sizeOf = (size: number): Amount => Amount.scaled(size, instrument.entry.quantityScale)
  const [long, short] =
    isolated === undefined ? [ZERO, ZERO] : [sizeOf(isolated.long.size), sizeOf(isolated.short.size)]
  return { net: amountOf(position).minus(long).plus(short), long, short }
}

/** True where anything is open, also where long and short add up to nothing. */
export function isHeld(holding: Holding): boolean {
  const { isolated } = holding.stated
  return holding.position.sign !== 0 || (isolated !== undefined && (isolated.long.size > 0 || isolated.short.size > 0))
}

/** The open legs of a position; null where it is not known what they were opened at. */
function openLegs(holding: Holding): readonly OpenSums[] | null {
  const { instrument, contract, own, stated } = holding
  if (contract === null) return null
  if (instrument.master.type === 'spot') return own === null ? null : own.quantity.isZero() ? [] : [own]
  const { net, long, short } = heldSides(holding)
  const legs: OpenSums[] = []
  for (const [quantity, average] of [
    [net, stated.averageEntryPrice],
    [long, stated.isolated?.long.averageEntryPrice],
    [short.negated(), stated.isolated?.short.averageEntryPrice],
  ] as const) {
    if (quantity.isZero()) continue
    const leg = legOf(contract, quantity, { own, average: average === undefined ? null : Amount.from(String(average)) })
    if (leg === null) return null
    legs.push(leg)
  }
  return legs
}

/**
 * Own fills are exact, a stated average is rounded: they come first where they add up to the quantity and to the
 * average, if one is stated.
 */
function legOf(
  contract: Contract, quantity: Amount, { own, average }: Pick<Holding, 'own'> & { readonly average: Amount | null },
): OpenSums | null {
  if (
    own?.quantity.eq(quantity) === true &&
    (average === null || averageEntryPrice(contract, own)?.eq(average) === true)
  )
    return own
  if (average === null || (isValueInverse(contract) && average.sign <= 0)) return null
  return { quantity, openValue: signed(contractValue(contract, quantity.abs(), average), quantity), roundings: 1 }
}

/** Average entry price of the one open leg; null where there is none or more, or it is not known. */
export function heldAverage(holding: Holding): Amount | null {
  const [leg, other] = openLegs(holding) ?? []
  return holding.contract === null || leg === undefined || other !== undefined
    ? null
    : averageEntryPrice(holding.contract, leg)
}

/**
 * The price by which a position is valued: the last mark, else the middle of the best prices; null where there is none,
 * or where it is no price of an inverse contract.
 */
export function valuationPrice(instrument: DataInstrument): Amount | null {
  const price = markOrMid(instrument)
  return price !== null && isValuedAt(instrument.master, price) ? price : null
}

function markOrMid({ markPrice, bestBid, bestAsk }: DataInstrument): Amount | null {
  if (markPrice !== null) return amountOf(markPrice)
  return bestBid === null || bestAsk === null
    ? null
    : amountOf(bestBid.price).plus(amountOf(bestAsk.price)).times(Amount.HALF)
}

/** Unrealised profit; 0 where nothing is open, null where it is not known. */
export function heldProfit(holding: Holding): Amount | null {
  const legs = openLegs(holding)
  const { instrument, contract } = holding
  if (legs === null || contract === null) return null
  return sumAt(instrument, legs, (leg, price) =>
    profitAt(contract, leg, contractValue(contract, leg.quantity.abs(), price)),
  )
}

/**
 * The part of an account's equity that a derivative's position is: profit, or the value of what was paid in full; null
 * where it is not known.
 */
export function heldEquity(holding: Holding, isPaid: boolean): Amount | null {
  const { instrument, position, contract } = holding
  if (contract === null) return null
  if (!isPaid && !isPaidInFull(contract)) return heldProfit(holding)
  return sumAt(instrument, position.sign === 0 ? [] : [amountOf(position)], (quantity, price) =>
    signed(contractValue(contract, quantity.abs(), price), quantity),
  )
}

function signed(value: Amount, quantity: Amount): Amount {
  return quantity.sign > 0 ? value : value.negated()
}

function sumAt<T>(
  instrument: DataInstrument, parts: readonly T[], valueOf: (part: T, price: Amount) => Amount,
): Amount | null {
  const price = parts.length === 0 ? ZERO : valuationPrice(instrument)
  return price === null ? null : parts.reduce((sum, part) => sum.plus(valueOf(part, price)), ZERO)
}
