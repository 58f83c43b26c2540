import { greatestOf, type BookTrack, type GreatestNumbers, type TrackLevels } from '../../model/book-track.js'
import { batchByteLength, createBatch, type BatchCapacity } from '../../model/event-batch-columns.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument } from '../../model/instrument.js'
import type { LineNumbers } from '../../model/line-numbers.js'
import type { WideNumbers } from '../../model/wide-numbers.js'
import type { FoundTrack } from '../../book/book-tracker.js'
import type { ReadingSummary } from '../lines/reading.js'
import { DECODER_VERSION } from '../decoder-version.js'

/** Number of the layout of a cached day: it rises whenever that changes, and the decoder does not. */
const LAYOUT = 2

/** First bytes of a cached day. */
export const CACHE_MAGIC: Uint8Array = new TextEncoder().encode(
  `backtape day ${String(DECODER_VERSION)}.${String(LAYOUT)}\n`,
)

/** Bytes before each frame: lengths of its JSON and of its columns, CRC-32 of both. */
export const FRAME_HEAD_BYTES = 12

/** Longest JSON part and columns of a frame: more is damage. */
export const FRAME_JSON_LIMIT = 67_108_864
export const FRAME_COLUMNS_LIMIT = 2_147_483_647

/** The fields of a batch that are not columns. */
export interface BatchFrame {
  readonly kind: 'batch'
  readonly capacity: BatchCapacity
  readonly count: number
  readonly epochDay: number
  readonly priceScale: number
  readonly quantityScale: number
  readonly firstEventIndex: number
  readonly texts: readonly string[]
  /** Absent where the batch has none. */
  readonly wide?: WideFrame
  readonly lines: LineNumbers | null
  /** Of the book's track, which lies behind the columns; absent where the reader of the day knew none. */
  readonly track?: TrackFrame
}

/** Numbers beyond 2^53 of a batch. */
type WideFrame = Readonly<Record<'price' | 'quantity' | 'value', readonly (readonly [at: number, text: string])[]>>

/** The fields of a book's track that are not columns. */
export interface TrackFrame extends Pick<TrackLevels, 'priceScale' | 'quantityScale' | 'bidCount' | 'askCount'> {
  readonly changeCount: number
  readonly greatest: GreatestNumbers
}

/** The end of a cached day: without this frame it is not whole. */
export interface EndFrame {
  readonly kind: 'end'
  readonly summary: Omit<ReadingSummary, 'unknownTypes' | 'cut'> & {
    readonly cut?: NonNullable<ReadingSummary['cut']>
    readonly unknownTypes: readonly (readonly [kind: number, count: number])[]
  }
}

/** The start of a cached day. */
export interface StartFrame {
  readonly kind: 'start'
  readonly masterDataText: string
}

/** The columns of an exactly fitting copy, and what else its batch is. */
export function batchFrame(batch: EventBatch): BatchFrame {
  const { count } = batch
  const tradeRowCount = batch.tradeRowStart[count] as number
  const textCount = batch.textStart[count] as number
  return {
    kind: 'batch',
    capacity: {
      eventCount: count,
      rowCount: batch.rowStart[count] as number,
      tradeRowCount,
      tradeIdBytes: batch.tradeId.start[tradeRowCount] as number,
      valueCount: batch.valueStart[count] as number,
      textCount,
      textBytes: batch.text.start[textCount] as number,
    },
    count,
    epochDay: batch.epochDay,
    priceScale: batch.priceScale,
    quantityScale: batch.quantityScale,
    firstEventIndex: batch.firstEventIndex,
    texts: batch.eventId.texts,
    ...(batch.wide === null ? {} : { wide: wideFrame(batch.wide) }),
    lines: batch.lines,
  }
}

function wideFrame({ price, quantity, value }: WideNumbers): WideFrame {
  return { price: [...price], quantity: [...quantity], value: [...value] }
}

function wideFromFrame({ price, quantity, value }: WideFrame): WideNumbers {
  return { price: new Map(price), quantity: new Map(quantity), value: new Map(value) }
}

/** A batch over the memory that its columns were read into. */
export function batchFromFrame(
  frame: BatchFrame, instrument: Instrument, buffer: ArrayBufferLike, byteOffset: number,
): EventBatch {
  const { wide, lines } = frame
  const { capacity, count, epochDay, priceScale, quantityScale, firstEventIndex, texts } = frame
  const batch = createBatch({ instrument, epochDay, capacity, buffer, byteOffset })
  const previousEventId = { ...batch.previousEventId, texts }
  const eventId = { ...batch.eventId, texts }
  return Object.assign(batch, {
    count, priceScale, quantityScale, firstEventIndex, previousEventId, eventId,
    wide: wide === undefined ? null : wideFromFrame(wide), lines,
  })
}

/** The fields of a track that are not columns; `batch` is the one that it is of. */
export function trackFrame({ before, prices }: FoundTrack, batch: EventBatch): TrackFrame {
  const { priceScale, quantityScale, bidCount, askCount } = before
  const greatest = { price: greatestOf(batch, 'price'), quantity: greatestOf(batch, 'quantity') }
  return { changeCount: prices.length, priceScale, quantityScale, bidCount, askCount, greatest }
}

/** The columns of a track, one behind the other; marks, of one byte each, come last. */
export function trackColumns({
  marks, prices, quantities, before,
}: FoundTrack): readonly (Float64Array | Uint8Array)[] {
  return [prices, quantities, before.prices, before.quantities, marks]
}

/** Where a batch's columns were read to, and its place in its reading. */
export interface FramePlace extends Pick<BookTrack, 'chain' | 'number'> {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
}

/** The track over the memory that its columns were read into; null where there is none. */
export function trackFromFrame(frame: BatchFrame, { buffer, byteOffset, chain, number }: FramePlace): BookTrack | null {
  const { track, count, capacity, priceScale, quantityScale } = frame
  if (track === undefined) return null
  const { changeCount, bidCount, askCount } = track
  let at = byteOffset + batchByteLength(capacity)
  const numbers = (length: number): Float64Array => {
    const column = new Float64Array(buffer, at, length)
    at += column.byteLength
    return column
  }
  const [prices, quantities] = [numbers(changeCount), numbers(changeCount)]
  const before = {
    priceScale: track.priceScale, quantityScale: track.quantityScale, bidCount, askCount,
    prices: numbers(bidCount + askCount), quantities: numbers(bidCount + askCount),
  }
  return {
    chain, number, priceScale, quantityScale, marks: new Uint8Array(buffer, at, count), prices, quantities, before,
    greatest: track.greatest,
  }
}
