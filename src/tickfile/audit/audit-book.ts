import { OrderBook } from '../../book/order-book.js'
import { textFromScaled } from '../../model/decimal.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { Side } from '../../model/side.js'
import { epochNsFromTime } from '../../model/time.js'
import { ListCollector, type BoundedList } from '../lines/bounded-list.js'

/** A level in decimal text. */
export interface LevelText {
  /** Price of the level. */
  readonly price: string
  /** Total quantity at this price. */
  readonly quantity: string
}

/** The count and length of states of the book that need a word; judged after whole lines only. */
export interface BookCondition {
  /** Book lines after which it held. */
  readonly states: number
  /** Its length altogether and at most, by clamped adapter time. */
  readonly durationNs: number
  /** Longest stretch, nanoseconds. */
  readonly longestNs: number
  /** When it began. */
  readonly begins: BoundedList<string>
}

/** The report on the depth book of a file. */
export interface BookReport {
  /** Number of snapshots. */
  readonly snapshots: number
  /** Adapter times of the first snapshots, epoch nanoseconds in digits. */
  readonly snapshotTimestampsNs: readonly string[]
  /** Book lines: snapshots and updates. */
  readonly bookStates: number
  /** Levels of both sides together, at most, after any line. */
  readonly maxBookLevels: number
  /** Best bid above best ask. */
  readonly crossed: BookCondition
  /** Best bid equal to best ask. */
  readonly locked: BookCondition
  /** After a chain gap or a state ERROR, until the next snapshot. Before the first snapshot does not count. */
  readonly suspect: BookCondition
  /** Best bid after the last line; null where the side is empty. */
  readonly finalBestBid: LevelText | null
  /** Best ask after the last line; null where the side is empty. */
  readonly finalBestAsk: LevelText | null
  /** True for a book that could not be trusted after the last line. */
  readonly finallySuspect: boolean
}

/** Snapshot times kept. */
const SNAPSHOT_LIMIT = 10_000

class ConditionClock {
  states = 0
  durationNs = 0
  longestNs = 0
  readonly begins: ListCollector<string> = new ListCollector<string>()
  private sinceNs = NaN

  note(holds: boolean, timeNs: number, epochDay: number): void {
    if (holds) this.states++
    if (holds === !Number.isNaN(this.sinceNs)) return
    if (holds) {
      this.sinceNs = timeNs
      this.begins.add(String(epochNsFromTime(timeNs, epochDay)))
    } else this.end(timeNs)
  }

  end(timeNs: number): void {
    if (Number.isNaN(this.sinceNs)) return
    const length = timeNs - this.sinceNs
    this.durationNs += length
    this.longestNs = Math.max(this.longestNs, length)
    this.sinceNs = NaN
  }

  report(): BookCondition {
    return { states: this.states, durationNs: this.durationNs, longestNs: this.longestNs, begins: this.begins }
  }
}

/** Applies every depth row of a file to a book and looks at it after each line. */
export class BookAudit {
  private readonly book = new OrderBook()
  private readonly crossed = new ConditionClock()
  private readonly locked = new ConditionClock()
  private readonly suspect = new ConditionClock()
  private readonly snapshotTimes: string[] = []
  private snapshots = 0
  private states = 0
  private maxLevels = 0
  private timeNs: number = -Infinity

  check(batch: EventBatch): void {
    const { book } = this
    const { kind, count, adapterTimeNs, epochDay } = batch
    let time = this.timeNs
    for (let i = 0; i < count; i++) {
      if ((adapterTimeNs[i] as number) > time) time = adapterTimeNs[i] as number
      const code = kind[i] as number
      if (code > EVENT_KINDS.state || code === EVENT_KINDS.trades) continue
      book.apply(batch, i)
      if (code === EVENT_KINDS.snapshot) this.noteSnapshot(adapterTimeNs[i] as number, epochDay)
      if (code === EVENT_KINDS.state) this.noteSuspect(time, epochDay)
      else this.noteState(time, epochDay)
    }
    this.timeNs = time
  }

  report(): BookReport {
    for (const clock of [this.crossed, this.locked, this.suspect]) clock.end(this.timeNs)
    const { book } = this
    return {
      snapshots: this.snapshots,
      snapshotTimestampsNs: this.snapshotTimes,
      bookStates: this.states,
      maxBookLevels: this.maxLevels,
      crossed: this.crossed.report(),
      locked: this.locked.report(),
      suspect: this.suspect.report(),
      finalBestBid: levelText(book, 'BID', book.bestBidPrice, book.bestBidQuantity),
      finalBestAsk: levelText(book, 'ASK', book.bestAskPrice, book.bestAskQuantity),
      finallySuspect: book.suspect,
    }
  }

  private noteState(time: number, epochDay: number): void {
    const { book } = this
    this.states++
    const levels = book.bidLevelCount + book.askLevelCount
    if (levels > this.maxLevels) this.maxLevels = levels
    const distance = book.bestAskPrice - book.bestBidPrice
    this.crossed.note(distance < 0, time, epochDay)
    this.locked.note(distance === 0, time, epochDay)
    this.noteSuspect(time, epochDay)
  }

  private noteSuspect(time: number, epochDay: number): void {
    this.suspect.note(this.book.suspect && this.snapshots > 0, time, epochDay)
  }

  private noteSnapshot(time: number, epochDay: number): void {
    if (this.snapshots++ < SNAPSHOT_LIMIT) this.snapshotTimes.push(String(epochNsFromTime(time, epochDay)))
  }
}

function levelText(book: OrderBook, side: Side, price: number, quantity: number): LevelText | null {
  if (Number.isNaN(price)) return null
  const digits = book.wideQuantity(side, price) ?? textFromScaled(quantity, book.quantityScale)
  return { price: textFromScaled(price, book.priceScale), quantity: digits }
}
