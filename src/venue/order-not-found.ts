import type { Id } from '../model/id.js'

/** The message of ORDER_NOT_FOUND where the answer itself does not name the order that was asked for. */
export function orderNotFoundText(ownOrderId: Id): string {
  return `no open order has the id ${String(ownOrderId)}: it was filled, cancelled or never accepted`
}
