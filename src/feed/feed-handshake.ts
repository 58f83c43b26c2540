import { FEED_REJECTIONS } from '../protocol/feed-messages.js'
import { queryValue, requestPath } from '../web/request-url.js'
import { FEED_ENCODINGS, type FeedEncodingEntry } from './feed-encodings.js'
import type { FeedAccess } from './feed-source.js'

/** Parallel connections of a key on a market (spec 1, "Limits"). */
const CONNECTIONS_PER_KEY = 5

/** A request to connect: refused with an answer of HTTP, or taken. */
export type HandshakeOutcome =
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 404 | 429; readonly body: string }
  | { readonly kind: 'taken'; readonly entry: FeedEncodingEntry; readonly key: string }

/** The facts that a handshake is decided by. */
export interface HandshakeRules {
  readonly market: string
  readonly access: FeedAccess
  /** Open connections of a key on the market. */
  readonly connectionCount: (key: string) => number
  /** Those that it may have; default 5 (spec 1, "Limits"). */
  readonly connectionsPerKey?: number | undefined
}

/** Decides about a request to connect, in the order of the wire decisions: market, query, key, key on the market. */
export function decideHandshake(url: string, rules: HandshakeRules): HandshakeOutcome {
  const { market, access, connectionCount, connectionsPerKey = CONNECTIONS_PER_KEY } = rules
  const entry = FEED_ENCODINGS.find(({ path }) => path === requestPath(url))
  if (entry === undefined) return { kind: 'refused', status: 404, body: 'not found' }
  const reject = (reason: string): HandshakeOutcome =>
    ({ kind: 'refused', status: 401, body: `api key rejected: ${reason}` })
  if (access.rejection('', market) === FEED_REJECTIONS.MARKET) return reject(FEED_REJECTIONS.MARKET)
  const key = queryValue(url, 'apiKey')
  if (key === null) return reject(FEED_REJECTIONS.REQUEST)
  const rejection = key === '' ? FEED_REJECTIONS.UNKNOWN_KEY : access.rejection(key, market)
  if (rejection !== null) return reject(rejection)
  if (connectionCount(key) >= connectionsPerKey)
    return { kind: 'refused', status: 429, body: 'too many connections for this api key' }
  return { kind: 'taken', entry, key }
}
