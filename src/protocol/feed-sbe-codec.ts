import type { CountingFeedDecoder, FeedDecoderOptions } from './feed-json-codec.js'
import type { FeedEncoder, FeedRequestDecoder, FeedRequestEncoder } from './feed-messages.js'
import { SbeDecoder } from './feed-sbe-decoder.js'
import { SbeEncoder } from './feed-sbe-encoder.js'
import { decodeSbeRequest, encodeSbeRequest } from './feed-sbe-requests.js'

/**
 * Writes messages as SBE of `schemas/feed.xml`, one frame each. `line` is false, and nothing is written, for a value
 * that the schema cannot hold: an integer beyond 2^53, a time beyond a uint64, an id beyond 65,534 bytes.
 */
export function createSbeEncoder(): FeedEncoder {
  return new SbeEncoder()
}

/**
 * Reads what {@link createSbeEncoder} writes, and what other servers write by that schema, newer versions too. A batch
 * that was given out stays valid: the next one is another object. Throws FRAME_MALFORMED or VALUE_INEXACT with the
 * offset and the name of the field; the batch is then as before.
 */
export function createSbeDecoder(options: FeedDecoderOptions): CountingFeedDecoder {
  return new SbeDecoder(options)
}

/** Writes and reads what clients send: templates 11, 12 and 13. A damaged one is a FeedViolation with its byte. */
export function createSbeRequests(): { readonly encoder: FeedRequestEncoder; readonly decoder: FeedRequestDecoder } {
  return { encoder: { encode: encodeSbeRequest }, decoder: { decode: decodeSbeRequest } }
}
