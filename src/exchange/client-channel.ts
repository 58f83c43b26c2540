import type { Id } from '../model/id.js'
import { BacktapeError } from '../model/error.js'
import { RandomNumbers } from '../model/random.js'
import type {
  AmendEntry, CancelAllRequest, CancelEntry, FillContextEntry, OrderContextEntry, PlaceEntry, ReplaceEntry,
} from '../venue/messages.js'
import { deliverMessage } from '../venue/message-delivery.js'
import type { OpeningTerms, OrderEntry, OrderEntryListener } from '../venue/venue.js'
import type { Account } from './accounts/account.js'
import type { AccountNews } from './account-news.js'
import { adapterError } from './adapter/adapter-checks.js'
import type { AdapterGate } from './adapter/adapter-gate.js'
import type { AdapterOrderIndex, Admission, Sorted } from './adapter/adapter-order-index.js'
import type { AdapterNotices } from './adapter-notices.js'
import { EXCHANGE_REQUESTS, LOCAL_RESPONSES, type WorldAgenda } from './agenda.js'
import type { ExchangeMarket } from './market/exchange-market.js'
import { stamp, UNSENT } from './outbox.js'
import type { TradedInstruments } from './traded-instruments.js'
import type { OpenOrders } from './open-orders.js'
import { NO_ORIGIN, type MessageOrigin } from '../orders/message-origin.js'
import { NO_ROWS, type OrderRowList, type OrderTable } from '../orders/order-table.js'
import { LatencyQueue } from './adapter/order-latency.js'
import { openingTermsOf } from './risk/pre-trade.js'
import type { WorldConfig, ChannelState, HeldMessage, WorldObserver } from './world-config.js'
import type { Addressee } from './world-message.js'
import type { ClientMessage, ClientRequest, OrderRequest } from '../venue/order-messages.js'
import type { AccountState, Capabilities } from '../venue/account-messages.js'

/** The parts of its world that a channel works with. */
export interface ChannelParts {
  readonly config: WorldConfig
  readonly markets: ReadonlyMap<number, ExchangeMarket>
  readonly agenda: WorldAgenda
  readonly news: AccountNews
  readonly notices: AdapterNotices
  readonly open: OpenOrders
  readonly table: OrderTable
  readonly traded: TradedInstruments
  readonly observer: WorldObserver
}

/** A login: whose it is, and who listens. */
export interface Login {
  readonly address: Addressee
  readonly account: Account
  readonly adapter: AdapterOrderIndex
  readonly gate: AdapterGate
  readonly listener: OrderEntryListener
  readonly nowNs: () => number
}

/** A request of entries, which the adapter judges one by one. */
type EntryRequest = Exclude<OrderRequest, { readonly kind: 'cancelAll' }>

/** The kind of message that answers each. */
const ANSWERS = {
  place: 'placeResponse', amend: 'amendResponse', replace: 'replaceResponse', cancel: 'cancelResponse',
} as const

/** One client's way to the exchange and back: each direction first in, first out (exchange rules 1.2). */
export class ClientChannel implements OrderEntry {
  readonly clientId: string
  readonly accountId: string
  readonly capabilities: Capabilities
  readonly #requests: LatencyQueue
  readonly #responses: LatencyQueue
  #held: HeldMessage[] = []
  #address: Addressee

  constructor(private readonly parts: ChannelParts, private readonly login: Login) {
    const { address, adapter } = login
    this.#address = address
    this.clientId = address.clientId
    this.accountId = address.accountId
    this.capabilities = adapter.capabilities
    const { seed } = parts.config.assumptions
    const queue = (way: string): LatencyQueue =>
      new LatencyQueue(new RandomNumbers(seed, `${way}-latency ${this.accountId} ${this.clientId}`, 0))
    this.#requests = queue('request')
    this.#responses = queue('response')
  }

  get initial(): AccountState {
    return this.#stateAt(this.login.nowNs())
  }

  openingTerms(instrumentId: number): OpeningTerms | undefined {
    const { account } = this.login
    const entry = this.parts.config.instruments.get(instrumentId)
    const isTraded = entry?.instrument.exchangeCode === account.config.exchangeCode
    return entry === undefined || !isTraded ? undefined : openingTermsOf(account, entry)
  }

  #stateAt(now: number): AccountState {
    const { account, gate } = this.login
    const { news, open, traded } = this.parts
    const statements = news.of(account)
    const loads = gate.loads(now)
    return {
      ...gate.statusAt(now),
      orders: open.reports(this.accountId, traded),
      ...statements.positions(now),
      ...statements.walletStatement(now),
      capabilities: this.capabilities,
      ...(loads.length === 0 ? {} : { rateLimitLoads: loads }),
    }
  }

  place(entries: readonly PlaceEntry[]): void {
    const { table } = this.parts
    const now = this.login.nowNs()
    const rows = entries.map((entry) => table.add(this, entry, now))
    this.#submit({ kind: 'place', entries }, entries[0]?.instrumentId ?? 0, rows)
  }

  amend(entries: readonly AmendEntry[]): void {
    this.#submit({ kind: 'amend', entries }, this.#instrumentOf(entries[0]?.ownOrderId))
  }

  replace(entries: readonly ReplaceEntry[]): void {
    const { table } = this.parts
    const now = this.login.nowNs()
    const rows = entries.map((entry) => table.addInPlace(this, entry, now))
    this.#submit({ kind: 'replace', entries }, this.#instrumentOf(entries[0]?.currentOwnOrderId), rows)
  }

  cancel(entries: readonly CancelEntry[]): void {
    this.#submit({ kind: 'cancel', entries }, this.#instrumentOf(entries[0]?.ownOrderId))
  }

  /**
   * Journals a request, answers the entries that the adapter refuses, and sends the others on; `rows` are those of the
   * orders that it places.
   */
  #submit(request: EntryRequest, instrumentId: number, rows: OrderRowList = NO_ROWS): void {
    if (request.entries.length === 0) return
    this.#journal(request, rows)
    const { kind } = request
    const sentNs = this.login.nowNs()
    // Entries and results are those of the kind.
    const { kept, keptRows, refused, refusedRows } = this.#sorted(request, rows)
    if (refused.length > 0) {
      const answer = { kind: ANSWERS[kind], results: refused, adapterTimeNs: UNSENT }
      for (const row of refusedRows) this.parts.table.over(row)
      this.#refuse(instrumentId, answer as ClientMessage, { rows: refusedRows, sentNs })
    }
    const origin = { rows: keptRows, sentNs }
    if (kept.length > 0) this.#request(instrumentId, { kind, entries: kept } as EntryRequest, origin)
    this.#sendLoads(instrumentId)
  }

  #sorted(request: EntryRequest, rows: OrderRowList): Sorted<unknown, unknown> {
    const { adapter } = this.login
    const admission = this.#admission()
    switch (request.kind) {
      case 'place': return adapter.place(request.entries, rows, admission)
      case 'amend': return adapter.amend(request.entries, admission)
      case 'replace': return adapter.replace(request.entries, rows, admission)
      case 'cancel': return adapter.cancel(request.entries, admission)
    }
  }

  cancelAll(request: CancelAllRequest): void {
    this.#journal({ kind: 'cancelAll', ...request })
    const error = this.login.adapter.unable('cancelAll') ?? this.#admission()('cancel', false)
    const origin = { rows: NO_ROWS, sentNs: this.login.nowNs() }
    if (error === null) this.#request(0, { kind: 'cancelAll', ...request }, origin)
    else {
      const { requestId } = request
      this.#refuse(0, {
        kind: 'cancelAllResponse', response: { requestId, adapterTimeNs: UNSENT, error }, adapterTimeNs: UNSENT,
      }, origin)
    }
    this.#sendLoads(0)
  }

  orderContext(entries: readonly OrderContextEntry[]): void {
    this.#journal({ kind: 'orderContext', entries })
    const results = entries.map(({ ownOrderId, clientOrderId, context }) => {
      const order = this.parts.open.get(this.accountId, ownOrderId)
      if (order === undefined)
        return { ownOrderId, clientOrderId, error: adapterError('ORDER_NOT_FOUND', 'no open order has this id') }
      const error = this.login.adapter.takeContext(ownOrderId, context)
      if (error !== null) return { ownOrderId, clientOrderId, error }
      order.context = context
      return { ownOrderId, clientOrderId, result: { context } }
    })
    this.#refuse(this.#instrumentOf(entries[0]?.ownOrderId), { kind: 'orderContextResponse', results })
  }

  fillContext(entries: readonly FillContextEntry[]): void {
    this.#journal({ kind: 'fillContext', entries })
    const results = this.login.adapter.fillContext(entries)
    this.#refuse(0, { kind: 'fillContextResponse', results })
  }

  /**
   * Hands over what the exchange said; while the adapter is not connected it waits, and then comes after the status
   * that says so.
   */
  receive(timeNs: number, message: ClientMessage, origin: MessageOrigin): void {
    const isConnected = this.login.gate.isConnected(timeNs)
    if (message.kind !== 'accountStatus') {
      if (isConnected && this.#held.length === 0) this.deliver(timeNs, message, origin)
      else this.#held.push({ message, origin })
      return
    }
    this.deliver(timeNs, message, origin)
    if (!isConnected) return
    for (const held of afterOutage(this.#held.splice(0))) this.deliver(timeNs, held.message, held.origin)
  }

  /**
   * Tells the client of the account's status with the whole state at the exchange. It comes as any answer does, later
   * by the response latency and behind what was said before: nobody receives a fill before its time, or of an older
   * state after a newer one.
   */
  sendStatus(timeNs: number, text?: string): void {
    const own = this.#stateAt(timeNs)
    const state = text === undefined ? own : { ...own, message: text }
    this.answer(timeNs, 0, { kind: 'accountStatus', state })
  }

  /** Sends a message from the exchange to this client; it becomes the channel's own. */
  answer(
    exchangeTimeNs: number, instrumentId: number, message: ClientMessage, origin: MessageOrigin = NO_ORIGIN,
  ): void {
    const { config: { assumptions }, markets, agenda } = this.parts
    const queue = this.#responses
    const feedLatencyNs = markets.get(instrumentId || queue.lastInstrumentId)?.feedLatencyNs ?? 0
    const latency = this.login.account.config.responseLatency ?? assumptions.responseLatency
    const arrivalNs = queue.carry(latency, exchangeTimeNs, feedLatencyNs, instrumentId)
    stamp(message, arrivalNs)
    agenda.send(arrivalNs, LOCAL_RESPONSES, queue.lastInstrumentId, {
      way: 'response', to: this.#address, message, origin,
    })
  }

  /** True where a message is for this login, or of it. */
  isFor({ login = 0 }: Addressee): boolean {
    return login === (this.#address.login ?? 0)
  }

  /** Hands a message that has arrived to the client. */
  deliver(timeNs: number, message: ClientMessage, origin: MessageOrigin): void {
    this.parts.observer.delivered(this.clientId, timeNs, message, this.accountId, origin)
    deliverMessage(message, this.login.listener)
  }

  state(): ChannelState {
    return {
      ...this.#address, requests: this.#requests.state(), responses: this.#responses.state(), held: [...this.#held],
    }
  }

  restore(state: ChannelState): void {
    this.#address = addressOf(this.accountId, this.clientId, state.login ?? 0)
    this.#requests.restore(state.requests)
    this.#responses.restore(state.responses)
    this.#held = [...state.held]
  }

  #instrumentOf(ownOrderId: Id | undefined): number {
    return ownOrderId === undefined ? 0 : this.login.adapter.instrumentOf(ownOrderId)
  }

  #journal(request: ClientRequest, rows: OrderRowList = NO_ROWS): void {
    this.parts.observer.requested(this.clientId, this.login.nowNs(), request, this.accountId, rows)
  }

  /** The admission of the entries of one request now. */
  #admission(): Admission {
    const { gate, nowNs } = this.login
    const now = nowNs()
    return (kind, useSpare) => gate.refusal(kind, useSpare, now)
  }

  #sendLoads(instrumentId: number): void {
    this.parts.notices.loadsChanged(this.accountId, this.login.nowNs(), instrumentId)
  }

  /** The adapter's own answer: at the same instant, without the exchange's leg. */
  #refuse(instrumentId: number, message: ClientMessage, origin: MessageOrigin = NO_ORIGIN): void {
    const now = this.login.nowNs()
    stamp(message, now)
    this.notify(now, instrumentId, message, origin)
  }

  /** Sends a word of the adapter itself, within this instant. */
  notify(timeNs: number, instrumentId: number, message: ClientMessage, origin: MessageOrigin = NO_ORIGIN): void {
    this.parts.agenda.send(timeNs, LOCAL_RESPONSES, instrumentId, { way: 'notice', to: this.#address, message, origin })
  }

  #request(instrumentId: number, request: OrderRequest, origin: MessageOrigin): void {
    const { config: { assumptions, receivedLatencyNs }, agenda } = this.parts
    const queue = this.#requests
    const feedLatencyNs = receivedLatencyNs?.(instrumentId || queue.lastInstrumentId) ?? 0
    const latency = this.login.account.config.requestLatency ?? assumptions.requestLatency
    const arrivalNs = queue.carry(latency, this.login.nowNs(), feedLatencyNs, instrumentId)
    agenda.send(arrivalNs, EXCHANGE_REQUESTS, queue.lastInstrumentId, {
      way: 'request', from: this.#address, request, origin,
    })
  }
}

/** The address of a login; its number is left out where it is 0. */
export function addressOf(accountId: string, clientId: string, login: number): Addressee {
  return login === 0 ? { accountId, clientId } : { accountId, clientId, login }
}

/**
 * The messages that are still news after an outage: positions, wallets and all but the latest update of an order stand
 * in the status that came before.
 */
function afterOutage(held: readonly HeldMessage[]): HeldMessage[] {
  const latest = new Map<Id, ClientMessage>()
  for (const { message } of held)
    if (message.kind === 'orderUpdate') for (const { ownOrderId } of message.orders) latest.set(ownOrderId, message)
  return held.filter(({ message }) => {
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
