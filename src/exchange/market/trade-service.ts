import type { OrderAtExchange } from '../../orders/order-at-exchange.js'

/** Executes a quantity of an order. */
export type Execute = (order: OrderAtExchange, quantity: number) => void

/** The greatest whole number of lots in a quantity (exchange rules 3.4). */
export function wholeLots(quantity: number, lotSize: number): number {
  return lotSize <= 1 ? Math.floor(quantity) : quantity - (quantity % lotSize)
}

/** Orders that a trade row passed: each up to what the row still has. Returns what it has left. */
export function servePassed(
  orders: readonly OrderAtExchange[], units: number, lotSize: number, execute: Execute,
): number {
  let left = units
  for (const order of orders) {
    const quantity = wholeLots(Math.min(left, order.remainingQuantity), lotSize)
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
function serveInTurn(
  orders: readonly OrderAtExchange[], units: number, lotSize: number,
  partOf: (order: OrderAtExchange) => number, execute: Execute,
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
export function passAhead(orders: readonly OrderAtExchange[], others: number): void {
  for (const order of orders) order.quantityAhead -= Math.min(order.quantityAhead, others)
}

/** The open part of an order that shows all of itself. */
function wholeRest(order: OrderAtExchange): number {
  return order.remainingQuantity
}

/** A trade row at the orders' own price (exchange rules 3.2). */
export function serveQueue(
  orders: readonly OrderAtExchange[], units: number, lotSize: number, execute: Execute,
): void {
  passAhead(orders, serveInTurn(orders, units, lotSize, wholeRest, execute))
}

/**
 * The same for `whole` fills, hftbacktest's way (docs/model/differences-from-hftbacktest.md): every order sees the
 * whole row; it fills, in one piece, when at least half a lot traded beyond what was ahead.
 */
export function serveQueueWhole(
  orders: readonly OrderAtExchange[], units: number, lotSize: number, execute: Execute,
): void {
  for (const order of orders) {
    order.quantityAhead -= units
    if (-order.quantityAhead / lotSize < 0.5 || order.state !== 'CONFIRMED') continue
    order.quantityAhead = 0
    execute(order, order.remainingQuantity)
  }
}

/*
 * Orders that show less than they are (exchange rules 7.3). The shown part of an iceberg queues like any order and is
 * refilled when it is used up; a hidden order has no place in the queue. Orders of a level in which none is of this
 * kind never come here.
 */

/** True where an order shows nothing. */
function isHidden(order: OrderAtExchange): boolean {
  return order.displayQuantity === 0
}

/** The open part of an order that stands in the shown queue. */
function shownPart(order: OrderAtExchange): number {
  return order.shownQuantity === undefined
    ? order.remainingQuantity
    : Math.min(order.shownQuantity, order.remainingQuantity)
}

/**
 * Takes an execution, which `executedQuantity` includes, off the shown part. Returns whether a new part is shown in its
 * place, which has to queue behind what is displayed then.
 */
export function takeShown(order: OrderAtExchange, quantity: number): boolean {
  const { displayQuantity = 0, shownQuantity = 0 } = order
  const left = order.remainingQuantity
  if (quantity < shownQuantity || displayQuantity === 0 || left === 0) {
    order.shownQuantity = Math.max(0, Math.min(shownQuantity - quantity, left))
    return false
  }
  order.shownQuantity = Math.min(displayQuantity - ((quantity - shownQuantity) % displayQuantity), left)
  return true
}

/** Orders in the sequence in which a trade through their price fills them: shown before hidden. */
export function shownFirst(orders: readonly OrderAtExchange[]): readonly OrderAtExchange[] {
  return [...orders.filter((order) => !isHidden(order)), ...orders.filter(isHidden)]
}

/**
 * A trade row at the orders' own price: shown parts as in {@link serveQueue}, each refilled part behind all others;
 * hidden orders have what the row exceeds the level's displayed quantity (NaN: unknown) and the own shown parts by.
 */
export function serveParts(
  orders: readonly OrderAtExchange[], units: number, lotSize: number, displayed: number, execute: Execute,
): void {
  const shown = orders.filter((order) => !isHidden(order))
  let beyond = units - displayed
  for (const order of shown) beyond -= shownPart(order)
  passAhead(orders, serveInTurn(shown, units, lotSize, shownPart, execute))
  for (const order of orders) {
    if (!(beyond > 0)) return
    const quantity = isHidden(order) ? wholeLots(Math.min(beyond, order.remainingQuantity), lotSize) : 0
    if (quantity <= 0) continue
    beyond -= quantity
    execute(order, quantity)
  }
}
