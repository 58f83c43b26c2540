import type { EventBatch } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'
import type { FeedCapabilities, FeedLogin, FeedLoginResponse, FeedState } from '../protocol/feed-messages.js'
import type { Topics } from '../venue/venue.js'

/** `http://host:port/api/info` of a feed (spec 1), with what of ours it may say. */
export interface FeedInfo {
  readonly processId: string
  readonly protocolVersion: string
  /** Absent at a vendor's host: wall. */
  readonly clock: 'wall' | 'simulated'
  readonly endpoints: readonly { readonly endpoint: string; readonly encoding: string }[]
  readonly capabilities: FeedCapabilities
  /** Fields that the documents do not know. */
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Receives what a feed client reads, in the order of the wire. */
export interface FeedListener {
  /**
   * An event, the last of its batch so far. A batch is filled up to its limit and then left to whoever kept it: the
   * next one is another object, so batches may be kept. Flags CHAIN_GAP are marked by the client's own chains.
   */
  onLine(batch: EventBatch, index: number): void
  /** A state event, the READY after a subscription too. */
  onState(state: FeedState): void
  onLogin?(response: FeedLoginResponse): void
  /** A plain text before a close. */
  onNotice?(text: string): void
  /** The connection came or went; `reason` says why it went. */
  onConnection?(state: 'open' | 'closed', reason: string): void
  /**
   * A message of an instrument that cannot be read, where {@link FeedClientOptions.resubscribes}: it is missing, and
   * the instrument is subscribed again.
   */
  onUnreadable?(instrumentId: number, error: Error): void
  /** An instrument is subscribed again now: READY and its current state follow. */
  onResubscribe?(instrumentId: number): void
  /** The end of the client for good: a rejected key, a message that cannot be read. */
  onError(error: Error): void
}

/** The options of a feed client. */
export interface FeedClientOptions {
  /** `ws://host:port/api/v6`, or `.../sbe`: the path chooses the encoding. */
  readonly url: string
  readonly apiKey: string
  readonly login: FeedLogin
  readonly listener: FeedListener
  /** Instruments that may be subscribed, with the scales from which their columns begin; finer digits widen them. */
  readonly instrumentOf: (instrumentId: number) =>
    { readonly instrument: Instrument; readonly priceScale: number; readonly quantityScale: number } | undefined
  /** Base of the times in batches, days since 1970-01-01. */
  readonly epochDay: number
  /** False: no reconnecting; default: back-off from 1 s to 60 s, at once never. */
  readonly reconnect?: false | { readonly firstMs: number; readonly mostMs: number }
  /**
   * True: after a gap of the depth chain, a snapshot with forceReset or a message that cannot be read, the instrument
   * is subscribed again; the answer to its own unsubscribing is not handed over.
   */
  readonly resubscribes?: boolean
  /**
   * True: a line with a price or quantity beyond 2^53 - 1 without its point is one that cannot be read; default false:
   * its digits are in `wide` of its batch.
   */
  readonly refusesWide?: boolean
  /** Least time between two subscriptions of an instrument that are made again, milliseconds; default 1000. */
  readonly resubscribeMs?: number
}

/** A client of a feed: subscriptions are kept over reconnections. */
export interface FeedClient {
  /** Resolves when the login response has come; rejects with a typed error where the handshake is refused. */
  connect(): Promise<FeedLoginResponse>
  subscribe(instrumentId: number, topics: Topics, topOfBookCoalescing?: boolean): void
  unsubscribe(instrumentId: number): void
  /** Messages received since the login response, that one not counted. */
  readonly receivedCount: number
  /** Subscribe and unsubscribe messages sent. */
  readonly commandCount: number
  close(): Promise<void>
}
