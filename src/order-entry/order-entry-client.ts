import type { Id } from '../model/id.js'
import { randomUUID } from 'node:crypto'
import { BacktapeError } from '../model/error.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { afterMs } from '../model/wall-client.js'
import type { AccountState, Capabilities } from '../venue/account-messages.js'
import type {
  AmendEntry, CancelAllRequest, CancelEntry, FillContextEntry, OrderContextEntry, PlaceEntry, ReplaceEntry,
} from '../venue/messages.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { OpeningTerms } from '../venue/venue.js'
import { openingTermsOf } from '../protocol/opening-terms.js'
import {
  DEFAULT_LOGIN_OPTIONS, loginOutcomeOf, loginText, logoutText, messageOf, requestText, timeOf,
} from '../protocol/order-entry-codec.js'
import { deliverTo } from '../protocol/order-entry-messages.js'
import { WireFault, WireReader } from '../protocol/order-entry-reader.js'
import { WireWriter } from '../protocol/order-entry-writer.js'
import { OrderInstruments } from '../protocol/order-instruments.js'
import { foundOnWire, parseWireJson } from '../protocol/wire-json.js'
import { failure, lookUpAdapter, majorOf } from './adapter-lookup-client.js'
import type { OrderEntryClient, OrderEntryClientOptions } from './order-entry-client-options.js'
import { openAdapterSocket, type AdapterSocket } from './order-entry-socket-client.js'
import { RequestsInFlight } from './requests-in-flight.js'

const LOGIN_MS = 10_000
const BACK_OFF = { firstMs: 1000, mostMs: 60_000 }
const MS_PER_DAY = 86_400_000
const NS_PER_MS = 1_000_000
/** Errors of a login that no later attempt will change. */
const FINAL: ReadonlySet<string> = new Set(['UNKNOWN_ACCOUNT', 'ACCESS_DENIED'])

/** The outcome of one login. */
interface LoggedIn {
  readonly socket: AdapterSocket
  readonly state: AccountState
  readonly extra: JsonObject
  readonly extensions: JsonObject
}

/**
 * Logs in to an account by its adapter (spec 2). Answers and events come to the listener, none before the promise
 * has resolved. Throws CONNECTION_FAILED where the adapter cannot be reached or speaks another version, LOGIN_REFUSED
 * where it refuses, MESSAGE_MALFORMED where its answer cannot be read.
 */
export async function loginOrderEntry(options: OrderEntryClientOptions): Promise<OrderEntryClient> {
  const client = new SocketOrderEntry(options)
  await client.connect()
  return client
}

class SocketOrderEntry implements OrderEntryClient {
  readonly accountId: string
  receivedCount = 0
  readonly #orders: OrderInstruments
  readonly #reader: WireReader
  readonly #writer: WireWriter
  readonly #inFlight: RequestsInFlight = new RequestsInFlight()
  #now: LoggedIn | null = null
  #last: LoggedIn | null = null
  #terms: ReadonlyMap<number, OpeningTerms> = new Map()
  #isInFull = false
  #adapterTimeNs: number
  #hasEnded = false
  #closed: () => void = () => undefined
  /** Ends the wait for the next attempt to connect. */
  #wake: () => void = () => undefined

  constructor(private readonly options: OrderEntryClientOptions) {
    const { accountId, instruments, epochDay } = options
    this.accountId = accountId
    this.#orders = new OrderInstruments(instruments)
    this.#reader = new WireReader(this.#orders, { epochDay, of: 'messages' })
    this.#writer = new WireWriter(this.#orders, epochDay)
    // Until an adapter says its time; a whole number of nanoseconds within reach of the epoch day, or 0.
    const wallNs = (Date.now() - epochDay * MS_PER_DAY) * NS_PER_MS
    this.#adapterTimeNs = Number.isSafeInteger(wallNs) ? wallNs : 0
  }

  get capabilities(): Capabilities {
    return this.initial.capabilities
  }

  get initial(): AccountState {
    return this.#login.state
  }

  get extensions(): JsonObject {
    return this.#login.extensions
  }

  get extraResult(): JsonObject {
    return this.#login.extra
  }

  get transport(): 'websocket' | 'domainSocket' {
    return this.#login.socket.transport
  }

  openingTerms(instrumentId: number): OpeningTerms | undefined {
    return this.#terms.get(instrumentId)
  }

  place(entries: readonly PlaceEntry[]): void {
    this.#request({ kind: 'place', entries })
  }

  amend(entries: readonly AmendEntry[]): void {
    this.#request({ kind: 'amend', entries })
  }

  replace(entries: readonly ReplaceEntry[]): void {
    this.#request({ kind: 'replace', entries })
  }

  cancel(entries: readonly CancelEntry[]): void {
    this.#request({ kind: 'cancel', entries })
  }

  cancelAll(request: CancelAllRequest): void {
    this.#request({ kind: 'cancelAll', ...request })
  }

  orderContext(entries: readonly OrderContextEntry[]): void {
    this.#request({ kind: 'orderContext', entries })
  }

  fillContext(entries: readonly FillContextEntry[]): void {
    this.#request({ kind: 'fillContext', entries })
  }

  send(message: object): void {
    this.#now?.socket.send(JSON.stringify(message))
  }

  logout(): Promise<void> {
    this.#hasEnded = true
    const socket = this.#now?.socket
    this.#wake()
    if (socket === undefined) return Promise.resolve()
    return new Promise((done) => {
      this.#closed = done
      socket.send(logoutText(this.accountId, randomUUID()))
      socket.end()
    })
  }

  /** The first login. */
  async connect(): Promise<void> {
    this.#take(await this.#logIn())
  }

  get #login(): LoggedIn {
    if (this.#last === null) throw new RangeError('the client has not logged in')
    return this.#last
  }

  #request(request: ClientRequest): void {
    if (request.kind !== 'cancelAll' && request.entries.length === 0) return
    if (this.#now === null) {
      const answer = RequestsInFlight.unsent(request, this.#adapterTimeNs)
      // Never before the call returns.
      queueMicrotask(() => { deliverTo(this.options.listener, answer) })
      return
    }
    if (request.kind === 'place')
      for (const { ownOrderId, instrumentId } of request.entries) this.#note(ownOrderId, instrumentId)
    else if (request.kind === 'replace') {
      for (const { currentOwnOrderId, newOwnOrderId, instrumentId } of request.entries)
        this.#note(newOwnOrderId, instrumentId ?? this.#orders.entryOf(currentOwnOrderId)?.instrument.id)
    }
    const text = requestText(this.#writer, this.accountId, request)
    this.#inFlight.add(request)
    this.#now.socket.send(text)
  }

  #note(ownOrderId: Id, instrumentId: number | undefined): void {
    if (instrumentId !== undefined && this.#orders.entryOf(ownOrderId) === undefined)
      this.#orders.add(ownOrderId, instrumentId)
  }

  /** Opens a connection and logs in; messages behind the login wait until the next turn of the event loop. */
  async #logIn(): Promise<LoggedIn> {
    const { backend, transport = 'auto' } = this.options
    const adapter = await lookUpAdapter(backend, this.accountId)
    const waiting: string[] = []
    let onText = (text: string): void => { waiting.push(text) }
    let onClose = (_reason: string): void => undefined
    let closedBecause: string | null = null
    const socket = await openAdapterSocket(adapter, transport, {
      onText: (text) => { onText(text) },
      onClose: (reason) => {
        closedBecause = reason
        onClose(reason)
      },
    })
    try {
      const { state, extra } = await new Promise<Pick<LoggedIn, 'state' | 'extra'>>((done, fail) => {
        const timer = setTimeout(() => { fail(failure('log in', 'an answer within 10 s', 'none')) }, LOGIN_MS)
        onClose = (reason): void => {
          clearTimeout(timer)
          fail(failure('log in', 'a loginResponse', `a close: ${reason}`))
        }
        onText = (text): void => {
          try {
            const outcome = this.#greet(text, socket)
            if (outcome === null) return
            clearTimeout(timer)
            socket.pause()
            onText = (later): void => { waiting.push(later) }
            done(outcome)
          } catch (error) {
            clearTimeout(timer)
            fail(error instanceof Error ? error : new Error(String(error)))
          }
        }
        for (const text of waiting.splice(0)) onText(text)
        if (closedBecause !== null) onClose(closedBecause)
      })
      const login: LoggedIn = { socket, state, extra, extensions: adapter.extensions }
      onClose = (reason): void => { closedBecause = reason }
      setImmediate(() => {
        onText = (text): void => { this.#receive(login, text) }
        onClose = (reason): void => { this.#lose(login, reason) }
        for (const text of waiting.splice(0)) onText(text)
        socket.resume()
        if (closedBecause !== null) this.#lose(login, closedBecause)
      })
      return login
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** A message before the login is done; its outcome where it is. */
  #greet(text: string, socket: AdapterSocket): Pick<LoggedIn, 'state' | 'extra'> | null {
    const message = this.#parsed(text)
    const { msgType, protocolVersion } = message
    if (msgType === 'welcome') {
      if (majorOf(protocolVersion) !== '2')
        throw failure('log in', 'protocol version 2', foundOnWire(protocolVersion))
      const { accountId, processId, version, extraOptions = {} } = this.options
      const { filterByProcessId = false, enableCorporateActions = false } = this.options
      const options = {
        ...DEFAULT_LOGIN_OPTIONS, includeContext: true, filterByProcessId, enableCorporateActions,
        useLegacyPositionEncoding: false,
      }
      const requestId = randomUUID()
      socket.send(loginText({ accountId, requestId, processId, version, options, extraOptions }))
      return null
    }
    if (msgType === 'invalidRequest') throw failure('log in', 'a loginResponse', foundOnWire(message['message']))
    if (msgType !== 'loginResponse') return null
    const outcome = this.#read('loginResponse', () => loginOutcomeOf(this.#reader, message))
    if ('state' in outcome) return outcome
    const { type, message: words } = outcome.error
    throw new BacktapeError(
      'LOGIN_REFUSED', `Cannot log in to account ${JSON.stringify(this.accountId)}: ${words} (${type})`,
      { field: 'account', found: type },
    )
  }

  #take(login: LoggedIn): void {
    const { state, extra } = login
    this.#now = login
    this.#last = login
    this.#isInFull = extra['openingTerms'] !== undefined
    if (this.#isInFull) this.#terms = this.#read('loginResponse', () => openingTermsOf(extra['openingTerms']))
    if (extra['adapterTimestampNs'] !== undefined)
      this.#adapterTimeNs = this.#read('loginResponse', () => timeOf(this.#reader, extra))
    this.receivedCount = 0
    this.#orders.note({ kind: 'accountStatus', state })
  }

  #receive(login: LoggedIn, text: string): void {
    if (this.#now !== login) return
    try {
      const value = this.#parsed(text)
      const { msgType, message } = value
      if (msgType === 'invalidRequest') {
        this.receivedCount++
        const words = typeof message === 'string' ? message : ''
        this.options.listener.onInvalidRequest?.(words, value['request'])
        this.#deliver(this.#inFlight.refused(value['request'], words, this.#adapterTimeNs))
        return
      }
      const read = this.#read(foundOnWire(msgType), () => messageOf(this.#reader, value))
      if (read === null) {
        this.options.listener.onExtension?.(value)
        return
      }
      this.receivedCount++
      this.#handle(read)
    } catch (error) {
      if (!(error instanceof BacktapeError) || error.code !== 'MESSAGE_MALFORMED') throw error
      this.#end(login, error)
    }
  }

  #handle(message: ClientMessage): void {
    if ('adapterTimeNs' in message) this.#adapterTimeNs = message.adapterTimeNs
    const whole = message.kind === 'accountStatus'
      ? { ...message, state: { ...message.state, capabilities: this.capabilities } }
      : message
    const own = this.#inFlight.take(whole, this.#isInFull)
    if (own === null) return
    this.#orders.note(own)
    deliverTo(this.options.listener, own)
  }

  #deliver(answers: readonly ClientMessage[]): void {
    for (const answer of answers) deliverTo(this.options.listener, answer)
  }

  /** The connection is gone. */
  #lose(login: LoggedIn, reason: string): void {
    if (this.#now !== login) return
    this.#now = null
    this.options.listener.onConnection?.('closed', reason)
    if (this.#hasEnded) return this.#closed()
    const { reconnect = BACK_OFF } = this.options
    if (reconnect === false)
      return this.#end(login, failure('keep the connection to the adapter', 'an open connection', reason))
    this.#reconnect(reconnect).catch((error: unknown) => {
      this.options.listener.onError(error instanceof Error ? error : new Error(String(error)))
    })
  }

  /** Tries again, later and later, until it is logged in or ended. */
  async #reconnect({ firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number }): Promise<void> {
    for (let waitMs = firstMs; ; waitMs = Math.min(2 * waitMs, mostMs)) {
      await new Promise<void>((done) => {
        const forget = afterMs(waitMs, done)
        this.#wake = (): void => {
          forget()
          done()
        }
      })
      if (this.#hasEnded) return
      try {
        const login = await this.#logIn()
        if (this.#hasEnded) {
          login.socket.end()
          return
        }
        this.#take(login)
        this.#deliver(this.#inFlight.settle(login.state, this.#adapterTimeNs))
        this.options.listener.onConnection?.('open', '')
        this.options.listener.onAccountStatus(login.state)
        return
      } catch (error) {
        if (!(error instanceof BacktapeError)) throw error
        const isFinal = error.code === 'MESSAGE_MALFORMED' || /protocol version/.test(error.place.expected ?? '') ||
          (error.code === 'LOGIN_REFUSED' && FINAL.has(error.place.found ?? ''))
        if (!isFinal) continue
        this.#end(null, error)
        return
      }
    }
  }

  /** Ends the client for good: what waits is lost. */
  #end(login: LoggedIn | null, error: BacktapeError): void {
    this.#hasEnded = true
    this.#now = null
    login?.socket.destroy()
    this.#deliver(this.#inFlight.settle(null, this.#adapterTimeNs))
    this.options.listener.onError(error)
  }

  #parsed(text: string): JsonObject {
    let value: unknown
    try {
      value = parseWireJson(text).value
    } catch (error) {
      throw malformed('a message', error instanceof Error ? error.message : String(error))
    }
    if (!isJsonObject(value)) throw malformed('a message', `expected a JSON object, found ${foundOnWire(value)}`)
    return value
  }

  #read<T>(what: string, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof WireFault)) throw error
      throw malformed(what, error.message, error)
    }
  }
}

function malformed(what: string, words: string, fault?: WireFault): BacktapeError {
  const place = fault === undefined ? {} : { field: fault.field, expected: fault.expected, found: fault.found }
  return new BacktapeError('MESSAGE_MALFORMED', `Cannot read ${what} of the adapter: ${words}`, place)
}
