import type { BookView } from '../../src/model/book-view.js'
import type { EventBatch, TextColumn } from '../../src/model/event-batch.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { InstrumentEntry, MarketDataState, MarketView } from '../../src/venue/venue.js'

/** Master data of a made-up instrument: tick 0.5, lot 0.01, smallest order 0.05, scales 1 and 2. */
function fakeInstrument(changes: Partial<Instrument> = {}): Instrument {
  return {
    id: 1, code: 'BTCUSDT', codeAlias: null, nativeCode: null, exchangeId: 7, exchangeCode: 'swap', type: 'perpetual', state: null, active: true, isInverse: false, isQuanto: false,
    contractValue: '1', multiplier: null, strikePrice: null, start: null, expiry: null, tickSize: '0.5', tickBands: [], significantDigits: null, maxDecimals: null, lotSize: '0.01',
    minOrder: '0.05', maxOrder: null, minValue: null, fundingIntervalSeconds: null, baseUnderlyingId: 10, counterUnderlyingId: 20, valuationUnderlyingId: 20, feeUnderlyingId: 20, ...changes,
  }
}

export function fakeEntry(changes: Partial<Instrument> = {}): InstrumentEntry {
  return { instrument: fakeInstrument(changes), priceScale: 1, quantityScale: 2 }
}

/** A market whose best prices a test sets: integers at scales 1 and 2 unless it says otherwise. */
export class FakeMarket implements MarketView {
  bestBidPrice = NaN
  bestBidQuantity = NaN
  bestAskPrice = NaN
  bestAskQuantity = NaN
  markPrice = NaN
  markScale = 0
  markDigits: string | null = null
  indexPrice = NaN
  indexScale = 0
  indexDigits: string | null = null
  state: MarketDataState = 'READY'
  priceScale = 1
  quantityScale = 2
  readonly book: BookView

  constructor() {
    const top = (side: 'BID' | 'ASK'): [price: number, quantity: number] =>
      side === 'BID' ? [this.bestBidPrice, this.bestBidQuantity] : [this.bestAskPrice, this.bestAskQuantity]
    const number = (read: () => number): PropertyDescriptor => ({ enumerable: true, get: read })
    const live = Object.defineProperties({}, {
      priceScale: number(() => this.priceScale), quantityScale: number(() => this.quantityScale),
      bidLevelCount: number(() => (Number.isNaN(this.bestBidPrice) ? 0 : 1)), askLevelCount: number(() => (Number.isNaN(this.bestAskPrice) ? 0 : 1)),
      bestBidPrice: number(() => this.bestBidPrice), bestAskPrice: number(() => this.bestAskPrice),
      bestBidQuantity: number(() => this.bestBidQuantity), bestAskQuantity: number(() => this.bestAskQuantity),
    })
    this.book = Object.assign(live, {
      suspect: false,
      quantityAt: () => 0,
      copyLevels: (side: 'BID' | 'ASK', limit: number, prices: Float64Array, quantities: Float64Array): number => {
        const [price, quantity] = top(side)
        if (Number.isNaN(price) || limit < 1 || prices.length < 1) return 0
        prices[0] = price
        quantities[0] = quantity
        return 1
      },
    }) as unknown as BookView
  }

  copyTop(top: Float64Array): boolean {
    const now = [this.bestBidPrice, this.bestBidQuantity, this.bestAskPrice, this.bestAskQuantity, this.book.priceScale, this.book.quantityScale]
    const factors = [10 ** (this.book.priceScale - top[4]!), 10 ** (this.book.quantityScale - top[5]!)] as const
    const isNews = now.slice(0, 4).some((value, at) => !Object.is(value, top[at]! * factors[at % 2]!))
    top.set(now)
    return isNews
  }

  /** Sets both sides: [price, quantity] or null for empty. */
  top(bid: readonly [number, number] | null, ask: readonly [number, number] | null): void {
    this.bestBidPrice = bid?.[0] ?? NaN
    this.bestBidQuantity = bid?.[1] ?? NaN
    this.bestAskPrice = ask?.[0] ?? NaN
    this.bestAskQuantity = ask?.[1] ?? NaN
  }
}

/** One row of trades or liquidations: side code, price at scale 1, quantity at scale 2, id. */
export type FakeRow = readonly [side: number, price: number, quantity: number, id?: string]

/** A change of the best prices together with the line that brings it: `play(venue)` for tables. */
export function topLine(kind: number, bid: readonly [number, number] | null, ask: readonly [number, number] | null): (venue: { market(id: number): FakeMarket, line(kind: number): void }) => void {
  return (venue) => {
    venue.market(1).top(bid, ask)
    venue.line(kind)
  }
}

/** A batch of one line. Values are [integer, scale] pairs; scale 255 is null. */
export function lineBatch(instrument: Instrument, kind: number, rows: readonly FakeRow[] = [], values: readonly (readonly [number, number])[] = []): EventBatch {
  const none = { form: new Uint8Array(1), high: new Uint32Array(1), low: new Uint32Array(1), texts: [] }
  const hasTradeRows = kind === 2 || kind === 17
  const ids = hasTradeRows ? rows.map((row) => row[3] ?? '') : []
  return {
    instrument, epochDay: 0, priceScale: 1, quantityScale: 2, count: 1, firstEventIndex: 0, wide: null, lines: null, kind: Uint8Array.of(kind), adapterTimeNs: Float64Array.of(5), exchangeTimeNs: Float64Array.of(4),
    previousEventId: none, eventId: none, flags: new Uint16Array(1), rowStart: Uint32Array.of(0, rows.length), side: Uint8Array.from(rows, (row) => row[0]),
    price: Float64Array.from(rows, (row) => row[1]), quantity: Float64Array.from(rows, (row) => row[2]), tradeRowStart: Uint32Array.of(0, ids.length),
    rowTimeNs: Float64Array.from(ids, (_, i) => 100 + i), tradeId: textColumn(ids), valueStart: Uint32Array.of(0, values.length), values: Float64Array.from(values, (value) => value[0]),
    valueScale: Uint8Array.from(values, (value) => value[1]), textStart: new Uint32Array(2), text: textColumn([]),
  }
}

function textColumn(texts: readonly string[]): TextColumn {
  const parts = texts.map((text) => new TextEncoder().encode(text))
  let end = 0
  return { start: Uint32Array.from([0, ...parts.map((part) => (end += part.length))]), bytes: Uint8Array.from(parts.flatMap((part) => [...part])), isNull: new Uint8Array(texts.length) }
}
