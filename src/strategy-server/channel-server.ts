import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { laterMs } from '../model/wall-client.js'
import { CHANNEL_FRAME_BYTES_MAX, CHANNELS_PATH } from '../protocol/channels/channel-session.js'
import { ChannelConnection } from './channel-connection.js'
import type { ChannelHub } from './channel-hub.js'
import { SocketServer, type HandshakeRefusal } from './socket-server.js'

/** Connections at once: our choice, as all of these; spec 3 shows none. */
const CONNECTIONS_MAX = 1_000
/** For so long a connection may go without a login. */
const LOGIN_MS = 60_000
/** Most time without a pong. */
const PONG_MS = 90_000

/** The times of a channel server, where they differ from its own. */
export interface ChannelTimes {
  readonly loginMs?: number
  readonly pingMs?: number
  readonly pongMs?: number
}

/** The WebSocket side of the channels of a strategy server (spec 3). */
export class ChannelServer {
  readonly #sockets: SocketServer<ChannelConnection>

  /** `refusalOf` refuses handshakes by their headers; `onLog` takes a sentence about a connection. */
  constructor(
    hub: ChannelHub, refusalOf: (headers: IncomingHttpHeaders) => HandshakeRefusal | null,
    onLog: (sentence: string) => void, { loginMs = LOGIN_MS, pongMs = PONG_MS, pingMs }: ChannelTimes = {},
  ) {
    const terms = { path: CHANNELS_PATH, frameBytes: CHANNEL_FRAME_BYTES_MAX, connections: CONNECTIONS_MAX, pingMs }
    this.#sockets = new SocketServer(terms, refusalOf, (web, onClosed) => {
      const connection = new ChannelConnection(web, hub, pongMs, (one, reason) => {
        onClosed(one)
        onLog(`channels: ${one.origin === null ? 'a client' : JSON.stringify(one.origin)} has left: ${reason}`)
      })
      laterMs(loginMs, () => { if (!connection.hasLoggedIn) connection.end(1008, 'no login') })
      return connection
    })
  }

  /** The number of connections. */
  get connectionCount(): number {
    return this.#sockets.connections.size
  }

  /** Takes an upgrade of its path; false: it is another one's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.#sockets.upgrade(request, socket, head)
  }

  /** Ends every connection. */
  close(): void {
    this.#sockets.close()
  }
}
