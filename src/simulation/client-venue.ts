import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import { DrawnId, type Id } from '../model/id.js'
import type {
  Clock, InstrumentDirectory, MarketDataListener, MarketDataState, MarketView, OrderEntry, OrderEntryListener,
  Subscription, Timers, Topics, UnderlyingDirectory, Venue,
} from '../venue/venue.js'
import type { SignalRow } from '../model/signal-row.js'
import {
  frozenMessage, type ChannelListener, type ChannelSource, type ChannelType, type MessageRecord, type SentMessage,
} from '../venue/channels.js'
import type { SignalListener, SignalSource } from '../venue/signals.js'
import type { MarketSubscribers, MarketSubscription } from './market-subscribers.js'

/** The subscriptions by which a world's journal receives states, by instrument. */
export type Witnesses = Map<number, MarketSubscription>

/** The parts of one client's venue. */
export interface ClientVenueOptions {
  readonly clientId: string
  readonly seed: number
  readonly clock: Clock
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /** Logs it in to an account. */
  readonly connect: (accountId: string, listener: OrderEntryListener) => OrderEntry
  readonly views: Pick<ReadonlyMap<number, MarketView>, 'get'>
  readonly subscribers: Pick<ReadonlyMap<number, MarketSubscribers>, 'get'>
  /** True where ids come back as texts, as they do over sockets; default false. */
  readonly hasTextIds?: boolean
  /** Its place among the clients of its world: the order in which they receive a line; default 0. */
  readonly rank?: number
  /** Instruments whose states `onState` receives, for any client of its world; its own are added. Default: none. */
  readonly witnesses?: Witnesses
  /** Names of the signals of the run, in their order; default none. */
  readonly signalNames?: readonly string[]
  /** Channels of which the run has messages in files, in their order; default none. */
  readonly awaitedChannels?: readonly string[]
  /** Called with each message that the client publishes. */
  readonly onPublish?: (channel: string, message: string, record: MessageRecord | undefined) => void
  /** Called with name and type of each channel that it opens; what it throws keeps the channel closed. */
  readonly onOpenChannel?: (channel: string, type: ChannelType) => void
  /** Receives the states of every instrument that the client asks for, before the client does. */
  readonly onState: (instrumentId: number, state: MarketDataState, text: string) => void
}

/** A venue as a checkpoint holds it. */
export interface ClientVenueState {
  /** The random numbers of its ids, and how many it had. */
  readonly random: RandomNumbers
  readonly idCount: number
  /** Its subscriptions by instrument, in the order of subscribing, with the states that they were last sent. */
  readonly sent: readonly (readonly [
    instrumentId: number, own: readonly (readonly [name: string, state: MarketDataState])[],
  ])[]
  /** States that `onState` received last, of instruments that no client of its world had asked for before. */
  readonly witnessed: readonly (readonly [instrumentId: number, state: MarketDataState])[]
  /** Messages of other clients of this instant that wait for its turn. */
  readonly waitingMessages: readonly AddressedMessage[]
}

/** A message of a channel. */
interface AddressedMessage {
  readonly channel: string
  readonly message: SentMessage
}

/** A subscription, and its name in a checkpoint. */
interface NamedSubscription {
  readonly name: string
  readonly subscription: MarketSubscription
}

/** The journal receives states before every client. */
const WITNESS_RANK = -1

/** The venue contract over a market that is received, in a replay or over sockets: one client. */
export class ClientVenue implements Venue {
  readonly clock: Clock
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  readonly signals?: SignalSource
  readonly channels: ChannelSource
  #random: RandomNumbers
  readonly #subscriptions: Map<number, readonly NamedSubscription[]> = new Map()
  /** Instruments that it has asked for. */
  readonly #asked: Set<number> = new Set()
  /** The same, ascending; null where that is to be made. */
  #askedIds: readonly number[] | null = null
  /** Those of them of which it was the first in its world to ask. */
  readonly #witnessed: Set<number> = new Set()
  readonly #witnesses: Witnesses
  readonly #settling: Timers
  readonly #signalListeners: SignalListener[] = []
  readonly #channelListeners: Map<string, ChannelListener> = new Map()
  #waiting: AddressedMessage[] = []
  readonly #receiving: Timers
  #idCount = 0

  constructor(private readonly options: ClientVenueOptions) {
    this.clock = options.clock
    this.instruments = options.instruments
    this.underlyings = options.underlyings
    this.#witnesses = options.witnesses ?? new Map<number, MarketSubscription>()
    this.#random = new RandomNumbers(options.seed, `id ${options.clientId}`, 0)
    const { signalNames: names = [] } = options
    if (names.length > 0)
      this.signals = { names, subscribe: (listener): void => { this.#signalListeners.push(listener) } }
    const { awaitedChannels: awaited = [] } = options
    this.channels = {
      ...(awaited.length === 0 ? {} : { awaited }),
      open: (channel, listener, type = 'String'): void => {
        options.onOpenChannel?.(channel, type)
        this.#channelListeners.set(channel, listener)
      },
      publish: (channel, message, record): void => { options.onPublish?.(channel, message, record) },
    }
    this.#receiving = options.clock.timers(`${options.clientId} channels`, () => {
      for (const { channel, message } of this.#waiting.splice(0)) this.playMessage(channel, message)
    })
    this.#settling = options.clock.timers(`${options.clientId} states`, (name) => {
      const id = Number(name)
      if (this.#witnessed.has(id)) this.#witnesses.get(id)?.settle()
      for (const { subscription } of this.#of(id)) subscription.settle()
    })
  }

  /** Instruments that the client has asked for, ascending: what it read depends on them alone. */
  get instrumentIds(): readonly number[] {
    return (this.#askedIds ??= [...this.#asked].sort((a, b) => a - b))
  }

  market(instrumentId: number): MarketView {
    const view = this.options.views.get(instrumentId)
    if (view === undefined) {
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot read the market of instrument ${instrumentId}: the run has no data of it`,
        { field: 'instrument', found: String(instrumentId) },
      )
    }
    this.#witness(instrumentId)
    return view
  }

  subscribe(instrumentId: number, topics: Topics, listener: MarketDataListener): Subscription {
    this.market(instrumentId)
    return this.#subscribe(instrumentId, topics, listener)
  }

  orderEntry(accountId: string, listener: OrderEntryListener): OrderEntry {
    return this.options.connect(accountId, listener)
  }

  /** Passes a row of a signal on to the client. */
  playSignal(name: string, row: SignalRow): void {
    for (const listener of this.#signalListeners) listener.onSignal(name, row)
  }

  /** Passes a message of a channel on to the client, where it has the channel open. */
  playMessage(channel: string, message: SentMessage): void {
    this.#channelListeners.get(channel)?.onChannelMessage(channel, message)
  }

  /** The same within this instant, but never inside the call: another client of its world has published it. */
  receiveMessage(channel: string, message: SentMessage): void {
    if (!this.#channelListeners.has(channel)) return
    this.#waiting.push({ channel, message })
    this.#receiving.at(this.clock.nowNs(), 'messages')
  }

  /** A version 4 UUID out of the seed, the client and how many it had before. */
  newId(): Id {
    const id = new DrawnId(this.#random, this.#idCount++)
    return this.options.hasTextIds === true ? id.toString() : id
  }

  state(): ClientVenueState {
    return {
      random: this.#random,
      idCount: this.#idCount,
      sent: [...this.#subscriptions].map(([id, own]) => (
        [id, own.map(({ name, subscription }) => [name, subscription.sentState()])])),
      witnessed: [...this.#witnessed].map((id) => [id, this.#witnesses.get(id)?.sentState() ?? 'PENDING']),
      waitingMessages: [...this.#waiting],
    }
  }

  /** Takes a state back; whoever had subscribed has subscribed again, those of one name in the same order. */
  restore({ random, idCount, sent, witnessed, waitingMessages }: ClientVenueState): void {
    this.#random = random
    this.#waiting = waitingMessages.map(({ channel, message }) => ({ channel, message: frozenMessage(message) }))
    this.#idCount = idCount
    for (const [id, states] of sent) {
      // What was asked for once is part of the run, though nobody is subscribed to it now.
      this.#witness(id)
      this.#restoreOrder(id, states)
    }
    for (const [id, state] of witnessed) {
      this.#witness(id)
      // Now another client of the world may have been the first to ask.
      this.#witnesses.get(id)?.restore(state)
    }
  }

  /** Puts late subscriptions, and those made again, behind what was there before them: as it was. */
  #restoreOrder(instrumentId: number, saved: ClientVenueState['sent'][number][1]): void {
    const now = this.#of(instrumentId)
    const left = [...now]
    const before: NamedSubscription[] = []
    for (const [name, state] of saved) {
      const at = left.findIndex((one) => one.name === name)
      for (const found of at < 0 ? [] : left.splice(at, 1)) {
        found.subscription.restore(state)
        before.push(found)
      }
    }
    const own = [...before, ...left]
    if (own.every((one, at) => one === now[at])) return
    for (const { subscription } of own) subscription.moveLast()
    this.#subscriptions.set(instrumentId, own)
  }

  close(): Promise<void> {
    for (const own of this.#subscriptions.values()) for (const { subscription } of own) subscription.unsubscribe()
    for (const id of this.#witnessed) this.#witnesses.get(id)?.unsubscribe()
    this.#witnessed.clear()
    this.#subscriptions.clear()
    this.#signalListeners.length = 0
    this.#channelListeners.clear()
    this.#waiting = []
    return Promise.resolve()
  }

  /** The client's journal receives an instrument's states from the moment on when the client first asked for it. */
  #witness(instrumentId: number): void {
    if (this.#asked.has(instrumentId)) return
    this.#asked.add(instrumentId)
    this.#askedIds = null
    const subscribers = this.options.subscribers.get(instrumentId)
    if (this.#witnesses.has(instrumentId) || subscribers === undefined) return
    this.#witnessed.add(instrumentId)
    const listener = { onEvent: () => {}, onState: this.options.onState }
    this.#witnesses.set(instrumentId, subscribers.subscribe({}, listener, WITNESS_RANK))
    this.#settleLater(instrumentId, subscribers)
  }

  // Who subscribes in the middle of a day is sent the state that stands, within the same instant but never inside
  // the call.
  #subscribe(
    instrumentId: number, topics: Topics, listener: MarketDataListener,
  ): Subscription {
    const subscribers = this.options.subscribers.get(instrumentId)
    if (subscribers === undefined) return { unsubscribe: (): void => {} }
    const subscription = subscribers.subscribe(topics, listener, this.options.rank ?? 0)
    const named = { name: listener.subscriptionName ?? '', subscription }
    this.#subscriptions.set(instrumentId, [...this.#of(instrumentId), named])
    this.#settleLater(instrumentId, subscribers)
    return {
      unsubscribe: (): void => {
        this.#subscriptions.set(instrumentId, this.#of(instrumentId).filter((other) => other !== named))
        subscription.unsubscribe()
      },
    }
  }

  #settleLater(instrumentId: number, { state }: MarketSubscribers): void {
    if (state !== 'PENDING') this.#settling.at(this.clock.nowNs(), String(instrumentId))
  }

  #of(instrumentId: number): readonly NamedSubscription[] {
    return this.#subscriptions.get(instrumentId) ?? []
  }
}
