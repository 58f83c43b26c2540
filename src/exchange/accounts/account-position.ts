import { Amount } from '../../model/amount.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import { contractValue, type Contract } from '../../model/contract.js'
import { emptyPosition, profitAt, unrealizedPnl, type PositionSums } from '../../model/position-sums.js'
import { keptValue } from '../../model/kept-value.js'

/**
 * Where a fill counts: the net position of an instrument, or its isolated long or short one, which stand side by side.
 */
export type Leg = 'net' | 'long' | 'short'

/** The legs of a position, in the order in which messages and judgements go. */
const LEGS: readonly Leg[] = ['net', 'long', 'short']

/** One leg: its quantity and the value at which it was opened; and its isolated margin. */
export interface PositionLeg {
  readonly sums: PositionSums
  /** In the settlement underlying; part of the cash balance. */
  margin: Amount
  /** The value that was worked out last; null before the first. */
  lastValue: LegValue | null
}

/** Value and profit of a leg at a price, and the amounts that they were made of: those are never written over. */
interface LegValue {
  readonly quantity: Amount
  readonly openValue: Amount
  readonly price: Amount
  /** In the settlement underlying; it has the sign of the price. */
  readonly value: Amount
  /** Unrealised. */
  readonly profit: Amount
}

/**
 * One instrument of an account: its contract, its legs and its sums. `sums` is the net leg's quantity and open value;
 * profit and turnover in it are the instrument's over all legs.
 */
export interface AccountPosition {
  readonly entry: InstrumentEntry
  readonly contract: Contract
  readonly sums: PositionSums
  /** By leg; the net one is always there, the isolated ones once they were traded. */
  readonly legs: Map<Leg, PositionLeg>
  /** Fees by underlying id. */
  readonly fees: Map<number, Amount>
}

/** A position that never traded. */
export function emptyAccountPosition(entry: InstrumentEntry, contract: Contract): AccountPosition {
  const sums = emptyPosition()
  return { entry, contract, sums, legs: new Map([['net', emptyLeg(sums)]]), fees: new Map() }
}

function emptyLeg(sums: PositionSums): PositionLeg {
  return { sums, margin: Amount.ZERO, lastValue: null }
}

/** A leg, made empty where there is none. */
export function legOf(position: AccountPosition, leg: Leg): PositionLeg {
  return keptValue(position.legs, leg, () => emptyLeg(emptyPosition()))
}

/**
 * Value and profit of what is open of a leg at a price. The last one is kept: position, wallets and equity ask for the
 * same after a fill.
 */
export function legValue(contract: Contract, held: PositionLeg, price: Amount): LegValue {
  const { sums: { quantity, openValue }, lastValue: last } = held
  if (last !== null && last.quantity === quantity && last.openValue === openValue && isSame(last.price, price))
    return last
  const value = contractValue(contract, quantity.abs(), price)
  return (held.lastValue = { quantity, openValue, price, value, profit: profitAt(contract, held.sums, value) })
}

function isSame(a: Amount, b: Amount): boolean {
  return a === b || (a.scale === b.scale && a.units === b.units)
}

/** Legs that hold something, in the order of {@link LEGS}. */
export function openLegs({ legs }: AccountPosition): (readonly [leg: Leg, held: PositionLeg])[] {
  const open: (readonly [leg: Leg, held: PositionLeg])[] = []
  for (const leg of LEGS) {
    const held = legs.get(leg)
    if (held !== undefined && !held.sums.quantity.isZero()) open.push([leg, held])
  }
  return open
}

/** Signed quantity over all legs: long above 0. */
export function openQuantity(position: AccountPosition): Amount {
  return openLegs(position).reduce((sum, [, { sums }]) => sum.plus(sums.quantity), Amount.ZERO)
}

/**
 * True where anything was ever bought or sold, or a fee was taken: a position that was only looked at has nothing in
 * it.
 */
export function hasTraded(position: AccountPosition): boolean {
  const { turnover, realizedPnl } = position.sums
  return !turnover.isZero() || !realizedPnl.isZero() || position.fees.size > 0 || openLegs(position).length > 0
}

const NOTHING: Amount = Amount.ZERO

/** Unrealised profit over all legs at a price, in the settlement underlying; 0 where nothing is open. */
export function openProfit(position: Pick<AccountPosition, 'contract' | 'legs'>, price: Amount): Amount {
  let sum = NOTHING
  for (const { sums } of position.legs.values()) sum = sum.plus(unrealizedPnl(position.contract, sums, price))
  return sum
}
