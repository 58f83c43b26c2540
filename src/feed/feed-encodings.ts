import {
  createJsonDecoder, createJsonEncoder, createJsonRequests, type FeedDecoderOptions,
} from '../protocol/feed-json-codec.js'
import { createSbeDecoder, createSbeEncoder, createSbeRequests } from '../protocol/feed-sbe-codec.js'
import type {
  FeedDecoder, FeedEncoder, FeedEncoding, FeedRequestDecoder, FeedRequestEncoder,
} from '../protocol/feed-messages.js'

/** An encoding of the feed: where it is served, and what writes and reads it. */
export interface FeedEncodingEntry {
  readonly encoding: FeedEncoding
  /** Path of its endpoint (spec 1, "Realtime feed endpoints"). */
  readonly path: string
  /** True where messages are binary frames. Notices are text frames always. */
  readonly isBinary: boolean
  readonly createEncoder: () => FeedEncoder
  readonly createDecoder: (options: FeedDecoderOptions) => FeedDecoder
  readonly createRequests: () => { readonly encoder: FeedRequestEncoder; readonly decoder: FeedRequestDecoder }
}

/** Every encoding that is served. */
export const FEED_ENCODINGS: readonly FeedEncodingEntry[] = [
  {
    encoding: 'json', path: '/api/v6', isBinary: false, createEncoder: createJsonEncoder,
    createDecoder: createJsonDecoder, createRequests: createJsonRequests,
  },
  {
    encoding: 'sbe', path: '/api/v6/sbe', isBinary: true, createEncoder: createSbeEncoder,
    createDecoder: createSbeDecoder, createRequests: createSbeRequests,
  },
]
