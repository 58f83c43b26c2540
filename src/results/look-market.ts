import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { factorBetween } from '../model/scale-factor.js'
import type { LivePoint } from '../panels/live-look.js'
import type { MarketDataListener, Subscription, Topics } from '../venue/venue.js'
import type { InstrumentTrack, TrackScales } from './stretch-track.js'

/** Trades of one look at most: the last ones. */
const TRADES_MAX = 60
const TOPICS: Topics = { depth: true, trades: true, topOfBook: true }

/** The best prices of a market, as its clients have received them. */
export interface LookedTop {
  /** Best bid price and quantity, best ask price and quantity, both scales; whether any of the four is another one. */
  copyTop(top: Float64Array): boolean
}

/**
 * One instrument between two looks: its least bid and its greatest ask, and its last public trades. It is called for
 * each line while somebody watches, so that it makes no object of one.
 */
export class LookMarket implements MarketDataListener {
  readonly #top: Float64Array = new Float64Array([NaN, 0, NaN, 0, 0, 0])
  #scale = 0
  #low = NaN
  #high = NaN
  readonly #sides: Uint8Array = new Uint8Array(TRADES_MAX)
  readonly #prices: Float64Array = new Float64Array(TRADES_MAX)
  readonly #quantities: Float64Array = new Float64Array(TRADES_MAX)
  readonly #priceScales: Uint8Array = new Uint8Array(TRADES_MAX)
  readonly #quantityScales: Uint8Array = new Uint8Array(TRADES_MAX)
  readonly #timesNs: Float64Array = new Float64Array(TRADES_MAX)
  #tradeCount = 0
  readonly #subscription: Subscription

  /** Listens from here on. */
  constructor(
    private readonly view: LookedTop,
    { subscribe }: { readonly subscribe: (topics: Topics, listener: MarketDataListener) => Subscription },
    private readonly nowNs: () => number,
  ) {
    this.#look()
    this.#subscription = subscribe(TOPICS, this)
  }

  onEvent(batch: EventBatch, index: number): void {
    if (batch.kind[index] === EVENT_KINDS.trades) this.#traded(batch, index)
    else this.#look()
  }

  onState(): void {
    // A look sees the state.
  }

  /** The finest scales of its trades and best prices. */
  get scales(): TrackScales {
    const count = Math.min(this.#tradeCount, TRADES_MAX)
    let [price, quantity] = [this.#top[4] as number, this.#top[5] as number]
    for (let at = 0; at < count; at++) {
      price = Math.max(price, this.#priceScales[at] as number)
      quantity = Math.max(quantity, this.#quantityScales[at] as number)
    }
    return { price, quantity }
  }

  /** Hands over its trades, under an event, and its prices since it was asked before. */
  take(event: number, track: InstrumentTrack): LivePoint['prices'][number] {
    this.#look()
    const first = Math.max(0, this.#tradeCount - TRADES_MAX)
    for (let trade = first; trade < this.#tradeCount; trade++) {
      const at = trade % TRADES_MAX
      track.tradedRow(event, this.#sides[at] as number, this.#prices[at] as number, this.#quantities[at] as number, {
        price: this.#priceScales[at] as number, quantity: this.#quantityScales[at] as number,
      }, this.#timesNs[at] as number)
    }
    this.#tradeCount = 0
    const factor = factorBetween(this.#scale, track.scales.price)
    const [bid, ask] = [this.#top[0] as number, this.#top[2] as number]
    const [low, high] = [this.#low, this.#high]
    this.#low = bid
    this.#high = ask
    const mid = (bid + ask) / 2
    return Number.isNaN(mid) ? null : [low * factor, high * factor, mid * factor]
  }

  /** Listens no more. */
  end(): void {
    this.#subscription.unsubscribe()
  }

  #look(): void {
    const top = this.#top
    if (!this.view.copyTop(top)) return
    const scale = top[4] as number
    if (scale !== this.#scale) {
      const factor = factorBetween(this.#scale, scale)
      this.#low *= factor
      this.#high *= factor
      this.#scale = scale
    }
    const [bid, ask] = [top[0] as number, top[2] as number]
    if (bid < this.#low || Number.isNaN(this.#low)) this.#low = bid
    if (ask > this.#high || Number.isNaN(this.#high)) this.#high = ask
  }

  #traded(batch: EventBatch, index: number): void {
    const end = batch.rowStart[index + 1] as number
    const nowNs = this.nowNs()
    for (let row = Math.max(batch.rowStart[index] as number, end - TRADES_MAX); row < end; row++) {
      const at = this.#tradeCount++ % TRADES_MAX
      this.#sides[at] = batch.side[row] as number
      this.#prices[at] = batch.price[row] as number
      this.#quantities[at] = batch.quantity[row] as number
      this.#priceScales[at] = batch.priceScale
      this.#quantityScales[at] = batch.quantityScale
      this.#timesNs[at] = nowNs
    }
  }
}
