import { createBatch, type BatchCapacity, type WritableBatch } from '../../model/event-batch-columns.js'
import type { EventBatch } from '../../model/event-batch.js'
import { BacktapeError } from '../../model/error.js'
import type { Instrument } from '../../model/instrument.js'
import { BatchFiller } from './batch-filler.js'
import { ChainMarks } from './chain-marks.js'
import { LineFault } from './line-cursor.js'
import { errorFromFault } from './line-damage.js'
import { LineDecoder } from './line-decoder.js'
import { LineEncoder } from './line-encoder.js'
import { LINE_OUTCOMES } from './line-outcomes.js'
import type { TickLineBytes } from './tick-line-bytes.js'

const NEWLINE = 10
const FIRST_EVENTS = 256
const EVENTS_MAX = 8192

/** An instrument whose lines arrive, with the scales from which its columns begin. */
export interface ArrivingInstrument {
  readonly instrument: Instrument
  readonly priceScale: number
  readonly quantityScale: number
}

/** Lines of tick files as messages: the line without its newline, one event each. */
export class LineMessageEncoder {
  readonly #lines = new LineEncoder()

  /** The bytes so far; whoever takes them sets `count` back. */
  get sink(): TickLineBytes {
    return this.#lines.sink
  }

  /** Appends event `index` of a batch. */
  encode(batch: EventBatch, index: number): void {
    this.#lines.encodeMessage(batch, index)
  }
}

/**
 * Batches of one instrument whose events arrive one by one. A batch that is full or too narrow is left to whoever keeps
 * it; then another object begins. Gaps of the chains are marked as each event is kept; scales only grow.
 */
export class ArrivingEvents {
  readonly filler: BatchFiller
  readonly #marks = new ChainMarks()
  #batch: WritableBatch
  #capacity: BatchCapacity = capacityOf(FIRST_EVENTS)
  #priceScale: number
  #quantityScale: number
  #countBefore = 0

  constructor(private readonly from: ArrivingInstrument, readonly epochDay: number) {
    this.#priceScale = from.priceScale
    this.#quantityScale = from.quantityScale
    this.#batch = this.#created()
    this.filler = new BatchFiller(this.#batch, this.#capacity)
    this.#marks.begin(this.#batch)
  }

  /** The batch that is being filled. */
  get batch(): EventBatch {
    return this.#batch
  }

  get priceScale(): number {
    return this.#priceScale
  }

  get quantityScale(): number {
    return this.#quantityScale
  }

  /** Another batch, with room for the event under way, whose writing begins anew. */
  makeRoom(): void {
    // An event larger than an empty batch has one of its own size; the next one is ordinary again.
    if (this.#batch.count === 0) return this.#renew({ ...this.filler.needed(), eventCount: 1, textCount: 2 })
    this.#capacity = capacityOf(Math.min(this.#capacity.eventCount * 2, EVENTS_MAX))
    this.#renew(this.#capacity)
  }

  /** Another batch with finer digits. */
  widen(priceScale: number, quantityScale: number): void {
    this.#priceScale = Math.max(priceScale, this.#priceScale)
    this.#quantityScale = Math.max(quantityScale, this.#quantityScale)
    this.#renew(this.#capacity)
  }

  /** Marks the event that the filler has kept; its index in {@link batch}. */
  kept(): number {
    const index = this.filler.count - 1
    this.#batch.count = index + 1
    this.#batch.wide = this.filler.wide
    this.#marks.markEvents(this.#batch, index, index + 1)
    return index
  }

  #renew(capacity: BatchCapacity): void {
    this.#marks.end(this.#batch)
    this.#countBefore += this.#batch.count
    this.#batch = this.#created(capacity)
    this.filler.start(this.#batch, capacity)
    this.#marks.begin(this.#batch)
  }

  #created(capacity: BatchCapacity = this.#capacity): WritableBatch {
    const batch = createBatch({ instrument: this.from.instrument, epochDay: this.epochDay, capacity })
    batch.priceScale = this.#priceScale
    batch.quantityScale = this.#quantityScale
    batch.firstEventIndex = this.#countBefore
    return batch
  }
}

/** State lines are no events of these batches. */
function capacityOf(eventCount: number): BatchCapacity {
  return {
    eventCount, rowCount: eventCount * 8, tradeRowCount: eventCount * 2, tradeIdBytes: eventCount * 40,
    valueCount: eventCount * 2, textCount: 2, textBytes: 1024,
  }
}

/** Decodes messages that are lines of one instrument, exact, into {@link ArrivingEvents}. */
export class LineMessageDecoder {
  readonly events: ArrivingEvents
  readonly #lines: LineDecoder

  constructor(from: ArrivingInstrument, epochDay: number) {
    this.events = new ArrivingEvents(from, epochDay)
    this.#lines = new LineDecoder(this.events.filler, from.instrument.id, epochDay, {
      price: from.priceScale, quantity: from.quantityScale,
    })
  }

  /**
   * Decodes `bytes[from .. end)`, of which the last byte is a newline behind the message. The index of the event in the
   * batch of {@link events}; -1 for an unknown msgType. Throws LINE_MALFORMED and others of its kind; `number` is that
   * of the message on its connection.
   */
  decode(bytes: Uint8Array, from: number, end: number, number: number): number {
    const { events } = this
    const lines = this.#lines
    for (;;) {
      const outcome = this.#outcomeOf(bytes, from, end, number)
      if (outcome === LINE_OUTCOMES.EVENT) return events.kept()
      if (outcome === LINE_OUTCOMES.UNKNOWN) return -1
      if (outcome === LINE_OUTCOMES.FULL) events.makeRoom()
      else {
        const { price, quantity } = lines.widerScales
        events.widen(price, quantity)
        lines.priceScale = price
        lines.quantityScale = quantity
      }
    }
  }

  #outcomeOf(bytes: Uint8Array, from: number, end: number, number: number): number {
    const { cursor } = this.#lines
    try {
      const outcome = this.#lines.decode(bytes, from, end)
      const isWhole = outcome === LINE_OUTCOMES.FULL || outcome === LINE_OUTCOMES.WIDER || cursor.at === end
      if (outcome !== LINE_OUTCOMES.BLANK && isWhole) return outcome
      throw new LineFault('message', 'one line', Math.min(cursor.at, end - 1))
    } catch (fault) {
      if (!(fault instanceof LineFault)) throw fault
      const { code, place } = errorFromFault(fault, cursor, { file: 'feed', line: number, base: 0 })
      const { file: _file, line: _line, ...rest } = place
      throw new BacktapeError(
        code, `Cannot decode message ${String(number)} of the feed: ${fault.message}, found ${String(place.found)}`,
        rest,
      )
    }
  }
}

/** Room for a message and the newline behind it, used again for each. */
export class MessageBytes {
  bytes: Uint8Array = new Uint8Array(4096)

  /** Copies a message; the end of what {@link LineMessageDecoder.decode} takes. */
  put(message: Uint8Array): number {
    const { length } = message
    if (length >= this.bytes.length) this.bytes = new Uint8Array(Math.max(length + 1, this.bytes.length * 2))
    this.bytes.set(message)
    this.bytes[length] = NEWLINE
    return length + 1
  }
}
