import type { Side } from '../../model/side.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { UnknownBookPeriod } from './unknown-book-time.js'
import { settleQueues, type PriceWatcher, type WatchedPrice, type WorldLevel } from './watched-price.js'

/** A watched price as plain data, for a checkpoint: what was displayed (NaN: never yet), and by which of the two. */
export interface WatchedPriceState {
  readonly price: number
  readonly displayed: number
  readonly isOfTop: boolean
}

const BUCKETS = 4096

function bucketOf(price: number): number {
  return (price ^ (price / BUCKETS)) & (BUCKETS - 1)
}

/**
 * The watched prices of one side of one instrument, over all worlds. A bucket count makes the question that every depth
 * row asks, whether anybody looks at its price, one load of a small table.
 */
export class PriceWatch<W extends PriceWatcher = PriceWatcher> {
  /** Watched prices, best first. A callback may drop the price in turn, never another: iterate from the end. */
  readonly prices: WatchedPrice<W>[] = []
  /** The first and the last of them; beyond any price where there is none, so that nothing touches them. */
  nearestPrice: number
  furthestPrice: number
  /** The best price with a resting order of any world, in the same way. */
  nearestOrderPrice: number
  readonly #byPrice: Map<number, WatchedPrice<W>> = new Map()
  readonly #buckets: Uint32Array = new Uint32Array(BUCKETS)

  constructor(readonly side: Side) {
    this.nearestPrice = this.nearestOrderPrice = side === 'BID' ? -Infinity : Infinity
    this.furthestPrice = -this.nearestPrice
  }

  /** False means that nobody looks at the price; true asks for {@link get}. */
  mayWatch(price: number): boolean {
    return this.#buckets[bucketOf(price)] !== 0
  }

  get(price: number): WatchedPrice<W> | undefined {
    return this.#byPrice.get(price)
  }

  /** To be called whenever resting orders have come or gone. */
  ordersChanged(): void {
    const nearest = this.prices.find(({ orderCount }) => orderCount > 0)
    this.nearestOrderPrice = nearest?.price ?? this.#noPrice
  }

  /**
   * The world's level at a price, made where there is none; `displayed` is what a price that nobody watched yet
   * displayed last, and `isOfTop` by which of the two.
   */
  levelOf(watcher: W, price: number, displayed: number, isOfTop = false): WorldLevel<W> {
    const watched = this.#byPrice.get(price) ?? this.#watch(price, displayed, isOfTop)
    const known = watched.levels.find((candidate) => candidate.watcher === watcher)
    if (known !== undefined) return known
    const level: WorldLevel<W> = { watcher, orders: [], available: NaN }
    watched.levels.push(level)
    watcher.levelCount++
    if (watcher.followsChanges) this.follow(price)
    return level
  }

  /** The world's level at a price, if it has one. */
  findLevel(watcher: W, price: number): WorldLevel<W> | undefined {
    return this.#byPrice.get(price)?.levels.find((candidate) => candidate.watcher === watcher)
  }

  /** Says that the number of orders at a price has changed. */
  countOrders(price: number, more: number): void {
    const watched = this.#byPrice.get(price)
    if (watched !== undefined) watched.orderCount += more
  }

  /** An order rests here now. */
  join(price: number, order: OrderAtExchange): void {
    this.countOrders(price, 1)
    this.noteUnseen(price, order)
  }

  /** An order whose quantity ahead is unknown is to learn it when its price shows again, whatever that shows. */
  noteUnseen(price: number, order: OrderAtExchange): void {
    const watched = Number.isNaN(order.quantityAhead) ? this.#byPrice.get(price) : undefined
    if (watched !== undefined) watched.isJoinedUnseen = true
  }

  /** Every level at a price receives its next change. */
  follow(price: number): void {
    const watched = this.#byPrice.get(price)
    if (watched === undefined) return
    settleQueues(watched)
    watched.isFollowed = true
  }

  /** Tells the orders at a price what it displayed meanwhile. */
  settleAt(price: number): void {
    const watched = this.#byPrice.get(price)
    if (watched !== undefined) settleQueues(watched)
  }

  /** The same of all prices. */
  settle(): void {
    for (const watched of this.prices) settleQueues(watched)
  }

  /** The same of all prices at least as good as one. */
  settleTo(price: number): void {
    const isBid = this.side === 'BID'
    for (const watched of this.prices) {
      if (isBid ? watched.price < price : watched.price > price) return
      settleQueues(watched)
    }
  }

  /** Forgets what a world took (exchange rules 2.4). */
  forgetTaken(watcher: W): void {
    for (let i = this.prices.length - 1; i >= 0; i--) {
      const { price } = this.prices[i] as WatchedPrice<W>
      const level = this.findLevel(watcher, price)
      if (level === undefined || Number.isNaN(level.available)) continue
      level.available = NaN
      this.dropIfIdle(watcher, price)
    }
  }

  /** Shows the quantity of a price that came to be watched while it was not known. */
  showUnseen(price: number, displayed: number, isOfTop: boolean): void {
    const watched = this.#byPrice.get(price)
    if (watched !== undefined && Number.isNaN(watched.displayed)) Object.assign(watched, { displayed, isOfTop })
  }

  /** Stops watching where the world's level holds neither orders nor a taken quantity. */
  dropIfIdle(watcher: W, price: number): void {
    const watched = this.#byPrice.get(price)
    if (watched === undefined) return
    const at = watched.levels.findIndex((level) => level.watcher === watcher)
    const level = watched.levels[at]
    if (level === undefined || level.orders.length > 0 || !Number.isNaN(level.available)) return
    watched.levels.splice(at, 1)
    watcher.levelCount--
    if (watched.levels.length > 0) return
    this.#byPrice.delete(price)
    this.prices.splice(this.prices.indexOf(watched), 1)
    this.#settleEnds()
    this.#buckets[bucketOf(price)] = (this.#buckets[bucketOf(price)] as number) - 1
  }

  /** Moves everything to other scales: prices and quantities are multiplied. */
  rescale(priceFactor: number, quantityFactor: number): void {
    this.#byPrice.clear()
    this.#buckets.fill(0)
    for (const watched of this.prices) {
      watched.price *= priceFactor
      watched.displayed *= quantityFactor
      for (const level of watched.levels) level.available *= quantityFactor
      this.#index(watched)
    }
    this.#settleEnds()
    this.ordersChanged()
  }

  /** The state of every watched price for a checkpoint; the levels are their worlds' own. */
  state(): readonly WatchedPriceState[] {
    return this.prices.map(({ price, displayed, isOfTop }) => ({ price, displayed, isOfTop }))
  }

  /** Takes back what was displayed, after the worlds have put their levels in again. */
  restore(states: readonly WatchedPriceState[]): void {
    for (const { price, displayed, isOfTop } of states) {
      const watched = this.#byPrice.get(price)
      if (watched !== undefined) Object.assign(watched, { displayed, isOfTop })
    }
  }

  #watch(price: number, displayed: number, isOfTop: boolean): WatchedPrice<W> {
    const watched: WatchedPrice<W> = {
      side: this.side, price, displayed, isOfTop, orderCount: 0, isJoinedUnseen: false, isFollowed: false,
      lowest: Infinity, levels: [],
    }
    this.#index(watched)
    this.prices.splice(this.#placeOf(price), 0, watched)
    this.#settleEnds()
    return watched
  }

  get #noPrice(): number {
    return this.side === 'BID' ? -Infinity : Infinity
  }

  #settleEnds(): void {
    const { prices } = this
    this.nearestPrice = prices[0]?.price ?? this.#noPrice
    this.furthestPrice = prices.at(-1)?.price ?? -this.#noPrice
  }

  #index(watched: WatchedPrice<W>): void {
    const bucket = bucketOf(watched.price)
    this.#byPrice.set(watched.price, watched)
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1
  }

  #placeOf(price: number): number {
    const isBid = this.side === 'BID'
    let low = 0
    let high = this.prices.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const there = (this.prices[middle] as WatchedPrice<W>).price
      if (isBid ? there > price : there < price) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * Takes what a snapshot displays as the last displayed quantity of every watched price; what is not shown is unknown.
 */
export function refreshDisplayed(
  watches: readonly PriceWatch[], lastDisplayed: (side: Side, price: number) => number,
): void {
  for (const { side, prices } of watches)
    for (const watched of prices)
      Object.assign(watched, { displayed: lastDisplayed(side, watched.price), isOfTop: false })
}

/**
 * A world's part of one instrument, as the market calls it. A callback may attach or detach the participant itself and
 * drop the level in turn, nothing else. Only worlds with open interest are attached.
 */
export interface MarketParticipant extends PriceWatcher {
  /** A public trade row whose aggressor is the other side of `side`'s resting orders. */
  onTrade(side: Side, price: number, quantity: number, timeNs: number): void
  /**
   * A watched level of this world changed from one displayed quantity to another (NaN before: it shows for the first
   * time).
   */
  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void
  /**
   * The opposite side shows a level at or through some resting order of `side`; `improved`: its best was worse before
   * the line.
   */
  onShown(side: Side, timeNs: number, improved: boolean): void
  onGap(period: UnknownBookPeriod): void
  /** The snapshot that ends a time with an unknown book has been applied and not been judged yet. */
  onRecovery(timeNs: number): void
  /** A silence ends with an unbroken chain (exchange rules 6.4): the line that ends it has not been applied yet. */
  onUnbroken(): void
  /** The line that ends a time with an unknown book has been judged: what waited for it may go on. */
  onRecovered(timeNs: number): void
  /** The feed shows finer digits: every price and quantity held is to be multiplied. */
  onRescale(priceFactor: number, quantityFactor: number): void
}

/**
 * Orders of a world whose conditions are held against the market after every item. Only where there are such orders.
 */
export interface ConditionWatcher {
  onItem(timeNs: number): void
}
