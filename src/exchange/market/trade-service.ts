import { remainingQuantity, type ExchangeOrderRecord } from './resting-order.js'

/** Executes a quantity of an order. */
export type Execute = (order: ExchangeOrderRecord, quantity: number) => void

/** The greatest whole number of lots in a quantity (exchange rules 3.4). */
export function wholeLots(quantity: number, lotSize: number): number {
  return lotSize <= 1 ? Math.floor(quantity) : quantity - (quantity % lotSize)
}

/** Orders that a trade row passed: each up to what the row still has. Returns what it has left. */
export function servePassed(
  orders: readonly ExchangeOrderRecord[], units: number, lotSize: number, execute: Execute,
): number {
  let left = units
  for (const order of orders) {
    const quantity = wholeLots(Math.min(left, remainingQuantity(order)), lotSize)
    if (quantity <= 0) continue
    left -= quantity
    execute(order, quantity)
  }
  return left
}

/**
 * Serves orders of one price in turn with a trade row: its units go to what is ahead of the first order, to that order,
 * to what lies between it and the next, to the next, and so on. `partOf` says how much of an order stands in the queue.
 * Nothing is known behind an order whose quantity ahead is unknown. Returns what the row took of others, for {@link
 * passAhead}.
 */
export function serveInTurn(
  orders: readonly ExchangeOrderRecord[], units: number, lotSize: number,
  partOf: (order: ExchangeOrderRecord) => number, execute: Execute,
): number {
  let others = 0
  let own = 0
  for (const order of orders) {
    if (Number.isNaN(order.quantityAhead)) break
    // The rest is computed anew from the quantity ahead for each order. Carried on from order to order it could lose a
    // lot, as quantities ahead of the power forms are rounded.
    others = Math.max(others, Math.min(order.quantityAhead, units - own))
    const left = units - own - others
    if (left <= 0) break
    const quantity = wholeLots(Math.min(left, partOf(order)), lotSize)
    if (quantity <= 0) continue
    own += quantity
    execute(order, quantity)
  }
  return others
}

/** Takes what a trade row had of others off every quantity ahead; what own orders took lowers none. */
export function passAhead(orders: readonly ExchangeOrderRecord[], others: number): void {
  for (const order of orders) order.quantityAhead -= Math.min(order.quantityAhead, others)
}

/** A trade row at the orders' own price (exchange rules 3.2). */
export function serveQueue(
  orders: readonly ExchangeOrderRecord[], units: number, lotSize: number, execute: Execute,
): void {
  passAhead(orders, serveInTurn(orders, units, lotSize, remainingQuantity, execute))
}

/**
 * The same for `whole` fills, hftbacktest's way (docs/model/differences-from-hftbacktest.md): every order sees the
 * whole row; it fills, in one piece, when at least half a lot traded beyond what was ahead.
 */
export function serveQueueWhole(
  orders: readonly ExchangeOrderRecord[], units: number, lotSize: number, execute: Execute,
): void {
  for (const order of orders) {
    order.quantityAhead -= units
    if (-order.quantityAhead / lotSize < 0.5 || order.state !== 'CONFIRMED') continue
    order.quantityAhead = 0
    execute(order, remainingQuantity(order))
  }
}
