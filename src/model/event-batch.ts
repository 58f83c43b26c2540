import type { Instrument } from './instrument.js'
import type { LineNumbers } from './line-numbers.js'
import type { WideNumbers } from './wide-numbers.js'

/** The greatest number of events in one batch. */
export const BATCH_EVENT_LIMIT = 16_384

/** Bits of {@link EventBatch.flags}. */
export const EVENT_FLAGS = {
  /** `forceReset` of a snapshot is true. */
  FORCE_RESET: 1,
  /** The snapshot line carries a `forceReset` element at all (2026 files do, 2025 files do not). */
  FORCE_RESET_GIVEN: 2,
  /** `prevEventId` is neither "0" nor the stream's last `eventId` (spec 4, section 4). */
  CHAIN_GAP: 4,
  /** `adapterTs` is below the greatest one before it in the file. */
  CLOCK_STEPPED_BACK: 8,
  /**
   * No line of a file: a snapshot that stitching or trimming put in, at 00:00 UTC or where two days meet, holding the
   * book that was warmed from the margin. Together with CHAIN_GAP: that book is suspect. In a run also the state ERROR
   * of a day without a file.
   */
  SEAM: 16,
  /** In a run, no line of a file: the state ERROR that begins a silence (exchange rules 6.4). */
  SILENCE: 32,
  /** In a run: the first counting line after a silence. */
  SILENCE_END: 64,
  /**
   * In a run, beside SILENCE or CROSSED_GAP: at the exchange a later line came before the gap was detected, so there it
   * is none.
   */
  GAP_VOID: 128,
  /**
   * `adapterTs` is not what the line states: it is of a clock jump of the recorder, and took the time of the line
   * before it (spec 4, section 4).
   */
  CLOCK_JUMPED: 256,
  /**
   * In a run, no line of a file: the state ERROR from which on its instrument is closed, as its numbers do not fit
   * (exchange rules 1.8).
   */
  UNFIT: 512,
  /** In a run: the line leaves the depth book crossed, its best bid above its best ask (exchange rules 6.5). */
  CROSSED: 1024,
  /** In a run, no line of a file: the state ERROR of a book that has been crossed for long (exchange rules 6.5). */
  CROSSED_GAP: 2048,
  /** In a run: the line of depth that ends such a gap. */
  CROSSED_END: 4096,
} as const

/** Values of {@link IdColumn.form}. */
export const ID_FORMS = { NONE: 0, NUMBER: 1, TEXT: 2 } as const

/**
 * Event ids, one per event. A canonical 64-bit unsigned decimal (no sign, no leading zero) is held as two halves; any
 * other text is interned in the batch. The exact text comes back either way. Two ids of one batch are equal when form,
 * high and low are.
 */
export interface IdColumn {
  /** Per event: a value of {@link ID_FORMS}. */
  readonly form: Uint8Array
  /** Upper 32 bits of a NUMBER; 0 otherwise. */
  readonly high: Uint32Array
  /** Lower 32 bits of a NUMBER; the index in `texts` of a TEXT; 0 for NONE. */
  readonly low: Uint32Array
  /** Interned texts of this batch. Both id columns of a batch share one list, so that they compare by index. */
  readonly texts: readonly string[]
}

/**
 * Texts back to back in UTF-8. Text i is `bytes[start[i] .. start[i + 1])`; a null is an empty range with `isNull[i]`
 * 1.
 */
export interface TextColumn {
  /** Offset of each text in `bytes`, and the end of the last. */
  readonly start: Uint32Array
  /** All texts in UTF-8. */
  readonly bytes: Uint8Array
  /** Per text: 1 for null, 0 otherwise. */
  readonly isNull: Uint8Array
}

/** Values of {@link EventBatch.valueScale} beyond the scales 0 to 30. */
export const VALUE_SCALES = {
  /** A decimal that no scaled integer holds: the value is the double next to it, its digits are in `wide`. */
  WIDE: 253,
  /** The value is a double (greeks and volatilities). */
  DOUBLE: 254,
  /** The source has null here; the value is NaN. */
  NULL: 255,
} as const

/**
 * Up to 16,384 events of one instrument in file order, as columns. Plain data without a pointer to its reader: it can
 * be copied, cut, transferred, shared. A reader reuses its batch: copy (`copyBatch`) what must outlive the next one.
 * Columns may be longer than `count` says and may lie in SharedArrayBuffers.
 *
 * Times are integer nanoseconds since 00:00 UTC of `epochDay`, exact within 104 days around it; NaN where not given.
 */
export interface EventBatch {
  /** Master data of the instrument. */
  readonly instrument: Instrument
  /** Days since 1970-01-01; the base of all times. */
  readonly epochDay: number
  /** value = integer * 10^-scale. Scales only grow from batch to batch; consumers rescale at the batch boundary. */
  readonly priceScale: number
  /** The same for quantities. */
  readonly quantityScale: number
  /** Numbers beyond 2^53 - 1 without their point, exactly; null where there are none, as in nearly every batch. */
  readonly wide: WideNumbers | null
  /** Where its events stand in their file; null where nobody knows. */
  readonly lines: LineNumbers | null
  /** Number of events. */
  readonly count: number
  /** Ordinal of event 0 of this batch among all events of the file (unknown types and damaged lines do not count). */
  readonly firstEventIndex: number
  /** The file's msgType. */
  readonly kind: Uint8Array
  /** As recorded, but in clock jumps (CLOCK_JUMPED); clamping of steps back is the consumer's. */
  readonly adapterTimeNs: Float64Array
  /** Venue time of each event. */
  readonly exchangeTimeNs: Float64Array
  /** Id of the event before, as each line states it. */
  readonly previousEventId: IdColumn
  /** Id of each event. */
  readonly eventId: IdColumn
  /** Bits of {@link EVENT_FLAGS}. */
  readonly flags: Uint16Array
  /** Rows of event i: `rowStart[i] .. rowStart[i + 1]`. Kinds 0, 1, 2, 6 and 17 have rows. */
  readonly rowStart: Uint32Array
  /** Per row: 0 BID (or buy aggressor), 1 ASK. */
  readonly side: Uint8Array
  /** Per row: price as an integer at `priceScale`; next to it where it is in `wide`. */
  readonly price: Float64Array
  /** Per row: quantity as an integer at `quantityScale`; next to it where it is in `wide`. */
  readonly quantity: Float64Array
  /** Trade and liquidation rows of event i: `tradeRowStart[i] .. tradeRowStart[i + 1]`, in step with its rows. */
  readonly tradeRowStart: Uint32Array
  /** Per trade row: exchangeTradeTs or exchangeLiquidationTs; NaN where the file has 0. */
  readonly rowTimeNs: Float64Array
  /** Per trade row: tradeId, null where the file has null, and for liquidations. */
  readonly tradeId: TextColumn
  /**
   * Values of event i: `valueStart[i] .. valueStart[i + 1]`. mark: price, then the tail's greeks and volatilities as
   * far as the line has them (delta, gamma, vega, theta, markVol, bidVol, askVol; DOUBLE or NULL). index: price.
   * funding: rate, nextFundingTs (nanoseconds since `epochDay`, scale 0; NULL where the file has 0), predictedRate
   * where the line has it.
   */
  readonly valueStart: Uint32Array
  /** Values of all events back to back: integers, or doubles where `valueScale` says so. */
  readonly values: Float64Array
  /** value = integer * 10^-scale, or one of {@link VALUE_SCALES}. */
  readonly valueScale: Uint8Array
  /** Texts of event i: `textStart[i] .. textStart[i + 1]`. A state event has two: state and text. */
  readonly textStart: Uint32Array
  /** Texts of all events back to back. */
  readonly text: TextColumn
}
