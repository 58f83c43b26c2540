import type { Side } from '../../model/side.js'
import type { MarketParticipant } from '../market/price-watch.js'
import type { WorldLevel } from '../market/watched-price.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import { serveParts, shownFirst, takeShown, serveQueue, type Execute } from '../market/trade-service.js'
import type { TouchBook } from '../market/touch-book.js'

/** One world's prices with resting orders on one side of one instrument, best first. Plain data in two columns. */
export class RestingSide {
  readonly prices: number[] = []
  readonly levels: WorldLevel<MarketParticipant>[] = []

  constructor(readonly side: Side) {}

  /** True where `price` lies at or through `other` from this side: nearer to the opposite side, or the same. */
  reaches(price: number, other: number): boolean {
    return this.side === 'BID' ? price >= other : price <= other
  }

  /** Puts a level in its place, once. */
  add(price: number, level: WorldLevel<MarketParticipant>): void {
    const at = this.#placeOf(price)
    if (this.prices[at] === price) return
    this.prices.splice(at, 0, price)
    this.levels.splice(at, 0, level)
  }

  drop(price: number): void {
    const at = this.#placeOf(price)
    if (this.prices[at] !== price) return
    this.prices.splice(at, 1)
    this.levels.splice(at, 1)
  }

  /** The place of a price, or where it would be. */
  #placeOf(price: number): number {
    const { prices } = this
    let low = 0
    let high = prices.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const there = prices[middle] as number
      if (there !== price && this.reaches(there, price)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Every order, best price first, then queue order. */
  *orders(): IterableIterator<OrderAtExchange> {
    for (const level of this.levels) yield* level.orders
  }

  rescale(priceFactor: number): void {
    for (let i = 0; i < this.prices.length; i++) this.prices[i] = (this.prices[i] as number) * priceFactor
  }
}

/**
 * Resting orders of a world on one instrument that show only a part of themselves: while there are none, every level is
 * a plain queue. Quantities are integers at the market's scale.
 */
export class ShownParts {
  #count = 0
  /** Orders whose next part is to be shown, behind what is displayed. */
  readonly #refills: OrderAtExchange[] = []

  constructor(private readonly market: ExchangeMarket) {}

  /** True while an order has used up its part and waits for {@link refill}. */
  get wantRefill(): boolean {
    return this.#refills.length > 0
  }

  /** An order begins to rest: its first part is shown. */
  rests(order: OrderAtExchange): void {
    if (order.displayQuantity === undefined) return
    order.shownQuantity = Math.min(order.displayQuantity, order.remainingQuantity)
    this.#count++
  }

  /** An order of a restored level, its part as it was. */
  restored(order: OrderAtExchange): void {
    if (order.displayQuantity !== undefined) this.#count++
  }

  /** An order has been taken out of its queue and may rest elsewhere. */
  removed(order: OrderAtExchange): void {
    if (order.displayQuantity === undefined) return
    order.shownQuantity = undefined
    this.#count--
  }

  /** An order is final, and gone from its level. */
  ended(order: OrderAtExchange): void {
    if (order.displayQuantity !== undefined) this.#count--
  }

  /** An execution that `executedQuantity` includes. */
  executed(order: OrderAtExchange, quantity: number): void {
    if (order.shownQuantity !== undefined && takeShown(order, quantity)) this.#refills.push(order)
  }

  /** The orders of a level that a trade or an opposite level passed, in the sequence in which they fill. */
  passed(orders: readonly OrderAtExchange[]): readonly OrderAtExchange[] {
    return this.#count === 0 ? orders : shownFirst(orders)
  }

  /** A trade row at a level's own price. */
  serve(
    side: Side, price: number, orders: readonly OrderAtExchange[], units: number, lotSize: number, execute: Execute,
  ): void {
    if (this.#count === 0) serveQueue(orders, units, lotSize, execute)
    else serveParts(orders, units, lotSize, this.market.shown.displayed(side, price), execute)
  }

  /** Shows the next parts at a level, behind `quantityAhead`: what is displayed there now. */
  refill(price: number, orders: OrderAtExchange[], quantityAhead: number): void {
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

const FIRST_LEVELS = 16

/** Walks the shown levels of a side, best first, in columns that grow only when somebody looks deep. */
export class LiquidityWalk {
  #prices: Float64Array = new Float64Array(FIRST_LEVELS)
  #quantities: Float64Array = new Float64Array(FIRST_LEVELS)

  /** Visits shown levels up to and including `limit` until `visit` says false. A visit must not walk. */
  walk(shown: TouchBook, side: Side, limit: number, visit: (price: number, displayed: number) => boolean): void {
    let count = FIRST_LEVELS
    let from = 0
    for (;;) {
      const found = shown.copyShown(side, count, this.#prices, this.#quantities, limit)
      for (let i = from; i < found; i++) {
        const price = this.#prices[i] as number
        if (side === 'ASK' ? price > limit : price < limit) return
        if (!visit(price, this.#quantities[i] as number)) return
      }
      if (found < count) return
      from = count
      count *= 4
      if (count <= this.#prices.length) continue
      this.#prices = new Float64Array(count)
      this.#quantities = new Float64Array(count)
    }
  }
}
