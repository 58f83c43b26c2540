import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { ExchangeOrder } from '../../model/exchange-order.js'
import { SIDE_CODES } from '../../model/side.js'
import type { MarketMoney } from './market-money.js'
import type { PriceWatch, MarketParticipant } from './price-watch.js'
import type { ReferencePrices, TouchBook } from './touch-book.js'

const { trades: TRADES, topOfBook: TOP } = EVENT_KINDS
const { ASK } = SIDE_CODES

/** The parts of a market that items are held against, and that they move; its book is known. */
export interface TouchedMarket {
  readonly bids: PriceWatch<MarketParticipant>
  readonly asks: PriceWatch<MarketParticipant>
  readonly prices: ReferencePrices
  readonly money: MarketMoney
  timeNs: number
  feedLatencyNs: number
  readonly untilNs: number
}

/**
 * Passes tops of book and trades, up to the time of the market, as long as they touch nothing that anybody watches: no
 * watched price, no resting order, no mid beyond what is watched by money. Each costs a few comparisons and no call;
 * the first item that does more, or is of another kind, stays in turn.
 */
export function passUntouched(market: TouchedMarket, order: ExchangeOrder, shown: TouchBook): void {
  const { bids, asks, untilNs, money, prices } = market
  const { nearestPrice: watchedBid, nearestOrderPrice: restingBid } = bids
  const { nearestPrice: watchedAsk, nearestOrderPrice: restingAsk } = asks
  let { bestBidPrice: bid, bestAskPrice: ask } = shown
  // Where somebody watches the touch nearly every top does something; and one side alone is looked at closely.
  if (!(bid > watchedBid && ask < watchedAsk && ask > restingBid && bid < restingAsk)) return
  const { timeNs, batchNumber, event, row: rows, batches, firstBatch, tail, head: from } = order
  const { top, depth: { priceScale, quantityScale } } = shown
  const isToldMids = money.isWatched && Number.isNaN(prices.markPrice)
  let number = -1
  let batch = batches[0] as EventBatch
  let { kind, rowStart, side, price, quantity } = batch
  let [topRow, tradeRow, head] = [-1, -1, from]
  let [topBatch, tradeBatch] = [batch, batch]
  for (; head < tail && (timeNs[head] as number) <= untilNs; head++) {
    if (batchNumber[head] !== number) {
      number = batchNumber[head] as number
      batch = batches[number - firstBatch] as EventBatch
      if (batch.priceScale !== priceScale || batch.quantityScale !== quantityScale) break
      kind = batch.kind
      rowStart = batch.rowStart
      side = batch.side
      price = batch.price
      quantity = batch.quantity
    }
    const index = event[head] as number
    const k = kind[index] as number
    if (k === TRADES) {
      const row = rows[head] as number
      const at = price[row] as number
      if (side[row] === ASK ? at <= restingBid : at >= restingAsk) break
      tradeRow = row
      tradeBatch = batch
    } else if (k === TOP) {
      if (!shown.usesTop) continue
      // A bid and an ask, each with a quantity: whatever else a top says is looked at closely.
      const row = rowStart[index] as number
      if ((rowStart[index + 1] as number) !== row + 2 || side[row] === ASK || side[row + 1] !== ASK) break
      if (quantity[row] === 0 || quantity[row + 1] === 0) break
      const newBid = price[row] as number
      const newAsk = price[row + 1] as number
      if ((newBid < bid ? newBid : bid) <= watchedBid || (newAsk > ask ? newAsk : ask) >= watchedAsk) break
      if (newAsk <= restingBid || newBid >= restingAsk) break
      if (isToldMids && money.isBeyond(newBid + newAsk, priceScale)) break
      bid = newBid
      ask = newAsk
      topRow = row
      topBatch = batch
    } else break
  }
  if (head === from) return
  const last = batches[(batchNumber[head - 1] as number) - firstBatch] as EventBatch
  market.timeNs = timeNs[head - 1] as number
  market.feedLatencyNs = (last.adapterTimeNs[event[head - 1] as number] as number) - market.timeNs
  if (tradeRow >= 0) prices.traded(tradeBatch, tradeRow)
  if (topRow >= 0) {
    top.bidPrice = bid
    top.bidQuantity = topBatch.quantity[topRow] as number
    top.askPrice = ask
    top.askQuantity = topBatch.quantity[topRow + 1] as number
    top.isBidNewer = true
    top.isAskNewer = true
  }
  order.head = head
}
