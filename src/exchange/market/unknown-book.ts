import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { endsUnbroken, isMissingDay, isVoid, losesBook, NO_BOOK, silentPeriod } from './market-silence.js'
import type { MarketRules } from './touch-book.js'
import {
  endUnknownBook, type UnknownBookPeriod, type UnknownBookSpan, type UnknownBookTime,
} from './unknown-book-time.js'

const { snapshot: SNAPSHOT, update: UPDATE, state: STATE, topOfBook: TOP } = EVENT_KINDS

/**
 * The trust in the book of one instrument at the exchange: known or not, since when, and how long in all (exchange
 * rules 6).
 */
export class UnknownBook {
  /** Set while the book cannot be trusted. */
  bookUnknown: UnknownBookPeriod | null
  readonly bookUnknownTime: UnknownBookTime = { periods: 0, bookUnknownNs: 0 }
  /** The first of the times that it counts. */
  readonly spans: UnknownBookSpan[] = []
  /** Exchange-side time of the last depth line that was good. */
  lastGoodNs: number = -Infinity
  /** Where the run begins: a book that is unknown before it costs nobody anything. */
  runFromNs: number = -Infinity

  constructor(protected readonly rules: MarketRules) {
    this.bookUnknown = rules.gaps === 'ignored' ? null : NO_BOOK
  }

  /** Counts from here on alone. */
  protected countFrom(fromNs: number): void {
    this.runFromNs = fromNs
    Object.assign(this.bookUnknownTime, { periods: 0, bookUnknownNs: 0 })
    this.spans.length = 0
  }

  /** The period that a line of silence begins; null where the book is unknown already, as that is no news of it. */
  protected fallSilent(batch: EventBatch, index: number, timeNs: number): UnknownBookPeriod | null {
    const { bookUnknown } = this
    if (isVoid(batch, index)) return null
    if (bookUnknown === null || bookUnknown.reason === 'start')
      return (this.bookUnknown = silentPeriod(batch, index, bookUnknown, timeNs))
    this.bookUnknown = { ...bookUnknown, silentNs: timeNs }
    return null
  }

  /** A line of a kind has come: of the book, it says that data which went silent after the book was lost go on. */
  protected lineCame(kind: number): void {
    if (this.bookUnknown?.silentNs === undefined || (kind > UPDATE && kind !== TOP)) return
    const { silentNs: _none, ...bookUnknown } = this.bookUnknown
    this.bookUnknown = bookUnknown
  }

  /** Ends a silence before a line that leaves the chain whole (exchange rules 6.4); true where it does. */
  protected endsSilence(batch: EventBatch, index: number, isSuspect: boolean, timeNs: number): boolean {
    const { bookUnknown, rules } = this
    if (
      bookUnknown?.reason !== 'silence' ||
      !endsUnbroken(batch, index, bookUnknown, isSuspect, rules.gaps === 'ignored')
    )
      return false
    endUnknownBook(this, timeNs)
    this.bookUnknown = bookUnknown.isBeforeBook === true ? NO_BOOK : null
    return true
  }

  /** A line of depth or a state has been applied; returns the period that it begins, null for none. */
  protected judge(batch: EventBatch, index: number, isSuspect: boolean, timeNs: number): UnknownBookPeriod | null {
    const kind = batch.kind[index] as number
    let begun: UnknownBookPeriod | null = null
    if (kind === SNAPSHOT && !isSuspect) {
      endUnknownBook(this, timeNs)
      this.bookUnknown = null
    } else if (isSuspect && this.rules.gaps !== 'ignored' && losesBook(batch, index, this.bookUnknown))
      begun = { sinceNs: this.lastGoodNs, detectedNs: timeNs, reason: kind === STATE ? 'error' : 'gap' }
    this.bookUnknown = begun ?? this.bookUnknown
    if (this.bookUnknown === null && kind <= UPDATE) this.lastGoodNs = timeNs
    if (this.bookUnknown !== null && kind === STATE && isMissingDay(batch, index))
      this.bookUnknown = { ...this.bookUnknown, silentNs: timeNs }
    return begun
  }
}
