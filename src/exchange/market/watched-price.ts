import type { Side } from '../../model/side.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'

/**
 * Who looks at a price: a world's part of one instrument. It counts its levels, so that it knows when it has no open
 * interest.
 */
export interface PriceWatcher {
  readonly worldNumber: number
  /** True where it has to see each change of its levels: the least quantity displayed does not say it all. */
  readonly followsChanges: boolean
  /** Levels that it holds on both sides; kept by {@link PriceWatch}. */
  levelCount: number
}

/** One world's interest in one price: its orders there in queue order, and what its orders left of the level. */
export interface WorldLevel<W extends PriceWatcher = PriceWatcher> {
  readonly watcher: W
  readonly orders: OrderAtExchange[]
  /** The quantity that this world may still take here (exchange rules 2.4); NaN where that is all that is displayed. */
  available: number
}

/** A price that some world looks at: what the market showed there. */
export interface WatchedPrice<W extends PriceWatcher = PriceWatcher> {
  readonly side: Side
  price: number
  /** Displayed quantity when it last showed; NaN before it ever did while watched. */
  displayed: number
  /** True where a top of book displayed that, and not the depth. */
  isOfTop: boolean
  /** Resting orders here over all worlds. */
  orderCount: number
  /** True where an order joined here while the price was not shown, so that its quantity ahead is unknown. */
  isJoinedUnseen: boolean
  /** True where some level receives each change, or the next one. */
  isFollowed: boolean
  /**
   * The least quantity displayed since orders here last took it in; Infinity where there was no change, or they took in
   * each.
   */
  lowest: number
  /** At most one a world. */
  readonly levels: WorldLevel<W>[]
}

/** A world that receives changes of its levels. */
interface FollowedChanges extends PriceWatcher {
  /**
   * A watched level of this world changed from one displayed quantity to another (NaN before: it shows for the first
   * time).
   */
  onChange(level: WorldLevel, watched: WatchedPrice, previous: number, current: number): void
}

/** Orders of a price take in the least that it displayed since they last did. */
export function settleQueues(watched: WatchedPrice): void {
  const { lowest } = watched
  if (lowest === Infinity) return
  watched.lowest = Infinity
  for (const { orders } of watched.levels)
    for (const order of orders) {
      if (order.quantityAhead > lowest) order.quantityAhead = lowest
      order.tradedSince = 0
    }
}

/** True where a level receives each change. */
function isFollowed({ watcher, available }: WorldLevel): boolean {
  return watcher.followsChanges || !Number.isNaN(available)
}

/** True where a price is less good for its owner than another one, on a side of the book. */
export function isWorse(side: Side, price: number, than: number): boolean {
  return side === 'BID' ? price < than : price > than
}

/**
 * True where a price displays another quantity than it last did (NaN: it is not shown). The same quantity again is no
 * change, but gives orders that joined unseen in between what is ahead of them (exchange rules 3.1).
 */
function showsChange(watched: WatchedPrice, current: number): boolean {
  if (current !== watched.displayed) return !Number.isNaN(current)
  if (watched.isJoinedUnseen)
    for (const { orders } of watched.levels) for (const order of orders) meetShown(order, current)
  watched.isJoinedUnseen = false
  return false
}

function meetShown(order: OrderAtExchange, displayed: number): void {
  if (!Number.isNaN(order.quantityAhead)) return
  order.quantityAhead = displayed
  if (Number.isNaN(order.entryQuantityAhead)) order.entryQuantityAhead = displayed
  order.tradedSince = 0
}

/** The price displays a quantity (NaN: it is not shown), by a top of book or by the depth. */
export function changeTo(watched: WatchedPrice<FollowedChanges>, displayed: number, isOfTop: boolean): void {
  watched.isOfTop = isOfTop
  if (showsChange(watched, displayed)) change(watched, displayed)
}

/** The price displays a quantity, which may be the one before: one change (exchange rules 3.3). */
export function change(watched: WatchedPrice<FollowedChanges>, current: number): void {
  const previous = watched.displayed
  watched.displayed = current
  if (!watched.isFollowed && !watched.isJoinedUnseen) {
    // Whoever waits here only loses what is more than the least that was displayed: that is kept, for all worlds.
    if (current < watched.lowest) watched.lowest = current
    return
  }
  settleQueues(watched)
  for (let i = watched.levels.length - 1; i >= 0; i--) {
    const level = watched.levels[i]
    if (level !== undefined) level.watcher.onChange(level, watched, previous, current)
  }
  watched.isJoinedUnseen = false
  watched.isFollowed = watched.levels.some(isFollowed)
}
