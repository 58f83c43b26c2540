import {
  EVENT_FLAGS, ID_FORMS, VALUE_SCALES, type EventBatch, type IdColumn,
} from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { SCALE_LIMIT } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { bigScaled, decimalsOf } from '../model/wide-numbers.js'
import { textAt } from '../model/event-batch-columns.js'
import { FEED_MESSAGES, type FeedEncoder, type FeedLoginResponse, type FeedState } from './feed-messages.js'
import { numberFromDigits } from './sbe-identifier.js'
import {
  BLOCK_BYTES, ENTRY_BYTES, EVENT_FIELDS, GREEK_COUNT, GROUP_BYTES, GROUP_LIMIT, HEADER_BYTES, LONG_TEXT_LIMIT,
  MESSAGE_FIELDS, NULL_FLAG, NULL_HALF, ROW_FIELDS, SBE_SCHEMA_ID, SBE_VERSION, SHORT_TEXT_LIMIT,
} from './sbe-layout.js'
import { putHalves, putInteger, SbeSink } from './sbe-sink.js'
import { SbeTime } from './sbe-time.js'

/** Where nothing fits: a place that no message ends at. */
const NOWHERE = -1
/** -2^63, the upper half of a mantissa that is null. */
const NULL_MANTISSA = -0x8000_0000
const NULL_MANTISSA_64 = -(2n ** 63n)

/** The two halves of a header: blockLength and templateId, schemaId and version. */
const HEADER_STARTS: Uint32Array = Uint32Array.from(
  BLOCK_BYTES, (bytes, template) => (template << 16) | Math.max(bytes, 0),
)
const HEADER_END = (SBE_VERSION << 16) | SBE_SCHEMA_ID

/** Writes the header of a message. */
export function putHeader(view: DataView, at: number, template: number): void {
  view.setUint32(at, HEADER_STARTS[template] ?? 0, true)
  view.setUint32(at + 4, HEADER_END, true)
}

function isNumber(ids: IdColumn, index: number): boolean {
  return ids.form[index] === ID_FORMS.NUMBER && (ids.low[index] !== NULL_HALF || ids.high[index] !== NULL_HALF)
}

function putId(view: DataView, at: number, ids: IdColumn, index: number): void {
  if (isNumber(ids, index)) putHalves(view, at, ids.high[index] ?? 0, ids.low[index] ?? 0)
  else putHalves(view, at, NULL_HALF, NULL_HALF)
}

/** The text of an id that is no number; 2^64 - 1 is the null of numbers, so it is a text. */
function idText(ids: IdColumn, index: number): string {
  if (isNumber(ids, index)) return ''
  return ids.form[index] === ID_FORMS.TEXT ? ids.texts[ids.low[index] ?? 0] ?? '' : idDigits(ids, index)
}

function idDigits(ids: IdColumn, index: number): string {
  return ids.form[index] === ID_FORMS.NUMBER ? '18446744073709551615' : ''
}

/** Writes a decimal; false where the integer is not exact or the scale is none. */
function putDecimal(view: DataView, at: number, integer: number, scale: number): boolean {
  if (!Number.isSafeInteger(integer) || scale > SCALE_LIMIT) return false
  putInteger(view, at, integer)
  view.setInt8(at + 8, -scale)
  return true
}

/** Writes value `at` of a batch as a decimal; false where it is none, or does not fit 64 bits. */
function putValue(view: DataView, place: number, { values, valueScale, wide }: EventBatch, at: number): boolean {
  const scale = valueScale[at] ?? VALUE_SCALES.NULL
  if (scale !== VALUE_SCALES.WIDE) return putDecimal(view, place, values[at] ?? NaN, scale)
  const text = wide?.value.get(at) ?? ''
  const decimals = decimalsOf(text)
  const mantissa = bigScaled(text, decimals) ?? 0n
  if (decimals > SCALE_LIMIT || BigInt.asIntN(64, mantissa) !== mantissa || mantissa === NULL_MANTISSA_64) return false
  view.setBigInt64(place, mantissa, true)
  view.setInt8(place + 8, -decimals)
  return true
}

function putNoDecimal(view: DataView, at: number): void {
  view.setUint32(at, 0, true)
  view.setInt32(at + 4, NULL_MANTISSA, true)
  view.setInt8(at + 8, 0)
}

/** Writes the messages of a server as SBE (schemas/feed.xml). */
export class SbeEncoder implements FeedEncoder {
  readonly sink: SbeSink = new SbeSink()
  readonly #time = new SbeTime()
  readonly #halves = new Uint32Array(2)

  line(batch: EventBatch, index: number): boolean {
    const kind = batch.kind[index] ?? 0
    if (kind === EVENT_KINDS.state) return this.#stateLine(batch, index)
    const { sink } = this
    const { previousEventId, eventId } = batch
    const isPlain = isNumber(previousEventId, index) && isNumber(eventId, index)
    const view = sink.reserve(this.#mostBytes(batch, index, kind, isPlain))
    const start = sink.count
    if (!this.#putEnvelope(view, start, batch, index, kind)) return false
    const at = this.#putBody(view, start, batch, index, kind)
    if (at === NOWHERE) return false
    if (isPlain) {
      // Two texts of no length.
      view.setUint32(at, 0, true)
      sink.count = at + 4
      return true
    }
    const end = this.#putIdTexts(view, at, batch, index)
    if (end === NOWHERE) return false
    sink.count = end
    return true
  }

  state({ instrumentId, time, state, text }: FeedState): void {
    if (!this.#putState(instrumentId, time, state, text))
      throw new BacktapeError('VALUE_INEXACT', `Cannot encode the state of instrument ${instrumentId}: it does not fit`)
  }

  loginResponse({ serverTime, processId, protocolVersion, capabilities }: FeedLoginResponse): void {
    const { sink } = this
    const json = JSON.stringify(capabilities)
    const view = sink.reserve(HEADER_BYTES + 16 + 3 * (processId.length + protocolVersion.length + json.length))
    const start = sink.count
    putHeader(view, start, FEED_MESSAGES.LOGIN_RESPONSE)
    view.setBigUint64(start + MESSAGE_FIELDS.serverTime, serverTime, true)
    let at = start + HEADER_BYTES + (BLOCK_BYTES[FEED_MESSAGES.LOGIN_RESPONSE] ?? 0)
    at = this.#putShortText(view, at, processId)
    at = this.#putShortText(view, at, protocolVersion)
    at = this.#putLongText(view, at, json)
    if (at === NOWHERE) throw new BacktapeError('VALUE_INEXACT', 'Cannot encode a login response: a text is too long')
    sink.count = at
  }

  /** More than an event needs: what is reserved is not looked at again. */
  #mostBytes(batch: EventBatch, index: number, kind: number, isPlain: boolean): number {
    const { rowStart, tradeRowStart, tradeId, previousEventId, eventId } = batch
    let bytes = 256 + ((rowStart[index + 1] ?? 0) - (rowStart[index] ?? 0)) * (ENTRY_BYTES.trade + 2)
    if (kind === EVENT_KINDS.trades)
      bytes += (tradeId.start[tradeRowStart[index + 1] ?? 0] ?? 0) - (tradeId.start[tradeRowStart[index] ?? 0] ?? 0)
    if (!isPlain) bytes += 3 * (idText(previousEventId, index).length + idText(eventId, index).length)
    return bytes
  }

  #putEnvelope(view: DataView, start: number, batch: EventBatch, index: number, kind: number): boolean {
    const { id } = batch.instrument
    if (!Number.isSafeInteger(id) || id < 0) return false
    putHeader(view, start, kind)
    putInteger(view, start + EVENT_FIELDS.instrumentId, id)
    putId(view, start + EVENT_FIELDS.previousEventId, batch.previousEventId, index)
    putId(view, start + EVENT_FIELDS.eventId, batch.eventId, index)
    this.#time.setDay(batch.epochDay)
    return (
      this.#time.put(view, start + EVENT_FIELDS.adapterTime, batch.adapterTimeNs[index] ?? NaN) &&
      this.#time.putOptional(view, start + EVENT_FIELDS.exchangeTime, batch.exchangeTimeNs[index] ?? NaN)
    )
  }

  /** The end of what stands before the texts of the ids; NOWHERE where a value does not fit. */
  #putBody(view: DataView, start: number, batch: EventBatch, index: number, kind: number): number {
    const at = start + HEADER_BYTES + (BLOCK_BYTES[kind] ?? 0)
    switch (kind) {
      case EVENT_KINDS.snapshot: {
        const flags = batch.flags[index] ?? 0
        const isGiven = (flags & EVENT_FLAGS.FORCE_RESET_GIVEN) !== 0
        view.setUint8(start + EVENT_FIELDS.forceReset, isGiven ? flags & EVENT_FLAGS.FORCE_RESET : NULL_FLAG)
        return this.#putBookRows(view, at, batch, index)
      }
      case EVENT_KINDS.update:
      case EVENT_KINDS.topOfBook: return this.#putBookRows(view, at, batch, index)
      case EVENT_KINDS.trades: return this.#putTradeRows(view, at, batch, index)
      case EVENT_KINDS.liquidations: return this.#putLiquidationRows(view, at, batch, index)
      case EVENT_KINDS.mark: return this.#putMark(view, start, at, batch, index)
      case EVENT_KINDS.index: return this.#putIndex(view, start, at, batch, index)
      case EVENT_KINDS.funding: return this.#putFunding(view, start, at, batch, index)
      default: return NOWHERE
    }
  }

  /** The first row; the number of rows has its limit. */
  #putGroup(view: DataView, at: number, entryBytes: number, count: number): number {
    if (count > GROUP_LIMIT) return NOWHERE
    view.setUint16(at, entryBytes, true)
    view.setUint32(at + 2, count, true)
    return at + GROUP_BYTES
  }

  /** Typed stores in one loop, and nothing else: most messages are these. */
  #putBookRows(view: DataView, from: number, batch: EventBatch, index: number): number {
    const { side, price, quantity } = batch
    const first = batch.rowStart[index] ?? 0
    const end = batch.rowStart[index + 1] ?? 0
    let at = this.#putGroup(view, from, ENTRY_BYTES.book, end - first)
    if (at === NOWHERE) return NOWHERE
    const priceExponent = -batch.priceScale
    const quantityExponent = -batch.quantityScale
    for (let row = first; row < end; row++) {
      const rowSide = side[row] ?? 0
      const rowPrice = price[row] ?? NaN
      const rowQuantity = quantity[row] ?? NaN
      if (rowSide > 1 || !Number.isSafeInteger(rowPrice) || !Number.isSafeInteger(rowQuantity)) return NOWHERE
      view.setUint8(at, rowSide)
      putInteger(view, at + ROW_FIELDS.price, rowPrice)
      view.setInt8(at + ROW_FIELDS.price + 8, priceExponent)
      putInteger(view, at + ROW_FIELDS.quantity, rowQuantity)
      view.setInt8(at + ROW_FIELDS.quantity + 8, quantityExponent)
      at += ENTRY_BYTES.book
    }
    return at
  }

  /** Side, price and quantity of a row; false where one does not fit. */
  #putRow(view: DataView, at: number, batch: EventBatch, row: number): boolean {
    const side = batch.side[row] ?? 0
    view.setUint8(at, side)
    return (
      side <= 1 &&
      putDecimal(view, at + ROW_FIELDS.price, batch.price[row] ?? NaN, batch.priceScale) &&
      putDecimal(view, at + ROW_FIELDS.quantity, batch.quantity[row] ?? NaN, batch.quantityScale)
    )
  }

  #putTradeRows(view: DataView, from: number, batch: EventBatch, index: number): number {
    const first = batch.rowStart[index] ?? 0
    const end = batch.rowStart[index + 1] ?? 0
    let timed = batch.tradeRowStart[index] ?? 0
    let at = this.#putGroup(view, from, ENTRY_BYTES.trade, end - first)
    for (let row = first; row < end && at !== NOWHERE; row++, timed++) {
      const time = batch.rowTimeNs[timed] ?? NaN
      const isFitting = this.#putRow(view, at, batch, row)
      if (!isFitting || !this.#time.putOptional(view, at + ROW_FIELDS.time, time)) return NOWHERE
      at = this.#putTradeId(view, at, batch, timed)
    }
    return at
  }

  #putTradeId(view: DataView, at: number, batch: EventBatch, timed: number): number {
    const { start, bytes, isNull } = batch.tradeId
    const from = start[timed] ?? 0
    const to = start[timed + 1] ?? 0
    const halves = this.#halves
    const end = at + ENTRY_BYTES.trade
    const isDigits = isNull[timed] !== 1 && numberFromDigits(bytes, from, to, halves)
    if (isDigits && (halves[0] !== NULL_HALF || halves[1] !== NULL_HALF)) {
      view.setUint8(at + ROW_FIELDS.tradeIdForm, ID_FORMS.NUMBER)
      putHalves(view, at + ROW_FIELDS.tradeId, halves[0] ?? 0, halves[1] ?? 0)
      view.setUint16(end, 0, true)
      return end + 2
    }
    const length = isNull[timed] === 1 ? 0 : to - from
    if (length > SHORT_TEXT_LIMIT) return NOWHERE
    view.setUint8(at + ROW_FIELDS.tradeIdForm, isNull[timed] === 1 ? ID_FORMS.NONE : ID_FORMS.TEXT)
    putHalves(view, at + ROW_FIELDS.tradeId, NULL_HALF, NULL_HALF)
    view.setUint16(end, length, true)
    const target = this.sink.bytes
    for (let i = 0; i < length; i++) target[end + 2 + i] = bytes[from + i] ?? 0
    return end + 2 + length
  }

  #putLiquidationRows(view: DataView, from: number, batch: EventBatch, index: number): number {
    const first = batch.rowStart[index] ?? 0
    const end = batch.rowStart[index + 1] ?? 0
    let timed = batch.tradeRowStart[index] ?? 0
    let at = this.#putGroup(view, from, ENTRY_BYTES.liquidation, end - first)
    for (let row = first; row < end && at !== NOWHERE; row++, timed++, at += ENTRY_BYTES.liquidation) {
      const time = batch.rowTimeNs[timed] ?? NaN
      const isFitting = this.#putRow(view, at, batch, row)
      if (!isFitting || !this.#time.putOptional(view, at + ROW_FIELDS.time, time)) return NOWHERE
    }
    return at
  }

  #putMark(view: DataView, start: number, from: number, batch: EventBatch, index: number): number {
    const { values, valueScale } = batch
    const first = batch.valueStart[index] ?? 0
    const tailCount = (batch.valueStart[index + 1] ?? 0) - first - 1
    const price = start + EVENT_FIELDS.price
    if (tailCount < 0 || tailCount > GREEK_COUNT) return NOWHERE
    if (!putValue(view, price, batch, first)) return NOWHERE
    view.setUint8(start + EVENT_FIELDS.tailCount, tailCount)
    let at = from + GROUP_BYTES
    let isAny = false
    for (let i = 1; i <= GREEK_COUNT; i++, at += 8) {
      const scale = i <= tailCount ? valueScale[first + i] : VALUE_SCALES.NULL
      const value = values[first + i] ?? NaN
      if (scale === VALUE_SCALES.DOUBLE && Number.isFinite(value)) isAny = true
      else if (scale !== VALUE_SCALES.NULL) return NOWHERE
      view.setFloat64(at, scale === VALUE_SCALES.DOUBLE ? value : NaN, true)
    }
    this.#putGroup(view, from, ENTRY_BYTES.greeks, isAny ? 1 : 0)
    return isAny ? at : from + GROUP_BYTES
  }

  #putIndex(view: DataView, start: number, at: number, batch: EventBatch, index: number): number {
    const first = batch.valueStart[index] ?? 0
    if ((batch.valueStart[index + 1] ?? 0) !== first + 1) return NOWHERE
    return putValue(view, start + EVENT_FIELDS.price, batch, first) ? at : NOWHERE
  }

  #putFunding(view: DataView, start: number, at: number, batch: EventBatch, index: number): number {
    const { values, valueScale } = batch
    const first = batch.valueStart[index] ?? 0
    const count = (batch.valueStart[index + 1] ?? 0) - first
    if (count !== 2 && count !== 3) return NOWHERE
    const next = valueScale[first + 1] === VALUE_SCALES.NULL ? NaN : values[first + 1] ?? NaN
    const predicted = start + EVENT_FIELDS.predictedRate
    const predictedScale = count === 3 ? valueScale[first + 2] ?? VALUE_SCALES.NULL : VALUE_SCALES.NULL
    view.setUint8(start + EVENT_FIELDS.predictedRateGiven, count === 3 ? 1 : 0)
    if (predictedScale === VALUE_SCALES.NULL) putNoDecimal(view, predicted)
    else if (!putValue(view, predicted, batch, first + 2)) return NOWHERE
    const isFitting =
      putValue(view, start + EVENT_FIELDS.rate, batch, first) &&
      this.#time.putOptional(view, start + EVENT_FIELDS.nextFundingTime, next)
    return isFitting ? at : NOWHERE
  }

  #putIdTexts(view: DataView, at: number, batch: EventBatch, index: number): number {
    const between = this.#putShortText(view, at, idText(batch.previousEventId, index))
    return this.#putShortText(view, between, idText(batch.eventId, index))
  }

  #stateLine(batch: EventBatch, index: number): boolean {
    const first = batch.textStart[index] ?? 0
    const { epochDay, instrument, adapterTimeNs } = batch
    const timeNs = adapterTimeNs[index] ?? NaN
    const state = textAt(batch.text, first)
    if ((batch.textStart[index + 1] ?? 0) !== first + 2 || state === null) return false
    this.#time.setDay(epochDay)
    const scratch = new DataView(new ArrayBuffer(8))
    if (!this.#time.put(scratch, 0, timeNs)) return false
    return this.#putState(instrument.id, scratch.getBigUint64(0, true), state, textAt(batch.text, first + 1))
  }

  #putState(instrumentId: number, time: bigint, state: string, text: string | null): boolean {
    const { sink } = this
    const view = sink.reserve(64 + 3 * (state.length + (text?.length ?? 0)))
    const start = sink.count
    if (!Number.isSafeInteger(instrumentId) || instrumentId < 0 || BigInt.asUintN(64, time) !== time) return false
    putHeader(view, start, EVENT_KINDS.state)
    putInteger(view, start + MESSAGE_FIELDS.instrumentId, instrumentId)
    view.setBigUint64(start + MESSAGE_FIELDS.adapterTime, time, true)
    view.setUint8(start + MESSAGE_FIELDS.textGiven, text === null ? 0 : 1)
    const at = this.#putShortText(view, start + HEADER_BYTES + (BLOCK_BYTES[EVENT_KINDS.state] ?? 0), state)
    const end = this.#putLongText(view, at, text ?? '')
    if (end === NOWHERE) return false
    sink.count = end
    return true
  }

  #putShortText(view: DataView, at: number, text: string): number {
    if (at === NOWHERE) return NOWHERE
    const length = text.length === 0 ? 0 : this.sink.putText(text, at + 2)
    if (length > SHORT_TEXT_LIMIT) return NOWHERE
    view.setUint16(at, length, true)
    return at + 2 + length
  }

  #putLongText(view: DataView, at: number, text: string): number {
    if (at === NOWHERE) return NOWHERE
    const length = this.sink.putText(text, at + 4)
    if (length > LONG_TEXT_LIMIT) return NOWHERE
    view.setUint32(at, length, true)
    return at + 4 + length
  }
}
