import type { ReferencePrices } from './reference-prices.js'
import type { TouchBook, TouchBookState } from './touch-book.js'
import type { MarketMoney, MarketMoneyState } from './market-money.js'
import type { PriceWatch, WatchedPriceState } from './price-watch.js'
import type { CrossedTime, UnknownBookPeriod, UnknownBookSpan, UnknownBookTime } from './unknown-book-time.js'
import type { PriceWatcher } from './watched-price.js'

/** A market as plain data. */
export interface MarketState {
  readonly numbers: { readonly [name: string]: number }
  /** Digits of the mark and the index where no integer holds them. */
  readonly digits: { readonly mark: string | null; readonly index: string | null }
  readonly shown: TouchBookState
  readonly bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime
  readonly crossedGapTime: UnknownBookTime
  readonly crossedTime: CrossedTime
  readonly spans: readonly UnknownBookSpan[]
  readonly money: MarketMoneyState
  readonly bids: readonly WatchedPriceState[]
  readonly asks: readonly WatchedPriceState[]
}

/** The state of a market. */
export interface StatefulMarket<W extends PriceWatcher> {
  readonly shown: TouchBook
  readonly bids: PriceWatch<W>
  readonly asks: PriceWatch<W>
  timeNs: number
  feedLatencyNs: number
  lastGoodNs: number
  runFromNs: number
  crossedFromNs: number
  readonly prices: ReferencePrices
  bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime
  readonly crossedGapTime: UnknownBookTime
  readonly crossedTime: CrossedTime
  crossedSinceNs: number
  readonly spans: UnknownBookSpan[]
  readonly money: MarketMoney
}

const NUMBERS = ['timeNs', 'feedLatencyNs', 'lastGoodNs', 'runFromNs', 'crossedFromNs', 'crossedSinceNs'] as const
const TIMES = ['bookUnknownTime', 'crossedGapTime', 'crossedTime'] as const
const PRICES = [
  'markPrice', 'markScale', 'indexPrice', 'indexScale', 'lastTradePrice', 'lastTradeScale',
] as const

/** The market as plain data. */
export function marketState<W extends PriceWatcher>(market: StatefulMarket<W>): MarketState {
  return {
    numbers: Object.fromEntries([
      ...NUMBERS.map((name) => [name, market[name]] as const),
      ...PRICES.map((name) => [name, market.prices[name]] as const),
    ]),
    digits: { mark: market.prices.markDigits, index: market.prices.indexDigits },
    shown: market.shown.state(),
    bookUnknown: market.bookUnknown,
    bookUnknownTime: { ...market.bookUnknownTime },
    crossedGapTime: { ...market.crossedGapTime },
    crossedTime: { ...market.crossedTime },
    spans: [...market.spans],
    money: market.money.state(),
    bids: market.bids.state(),
    asks: market.asks.state(),
  }
}

/** Makes a market what a state says; levels and orders are their worlds' to put back before. */
export function restoreMarket<W extends PriceWatcher>(market: StatefulMarket<W>, state: MarketState): void {
  for (const name of NUMBERS) market[name] = state.numbers[name] as number
  for (const name of PRICES) market.prices[name] = state.numbers[name] as number
  market.prices.markDigits = state.digits.mark
  market.prices.indexDigits = state.digits.index
  market.shown.restore(state.shown)
  market.bookUnknown = state.bookUnknown
  for (const name of TIMES) Object.assign(market[name], state[name])
  market.spans.splice(0, market.spans.length, ...state.spans)
  market.money.restore(state.money)
  market.bids.restore(state.bids)
  market.asks.restore(state.asks)
}
