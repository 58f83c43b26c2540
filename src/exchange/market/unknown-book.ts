import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { endsUnbroken, isMissingDay, isVoid, losesBook, NO_BOOK, silentPeriod } from './market-silence.js'
import type { MarketRules } from './touch-book.js'
import {
  crossedUntil, endUnknownBook, type CrossedTime, type UnknownBookPeriod, type UnknownBookSpan, type UnknownBookTime,
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
  /** The same of gaps of a crossed book, which are not in it. */
  readonly crossedGapTime: UnknownBookTime = { periods: 0, bookUnknownNs: 0 }
  /** Since when the depth book is crossed with itself, gap or not (exchange rules 6.5); NaN where it is not. */
  crossedSinceNs: number = NaN
  readonly crossedTime: CrossedTime = { count: 0, ns: 0 }
  /** The first of the times that it counts. */
  readonly spans: UnknownBookSpan[] = []
  /** Exchange-side time of the last depth line that was good. */
  lastGoodNs: number = -Infinity
  /** Where the run begins behind its data: a book that is unknown before it has no effect. */
  runFromNs: number = -Infinity
  /** Where the run begins: a book that was crossed before it is from here on. */
  crossedFromNs: number = -Infinity

  constructor(protected readonly rules: MarketRules) {
    this.bookUnknown = rules.gaps === 'ignored' ? null : NO_BOOK
  }

  /** True where the depth book is crossed with itself. */
  get isCrossed(): boolean {
    return !Number.isNaN(this.crossedSinceNs)
  }

  /** Counts from here on alone. */
  protected countFrom(fromNs: number): void {
    this.runFromNs = fromNs
    for (const time of [this.bookUnknownTime, this.crossedGapTime])
      Object.assign(time, { periods: 0, bookUnknownNs: 0 })
    Object.assign(this.crossedTime, { count: 0, ns: 0 })
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

  /** The period that the state of a crossed book begins; null where the book is unknown already. */
  protected fallCrossed(batch: EventBatch, index: number, timeNs: number): UnknownBookPeriod | null {
    const { bookUnknown } = this
    if (isVoid(batch, index)) return null
    if (bookUnknown === null)
      return (this.bookUnknown = { sinceNs: timeNs, detectedNs: timeNs, reason: 'crossed', isCrossed: true })
    this.bookUnknown = { ...bookUnknown, isCrossed: true }
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
    if (bookUnknown.isCrossed === true) {
      this.bookUnknown = { ...bookUnknown, reason: 'crossed' }
      return false
    }
    endUnknownBook(this, timeNs)
    this.bookUnknown = bookUnknown.isBeforeBook === true ? NO_BOOK : null
    return true
  }

  /** A line of depth or a state has been applied; returns the period that it begins, null for none. */
  protected judge(batch: EventBatch, index: number, isSuspect: boolean, timeNs: number): UnknownBookPeriod | null {
    const kind = batch.kind[index] as number
    let begun: UnknownBookPeriod | null = null
    const wasCrossed = this.bookUnknown?.reason === 'crossed'
    if (kind <= UPDATE) this.#noteCrossing(((batch.flags[index] as number) & EVENT_FLAGS.CROSSED) !== 0, timeNs)
    const isCrossed = this.bookUnknown?.isCrossed === true
    const isTrusted = !isSuspect || (wasCrossed && this.rules.gaps === 'ignored')
    if ((kind === SNAPSHOT || (kind === UPDATE && wasCrossed)) && isTrusted && !isCrossed) {
      endUnknownBook(this, timeNs)
      this.bookUnknown = null
    } else if (kind === SNAPSHOT && isTrusted && this.bookUnknown !== null) {
      // Whatever it was before, from here on it is crossed.
      this.bookUnknown = { ...this.bookUnknown, reason: 'crossed' }
    } else if (isSuspect && this.rules.gaps !== 'ignored' && losesBook(batch, index, this.bookUnknown))
      begun = { sinceNs: this.lastGoodNs, detectedNs: timeNs, reason: kind === STATE ? 'error' : 'gap' }
    this.bookUnknown = begun ?? this.bookUnknown
    if (this.bookUnknown === null && kind <= UPDATE) this.lastGoodNs = timeNs
    if (this.bookUnknown !== null && kind === STATE && isMissingDay(batch, index))
      this.bookUnknown = { ...this.bookUnknown, silentNs: timeNs }
    return begun
  }

  /** A line of depth leaves the book crossed, or not. */
  #noteCrossing(isCrossed: boolean, timeNs: number): void {
    if (isCrossed) {
      if (!this.isCrossed) this.crossedSinceNs = timeNs
      return
    }
    if (this.isCrossed) Object.assign(this.crossedTime, crossedUntil(this, timeNs))
    this.crossedSinceNs = NaN
    if (this.bookUnknown?.isCrossed !== true) return
    const { isCrossed: _none, ...bookUnknown } = this.bookUnknown
    this.bookUnknown = bookUnknown
  }
}
