import { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import type { Side } from '../model/side.js'

/** How an instrument's quantity turns into money (spec 4, section 5). */
export type ContractKind = 'linear' | 'inverse' | 'spot'

/** What the ledger needs to know of an instrument. */
export interface Contract {
  readonly instrumentId: number
  readonly kind: ContractKind
  /** Multiplier (linear), contract value (inverse), 1 (spot). */
  readonly size: Decimal
  /** Where profit is settled: counter (linear, spot) or base (inverse). */
  readonly settlementUnderlyingId: number
  /** Spot only: the asset that is bought and sold. */
  readonly baseUnderlyingId: number | null
}

const QUOTIENT_DECIMALS = 18

/** A quotient, rounded once, half-even, to 18 decimals: the only rounding of the ledger. */
export function quotient(dividend: Decimal, divisor: Decimal): Decimal {
  return dividend.div(divisor).toDecimalPlaces(QUOTIENT_DECIMALS, Decimal.ROUND_HALF_EVEN)
}

/** Sums and products must be exact: 40 digits hold what a run can post; what does not fit is an error, never a rounding. */
function exact(value: Decimal, what: string): Decimal {
  if (value.precision() < Decimal.precision) return value
  throw new BacktapeError('VALUE_INEXACT', `Cannot post ${what}: it needs more than ${Decimal.precision - 1} digits`, { field: what, found: value.toString().slice(0, 80) })
}

/** The contract of an instrument; a sentence where its master data does not say enough. */
export function contractFromInstrument(instrument: Instrument): Contract {
  const { id, code, isInverse, type } = instrument
  const kind: ContractKind = type === 'spot' ? 'spot' : isInverse ? 'inverse' : 'linear'
  const settlement = kind === 'inverse' ? instrument.baseUnderlyingId : instrument.counterUnderlyingId
  const size = kind === 'spot' ? '1' : kind === 'inverse' ? instrument.contractValue : (instrument.multiplier ?? '1')
  if (settlement === null || size === null) {
    const field = settlement === null ? (kind === 'inverse' ? 'base_underlying_id' : 'counter_underlying_id') : 'contract_value'
    throw new BacktapeError('MASTER_DATA_MALFORMED', `Cannot account for ${code}: its master data has no ${field}`, { field, expected: 'a value', found: 'null' })
  }
  return { instrumentId: id, kind, size: new Decimal(size), settlementUnderlyingId: settlement, baseUnderlyingId: kind === 'spot' ? instrument.baseUnderlyingId : null }
}

/** Value of a quantity at a price in the settlement underlying: quantity * size * price, or quantity * size / price for inverse. */
export function contractValue(contract: Contract, quantity: Decimal, price: Decimal): Decimal {
  const amount = exact(quantity.times(contract.size), 'a contract value')
  return contract.kind === 'inverse' ? quotient(amount, price) : exact(amount.times(price), 'a contract value')
}

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

/** A position that never traded. */
export function emptyPosition(): PositionSums {
  const zero = new Decimal(0)
  return { quantity: zero, openValue: zero, realizedPnl: zero, turnover: zero }
}

/**
 * Posts a fill to a position and returns the realised profit in the settlement underlying. Opening adds value; closing takes the
 * closed share of the open value out (a quotient unless all of it is closed); a flip closes all and opens the rest.
 */
export function postFill(contract: Contract, position: PositionSums, side: Side, quantity: Decimal, price: Decimal): Decimal {
  const value = contractValue(contract, quantity, price)
  position.turnover = exact(position.turnover.plus(value), 'turnover')
  const sign = side === 'BID' ? 1 : -1
  const held = position.quantity
  if (held.isZero() || held.isPositive() === sign > 0) {
    position.quantity = exact(held.plus(quantity.times(sign)), 'a position')
    position.openValue = exact(position.openValue.plus(value.times(sign)), 'an open value')
    return new Decimal(0)
  }
  const size = held.abs()
  const closed = Decimal.min(size, quantity)
  const closesAll = closed.eq(size)
  const entryValue = closesAll ? position.openValue.abs() : quotient(position.openValue.abs().times(closed), size)
  const exitValue = closed.eq(quantity) ? value : contractValue(contract, closed, price)
  const pnl = profit(contract, held.isPositive(), entryValue, exitValue)
  position.realizedPnl = exact(position.realizedPnl.plus(pnl), 'realised profit')
  const opened = quantity.minus(closed)
  position.quantity = exact(held.plus(quantity.times(sign)), 'a position')
  if (!closesAll) position.openValue = exact(position.openValue.minus(entryValue.times(held.isPositive() ? 1 : -1)), 'an open value')
  else position.openValue = opened.isZero() ? new Decimal(0) : value.minus(exitValue).times(sign)
  return pnl
}

/** Profit of a quantity between two values: a long gains when a linear value rises, and when an inverse value (in coin) falls. */
function profit(contract: Contract, isLong: boolean, entryValue: Decimal, exitValue: Decimal): Decimal {
  const rise = exact(exitValue.minus(entryValue), 'a profit')
  return isLong === (contract.kind !== 'inverse') ? rise : rise.negated()
}

/** Unrealised profit at a price, in the settlement underlying. */
export function unrealizedPnl(contract: Contract, position: PositionSums, price: Decimal): Decimal {
  if (position.quantity.isZero()) return new Decimal(0)
  const value = contractValue(contract, position.quantity.abs(), price)
  return profit(contract, position.quantity.isPositive(), position.openValue.abs(), value)
}

/** Average entry price of the open quantity, rounded to 18 decimals; null where nothing is open. */
export function averageEntryPrice(contract: Contract, position: PositionSums): Decimal | null {
  if (position.quantity.isZero()) return null
  const amount = position.quantity.abs().times(contract.size)
  return contract.kind === 'inverse' ? quotient(amount, position.openValue.abs()) : quotient(position.openValue.abs(), amount)
}
