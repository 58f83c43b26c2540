import { Quantity, type Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { OrderParams } from '../order-params.js'
import type { Order } from '../order.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'

/** The terms of an order that takes. */
export interface TakingTerms {
  readonly side: Side
  readonly quantity: Quantity
  /** The worst price; null for a MARKET order. */
  readonly price: Price | null
  /** True where it may only make the position smaller, if the venue can. */
  readonly isReducing?: boolean
}

/**
 * An order that takes: MARKET, or a limit order where there is a price or the venue has no MARKET orders, immediate or
 * cancel where it can. Null where no price is known on the side that it would take from.
 */
export function takingOrder(
  instrument: TradingInstrument, host: TacticHost, { side, quantity, price, isReducing = false }: TakingTerms,
): OrderParams | null {
  const { orderTypes, timeInForces, reduceOnly } = host.capabilities(instrument)
  const touch = side === 'BID' ? instrument.bestAsk : instrument.bestBid
  if (touch === null) return null
  const isMarket = price === null && orderTypes.includes('MARKET')
  const isQuick = timeInForces.includes('IMMEDIATE_OR_CANCEL')
  return {
    side, quantity, postOnly: false,
    ...(isMarket ? { type: 'MARKET' } : { price: price ?? touch.price }),
    ...(isQuick ? { timeInForce: 'IMMEDIATE_OR_CANCEL' } : {}),
    ...(isReducing && reduceOnly ? { reduceOnly: true } : {}),
  }
}

/** True for an order that ends by itself. */
export function endsByItself({ type, timeInForce }: Order): boolean {
  return type === 'MARKET' || timeInForce === 'IMMEDIATE_OR_CANCEL'
}

/** True unless the best price that an order would take has moved away from a limit order that rests. */
export function takesStill({ bestBid, bestAsk }: TradingInstrument, { side, price }: Order): boolean {
  const touch = side === 'BID' ? bestAsk : bestBid
  return price === null || touch === null || price.equals(touch.price)
}

/** The position of an instrument and what may still change it, as the strategy knows it. */
export interface Exposure {
  /** Net position; of spot the sum of the strategy's own fills. */
  readonly held: Quantity
  /** Quantity that open bids may still buy, requests in flight included. */
  readonly bids: Quantity
  /** Quantity that open asks may still sell. */
  readonly asks: Quantity
}

/**
 * Never too low on either side: a derivative's position comes before its fill and its order update; of spot, where
 * nothing is guaranteed, executions that updates have stated and fills have not brought yet count as open.
 */
export function exposureOf(instrument: TradingInstrument, host: TacticHost): Exposure {
  if (!instrument.isSpot)
    return { held: instrument.position, bids: openOf(instrument, 'BID', host), asks: openOf(instrument, 'ASK', host) }
  return {
    held: instrument.netTraded,
    bids: openOf(instrument, 'BID', host).plus(host.unseen(instrument, 'BID')),
    asks: openOf(instrument, 'ASK', host).plus(host.unseen(instrument, 'ASK')),
  }
}

function openOf({ openOrders }: TradingInstrument, side: Side, host: TacticHost): Quantity {
  let sum = Quantity.ZERO
  for (const order of openOrders)
    if (order.side === side) sum = sum.plus(host.openOf(order))
  return sum
}
