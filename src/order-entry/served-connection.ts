import type { JsonObject } from '../model/json-object.js'
import { OrderEntrySession, type SessionHost } from '../protocol/order-entry-session.js'
import type { OrderEntryConnection } from './order-entry-source.js'

/** Most unsent bytes of a connection; a client that reads more slowly is closed. */
const UNSENT_LIMIT_BYTES = 8_388_608
/** Messages of a client that wait to be played; beyond them its socket is not read. */
const WAITING_LIMIT = 256

/** A socket of either kind. */
export interface OrderEntryTransport {
  readonly kind: 'websocket' | 'domainSocket'
  readonly unsentBytes: number
  send(text: string): void
  /** Resolves with true when the pong has come, false where the connection closed before or has no pings. */
  ping(): Promise<boolean>
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Closes it when everything is written. */
  end(): void
  /** Closes it at once. */
  destroy(): void
}

/** The parts of the server that a connection needs. */
export interface ConnectionHost extends Omit<SessionHost, 'send' | 'extension'> {
  readonly post: (task: () => void) => void
  readonly log: (text: string) => void
  /** Takes a message of ours; false: nobody knows its type. */
  extension(connection: OrderEntryConnection, message: JsonObject): boolean
}

/** One connection of an order entry server: a session and its socket. */
export class ServedConnection implements OrderEntryConnection {
  readonly transport: 'websocket' | 'domainSocket'
  readonly #session: OrderEntrySession
  /** Messages while it is stalled. */
  #held: string[] = []
  #heldBytes = 0
  #writtenLength = 0
  #waiting = 0
  #isStalled = false
  #isOpen = true
  /** True once somebody has logged in here. */
  hasLoggedIn = false

  constructor(private readonly socket: OrderEntryTransport, private readonly host: ConnectionHost) {
    this.transport = socket.kind
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
    return this.socket.unsentBytes + this.#heldBytes
  }

  get takenBytes(): number {
    return this.#writtenLength - this.socket.unsentBytes
  }

  get isStalled(): boolean {
    return this.#isStalled
  }

  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled
    if (isStalled) return
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const text of held) this.#send(text)
  }

  /** The first message. */
  open(): void {
    this.#session.open()
  }

  send(message: object): void {
    this.#send(JSON.stringify(message))
  }

  ping(): Promise<boolean> {
    return this.#isOpen ? this.socket.ping() : Promise.resolve(false)
  }

  close(): void {
    this.socket.destroy()
  }

  /** Says farewell to it, server side. */
  end(): void {
    this.socket.end()
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
    this.#isOpen = false
    this.#held = []
    this.#heldBytes = 0
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
    if (this.#isStalled) {
      this.#held.push(text)
      this.#heldBytes += text.length
    } else {
      this.#writtenLength += text.length
      this.socket.send(text)
    }
    if (this.unsentBytes <= UNSENT_LIMIT_BYTES) return
    this.host.log(`order entry: closed a slow consumer, process ${JSON.stringify(this.processId)}`)
    this.#isOpen = false
    this.#held = []
    this.#heldBytes = 0
    this.close()
  }
}
