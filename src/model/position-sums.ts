import { Decimal } from './decimal.js'
import type { Side } from './side.js'
import { contractValue, isValueInverse, quotient, type Contract } from './contract.js'
import { exactSum } from './exact-money.js'

const ZERO: Decimal = new Decimal(0)

/** A position as sums: plain values, from which averages and profits are computed when read (exchange rules 8.4). */
export interface PositionSums {
  /** Signed: long above 0. */
  quantity: Decimal
  /** Value of the open quantity at its entry prices, same sign as the quantity. */
  openValue: Decimal
  realizedPnl: Decimal
  /** Sum of the absolute value of every fill. */
  turnover: Decimal
}

/** The part of the sums that is open. */
export type OpenSums = Pick<PositionSums, 'quantity' | 'openValue'>

/** A position that never traded. */
export function emptyPosition(): PositionSums {
  return { quantity: ZERO, openValue: ZERO, realizedPnl: ZERO, turnover: ZERO }
}

/**
 * Posts a fill to a position and returns the realised profit in the settlement underlying. Opening adds value; closing
 * takes the closed share of the open value out (a quotient unless all of it is closed); a flip closes all and opens the
 * rest. `value` is what the quantity is worth at the price: given where a fill is shared out, so that its parts are
 * worth what it is, inverse contracts included.
 */
export function postFill(
  contract: Contract, position: PositionSums, side: Side, quantity: Decimal, price: Decimal,
  value: Decimal = contractValue(contract, quantity, price),
): Decimal {
  position.turnover = exactSum(position.turnover, value, 'turnover')
  const sign = side === 'BID' ? 1 : -1
  const held = position.quantity
  if (held.isZero() || held.isPositive() === sign > 0) {
    position.quantity = exactSum(held, quantity.times(sign), 'a position')
    position.openValue = exactSum(position.openValue, value.times(sign), 'an open value')
    return ZERO
  }
  const size = held.abs()
  const closesAll = quantity.gte(size)
  const closed = closesAll ? size : quantity
  const entryValue = closesAll ? position.openValue.abs() : quotient(position.openValue.abs().times(closed), size)
  const exitValue = !closesAll || closed.eq(quantity) ? value : contractValue(contract, closed, price)
  const pnl = profit(contract, held.isPositive(), entryValue, exitValue)
  position.realizedPnl = exactSum(position.realizedPnl, pnl, 'realised profit')
  const opened = quantity.minus(closed)
  position.quantity = exactSum(held, quantity.times(sign), 'a position')
  if (!closesAll)
    position.openValue = exactSum(position.openValue, entryValue.times(held.isPositive() ? -1 : 1), 'an open value')
  else position.openValue = opened.isZero() ? ZERO : value.minus(exitValue).times(sign)
  return pnl
}

/**
 * Profit of a quantity between two values: a long gains when a linear value rises, and when an inverse value (in coin)
 * falls.
 */
function profit(contract: Contract, isLong: boolean, entryValue: Decimal, exitValue: Decimal): Decimal {
  const rise = exactSum(exitValue, entryValue.negated(), 'a profit')
  return isLong === !isValueInverse(contract) ? rise : rise.negated()
}

/** Average entry price of the open quantity, rounded to 18 decimals; null where nothing is open. */
export function averageEntryPrice(contract: Contract, { quantity, openValue }: OpenSums): Decimal | null {
  if (quantity.isZero()) return null
  const amount = quantity.abs().times(contract.size)
  return isValueInverse(contract) ? quotient(amount, openValue.abs()) : quotient(openValue.abs(), amount)
}

/** Unrealised profit at a price, in the settlement underlying. */
export function unrealizedPnl(contract: Contract, position: PositionSums, price: Decimal): Decimal {
  if (position.quantity.isZero()) return ZERO
  return profitAt(contract, position, contractValue(contract, position.quantity.abs(), price))
}

/** The same where the value of the open quantity is in hand. */
export function profitAt(contract: Contract, { quantity, openValue }: OpenSums, value: Decimal): Decimal {
  return profit(contract, quantity.isPositive(), openValue.abs(), value)
}

/**
 * Closes a position at the price at which its contract settled, and returns the realised profit. A settlement is no
 * trade: it adds nothing to the turnover.
 */
export function settlePosition(contract: Contract, position: PositionSums, price: Decimal): Decimal {
  if (position.quantity.isZero()) return ZERO
  const pnl = unrealizedPnl(contract, position, price)
  position.realizedPnl = exactSum(position.realizedPnl, pnl, 'realised profit')
  position.quantity = ZERO
  position.openValue = ZERO
  return pnl
}
