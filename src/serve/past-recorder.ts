import type { PastLines } from '../feed/feed-source.js'
import { KeptLine } from '../feed/kept-line.js'
import type { MarketSubscribers, MarketSubscription } from '../simulation/market-subscribers.js'
import type { MarketDataState } from '../venue/venue.js'

/** Topics of which the last line says how a market stands. */
const CURRENT_TOPICS = { depth: true, topOfBook: true, markPrice: true, indexPrice: true, fundingRate: true }

/** Remembers the last line of each kind of an instrument, and its state, until the replay begins. */
export class PastRecorder {
  readonly #kept: Map<number, KeptLine> = new Map()
  readonly #subscription: MarketSubscription
  #state: MarketDataState = 'PENDING'
  #text = ''

  constructor(subscribers: MarketSubscribers) {
    this.#subscription = subscribers.subscribe(CURRENT_TOPICS, {
      onEvent: (batch, index) => {
        const kind = batch.kind[index] as number
        const line = this.#kept.get(kind) ?? new KeptLine()
        // Put in anew: of an update and a snapshot the later one is the last.
        this.#kept.delete(kind)
        this.#kept.set(kind, line)
        line.set(batch, index)
      },
      onState: (_id, state, text) => {
        this.#state = state
        this.#text = text
      },
      onRelease: () => { for (const line of this.#kept.values()) line.own() },
    })
  }

  /** The lines of before, in their order. */
  get past(): PastLines {
    const lines = [...this.#kept.values()].flatMap(({ batch, index }) => (batch === null ? [] : [{ batch, index }]))
    return { lines, state: this.#state, text: this.#text }
  }

  /** The replay begins now: nothing more is recorded. */
  end(): void {
    this.#subscription.unsubscribe()
  }
}
