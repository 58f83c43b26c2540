import type { TrackedBook } from '../../book/tracked-book.js'
import type { EventBatch } from '../../model/event-batch.js'
import { SIDE_CODES } from '../../model/side.js'
import type { MarketWorlds } from './market-worlds.js'
import type { TouchBook } from './touch-book.js'
import type { MarketParticipant, PriceWatch } from './price-watch.js'
import { change, changeTo, isWorse, type WatchedPrice } from './watched-price.js'

type Watch = PriceWatch<MarketParticipant>

/**
 * Watched prices among the rows of a line of depth: each is one change, even to the same quantity. `fromEmpty`: as if
 * nothing had been there. A row out of the reach of what is watched costs two comparisons.
 */
export function changesByRows(
  bids: Watch, asks: Watch, batch: EventBatch, index: number, depth: TrackedBook, fromEmpty: boolean,
): void {
  const { side, price, rowStart } = batch
  const lowest = Math.min(bids.furthestPrice, asks.nearestPrice)
  const highest = Math.max(bids.nearestPrice, asks.furthestPrice)
  for (let row = rowStart[index] as number, end = rowStart[index + 1] as number; row < end; row++) {
    const at = price[row] as number
    if (at < lowest || at > highest) continue
    const watch = side[row] === SIDE_CODES.ASK ? asks : bids
    if (!watch.mayWatch(at)) continue
    const watched = watch.get(at)
    if (watched === undefined) continue
    if (fromEmpty) watched.displayed = 0
    watched.isOfTop = false
    change(watched, depth.isTracked ? quantityBehind(batch, row, end) : depth.quantityAt(watch.side, at))
  }
}

/** The quantity at the price of a row behind its line, which ends before `end`: of equal prices the last row counts. */
function quantityBehind({ side, price, quantity }: EventBatch, row: number, end: number): number {
  const at = price[row] as number
  let last = row
  for (let next = row + 1; next < end; next++) if (price[next] === at && side[next] === side[row]) last = next
  return quantity[last] as number
}

/**
 * A snapshot: every watched price inside the shown range shows what it has, and those outside of it are unknown
 * (exchange rules 2.3).
 */
export function changesBySnapshot(watches: readonly [Watch, Watch], shown: TouchBook): void {
  for (const { prices, side } of watches)
    for (let i = prices.length - 1; i >= 0; i--) {
      const watched = prices[i] as WatchedPrice<MarketParticipant>
      changeTo(watched, shown.lastDisplayed(side, watched.price), false)
    }
}

/** A line of top of book, behind which the best price of a side is another than before it, or the same. */
export function changesByTopSide(watch: Watch, before: number, now: number, shown: TouchBook): void {
  const { nearestPrice, prices, side } = watch
  const isBid = side === 'BID'
  const { top } = shown
  // Where the best price that is watched is that of the top it alone is reached.
  if (
    nearestPrice === now && (isBid ? before >= now && now === top.bidPrice : before <= now && now === top.askPrice)
  )
    changeTo(prices[0] as WatchedPrice<MarketParticipant>, isBid ? top.bidQuantity : top.askQuantity, true)
  else changesByTop(watch, (isBid ? before < now : before > now) || Number.isNaN(before) ? before : now, shown)
}

/** After a whole line: does either side now show a level at or through a resting order? */
export function judgeTouch(
  bids: Watch, asks: Watch, bidBefore: number, askBefore: number, shown: TouchBook, worlds: MarketWorlds,
  timeNs: number,
): void {
  const { bestAskPrice, bestBidPrice } = shown
  if (bestAskPrice <= bids.nearestOrderPrice) worlds.onShown('BID', timeNs, !(askBefore <= bestAskPrice))
  if (bestBidPrice >= asks.nearestOrderPrice) worlds.onShown('ASK', timeNs, !(bidBefore >= bestBidPrice))
}

/**
 * A newer top that came, moved or went: watched prices at least as good as `price` (NaN: all) that it shows, or showed
 * last (exchange rules 2.2). A level of depth is changed by its own rows and by snapshots alone; that the shown range
 * has grown around a price says nothing of it.
 */
export function changesByTop({ prices, side }: Watch, price: number, shown: TouchBook): void {
  let count = 0
  while (count < prices.length && !isWorse(side, (prices[count] as WatchedPrice).price, price)) count++
  if (count === 0) return
  const { top } = shown
  const isBid = side === 'BID'
  const topPrice = isBid ? top.bidPrice : top.askPrice
  const isNewer = isBid ? top.isBidNewer : top.isAskNewer
  for (let i = count - 1; i >= 0; i--) {
    const watched = prices[i] as WatchedPrice<MarketParticipant>
    if (isNewer && watched.price === topPrice) changeTo(watched, isBid ? top.bidQuantity : top.askQuantity, true)
    else if (watched.isOfTop && !shown.isHidden(side, watched.price))
      changeTo(watched, shown.lastDisplayed(side, watched.price), false)
  }
}
