import { EVENT_KINDS } from '../model/event-kind.js'
import type { EventBatch } from '../model/event-batch.js'
import { textAt } from '../model/event-batch-columns.js'
import type { MarketDataListener, MarketDataState, MarketView, Subscription, Topics } from '../venue/venue.js'

interface Subscriber {
  readonly listener: MarketDataListener
  readonly topics: Topics
  state: MarketDataState
}

const TOPIC_KINDS: readonly (readonly [topic: keyof Topics, kinds: readonly number[]])[] = [
  ['depth', [EVENT_KINDS.snapshot, EVENT_KINDS.update]],
  ['trades', [EVENT_KINDS.trades]],
  ['topOfBook', [EVENT_KINDS.topOfBook]],
  ['markPrice', [EVENT_KINDS.mark]],
  ['indexPrice', [EVENT_KINDS.index]],
  ['fundingRate', [EVENT_KINDS.funding]],
  ['liquidations', [EVENT_KINDS.liquidations]],
]

/** Who hears which lines of one instrument: a list for each kind, so that a line costs a call for each that asked for it. */
export class MarketSubscribers {
  readonly #instrumentId: number
  readonly #view: MarketView
  readonly #all: Subscriber[] = []
  readonly #byKind: Subscriber[][] = Array.from({ length: EVENT_KINDS.liquidations + 1 }, () => [])

  constructor(instrumentId: number, view: MarketView) {
    this.#instrumentId = instrumentId
    this.#view = view
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  subscribe(topics: Topics, listener: MarketDataListener): Subscription {
    const subscriber: Subscriber = { listener, topics, state: 'PENDING' }
    this.#all.push(subscriber)
    this.#index()
    return {
      unsubscribe: (): void => {
        this.#all.splice(this.#all.indexOf(subscriber), 1)
        this.#index()
      },
    }
  }

  /** Tells everybody who asked for it of one line. */
  hear(batch: EventBatch, index: number): void {
    const kind = batch.kind[index] as number
    if (kind === EVENT_KINDS.state) {
      this.#hearState(batch, index)
      return
    }
    if (kind === EVENT_KINDS.snapshot) this.#setState('READY', '')
    const subscribers = this.#byKind[kind]
    if (subscribers === undefined) return
    for (const { listener } of subscribers) listener.onEvent(batch, index, this.#view)
  }

  #hearState(batch: EventBatch, index: number): void {
    const at = batch.textStart[index] as number
    const state = textAt(batch.text, at)
    if (state === 'READY' || state === 'ERROR') this.#setState(state, textAt(batch.text, at + 1) ?? '')
  }

  #setState(state: MarketDataState, text: string): void {
    for (const subscriber of [...this.#all]) {
      if (subscriber.state === state && text === '') continue
      subscriber.state = state
      subscriber.listener.onState(this.#instrumentId, state, text)
    }
  }

  #index(): void {
    for (const list of this.#byKind) list.length = 0
    for (const [topic, kinds] of TOPIC_KINDS) {
      for (const kind of kinds) this.#byKind[kind]?.push(...this.#all.filter((subscriber) => subscriber.topics[topic] === true))
    }
  }
}
