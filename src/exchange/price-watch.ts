import type { Side } from '../model/side.js'
import type { ExchangeOrderRecord } from './resting-order.js'

/** One world's interest in one price: its orders there in queue order, and what its orders left of the level. */
export interface WorldLevel {
  readonly worldNumber: number
  readonly orders: ExchangeOrderRecord[]
  /** What this world may still take here (exchange rules 2.4); NaN where it took nothing, so that it is what is displayed. */
  available: number
}

/** A price that some world looks at: what the market showed and traded there. Plain data. */
export interface WatchedPrice {
  readonly side: Side
  readonly price: number
  /** Displayed quantity when it last showed; NaN before it ever did while watched. */
  displayed: number
  /** What public trades took here since `displayed` was last shown. */
  traded: number
  /** At most one a world. */
  readonly levels: WorldLevel[]
}

const BUCKETS = 4096

function bucketOf(price: number): number {
  return (price ^ (price / BUCKETS)) & (BUCKETS - 1)
}

/**
 * The watched prices of one side of one instrument, over all worlds. A bucket count makes the question that every depth row
 * asks, whether anybody looks at its price, one load of a small table.
 */
export class PriceWatch {
  readonly side: Side
  /** Watched prices, best first. */
  readonly prices: WatchedPrice[] = []
  readonly #byPrice: Map<number, WatchedPrice> = new Map()
  readonly #buckets: Uint16Array = new Uint16Array(BUCKETS)

  constructor(side: Side) {
    this.side = side
  }

  /** False means that nobody looks at the price; true asks for {@link get}. */
  mayWatch(price: number): boolean {
    return this.#buckets[bucketOf(price)] !== 0
  }

  get(price: number): WatchedPrice | undefined {
    return this.#byPrice.get(price)
  }

  /** The world's level at a price, made where there is none; `displayed` is asked for a price that nobody watched yet. */
  levelOf(worldNumber: number, price: number, displayed: () => number): WorldLevel {
    let watched = this.#byPrice.get(price)
    if (watched === undefined) {
      watched = { side: this.side, price, displayed: displayed(), traded: 0, levels: [] }
      this.#byPrice.set(price, watched)
      this.prices.splice(this.#placeOf(price), 0, watched)
      this.#buckets[bucketOf(price)] = (this.#buckets[bucketOf(price)] as number) + 1
    }
    let level = watched.levels.find((candidate) => candidate.worldNumber === worldNumber)
    if (level === undefined) {
      level = { worldNumber, orders: [], available: NaN }
      watched.levels.push(level)
    }
    return level
  }

  /** The world's level at a price, if it has one. */
  findLevel(worldNumber: number, price: number): WorldLevel | undefined {
    return this.#byPrice.get(price)?.levels.find((candidate) => candidate.worldNumber === worldNumber)
  }

  /** Stops watching where the world's level holds neither orders nor a taken quantity. */
  dropIfIdle(worldNumber: number, price: number): void {
    const watched = this.#byPrice.get(price)
    if (watched === undefined) return
    const at = watched.levels.findIndex((level) => level.worldNumber === worldNumber)
    const level = watched.levels[at]
    if (level === undefined || level.orders.length > 0 || !Number.isNaN(level.available)) return
    watched.levels.splice(at, 1)
    if (watched.levels.length > 0) return
    this.#byPrice.delete(price)
    this.prices.splice(this.prices.indexOf(watched), 1)
    this.#buckets[bucketOf(price)] = (this.#buckets[bucketOf(price)] as number) - 1
  }

  /** Takes everything out and puts it in again at new scales, or as a checkpoint had it. */
  restore(prices: readonly WatchedPrice[]): void {
    this.#byPrice.clear()
    this.#buckets.fill(0)
    this.prices.length = 0
    for (const watched of prices) {
      this.#byPrice.set(watched.price, watched)
      this.prices.push(watched)
      this.#buckets[bucketOf(watched.price)] = (this.#buckets[bucketOf(watched.price)] as number) + 1
    }
  }

  #placeOf(price: number): number {
    const isBid = this.side === 'BID'
    let low = 0
    let high = this.prices.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const there = (this.prices[middle] as WatchedPrice).price
      if (isBid ? there > price : there < price) low = middle + 1
      else high = middle
    }
    return low
  }
}
