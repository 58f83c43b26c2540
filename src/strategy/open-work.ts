import { Decimal } from '../model/decimal.js'
import { isLimited, type OpenClose } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { TradingInstrument } from './trading-instrument.js'

/** The remaining terms of an open order. */
interface WorkingOrder {
  readonly side: Side
  readonly quantity: Decimal
  readonly price: Decimal | null
  readonly openClose: OpenClose
  /** True where it may only make the position smaller. */
  readonly isLimited: boolean
  /** True where the exchange has it, so that the wallet's stated amounts know of it. */
  readonly isStated: boolean
}

/** The value of orders: of all that are open, and of those that the wallet's stated amounts know of. */
export interface WorkValue {
  readonly all: Decimal
  readonly stated: Decimal
}

/**
 * The effect of a strategy's open orders of an instrument on its position; orders limited to the position are in none
 * of the sums.
 */
export interface OpenWork {
  readonly orders: readonly WorkingOrder[]
  readonly bids: WorkValue
  readonly asks: WorkValue
  /** Of orders that OPEN a position beside the net one. */
  readonly openedLong: WorkValue
  readonly openedShort: WorkValue
}

const ZERO: Decimal = new Decimal(0)

/** Isolated positions that orders without OPEN close first. */
export interface ClosableLegs {
  readonly long: Decimal
  readonly short: Decimal
}

/** Sums up the open orders of a strategy by a value for each; what closes one of `legs` is in none of the sums. */
export function openWork(
  instrument: TradingInstrument, valueOf: (quantity: Decimal, price: Decimal | null, side: Side) => Decimal,
  legs: ClosableLegs = { long: ZERO, short: ZERO },
): OpenWork {
  const orders = instrument.openOrders.map(
    ({
      side, totalQuantity, executedQuantity, price, state, conditions,
    }): WorkingOrder => ({
      side, quantity: totalQuantity.toDecimal().minus(executedQuantity.toDecimal()), price: price?.toDecimal() ?? null,
      openClose: conditions.openClose, isLimited: isLimited(conditions), isStated: state !== 'PENDING_NEW',
    }),
  )
  const sumOf = (side: Side, isOpening: boolean, isMeant: (order: WorkingOrder) => boolean): Decimal => {
    let [sum, toClose] = [ZERO, isOpening ? ZERO : side === 'BID' ? legs.short : legs.long]
    for (const order of orders) {
      if (order.side !== side || order.isLimited || (order.openClose === 'OPEN') !== isOpening || !isMeant(order))
        continue
      const closed = Decimal.min(toClose, order.quantity)
      toClose = toClose.minus(closed)
      sum = sum.plus(valueOf(order.quantity.minus(closed), order.price, side))
    }
    return sum
  }
  const sum = (side: Side, isOpening: boolean): WorkValue => ({
    all: sumOf(side, isOpening, () => true), stated: sumOf(side, isOpening, ({ isStated }) => isStated),
  })
  return {
    orders, bids: sum('BID', false), asks: sum('ASK', false), openedLong: sum('BID', true),
    openedShort: sum('ASK', true),
  }
}
