import type { SavedRows } from '../../model/saved-rows.js'
import type { ReferencePrices } from './reference-prices.js'
import type { TouchBook, TouchBookState } from './touch-book.js'
import type { MarketMoney, MarketMoneyState } from './market-money.js'
import type {
  UnknownBookPeriod, UnknownBookSpan, UnknownBookTime, PriceWatch, WatchedPriceState,
} from './price-watch.js'
import type { PriceWatcher } from './watched-price.js'

/** A market as plain data that survives JSON: what is not a finite number is a text (`NaN`, `-Infinity`). */
export interface MarketState {
  readonly numbers: { readonly [name: string]: number | string }
  readonly shown: TouchBookState
  readonly bookUnknown: {
    readonly sinceNs: number | string
    readonly detectedNs: number | string
    readonly reason: UnknownBookPeriod['reason']
    readonly isBeforeBook?: boolean
  } | null
  readonly bookUnknownTime: UnknownBookTime
  readonly spans: readonly UnknownBookSpan[]
  readonly money: MarketMoneyState
  readonly bids: SavedRows<WatchedPriceState>
  readonly asks: SavedRows<WatchedPriceState>
}

/** A number that JSON can hold. */
export function plainNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
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
  readonly prices: ReferencePrices
  bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime
  readonly spans: UnknownBookSpan[]
  readonly money: MarketMoney
}

const NUMBERS = ['timeNs', 'feedLatencyNs', 'lastGoodNs', 'runFromNs'] as const
const PRICES = [
  'markPrice', 'markScale', 'indexPrice', 'indexScale', 'lastTradePrice', 'lastTradeScale',
] as const

/** The market as plain data. */
export function marketState<W extends PriceWatcher>(market: StatefulMarket<W>): MarketState {
  const { bookUnknown } = market
  return {
    numbers: Object.fromEntries([
      ...NUMBERS.map((name) => [name, plainNumber(market[name])] as const),
      ...PRICES.map((name) => [name, plainNumber(market.prices[name])] as const),
    ]),
    shown: market.shown.state(),
    bookUnknown:
      bookUnknown === null
        ? null
        : {
            ...bookUnknown, sinceNs: plainNumber(bookUnknown.sinceNs), detectedNs: plainNumber(bookUnknown.detectedNs),
          },
    bookUnknownTime: { ...market.bookUnknownTime },
    spans: [...market.spans],
    money: market.money.state(),
    bids: market.bids.state(),
    asks: market.asks.state(),
  }
}

/** Makes a market what a state says; levels and orders are their worlds' to put back before. */
export function restoreMarket<W extends PriceWatcher>(market: StatefulMarket<W>, state: MarketState): void {
  const { bookUnknown } = state
  for (const name of NUMBERS) market[name] = Number(state.numbers[name])
  for (const name of PRICES) market.prices[name] = Number(state.numbers[name])
  market.shown.restore(state.shown)
  market.bookUnknown =
    bookUnknown === null
      ? null
      : { ...bookUnknown, sinceNs: Number(bookUnknown.sinceNs), detectedNs: Number(bookUnknown.detectedNs) }
  Object.assign(market.bookUnknownTime, state.bookUnknownTime)
  market.spans.splice(0, market.spans.length, ...state.spans)
  market.money.restore(state.money)
  market.bids.restore(state.bids)
  market.asks.restore(state.asks)
}
