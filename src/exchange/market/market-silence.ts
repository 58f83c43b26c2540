import { isErrorState } from '../../book/order-book.js'
import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { SILENCE_TEXT, type SilenceCounts } from '../../model/silence.js'
import type { Side } from '../../model/side.js'
import type { TouchBook } from './touch-book.js'
import type { UnknownBookPeriod } from './unknown-book-time.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'

/** The time before the first snapshot. */
export const NO_BOOK: UnknownBookPeriod = { sinceNs: -Infinity, detectedNs: -Infinity, reason: 'start' }

/** True where a line begins a silence (exchange rules 6.4). */
export function isSilence({ flags }: EventBatch, index: number): boolean {
  return ((flags[index] as number) & EVENT_FLAGS.SILENCE) !== 0
}

/** True where a line begins a gap of a crossed book (exchange rules 6.5). */
export function isCrossedGap({ flags }: EventBatch, index: number): boolean {
  return ((flags[index] as number) & EVENT_FLAGS.CROSSED_GAP) !== 0
}

/** True for a line of silence, or of a crossed book, where what ends it came to the exchange before it. */
export function isVoid({ flags }: EventBatch, index: number): boolean {
  return ((flags[index] as number) & EVENT_FLAGS.GAP_VOID) !== 0
}

/** True where a line begins a day that no file covers (exchange rules 6.1). */
export function isMissingDay({ flags }: EventBatch, index: number): boolean {
  return ((flags[index] as number) & EVENT_FLAGS.SEAM) !== 0
}

/**
 * When it was detected that no line comes any more: by a silence (exchange rules 6.4), or at the midnight of a day that
 * no file covers; Infinity where lines come.
 */
export function silentFromNs(bookUnknown: UnknownBookPeriod | null): number {
  if (bookUnknown?.reason === 'silence') return bookUnknown.detectedNs
  return bookUnknown?.silentNs ?? Infinity
}

/** The period that a line of silence begins at a time (exchange rules 6.4) where the book is known, or never was. */
export function silentPeriod(
  batch: EventBatch, index: number, bookUnknown: UnknownBookPeriod | null, timeNs: number,
): UnknownBookPeriod {
  return {
    sinceNs: SILENCE_TEXT.lineSinceNs(batch, index), detectedNs: timeNs, reason: 'silence',
    ...(bookUnknown === null ? {} : { isBeforeBook: true }),
  }
}

/**
 * True where a line ends a silence and leaves the chain whole; `trustsAll`: no gap counts. What else ends one does so
 * as it ends a gap.
 */
export function endsUnbroken(
  batch: EventBatch, index: number, bookUnknown: UnknownBookPeriod, isSuspect: boolean, trustsAll: boolean,
): boolean {
  const flags = batch.flags[index] as number
  const kind = batch.kind[index] as number
  if ((flags & EVENT_FLAGS.SILENCE_END) === 0 || kind === EVENT_KINDS.snapshot) return false
  if (trustsAll || bookUnknown.isBeforeBook === true) return true
  return (
    !isSuspect &&
    !(kind === EVENT_KINDS.update && (flags & EVENT_FLAGS.CHAIN_GAP) !== 0) &&
    !(kind === EVENT_KINDS.state && isErrorState(batch, index))
  )
}

/** True where a suspect line makes the book unknown: before the first snapshot only an ERROR does. */
export function losesBook(batch: EventBatch, index: number, bookUnknown: UnknownBookPeriod | null): boolean {
  return (
    bookUnknown === null ||
    (bookUnknown.reason === 'start' && batch.kind[index] === EVENT_KINDS.state && isErrorState(batch, index))
  )
}

/** A market as far as orders join what it displays. */
export interface ShownMarket {
  readonly shown: Pick<TouchBook, 'lastDisplayed' | 'isTopAt'>
  watch(side: Side): { showUnseen(price: number, displayed: number, isOfTop: boolean): void }
}

/**
 * Lets the orders of a side that came in a silence join what is displayed at their prices, as the book was known all
 * the time (exchange rules 6.4).
 */
export function joinShown(
  orders: Iterable<OrderAtExchange>, market: ShownMarket, ahead: (order: OrderAtExchange) => number,
): void {
  for (const order of orders) {
    if (order.joinedInSilence !== true) continue
    order.joinedInSilence = undefined
    const { side, price } = order
    const { shown } = market
    if (price !== null)
      market.watch(side).showUnseen(price, shown.lastDisplayed(side, price), shown.isTopAt(side, price))
    order.quantityAhead = ahead(order)
    if (Number.isNaN(order.entryQuantityAhead)) order.entryQuantityAhead = order.quantityAhead
    order.tradedSince = 0
  }
}

/** After how long without a counting line the data of an instrument are silent (exchange rules 6.4). */
export interface Staleness {
  readonly afterNs: number
  readonly counts: SilenceCounts
}
