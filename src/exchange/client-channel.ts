import type { RandomNumbers } from '../model/random.js'
import type { AccountState, AmendEntry, CancelAllRequest, CancelEntry, Capabilities, PlaceEntry, ReplaceEntry } from '../venue/messages.js'
import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import type { Account } from './account.js'
import { SIMULATED_CAPABILITIES } from './adapter-checks.js'
import type { RequestHandler } from './request-handler.js'
import type { ClientMessage, OrderRequest, WorldConfig, WorldMessage, WorldObserver } from './world-config.js'

/** What a channel needs of its world. */
export interface ChannelHost {
  readonly config: WorldConfig
  readonly handler: RequestHandler
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
}

/** What a channel is made of. */
export interface ClientChannelOptions {
  readonly world: ChannelHost
  readonly clientId: string
  readonly account: Account
  readonly listener: OrderEntryListener
  readonly nowNs: () => number
  readonly observer: WorldObserver
  readonly random: RandomNumbers
}

const EXCHANGE_REQUESTS = 1
const LOCAL_RESPONSES = 4

/** One client's way to the exchange and back: each direction first in, first out (exchange rules 1.2). */
export class ClientChannel implements OrderEntry {
  readonly clientId: string
  readonly accountId: string
  readonly capabilities: Capabilities = SIMULATED_CAPABILITIES
  readonly #options: ClientChannelOptions
  #requestCount = 0
  #responseCount = 0
  #lastRequestArrivalNs = -Infinity
  #lastResponseArrivalNs = -Infinity

  constructor(options: ClientChannelOptions) {
    this.#options = options
    this.clientId = options.clientId
    this.accountId = options.account.config.accountId
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
    const { kept, refused } = this.#options.world.handler.checkPlace(this.accountId, entries)
    this.#journal({ kind: 'place', entries })
    if (refused.length > 0) this.#refuse(instrumentId, { kind: 'placeResponse', results: refused, adapterTimeNs: this.#options.nowNs() })
    if (kept.length > 0) this.#request(instrumentId, { kind: 'place', entries: kept })
  }

  amend(entries: readonly AmendEntry[]): void {
    this.#journal({ kind: 'amend', entries })
    this.#request(0, { kind: 'amend', entries })
  }

  replace(entries: readonly ReplaceEntry[]): void {
    this.#journal({ kind: 'replace', entries })
    this.#request(0, { kind: 'replace', entries })
  }

  cancel(entries: readonly CancelEntry[]): void {
    this.#journal({ kind: 'cancel', entries })
    this.#request(0, { kind: 'cancel', entries })
  }

  cancelAll(request: CancelAllRequest): void {
    this.#journal({ kind: 'cancelAll', ...request })
    this.#request(0, { kind: 'cancelAll', ...request })
  }

  /** Sends a message from the exchange to this client. */
  answer(exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    const { world } = this.#options
    const latency = world.config.assumptions.responseLatency.latencyNs({ timeNs: exchangeTimeNs, number: this.#responseCount++, feedLatencyNs: 0 })
    const arrival = Math.max(exchangeTimeNs + latency, this.#lastResponseArrivalNs)
    this.#lastResponseArrivalNs = arrival
    world.send(arrival, LOCAL_RESPONSES, instrumentId, { way: 'response', clientId: this.clientId, message: message(arrival) })
  }

  /** Hands a message that has arrived to the client. */
  deliver(timeNs: number, message: ClientMessage): void {
    const { observer, listener } = this.#options
    observer.delivered(this.clientId, timeNs, message)
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

  #journal(request: OrderRequest): void {
    this.#options.observer.requested(this.clientId, this.#options.nowNs(), request)
  }

  /** The adapter's own refusal: at the same instant, without the exchange's leg. */
  #refuse(instrumentId: number, message: ClientMessage): void {
    const { world, nowNs } = this.#options
    world.send(nowNs(), LOCAL_RESPONSES, instrumentId, { way: 'response', clientId: this.clientId, message })
  }

  #request(instrumentId: number, request: OrderRequest): void {
    const { world, nowNs } = this.#options
    const now = nowNs()
    const latency = world.config.assumptions.requestLatency.latencyNs({ timeNs: now, number: this.#requestCount++, feedLatencyNs: 0 })
    const arrival = Math.max(now + latency, this.#lastRequestArrivalNs)
    this.#lastRequestArrivalNs = arrival
    world.send(arrival, EXCHANGE_REQUESTS, instrumentId, { way: 'request', clientId: this.clientId, request })
  }
}
