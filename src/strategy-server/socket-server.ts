import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { refuseUpgrade } from '../web/http-server.js'
import { requestPath } from '../web/request-url.js'

const PING_MS = 30_000

/** The refusal of a handshake. */
export interface HandshakeRefusal {
  readonly status: number
  readonly sentence: string
}

/** Connections of one path. */
export interface SocketTerms {
  readonly path: string
  /** Longest frame of a client. */
  readonly frameBytes: number
  /** Connections at once. */
  readonly connections: number
  /** Between two pings; default 30,000. */
  readonly pingMs?: number | undefined
}

/** A connection. */
interface Connection {
  ping(): void
  end(code: number, reason: string): void
}

/** The WebSocket connections of one path of a server. */
export class SocketServer<One extends Connection> {
  readonly #web: WebSocketServer
  readonly #connections: Set<One> = new Set()
  readonly #pings: NodeJS.Timeout
  #isClosed = false

  /** `refusalOf` refuses handshakes by their headers; a connection says when it is over. */
  constructor(
    private readonly terms: SocketTerms,
    private readonly refusalOf: (headers: IncomingHttpHeaders) => HandshakeRefusal | null,
    private readonly open: (socket: WebSocket, onClosed: (one: One) => void) => One,
  ) {
    this.#web = new WebSocketServer({
      noServer: true, maxPayload: terms.frameBytes, perMessageDeflate: false, clientTracking: false,
    })
    this.#pings = setInterval(() => { for (const one of this.#connections) one.ping() }, terms.pingMs ?? PING_MS)
    this.#pings.unref()
  }

  /** Its connections. */
  get connections(): ReadonlySet<One> {
    return this.#connections
  }

  /** Takes an upgrade of its path; false: it is another one's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (requestPath(request.url ?? '') !== this.terms.path) return false
    socket.on('error', () => undefined)
    const refusal = this.refusalOf(request.headers)
    if (refusal !== null) refuseUpgrade(socket, refusal.status, refusal.sentence)
    else if (this.#isClosed || this.#connections.size >= this.terms.connections)
      refuseUpgrade(socket, 429, 'too many connections')
    else this.#web.handleUpgrade(request, socket, head, (web) => {
      this.#connections.add(this.open(web, (one) => { this.#connections.delete(one) }))
    })
    return true
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#pings)
    for (const connection of this.#connections) connection.end(1001, 'the server ends')
    this.#web.close()
  }
}
