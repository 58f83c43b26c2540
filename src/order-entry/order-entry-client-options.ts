import type { InstrumentDirectory, OrderEntry, OrderEntryListener } from '../venue/venue.js'

/** The options of an order entry client. */
export interface OrderEntryClientOptions {
  /** The backend: `http://host:port`. */
  readonly backend: string
  readonly accountId: string
  readonly processId: string
  readonly version: string
  readonly instruments: InstrumentDirectory
  /** Base of the times in messages, days since 1970-01-01. */
  readonly epochDay: number
  /** Default `auto`: the domain socket where `/api/info` shows one, else WebSocket. */
  readonly transport?: 'auto' | 'websocket' | 'domainSocket'
  /** Login options; positions come in the new encoding, contexts are included. */
  readonly filterByProcessId?: boolean
  readonly enableCorporateActions?: boolean
  /** Options of ours, for a server that says in `/api/info` that it knows them. */
  readonly extraOptions?: Readonly<Record<string, unknown>>
  readonly listener: OrderEntryListener & OrderEntryConnectionListener
  readonly reconnect?: false | { readonly firstMs: number; readonly mostMs: number }
}

/** Receives the news of a client's connection. */
export interface OrderEntryConnectionListener {
  /**
   * The connection came back: `onAccountStatus` with the whole state at login follows. Requests without an answer that
   * are not among its orders have been answered with the error `CONNECTION_LOST` (INTERNAL): their outcome is unknown.
   */
  onConnection?(state: 'open' | 'closed', reason: string): void
  /** A message type that the protocol does not know. */
  onExtension?(message: Readonly<Record<string, unknown>>): void
  onInvalidRequest?(message: string, request: unknown): void
  /** The error that ends the client for good. */
  onError(error: Error): void
}

/** A client that is logged in. `initial` is the state at login, brought to the scales of its instruments. */
export interface OrderEntryClient extends OrderEntry {
  /** Fields of `/api/info` that the documents do not know. */
  readonly extensions: Readonly<Record<string, unknown>>
  /** Fields of the login result that the protocol does not know. */
  readonly extraResult: Readonly<Record<string, unknown>>
  readonly transport: 'websocket' | 'domainSocket'
  /** Messages received since the login response, that one not counted, messages of ours neither. */
  readonly receivedCount: number
  /** Sends a message of ours. */
  send(message: object): void
  logout(): Promise<void>
}
