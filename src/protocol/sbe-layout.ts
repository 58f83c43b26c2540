/** The header's schema id (spec 4, section 8). */
export const SBE_SCHEMA_ID = 1
/** The version that is written; newer ones are read as far as they are known. */
export const SBE_VERSION = 6
/** Bytes of the message header: blockLength, templateId, schemaId, version, each uint16. */
export const HEADER_BYTES = 8
/** Bytes before a group's entries: blockLength uint16, numInGroup uint32. */
export const GROUP_BYTES = 6
/** Most entries of a group. */
export const GROUP_LIMIT = 1_048_576
/** Most bytes of a text behind a uint16. */
export const SHORT_TEXT_LIMIT = 65_534
/** Most bytes of a text behind a uint32. */
export const LONG_TEXT_LIMIT = 16_777_216
/** Both halves of an id that is null. */
export const NULL_HALF = 0xffff_ffff
/** A flag that is null. */
export const NULL_FLAG = 255
/** Most elements of the tail of a mark price. */
export const GREEK_COUNT = 7

/** Bytes of the block of each template (schemas/feed.xml), by its id; -1 where there is no such template. */
export const BLOCK_BYTES: readonly number[] = [
  41, 40, 40, -1, -1, 17, 40, 50, 49, 67, -1, 16, 8, 0, 8, -1, -1, 40,
]

/** Offsets of the fields of events from the first byte of their frame. */
export const EVENT_FIELDS = {
  instrumentId: 8, previousEventId: 16, eventId: 24, adapterTime: 32, exchangeTime: 40,
  /** Of a snapshot. */
  forceReset: 48,
  /** Of a mark price and an index price. */
  price: 48,
  /** Of a mark price. */
  tailCount: 57,
  /** Of a funding state. */
  rate: 48, nextFundingTime: 57, predictedRateGiven: 65, predictedRate: 66,
} as const

/** Offsets of the fields of the other messages from the first byte of their frame. */
export const MESSAGE_FIELDS = {
  /** Of state, subscribe and unsubscribe. */
  instrumentId: 8,
  /** Of a state. */
  adapterTime: 16, textGiven: 24,
  /** Of subscribe: seven topics in the order of FEED_TOPICS, then the option of coalescing, a flag each. */
  topics: 16,
  /** Of a login response. */
  serverTime: 8,
} as const

/** Offsets of the fields of a row from its first byte. */
export const ROW_FIELDS = {
  side: 0, price: 1, quantity: 10,
  /** Of trades and liquidations. */
  time: 19,
  /** Of trades. */
  tradeIdForm: 27, tradeId: 28,
} as const

/** Bytes of a group's entry, without its texts. */
export const ENTRY_BYTES = { book: 19, trade: 36, liquidation: 27, greeks: 56 } as const
