import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import type { AccountState, AmendEntry, CancelAllRequest, CancelEntry, Capabilities, PlaceEntry, ReplaceEntry } from '../venue/messages.js'
import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import type { Account } from './account.js'
import type { AdapterMemory } from './adapter-memory.js'
import type { OrderLatency } from './order-latency.js'
import type { RequestHandler } from './request-handler.js'
import type { ChannelState, ClientMessage, LaneState, OrderRequest, WorldConfig, WorldMessage, WorldObserver } from './world-config.js'

/** What a channel needs of its world. */
export interface ChannelHost {
  readonly config: WorldConfig
  readonly handler: RequestHandler
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
  /** How late the feed of an instrument is, as heard by clients or as it left the exchange. */
  feedLatencyNs(instrumentId: number, way: 'request' | 'response'): number
}

/** What a channel is made of. */
export interface ClientChannelOptions {
  readonly world: ChannelHost
  readonly clientId: string
  readonly account: Account
  readonly adapter: AdapterMemory
  readonly listener: OrderEntryListener
  readonly nowNs: () => number
  readonly observer: WorldObserver
}

const EXCHANGE_REQUESTS = 1
const LOCAL_RESPONSES = 4

/** One direction of a client's way: first in, first out, also among messages of one arrival (exchange rules 1.2). */
class Lane {
  readonly #random: RandomNumbers
  #count = 0
  #lastArrivalNs = -Infinity
  #lastInstrumentId = 0

  constructor(random: RandomNumbers) {
    this.#random = random
  }

  /** When a message that leaves now arrives, and the instrument by which it is ordered then. */
  carry(latency: OrderLatency, timeNs: number, feedLatencyNs: number, instrumentId: number): readonly [arrivalNs: number, orderedBy: number] {
    const latencyNs = latency.latencyNs({ timeNs, number: this.#count++, feedLatencyNs, random: this.#random })
    if (!Number.isSafeInteger(latencyNs) || latencyNs < 0) {
      throw new BacktapeError('OPTION_INVALID', `Cannot send a message with the latency ${latency.name}: it must give whole nanoseconds from 0, found ${String(latencyNs)}`, {
        field: 'latency', expected: 'whole nanoseconds from 0', found: String(latencyNs),
      })
    }
    const arrival = timeNs + latencyNs
    const isLater = arrival > this.#lastArrivalNs
    this.#lastInstrumentId = isLater ? instrumentId : Math.max(instrumentId, this.#lastInstrumentId)
    if (isLater) this.#lastArrivalNs = arrival
    return [this.#lastArrivalNs, this.#lastInstrumentId]
  }

  /** The instrument of the last message: what a message of no instrument goes by. */
  get lastInstrumentId(): number {
    return this.#lastInstrumentId
  }

  state(): LaneState {
    return { count: this.#count, lastArrivalNs: Number.isFinite(this.#lastArrivalNs) ? this.#lastArrivalNs : null, lastInstrumentId: this.#lastInstrumentId }
  }

  restore(state: LaneState): void {
    this.#count = state.count
    this.#lastArrivalNs = state.lastArrivalNs ?? -Infinity
    this.#lastInstrumentId = state.lastInstrumentId
  }
}

/** One client's way to the exchange and back: each direction first in, first out (exchange rules 1.2). */
export class ClientChannel implements OrderEntry {
  readonly clientId: string
  readonly accountId: string
  readonly capabilities: Capabilities
  readonly #options: ClientChannelOptions
  readonly #requests: Lane
  readonly #responses: Lane

  constructor(options: ClientChannelOptions) {
    this.#options = options
    this.clientId = options.clientId
    this.capabilities = options.adapter.capabilities
    this.accountId = options.account.config.accountId
    const { seed } = options.world.config.assumptions
    this.#requests = new Lane(new RandomNumbers(seed, `request-latency ${this.accountId} ${this.clientId}`, 0))
    this.#responses = new Lane(new RandomNumbers(seed, `response-latency ${this.accountId} ${this.clientId}`, 0))
  }

  get initial(): AccountState {
    const { world, account, nowNs } = this.#options
    const now = nowNs()
    return {
      status: 'OK',
      message: '',
      orders: world.handler.openReports(this.accountId, now),
      positions: [...account.positions.values()].map((position) => account.positionMessage(position.entry, now)),
      wallets: account.walletMessages(now),
      capabilities: this.capabilities,
    }
  }

  place(entries: readonly PlaceEntry[]): void {
    const instrumentId = entries[0]?.instrumentId
    if (instrumentId === undefined) return
    this.#journal({ kind: 'place', entries })
    const { kept, refused } = this.#options.adapter.place(entries)
    if (refused.length > 0) this.#refuse(instrumentId, (adapterTimeNs) => ({ kind: 'placeResponse', results: refused, adapterTimeNs }))
    if (kept.length > 0) this.#request(instrumentId, { kind: 'place', entries: kept })
  }

  amend(entries: readonly AmendEntry[]): void {
    if (entries.length === 0) return
    this.#journal({ kind: 'amend', entries })
    const instrumentId = this.#instrumentOf(entries[0]?.ownOrderId)
    const { kept, refused } = this.#options.adapter.amend(entries)
    if (refused.length > 0) this.#refuse(instrumentId, (adapterTimeNs) => ({ kind: 'amendResponse', results: refused, adapterTimeNs }))
    if (kept.length > 0) this.#request(instrumentId, { kind: 'amend', entries: kept })
  }

  replace(entries: readonly ReplaceEntry[]): void {
    if (entries.length === 0) return
    this.#journal({ kind: 'replace', entries })
    const instrumentId = this.#instrumentOf(entries[0]?.currentOwnOrderId)
    const { kept, refused } = this.#options.adapter.replace(entries)
    if (refused.length > 0) this.#refuse(instrumentId, (adapterTimeNs) => ({ kind: 'replaceResponse', results: refused, adapterTimeNs }))
    if (kept.length > 0) this.#request(instrumentId, { kind: 'replace', entries: kept })
  }

  cancel(entries: readonly CancelEntry[]): void {
    if (entries.length === 0) return
    this.#journal({ kind: 'cancel', entries })
    this.#request(this.#instrumentOf(entries[0]?.ownOrderId), { kind: 'cancel', entries })
  }

  cancelAll(request: CancelAllRequest): void {
    this.#journal({ kind: 'cancelAll', ...request })
    this.#request(0, { kind: 'cancelAll', ...request })
  }

  /** Sends a message from the exchange to this client. */
  answer(exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    const { world } = this.#options
    const { responseLatency } = world.config.assumptions
    const lane = this.#responses
    const [arrival, orderedBy] = lane.carry(responseLatency, exchangeTimeNs, world.feedLatencyNs(instrumentId || lane.lastInstrumentId, 'response'), instrumentId)
    world.send(arrival, LOCAL_RESPONSES, orderedBy, { way: 'response', accountId: this.accountId, clientId: this.clientId, message: message(arrival) })
  }

  /** Hands a message that has arrived to the client. */
  deliver(timeNs: number, message: ClientMessage): void {
    const { observer, listener } = this.#options
    observer.delivered(this.clientId, timeNs, message, this.accountId)
    switch (message.kind) {
      case 'placeResponse': return listener.onPlaceResponse(message.results, message.adapterTimeNs)
      case 'amendResponse': return listener.onAmendResponse(message.results, message.adapterTimeNs)
      case 'replaceResponse': return listener.onReplaceResponse(message.results, message.adapterTimeNs)
      case 'cancelResponse': return listener.onCancelResponse(message.results, message.adapterTimeNs)
      case 'cancelAllResponse': return listener.onCancelAllResponse(message.response)
      case 'orderUpdate': return listener.onOrderUpdate(message.orders, message.adapterTimeNs)
      case 'fill': return listener.onFill(message.fills, message.adapterTimeNs)
      case 'positionUpdate': return listener.onPositionUpdate(message.positions, message.adapterTimeNs)
      case 'walletUpdate': return listener.onWalletUpdate(message.wallets, message.adapterTimeNs)
    }
  }

  state(): ChannelState {
    return { accountId: this.accountId, clientId: this.clientId, requests: this.#requests.state(), responses: this.#responses.state() }
  }

  restore(state: ChannelState): void {
    this.#requests.restore(state.requests)
    this.#responses.restore(state.responses)
  }

  #instrumentOf(ownOrderId: string | undefined): number {
    return ownOrderId === undefined ? 0 : this.#options.adapter.instrumentOf(ownOrderId)
  }

  #journal(request: OrderRequest): void {
    this.#options.observer.requested(this.clientId, this.#options.nowNs(), request, this.accountId)
  }

  /** The adapter's own refusal: at the same instant, without the exchange's leg. */
  #refuse(instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    const { world, nowNs } = this.#options
    const now = nowNs()
    world.send(now, LOCAL_RESPONSES, instrumentId, { way: 'response', accountId: this.accountId, clientId: this.clientId, message: message(now) })
  }

  #request(instrumentId: number, request: OrderRequest): void {
    const { world, nowNs } = this.#options
    const { requestLatency } = world.config.assumptions
    const lane = this.#requests
    const [arrival, orderedBy] = lane.carry(requestLatency, nowNs(), world.feedLatencyNs(instrumentId || lane.lastInstrumentId, 'request'), instrumentId)
    world.send(arrival, EXCHANGE_REQUESTS, orderedBy, { way: 'request', accountId: this.accountId, clientId: this.clientId, request })
  }
}
