import { ReferencePrices } from '../exchange/market/reference-prices.js'
import { TouchBook, type ExchangeTop } from '../exchange/market/touch-book.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { BookView } from '../model/book-view.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import type { Side } from '../model/side.js'
import type { MarketDataState, MarketView } from '../venue/venue.js'

/**
 * The depth book of a market, which is brought up to date when it is read; levels only where somebody reads more than
 * the best ones.
 */
class CurrentBook implements BookView {

  constructor(private readonly market: ReceivedMarket) {}

  get priceScale(): number { return this.market.received().depth.priceScale }
  get quantityScale(): number { return this.market.received().depth.quantityScale }
  get suspect(): boolean { return this.market.received().depth.suspect || this.market.isInGap }
  get bidLevelCount(): number { return this.market.received().book.bidLevelCount }
  get askLevelCount(): number { return this.market.received().book.askLevelCount }
  get bestBidPrice(): number { return this.market.received().depth.bestBidPrice }
  get bestAskPrice(): number { return this.market.received().depth.bestAskPrice }
  get bestBidQuantity(): number { return this.market.received().depth.bestBidQuantity }
  get bestAskQuantity(): number { return this.market.received().depth.bestAskQuantity }

  quantityAt(side: Side, price: number): number {
    return this.market.received().book.quantityAt(side, price)
  }

  copyLevels(side: Side, limit: number, prices: Float64Array, quantities: Float64Array): number {
    return this.market.received().depth.copyBest(side, limit, prices, quantities)
  }
}

/**
 * A market as a client has received it: best prices, book, marks and state out of the lines that {@link take} was
 * given. How lines come is the business of whoever extends it.
 */
export abstract class ReceivedMarket implements MarketView {
  readonly book: BookView = new CurrentBook(this)
  protected readonly taken: TouchBook
  readonly #prices = new ReferencePrices()
  #hasBegun = false
  /** True where a silence was received and no end of it (exchange rules 6.4), as of {@link received}. */
  isSilent = false
  /** The same of a gap of a crossed book (exchange rules 6.5). */
  isCrossed = false

  constructor(exchangeTop: ExchangeTop) {
    this.taken = new TouchBook(exchangeTop)
  }

  get bestBidPrice(): number { return this.received().bestBidPrice }
  get bestBidQuantity(): number { return this.received().bestBidQuantity }
  get bestAskPrice(): number { return this.received().bestAskPrice }
  get bestAskQuantity(): number { return this.received().bestAskQuantity }
  copyTop(top: Float64Array): boolean {
    return this.received().copyTop(top)
  }

  get markPrice(): number { return this.#receivedPrices().markPrice }
  get markScale(): number { return this.#receivedPrices().markScale }
  get markDigits(): string | null { return this.#receivedPrices().markDigits }
  get indexPrice(): number { return this.#receivedPrices().indexPrice }
  get indexScale(): number { return this.#receivedPrices().indexScale }
  get indexDigits(): string | null { return this.#receivedPrices().indexDigits }

  get state(): MarketDataState {
    const { suspect } = this.received().depth
    if (this.isInGap) return 'ERROR'
    if (!suspect) return 'READY'
    return this.#hasBegun ? 'ERROR' : 'PENDING'
  }

  /** True in a gap that leaves the chain whole. */
  get isInGap(): boolean {
    return this.isSilent || this.isCrossed
  }

  /** The books with every line received so far. */
  abstract received(): TouchBook

  #receivedPrices(): ReferencePrices {
    this.received()
    return this.#prices
  }

  /** Takes lines `from` (inclusive) to `to` (exclusive) of a batch. */
  protected take(batch: EventBatch, from: number, to: number): void {
    const { kind, flags } = batch
    const received = this.taken
    for (let i = from; i < to; i++) {
      i = received.takePlain(batch, i, to)
      if (i === to) return
      const k = kind[i] as number
      const f = flags[i] as number
      if ((f & EVENT_FLAGS.SILENCE_END) !== 0) this.isSilent = false
      if ((f & EVENT_FLAGS.CROSSED_END) !== 0) this.isCrossed = false
      if (k === EVENT_KINDS.state && (f & EVENT_FLAGS.SILENCE) !== 0) this.isSilent = true
      if (k === EVENT_KINDS.state && (f & EVENT_FLAGS.CROSSED_GAP) !== 0) this.isCrossed = true
      if (k <= EVENT_KINDS.topOfBook) {
        received.apply(batch, i)
        if (k === EVENT_KINDS.snapshot) this.#hasBegun = true
      } else if (k === EVENT_KINDS.mark) this.#prices.marked(batch, i)
      else if (k === EVENT_KINDS.index) this.#prices.indexed(batch, i)
    }
  }
}
