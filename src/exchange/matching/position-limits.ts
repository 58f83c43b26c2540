import { Amount } from '../../model/amount.js'
import { isLimited, type EntryError } from '../../model/order.js'
import type { Account } from '../accounts/account.js'
import { holdQuantity, lotUnits, marketQuantity, type TradedInstrument } from './order-engine.js'
import { exchangeError } from '../market/resting-order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import { wholeLots } from '../market/trade-service.js'

/**
 * The part of the account's position that an order of this side would close, in whole lots at the market's scale: of
 * the isolated position on the other side, and but for CLOSE of the net one as well.
 */
export function closableQuantity(
  account: Account, traded: TradedInstrument, order: OrderAtExchange,
): number {
  const { entry, market, orders } = traded
  const legs = account.positions.get(entry.instrument.id)?.legs
  if (legs === undefined) return 0
  const isolated = legs.get(order.side === 'BID' ? 'short' : 'long')?.sums.quantity.abs()
  const net = order.openClose === 'CLOSE' ? undefined : legs.get('net')?.sums.quantity
  const closable =
    net === undefined || net.isZero() || net.sign > 0 === (order.side === 'BID')
      ? isolated
      : net.abs().plus(isolated ?? Amount.ZERO)
  if (closable === undefined) return 0
  if (market.quantityScale >= entry.quantityScale)
    return wholeLots(closable.integerAt(market.quantityScale), orders.lotSize)
  const units = wholeLots(closable.integerAt(entry.quantityScale), lotUnits(entry))
  // Behind a fill there is room already: a position has the decimals of fills, and a split makes room for all.
  holdQuantity(traded, units)
  return wholeLots(marketQuantity(traded, units), orders.lotSize)
}

/**
 * Cuts a new order to the position that it may close, or the whole of it for `closeOnly`; an error where there is none.
 */
export function limitNew(account: Account, traded: TradedInstrument, order: OrderAtExchange): EntryError | null {
  if (!isLimited(order)) return null
  const closable = closableQuantity(account, traded, order)
  if (closable <= 0) {
    const attribute =
      order.closeOnly === true ? 'closeOnly' : order.reduceOnly === true ? 'reduceOnly' : 'openClose CLOSE'
    return exchangeError(
      'NO_POSITION_TO_REDUCE',
      `the order is ${attribute}, but the account has no position that ${order.side} would make smaller`,
    )
  }
  order.totalQuantity =
    order.executedQuantity + (order.closeOnly === true ? closable : Math.min(order.remainingQuantity, closable))
  return null
}

/** The open orders of a world that are limited to a position. Nothing is done for an execution while there are none. */
export class PositionLimits {
  readonly #orders: Set<OrderAtExchange> = new Set()

  get isEmpty(): boolean {
    return this.#orders.size === 0
  }

  add(order: OrderAtExchange): void {
    if (isLimited(order)) this.#orders.add(order)
  }

  forget(order: OrderAtExchange): void {
    if (this.#orders.size > 0) this.#orders.delete(order)
  }

  clear(): void {
    this.#orders.clear()
  }

  /** Open `closeOnly` orders of an instrument, in the order of acceptance. */
  closing(instrumentId: number): readonly OrderAtExchange[] {
    return this.#orders.size === 0
      ? []
      : [...this.#orders].filter((order) => order.closeOnly === true && order.instrumentId === instrumentId)
  }

  /**
   * After an execution: makes the orders of that account and instrument as small as its position. Each that changed is
   * handed on: still open, or with nothing left that it may close. Returns whether the position is larger than a
   * `closeOnly` order of it: that one grows at the end of the instant, as levels may be served right now.
   */
  shrink(
    account: Account, traded: TradedInstrument, changed: (order: OrderAtExchange, isOver: boolean) => void,
  ): boolean {
    if (this.#orders.size === 0) return false
    let isLarger = false
    for (const order of [...this.#orders]) {
      if (
        order.accountId !== account.config.accountId ||
        order.instrumentId !== traded.entry.instrument.id ||
        order.state !== 'CONFIRMED'
      )
        continue
      const closable = closableQuantity(account, traded, order)
      if (order.closeOnly === true && order.remainingQuantity < closable) isLarger = true
      if (order.remainingQuantity <= closable) continue
      if (closable > 0) order.totalQuantity = order.executedQuantity + closable
      if (order.shownQuantity !== undefined) order.shownQuantity = Math.min(order.shownQuantity, closable)
      changed(order, closable <= 0)
    }
    return isLarger
  }
}
