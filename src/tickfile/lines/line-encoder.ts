import {
  EVENT_FLAGS, type EventBatch, ID_FORMS, type IdColumn, type TextColumn, VALUE_SCALES,
} from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { BacktapeError } from '../../model/error.js'
import { DIGITS_MAX, putInteger, putInteger64, putScaled } from '../../model/digits.js'
import { gatherWideNumbers } from '../../model/wide-numbers.js'
import { TIME_MAX, TickLineBytes } from './tick-line-bytes.js'

const NEWLINE = 10
const QUOTE = 34
const COMMA = 44
const ZERO = 48
const ONE = 49
const OPEN = 91
const CLOSE = 93
/** Most bytes of what stands before the ids, of an id, of the times and the brackets around them, and of a row. */
const ID_MAX = 24
const HEAD_MAX = 2 * TIME_MAX + 8
const ROW_MAX = 2 * DIGITS_MAX + 16
/** Room is made for so many rows at once. */
const ROWS_AHEAD = 64

function putText(sink: TickLineBytes, texts: TextColumn, index: number): void {
  if (texts.isNull[index] === 1) sink.text('null')
  else sink.jsonBytes(texts.bytes, texts.start[index] as number, texts.start[index + 1] as number)
}

const NO_WIDE = gatherWideNumbers()

/** Value `at` of a batch. Nothing but a value out of the ordinary takes this way. */
function putValue(sink: TickLineBytes, { values, valueScale, wide }: EventBatch, at: number): void {
  const value = values[at] as number
  const scale = valueScale[at] as number
  if (scale === VALUE_SCALES.NULL) {
    sink.text('null')
    return
  }
  sink.byte(QUOTE)
  if (scale === VALUE_SCALES.DOUBLE) sink.text(plainDouble(value))
  else if (scale === VALUE_SCALES.WIDE) sink.text(wide?.value.get(at) ?? '')
  else sink.scaled(value, scale)
  sink.byte(QUOTE)
}

/**
 * The shortest decimal text that reads back as the same double, without an exponent.
 *
 * @example `plainDouble(1e-7)` is `'0.0000001'`
 */
export function plainDouble(value: number): string {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const shift = Number(exponent)
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return `${sign}${whole}${fraction}${'0'.repeat(shift - fraction.length)}`
}

/**
 * Writes events as lines of a tick file (spec 4, section 3) into a growing buffer: the inverse of the line decoder.
 * Decimals come out in shortest plain form, greeks as the shortest text of their double; everything else as it was
 * read. Loops keep the place of the next byte in a local variable and look for room once a row: see `digits`.
 */
export class LineEncoder {
  /** The text so far. */
  readonly sink: TickLineBytes = new TickLineBytes()

  /** Appends the lines of the events `from` (inclusive) to `to` (exclusive) of a batch. */
  encode(batch: EventBatch, from = 0, to: number = batch.count): void {
    for (let i = from; i < to; i++) {
      this.encodeMessage(batch, i)
      this.sink.byte(NEWLINE)
    }
  }

  /** Appends one event, without a newline. */
  encodeMessage(batch: EventBatch, i: number): void {
    const { sink } = this
    const kind = batch.kind[i] as number
    sink.setDay(batch.epochDay)
    sink.reserve(HEAD_MAX)
    sink.count = putHead(sink.bytes, sink.count, kind, batch.instrument.id)
    if (kind === EVENT_KINDS.state) this.encodeState(batch, i)
    else {
      this.putId(batch.previousEventId, i)
      this.putId(batch.eventId, i)
      sink.reserve(HEAD_MAX)
      const { bytes } = sink
      let at = sink.putTime(bytes, sink.count, batch.adapterTimeNs[i] as number)
      bytes[at++] = COMMA
      at = sink.putTime(bytes, at, batch.exchangeTimeNs[i] as number)
      bytes[at++] = COMMA
      sink.count = at
      if (kind === EVENT_KINDS.trades || kind === EVENT_KINDS.liquidations) this.encodeTrades(batch, i, kind)
      else if (kind <= EVENT_KINDS.update || kind === EVENT_KINDS.topOfBook) this.encodeLevels(batch, i)
      else this.encodeValues(batch, i, kind)
    }
    sink.byte(CLOSE)
  }

  /** An id and a comma. */
  private putId(ids: IdColumn, index: number): void {
    const { sink } = this
    if (ids.form[index] !== ID_FORMS.NUMBER) {
      sink.quoted(ids.texts[ids.low[index] as number] ?? '')
      sink.byte(COMMA)
      return
    }
    sink.reserve(ID_MAX)
    const { bytes } = sink
    let at = sink.count
    bytes[at++] = QUOTE
    at = putInteger64(bytes, at, ids.high[index] as number, ids.low[index] as number)
    bytes[at++] = QUOTE
    bytes[at++] = COMMA
    sink.count = at
  }

  private encodeState(batch: EventBatch, i: number): void {
    const { sink } = this
    sink.time(batch.adapterTimeNs[i] as number)
    for (let t = batch.textStart[i] as number; t < (batch.textStart[i + 1] as number); t++) {
      sink.byte(COMMA)
      putText(sink, batch.text, t)
    }
  }

  /** Rows of a book: most bytes of a feed are these. */
  private encodeLevels(batch: EventBatch, i: number): void {
    const { sink } = this
    const { side, price, quantity, priceScale, quantityScale } = batch
    const { price: widePrices, quantity: wideQuantities } = batch.wide ?? NO_WIDE
    const first = batch.rowStart[i] as number
    const end = batch.rowStart[i + 1] as number
    sink.reserve(ROW_MAX * Math.min(end - first + 1, ROWS_AHEAD))
    let { bytes } = sink
    let at = sink.count
    bytes[at++] = OPEN
    for (let row = first; row < end; row++) {
      if (at + ROW_MAX > bytes.length) bytes = this.roomAt(at)
      bytes[at++] = OPEN
      bytes[at++] = ZERO + (side[row] as number)
      bytes[at++] = COMMA
      bytes[at++] = QUOTE
      at = this.putDecimal(bytes, at, price[row] as number, priceScale, widePrices, row)
      if (bytes !== sink.bytes) ({ bytes } = sink)
      bytes[at++] = QUOTE
      bytes[at++] = COMMA
      bytes[at++] = QUOTE
      at = this.putDecimal(bytes, at, quantity[row] as number, quantityScale, wideQuantities, row)
      if (bytes !== sink.bytes) ({ bytes } = sink)
      bytes[at++] = QUOTE
      bytes[at++] = COMMA
      bytes[at++] = ONE
      bytes[at++] = CLOSE
      bytes[at++] = COMMA
    }
    // The comma behind the last row becomes the bracket.
    if (end > first) at--
    bytes[at++] = CLOSE
    sink.count = at
    const flags = batch.flags[i] as number
    if ((flags & EVENT_FLAGS.FORCE_RESET_GIVEN) !== 0)
      sink.text((flags & EVENT_FLAGS.FORCE_RESET) !== 0 ? ',true' : ',false')
  }

  /** Room for another row behind `at`, and more. */
  private roomAt(at: number): Uint8Array {
    this.sink.count = at
    this.sink.reserve(ROW_MAX * ROWS_AHEAD)
    return this.sink.bytes
  }

  /**
   * A decimal at a place with room for {@link ROW_MAX}; so there is behind it, where the bytes may be others then. That
   * of a row among the wide ones is their text.
   */
  private putDecimal(
    bytes: Uint8Array, at: number, integer: number, scale: number, wide: ReadonlyMap<number, string>, row: number,
  ): number {
    const end = putScaled(bytes, at, integer, scale)
    if (end >= 0) return end
    const { sink } = this
    sink.count = at
    const text = wide.get(row)
    if (text === undefined) sink.scaled(integer, scale)
    else sink.text(text)
    sink.reserve(ROW_MAX)
    return sink.count
  }

  private encodeTrades(batch: EventBatch, i: number, kind: number): void {
    const { sink } = this
    const { side, price, quantity, priceScale, quantityScale } = batch
    const { price: widePrices, quantity: wideQuantities } = batch.wide ?? NO_WIDE
    const start = batch.rowStart[i] as number
    const end = batch.rowStart[i + 1] as number
    let timed = batch.tradeRowStart[i] as number
    sink.byte(OPEN)
    for (let row = start; row < end; row++) {
      if (row > start) sink.byte(COMMA)
      sink.reserve(ROW_MAX)
      const { bytes } = sink
      let at = sink.count
      bytes[at++] = OPEN
      bytes[at++] = ZERO + (side[row] as number)
      bytes[at++] = COMMA
      bytes[at++] = QUOTE
      sink.count = this.putDecimal(bytes, at, price[row] as number, priceScale, widePrices, row)
      sink.text('","')
      sink.reserve(ROW_MAX)
      sink.count = this.putDecimal(sink.bytes, sink.count, quantity[row] as number, quantityScale, wideQuantities, row)
      sink.text('",')
      if (kind === EVENT_KINDS.trades) {
        putText(sink, batch.tradeId, timed)
        sink.byte(COMMA)
      }
      sink.time(batch.rowTimeNs[timed++] as number)
      sink.byte(CLOSE)
    }
    sink.byte(CLOSE)
    const flags = batch.flags[i] as number
    if ((flags & EVENT_FLAGS.FORCE_RESET_GIVEN) !== 0)
      sink.text((flags & EVENT_FLAGS.FORCE_RESET) !== 0 ? ',true' : ',false')
  }

  private encodeValues(batch: EventBatch, i: number, kind: number): void {
    const { sink } = this
    const { values, valueScale } = batch
    const start = batch.valueStart[i] as number
    const end = batch.valueStart[i + 1] as number
    if (end === start)
      throw new BacktapeError(
        'VALUE_INEXACT',
        `Cannot encode event ${String(batch.firstEventIndex + i)}: an event of kind ${String(kind)} needs a value`,
      )
    const isFunding = kind === EVENT_KINDS.funding
    if (isFunding) sink.byte(OPEN)
    for (let v = start; v < end; v++) {
      if (v > start) sink.byte(COMMA)
      if (isFunding && v === start + 1) sink.time(valueScale[v] === VALUE_SCALES.NULL ? NaN : (values[v] as number))
      else putValue(sink, batch, v)
    }
    if (isFunding) sink.byte(CLOSE)
  }
}

/** `[kind,instrumentId,` */
function putHead(bytes: Uint8Array, start: number, kind: number, instrumentId: number): number {
  let at = start
  bytes[at++] = OPEN
  at = putInteger(bytes, at, kind)
  bytes[at++] = COMMA
  at = putInteger(bytes, at, instrumentId)
  bytes[at++] = COMMA
  return at
}
