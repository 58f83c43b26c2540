import { OrderBook } from '../../book/order-book.js'
import { createBatch } from '../../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch, ID_FORMS, type IdColumn } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { SIDE_CODES, type Side } from '../../model/side.js'
import { textFromScaled } from '../../model/decimal.js'
import { gatherWideNumbers, wideOrNull } from '../../model/wide-numbers.js'
import { idKey } from './seam-keys.js'

const SIDES = ['BID', 'ASK'] as const

interface LastEvent {
  readonly key: string | null
  readonly form: number
  readonly high: number
  readonly low: number
  readonly text: string
  readonly exchangeTimeNs: number
}

function idOf(ids: IdColumn, index: number): Omit<LastEvent, 'key' | 'exchangeTimeNs'> {
  const form = ids.form[index] as number
  const low = ids.low[index] as number
  return { form, high: ids.high[index] as number, low, text: form === ID_FORMS.TEXT ? (ids.texts[low] as string) : '' }
}

function isBookKind(kind: number | undefined): boolean {
  return kind === EVENT_KINDS.snapshot || kind === EVENT_KINDS.update
}

/** The fields that a snapshot takes from the batches around it. */
export type SnapshotFrame = Pick<EventBatch, 'instrument' | 'epochDay' | 'firstEventIndex'>

/** The depth book of a file as it is read, with the last event of its chain and whether a snapshot has begun it. */
export class SeamBook {
  readonly book: OrderBook = new OrderBook()
  hasSnapshot = false
  last: LastEvent | null = null
  /** Since when it has been crossed with itself without a break, as far as {@link warm} knows; NaN where it is not. */
  crossedSinceNs: number = NaN
  #clockNs = -Infinity

  /** Applies the events `from` (inclusive) to `to` (exclusive). */
  apply(batch: EventBatch, from: number, to: number): void {
    this.book.applyRange(batch, from, to)
    this.#note(batch, from, to)
  }

  /** The same of events that no part of the stream delivers: {@link crossedSinceNs} follows them. */
  warm(batch: EventBatch, from: number, to: number): void {
    const { book } = this
    for (let i = from; i < to; i++) {
      this.#clockNs = Math.max(this.#clockNs, batch.adapterTimeNs[i] as number)
      book.applyRange(batch, i, i + 1)
      if (book.suspect || !(book.bestBidPrice > book.bestAskPrice)) this.crossedSinceNs = NaN
      else if (Number.isNaN(this.crossedSinceNs)) this.crossedSinceNs = this.#clockNs
    }
    this.#note(batch, from, to)
  }

  #note(batch: EventBatch, from: number, to: number): void {
    for (let i = to - 1; i >= from; i--) {
      if (!isBookKind(batch.kind[i])) continue
      this.last = {
        ...idOf(batch.eventId, i), key: idKey(batch.eventId, i), exchangeTimeNs: batch.exchangeTimeNs[i] as number,
      }
      break
    }
    if (this.hasSnapshot) return
    for (let i = from; i < to; i++) if (batch.kind[i] === EVENT_KINDS.snapshot) this.hasSnapshot = true
  }

  /** The last id of the chain, as {@link idKey} has it. */
  get chainKey(): string | null {
    return this.last?.key ?? null
  }

  /** The book as one snapshot event in a batch of its own: the chain goes on from it. */
  snapshot(like: SnapshotFrame, timeNs: number): EventBatch {
    const { book, last } = this
    const rowCount = book.bidLevelCount + book.askLevelCount
    const none = { tradeRowCount: 0, tradeIdBytes: 0, valueCount: 0, textCount: 0, textBytes: 0 }
    const made = createBatch({
      instrument: like.instrument, epochDay: like.epochDay, capacity: { eventCount: 1, rowCount, ...none },
    })
    const bids = book.copyLevels('BID', book.bidLevelCount, made.price, made.quantity)
    book.copyLevels('ASK', book.askLevelCount, made.price.subarray(bids), made.quantity.subarray(bids))
    made.side.fill(SIDE_CODES.ASK, bids)
    const wide = gatherWideNumbers()
    for (let row = 0; row < rowCount; row++) {
      const digits = book.wideQuantity(row < bids ? 'BID' : 'ASK', made.price[row] as number)
      if (digits !== undefined) wide.quantity.set(row, digits)
    }
    made.wide = wideOrNull(wide)
    made.kind[0] = EVENT_KINDS.snapshot
    made.flags[0] = EVENT_FLAGS.SEAM | (book.suspect ? EVENT_FLAGS.CHAIN_GAP : 0)
    made.adapterTimeNs[0] = timeNs
    made.exchangeTimeNs[0] = last?.exchangeTimeNs ?? NaN
    made.previousEventId.form[0] = ID_FORMS.NUMBER
    made.eventId.form[0] = last?.form ?? ID_FORMS.NUMBER
    made.eventId.high[0] = last?.high ?? 0
    made.rowStart[1] = rowCount
    const texts = last?.form === ID_FORMS.TEXT ? [last.text] : []
    made.eventId.low[0] = texts.length > 0 ? 0 : (last?.low ?? 0)
    made.eventId = { ...made.eventId, texts }
    made.previousEventId = { ...made.previousEventId, texts }
    made.count = 1
    made.priceScale = book.priceScale
    made.quantityScale = book.quantityScale
    made.firstEventIndex = like.firstEventIndex
    return made
  }
}

function levelsOf(book: OrderBook, side: Side): Map<string, string> {
  const count = side === 'BID' ? book.bidLevelCount : book.askLevelCount
  const prices = new Float64Array(count)
  const quantities = new Float64Array(count)
  book.copyLevels(side, count, prices, quantities)
  const levels = new Map<string, string>()
  for (let i = 0; i < count; i++) {
    const price = prices[i] as number
    const quantity = book.wideQuantity(side, price) ?? textFromScaled(quantities[i] as number, book.quantityScale)
    levels.set(textFromScaled(price, book.priceScale), quantity)
  }
  return levels
}

/** The number of prices that have another quantity in one book than in the other, whatever their scales. */
export function differingLevelCount(a: OrderBook, b: OrderBook): number {
  let count = 0
  for (const side of SIDES) {
    const others = levelsOf(b, side)
    for (const [price, quantity] of levelsOf(a, side)) {
      if (others.get(price) !== quantity) count++
      others.delete(price)
    }
    count += others.size
  }
  return count
}
