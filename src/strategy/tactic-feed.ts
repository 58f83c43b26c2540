import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { Price } from '../model/fixed-decimal.js'
import type { MarketDataListener, MarketView, Topics, Venue } from '../venue/venue.js'
import type { CallbackGuard } from './callback-guard.js'
import type { WatchedPrices } from './tactic.js'

/** The parts that the prices of tactics need. */
export interface TacticFeedHost {
  readonly venue: Venue
  readonly guard: CallbackGuard
  /** Sends everything that waits. */
  flush(): void
  touched(instrumentId: number): void
  traded(instrumentId: number, price: Price): void
  marked(instrumentId: number): void
}

/** A feed as a checkpoint holds it. */
export interface TacticFeedState {
  readonly instrumentId: number
  readonly prices: WatchedPrices
  /** True where it was asked for while the strategy ran. */
  readonly isLate: boolean
  /** Best prices as seen last, NaN as null. */
  readonly top: readonly (number | null)[]
}

/** Topics of the prices that a tactic may watch. */
const WATCHED_TOPICS: Readonly<Record<WatchedPrices, Topics>> = {
  touch: { depth: true, topOfBook: true }, trades: { trades: true }, mark: { markPrice: true },
}

/** Receives prices of one instrument for all tactics that watch them. */
export class TacticFeed implements MarketDataListener {
  readonly subscriptionName: string
  /** Best prices as seen last, in the columns of {@link MarketView.copyTop}. */
  readonly #top: Float64Array = Float64Array.of(NaN, 0, NaN, 0, 0, 0)

  constructor(
    readonly instrumentId: number,
    readonly prices: WatchedPrices,
    readonly isLate: boolean,
    private readonly host: TacticFeedHost,
  ) {
    this.subscriptionName = `tactics ${prices}`
  }

  begin(): void {
    this.host.venue.subscribe(this.instrumentId, WATCHED_TOPICS[this.prices], this)
  }

  onState(): void {
    if (this.prices !== 'touch') return
    this.host.flush()
    this.host.touched(this.instrumentId)
  }

  onCurrent(view: MarketView): void {
    if (this.prices === 'touch' && view.copyTop(this.#top)) this.host.touched(this.instrumentId)
  }

  onEvent(batch: EventBatch, index: number, view: MarketView): void {
    const { guard } = this.host
    if (guard.hasNews) this.host.flush()
    if (guard.isOver) return
    if (this.prices === 'touch') {
      if (view.copyTop(this.#top)) this.host.touched(this.instrumentId)
    } else if (this.prices === 'mark') this.host.marked(this.instrumentId)
    else if (batch.kind[index] === EVENT_KINDS.trades) this.#sendTrades(batch, index)
  }

  state(): TacticFeedState {
    const { instrumentId, prices, isLate } = this
    return {
      instrumentId, prices, isLate, top: Array.from(this.#top, (value) => (Number.isNaN(value) ? null : value)),
    }
  }

  restore({ top }: TacticFeedState): void {
    this.#top.set(top.map((value) => value ?? NaN))
  }

  #sendTrades(batch: EventBatch, index: number): void {
    const to = batch.rowStart[index + 1] as number
    for (let row = batch.rowStart[index] as number; row < to; row++)
      this.host.traded(this.instrumentId, new Price(batch.price[row] as number, batch.priceScale))
  }
}
