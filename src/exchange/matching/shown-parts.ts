import type { Side } from '../../model/side.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import { serveParts, shownFirst, takeShown, serveQueue, type Execute } from '../market/trade-service.js'
import { remainingQuantity, type ExchangeOrderRecord } from '../market/resting-order.js'

/**
 * Resting orders of a world on one instrument that show only a part of themselves: while there are none, every level is
 * a plain queue. Quantities are integers at the market's scale.
 */
export class ShownParts {
  #count = 0
  /** Orders whose next part is to be shown, behind what is displayed. */
  readonly #refills: ExchangeOrderRecord[] = []

  constructor(private readonly market: ExchangeMarket) {}

  /** True while an order has used up its part and waits for {@link refill}. */
  get wantRefill(): boolean {
    return this.#refills.length > 0
  }

  /** An order begins to rest: its first part is shown. */
  rests(order: ExchangeOrderRecord): void {
    if (order.displayQuantity === undefined) return
    order.shownQuantity = Math.min(order.displayQuantity, remainingQuantity(order))
    this.#count++
  }

  /** An order of a restored level, its part as it was. */
  restored(order: ExchangeOrderRecord): void {
    if (order.displayQuantity !== undefined) this.#count++
  }

  /** An order has been taken out of its queue and may rest elsewhere. */
  removed(order: ExchangeOrderRecord): void {
    if (order.displayQuantity === undefined) return
    order.shownQuantity = undefined
    this.#count--
  }

  /** An order is final, and gone from its level. */
  ended(order: ExchangeOrderRecord): void {
    if (order.displayQuantity !== undefined) this.#count--
  }

  /** An execution that `executedQuantity` includes. */
  executed(order: ExchangeOrderRecord, quantity: number): void {
    if (order.shownQuantity !== undefined && takeShown(order, quantity)) this.#refills.push(order)
  }

  /** The orders of a level that a trade or an opposite level passed, in the sequence in which it meets them. */
  passed(orders: readonly ExchangeOrderRecord[]): readonly ExchangeOrderRecord[] {
    return this.#count === 0 ? orders : shownFirst(orders)
  }

  /** A trade row at a level's own price. */
  serve(
    side: Side, price: number, orders: readonly ExchangeOrderRecord[], units: number, lotSize: number, execute: Execute,
  ): void {
    if (this.#count === 0) serveQueue(orders, units, lotSize, execute)
    else serveParts(orders, units, lotSize, this.market.shown.displayed(side, price), execute)
  }

  /** Shows the next parts at a level, behind `quantityAhead`: what is displayed there now. */
  refill(price: number, orders: ExchangeOrderRecord[], quantityAhead: number): void {
    for (const order of this.#refills.splice(0)) {
      const at = orders.indexOf(order)
      if (at < 0) continue
      orders.splice(at, 1)
      order.quantityAhead = quantityAhead
      order.tradedSince = 0
      if (this.market.bookUnknown?.reason === 'silence') order.joinedInSilence = true
      orders.push(order)
      this.market.watch(order.side).noteUnseen(price, order)
    }
  }
}
