import { OrderBook } from '../../src/book/order-book.js'
import type { FeedSource } from '../../src/feed/feed-source.js'
import { textAt, type WritableBatch } from '../../src/model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import type { Instrument, Underlying } from '../../src/model/instrument.js'
import { LineMessageDecoder, MessageBytes } from '../../src/tickfile/lines/line-messages.js'
import { GAP_TEXT, type InstrumentEntry, type MarketDataListener, type MarketDataState, type MarketView, type Topics } from '../../src/venue/venue.js'
import { madeInstrument } from './market-lines.ts'

/** 2026-06-24, the day of the lines in spec 4. */
export const FEED_DAY = 20_628
export const FEED_INSTRUMENTS: readonly Instrument[] = [
  madeInstrument({ id: 1210, code: 'XRPUSDT', exchangeCode: 'test_swap', tickSize: '0.0001', lotSize: '100' }),
  madeInstrument({ id: 1211, code: 'BTCUSDT', exchangeCode: 'test_swap', tickSize: '0.1', lotSize: '0.001' }),
  madeInstrument({ id: 67824, code: 'ETHUSDT', exchangeCode: 'test_spot', type: 'spot', tickSize: '0.01', lotSize: '0.001' }),
]
const UNDERLYINGS: readonly Underlying[] = [
  { id: 1, code: 'XRP', name: 'Ripple', type: 'coin', fxRate: '1.0719', fxTime: '2026-06-25T00:00:00Z' },
  { id: 2, code: 'USDT', name: 'Tether', type: 'stable_coin', fxRate: '1', fxTime: null },
]

interface MadeMarket {
  readonly decoder: LineMessageDecoder
  readonly book: OrderBook
  readonly listeners: Set<MarketDataListener>
  state: MarketDataState
}

/** A source of a feed whose lines a test plays, as texts of a tick file. Time is that of the last line. */
export class MadeFeed implements FeedSource {
  readonly clock: FeedSource['clock']
  readonly instruments: FeedSource['instruments']
  readonly underlyings: FeedSource['underlyings']
  nowNs = 0
  readonly #markets: Map<number, MadeMarket> = new Map()
  readonly #bytes = new MessageBytes()
  #count = 0

  constructor(instruments: readonly Instrument[] = FEED_INSTRUMENTS) {
    const entries: InstrumentEntry[] = instruments.map((instrument) => ({ instrument, priceScale: 4, quantityScale: 3 }))
    this.instruments = { entries, get: (id) => entries.find(({ instrument }) => instrument.id === id) }
    this.underlyings = { entries: UNDERLYINGS, get: (id) => UNDERLYINGS.find((one) => one.id === id) }
    this.clock = {
      epochDay: FEED_DAY, nowNs: () => this.nowNs, now: () => BigInt(FEED_DAY) * 86_400_000_000_000n + BigInt(this.nowNs),
      timers: () => { throw new Error('a feed sets no timers') },
    }
    for (const entry of entries) {
      const decoder = new LineMessageDecoder(entry, FEED_DAY)
      this.#markets.set(entry.instrument.id, { decoder, book: new OrderBook(), listeners: new Set(), state: 'PENDING' })
    }
  }

  market(instrumentId: number): MarketView {
    const market = this.#market(instrumentId)
    const { book } = market
    return {
      book, get state() { return market.state },
      get bestBidPrice() { return book.bestBidPrice }, get bestBidQuantity() { return book.bestBidQuantity },
      get bestAskPrice() { return book.bestAskPrice }, get bestAskQuantity() { return book.bestAskQuantity },
      copyTop: () => false, markPrice: NaN, markScale: 0, markDigits: null, indexPrice: NaN, indexScale: 0, indexDigits: null,
    }
  }

  subscribe(instrumentId: number, _topics: Topics, listener: MarketDataListener): { unsubscribe(): void } {
    const { listeners } = this.#market(instrumentId)
    listeners.add(listener)
    return { unsubscribe: () => listeners.delete(listener) }
  }

  get listenerCount(): number {
    return [...this.#markets.values()].reduce((sum, { listeners }) => sum + listeners.size, 0)
  }

  /** Plays one line; state lines `[5, id, ts, state, text]` too. `flags` are added to those of its chain. */
  play(line: string, flags = 0): void {
    const [kind, id] = JSON.parse(line) as [number, number]
    if (kind === 5) return this.#playState(line, flags)
    const market = this.#market(id)
    const end = this.#bytes.put(new TextEncoder().encode(line))
    const index = market.decoder.decode(this.#bytes.bytes, 0, end, ++this.#count)
    const { batch } = market.decoder.events
    if (index >= 0) this.deliver(batch, index, flags)
  }

  /** Plays one event of a batch. */
  deliver(batch: EventBatch, index: number, flags = 0): void {
    const market = this.#market(batch.instrument.id)
    batch.flags[index] = (batch.flags[index] as number) | flags
    this.nowNs = Math.max(this.nowNs, batch.adapterTimeNs[index] as number)
    const isDepth = (batch.kind[index] as number) <= 1
    market.book.apply(batch, index)
    if (isDepth) {
      const isGap = market.book.suspect
      const isNews = market.state !== (isGap ? 'ERROR' : 'READY')
      market.state = isGap ? 'ERROR' : 'READY'
      if (isNews) this.#tell(market, batch.instrument.id, isGap ? GAP_TEXT : '')
    }
    const view = this.market(batch.instrument.id)
    for (const listener of market.listeners) listener.onEvent(batch, index, view)
  }

  /** Batches are given back: their columns are written over. */
  release(instrumentId: number): void {
    const { listeners, decoder } = this.#market(instrumentId)
    for (const listener of listeners) listener.onRelease?.()
    const { batch } = decoder.events
    batch.adapterTimeNs.fill(-1, 0, batch.count)
    batch.price.fill(-1)
  }

  /** A state of the market without a line. */
  setState(instrumentId: number, state: MarketDataState, text: string): void {
    const market = this.#market(instrumentId)
    market.state = state
    if (state === 'ERROR') market.book.suspect = true
    this.#tell(market, instrumentId, text)
  }

  #tell(market: MadeMarket, id: number, text: string): void {
    for (const listener of market.listeners) listener.onState(id, market.state, text)
  }

  #playState(line: string, flags: number): void {
    const match = /^\[5,(\d+),(\d+),("\w+"),(".*")\]$/.exec(line)
    const [id, ts, state, text] = [Number(match?.[1]), BigInt(match?.[2] ?? 0), JSON.parse(match?.[3] ?? '') as MarketDataState, JSON.parse(match?.[4] ?? '') as string]
    const texts = [state, text].map((one) => new TextEncoder().encode(one))
    const lengths = texts.map((one) => one.length)
    const none = { form: new Uint8Array(1), high: new Uint32Array(1), low: new Uint32Array(1), texts: [] }
    const market = this.#market(id)
    const batch: WritableBatch = {
      ...market.decoder.events.batch, count: 1, kind: Uint8Array.of(5), flags: Uint16Array.of(flags), previousEventId: none, eventId: none,
      adapterTimeNs: Float64Array.of(Number(ts - BigInt(FEED_DAY) * 86_400_000_000_000n)), exchangeTimeNs: Float64Array.of(NaN),
      rowStart: new Uint32Array(2), tradeRowStart: new Uint32Array(2), valueStart: new Uint32Array(2), textStart: Uint32Array.of(0, 2),
      text: { start: Uint32Array.of(0, lengths[0]!, lengths[0]! + lengths[1]!), bytes: Uint8Array.from(texts.flatMap((one) => [...one])), isNull: new Uint8Array(2) },
    }
    const isSilence = (flags & EVENT_FLAGS.SILENCE) !== 0
    if (textAt(batch.text, 0) === 'ERROR' && !isSilence) market.book.suspect = true
    market.state = state
    this.#tell(market, id, text)
    for (const listener of market.listeners) listener.onEvent(batch, 0, this.market(id))
  }

  #market(instrumentId: number): MadeMarket {
    const market = this.#markets.get(instrumentId)
    if (market === undefined) throw new Error(`no instrument ${instrumentId}`)
    return market
  }
}

/** Access for tests: the keys that a market has, and instruments that are forbidden. */
export class MadeAccess {
  readonly keys: Map<string, Set<string>> = new Map([['k', new Set(['test_swap', 'test_spot'])]])
  readonly forbidden: Set<number> = new Set()
  readonly unknownMarkets: Set<string> = new Set()

  rejection(key: string, market: string): string | null {
    if (this.unknownMarkets.has(market)) return 'market not configured'
    const markets = this.keys.get(key)
    if (markets === undefined) return 'unknown api key'
    return markets.has(market) ? null : 'no active realtime subscription for this market today (UTC)'
  }

  isPermitted(key: string, market: string, instrumentId: number): boolean {
    return this.rejection(key, market) === null && !this.forbidden.has(instrumentId)
  }
}

/** Lines of instrument 1210 as spec 4 shows them, with a chain from snapshot to update. */
export const FEED_LINES = {
  snapshot: '[0,1210,"0","100",1782345115505070405,1782345115504140603,[[0,"1.0715","730000",1],[1,"1.0719","205100",1]],false]',
  update: '[1,1210,"100","101",1782345115843612834,1782345115843000000,[[0,"1.0698","1039100",1],[1,"1.0719","0",1],[1,"1.072","5",1]]]',
  trades: '[2,1210,"0","7",1782345122476611101,1782345122476000000,[[0,"1.0719","19200","00000000-006d-1000-0000-0033b50c7876",1782345122476000000]]]',
  top: '[6,1210,"0","8",1782345122476611102,1782345122476000001,[[0,"1.0715","4.703",1],[1,"1.0719","14.799",1]]]',
  mark: '[7,1210,"0","9",1782345122476611103,1782345122476000002,"1.07258",null,null,null,null,null,null,null]',
  index: '[8,1210,"0","10",1782345122476611104,1782345122476000003,"1.07252"]',
  funding: '[9,1210,"0","11",1782345122476611105,1782345122476000004,["0.0001",1782360000000000000,"0.000011"]]',
  liquidations: '[17,1210,"0","12",1782345122476611106,1782345122476000005,[[1,"74.09","5.8",1782864902101000000]]]',
} as const
