import type { EventBatch } from '../model/event-batch.js'
import type { MarketDataListener, MarketDataState, MarketView, Subscription, Topics, Venue } from '../venue/venue.js'
import { absentMarket } from './absent-market.js'
import { takeView, type DataInstrument } from './data-instrument.js'
import type { MarketCallbacks } from './market-callbacks.js'

/** The parts of its owner that a subscription needs. */
export interface SubscriptionHost {
  readonly venue: Venue
  /** Sends everything that waits: it comes before whatever is received now. */
  readonly flush: () => void
}

/**
 * One instrument that is subscribed while its strategy runs: what it receives reaches the callbacks only as long as it
 * is subscribed.
 */
export class DynamicSubscription implements MarketDataListener {
  readonly subscriptionName = 'dynamic'
  state: MarketDataState = 'PENDING'
  #subscription: Subscription | null = null
  #isOpen = false

  constructor(readonly callbacks: MarketCallbacks, private readonly host: SubscriptionHost) {}

  get instrument(): DataInstrument {
    return this.callbacks.instrument
  }

  /** True where it is subscribed, or is to be as soon as the strategy has started. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** From now on it counts as subscribed; nothing is seen of the market before the venue says so. */
  open(): void {
    this.#isOpen = true
    this.#take('PENDING')
  }

  /** Asks the venue for it. */
  begin(topics: Topics): void {
    if (this.#isOpen) this.#subscription ??= this.host.venue.subscribe(this.instrument.id, topics, this)
  }

  /** Ends it: nothing more is received or seen. */
  close(state: MarketDataState): void {
    this.#isOpen = false
    this.#subscription?.unsubscribe()
    this.#subscription = null
    this.#take(state)
  }

  /** Takes over what a checkpoint holds. */
  restore(state: MarketDataState, isOpen: boolean): void {
    this.#isOpen = isOpen
    this.#take(state)
  }

  onEvent(batch: EventBatch, index: number, view: MarketView): void {
    if (this.#isOpen) this.callbacks.onEvent(batch, index, view)
  }

  onState(instrumentId: number, state: MarketDataState, text: string): void {
    if (!this.#isOpen) return
    this.host.flush()
    if (state === 'FAILED' || state === 'GONE') this.close(state)
    else this.#take(state)
    this.callbacks.onState(instrumentId, state, text)
  }

  onRelease(): void {
    this.callbacks.onRelease()
  }

  onCurrent(view: MarketView): void {
    if (this.#isOpen) this.callbacks.sendCurrent(view)
  }

  #take(state: MarketDataState): void {
    const isSeen = state === 'READY' || state === 'ERROR'
    this.state = state
    takeView(this.instrument, isSeen ? this.host.venue.market(this.instrument.id) : absentMarket(state))
  }
}
