import { Price } from '../../model/fixed-decimal.js'
import type { Side } from '../../model/side.js'
import type { TacticHost, WatchedPrices } from '../tactic.js'
import type { TradingInstrument } from '../trading-instrument.js'

/** The kinds of prices that can be watched. */
export const WATCHED_PRICES: readonly WatchedPrices[] = ['touch', 'trades', 'mark']

/** Begins to watch the prices of an instrument, as the strategy receives them. */
export function watchPrices(host: TacticHost, instrument: TradingInstrument, prices: WatchedPrices): void {
  host.watch(instrument, prices)
  // A MARKET order is sent while best prices are known.
  if (prices !== 'touch') host.watch(instrument, 'touch')
}

/**
 * The price at which an exit of a side would be judged now: the best price that it would take, or the last mark. Null
 * where none is known, and for trades, which come one by one.
 */
export function priceNow(instrument: TradingInstrument, prices: WatchedPrices, side: Side): Price | null {
  if (prices === 'touch') return (side === 'ASK' ? instrument.bestBid : instrument.bestAsk)?.price ?? null
  return prices === 'mark' ? instrument.markPrice : null
}

/** True where a price is at or beyond a stop of a side: below for `ASK`, above for `BID`. */
export function isAtStop(side: Side, price: Price, stop: Price): boolean {
  return side === 'ASK' ? price.compare(stop) <= 0 : price.compare(stop) >= 0
}
