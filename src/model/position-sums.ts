import { Amount, exactSum } from './amount.js'
import { QUOTIENT_DECIMALS } from './decimal.js'
import type { Side } from './side.js'
import { contractValue, isValueInverse, type Contract } from './contract.js'

const ZERO: Amount = Amount.ZERO

/** A position as sums: plain values, from which averages and profits are computed when read (exchange rules 8.4). */
export interface PositionSums {
  /** Signed: long above 0. */
  quantity: Amount
  /** Value of the open quantity at its entry prices: above 0 where quantity and price have the same sign. */
  openValue: Amount
  realizedPnl: Amount
  /** Sum of the absolute value of every fill. */
  turnover: Amount
  /**
   * Quotients that `openValue` was rounded by since nothing was open, half a unit of the 18th decimal each at most.
   * Counted for inverse contracts alone, whose values are quotients.
   */
  roundings: number
}

/** The part of the sums that is open. */
export type OpenSums = Pick<PositionSums, 'quantity' | 'openValue' | 'roundings'>

/** The roundings of sums as plain data; left out where there are none. */
export interface RoundingsState {
  readonly roundings?: number
}

export function roundingsState({ roundings }: Pick<PositionSums, 'roundings'>): RoundingsState {
  return roundings === 0 ? {} : { roundings }
}

/** A position that never traded. */
export function emptyPosition(): PositionSums {
  return { quantity: ZERO, openValue: ZERO, realizedPnl: ZERO, turnover: ZERO, roundings: 0 }
}

/**
 * Posts a fill to a position and returns the realised profit in the settlement underlying. Opening adds value; closing
 * takes the closed share of the open value out (a quotient unless all of it is closed); a flip closes all and opens the
 * rest. `value` is what the quantity is worth at the price: given where a fill is shared out, so that its parts are
 * worth what it is, inverse contracts included; `valueRoundings` is the number of quotients it was made of.
 */
export function postFill(
  contract: Contract, position: PositionSums, side: Side, quantity: Amount, price: Amount,
  value: Amount = contractValue(contract, quantity, price), valueRoundings = 1,
): Amount {
  const roundings = isValueInverse(contract) ? valueRoundings : 0
  position.turnover = exactSum(position.turnover, value.abs(), 'turnover')
  const sign = side === 'BID' ? 1 : -1
  const held = position.quantity
  if (held.isZero() || held.sign > 0 === sign > 0) {
    position.quantity = exactSum(held, quantity.signed(sign), 'a position')
    position.openValue = exactSum(position.openValue, value.signed(sign), 'an open value')
    position.roundings = (held.isZero() ? 0 : position.roundings) + roundings
    return ZERO
  }
  const size = held.abs()
  const closesAll = quantity.gte(size)
  const closed = closesAll ? size : quantity
  const openValue = position.openValue.signed(held.sign)
  const entryValue = closesAll ? openValue : openValue.times(closed).quotient(size)
  const exitValue = !closesAll || closed.eq(quantity) ? value : contractValue(contract, closed, price)
  const pnl = profit(contract, held.sign > 0, entryValue, exitValue)
  position.realizedPnl = exactSum(position.realizedPnl, pnl, 'realised profit')
  const opened = quantity.minus(closed)
  position.quantity = exactSum(held, quantity.signed(sign), 'a position')
  if (closesAll) {
    position.openValue = opened.isZero() ? ZERO : value.minus(exitValue).signed(sign)
    position.roundings = opened.isZero() || roundings === 0 ? 0 : roundings + 1
  } else {
    position.openValue = exactSum(position.openValue, entryValue.signed(-held.sign), 'an open value')
    if (roundings > 0) position.roundings++
  }
  return pnl
}

/**
 * Profit of a quantity between two values: a long gains when a linear value rises, and when an inverse value (in coin)
 * falls.
 */
function profit(contract: Contract, isLong: boolean, entryValue: Amount, exitValue: Amount): Amount {
  const rise = exactSum(exitValue, entryValue.negated(), 'a profit')
  return isLong === !isValueInverse(contract) ? rise : rise.negated()
}

/**
 * Average entry price of the open quantity; null where nothing is open. A quotient rounded to 18 decimals; of an
 * inverse contract the shortest price whose value lies within the error of the open value, half a unit of the 18th
 * decimal for each rounding in it: fills at one price give that price.
 */
export function averageEntryPrice(contract: Contract, { quantity, openValue, roundings }: OpenSums): Amount | null {
  if (quantity.isZero()) return null
  const amount = quantity.abs().times(contract.size)
  const value = openValue.signed(quantity.sign)
  if (!isValueInverse(contract)) return value.quotient(amount)
  return shortestPrice(amount, value, HALF_UNIT.times(Amount.scaled(roundings, 0)))
}

/** Half a unit of the last decimal of a quotient. */
const HALF_UNIT: Amount = Amount.scaled(5, QUOTIENT_DECIMALS + 1)

/**
 * The price with the fewest decimals whose value in coin, `amount / price`, is at most `error` away from `value`; with
 * 18 of them where none is. A price that fits at some decimals fits at all finer ones, so their number is searched by
 * halves.
 */
function shortestPrice(amount: Amount, value: Amount, error: Amount): Amount {
  const price = amount.ratio(value)
  let [least, most] = [0, QUOTIENT_DECIMALS]
  while (least < most) {
    const middle = (least + most) >> 1
    const rounded = price.rounded(middle)
    if (rounded.times(value).minus(amount).abs().lte(rounded.times(error))) most = middle
    else least = middle + 1
  }
  return price.rounded(least)
}

/** Unrealised profit at a price, in the settlement underlying. */
export function unrealizedPnl(contract: Contract, position: PositionSums, price: Amount): Amount {
  if (position.quantity.isZero()) return ZERO
  return profitAt(contract, position, contractValue(contract, position.quantity.abs(), price))
}

/** The same where the value of the open quantity is in hand. */
export function profitAt(
  contract: Contract, { quantity, openValue }: Pick<OpenSums, 'quantity' | 'openValue'>, value: Amount,
): Amount {
  return profit(contract, quantity.sign > 0, openValue.signed(quantity.sign), value)
}

/**
 * Closes a position at the price at which its contract settled, and returns the realised profit. A settlement is no
 * trade: it adds nothing to the turnover.
 */
export function settlePosition(contract: Contract, position: PositionSums, price: Amount): Amount {
  if (position.quantity.isZero()) return ZERO
  const pnl = unrealizedPnl(contract, position, price)
  position.realizedPnl = exactSum(position.realizedPnl, pnl, 'realised profit')
  position.quantity = ZERO
  position.openValue = ZERO
  position.roundings = 0
  return pnl
}
