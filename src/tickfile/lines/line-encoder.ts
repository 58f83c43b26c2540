import {
  EVENT_FLAGS, type EventBatch, ID_FORMS, type IdColumn, type TextColumn, VALUE_SCALES,
} from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { BacktapeError } from '../../model/error.js'
import { TickLineBytes } from './tick-line-bytes.js'

/** "funding", "mark" and friends keep their `data` in values; these kinds keep it in rows. */
function hasRows(kind: number): boolean {
  return kind <= EVENT_KINDS.trades || kind === EVENT_KINDS.topOfBook || kind === EVENT_KINDS.liquidations
}

function putId(sink: TickLineBytes, ids: IdColumn, index: number): void {
  if (ids.form[index] === ID_FORMS.NUMBER) {
    sink.quote()
    sink.integer64(ids.high[index] as number, ids.low[index] as number)
    sink.quote()
  } else sink.quoted(ids.texts[ids.low[index] as number] ?? '')
}

function putText(sink: TickLineBytes, texts: TextColumn, index: number): void {
  if (texts.isNull[index] === 1) sink.text('null')
  else sink.jsonBytes(texts.bytes, texts.start[index] as number, texts.start[index + 1] as number)
}

/** Nothing but a value out of the ordinary takes this way. */
function putValue(sink: TickLineBytes, value: number, scale: number): void {
  if (scale === VALUE_SCALES.NULL) {
    sink.text('null')
    return
  }
  sink.quote()
  if (scale === VALUE_SCALES.DOUBLE) sink.text(plainDouble(value))
  else sink.scaled(value, scale)
  sink.quote()
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
 * read.
 */
export class LineEncoder {
  /** The text so far. */
  readonly sink: TickLineBytes = new TickLineBytes()
  private prefix = ''
  private instrumentId = NaN

  /** Appends the lines of the events `from` (inclusive) to `to` (exclusive) of a batch. */
  encode(batch: EventBatch, from = 0, to: number = batch.count): void {
    const { id } = batch.instrument
    if (id !== this.instrumentId) this.prefix = `,${String(id)},`
    this.instrumentId = id
    this.sink.setDay(batch.epochDay)
    for (let i = from; i < to; i++) this.encodeEvent(batch, i)
  }

  private encodeEvent(batch: EventBatch, i: number): void {
    const { sink } = this
    const kind = batch.kind[i] as number
    sink.byte(0x5b)
    sink.integer(kind)
    sink.text(this.prefix)
    if (kind === EVENT_KINDS.state) this.encodeState(batch, i)
    else {
      putId(sink, batch.previousEventId, i)
      sink.comma()
      putId(sink, batch.eventId, i)
      sink.comma()
      sink.time(batch.adapterTimeNs[i] as number)
      sink.comma()
      sink.time(batch.exchangeTimeNs[i] as number)
      sink.comma()
      if (hasRows(kind)) this.encodeRows(batch, i, kind)
      else this.encodeValues(batch, i, kind)
    }
    sink.text(']\n')
  }

  private encodeState(batch: EventBatch, i: number): void {
    const { sink } = this
    sink.time(batch.adapterTimeNs[i] as number)
    for (let t = batch.textStart[i] as number; t < (batch.textStart[i + 1] as number); t++) {
      sink.comma()
      putText(sink, batch.text, t)
    }
  }

  private encodeRows(batch: EventBatch, i: number, kind: number): void {
    const { sink } = this
    const { side, price, quantity, priceScale, quantityScale } = batch
    const isTrades = kind === EVENT_KINDS.trades
    const isTimed = isTrades || kind === EVENT_KINDS.liquidations
    const start = batch.rowStart[i] as number
    const end = batch.rowStart[i + 1] as number
    let timed = batch.tradeRowStart[i] as number
    sink.byte(0x5b)
    for (let row = start; row < end; row++) {
      if (row > start) sink.comma()
      sink.byte(0x5b)
      sink.byte(0x30 + (side[row] as number))
      sink.comma()
      sink.quote()
      sink.scaled(price[row] as number, priceScale)
      sink.quote()
      sink.comma()
      sink.quote()
      sink.scaled(quantity[row] as number, quantityScale)
      sink.quote()
      sink.comma()
      if (isTrades) {
        putText(sink, batch.tradeId, timed)
        sink.comma()
      }
      if (isTimed) sink.time(batch.rowTimeNs[timed++] as number)
      else sink.byte(0x31)
      sink.byte(0x5d)
    }
    sink.byte(0x5d)
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
    if (isFunding) sink.byte(0x5b)
    for (let v = start; v < end; v++) {
      if (v > start) sink.comma()
      if (isFunding && v === start + 1) sink.time(valueScale[v] === VALUE_SCALES.NULL ? NaN : (values[v] as number))
      else putValue(sink, values[v] as number, valueScale[v] as number)
    }
    if (isFunding) sink.byte(0x5d)
  }
}
