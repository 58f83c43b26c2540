import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { cellText } from '../model/display-table.js'
import { FEED_NOTICES, FEED_PROTOCOL_VERSION, type FeedCapabilities } from '../protocol/feed-messages.js'
import { FeedSession } from '../protocol/feed-session.js'
import { hostAndPort } from '../web/http-hosts.js'
import { listenHttp, refuseUpgrade, type ListeningHttp } from '../web/http-server.js'
import { requestPath } from '../web/request-url.js'
import { capabilitiesOf } from './feed-capabilities.js'
import { FEED_ENCODINGS, type FeedEncodingEntry } from './feed-encodings.js'
import { decideHandshake } from './feed-handshake.js'
import { FeedPublisher } from './feed-publisher.js'
import type {
  FeedAddress, FeedConnection, FeedMarket, FeedOmission, FeedServer, FeedServerOptions,
} from './feed-source.js'
import { isListed } from './instrument-directory.js'
import { isCutOffBy, ServerConnection, SLOW_CLOSE_MS } from './server-connection.js'

/** Longest message of a client (wire decisions: a longer one is closed with 1009). */
const MESSAGE_MAX_BYTES = 65_536
const UNSENT_LIMIT_BYTES = 8 * 1024 * 1024
const RECHECK_MS = 3_600_000
/** `closeTimeout`, which the types lack: connections have times of their own. */
const SOCKET_OPTIONS = {
  noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_MAX_BYTES, autoPong: false, clientTracking: false,
  closeTimeout: SLOW_CLOSE_MS,
}
const JSON_PATH = '/api/v6'
/** Characters of a line for an operator. */
const LOG_MAX = 400

/** One market of the server: its port, and what is said of it. */
interface MarketPort {
  readonly market: FeedMarket
  readonly capabilities: FeedCapabilities
  readonly instrumentIds: ReadonlySet<number>
}

/**
 * Starts a feed server: one HTTP server for each market, with the feed at `/api/v6` and `/api/v6/sbe` and
 * `/api/info` (spec 1, "Realtime feed endpoints"). Rejects with OPTION_INVALID where a port cannot be had.
 */
export async function createFeedServer(options: FeedServerOptions): Promise<FeedServer> {
  const server = new SocketFeedServer(options)
  try {
    for (const market of options.markets) await server.listen(market)
  } catch (error) {
    await server.close()
    throw error
  }
  return server
}

class SocketFeedServer implements FeedServer {
  readonly addresses: FeedAddress[] = []
  readonly connections: Set<FeedConnection> = new Set()
  readonly #open: Set<ServerConnection> = new Set()
  readonly #listening: ListeningHttp[] = []
  readonly #publisher: FeedPublisher
  /** Sockets from their handshake to their end, by market and key. */
  readonly #keyCounts: Map<string, number> = new Map()
  readonly #sockets = new WebSocketServer(SOCKET_OPTIONS)
  readonly #timers: NodeJS.Timeout[]
  #isFlushAwaited = false
  #isClosing = false

  constructor(private readonly options: FeedServerOptions) {
    this.#publisher = new FeedPublisher(options.source, () => this.#awaitFlush())
    const everyMs = (options.ping?.everySeconds ?? 5) * 1000
    this.#timers = [
      setInterval(() => { for (const connection of this.#open) connection.sendPing() }, everyMs),
      setInterval(() => this.recheckAccess(), RECHECK_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  async listen(market: FeedMarket): Promise<void> {
    const { host = '127.0.0.1', source } = this.options
    const instruments = source.instruments.entries.map((entry) => entry.instrument)
      .filter(({ exchangeCode }) => exchangeCode === market.code)
    const port: MarketPort = {
      market, capabilities: capabilitiesOf(instruments), instrumentIds: new Set(instruments.map(({ id }) => id)),
    }
    const http = await listenHttp({
      request: (request, response) => { this.#answer(port, request, response) },
      upgrade: (request, socket, head) => {
        this.#upgrade(port, request, socket, head)
        return true
      },
    }, { host, port: market.port, purpose: market.code })
    this.#listening.push(http)
    this.addresses.push(addressOf(market.code, host, http.port))
  }

  get blockCount(): number {
    return this.#publisher.blockCount
  }

  flush(): void {
    this.#publisher.flush()
  }

  #awaitFlush(): void {
    if (this.#isFlushAwaited) return
    this.#isFlushAwaited = true
    setImmediate(() => {
      this.#isFlushAwaited = false
      this.flush()
    })
  }

  recheckAccess(): void {
    for (const connection of this.#open) {
      if (this.options.access.rejection(connection.key, connection.market) !== null)
        connection.close(FEED_NOTICES.EXPIRED)
      else connection.recheck()
    }
  }

  resendSnapshots(instrumentId?: number): void {
    this.#publisher.resend(instrumentId)
  }

  sendState(instrumentId: number, state: 'READY' | 'ERROR', text: string): void {
    this.#publisher.sendStateToAll(instrumentId, state, text)
  }

  beginAnew(): void {
    this.#publisher.beginAnew()
  }

  omit(instrumentId: number, omission: FeedOmission): void {
    this.#publisher.omit(instrumentId, omission)
  }

  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    for (const timer of this.#timers) clearInterval(timer)
    for (const connection of this.#open) connection.close(FEED_NOTICES.SHUTDOWN)
    this.#publisher.close()
    // Clients have the time of the listener for their close frames.
    await Promise.all(this.#listening.map((http) => http.close()))
  }

  /** `/api/info`, with or without `all=true`; a word for everything else. */
  #answer(port: MarketPort, request: IncomingMessage, response: ServerResponse): void {
    const path = requestPath(request.url ?? '/')
    if (path === '/api/info') {
      if (request.method !== 'GET' && request.method !== 'HEAD') return sendText(response, 405, 'method not allowed')
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(this.#info(port)))
      return
    }
    const isFeed = FEED_ENCODINGS.some((entry) => entry.path === path)
    if (isFeed) sendText(response, 426, 'a WebSocket handshake is needed here', { Upgrade: 'websocket' })
    else sendText(response, 404, 'not found')
  }

  #isListed(instrumentId: number): boolean {
    const entry = this.options.source.instruments.get(instrumentId)
    return entry !== undefined && isListed(entry.instrument)
  }

  #info({ market, capabilities }: MarketPort): object {
    return {
      process_id: this.options.processId, protocol_version: FEED_PROTOCOL_VERSION, clock: this.options.clock,
      endpoints: FEED_ENCODINGS.map(({ encoding, path }) => ({ endpoint: path, encoding })),
      capabilities, market: market.code, ...this.options.extensions,
    }
  }

  #upgrade(port: MarketPort, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { code } = port.market
    const outcome = decideHandshake(request.url ?? '/', {
      market: code, access: this.options.access, connectionsPerKey: this.options.connectionsPerKey,
      connectionCount: (key) => this.#keyCounts.get(countName(code, key)) ?? 0,
    })
    if (this.#isClosing) return refuseUpgrade(socket, 503, FEED_NOTICES.SHUTDOWN)
    if (outcome.kind === 'refused') {
      this.#log(`${code}: handshake refused, ${String(outcome.status)} ${outcome.body}`)
      return refuseUpgrade(socket, outcome.status, outcome.body)
    }
    const { entry, key } = outcome
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => (
      this.#connect(port, entry, key, socket, webSocket)
    ))
  }

  #connect(port: MarketPort, entry: FeedEncodingEntry, key: string, socket: Duplex, webSocket: WebSocket): void {
    const { options } = this
    const { code } = port.market
    let loginNs: bigint | undefined
    const session = new FeedSession({
      decoder: entry.createRequests().decoder, isBinary: entry.isBinary,
      isAvailable: (instrumentId) => port.instrumentIds.has(instrumentId) && this.#isListed(instrumentId),
      isPermitted: (instrumentId) => options.access.isPermitted(key, code, instrumentId, loginNs),
      pongMs: (options.ping?.pongSeconds ?? 30) * 1000,
    })
    const free = this.#takePlace(countName(code, key))
    const connection = new ServerConnection({
      market: code, encoding: entry.encoding, key, session, socket, webSocket, publisher: this.#publisher,
      unsentLimitBytes: options.unsentLimitBytes ?? UNSENT_LIMIT_BYTES, nowMs: () => performance.now(),
      post: options.post ?? ((task) => task()),
      onLogin: (one) => {
        loginNs = options.source.clock.now()
        this.#logIn(port, one, session)
      },
      onClosed: (one, reason) => {
        this.#open.delete(one)
        this.connections.delete(one)
        const isCutOff = isCutOffBy(reason)
        if (isCutOff) free()
        this.#log(isCutOff
          ? `Warning: ${code}: ${entry.encoding} connection of ${nameOf(session)} was cut off: ${reason}`
          : `${code}: ${entry.encoding} connection ended, ${reason}`)
      },
    })
    this.#open.add(connection)
    this.connections.add(connection)
    this.#log(`${code}: ${entry.encoding} connection`)
    webSocket.on('close', free)
  }

  /** Takes one of the places of a key; the function returned frees it, once. */
  #takePlace(name: string): () => void {
    const counts = this.#keyCounts
    counts.set(name, (counts.get(name) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (counts.get(name) ?? 1) - 1
      if (left > 0) counts.set(name, left)
      else counts.delete(name)
    }
  }

  #logIn({ market, capabilities }: MarketPort, connection: ServerConnection, session: FeedSession): void {
    this.#publisher.sendLoginResponse(connection, {
      processId: this.options.processId, protocolVersion: FEED_PROTOCOL_VERSION,
      serverTime: this.options.source.clock.now(), capabilities,
    })
    this.#log(`${market.code}: login of ${nameOf(session)}`)
  }

  #log(text: string): void {
    this.options.onLog?.(cellText(text, LOG_MAX))
  }
}

/** The texts of a login, as an operator reads them. */
function nameOf({ login }: FeedSession): string {
  if (login === null) return 'nobody who has logged in'
  const { organization, applicationName, applicationVersion, processId } = login
  return [organization, applicationName, applicationVersion, processId].map((text) => text.slice(0, 60)).join(' ')
}

function countName(market: string, key: string): string {
  return `${market} ${key}`
}

function addressOf(market: string, host: string, port: number): FeedAddress {
  const shown = hostAndPort(host, port)
  return {
    market, port, json: `ws://${shown}${JSON_PATH}`, sbe: `ws://${shown}${JSON_PATH}/sbe`,
    info: `http://${shown}/api/info`,
  }
}

function sendText(
  response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', ...headers })
  response.end(body)
}
