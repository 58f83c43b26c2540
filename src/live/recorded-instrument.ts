import { CROSSED_TEXT } from '../model/crossing.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { SILENCE_TEXT } from '../model/silence.js'
import { NS_PER_DAY, timeFromEpochNs } from '../model/time.js'
import type { FeedState } from '../protocol/feed-messages.js'
import { madeState } from '../simulation/made-lines.js'
import type { InstrumentEntry } from '../venue/venue.js'
import { SeamBook } from '../tickfile/days/seam-book.js'

/** A day file that takes lines. */
export interface DayTaker {
  /** Days since 1970-01-01. */
  readonly epochDay: number
  take(batch: EventBatch, index: number): void
}

/** The parts of a recorded instrument. */
export interface RecordedInstrumentParts {
  readonly entry: InstrumentEntry
  /** Base of times, days since 1970-01-01. */
  readonly epochDay: number
  /** The latest time known beside its own lines: the first file is of no earlier day. */
  readonly floorNs: () => number
  /** No line is of a later day: stamps that run ahead do not begin tomorrow. */
  readonly latestDay: () => number
  /** True while more waits than may: of the disk, or of a strategy. */
  readonly isFull: () => boolean
  /** Why lines are missing then. */
  readonly fullText: string
  /** The least time of a gap: those who play lines as they come are past the last one. Absent: none. */
  readonly leastGapNs?: () => number
  /** The file of a day, which takes the place of the one before. */
  readonly nextFile: (epochDay: number) => DayTaker
}

/** Behind the whole of a day: the first line of a file is its book, in the last instant before. */
const BEFORE_DAY_NS = -1

/**
 * The lines that are written of one instrument: each as it came, and a state ERROR where something may be missing. The
 * READY of a subscription is none of the market's, and neither are silences and crossed books, which a replay finds
 * itself.
 */
export class RecordedInstrument {
  /** Lines that the disk was too slow for. */
  leftOutCount = 0
  #file: DayTaker | null = null
  #book = new SeamBook()
  /** Lines of one batch that the book has not seen. */
  #behind: { readonly batch: EventBatch; readonly from: number; to: number } | null = null
  /** The running maximum of adapter time. */
  #clockNs = -Infinity
  #isAwaited = true
  #isInGap = false
  /** True behind a marker of our own, until the next snapshot. */
  #isMarked = false
  /** When the first of the lines came that are left out now; null where none is. */
  #leftOutNs: number | null = null
  #beside: Pick<EventBatch, 'priceScale' | 'quantityScale'>

  constructor(private readonly parts: RecordedInstrumentParts) {
    this.#beside = parts.entry
  }

  line(batch: EventBatch, index: number): void {
    const { epochDay } = this.parts
    this.#beside = batch
    this.#take(batch, index, (batch.adapterTimeNs[index] as number) + (batch.epochDay - epochDay) * NS_PER_DAY)
  }

  /** A state event of the feed. */
  state({ state, text, time }: FeedState): void {
    const { epochDay } = this.parts
    if (state === 'READY' && text === '') {
      const isOwn = this.#isAwaited || this.#isInGap
      this.#isAwaited = this.#isInGap = false
      if (isOwn) return
    }
    if (!Number.isNaN(SILENCE_TEXT.sinceNs(text, epochDay)) || !Number.isNaN(CROSSED_TEXT.sinceNs(text, epochDay))) {
      this.#isInGap = true
      return
    }
    const timeNs = timeFromEpochNs(time, epochDay)
    this.#take(this.#made(state, text, timeNs), 0, timeNs)
  }

  /** Something may be missing from here to the next snapshot. */
  gap(text: string): void {
    this.resubscribed()
    if (this.#file === null || this.#isMarked) return
    this.#isMarked = true
    this.#put(this.#made('ERROR', text, Math.max(this.#clockNs, this.parts.leastGapNs?.() ?? -Infinity)), 0)
  }

  /** It is subscribed again: the next READY is the answer. */
  resubscribed(): void {
    this.#isAwaited = true
    this.#isInGap = false
  }

  #made(state: 'READY' | 'ERROR', text: string, timeNs: number): EventBatch {
    const { entry: { instrument }, epochDay } = this.parts
    const { priceScale, quantityScale } = this.#beside
    return madeState(state, text, { instrument, epochDay, priceScale, quantityScale }, timeNs, 0)
  }

  #take(batch: EventBatch, index: number, timeNs: number): void {
    if (timeNs > this.#clockNs) this.#clockNs = timeNs
    if (this.#file === null) this.#clockNs = Math.max(this.#clockNs, this.parts.floorNs())
    this.#rollOver()
    const isSnapshot = batch.kind[index] === EVENT_KINDS.snapshot
    if (this.parts.isFull()) this.#leftOutNs ??= this.#clockNs
    else if (this.#leftOutNs !== null) this.#goOn(this.#leftOutNs, isSnapshot)
    if (isSnapshot) this.#isMarked = false
    if (this.#leftOutNs !== null) {
      this.leftOutCount++
      this.#apply(batch, index)
    } else this.#put(batch, index)
  }

  #put(batch: EventBatch, index: number): void {
    this.#file?.take(batch, index)
    this.#apply(batch, index)
  }

  /** The book follows when it is needed, or a batch ends: many lines at once cost less than one by one. */
  #apply(batch: EventBatch, index: number): void {
    if (batch !== this.#behind?.batch || index !== this.#behind.to) {
      this.#catchUp()
      this.#behind = { batch, from: index, to: index }
    }
    this.#behind.to = index + 1
  }

  /** A book that cannot be held begins no file: one without it is a day whose book is not known at its begin. */
  #catchUp(): void {
    if (this.#behind === null) return
    const { batch, from, to } = this.#behind
    this.#behind = null
    try {
      this.#book.apply(batch, from, to)
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#book = new SeamBook()
    }
  }

  /** The disk takes lines again: those that it has not taken are a gap, which the book as it is now ends. */
  #goOn(leftOutNs: number, isSnapshot: boolean): void {
    this.#leftOutNs = null
    const file = this.#file
    file?.take(this.#made('ERROR', `lines are missing: ${this.parts.fullText}`, leftOutNs), 0)
    if (!isSnapshot && file !== null) this.#takeBook(file, this.#clockNs)
  }

  #rollOver(): void {
    const { parts: { epochDay, latestDay, nextFile } } = this
    const file = this.#file
    let day = epochDay + Math.floor(this.#clockNs / NS_PER_DAY)
    if (file !== null && day > file.epochDay) day = Math.min(day, latestDay())
    if (file !== null && day <= file.epochDay) return
    this.#file = nextFile(day)
    if (file !== null) this.#takeBook(this.#file, (day - epochDay) * NS_PER_DAY + BEFORE_DAY_NS)
  }

  /** A snapshot of the book where it is known; where it is not, nothing says that it were. */
  #takeBook(file: DayTaker, timeNs: number): void {
    const { entry: { instrument }, epochDay } = this.parts
    this.#catchUp()
    if (!this.#book.hasSnapshot || this.#book.book.suspect) return
    file.take(this.#book.snapshot({ instrument, epochDay, firstEventIndex: 0 }, timeNs), 0)
  }
}
