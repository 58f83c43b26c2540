import type { JsonObject } from '../model/json-object.js'
import { WriteQueue } from '../protocol/write-queue.js'
import { OrderEntrySession, type SessionHost } from '../protocol/order-entry-session.js'
import type { OrderEntryConnection } from './order-entry-source.js'

/** Most unsent bytes of a connection; a client that reads more slowly is closed. */
const UNSENT_LIMIT_BYTES = 8_388_608
/** Messages of a client that wait to be played; beyond them its socket is not read. */
const WAITING_LIMIT = 256

/** Behind so many bytes there is a ping: its pong says that they have been read. */
const PING_BYTES = 65_536
/** Time that a client which answers no pings has for its close frame. */
const SILENT_CLOSE_MS = 1_000
/** The same for one that reads slowly, and has much to read before. */
const SLOW_CLOSE_MS = 600_000

/** The close frame of a WebSocket, and the time after which it is ended without an answer; absent: that of `ws`. */
export interface Farewell {
  readonly code: number
  readonly reason: string
  readonly withinMs?: number
}

/** Closes of a WebSocket (RFC 6455, section 7.4.1). */
const CLOSES = { GOING_AWAY: 1001, POLICY: 1008 } as const

/** A socket of either kind. */
export interface OrderEntryTransport {
  readonly kind: 'websocket' | 'domainSocket'
  /** Bytes that the system has not taken. */
  readonly unsentBytes: number
  /** Called when {@link isReady} may have become true, but by a text that was taken. */
  onReady: () => void
  /** True where another text may be sent, after so many bytes. */
  isReady(givenBytes: number): boolean
  /** Bytes that the client has read of so many, as far as one knows. */
  readBytes(givenBytes: number): number
  send(text: string, onTaken: () => void): void
  /** A ping behind so many bytes; false where no pong has come for too long. True for a socket that has no pings. */
  sendPing(givenBytes: number): boolean
  /** Resolves with true when its pong has come, false where the connection closed before or has no pings. */
  ping(givenBytes: number): Promise<boolean>
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Closes it when everything is written. */
  end(farewell: Farewell): void
  /** Closes it at once. */
  destroy(): void
}

/** The parts of the server that a connection needs. */
export interface ConnectionHost extends Omit<SessionHost, 'send' | 'extension'> {
  readonly post: (task: () => void) => void
  readonly log: (text: string) => void
  /** A client that reads too little or answers no pings is cut off: its places are free. */
  cutOff(connection: ServedConnection, reason: string): void
  /** Takes a message of ours; false: nobody knows its type. */
  extension(connection: OrderEntryConnection, message: JsonObject): boolean
}

/** One connection of an order entry server: a session and its socket. */
export class ServedConnection implements OrderEntryConnection {
  readonly transport: 'websocket' | 'domainSocket'
  readonly #session: OrderEntrySession
  readonly #queue: WriteQueue<string>
  /** Bytes without a ping behind them. */
  #unpingedBytes = 0
  /** Pings that wait for their turn. */
  readonly #pingers: Set<(isAnswered: boolean) => void> = new Set()
  #waiting = 0
  #isOpen = true
  /** True once somebody has logged in here. */
  hasLoggedIn = false

  constructor(private readonly socket: OrderEntryTransport, private readonly host: ConnectionHost) {
    this.transport = socket.kind
    const isReady = (): boolean => socket.isReady(this.#queue.givenBytes)
    this.#queue = new WriteQueue({
      get isReady() { return isReady() },
      write: (text, onTaken) => { socket.send(text, onTaken) },
    })
    socket.onReady = this.#queue.give
    this.#session = new OrderEntrySession({
      processId: host.processId, version: host.version, clock: host.clock, instruments: host.instruments,
      ordersOf: (accountId) => host.ordersOf(accountId),
      connect: (login, listener) => {
        const entry = host.connect(login, listener)
        this.hasLoggedIn ||= !('source' in entry)
        return entry
      },
      disconnect: (entry) => { host.disconnect(entry) },
      extension: (message) => host.extension(this, message),
      send: (text) => { this.#send(text) },
    })
  }

  get processId(): string | null {
    return this.#session.login?.processId ?? null
  }

  get accountId(): string | null {
    return this.#session.login?.accountId ?? null
  }

  get extraOptions(): JsonObject {
    return this.#session.login?.extraOptions ?? {}
  }

  get sentCount(): number {
    return this.#session.sentCount
  }

  get unsentBytes(): number {
    return this.socket.unsentBytes + this.#queue.waitingBytes
  }

  get takenBytes(): number {
    return this.socket.readBytes(this.#queue.givenBytes)
  }

  get unreadBytes(): number {
    return this.#queue.waitingBytes + this.#queue.givenBytes - this.takenBytes
  }

  get isStalled(): boolean {
    return this.#queue.isHeld
  }

  set isStalled(isStalled: boolean) {
    this.#queue.isHeld = isStalled
  }

  /** The first message. */
  open(): void {
    this.#session.open()
  }

  send(message: object): void {
    this.#send(JSON.stringify(message))
  }

  ping(): Promise<boolean> {
    return this.#isOpen ? this.#pingBehind() : Promise.resolve(false)
  }

  /** The periodic ping. */
  sendPing(): void {
    if (!this.#isOpen || this.isStalled || this.socket.sendPing(this.#queue.givenBytes)) return
    this.cutOff('pong check failed')
  }

  cutOff(reason: string): void {
    this.#cutOff(reason, SILENT_CLOSE_MS)
  }

  close(): void {
    this.socket.destroy()
  }

  /** Says farewell to it, server side. */
  end(): void {
    this.#queue.then(() => { this.socket.end({ code: CLOSES.GOING_AWAY, reason: 'service shutdown' }) })
  }

  /** A text that has come: played in its turn. */
  receive(text: string): void {
    this.#play(() => { this.#session.receive(text) })
  }

  /** A message that is no text of the protocol: answered, then `after`. */
  refuse(reason: string, found: string, after: () => void = () => undefined): void {
    this.#play(() => {
      this.#session.invalid(reason, found, false)
      after()
    })
  }

  /** The socket has closed: what came before is played first. */
  closed(): void {
    this.#shut()
    this.host.post(() => { this.#session.close() })
  }

  #play(task: () => void): void {
    if (++this.#waiting === WAITING_LIMIT) this.socket.pause()
    this.host.post(() => {
      if (this.#waiting-- === WAITING_LIMIT) this.socket.resume()
      try {
        task()
      } catch (error) {
        // A fault of ours must not end the server: the connection goes, and the operator reads why.
        this.host.log(`order entry: closed a connection: ${error instanceof Error ? error.message : String(error)}`)
        this.close()
      }
    })
  }

  #send(text: string): void {
    if (!this.#isOpen) return
    this.#queue.push(text)
    this.#unpingedBytes += text.length
    if (this.#unpingedBytes >= PING_BYTES) {
      this.#unpingedBytes = 0
      this.#queue.then(() => { this.sendPing() })
    }
    if (this.unsentBytes > UNSENT_LIMIT_BYTES) this.#cutOff('slow consumer', SLOW_CLOSE_MS)
  }

  #cutOff(reason: string, withinMs: number): void {
    if (!this.#isOpen) return
    this.#shut()
    this.socket.end({ code: CLOSES.POLICY, reason, withinMs })
    this.host.cutOff(this, reason)
  }

  /** Nothing is sent any more, and nobody waits for a pong. */
  #shut(): void {
    this.#isOpen = false
    this.#queue.clear()
    this.#queue.isHeld = false
    for (const resolve of this.#pingers) resolve(false)
    this.#pingers.clear()
  }

  /** Its promise is kept where the connection closes before the ping has its turn. */
  #pingBehind(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#pingers.add(resolve)
      this.#queue.then(() => {
        this.#pingers.delete(resolve)
        void this.socket.ping(this.#queue.givenBytes).then(resolve)
      })
    })
  }
}
