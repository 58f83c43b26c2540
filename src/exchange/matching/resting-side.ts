import type { Side } from '../../model/side.js'
import type { MarketParticipant, WorldLevel } from '../market/price-watch.js'
import type { ExchangeOrderRecord } from '../market/resting-order.js'

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
    const { prices } = this
    let at = 0
    while (at < prices.length && prices[at] !== price && this.reaches(prices[at] as number, price)) at++
    if (prices[at] === price) return
    prices.splice(at, 0, price)
    this.levels.splice(at, 0, level)
  }

  drop(price: number): void {
    const at = this.prices.indexOf(price)
    if (at < 0) return
    this.prices.splice(at, 1)
    this.levels.splice(at, 1)
  }

  /** Every order, best price first, then queue order. */
  *orders(): IterableIterator<ExchangeOrderRecord> {
    for (const level of this.levels) yield* level.orders
  }

  rescale(priceFactor: number): void {
    for (let i = 0; i < this.prices.length; i++) this.prices[i] = (this.prices[i] as number) * priceFactor
  }
}
