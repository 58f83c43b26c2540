import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterMs } from '../model/wall-client.js'
import { ANSWER_HEADERS } from './answer-headers.js'
import { hostAndPort } from './http-hosts.js'
import { listenFailure } from './listen-failure.js'

/** The limits of a listener. */
export interface HttpLimits {
  /** Bytes of the first line and the headers of a request; longer ones are answered 431. */
  readonly headerBytes: number
  /** Until the headers of a request are whole, milliseconds; then 408. */
  readonly headersMs: number
  /** Until a request is whole, its body too, milliseconds; then 408. */
  readonly requestMs: number
  /** For so long a connection may wait for its next request, milliseconds. */
  readonly idleMs: number
  /** Open connections; those beyond are closed at once. */
  readonly connections: number
  /** For so long `close` waits for answers that are under way, milliseconds. */
  readonly closeMs: number
}

const LIMITS: HttpLimits = {
  headerBytes: 16_384, headersMs: 10_000, requestMs: 10_000, idleMs: 5_000, connections: 2_000, closeMs: 1_000,
}
/** So often the times of requests are looked at, at most. */
const CHECK_MS = 1_000

/** The answers of an HTTP server. */
export interface HttpAnswers {
  request(request: IncomingMessage, response: ServerResponse): void
  /** False: the upgrade is not taken, and answered 404. Absent: upgrades are passed over. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
}

/** The place of a listener, and its limits where they differ from those that stand here. */
export interface HttpPlace extends Partial<HttpLimits> {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Named in the sentence of a failure: `127.0.0.1:14004 for binance_spot`. */
  readonly purpose?: string
}

/** An HTTP server that listens. */
export interface ListeningHttp {
  readonly port: number
  /**
   * Resolves when every connection has ended. Those that wait for nothing are ended at once, the others after
   * {@link HttpLimits.closeMs}. Harmless twice.
   */
  close(): Promise<void>
}

/**
 * Listens at an address: the one listener of every server here. Answers have {@link ANSWER_HEADERS} unless they state
 * others. A request with two `Host`, or with an encoding other than chunks, is answered 400. A request whose body has
 * not been read when its answer goes out is the last of its connection: its body is never taken for the next request.
 * Throws ADDRESS_TAKEN and OPTION_INVALID.
 */
export async function listenHttp(answers: HttpAnswers, place: HttpPlace): Promise<ListeningHttp> {
  const { host, port, purpose, ...given } = place
  const limits = { ...LIMITS, ...given }
  const http = createServer({
    maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs), keepAliveTimeout: limits.idleMs,
    insecureHTTPParser: false,
  })
  http.maxConnections = limits.connections
  // The bytes are limited: headers beyond a number would be left out, silently.
  http.maxHeadersCount = 0
  const connections = new Connections(http)
  http.on('request', (request, response) => {
    connections.begin(request, response)
    answer(answers, request, response)
  })
  const { upgrade } = answers
  if (upgrade !== undefined) http.on('upgrade', (request, socket, head: Buffer) => {
    connections.begin(request, null)
    if (!isClear(request)) refuseUpgrade(socket, 400, 'bad request')
    else if (!upgrade(request, socket, head)) refuseUpgrade(socket, 404, 'not found')
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  }).catch((error: unknown) => {
    throw listenFailure(error, `${hostAndPort(host, port)}${purpose === undefined ? '' : ` for ${purpose}`}`)
  })
  let closed: Promise<void> | null = null
  return {
    port: (http.address() as AddressInfo).port,
    close: () => closed ??= connections.close(limits.closeMs),
  }
}

/** The answer of HTTP to a handshake that is refused; its connection ends. */
export function refuseUpgrade(socket: Duplex, status: number, body: string): void {
  const headers = {
    ...ANSWER_HEADERS, 'connection': 'close', 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  socket.on('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end([`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'))
}

function answer(answers: HttpAnswers, request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value)
  closeUnlessRead(request, response)
  if (isClear(request)) return answers.request(request, response)
  response.shouldKeepAlive = false
  response.writeHead(400, { 'content-length': 0 }).end()
}

/** Keeps the connection for another request only once the body of this one has been read. */
function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (length === '0' && encoding === undefined) return
  const isKept = response.shouldKeepAlive
  response.shouldKeepAlive = false
  request.once('end', () => { response.shouldKeepAlive = isKept })
}

/** False for what a proxy in front may have read in another way: two hosts, a body whose end is not certain. */
function isClear({ headersDistinct }: IncomingMessage): boolean {
  const { host = [], 'transfer-encoding': encodings = ['chunked'] } = headersDistinct
  return host.length < 2 && encodings.join().toLowerCase() === 'chunked'
}

/** The connections of a server: those that wait for nothing are ended with it, at once. */
class Connections {
  /** Each with whether something is under way. */
  readonly #open: Map<Socket, boolean> = new Map()
  #isClosing = false

  constructor(private readonly http: Server) {
    http.on('connection', (socket: Socket) => {
      this.#open.set(socket, false)
      socket.once('close', () => { this.#open.delete(socket) })
    })
  }

  /** Null: the connection has become something else. */
  begin({ socket }: IncomingMessage, response: ServerResponse | null): void {
    if (this.#open.has(socket)) this.#open.set(socket, true)
    response?.once('close', () => {
      if (this.#open.has(socket)) this.#open.set(socket, false)
      if (this.#isClosing) socket.destroySoon()
    })
  }

  close(closeMs: number): Promise<void> {
    this.#isClosing = true
    return new Promise((resolve) => {
      const stay = afterMs(closeMs, () => { for (const socket of this.#open.keys()) socket.destroy() })
      this.http.close(() => {
        stay()
        resolve()
      })
      for (const [socket, isBusy] of this.#open) if (!isBusy) socket.destroy()
    })
  }
}
