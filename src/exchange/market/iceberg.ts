import { remainingQuantity, type ExchangeOrderRecord } from './resting-order.js'
import { passAhead, serveInTurn, wholeLots, type Execute } from './trade-service.js'

/*
 * Orders that show less than they are (exchange rules 7.3). The shown part of an iceberg queues like any order and is
 * refilled when it is used up; a hidden order has no place in the queue. Orders of a level in which none is of this
 * kind never come here.
 */

/** True where an order shows nothing. */
function isHidden(order: ExchangeOrderRecord): boolean {
  return order.displayQuantity === 0
}

/** The open part of an order that stands in the shown queue. */
function shownPart(order: ExchangeOrderRecord): number {
  return order.shownQuantity === undefined
    ? remainingQuantity(order)
    : Math.min(order.shownQuantity, remainingQuantity(order))
}

/**
 * Takes an execution, which `executedQuantity` includes, off the shown part. Returns whether a new part is shown in its
 * place, which has to queue behind what is displayed then.
 */
export function takeShown(order: ExchangeOrderRecord, quantity: number): boolean {
  const { displayQuantity = 0, shownQuantity = 0 } = order
  const left = remainingQuantity(order)
  if (quantity < shownQuantity || displayQuantity === 0 || left === 0) {
    order.shownQuantity = Math.max(0, Math.min(shownQuantity - quantity, left))
    return false
  }
  order.shownQuantity = Math.min(displayQuantity - ((quantity - shownQuantity) % displayQuantity), left)
  return true
}

/** Orders in the sequence in which a trade through their price meets them: shown before hidden. */
export function shownFirst(orders: readonly ExchangeOrderRecord[]): readonly ExchangeOrderRecord[] {
  return [...orders.filter((order) => !isHidden(order)), ...orders.filter(isHidden)]
}

/**
 * A trade row at the orders' own price: shown parts as in {@link serveQueue}, each refilled part behind all others;
 * hidden orders have what the row exceeds the level's displayed quantity (NaN: unknown) and the own shown parts by.
 */
export function serveParts(
  orders: readonly ExchangeOrderRecord[], units: number, lotSize: number, displayed: number, execute: Execute,
): void {
  const shown = orders.filter((order) => !isHidden(order))
  let beyond = units - displayed
  for (const order of shown) beyond -= shownPart(order)
  passAhead(orders, serveInTurn(shown, units, lotSize, shownPart, execute))
  for (const order of orders) {
    if (!(beyond > 0)) return
    const quantity = isHidden(order) ? wholeLots(Math.min(beyond, remainingQuantity(order)), lotSize) : 0
    if (quantity <= 0) continue
    beyond -= quantity
    execute(order, quantity)
  }
}
