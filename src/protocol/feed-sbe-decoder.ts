import { ByteWriter } from '../model/byte-writer.js'
import { EVENT_FLAGS, ID_FORMS, VALUE_SCALES, type IdColumn } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { ArrivingEvents } from '../tickfile/lines/line-messages.js'
import type { CountingFeedDecoder, FeedDecoderOptions } from './feed-json-codec.js'
import { capabilitiesFrom } from './feed-json-events.js'
import { FEED_MESSAGES, type FeedDecoded, type FeedLoginResponse, type FeedState } from './feed-messages.js'
import { SbeDecimal } from './sbe-decimal.js'
import { FrameFault, SbeFrame } from './sbe-frame.js'
import { numberFromDigits } from './sbe-identifier.js'
import {
  BLOCK_BYTES, ENTRY_BYTES, EVENT_FIELDS, GREEK_COUNT, MESSAGE_FIELDS, NULL_FLAG, NULL_HALF, ROW_FIELDS,
} from './sbe-layout.js'
import { SbeTime } from './sbe-time.js'
import { isJsonObject } from '../model/json-object.js'
import { parseNestedJson } from '../model/nested-json.js'

const TWO_32 = 4_294_967_296
/** The upper half of 2^53. */
const SAFE_HIGH = 0x20_0000
/** -2^63, the upper half of a mantissa that is null. */
const NULL_MANTISSA = -0x8000_0000

function isEvent(template: number): boolean {
  return (BLOCK_BYTES[template] ?? -1) >= ENVELOPE_BYTES
}

/** Bytes of the block that all events but a state begin with. */
const ENVELOPE_BYTES = 40

/** Reads the messages of a server (schemas/feed.xml) into batches; nothing is made for an event. */
export class SbeDecoder implements CountingFeedDecoder {
  passedCount = 0
  readonly #frame = new SbeFrame()
  readonly #price = new SbeDecimal(this.#frame)
  readonly #quantity = new SbeDecimal(this.#frame)
  readonly #time = new SbeTime()
  readonly #halves = new Uint32Array(2)
  readonly #digits = new ByteWriter()
  readonly #events: Map<number, ArrivingEvents> = new Map()
  #number = 0
  /** Instrument of the message at hand; -1: none has been read. */
  #instrumentIdRead = -1
  /** The instrument of the last event: a look into the map costs more than comparing it. */
  #lastId = -1
  #last: ArrivingEvents | undefined = undefined

  constructor(private readonly options: FeedDecoderOptions) {
    this.#time.setDay(options.epochDay)
  }

  decode(frame: Uint8Array, to: FeedDecoded): void {
    this.#number++
    this.#instrumentIdRead = -1
    try {
      this.#frame.open(frame)
      this.#decode(to)
    } catch (fault) {
      if (!(fault instanceof FrameFault)) throw fault
      const error = fault.toError(this.#number)
      if (to.onUnreadable === undefined || this.#instrumentIdRead < 0) throw error
      to.onUnreadable(this.#instrumentIdRead, error)
    }
  }

  #decode(to: FeedDecoded): void {
    const frame = this.#frame
    const template = frame.templateId
    if (isEvent(template)) {
      frame.passBlock()
      const instrumentId = frame.unsigned(frame.start + EVENT_FIELDS.instrumentId)
      this.#instrumentIdRead = instrumentId
      const events = this.#eventsOf(instrumentId)
      if (events === undefined) this.passedCount++
      else {
        // The batch may be another one afterwards, so this comes first.
        const index = this.#decodeEvent(events, template)
        to.onLine(events.batch, index)
      }
    } else if (template === EVENT_KINDS.state) to.onState(this.#readState())
    else if (template === FEED_MESSAGES.LOGIN_RESPONSE) to.onLoginResponse(this.#readLoginResponse())
    else this.passedCount++
  }

  #eventsOf(instrumentId: number): ArrivingEvents | undefined {
    if (instrumentId === this.#lastId) return this.#last
    const known = this.#events.get(instrumentId)
    if (known !== undefined) {
      this.#lastId = instrumentId
      this.#last = known
      return known
    }
    const from = this.options.instrumentOf(instrumentId)
    if (from === undefined) return undefined
    const events = new ArrivingEvents(from, this.options.epochDay)
    this.#events.set(instrumentId, events)
    return events
  }

  /** The index of the event in the batch of `events`, which is another one where the event did not fit. */
  #decodeEvent(events: ArrivingEvents, template: number): number {
    const { filler } = events
    const behind = this.#frame.at
    try {
      if (!this.#read(events, template, events.priceScale, events.quantityScale)) {
        filler.rewind()
        this.#widen(events, template, behind)
        this.#readAgain(events, template, behind)
      }
      while (!filler.fits) {
        events.makeRoom()
        this.#readAgain(events, template, behind)
      }
    } catch (fault) {
      filler.rewind()
      throw fault
    }
    filler.batch.kind[filler.count] = template
    filler.keep()
    return events.kept()
  }

  #readAgain(events: ArrivingEvents, template: number, behind: number): void {
    this.#frame.at = behind
    this.#read(events, template, events.priceScale, events.quantityScale)
  }

  /** Finer digits widen the columns, unless the event turns out to be damaged. */
  #widen(events: ArrivingEvents, template: number, behind: number): void {
    const price = this.#price.neededScale
    const quantity = this.#quantity.neededScale
    this.#frame.at = behind
    this.#read(events, template, price, quantity)
    events.filler.rewind()
    events.widen(price, quantity)
  }

  /** Reads an event behind its block; false where it needs wider scales. */
  #read(events: ArrivingEvents, template: number, priceScale: number, quantityScale: number): boolean {
    const { filler } = events
    const { batch, count } = filler
    const frame = this.#frame
    const { start } = frame
    this.#price.neededScale = priceScale
    this.#quantity.neededScale = quantityScale
    batch.adapterTimeNs[count] = this.#timeAt(start + EVENT_FIELDS.adapterTime, 'adapterTime')
    batch.exchangeTimeNs[count] = this.#optionalTime(start + EVENT_FIELDS.exchangeTime, 'exchangeTime')
    batch.flags[count] = template === EVENT_KINDS.snapshot ? this.#forceReset() : 0
    this.#readData(events, template, priceScale, quantityScale)
    this.#readId(events, EVENT_FIELDS.previousEventId, 'previousEventId', batch.previousEventId)
    this.#readId(events, EVENT_FIELDS.eventId, 'eventId', batch.eventId)
    frame.close()
    return this.#price.neededScale === priceScale && this.#quantity.neededScale === quantityScale
  }

  #readData(events: ArrivingEvents, template: number, priceScale: number, quantityScale: number): void {
    switch (template) {
      case EVENT_KINDS.mark: return this.#readMark(events)
      case EVENT_KINDS.index: return this.#addDecimal(events, EVENT_FIELDS.price, 'price')
      case EVENT_KINDS.funding: return this.#readFunding(events)
      case EVENT_KINDS.trades: return this.#readTradeRows(events, priceScale, quantityScale)
      case EVENT_KINDS.liquidations: return this.#readLiquidationRows(events, priceScale, quantityScale)
      default: return this.#readBookRows(events, template, priceScale, quantityScale)
    }
  }

  #timeAt(place: number, field: string): number {
    const { view } = this.#frame
    const time = this.#time.timeOf(view.getUint32(place + 4, true), view.getUint32(place, true))
    if (Number.isSafeInteger(time)) return time
    const expected = 'epoch nanoseconds within 104 days of the day of the feed'
    throw this.#frame.fault(field, expected, String(view.getBigUint64(place, true)), place, 'VALUE_INEXACT')
  }

  /** NaN where the time is 0. */
  #optionalTime(place: number, field: string): number {
    const { view } = this.#frame
    if (view.getUint32(place, true) === 0 && view.getUint32(place + 4, true) === 0) return NaN
    return this.#timeAt(place, field)
  }

  #flag(place: number, field: string): number {
    const flag = this.#frame.view.getUint8(place)
    if (flag > 1) throw this.#frame.fault(field, '0 or 1', String(flag), place)
    return flag
  }

  #forceReset(): number {
    const place = this.#frame.start + EVENT_FIELDS.forceReset
    if (this.#frame.view.getUint8(place) === NULL_FLAG) return 0
    return EVENT_FLAGS.FORCE_RESET_GIVEN | (this.#flag(place, 'forceReset') === 1 ? EVENT_FLAGS.FORCE_RESET : 0)
  }

  /** Loads from one view and typed stores in one loop: most messages are these. */
  #readBookRows({ filler }: ArrivingEvents, template: number, priceScale: number, quantityScale: number): void {
    const frame = this.#frame
    frame.openGroup('rows', ENTRY_BYTES.book)
    const { view, entryBytes, entryCount } = frame
    const { side, price, quantity } = filler.batch
    let row = filler.rowCount
    let at = frame.at
    for (let i = 0; i < entryCount; i++, row++, at += entryBytes) {
      const rowSide = view.getUint8(at)
      if (rowSide > 1) throw frame.fault(`rows[${i}].side`, '0 or 1', String(rowSide), at)
      const priceHigh = view.getInt32(at + 5, true)
      const isPlain = view.getInt8(at + 9) === -priceScale && priceHigh > -SAFE_HIGH && priceHigh < SAFE_HIGH
      const quantityHigh = view.getInt32(at + 14, true)
      const isPlainQuantity = view.getInt8(at + 18) === -quantityScale && quantityHigh >= 0 && quantityHigh < SAFE_HIGH
      side[row] = rowSide
      price[row] = isPlain ? priceHigh * TWO_32 + view.getUint32(at + 1, true) : this.#priceAt(at, i, priceScale)
      quantity[row] =
        isPlainQuantity ? quantityHigh * TWO_32 + view.getUint32(at + 10, true) : this.#quantityAt(at, i, quantityScale)
    }
    filler.rowCount = row
    if (template === EVENT_KINDS.topOfBook && entryCount > 1) this.#checkTop()
    frame.at = at
  }

  #checkTop(): void {
    const { view, at, entryBytes, entryCount } = this.#frame
    if (entryCount > 2 || view.getUint8(at) === view.getUint8(at + entryBytes))
      throw this.#frame.fault('rows', 'at most one row of each side', `${entryCount} rows`, at)
  }

  #priceAt(at: number, row: number, scale: number): number {
    return this.#price.scaled(at + ROW_FIELDS.price, 'price', scale, row)
  }

  #quantityAt(at: number, row: number, scale: number): number {
    const quantity = this.#quantity.scaled(at + ROW_FIELDS.quantity, 'quantity', scale, row)
    if (quantity >= 0 && this.#quantity.integer >= 0) return quantity
    const found = String(this.#quantity.integer)
    throw this.#frame.fault(`rows[${row}].quantity`, 'not below 0', found, at + ROW_FIELDS.quantity)
  }

  #addRow({ filler }: ArrivingEvents, at: number, row: number, priceScale: number, quantityScale: number): void {
    const side = this.#frame.view.getUint8(at)
    if (side > 1) throw this.#frame.fault(`rows[${row}].side`, '0 or 1', String(side), at)
    filler.addRow(side, this.#priceAt(at, row, priceScale), this.#quantityAt(at, row, quantityScale))
  }

  #readTradeRows(events: ArrivingEvents, priceScale: number, quantityScale: number): void {
    const frame = this.#frame
    frame.openGroup('rows', ENTRY_BYTES.trade, 2)
    const { entryBytes, entryCount } = frame
    for (let i = 0; i < entryCount; i++) {
      const { at } = frame
      if (frame.end - at < entryBytes) throw frame.fault(`rows[${i}]`, `${entryBytes} bytes`, `${frame.end - at}`, at)
      this.#addRow(events, at, i, priceScale, quantityScale)
      const time = this.#optionalTime(at + ROW_FIELDS.time, 'exchangeTradeTime')
      frame.at = at + entryBytes
      frame.passShortText('tradeIdText')
      this.#addTradeId(events, at, time)
    }
  }

  #addTradeId({ filler }: ArrivingEvents, at: number, time: number): void {
    const frame = this.#frame
    const form = frame.view.getUint8(at + ROW_FIELDS.tradeIdForm)
    if (form === ID_FORMS.NUMBER) {
      const high = frame.view.getUint32(at + ROW_FIELDS.tradeId + 4, true)
      const low = frame.view.getUint32(at + ROW_FIELDS.tradeId, true)
      this.#digits.count = 0
      this.#digits.integer64(high, low)
      filler.addTradeId(time, this.#digits.bytes, 0, this.#digits.count, 0)
    } else if (form === ID_FORMS.TEXT) {
      frame.checkText('tradeIdText')
      filler.addTradeId(time, frame.bytes, frame.textStart, frame.at, 0)
    } else if (form === ID_FORMS.NONE) filler.addTradeId(time, frame.bytes, 0, 0, 1)
    else throw frame.fault('tradeIdForm', '0, 1 or 2', String(form), at + ROW_FIELDS.tradeIdForm)
  }

  #readLiquidationRows(events: ArrivingEvents, priceScale: number, quantityScale: number): void {
    const frame = this.#frame
    frame.openGroup('rows', ENTRY_BYTES.liquidation)
    const { entryBytes, entryCount } = frame
    for (let i = 0; i < entryCount; i++, frame.at += entryBytes) {
      this.#addRow(events, frame.at, i, priceScale, quantityScale)
      const time = this.#optionalTime(frame.at + ROW_FIELDS.time, 'exchangeLiquidationTime')
      events.filler.addTradeId(time, frame.bytes, 0, 0, 1)
    }
  }

  #addDecimal({ filler }: ArrivingEvents, offset: number, field: string): void {
    this.#price.readShortest(this.#frame.start + offset, field)
    if (this.#price.wide !== null) filler.addWideValue(this.#price.wide)
    else filler.addValue(this.#price.integer, this.#price.scale)
  }

  #readMark(events: ArrivingEvents): void {
    const frame = this.#frame
    const { filler } = events
    this.#addDecimal(events, EVENT_FIELDS.price, 'price')
    const place = frame.start + EVENT_FIELDS.tailCount
    const tailCount = frame.view.getUint8(place)
    if (tailCount > GREEK_COUNT) throw frame.fault('tailCount', `at most ${GREEK_COUNT}`, String(tailCount), place)
    frame.openGroup('greeks', ENTRY_BYTES.greeks)
    const { view, at, entryBytes, entryCount } = frame
    if (entryCount > 1) throw frame.fault('greeks.numInGroup', '0 or 1', String(entryCount), at - 4)
    for (let i = 0; i < tailCount; i++) {
      const value = entryCount === 0 ? NaN : view.getFloat64(at + i * 8, true)
      if (Math.abs(value) === Infinity) throw frame.fault('greeks', 'finite or NaN', String(value), at + i * 8)
      filler.addValue(value, Number.isNaN(value) ? VALUE_SCALES.NULL : VALUE_SCALES.DOUBLE)
    }
    frame.at = at + entryCount * entryBytes
  }

  #readFunding(events: ArrivingEvents): void {
    const frame = this.#frame
    const { start, view } = frame
    this.#addDecimal(events, EVENT_FIELDS.rate, 'rate')
    const next = this.#optionalTime(start + EVENT_FIELDS.nextFundingTime, 'nextFundingTime')
    events.filler.addValue(next, Number.isNaN(next) ? VALUE_SCALES.NULL : 0)
    if (this.#flag(start + EVENT_FIELDS.predictedRateGiven, 'predictedRateGiven') === 0) return
    const place = start + EVENT_FIELDS.predictedRate
    const isNull = view.getInt32(place + 4, true) === NULL_MANTISSA && view.getUint32(place, true) === 0
    if (isNull) events.filler.addValue(NaN, VALUE_SCALES.NULL)
    else this.#addDecimal(events, EVENT_FIELDS.predictedRate, 'predictedRate')
  }

  /** A null is a text, which stands behind; one that is a number all the same is held as a number. */
  #readId({ filler }: ArrivingEvents, offset: number, field: string, column: IdColumn): void {
    const frame = this.#frame
    const place = frame.start + offset
    const high = frame.view.getUint32(place + 4, true)
    const low = frame.view.getUint32(place, true)
    const isNull = high === NULL_HALF && low === NULL_HALF
    frame.passShortText(`${field}Text`)
    if (!isNull) return filler.setId(column, ID_FORMS.NUMBER, high, low)
    const halves = this.#halves
    if (numberFromDigits(frame.bytes, frame.textStart, frame.at, halves))
      filler.setId(column, ID_FORMS.NUMBER, halves[0] ?? 0, halves[1] ?? 0)
    else filler.setTextId(column, frame.text(`${field}Text`))
  }

  #instrumentId(): number {
    const frame = this.#frame
    const place = frame.start + MESSAGE_FIELDS.instrumentId
    const id = frame.unsigned(place)
    if (Number.isSafeInteger(id)) return id
    throw frame.fault('instrumentId', 'at most 2^53 - 1', String(frame.view.getBigUint64(place, true)), place)
  }

  #textOf(field: string, isLong: boolean): string {
    if (isLong) this.#frame.passLongText(field)
    else this.#frame.passShortText(field)
    return this.#frame.text(field)
  }

  #readState(): FeedState {
    const frame = this.#frame
    frame.passBlock()
    const instrumentId = this.#instrumentId()
    this.#instrumentIdRead = instrumentId
    this.#flag(frame.start + MESSAGE_FIELDS.textGiven, 'textGiven')
    const at = frame.at + 2
    const state = this.#textOf('state', false)
    const text = this.#textOf('text', true)
    frame.close()
    if (state !== 'READY' && state !== 'ERROR')
      throw frame.fault('state', 'READY or ERROR', JSON.stringify(state.slice(0, 40)), at)
    const time = frame.view.getBigUint64(frame.start + MESSAGE_FIELDS.adapterTime, true)
    return { instrumentId, time, state, text }
  }

  #readLoginResponse(): FeedLoginResponse {
    const frame = this.#frame
    frame.passBlock()
    const serverTime = frame.view.getBigUint64(frame.start + MESSAGE_FIELDS.serverTime, true)
    const processId = this.#textOf('processId', false)
    const protocolVersion = this.#textOf('protocolVersion', false)
    const at = frame.at + 4
    const named = parsed(this.#textOf('capabilities', true))
    if (!isJsonObject(named)) throw frame.fault('capabilities', 'a JSON object', 'something else', at)
    frame.close()
    return { processId, protocolVersion, serverTime, capabilities: capabilitiesFrom(named) }
  }
}

/** Null for what is no JSON. */
function parsed(json: string): unknown {
  try {
    return parseNestedJson(json)
  } catch {
    return null
  }
}
