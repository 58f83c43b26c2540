import { SCALE_LIMIT, textFromScaled } from '../../model/decimal.js'
import { EVENT_FLAGS, ID_FORMS, VALUE_SCALES, type IdColumn } from '../../model/event-batch.js'
import { EVENT_KINDS, eventKindFromCode } from '../../model/event-kind.js'
import { wideDouble } from '../../model/wide-numbers.js'
import { BatchFiller } from './batch-filler.js'
import { LineCursor, LineFault } from './line-cursor.js'
import { LINE_OUTCOMES, type LineOutcome } from './line-outcomes.js'
import { TICK_LINE } from './tick-line.js'

const NEWLINE = 10
const OPEN_BRACE = 123
const FAR_EXPECTED = 'epoch nanoseconds within 104 days of the day of the file'
const POWERS: readonly number[] = Array.from({ length: SCALE_LIMIT + 1 }, (_, i) => Number(`1e${String(i)}`))

/**
 * Decodes tick lines into a batch, every field exact: the complete decoder, and the twin of the WASM one. Throws a
 * {@link LineFault} for a line that is not an event of the layout, and leaves the batch as before.
 */
export class LineDecoder {
  readonly cursor: LineCursor = new LineCursor()
  readonly #instrumentId: number
  priceScale: number
  quantityScale: number
  widerScales: { readonly price: number; readonly quantity: number }
  unknownType = 0
  /** True: an adapter time of another year is no fault but infinite, with its fault in {@link farLine}. */
  keepsFarLines = false
  farLine: LineFault | null = null
  /** Times of the venue in the last line that are of another year, and stand as missing. */
  farTimeCount = 0
  #neededPrice = 0
  #neededQuantity = 0
  #day = 0

  constructor(
    readonly filler: BatchFiller,
    instrumentId: number,
    /** Base of times; null until the first event has said it. */
    public epochDay: number | null,
    scales: { readonly price: number; readonly quantity: number },
  ) {
    this.#instrumentId = instrumentId
    this.priceScale = scales.price
    this.quantityScale = scales.quantity
    this.widerScales = scales
  }

  /** Decodes the line at `at`; it must end with a newline before `end`. Then `cursor.at` is behind the newline. */
  decode(bytes: Uint8Array, at: number, end: number): LineOutcome {
    const { filler } = this
    try {
      const outcome = this.#decodeWith(bytes, at, end, this.priceScale, this.quantityScale)
      if (outcome !== LINE_OUTCOMES.WIDER) return outcome
      return this.#tryWider(bytes, at, end)
    } catch (fault) {
      filler.rewind()
      throw fault
    }
  }

  /** Decodes at the wider scales for its faults alone: a damaged line must not widen anything. */
  #tryWider(bytes: Uint8Array, at: number, end: number): LineOutcome {
    const { priceScale, quantityScale } = this
    const wider = {
      price: Math.max(priceScale, this.#neededPrice), quantity: Math.max(quantityScale, this.#neededQuantity),
    }
    this.priceScale = wider.price
    this.quantityScale = wider.quantity
    const before = this.filler.count
    try {
      this.#decodeWith(bytes, at, end, wider.price, wider.quantity)
    } finally {
      this.priceScale = priceScale
      this.quantityScale = quantityScale
      this.filler.count = before
      this.filler.rewind()
    }
    this.widerScales = wider
    return LINE_OUTCOMES.WIDER
  }

  #decodeWith(bytes: Uint8Array, at: number, end: number, priceScale: number, quantityScale: number): LineOutcome {
    const { cursor, filler } = this
    cursor.open(bytes, at, end)
    this.#neededPrice = priceScale
    this.#neededQuantity = quantityScale
    this.farLine = null
    this.farTimeCount = 0
    const first = cursor.peek()
    if (first === NEWLINE) {
      cursor.at++
      return LINE_OUTCOMES.BLANK
    }
    if (first === OPEN_BRACE) throw new LineFault('line', 'an event, not a second line of master data', cursor.at)
    cursor.takeOpen('line', 'an event: [msgType, ...]')
    const kind = cursor.readInteger('msgType')
    if (eventKindFromCode(kind) === undefined) return this.#skipUnknown(kind)
    if (kind === EVENT_KINDS.state) this.#decodeState()
    else this.#decodeEvent(kind)
    this.#endLine()
    if (this.#neededPrice > priceScale || this.#neededQuantity > quantityScale) {
      filler.rewind()
      return LINE_OUTCOMES.WIDER
    }
    if (!filler.fits) return LINE_OUTCOMES.FULL
    filler.batch.kind[filler.count] = kind
    filler.keep()
    this.epochDay = this.#day
    return LINE_OUTCOMES.EVENT
  }

  #skipUnknown(kind: number): LineOutcome {
    this.#skipTail()
    this.#endLine()
    this.unknownType = kind
    return LINE_OUTCOMES.UNKNOWN
  }

  #endLine(): void {
    this.cursor.take(NEWLINE, 'line', 'ended behind its last "]"')
  }

  #skipTail(): void {
    const { cursor } = this
    while (cursor.takeNext('tail')) cursor.skipValue('tail')
  }

  #readInstrument(): void {
    const { cursor } = this
    cursor.takeComma('msgType')
    cursor.peek()
    const at = cursor.at
    if (cursor.readInteger('instrumentId') !== this.#instrumentId) {
      throw new LineFault('instrumentId', `${String(this.#instrumentId)} as in the master data`, at, 'WRONG_INSTRUMENT')
    }
    cursor.takeComma('instrumentId')
  }

  #readAdapterTime(): void {
    const { cursor, filler } = this
    this.#day = this.epochDay ?? cursor.peekDay('adapterTs')
    cursor.peek()
    const at = cursor.at
    const time = cursor.readTime('adapterTs', this.#day)
    if (Number.isNaN(time)) throw new LineFault('adapterTs', 'epoch nanoseconds', at)
    if (!Number.isFinite(time)) this.#noteFarLine(at)
    filler.batch.adapterTimeNs[filler.count] = time
  }

  #noteFarLine(at: number): void {
    this.farLine = new LineFault('adapterTs', FAR_EXPECTED, at, 'VALUE_INEXACT')
    if (!this.keepsFarLines) throw this.farLine
  }

  /** A time of the venue; NaN where the line has none, or one of another year. */
  #readVenueTime(field: string): number {
    const time = this.cursor.readTime(field, this.#day)
    if (Number.isFinite(time)) return time
    if (!Number.isNaN(time)) this.farTimeCount++
    return NaN
  }

  #decodeState(): void {
    const { cursor, filler } = this
    const { batch, count } = filler
    this.#readInstrument()
    this.#readAdapterTime()
    cursor.takeComma('adapterTs')
    cursor.readString('state')
    filler.addText(cursor.stringText('state'))
    cursor.takeComma('state')
    if (cursor.takeNull()) filler.addText(null)
    else {
      cursor.readString('text', 'a text in quotes or null')
      const text = cursor.stringBytes('text')
      filler.addTextBytes(text, 0, text.length)
    }
    this.#skipTail()
    filler.setId(batch.previousEventId, ID_FORMS.NONE, 0, 0)
    filler.setId(batch.eventId, ID_FORMS.NONE, 0, 0)
    batch.exchangeTimeNs[count] = NaN
    batch.flags[count] = 0
  }

  #decodeEvent(kind: number): void {
    const { cursor, filler } = this
    const { batch, count } = filler
    this.#readInstrument()
    this.#readId('prevEventId', batch.previousEventId)
    cursor.takeComma('prevEventId')
    this.#readId('eventId', batch.eventId)
    cursor.takeComma('eventId')
    this.#readAdapterTime()
    cursor.takeComma('adapterTs')
    batch.exchangeTimeNs[count] = this.#readVenueTime('exchangeTs')
    cursor.takeComma('exchangeTs')
    batch.flags[count] = 0
    if (kind <= EVENT_KINDS.update || kind === EVENT_KINDS.topOfBook) this.#readBookRows(kind)
    else if (kind === EVENT_KINDS.trades) this.#readTradeRows()
    else if (kind === EVENT_KINDS.liquidations) this.#readLiquidationRows()
    else if (kind === EVENT_KINDS.funding) this.#readFunding()
    else this.#addDecimal('data')
    if (kind === EVENT_KINDS.snapshot) this.#readForceReset()
    else if (kind === EVENT_KINDS.mark) this.#readGreeks()
    else this.#skipTail()
  }

  #readId(field: string, column: IdColumn): void {
    const { cursor, filler } = this
    cursor.readString(field)
    const { bytes, from, to } = cursor
    const length = to - from
    let high = 0
    let low = 0
    let isNumber = length > 0 && length <= 20 && (length === 1 || bytes[from] !== 48)
    for (let i = from; isNumber && i < to; i++) {
      const digit = (bytes[i] ?? 0) - 48
      if (digit < 0 || digit > 9) isNumber = false
      // Below 2^53 in both steps: the halves are below 2^32 and the carry is below 10.
      const lower = low * 10 + digit
      const carry = Math.floor(lower / 0x1_0000_0000)
      low = lower - carry * 0x1_0000_0000
      high = high * 10 + carry
    }
    if (isNumber && high < 0x1_0000_0000) filler.setId(column, ID_FORMS.NUMBER, high, low)
    else filler.setTextId(column, cursor.stringText(field))
  }

  #readSide(): number {
    const { cursor } = this
    cursor.takeOpen('data', 'rows in brackets')
    cursor.peek()
    const at = cursor.at
    const side = cursor.readInteger('side')
    if (side > 1) throw new LineFault('side', '0 or 1', at)
    cursor.takeComma('side')
    return side
  }

  /** A decimal as integer of the scale; `needed` grows where it has finer digits. */
  #readScaled(field: 'price' | 'qty', scale: number): number {
    const { cursor } = this
    cursor.readDecimal(field, 'a decimal')
    if (cursor.wide !== null) return this.#keepWide(field, cursor.wide, scale)
    if (cursor.scale > scale) {
      cursor.shorten()
      if (cursor.scale > scale) {
        if (field === 'price') this.#neededPrice = Math.max(this.#neededPrice, cursor.scale)
        else this.#neededQuantity = Math.max(this.#neededQuantity, cursor.scale)
        return 0
      }
    }
    const value = cursor.integer * (POWERS[scale - cursor.scale] ?? NaN)
    if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER)
      return this.#keepWide(field, textFromScaled(cursor.integer, cursor.scale), scale)
    return value
  }

  /** Keeps the digits of a number that no integer of the scale holds, and returns the double for its column. */
  #keepWide(field: 'price' | 'qty', text: string, scale: number): number {
    this.filler.addWide(field === 'price' ? 'price' : 'quantity', text)
    return wideDouble(text, scale)
  }

  #readQuantity(): number {
    const { cursor } = this
    cursor.takeComma('price')
    cursor.peek()
    const at = cursor.at
    const quantity = this.#readScaled('qty', this.quantityScale)
    if (cursor.integer < 0) throw new LineFault('qty', 'a decimal not below 0', at)
    return quantity
  }

  /** Opens the rows; false where there are none. */
  #openRows(): boolean {
    const { cursor } = this
    cursor.takeOpen('data', 'rows in brackets')
    if (cursor.peek() !== 93) return true
    cursor.at++
    return false
  }

  #readBookRows(kind: number): void {
    const { cursor, filler } = this
    if (!this.#openRows()) return
    const first = filler.rowCount
    do {
      cursor.peek()
      const at = cursor.at
      const side = this.#readSide()
      const price = this.#readScaled('price', this.priceScale)
      filler.addRow(side, price, this.#readQuantity())
      cursor.takeComma('qty')
      cursor.readInteger('orderCount')
      cursor.takeClose('data', 'rows of [side, price, qty, orderCount]')
      if (kind === EVENT_KINDS.topOfBook) this.#checkTop(first, side, at)
    } while (cursor.takeNext('data'))
  }

  #checkTop(first: number, side: number, at: number): void {
    const { rowCount, batch, capacity } = this.filler
    const rows = rowCount - first
    if (rows > 2 || (rows === 2 && rowCount <= capacity.rowCount && batch.side[first] === side))
      throw new LineFault('data', 'at most one row of each side', at)
  }

  #readTradeRows(): void {
    const { cursor, filler } = this
    if (!this.#openRows()) return
    do {
      const side = this.#readSide()
      const price = this.#readScaled('price', this.priceScale)
      filler.addRow(side, price, this.#readQuantity())
      cursor.takeComma('qty')
      this.#readTradeId()
      cursor.takeClose('data', 'rows of [side, price, qty, tradeId, exchangeTradeTs]')
    } while (cursor.takeNext('data'))
  }

  #readTradeId(): void {
    const { cursor, filler } = this
    let { bytes, from, to } = { bytes: cursor.bytes, from: 0, to: 0 }
    const isNull = cursor.takeNull() ? 1 : 0
    if (isNull === 0) {
      cursor.readString('tradeId', 'a text in quotes or null')
      from = cursor.from
      to = cursor.to
      if (!cursor.isPlain) {
        bytes = cursor.stringBytes('tradeId')
        from = 0
        to = bytes.length
      }
    }
    cursor.takeComma('tradeId')
    filler.addTradeId(this.#readVenueTime('exchangeTradeTs'), bytes, from, to, isNull)
  }

  #readLiquidationRows(): void {
    const { cursor, filler } = this
    if (!this.#openRows()) return
    do {
      const side = this.#readSide()
      const price = this.#readScaled('price', this.priceScale)
      filler.addRow(side, price, this.#readQuantity())
      cursor.takeComma('qty')
      filler.addTradeId(this.#readVenueTime('exchangeLiquidationTs'), cursor.bytes, 0, 0, 1)
      cursor.takeClose('data', 'rows of [side, price, qty, exchangeLiquidationTs]')
    } while (cursor.takeNext('data'))
  }

  /** A decimal with the scale of its shortest form. */
  #addDecimal(field: string): void {
    const { cursor } = this
    cursor.readDecimal(field, 'a decimal')
    if (cursor.wide !== null) {
      this.filler.addWideValue(cursor.wide)
      return
    }
    cursor.shorten()
    this.filler.addValue(cursor.integer, cursor.scale)
  }

  #readFunding(): void {
    const { cursor, filler } = this
    cursor.takeOpen('data', '[rate, nextFundingTs, predictedRate]')
    this.#addDecimal('rate')
    cursor.takeComma('rate')
    const next = this.#readVenueTime('nextFundingTs')
    filler.addValue(next, Number.isNaN(next) ? VALUE_SCALES.NULL : 0)
    if (!cursor.takeNext('data')) return
    if (cursor.takeNull()) filler.addValue(NaN, VALUE_SCALES.NULL)
    else this.#addDecimal('predictedRate')
    cursor.takeClose('data', '[rate, nextFundingTs, predictedRate]')
  }

  #readForceReset(): void {
    const { cursor, filler } = this
    if (!cursor.takeNext('data')) return
    const isForced = cursor.takeWord('true')
    if (!isForced && !cursor.takeWord('false')) throw new LineFault('forceReset', 'true or false', cursor.at)
    filler.batch.flags[filler.count] = EVENT_FLAGS.FORCE_RESET_GIVEN | (isForced ? EVENT_FLAGS.FORCE_RESET : 0)
    this.#skipTail()
  }

  #readGreeks(): void {
    const { cursor, filler } = this
    for (const field of TICK_LINE.markTail) {
      if (!cursor.takeNext(field)) return
      if (cursor.takeNull()) filler.addValue(NaN, VALUE_SCALES.NULL)
      else filler.addValue(cursor.readDouble(field), VALUE_SCALES.DOUBLE)
    }
    this.#skipTail()
  }
}
