import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { textAt } from '../model/event-batch-columns.js'
import { changesState } from '../replay/state-lines.js'
import {
  GAP_TEXT, type MarketDataListener, type MarketDataState, type MarketView, type Subscription, type Topics,
} from '../venue/venue.js'

interface Subscriber {
  readonly listener: MarketDataListener
  readonly topics: Topics
  /** Lower ones receive a line first; of equal ones who subscribed first. */
  readonly rank: number
  /** The state that was last reported. */
  state: MarketDataState
}

/** A subscription of one client of one world. */
export interface MarketSubscription extends Subscription {
  /**
   * Tells who subscribed later what the state has been before, and the market as it stands: to be called from outside
   * of any callback.
   */
  settle(): void
  /** From now on it comes behind all others of its rank. */
  moveLast(): void
  /** The state that was last reported, for a checkpoint. */
  sentState(): MarketDataState
  restore(state: MarketDataState): void
}

const TOPIC_KINDS: readonly (readonly [topic: keyof Topics, kinds: readonly number[]])[] = [
  ['depth', [EVENT_KINDS.snapshot, EVENT_KINDS.update]],
  ['trades', [EVENT_KINDS.trades]],
  ['topOfBook', [EVENT_KINDS.topOfBook]],
  ['markPrice', [EVENT_KINDS.mark]],
  ['indexPrice', [EVENT_KINDS.index]],
  ['fundingRate', [EVENT_KINDS.funding]],
  ['liquidations', [EVENT_KINDS.liquidations]],
  ['states', [EVENT_KINDS.state]],
]

const KIND_COUNT = EVENT_KINDS.liquidations + 1
const UPDATE = EVENT_KINDS.update
const STATE = EVENT_KINDS.state
const { CHAIN_GAP, SILENCE, SILENCE_END, CROSSED_GAP, CROSSED_END, UNFIT } = EVENT_FLAGS

/**
 * Who receives which lines of one instrument: a list for each kind, so that a line costs a call for each that asked for
 * it.
 */
export class MarketSubscribers {
  #all: readonly Subscriber[] = []
  /** Made anew at each change: a list in turn is never touched. */
  #byKind: readonly (readonly Subscriber[])[] = []
  #hasTopics = false
  #state: MarketDataState = 'PENDING'
  #text = ''
  /** The state by snapshots, chain and state lines alone. */
  #chain: MarketDataState = 'PENDING'
  /** Texts of a silence and of a gap of a crossed book that have not ended (exchange rules 6.4, 6.5). */
  #silence: string | null = null
  #crossed: string | null = null

  constructor(
    private readonly instrumentId: number,
    private readonly view: MarketView,
    /** Called with the line from which on the numbers of the instrument do not fit, once everybody has received it. */
    private readonly closed: () => void = () => undefined,
  ) {
    this.#index([])
  }

  /** True where nobody asked for a topic: then only lines that {@link changesState} names matter. */
  get isQuiet(): boolean {
    return !this.#hasTopics
  }

  /** State of the market data as received so far. */
  get state(): MarketDataState {
    return this.#state
  }

  /** `rank`: lower ones receive a line first, of equal ones who subscribed first. */
  subscribe(topics: Topics, listener: MarketDataListener, rank = 0): MarketSubscription {
    const subscriber: Subscriber = { listener, topics, rank, state: 'PENDING' }
    const addLast = (): void => {
      const others = this.#all.filter((other) => other !== subscriber)
      this.#index([...others, subscriber].sort((a, b) => a.rank - b.rank))
    }
    addLast()
    return {
      moveLast: addLast,
      unsubscribe: (): void => {
        listener.onRelease?.()
        this.#index(this.#all.filter((other) => other !== subscriber))
      },
      settle: (): void => this.#settle(subscriber),
      sentState: () => subscriber.state,
      restore: (state): void => {
        subscriber.state = state
      },
    }
  }

  /** Tells everybody who asked for it of one line. */
  hear(batch: EventBatch, index: number): void {
    const kind = batch.kind[index] as number
    if (changesState(batch, index) && this.#takeState(batch, index, kind)) this.#tell(this.#state, this.#text)
    const subscribers = this.#byKind[kind] as readonly Subscriber[]
    for (let i = 0; i < subscribers.length; i++)
      (subscribers[i] as Subscriber).listener.onEvent(batch, index, this.view)
    if (kind === STATE && ((batch.flags[index] as number) & UNFIT) !== 0) this.closed()
  }

  /** To be called before batches are given back or brought to other scales. */
  release(): void {
    for (const { listener } of this.#all) listener.onRelease?.()
  }

  /** Passes a line without telling anybody: where a run is taken up again. */
  replay(batch: EventBatch, index: number): void {
    if (changesState(batch, index)) this.#takeState(batch, index, batch.kind[index] as number)
  }

  #settle(subscriber: Subscriber): void {
    if (subscriber.state !== 'PENDING' || this.#state === 'PENDING') return
    subscriber.state = this.#state
    subscriber.listener.onState(this.instrumentId, this.#state, this.#text)
    if (this.#state === 'READY') subscriber.listener.onCurrent?.(this.view)
  }

  /** True where the line says anything of the state. */
  #takeState(batch: EventBatch, index: number, kind: number): boolean {
    const flags = batch.flags[index] as number
    if ((flags & SILENCE_END) !== 0) this.#silence = null
    if ((flags & CROSSED_END) !== 0) this.#crossed = null
    const gap = this.#gapText
    if (kind === STATE) {
      const isNews = this.#takeStateLine(batch, index, flags)
      if (isNews !== null) return isNews
    } else if (kind <= UPDATE && (kind !== UPDATE || (flags & CHAIN_GAP) !== 0)) {
      const isGap = (flags & CHAIN_GAP) !== 0
      this.#chain = isGap ? 'ERROR' : 'READY'
      // A snapshot leaves the state of a gap that goes on as it is.
      if (!isGap && gap !== null && this.#state === 'ERROR' && this.#text === gap) return false
      return this.#set(isGap ? 'ERROR' : gap === null ? 'READY' : 'ERROR', isGap ? GAP_TEXT : (gap ?? ''))
    }
    // A line that leaves the chain whole ends a gap: the state is what it would be without.
    if ((flags & (SILENCE_END | CROSSED_END)) === 0 || this.#chain === 'ERROR') return false
    const state = gap === null ? this.#chain : 'ERROR'
    return state === this.#state && (gap ?? '') === this.#text ? false : this.#set(state, gap ?? '')
  }

  /** Of a state line: whether it is news; null where it states nothing that is known. */
  #takeStateLine(batch: EventBatch, index: number, flags: number): boolean | null {
    const at = batch.textStart[index] as number
    const state = textAt(batch.text, at)
    const text = textAt(batch.text, at + 1) ?? ''
    if (state !== 'READY' && state !== 'ERROR') return null
    // Where the book is unknown already a gap is no news.
    const isUnknown = this.#state === 'ERROR'
    if ((flags & CROSSED_GAP) !== 0) this.#crossed = text
    else if ((flags & SILENCE) !== 0) {
      if (this.#chain !== 'ERROR') this.#silence = text
    } else {
      this.#chain = state
      return state === 'READY' && this.#gapText !== null ? false : this.#set(state, text)
    }
    return isUnknown ? false : this.#set('ERROR', text)
  }

  /** The gap of a whole chain that is on, a crossed book first; null for none. */
  get #gapText(): string | null {
    return this.#crossed ?? this.#silence
  }

  #set(state: MarketDataState, text: string): boolean {
    this.#state = state
    this.#text = text
    return true
  }

  #tell(state: MarketDataState, text: string): void {
    for (const subscriber of this.#all) {
      if (subscriber.state === state && text === '') continue
      subscriber.state = state
      subscriber.listener.onState(this.instrumentId, state, text)
    }
  }

  #index(all: readonly Subscriber[]): void {
    this.#all = all
    const byKind: Subscriber[][] = Array.from({ length: KIND_COUNT }, () => [])
    for (const [topic, kinds] of TOPIC_KINDS) {
      const asking = all.filter((subscriber) => subscriber.topics[topic] === true)
      for (const kind of kinds) byKind[kind]?.push(...asking)
    }
    this.#byKind = byKind
    this.#hasTopics = byKind.some((list) => list.length > 0)
  }
}
