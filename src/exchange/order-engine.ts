import { textFromScaled } from '../model/decimal.js'
import type { OrderError, OrderReport } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { AmendEntry, PlaceEntry } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { InstrumentMarket } from './instrument-market.js'
import { remainingQuantity, type ExchangeOrderRecord } from './resting-order.js'
import type { GapPolicy, WorldOrders } from './world-orders.js'

/** One instrument of a world as the engine needs it: the market, the world's orders there, and how scales go together. */
export interface TradedInstrument {
  readonly entry: InstrumentEntry
  readonly market: InstrumentMarket
  readonly orders: WorldOrders
  /** Market price = directory price * priceFactor; grows when the feed shows finer digits. */
  priceFactor: number
  quantityFactor: number
}

/** An error of the exchange. */
export function exchangeError(type: string, message: string): OrderError {
  return { type, message, source: 'EXCHANGE' }
}

/** What a blind market does to a request (exchange rules 6.2, 6.3): `null` is nothing. */
export function gapRefusal(policy: GapPolicy, market: InstrumentMarket, order: Pick<PlaceEntry, 'type' | 'timeInForce' | 'postOnly'>): OrderError | null {
  if (market.blind === null) return null
  const needsBook = order.type !== 'LIMIT' || order.timeInForce !== 'GOOD_TILL_CANCEL' || order.postOnly
  if (policy === 'cancelAndWait') return exchangeError('MARKET_DATA_GAP', 'new orders wait for the next snapshot (gap policy cancelAndWait)')
  if (policy === 'assumeWorst' && needsBook) return exchangeError('MARKET_DATA_GAP', 'the book is unknown since a gap, and this order needs it (gap policy assumeWorst)')
  return null
}

/** The price up to which an order may trade: its own, or none for MARKET. */
export function limitOf(order: ExchangeOrderRecord): number {
  if (order.price !== null) return order.price
  return order.side === 'BID' ? Infinity : -Infinity
}

/** Whether a limit reaches the opposite best that is shown. */
export function crosses(market: InstrumentMarket, side: Side, limit: number): boolean {
  return side === 'BID' ? market.shown.bestAskPrice <= limit : market.shown.bestBidPrice >= limit
}

/**
 * Would the order meet a resting order of its own account (exchange rules 3.5)? It does where it would trade or rest at or
 * through that order's price.
 */
export function meetsOwn(traded: TradedInstrument, order: ExchangeOrderRecord): ExchangeOrderRecord | null {
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  let own: ExchangeOrderRecord | null = null
  for (const resting of traded.orders.resting(opposite)) {
    if (resting.accountId === order.accountId) {
      own = resting
      break
    }
  }
  if (own === null) return null
  const limit = limitOf(order)
  const wanted = remainingQuantity(order)
  const reach = traded.orders.reachable(opposite, limit, wanted)
  const restsAtLimit = reach.quantity < wanted && order.timeInForce === 'GOOD_TILL_CANCEL' && order.price !== null
  const furthest = restsAtLimit ? limit : reach.lastPrice
  const price = own.price as number
  return (order.side === 'BID' ? furthest >= price : furthest <= price) ? own : null
}

/** Why an order may not enter, or null: gap, postOnly, self trade, in this order. */
export function entryRefusal(traded: TradedInstrument, order: ExchangeOrderRecord, policy: GapPolicy): OrderError | null {
  const { market, entry } = traded
  const gap = gapRefusal(policy, market, order)
  if (gap !== null || market.blind !== null) return gap
  if (order.postOnly && crosses(market, order.side, limitOf(order))) {
    const best = order.side === 'BID' ? market.shown.bestAskPrice : market.shown.bestBidPrice
    const text = textFromScaled(best / traded.priceFactor, entry.priceScale)
    return exchangeError('POST_ONLY_WOULD_CROSS', `postOnly order would match at once: the opposite best is ${text}`)
  }
  const own = meetsOwn(traded, order)
  return own === null ? null : exchangeError('SELF_TRADE', `the order would meet the account's own resting order ${own.ownOrderId}`)
}

/**
 * Lets an accepted order trade and rest (exchange rules 4.1). The caller has told the client CONFIRMED before; executions go to
 * the world's sink. Returns whether the order is over and why.
 */
export function enter(traded: TradedInstrument, order: ExchangeOrderRecord, timeNs: number): 'resting' | 'FILLED' | 'CANCELED' {
  const { orders, market } = traded
  const limit = limitOf(order)
  const opposite: Side = order.side === 'BID' ? 'ASK' : 'BID'
  if (market.blind === null && (order.price === null || crosses(market, order.side, limit))) {
    const wanted = remainingQuantity(order)
    if (order.timeInForce === 'FILL_OR_KILL' && orders.reachable(opposite, limit, wanted).quantity < wanted) return over(order, 'CANCELED')
    orders.take(order, limit, timeNs)
  } else if (order.timeInForce === 'FILL_OR_KILL') return over(order, 'CANCELED')
  if (remainingQuantity(order) <= 0) return over(order, 'FILLED')
  if (order.timeInForce !== 'GOOD_TILL_CANCEL' || order.price === null) return over(order, 'CANCELED')
  orders.rest(order, order.price)
  return 'resting'
}

function over(order: ExchangeOrderRecord, state: 'FILLED' | 'CANCELED'): 'FILLED' | 'CANCELED' {
  order.state = state
  return state
}

/** What an amend asks for, at the market's scales, with what it leaves alone filled in. */
export function amendedTerms(traded: TradedInstrument, order: ExchangeOrderRecord, amend: AmendEntry): { readonly price: number | null; readonly totalQuantity: number } {
  return {
    price: amend.price === undefined ? order.price : amend.price * traded.priceFactor,
    totalQuantity: amend.totalQuantity === undefined ? order.totalQuantity : amend.totalQuantity * traded.quantityFactor,
  }
}

/** The order as the protocol states it, at the directory's scales. */
export function orderReport(traded: TradedInstrument, order: ExchangeOrderRecord, exchangeTimeNs: number): OrderReport {
  return {
    ownOrderId: order.ownOrderId,
    exchangeOrderId: order.exchangeOrderId,
    clientOrderId: order.clientOrderId,
    instrumentId: order.instrumentId,
    type: order.type,
    side: order.side,
    state: order.state,
    timeInForce: order.timeInForce,
    price: order.price === null ? null : order.price / traded.priceFactor,
    totalQuantity: order.totalQuantity / traded.quantityFactor,
    executedQuantity: order.executedQuantity / traded.quantityFactor,
    postOnly: order.postOnly,
    exchangeTimeNs,
    ...(order.openClose === undefined ? {} : { openClose: order.openClose }),
    ...(order.walletType === undefined ? {} : { walletType: order.walletType }),
    ...(order.owner === undefined ? {} : { owner: order.owner }),
    ...(order.context === undefined ? {} : { context: order.context }),
  }
}
