import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import type {
  AmendEntry, CancelAllRequest, CancelEntry, FillContextEntry, OrderContextEntry, PlaceEntry, ReplaceEntry,
} from '../venue/messages.js'
import { deliverMessage } from '../venue/message-delivery.js'
import type { OpeningTerms, OrderEntry, OrderEntryListener } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import type { AccountStatements } from './accounts/account-statements.js'
import { adapterError } from './adapter/adapter-checks.js'
import type { AdapterGate } from './adapter/adapter-gate.js'
import type { AdapterOrderIndex, Admission, Sorted } from './adapter/adapter-order-index.js'
import { LatencyQueue } from './adapter/order-latency.js'
import { openingTermsOf } from './risk/pre-trade.js'
import type { OrderGateway } from './order-gateway.js'
import type { Addressee, WorldConfig, WorldMessage, ChannelState, WorldObserver } from './world-config.js'
import type { ClientMessage, ClientRequest, OrderRequest } from '../venue/order-messages.js'
import type { AccountState, Capabilities } from '../venue/account-messages.js'

/** The parts of its world that a channel needs. */
interface ChannelHost {
  readonly config: WorldConfig
  readonly handler: OrderGateway
  statementsOf(account: Account): AccountStatements
  send(timeNs: number, phase: number, instrumentId: number, message: WorldMessage): void
  /** The feed latency of an instrument, as received by clients or as it left the exchange. */
  feedLatencyNs(instrumentId: number, way: 'request' | 'response'): number
  /** An account's requests may have changed its rate-limit loads. */
  loadsChanged(accountId: string, timeNs: number, instrumentId: number): void
}

/** The parts of a channel. */
export interface ClientChannelOptions {
  readonly world: ChannelHost
  readonly clientId: string
  readonly account: Account
  readonly adapter: AdapterOrderIndex
  readonly gate: AdapterGate
  readonly listener: OrderEntryListener
  readonly nowNs: () => number
  readonly observer: WorldObserver
  /** See {@link Addressee}. */
  readonly login: number
}

const EXCHANGE_REQUESTS = 1
const LOCAL_RESPONSES = 4

/** One client's way to the exchange and back: each direction first in, first out (exchange rules 1.2). */
export class ClientChannel implements OrderEntry {
  readonly clientId: string
  readonly accountId: string
  readonly capabilities: Capabilities
  readonly #ways: { readonly request: LatencyQueue; readonly response: LatencyQueue }
  #held: ClientMessage[] = []
  #login: number

  constructor(private readonly options: ClientChannelOptions) {
    this.clientId = options.clientId
    this.#login = options.login
    this.capabilities = options.adapter.capabilities
    this.accountId = options.account.config.accountId
    const { seed } = options.world.config.assumptions
    const queue = (way: string): LatencyQueue =>
      new LatencyQueue(new RandomNumbers(seed, `${way}-latency ${this.accountId} ${this.clientId}`, 0))
    this.#ways = { request: queue('request'), response: queue('response') }
  }

  get initial(): AccountState {
    return this.#stateAt(this.options.nowNs())
  }

  openingTerms(instrumentId: number): OpeningTerms | undefined {
    const { world, account } = this.options
    const entry = world.config.instruments.get(instrumentId)
    const isTraded = entry?.instrument.exchangeCode === account.config.exchangeCode
    return entry === undefined || !isTraded ? undefined : openingTermsOf(account, entry)
  }

  #stateAt(now: number): AccountState {
    const { world, account, gate } = this.options
    const statements = world.statementsOf(account)
    const loads = gate.loads(now)
    return {
      ...gate.statusAt(now),
      orders: world.handler.openReports(this.accountId, now),
      ...statements.positions(now),
      ...statements.walletStatement(now),
      capabilities: this.capabilities,
      ...(loads.length === 0 ? {} : { rateLimitLoads: loads }),
    }
  }

  place(entries: readonly PlaceEntry[]): void {
    this.#submit(
      entries, entries[0]?.instrumentId ?? 0, (admit) => this.options.adapter.place(entries, admit),
      (kept) => ({ kind: 'place', entries: kept }),
      (results, adapterTimeNs) => ({ kind: 'placeResponse', results, adapterTimeNs }),
    )
  }

  amend(entries: readonly AmendEntry[]): void {
    this.#submit(
      entries, this.#instrumentOf(entries[0]?.ownOrderId), (admit) => this.options.adapter.amend(entries, admit),
      (kept) => ({ kind: 'amend', entries: kept }),
      (results, adapterTimeNs) => ({ kind: 'amendResponse', results, adapterTimeNs }),
    )
  }

  replace(entries: readonly ReplaceEntry[]): void {
    this.#submit(
      entries, this.#instrumentOf(entries[0]?.currentOwnOrderId),
      (admit) => this.options.adapter.replace(entries, admit), (kept) => ({ kind: 'replace', entries: kept }),
      (results, adapterTimeNs) => ({ kind: 'replaceResponse', results, adapterTimeNs }),
    )
  }

  cancel(entries: readonly CancelEntry[]): void {
    this.#submit(
      entries, this.#instrumentOf(entries[0]?.ownOrderId), (admit) => this.options.adapter.cancel(entries, admit),
      (kept) => ({ kind: 'cancel', entries: kept }),
      (results, adapterTimeNs) => ({ kind: 'cancelResponse', results, adapterTimeNs }),
    )
  }

  /** Journals a request, answers the entries that the adapter refuses, and sends the others on. */
  #submit<Entry, Result>(
    entries: readonly Entry[], instrumentId: number, sort: (admit: Admission) => Sorted<Entry, Result>,
    requestOf: (kept: readonly Entry[]) => OrderRequest,
    responseOf: (refused: readonly Result[], adapterTimeNs: number) => ClientMessage,
  ): void {
    if (entries.length === 0) return
    this.#journal(requestOf(entries))
    const { kept, refused } = sort(this.#admission())
    if (refused.length > 0) this.#refuse(instrumentId, (adapterTimeNs) => responseOf(refused, adapterTimeNs))
    if (kept.length > 0) this.#request(instrumentId, requestOf(kept))
    this.#sendLoads(instrumentId)
  }

  cancelAll(request: CancelAllRequest): void {
    this.#journal({ kind: 'cancelAll', ...request })
    const error = this.options.adapter.unable('cancelAll') ?? this.#admission()('cancel', false)
    if (error === null) this.#request(0, { kind: 'cancelAll', ...request })
    else
      this.#refuse(0, (adapterTimeNs) => ({
        kind: 'cancelAllResponse', response: { requestId: request.requestId, adapterTimeNs, error }, adapterTimeNs,
      }))
    this.#sendLoads(0)
  }

  orderContext(entries: readonly OrderContextEntry[]): void {
    this.#journal({ kind: 'orderContext', entries })
    const results = entries.map(({ ownOrderId, clientOrderId, context }) => {
      const order = this.options.world.handler.orderOf(this.accountId, ownOrderId)
      if (order === undefined)
        return { ownOrderId, clientOrderId, error: adapterError('ORDER_NOT_FOUND', 'no open order has this id') }
      order.context = context
      return { ownOrderId, clientOrderId, result: { context } }
    })
    this.#refuse(this.#instrumentOf(entries[0]?.ownOrderId), () => ({ kind: 'orderContextResponse', results }))
  }

  fillContext(entries: readonly FillContextEntry[]): void {
    this.#journal({ kind: 'fillContext', entries })
    const results = this.options.adapter.fillContext(entries)
    this.#refuse(0, () => ({ kind: 'fillContextResponse', results }))
  }

  /**
   * Hands over what the exchange said; while the adapter is not connected it waits, and then comes after the status
   * that says so.
   */
  receive(timeNs: number, message: ClientMessage): void {
    const isConnected = this.options.gate.isConnected(timeNs)
    if (message.kind !== 'accountStatus') {
      if (isConnected && this.#held.length === 0) this.deliver(timeNs, message)
      else this.#held.push(message)
      return
    }
    this.deliver(timeNs, message)
    if (!isConnected) return
    for (const one of afterOutage(this.#held.splice(0))) this.deliver(timeNs, one)
  }

  /**
   * Tells the client of the account's status with the whole state at the exchange. It comes as any answer does, later
   * by the response latency and behind what was said before: nobody receives a fill before its time, or of an older
   * state after a newer one.
   */
  sendStatus(timeNs: number): void {
    const state = this.#stateAt(timeNs)
    this.answer(timeNs, 0, () => ({ kind: 'accountStatus', state }))
  }

  /** Sends a message from the exchange to this client. */
  answer(exchangeTimeNs: number, instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    const [arrival, orderedBy] = this.#carry('response', exchangeTimeNs, instrumentId)
    this.options.world.send(arrival, LOCAL_RESPONSES, orderedBy, {
      way: 'response', ...this.#address, message: message(arrival),
    })
  }

  /** True where a message is for this login, or of it. */
  isFor({ login = 0 }: Addressee): boolean {
    return login === this.#login
  }

  get #address(): Addressee {
    const { accountId, clientId } = this
    return this.#login === 0 ? { accountId, clientId } : { accountId, clientId, login: this.#login }
  }

  /** Hands a message that has arrived to the client. */
  deliver(timeNs: number, message: ClientMessage): void {
    const { observer, listener } = this.options
    observer.delivered(this.clientId, timeNs, message, this.accountId)
    deliverMessage(message, listener)
  }

  state(): ChannelState {
    return {
      ...this.#address, requests: this.#ways.request.state(),
      responses: this.#ways.response.state(), held: [...this.#held],
    }
  }

  restore(state: ChannelState): void {
    this.#login = state.login ?? 0
    this.#ways.request.restore(state.requests)
    this.#ways.response.restore(state.responses)
    this.#held = [...state.held]
  }

  #instrumentOf(ownOrderId: string | undefined): number {
    return ownOrderId === undefined ? 0 : this.options.adapter.instrumentOf(ownOrderId)
  }

  #journal(request: ClientRequest): void {
    this.options.observer.requested(this.clientId, this.options.nowNs(), request, this.accountId)
  }

  /** The admission of the entries of one request now. */
  #admission(): Admission {
    const { gate, nowNs } = this.options
    const now = nowNs()
    return (kind, useSpare) => gate.refusal(kind, useSpare, now)
  }

  #sendLoads(instrumentId: number): void {
    this.options.world.loadsChanged(this.accountId, this.options.nowNs(), instrumentId)
  }

  /** The adapter's own answer: at the same instant, without the exchange's leg. */
  #refuse(instrumentId: number, message: (adapterTimeNs: number) => ClientMessage): void {
    const now = this.options.nowNs()
    this.notify(now, instrumentId, message(now))
  }

  /** Sends a word of the adapter itself, within this instant. */
  notify(timeNs: number, instrumentId: number, message: ClientMessage): void {
    this.options.world.send(timeNs, LOCAL_RESPONSES, instrumentId, { way: 'notice', ...this.#address, message })
  }

  #request(instrumentId: number, request: OrderRequest): void {
    const [arrival, orderedBy] = this.#carry('request', this.options.nowNs(), instrumentId)
    this.options.world.send(arrival, EXCHANGE_REQUESTS, orderedBy, { way: 'request', ...this.#address, request })
  }

  /** When a message that leaves now arrives, and the instrument by which it is ordered then. */
  #carry(
    way: 'request' | 'response', timeNs: number, instrumentId: number,
  ): readonly [arrivalNs: number, orderedBy: number] {
    const { world, account } = this.options
    const queue = this.#ways[way]
    const latency = way === 'request' ? 'requestLatency' : 'responseLatency'
    return queue.carry(
      account.config[latency] ?? world.config.assumptions[latency], timeNs,
      world.feedLatencyNs(instrumentId || queue.lastInstrumentId, way), instrumentId,
    )
  }
}

/**
 * The messages that are still news after an outage: positions, wallets and all but the latest update of an order stand
 * in the status that came before.
 */
function afterOutage(held: readonly ClientMessage[]): ClientMessage[] {
  const latest = new Map<string, ClientMessage>()
  for (const message of held)
    if (message.kind === 'orderUpdate') for (const { ownOrderId } of message.orders) latest.set(ownOrderId, message)
  return held.filter((message) => {
    if (message.kind === 'orderUpdate')
      return message.orders.some(({ ownOrderId }) => latest.get(ownOrderId) === message)
    return message.kind !== 'positionUpdate' && message.kind !== 'walletUpdate'
  })
}

const ignore = (): undefined => undefined

/** The listener of a login that has ended. */
export const NO_LISTENER: OrderEntryListener = {
  onPlaceResponse: ignore, onAmendResponse: ignore, onReplaceResponse: ignore, onCancelResponse: ignore,
  onCancelAllResponse: ignore, onOrderUpdate: ignore, onFill: ignore, onPositionUpdate: ignore, onWalletUpdate: ignore,
  onAccountStatus: ignore,
}

/** The refusal of a login to an account that the run does not have. */
export function unknownAccount(accountId: string, accountIds: readonly string[]): BacktapeError {
  const known = accountIds.join(', ')
  return new BacktapeError(
    'OPTION_INVALID', `Cannot log in to account ${JSON.stringify(accountId)}: it must be one of ${known}`,
    { field: 'account', expected: known, found: accountId },
  )
}

/** The refusal of a second login of a client to an account. */
export function loggedInAlready(clientId: string, accountId: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID',
    `Cannot log in ${JSON.stringify(clientId)} to account ${JSON.stringify(accountId)}: a client of this name ` +
      'is logged in already',
    { field: 'clientId', expected: 'another name', found: clientId },
  )
}
