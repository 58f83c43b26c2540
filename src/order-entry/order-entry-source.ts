import type { Clock, InstrumentDirectory, OrderEntry, OrderEntryListener } from '../venue/venue.js'

/** An order entry that a client leaves again. */
export interface OpenOrderEntry extends OrderEntry {
  /** Nothing is delivered to its listener any more. Its orders stay. */
  disconnect(): void
}

/** The accounts that an order entry server serves. */
export interface OrderEntrySource {
  readonly clock: Pick<Clock, 'epochDay' | 'nowNs'>
  readonly instruments: InstrumentDirectory
  /** By account id. */
  readonly accounts: ReadonlyMap<string, { readonly exchangeId: number | null; readonly exchangeCode: string }>
  /** Logs a client in; several may share an account. `clientId` is unique among the logins of the account. */
  connect(clientId: string, accountId: string, listener: OrderEntryListener): OpenOrderEntry
}

/** One connection of an order entry server, as whoever composes servers sees it. */
export interface OrderEntryConnection {
  readonly transport: 'websocket' | 'domainSocket'
  /** Of its login; null before. */
  readonly processId: string | null
  readonly accountId: string | null
  /** Fields of the login's options that the protocol does not know: ours, `lockstep`. */
  readonly extraOptions: Readonly<Record<string, unknown>>
  /** Messages sent since its login response, that one not counted. */
  readonly sentCount: number
  /** Bytes that wait here: the system has not taken them, or the client has too much to read. */
  readonly unsentBytes: number
  /** Bytes that its client has read, frames not counted: as far as its pongs say, or the system took them. */
  readonly takenBytes: number
  /** Bytes that its client has not read, as far as one knows: {@link ping} finds out. */
  readonly unreadBytes: number
  /** Sends a message of ours to a client that asked for them. */
  send(message: object): void
  /** Resolves with true when the pong has come; false where it closed before, and for domain sockets. */
  ping(): Promise<boolean>
  /** Abruptly. */
  close(): void
  /** Ends it with a reason, which the operator reads too: its places are free at once. */
  cutOff(reason: string): void
  isStalled: boolean
}

/** The options of an order entry server. */
export interface OrderEntryServerOptions {
  readonly source: OrderEntrySource
  /** Path of the domain socket; absent: none. */
  readonly domainSocket?: string
  readonly processId: string
  readonly version: string
  /** Plays what a client asked: at once by default; a paced server plays it between the steps of its replay. */
  readonly post?: (task: () => void) => void
  /** Messages of ours, `msgType` `stepped`: played through `post` as others are. */
  readonly onExtension?: (connection: OrderEntryConnection, message: Readonly<Record<string, unknown>>) => void
  /** Message types that {@link onExtension} takes; default none. */
  readonly extensionTypes?: readonly string[]
  /** Fields of ours that `/api/info` says as well. */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly onLog?: (text: string) => void
  /** Pings of WebSockets, as at a feed; default 5 and 30. */
  readonly ping?: { readonly everySeconds: number; readonly pongSeconds: number }
  /** A connection that has not logged in for so long is closed; default 60 s. */
  readonly loginMs?: number
}

/**
 * An order entry server. It listens at no port itself: the HTTP server on which it is put hands it requests
 * (`/api/accounts/{id}/tradingservers`, `/api/info`) and upgrades (`/api/v2`).
 */
export interface OrderEntryServer {
  readonly connections: ReadonlySet<OrderEntryConnection>
  /** Opens the domain socket. */
  open(): Promise<void>
  /** Answers a request that is its own; false for any other. */
  request(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): boolean
  /** Takes an upgrade that is its own; false for any other. */
  upgrade(request: import('node:http').IncomingMessage, socket: import('node:stream').Duplex, head: Buffer): boolean
  close(): Promise<void>
}
