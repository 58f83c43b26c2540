import type { BookView } from '../model/book-view.js'
import type { Instrument } from '../model/instrument.js'
import type { InstrumentEntry, MarketDataState, MarketView } from '../venue/venue.js'

const EMPTY_BOOK: BookView = {
  priceScale: 0, quantityScale: 0, suspect: true, bidLevelCount: 0, askLevelCount: 0, bestBidPrice: NaN,
  bestAskPrice: NaN, bestBidQuantity: 0, bestAskQuantity: 0, quantityAt: () => 0, copyLevels: () => 0,
}

/** The market of an instrument without market data: nothing, and why. */
export function absentMarket(state: MarketDataState): MarketView {
  return {
    book: EMPTY_BOOK,
    bestBidPrice: NaN,
    bestBidQuantity: 0,
    bestAskPrice: NaN,
    bestAskQuantity: 0,
    markPrice: NaN,
    markScale: 0,
    markDigits: null,
    indexPrice: NaN,
    indexScale: 0,
    indexDigits: null,
    state,
    copyTop: (top) => {
      const isNews = !Number.isNaN(top[0]) || top[1] !== 0 || !Number.isNaN(top[2]) || top[3] !== 0
      top.set([NaN, 0, NaN, 0, 0, 0])
      return isNews
    },
  }
}

/** True for the market of {@link absentMarket}. */
export function isAbsentMarket({ book }: MarketView): boolean {
  return book === EMPTY_BOOK
}

const NOTHING_KNOWN: Omit<Instrument, 'id' | 'code' | 'exchangeCode'> = {
  codeAlias: null, nativeCode: null, exchangeId: null, type: '', state: null, active: null, isInverse: false,
  isQuanto: false, contractValue: null, multiplier: null, strikePrice: null, start: null, expiry: null, tickSize: null,
  tickBands: [], significantDigits: null, maxDecimals: null, lotSize: null, minOrder: null, maxOrder: null,
  minValue: null, fundingIntervalSeconds: null, baseUnderlyingId: null, counterUnderlyingId: null,
  valuationUnderlyingId: null, feeUnderlyingId: null,
}

/** Stands for an instrument that the venue does not know: what its reference says, and nothing else. */
export function absentEntry(reference: string | number): InstrumentEntry {
  const text = String(reference)
  const colon = text.indexOf(':')
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return {
    instrument: {
      ...NOTHING_KNOWN, id, code: text.slice(colon + 1), exchangeCode: colon < 0 ? '' : text.slice(0, colon),
    },
    priceScale: 0,
    quantityScale: 0,
  }
}
