import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { ExchangeOrder } from '../../model/exchange-order.js'
import { SIDE_CODES } from '../../model/side.js'
import type { MarketMoney } from './market-money.js'
import type { MarketWorlds } from './market-worlds.js'
import type { ExchangeBook } from './exchange-book.js'
import { changesByRows, changesByTop, changesByTopSide, judgeTouch } from './price-changes.js'
import type { PriceWatch, MarketParticipant } from './price-watch.js'
import type { ReferencePrices } from './reference-prices.js'

const { trades: TRADES, topOfBook: TOP, update: UPDATE } = EVENT_KINDS
const { ASK } = SIDE_CODES

/** The parts of a market that its items are held against, and that they move. */
export interface TouchMarket {
  readonly bids: PriceWatch<MarketParticipant>
  readonly asks: PriceWatch<MarketParticipant>
  readonly prices: ReferencePrices
  readonly money: MarketMoney
  readonly timeNs: number
  lastGoodNs: number
  /** May come nearer while items are played. */
  readonly untilNs: number
  /** True where the book is known and watched, and no order waits for a condition. */
  readonly isPlain: boolean
  /** The item at a place of the order has happened. */
  standAt(at: number): void
}

/**
 * Plays tops of book, trades and the updates of a track up to the time of a plain market; whatever else comes stays in
 * turn. A top or trade that touches no watched price, no resting order and no mid that money waits for costs a few
 * comparisons and no call. Returns true where `stop` said so after an item that did more.
 */
export function playTouches(
  market: TouchMarket, order: ExchangeOrder, book: ExchangeBook, worlds: MarketWorlds, stop: () => boolean,
): boolean {
  const { shown } = book
  const { bids, asks, money, prices } = market
  const { timeNs, batchNumber, event, row: rows, batches, firstBatch, tail, head: from } = order
  const { top, usesTop, depth: { priceScale, quantityScale } } = shown
  let { bestBidPrice: bid, bestAskPrice: ask } = shown
  let isToldMids = money.isWatched && Number.isNaN(prices.markPrice)
  let number = -1
  let batch = batches[0] as EventBatch
  let { kind, rowStart, side, price, quantity } = batch
  let head = from
  for (; head < tail && (timeNs[head] as number) <= market.untilNs; head++) {
    if (batchNumber[head] !== number) {
      number = batchNumber[head] as number
      batch = batches[number - firstBatch] as EventBatch
      if (batch.priceScale !== priceScale || batch.quantityScale !== quantityScale) break
      ;({ kind, rowStart, side, price, quantity } = batch)
    }
    const index = event[head] as number
    const k = kind[index] as number
    const bidBefore = bid
    const askBefore = ask
    let row = rows[head] as number
    let isSell = false
    if (k === TRADES) {
      const at = price[row] as number
      prices.traded(batch, row)
      isSell = side[row] === ASK
      if (isSell ? at > bids.nearestOrderPrice : at < asks.nearestOrderPrice) continue
    } else {
      if (k === UPDATE) {
        if (batch.flags[index] !== 0 || !playUpdate(market, book, batch, number, index, timeNs[head] as number)) break
        bid = shown.bestBidPrice
        ask = shown.bestAskPrice
        if (Number.isNaN(prices.markPrice)) money.noteMid(bidBefore + askBefore, bid + ask, priceScale)
      } else if (k !== TOP) break
      else if (usesTop) {
        // Whatever else a top says is played line by line.
        row = rowStart[index] as number
        if (rowStart[index + 1] !== row + 2 || !isWholeTop(side, quantity, row)) break
        top.bidPrice = bid = price[row] as number
        top.askPrice = ask = price[row + 1] as number
        top.bidQuantity = quantity[row] as number
        top.askQuantity = quantity[row + 1] as number
        top.isBidNewer = top.isAskNewer = true
        if (!(bids.nearestPrice < bid && bids.nearestPrice < bidBefore)) changesByTopSide(bids, bidBefore, bid, shown)
        if (!(asks.nearestPrice > ask && asks.nearestPrice > askBefore)) changesByTopSide(asks, askBefore, ask, shown)
      }
      if (
        ask > bids.nearestOrderPrice && bid < asks.nearestOrderPrice &&
        !(isToldMids && money.isBeyond(bid + ask, priceScale))
      )
        continue
    }
    market.standAt(head)
    if (k === TRADES) tellTrade(isSell ? bids : asks, worlds, batch, row, market.timeNs)
    else {
      judgeTouch(bids, asks, bidBefore, askBefore, shown, worlds, market.timeNs)
      if (isToldMids) money.tellMid(bid + ask, priceScale, market.timeNs)
    }
    if (worlds.hasConditions) worlds.onItem(market.timeNs)
    if (stop()) return true
    if (!market.isPlain) return false
    isToldMids = money.isWatched && Number.isNaN(prices.markPrice)
  }
  if (head > order.head) market.standAt(head - 1)
  return false
}

/** True where rows are a bid and an ask, each with a quantity. */
function isWholeTop(side: Uint8Array, quantity: Float64Array, row: number): boolean {
  return side[row] !== ASK && side[row + 1] === ASK && quantity[row] !== 0 && quantity[row + 1] !== 0
}

/** Tells the worlds of a trade row that reaches an order of a side. */
function tellTrade(
  watch: PriceWatch<MarketParticipant>, worlds: MarketWorlds, batch: EventBatch, row: number, timeNs: number,
): void {
  const price = batch.price[row] as number
  watch.settleTo(price)
  worlds.onTrade(watch.side, price, batch.quantity[row] as number, timeNs)
}

/** Plays an update by its track, all but what it shows to the other side; false where it has to be applied. */
function playUpdate(
  market: TouchMarket, book: ExchangeBook, batch: EventBatch, batchNumber: number, index: number, timeNs: number,
): boolean {
  const marks = book.takeByTrack(batch, batchNumber, index, timeNs)
  if (marks < 0) return false
  const { bids, asks } = market
  const { shown } = book
  const { top } = shown
  const { isBidNewer: bidTop, isAskNewer: askTop } = top
  market.lastGoodNs = timeNs
  shown.outdateMarked(marks)
  changesByRows(bids, asks, batch, index, shown.depth, false)
  if (bidTop && !top.isBidNewer) changesByTop(bids, top.bidPrice, shown)
  if (askTop && !top.isAskNewer) changesByTop(asks, top.askPrice, shown)
  return true
}
