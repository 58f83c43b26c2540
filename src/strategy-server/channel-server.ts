import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { laterMs } from '../model/wall-client.js'
import { CHANNEL_FRAME_BYTES_MAX, CHANNELS_PATH } from '../protocol/channels/channel-session.js'
import { refuseUpgrade } from '../web/http-server.js'
import { requestPath } from '../web/request-url.js'
import { ChannelConnection } from './channel-connection.js'
import type { ChannelHub } from './channel-hub.js'

/** Connections at once: our choice, as all of these; spec 3 shows none. */
const CONNECTIONS_MAX = 1_000
/** For so long a connection may go without a login. */
const LOGIN_MS = 60_000
const PING_MS = 30_000
/** Most time without a pong. */
const PONG_MS = 90_000

/** The times of a channel server, where they differ from its own. */
export interface ChannelTimes {
  readonly loginMs?: number
  readonly pingMs?: number
  readonly pongMs?: number
}

/** The refusal of a handshake. */
export interface HandshakeRefusal {
  readonly status: number
  readonly sentence: string
}

/** The WebSocket side of the channels of a strategy server (spec 3). */
export class ChannelServer {
  readonly #web = new WebSocketServer({
    noServer: true, maxPayload: CHANNEL_FRAME_BYTES_MAX, perMessageDeflate: false, clientTracking: false,
  })
  readonly #connections: Set<ChannelConnection> = new Set()
  readonly #pings: NodeJS.Timeout
  #isClosed = false

  /** `refusalOf` refuses handshakes by their headers; `onLog` takes a sentence about a connection. */
  constructor(
    private readonly hub: ChannelHub,
    private readonly refusalOf: (headers: IncomingHttpHeaders) => HandshakeRefusal | null,
    private readonly onLog: (sentence: string) => void, private readonly times: ChannelTimes = {},
  ) {
    this.#pings = setInterval(() => { for (const one of this.#connections) one.ping() }, times.pingMs ?? PING_MS)
    this.#pings.unref()
  }

  /** The number of connections. */
  get connectionCount(): number {
    return this.#connections.size
  }

  /** Takes an upgrade of its path; false: it is another one's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (requestPath(request.url ?? '') !== CHANNELS_PATH) return false
    socket.on('error', () => undefined)
    const refusal = this.refusalOf(request.headers)
    if (refusal !== null) refuseUpgrade(socket, refusal.status, refusal.sentence)
    else if (this.#isClosed || this.#connections.size >= CONNECTIONS_MAX)
      refuseUpgrade(socket, 429, 'too many connections')
    else this.#web.handleUpgrade(request, socket, head, (web) => {
      const { loginMs = LOGIN_MS, pongMs = PONG_MS } = this.times
      const connection = new ChannelConnection(web, this.hub, pongMs, (one, reason) => {
        this.#connections.delete(one)
        this.onLog(`channels: ${one.origin === null ? 'a client' : JSON.stringify(one.origin)} has left: ${reason}`)
      })
      this.#connections.add(connection)
      laterMs(loginMs, () => { if (!connection.hasLoggedIn) connection.end(1008, 'no login') })
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
