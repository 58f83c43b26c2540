import { Quantity } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { TacticHost } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'

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
