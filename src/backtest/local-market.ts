import { FusedBook, type ExchangeTop } from '../exchange/fused-book.js'
import type { PlacedLevels } from '../exchange/market-book.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { BookView } from '../model/book-view.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Side } from '../model/side.js'
import type { InstrumentFeed } from '../replay/instrument-feed.js'
import type { MarketDataState, MarketView } from '../venue/venue.js'

/** A book that brings itself up to date when it is read. */
class CurrentBook implements BookView {
  readonly #market: LocalMarket

  constructor(market: LocalMarket) {
    this.#market = market
  }

  get priceScale(): number { return this.#market.current().book.priceScale }
  get quantityScale(): number { return this.#market.current().book.quantityScale }
  get suspect(): boolean { return this.#market.current().book.suspect }
  get bidLevelCount(): number { return this.#market.current().book.bidLevelCount }
  get askLevelCount(): number { return this.#market.current().book.askLevelCount }
  get bestBidPrice(): number { return this.#market.current().book.bestBidPrice }
  get bestAskPrice(): number { return this.#market.current().book.bestAskPrice }
  get bestBidQuantity(): number { return this.#market.current().book.bestBidQuantity }
  get bestAskQuantity(): number { return this.#market.current().book.bestAskQuantity }

  quantityAt(side: Side, price: number): number {
    return this.#market.current().book.quantityAt(side, price)
  }

  copyLevels(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    return this.#market.current().book.copyLevels(side, limit, prices, quantities)
  }
}

/**
 * The local-time view of one instrument, shared by all clients of a pass: every line heard so far, applied when somebody reads.
 * What nobody reads costs one pass over its rows when its batch is given back, and nothing before.
 */
export class LocalMarket implements MarketView {
  readonly book: BookView = new CurrentBook(this)
  readonly #feed: InstrumentFeed
  readonly #shown: FusedBook
  #batchNumber = 0
  #index = 0
  #markPrice = NaN
  #markScale = 0
  #indexPrice = NaN
  #indexScale = 0
  #hasBegun = false

  constructor(feed: InstrumentFeed, exchangeTop: ExchangeTop) {
    this.#feed = feed
    this.#shown = new FusedBook(exchangeTop)
  }

  get bestBidPrice(): number { return this.current().bestBidPrice }
  get bestBidQuantity(): number { return this.current().bestBidQuantity }
  get bestAskPrice(): number { return this.current().bestAskPrice }
  get bestAskQuantity(): number { return this.current().bestAskQuantity }
  copyTop(top: Float64Array): void {
    const shown = this.current()
    top[0] = shown.bestBidPrice
    top[1] = shown.bestBidQuantity
    top[2] = shown.bestAskPrice
    top[3] = shown.bestAskQuantity
    top[4] = shown.book.priceScale
    top[5] = shown.book.quantityScale
  }

  get markPrice(): number {
    this.current()
    return this.#markPrice
  }

  get markScale(): number {
    this.current()
    return this.#markScale
  }

  get indexPrice(): number {
    this.current()
    return this.#indexPrice
  }

  get indexScale(): number {
    this.current()
    return this.#indexScale
  }

  get state(): MarketDataState {
    const { suspect } = this.current().book
    if (!suspect) return 'READY'
    return this.#hasBegun ? 'ERROR' : 'PENDING'
  }

  /** The books with every line heard so far. */
  current(): FusedBook {
    const { localBatchNumber, localIndex } = this.#feed
    if (this.#batchNumber < localBatchNumber) this.#catchUpTo(localBatchNumber)
    const batch = this.#feed.localBatch
    if (batch !== null && this.#index < localIndex) {
      this.#apply(batch, this.#index, localIndex)
      this.#index = localIndex
    }
    return this.#shown
  }

  /** The levels heard so far, and the first line that is not in them: what the exchange side brings its own book up from. */
  levels(): PlacedLevels {
    const { localBatchNumber, localIndex } = this.#feed
    return { state: this.current().book.state(), batchNumber: localBatchNumber, event: localIndex }
  }

  /** Applies everything before a batch that has been heard whole: to be called before those batches are given back. */
  #catchUpTo(batchNumber: number): void {
    const { order } = this.#feed
    while (this.#batchNumber < batchNumber) {
      const batch = order.batches[this.#batchNumber - order.firstBatch]
      if (batch !== undefined) this.#apply(batch, this.#index, batch.count)
      this.#batchNumber++
      this.#index = 0
    }
  }

  #apply(batch: EventBatch, from: number, to: number): void {
    const { kind } = batch
    const shown = this.#shown
    for (let i = from; i < to; i++) {
      const k = kind[i] as number
      if (k <= EVENT_KINDS.topOfBook) {
        shown.apply(batch, i)
        if (k === EVENT_KINDS.snapshot) this.#hasBegun = true
      }
      else if (k === EVENT_KINDS.mark || k === EVENT_KINDS.index) this.#applyValue(batch, i, k)
    }
  }

  #applyValue(batch: EventBatch, index: number, kind: number): void {
    const at = batch.valueStart[index] as number
    if (kind === EVENT_KINDS.mark) {
      this.#markPrice = batch.values[at] as number
      this.#markScale = batch.valueScale[at] as number
    } else {
      this.#indexPrice = batch.values[at] as number
      this.#indexScale = batch.valueScale[at] as number
    }
  }
}
