import type { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import type { Topics } from '../venue/venue.js'

/** The path version of the feed: `/api/v6` (spec 1, "Versioning"). Ours as a number: the documents do not show one. */
export const FEED_PROTOCOL_VERSION = '6'

/** First elements of the messages that are no events (spec 1; unsubscribe and the indices of 14 are ours, spec 4). */
export const FEED_MESSAGES = { SUBSCRIBE: 11, UNSUBSCRIBE: 12, LOGIN: 13, LOGIN_RESPONSE: 14 } as const

/** The names of the seven topics on the wire (spec 4, section 8), which are the keys of the capabilities too. */
export const FEED_TOPICS = {
  depthTopic: 'depth', tradesTopic: 'trades', topOfBookTopic: 'topOfBook', indexPriceTopic: 'indexPrice',
  markPriceTopic: 'markPrice', fundingRateTopic: 'fundingRate', liquidationsTopic: 'liquidations',
} as const

/** The name of a topic on the wire. */
export type FeedTopicName = keyof typeof FEED_TOPICS

/** The capability of a market for each topic: null where it never sends any. */
export type FeedCapabilities = { readonly [Name in FeedTopicName]: { readonly eventIdType: string } | null }

/** The four free texts of a login: for logging only (spec 1). */
export interface FeedLogin {
  readonly organization: string
  readonly applicationName: string
  readonly applicationVersion: string
  readonly processId: string
}

/** The answer to a login. */
export interface FeedLoginResponse {
  readonly processId: string
  readonly protocolVersion: string
  /** Epoch nanoseconds. */
  readonly serverTime: bigint
  readonly capabilities: FeedCapabilities
}

/** A subscription as a client asks for it: what is left out has its default (all topics but liquidations). */
export interface FeedSubscribe {
  readonly instrumentId: number
  readonly topics: Topics
  /** Of top-of-book lines that wait in one send the last remains. */
  readonly topOfBookCoalescing: boolean
}

/** The topics of a subscription that names none. */
export const DEFAULT_TOPICS: Required<Omit<Topics, 'states'>> = {
  depth: true, trades: true, topOfBook: true, indexPrice: true, markPrice: true, fundingRate: true, liquidations: false,
}

/** A message of a client. */
export type FeedRequest =
  | { readonly kind: 'login'; readonly login: FeedLogin }
  | { readonly kind: 'subscribe'; readonly subscribe: FeedSubscribe }
  | { readonly kind: 'unsubscribe'; readonly instrumentId: number }

/** A state event. */
export interface FeedState {
  readonly instrumentId: number
  /** Epoch nanoseconds. */
  readonly time: bigint
  readonly state: 'READY' | 'ERROR'
  readonly text: string
}

/** The plain texts before a close (spec 1, "Errors"); a protocol violation is followed by its detail. */
export const FEED_NOTICES = {
  EXPIRED: 'api key expired or revoked',
  NOT_LOGGED_IN: 'not logged in',
  LOGGED_IN_ALREADY: 'already logged in',
  PROTOCOL_VIOLATION: 'protocol violation: ',
  PONG: 'pong check failed',
  IMPATIENT: 'protocol violation: no answer in lock-step',
  SHUTDOWN: 'service shutdown',
} as const

/** The texts of instrument-level errors, which never close a connection (spec 1, "Errors"). */
export const INSTRUMENT_ERRORS = {
  NOT_AVAILABLE: 'instrument not available on this endpoint',
  NOT_PERMITTED: 'instrument not permitted for this api key',
  EXPIRED: 'instrument permission expired or revoked',
  UNSUBSCRIBED: 'instrument unsubscribed',
} as const

/** The reasons of a rejected handshake (spec 1, "Errors"). */
export const FEED_REJECTIONS = {
  UNKNOWN_KEY: 'unknown api key',
  NOT_ACTIVE: 'no active realtime subscription for this market today (UTC)',
  MARKET: 'market not configured',
  REQUEST: 'invalid request',
} as const

/** The encoding of messages on the wire. */
export type FeedEncoding = 'json' | 'sbe'

/**
 * Writes messages of one encoding, each at the end of `bytes`. Nothing is made per event. A WebSocket frame holds one
 * message; framing is the server's.
 */
export interface FeedEncoder {
  /** The bytes; those before `count` are written. Whoever takes them sets `count` back. */
  readonly sink: { bytes: Uint8Array; count: number }
  /**
   * An event of a batch as it stands (kinds 0, 1, 2, 6, 7, 8, 9, 17; kind 5 as a state event). False, and nothing is
   * written, where a value does not fit the encoding.
   */
  line(batch: EventBatch, index: number): boolean
  state(state: FeedState): void
  loginResponse(response: FeedLoginResponse): void
}

/** Receives what a client has decoded. */
export interface FeedDecoded {
  /** The event is the last of the batch so far; the batch is used again: see the decoder. */
  onLine(batch: EventBatch, index: number): void
  onState(state: FeedState): void
  onLoginResponse(response: FeedLoginResponse): void
  /** A message of an instrument that cannot be read; absent: it is thrown, as that of any other message is. */
  onUnreadable?(instrumentId: number, error: BacktapeError): void
}

/** Reads messages of one encoding, client side. Exact; throws BacktapeError with the place of what is wrong. */
export interface FeedDecoder {
  /** One message. Unknown message types are counted and passed. */
  decode(frame: Uint8Array, to: FeedDecoded): void
}

/** Reads what clients send, server side. Throws FeedViolation with what and where. */
export interface FeedRequestDecoder {
  decode(frame: Uint8Array): FeedRequest
}

/** Writes what clients send. */
export interface FeedRequestEncoder {
  /** The frame: a text for JSON, bytes for SBE. */
  encode(request: FeedRequest): string | Uint8Array
}

/** A message of a client that breaks the protocol: the detail of the notice. */
export class FeedViolation extends Error {
  /** `messageType` is null where none could be read. A wrong login has a notice of its own. */
  constructor(detail: string, readonly messageType: number | null = null) {
    super(detail)
  }
}
