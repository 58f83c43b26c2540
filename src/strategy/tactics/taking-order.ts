import type { Price, Quantity } from '../../model/fixed-decimal.js'
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
