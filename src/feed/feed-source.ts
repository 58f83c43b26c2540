import type { EventBatch } from '../model/event-batch.js'
import type { MarketDataState, Venue } from '../venue/venue.js'

/**
 * The source of a feed server: the market side of a venue. The server subscribes all topics and `states` of each
 * instrument once, as long as it lives, and encodes a line once for all connections of an encoding.
 */
export type FeedSource = Pick<Venue, 'clock' | 'instruments' | 'underlyings' | 'market' | 'subscribe'> & {
  /**
   * The last line of each kind before the source began, and the state then, for a source that has lines before its
   * begin and has not moved since; undefined otherwise.
   */
  pastLines?(instrumentId: number): PastLines | undefined
}

/** Last lines before a source began. The batches stay valid. */
export interface PastLines {
  readonly lines: readonly { readonly batch: EventBatch; readonly index: number }[]
  readonly state: MarketDataState
  readonly text: string
}

/** One market of a feed server: its port, and the instruments of its exchange code. */
export interface FeedMarket {
  /** The exchange code of its instruments: `binance_swap`. */
  readonly code: string
  readonly exchangeId: number | null
  readonly name: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Where a market listens. */
export interface FeedAddress {
  readonly market: string
  readonly port: number
  /** `ws://host:port/api/v6` */
  readonly json: string
  /** `ws://host:port/api/v6/sbe` */
  readonly sbe: string
  /** `http://host:port/api/info` */
  readonly info: string
}

/**
 * The markets and instruments that a key opens, decided by the server's clock (spec 1, "Authentication"; wire
 * decisions, "order of checks").
 */
export interface FeedAccess {
  /** Null: the key may connect to the market now; else one of `FEED_REJECTIONS`. */
  rejection(key: string, market: string): string | null
  /** True where the key may subscribe the instrument now; what was bought after the login does not count yet. */
  isPermitted(key: string, market: string, instrumentId: number, loginNs?: bigint): boolean
}

/** One connection of a feed server, as whoever composes servers sees it. */
export interface FeedConnection {
  readonly market: string
  readonly encoding: 'json' | 'sbe'
  /** The fourth text of its login; null before. */
  readonly processId: string | null
  /** Messages sent since its login response, that one not counted: state events and events. */
  readonly sentCount: number
  /** Subscribe and unsubscribe messages that have been played. */
  readonly commandCount: number
  /** Bytes that wait here: the system has not taken them, or the client has too much to read. */
  readonly unsentBytes: number
  /** Bytes that its client has read, as far as its pongs say. */
  readonly takenBytes: number
  /** Bytes that its client has not read, as far as its pongs say: {@link ping} finds out. */
  readonly unreadBytes: number
  /** Resolves with true when the pong of a ping sent now has come, false where the connection closed before. */
  ping(): Promise<boolean>
  /** Closes it: with a notice, or abruptly for null. */
  close(notice: string | null): void
  /** True: nothing is written to the socket until it is false again (fault `stall`). */
  isStalled: boolean
}

/** Lines that a server leaves out: so many depth lines, or everything up to a time of the source's clock. */
export type FeedOmission = { readonly depthLineCount: number } | { readonly untilNs: number }

/** The options of a feed server. */
export interface FeedServerOptions {
  readonly source: FeedSource
  readonly markets: readonly FeedMarket[]
  /** Default `127.0.0.1`. */
  readonly host?: string
  readonly access: FeedAccess
  readonly processId: string
  /** The clock that `/api/info` states for the times of state events and snapshots. */
  readonly clock: 'wall' | 'simulated'
  /** Fields of ours that `/api/info` says as well. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Plays what a client asked: at once by default; a paced server plays it between the steps of its replay. */
  readonly post?: (task: () => void) => void
  /** Default 5 and 30. */
  readonly ping?: { readonly everySeconds: number; readonly pongSeconds: number }
  /** Connections of a key to a market at once; default 5. */
  readonly connectionsPerKey?: number | undefined
  /** Most unsent bytes of a connection; default 8 MiB. */
  readonly unsentLimitBytes?: number
  /** Lines for an operator, without keys. */
  readonly onLog?: (text: string) => void
}

/** A running feed server. Lines of its source are buffered; {@link flush} writes them. */
export interface FeedServer {
  readonly addresses: readonly FeedAddress[]
  readonly connections: ReadonlySet<FeedConnection>
  /** Blocks of messages, 240 KiB or more each, that have been handed to connections so far. */
  readonly blockCount: number
  /** Writes what is buffered to the sockets; also by itself at the end of each turn of the event loop. */
  flush(): void
  /** Looks at every connection's key and permissions again (rotation, midnight, hourly). */
  recheckAccess(): void
  /** The whole state again to every subscriber, its snapshot with `forceReset` (a loop, `go-to`, a fault). */
  resendSnapshots(instrumentId?: number): void
  /** A state event to every subscriber of an instrument (fault `error-state`, `expire-instrument`). */
  sendState(instrumentId: number, state: 'READY' | 'ERROR', text: string): void
  /** The source begins anew: whatever it has published does not count any more. Then {@link resendSnapshots}. */
  beginAnew(): void
  /** Leaves out lines of an instrument, without a word to its readers (faults `gap` and `silence`). */
  omit(instrumentId: number, omission: FeedOmission): void
  /** `service shutdown` to everybody, then closes all. */
  close(): Promise<void>
}
