import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { BacktapeError } from '../model/error.js'
import type { JsonObject } from '../model/json-object.js'
import { keptValue } from '../model/kept-value.js'
import type { EntryError } from '../model/order.js'
import { laterMs } from '../model/wall-client.js'
import { FrameReader, type FrameFault } from '../protocol/domain-socket-frames.js'
import { ORDER_ENTRY_PATH, type LoginRequest } from '../protocol/order-entry-codec.js'
import { OrderInstruments } from '../protocol/order-instruments.js'
import type { OrderEntry, OrderEntryListener } from '../venue/venue.js'
import { foreignRequest } from '../web/http-hosts.js'
import { refuseUpgrade } from '../web/http-server.js'
import { requestPath } from '../web/request-url.js'
import { lookupAnswer, type AdapterAddress } from './adapter-lookup.js'
import { listenAtDomainSocket } from './domain-socket-server.js'
import { DomainSocketTransport } from './domain-socket-transport.js'
import type {
  OpenOrderEntry, OrderEntryConnection, OrderEntryServer, OrderEntryServerOptions,
} from './order-entry-source.js'
import { ServedConnection, type ConnectionHost, type OrderEntryTransport } from './served-connection.js'
import { WebSocketTransport } from './web-socket-transport.js'

/** Longest message of a client in bytes: our choice, the documents show no limit. */
const MESSAGE_LIMIT_BYTES = 1_048_576
/** Connections of an account: our choice. */
const CONNECTIONS_PER_ACCOUNT = 20
const FAREWELL_MS = 1000
/** For so long a connection may go without a login: our choice. */
const LOGIN_MS = 60_000
const KEEP_ALIVE_MS = 30_000

const PING_SECONDS = 5
const PONG_SECONDS = 30

const FAULTS: { readonly [Fault in FrameFault]: string | null } = {
  binary: 'a message must be a text: the top bit of its length is not set',
  empty: 'a message must have at least one byte',
  notUtf8: 'a message must be UTF-8',
  tooLong: null,
}

/** Makes an order entry server (spec 2). Nothing listens before `open`. */
export function createOrderEntryServer(options: OrderEntryServerOptions): OrderEntryServer {
  return new AdapterServer(options)
}

/** Logins of an account: which name belongs to which order entry. */
type Logins = Map<OrderEntry, string>

class AdapterServer implements OrderEntryServer {
  readonly connections: Set<OrderEntryConnection> = new Set()
  readonly #served: Set<ServedConnection> = new Set()
  /** Cut off: their sockets are still open. */
  readonly #leaving: Set<ServedConnection> = new Set()
  readonly #web: WebSocketServer = new WebSocketServer({
    noServer: true, maxPayload: MESSAGE_LIMIT_BYTES, perMessageDeflate: false, clientTracking: false,
  })
  readonly #orders: Map<string, OrderInstruments> = new Map()
  readonly #logins: Map<string, Logins> = new Map()
  readonly #host: ConnectionHost
  readonly #pongMs: number
  readonly #pings: NodeJS.Timeout
  #address: AdapterAddress
  #domain: Server | null = null
  #isClosed = false

  constructor(private readonly options: OrderEntryServerOptions) {
    const { source, processId, version, onLog, post, ping } = options
    this.#address = { processId, version, domainSocket: null }
    this.#host = {
      processId, version, clock: source.clock, instruments: source.instruments,
      post: post ?? ((task): void => { task() }), log: onLog ?? ((): void => undefined),
      ordersOf: (accountId) => source.accounts.has(accountId)
        ? keptValue(this.#orders, accountId, () => new OrderInstruments(source.instruments))
        : undefined,
      connect: (login, listener) => this.#connect(login, listener),
      disconnect: (entry) => { this.#disconnect(entry as OpenOrderEntry) },
      extension: (connection, message) => this.#extension(connection, message),
      cutOff: (connection, reason) => {
        this.#host.log(`Warning: order entry: ${nameOf(connection)} was cut off: ${reason}`)
        this.#remove(connection)
        this.#leaving.add(connection)
      },
    }
    const { everySeconds = PING_SECONDS, pongSeconds = PONG_SECONDS } = ping ?? {}
    this.#pongMs = pongSeconds * 1000
    this.#pings = setInterval(() => { for (const one of this.#served) one.sendPing() }, everySeconds * 1000)
    this.#pings.unref()
  }

  async open(): Promise<void> {
    const { domainSocket } = this.options
    if (domainSocket === undefined) return
    const { server, path } = await listenAtDomainSocket(domainSocket, (socket) => { this.#openDomainSocket(socket) })
    this.#domain = server
    this.#address = { ...this.#address, domainSocket: path }
  }

  request(request: IncomingMessage, response: ServerResponse): boolean {
    const { remoteAddress = '', localAddress = '', localPort = 0 } = request.socket
    const path = requestPath(request.url ?? '')
    const answer = lookupAnswer(
      { path, remoteAddress, localAddress, localPort }, this.#address, this.options.source.accounts,
      this.options.extensions ?? {},
    )
    if (answer === null) return false
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const body = JSON.stringify(isRead ? answer.body : { status: 'error', result: 'GET alone', count: 0, data: [] })
    response.writeHead(isRead ? answer.status : 405, {
      'content-type': 'application/json', 'content-length': new TextEncoder().encode(body).length,
      ...(isRead ? {} : { allow: 'GET, HEAD' }),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
    return true
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (requestPath(request.url ?? '') !== ORDER_ENTRY_PATH) return false
    socket.on('error', () => undefined)
    const foreign = foreignRequest(request.headers, 'address')
    if (foreign !== null) this.#refuseUpgrade(socket, 403, foreign)
    else if (this.#isFull) this.#refuseUpgrade(socket, 429, 'too many connections for this account')
    else this.#takeUpgrade(request, socket, head)
    return true
  }

  #refuseUpgrade(socket: Duplex, status: 403 | 429, body: string): void {
    refuseUpgrade(socket, status, body)
    this.#host.log(`order entry: refused a connection: ${body}`)
  }

  #takeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if ('setKeepAlive' in socket) (socket as Socket).setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true)
    this.#web.handleUpgrade(request, socket, head, (web) => { this.#openWebSocket(web) })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#pings)
    for (const connection of this.#leaving) connection.close()
    const closed = [...this.#served].map((connection) => new Promise<void>((done) => {
      this.#farewells.set(connection, done)
      connection.end()
    }))
    const timer = setTimeout(() => {
      for (const connection of this.#served) connection.close()
    }, FAREWELL_MS)
    const domain = this.#domain
    const ended = domain === null ? Promise.resolve() : new Promise<void>((done) => { domain.close(() => { done() }) })
    await Promise.all([...closed, ended])
    clearTimeout(timer)
    this.#web.close()
  }

  readonly #farewells: Map<ServedConnection, () => void> = new Map()

  /** Before a login nobody knows the account of a connection: all accounts together have so many. */
  get #isFull(): boolean {
    return this.#isClosed || this.#served.size >= CONNECTIONS_PER_ACCOUNT * this.options.source.accounts.size
  }

  #add(transport: OrderEntryTransport): ServedConnection {
    const connection = new ServedConnection(transport, this.#host)
    this.#served.add(connection)
    this.connections.add(connection)
    laterMs(this.options.loginMs ?? LOGIN_MS, () => {
      if (connection.hasLoggedIn || !this.#served.has(connection)) return
      this.#host.log('order entry: closed a connection that did not log in')
      connection.close()
    })
    return connection
  }

  #remove(connection: ServedConnection): void {
    this.#leaving.delete(connection)
    if (!this.#served.delete(connection)) return
    this.connections.delete(connection)
    connection.closed()
    this.#farewells.get(connection)?.()
    this.#farewells.delete(connection)
  }

  #openWebSocket(socket: WebSocket): void {
    const connection = this.#add(new WebSocketTransport(socket, this.#pongMs))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) connection.refuse('a message must be a text frame', `binary, ${data.length} bytes`)
      else connection.receive(data.toString('utf8'))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => { this.#remove(connection) })
    connection.open()
  }

  #openDomainSocket(socket: Socket): void {
    if (this.#isFull) {
      socket.destroy()
      return
    }
    const frames = new FrameReader(MESSAGE_LIMIT_BYTES)
    const connection = this.#add(new DomainSocketTransport(socket))
    let hasFailed = false
    socket.on('data', (chunk: Uint8Array) => {
      if (hasFailed) return
      frames.push(chunk)
      for (let frame = frames.next(); frame !== null; frame = frames.next()) {
        if ('text' in frame) connection.receive(frame.text)
        else {
          hasFailed = true
          const reason = FAULTS[frame.fault]
          if (reason === null) socket.destroy()
          else connection.refuse(reason, frame.fault, () => { socket.destroySoon() })
          return
        }
      }
    })
    socket.on('error', () => undefined)
    socket.on('close', () => { this.#remove(connection) })
    connection.open()
  }

  #extension(connection: OrderEntryConnection, message: JsonObject): boolean {
    const { extensionTypes = [], onExtension } = this.options
    if (onExtension === undefined || !extensionTypes.includes(message['msgType'] as string)) return false
    onExtension(connection, message)
    return true
  }

  /** Logs a process in under a name that is free in its account: its own, then `#2`, `#3`. */
  #connect({ processId, accountId }: LoginRequest, listener: OrderEntryListener): OrderEntry | EntryError {
    const logins = keptValue(this.#logins, accountId, (): Logins => new Map())
    if (logins.size >= CONNECTIONS_PER_ACCOUNT)
      return loginError('TOO_MANY_CONNECTIONS', `at most ${CONNECTIONS_PER_ACCOUNT} logins of an account`)
    const taken = new Set(logins.values())
    for (let number = 1; number <= 2 * CONNECTIONS_PER_ACCOUNT; number++) {
      const clientId = number === 1 ? processId : `${processId}#${number}`
      if (taken.has(clientId)) continue
      try {
        const entry = this.options.source.connect(clientId, accountId, listener)
        logins.set(entry, clientId)
        this.#host.log(`order entry: ${JSON.stringify(clientId)} logged in to ${JSON.stringify(accountId)}`)
        return entry
      } catch (error) {
        if (!(error instanceof BacktapeError)) throw error
        // A client of the source itself may have the name.
        if (error.place.field !== 'clientId') return loginError('LOGIN_FAILED', error.message)
      }
    }
    return loginError('LOGIN_FAILED', `no name is free for the process ${JSON.stringify(processId)}`)
  }

  #disconnect(entry: OpenOrderEntry): void {
    this.#logins.get(entry.accountId)?.delete(entry)
    entry.disconnect()
  }
}

function nameOf({ processId, accountId }: OrderEntryConnection): string {
  return processId === null
    ? 'a connection that has not logged in'
    : `process ${JSON.stringify(processId)} of account ${JSON.stringify(accountId)}`
}

function loginError(type: string, message: string): EntryError {
  return { type, message, source: 'INTERNAL' }
}
