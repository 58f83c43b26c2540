import { isJsonObject, type JsonObject } from '../model/json-object.js'
import type { EntryError, OrderReport, Owner } from '../model/order.js'
import type { AccountState } from '../venue/account-messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { Clock, InstrumentDirectory, OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { loginOf, type LoginFault } from './login-request.js'
import { openingTermsText } from './opening-terms.js'
import { AnswerAssembly, answeredKind } from './order-entry-answers.js'
import {
  invalidRequestText, loginErrorText, loginResultText, messageText, welcomeText, type LoginRequest, type SessionView,
} from './order-entry-codec.js'
import { messagesTo } from './order-entry-messages.js'
import { WireFault, WireReader } from './order-entry-reader.js'
import {
  ENTRY_RULES, cancelAllOf, entriesOf, ownedBy, type EntryKind, type EntryResult,
} from './order-entry-requests.js'
import { WireWriter } from './order-entry-writer.js'
import type { OrderInstruments } from './order-instruments.js'
import { foundOnWire, parseWireJson } from './wire-json.js'

/** The adapter behind a session. */
export interface SessionHost {
  readonly processId: string
  readonly version: string
  readonly clock: Pick<Clock, 'epochDay' | 'nowNs'>
  readonly instruments: InstrumentDirectory
  /** The instruments of an account's orders, which its sessions share; undefined for an account that is not served. */
  ordersOf(accountId: string): OrderInstruments | undefined
  /** Logs a process in to an account, or says why not. */
  connect(login: LoginRequest, listener: OrderEntryListener): OrderEntry | EntryError
  /** Logs it out again. */
  disconnect(entry: OrderEntry): void
  /** Sends a message. */
  send(text: string): void
  /** Takes a message of a type that the protocol does not know; false: nobody does. */
  extension(message: JsonObject): boolean
}

/** Entries of one connection that may wait for their answers: our choice, the documents show no limit. */
const UNANSWERED_LIMIT = 10_000

/** A login and what belongs to it. */
interface OpenLogin {
  readonly login: LoginRequest
  readonly entry: OrderEntry
  readonly orders: OrderInstruments
  readonly view: SessionView
  readonly reader: WireReader
  readonly writer: WireWriter
}

/**
 * One connection of the order entry protocol, server side (spec 2): a state machine without a socket. Texts come in by
 * {@link receive}, texts go out by the host's `send`.
 */
export class OrderEntrySession {
  #login: OpenLogin | null = null
  #sentCount = 0
  #unanswered = 0
  #isClosed = false
  readonly #answers: AnswerAssembly = new AnswerAssembly()

  constructor(private readonly host: SessionHost) {}

  /** The login in force; null before it and after a logout. */
  get login(): LoginRequest | null {
    return this.#login?.login ?? null
  }

  /** Messages sent since the login response, that one not counted. */
  get sentCount(): number {
    return this.#sentCount
  }

  /** The connection is there. */
  open(): void {
    this.host.send(welcomeText(this.host.processId, this.host.version))
  }

  /** The connection is gone: nothing is sent any more. */
  close(): void {
    this.#isClosed = true
    this.#leave()
  }

  /** A text frame of the client. */
  receive(text: string): void {
    if (this.#isClosed) return
    let message: unknown
    try {
      const { value, repeatedName } = parseWireJson(text)
      if (repeatedName !== null) {
        this.invalid(`the message has the name ${JSON.stringify(repeatedName)} twice`, text, isJsonObject(value))
        return
      }
      message = value
    } catch (error) {
      this.invalid(`the message is no JSON: ${error instanceof Error ? error.message : String(error)}`, text, false)
      return
    }
    if (!isJsonObject(message)) {
      this.invalid(`the message must be a JSON object, found ${foundOnWire(message)}`, text, false)
      return
    }
    const reason = this.#handle(message)
    if (reason !== null) this.invalid(reason, text, true)
  }

  /** Answers what cannot be read or routed; `request` is the offending text. */
  invalid(reason: string, request: string, isObject: boolean): void {
    this.#send(invalidRequestText(reason, request, isObject))
  }

  /** Handles a message; the reason why it cannot be routed, or null. */
  #handle(message: JsonObject): string | null {
    const { msgType, accountId } = message
    if (typeof msgType !== 'string') return `msgType must be a text, found ${foundOnWire(msgType)}`
    if (msgType === 'login') return this.#logIn(message)
    if (this.#login === null) return 'not logged in'
    const { login } = this.#login
    const isRequest = msgType === 'cancelAll' || msgType === 'logout' || Object.hasOwn(ENTRY_RULES, msgType)
    if (!isRequest) return this.host.extension(message) ? null : `unknown msgType ${foundOnWire(msgType)}`
    if (typeof accountId !== 'string') return `accountId must be a text, found ${foundOnWire(accountId)}`
    if (accountId !== login.accountId) return `accountId must be that of the session, found ${foundOnWire(accountId)}`
    if (msgType === 'logout') {
      this.#leave()
      return null
    }
    if (this.#unanswered >= UNANSWERED_LIMIT)
      return `at most ${UNANSWERED_LIMIT} entries may wait for an answer: this request was not sent on`
    try {
      if (msgType === 'cancelAll') this.#cancelAll(this.#login, message)
      else this.#request(this.#login, msgType as EntryKind, message)
      return null
    } catch (error) {
      if (error instanceof WireFault) return error.message
      throw error
    }
  }

  #logIn(message: JsonObject): string | null {
    const { clock, instruments } = this.host
    const login = loginOf(message)
    if ('reason' in login) return this.#refuseLogin(login)
    const { accountId, options, extraOptions } = login
    const orders = this.host.ordersOf(accountId)
    if (this.#login !== null || orders === undefined) {
      const [type, text] = orders === undefined || this.#login === null
        ? ['UNKNOWN_ACCOUNT', 'this adapter does not serve the account']
        : ['ALREADY_LOGGED_IN', 'the connection is logged in already']
      return this.#refuseLogin({ ...login, reason: text, type })
    }
    const entry = this.host.connect(login, messagesTo((one) => { this.#deliver(one) }))
    if ('source' in entry) return this.#refuseLogin({ ...login, reason: entry.message, type: entry.type })
    const isInFull = extraOptions['backtape'] === true
    const view: SessionView = {
      includeContext: options.includeContext, usesLegacyPositions: options.useLegacyPositionEncoding,
      capabilities: entry.capabilities, hidesProcessOwner: isInFull, isInFull,
    }
    const { epochDay } = clock
    const writer = new WireWriter(orders, epochDay)
    const reader = new WireReader(orders, { epochDay, of: 'requests' })
    this.#login = { login, entry, orders, view, reader, writer }
    const state = entry.initial
    orders.note({ kind: 'accountStatus', state })
    const extra = isInFull
      ? `"adapterTimestampNs":${writer.time(clock.nowNs())},"openingTerms":${openingTermsText(entry, instruments)}`
      : ''
    this.#send(loginResultText(writer, login, this.#ownState(state), view, extra))
    this.#sentCount = 0
    return null
  }

  #refuseLogin({ accountId, requestId, reason, type }: LoginFault): string | null {
    if (accountId === null || requestId === null) return reason
    const writer = new WireWriter({} as OrderInstruments, this.host.clock.epochDay)
    this.#send(loginErrorText(writer, { accountId, requestId }, { type, message: reason, source: 'INTERNAL' }))
    return null
  }

  #cancelAll({ entry, reader }: OpenLogin, message: JsonObject): void {
    try {
      const request = cancelAllOf(message, reader, this.host.clock.nowNs())
      this.#unanswered++
      send(entry, request)
    } catch (error) {
      const { requestId } = message
      if (!(error instanceof WireFault) || typeof requestId !== 'string' || requestId.length > 128) throw error
      const adapterTimeNs = this.host.clock.nowNs()
      const fault: EntryError = { type: error.type, message: error.message, source: 'INTERNAL' }
      this.#write({ kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, error: fault }, adapterTimeNs })
    }
  }

  #request({ login, entry, orders, reader, view }: OpenLogin, kind: EntryKind, message: JsonObject): void {
    const read = entriesOf(kind, message, { reader, orders, capabilities: entry.capabilities })
    const kept = read.flatMap((one) => ('entry' in one ? [one.entry] : []))
    const refused = read.flatMap((one) => ('refused' in one ? [one.refused] : []))
    const now = this.host.clock.nowNs()
    const answered = view.isInFull ? refused : this.#answers.open(kind, read)
    if (answered !== null && answered.length > 0) this.#write(responseOf(kind, answered, now))
    if (kept.length === 0) return
    this.#unanswered += kept.length
    const entries = kind === 'place' ? kept.map((one) => ownedBy(login.processId, one as never)) : kept
    note(orders, kind, entries)
    send(entry, { kind, entries } as unknown as ClientRequest)
  }

  /** A message of the adapter. */
  #deliver(message: ClientMessage): void {
    if (this.#login === null) return
    const { orders, view, login } = this.#login
    const kind = answeredKind(message.kind)
    if (kind !== null && 'results' in message) {
      const results = message.results as unknown as readonly EntryResult[]
      this.#unanswered = Math.max(0, this.#unanswered - results.length)
      orders.note(message)
      if (view.isInFull) return this.#write(message)
      const time = 'adapterTimeNs' in message ? message.adapterTimeNs : 0
      for (const whole of this.#answers.take(kind, results)) this.#write(responseOf(kind, whole, time))
      return
    }
    if (message.kind === 'cancelAllResponse') this.#unanswered = Math.max(0, this.#unanswered - 1)
    orders.note(message)
    if (message.kind === 'corporateAction' && !login.options.enableCorporateActions) return
    const own = this.#own(message)
    if (own !== null) this.#write(own)
  }

  /** The part of a message that login option `filterByProcessId` lets through; null for none. */
  #own(message: ClientMessage): ClientMessage | null {
    if (this.login?.options.filterByProcessId !== true) return message
    switch (message.kind) {
      case 'orderUpdate': {
        const orders = message.orders.filter((one) => this.#isOwn(one))
        return orders.length === 0 ? null : { ...message, orders }
      }
      case 'fill': {
        const fills = message.fills.filter((one) => this.#isOwn(one))
        return fills.length === 0 ? null : { ...message, fills }
      }
      case 'accountStatus': return { ...message, state: this.#ownState(message.state) }
      default: return message
    }
  }

  #ownState(state: AccountState): AccountState {
    if (this.login?.options.filterByProcessId !== true) return state
    return { ...state, orders: state.orders.filter((one: OrderReport) => this.#isOwn(one)) }
  }

  #isOwn({ owner }: { readonly owner?: Owner }): boolean {
    return owner?.processId === this.login?.processId
  }

  #write(message: ClientMessage): void {
    if (this.#login === null) return
    const { writer, login, view } = this.#login
    this.#send(messageText(writer, login.accountId, message, view))
  }

  #send(text: string): void {
    if (this.#isClosed) return
    this.#sentCount++
    this.host.send(text)
  }

  #leave(): void {
    const login = this.#login
    this.#login = null
    this.#unanswered = 0
    this.#answers.clear()
    if (login !== null) this.host.disconnect(login.entry)
  }
}

function responseOf(kind: EntryKind, results: readonly EntryResult[], adapterTimeNs: number): ClientMessage {
  return { kind: ENTRY_RULES[kind].response, results, adapterTimeNs } as unknown as ClientMessage
}

/** Hands a request to the order entry. */
function send(entry: OrderEntry, request: ClientRequest): void {
  switch (request.kind) {
    case 'place': return entry.place(request.entries)
    case 'amend': return entry.amend(request.entries)
    case 'replace': return entry.replace(request.entries)
    case 'cancel': return entry.cancel(request.entries)
    case 'orderContext': return entry.orderContext(request.entries)
    case 'fillContext': return entry.fillContext(request.entries)
    case 'cancelAll': return entry.cancelAll({ requestId: request.requestId, createTimeNs: request.createTimeNs })
  }
}

/** Remembers the instruments of orders that are sent on; an id that is known keeps its own. */
function note(orders: OrderInstruments, kind: EntryKind, entries: readonly object[]): void {
  for (const entry of entries as readonly Readonly<Record<string, unknown>>[]) {
    const id = (kind === 'place' ? entry['ownOrderId'] : kind === 'replace' ? entry['newOwnOrderId'] : null) as
      string | null
    if (id === null || orders.entryOf(id) !== undefined) continue
    const instrumentId = kind === 'place'
      ? (entry['instrumentId'] as number)
      : orders.entryOf(entry['currentOwnOrderId'] as string)?.instrument.id
    if (instrumentId !== undefined) orders.add(id, instrumentId)
  }
}
