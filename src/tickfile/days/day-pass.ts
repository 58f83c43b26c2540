import { copyBatch, indexAtTime, sliceBatch } from '../../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { NS_PER_DAY } from '../../model/time.js'
import { differingLevelCount, SeamBook, type SnapshotFrame } from './seam-book.js'
import { idKey, SEAM_WINDOW_NS, SeamKeys } from './seam-keys.js'
import type { OpenSeam } from './stitching-report.js'
import { checkNearDay } from '../../model/near-day.js'

/** Running maxima of the adapter time at which a file's events change their meaning; zone k lies before bound k. */
const ZONE_BOUNDS: readonly number[] = [
  -SEAM_WINDOW_NS, 0, SEAM_WINDOW_NS, NS_PER_DAY - SEAM_WINDOW_NS, NS_PER_DAY, NS_PER_DAY + SEAM_WINDOW_NS, Infinity,
]
const ZONES = {
  MARGIN: 0, BEFORE_SEAM: 1, AFTER_SEAM: 2, DAY: 3, BEFORE_NEXT_SEAM: 4, AFTER_NEXT_SEAM: 5, TAIL: 6,
} as const

/** The hand-over of a file to the next one. */
export interface DayHandover {
  readonly book: SeamBook
  readonly keys: SeamKeys
  /** Greatest adapter time, from the midnight that the day ends with. */
  readonly lastTimeNs: number
}

/**
 * One file on its way through the stitching: its margin warms the book, its day is delivered, its tail is noted for the
 * next file.
 */
export class DayPass {
  private zone = 0
  private maximumNs = -Infinity
  private firstTimeNs = NaN
  private own = new SeamBook()
  private readonly nextKeys = new SeamKeys()
  private readonly recovered: EventBatch[] = []
  /**
   * `open` until 00:00; `deferred` while events that the earlier file delivered still come; `adopted`: the earlier book
   * goes on.
   */
  private takeover: 'open' | 'deferred' | 'adopted' | 'done' = 'open'
  private uncertainHere = 0
  /** Events of the file before 00:00 and from 24:00 on, by the clock that never steps back. */
  beforeCount = 0
  afterCount = 0
  /** True once the day began with a snapshot that stands for no line. */
  isOpeningMade = false
  isOpeningSuspect = false
  /**
   * Adapter time of the line since which the book of the snapshot that was put in had been crossed with itself; NaN
   * where there is none, or it was not.
   */
  crossedSinceNs: number = NaN
  private readonly out: EventBatch[] = []
  /** The fields that a snapshot of this file takes from its batches. */
  private like: SnapshotFrame | null = null

  constructor(
    private readonly earlier: DayHandover | null,
    private readonly seam: OpenSeam | null,
    private readonly hasNext: boolean,
    /** The file, as a sentence names it. */
    private readonly name: string,
  ) {}

  /** The parts of a batch that are to be delivered, in order: views that live as long as the batch does. */
  process(batch: EventBatch): readonly EventBatch[] {
    this.out.length = 0
    const { instrument, epochDay, firstEventIndex, count } = batch
    this.like = { instrument, epochDay, firstEventIndex: firstEventIndex + count }
    let from = 0
    while (from < batch.count) {
      const bound = ZONE_BOUNDS[this.zone] as number
      const to = bound === Infinity ? batch.count : Math.max(from, indexAtTime(batch, bound))
      if (to > from) this.processZone(batch, from, to)
      if (to < batch.count) this.enterNextZone(batch, to)
      from = to
    }
    return this.out
  }

  /** The file has no more: a day in which nothing happened begins all the same, with the book of its margin. */
  end(): readonly EventBatch[] {
    this.out.length = 0
    const { like } = this
    if (like === null) return this.out
    if (this.zone < ZONES.AFTER_SEAM) {
      this.zone = ZONES.AFTER_SEAM
      this.openDay(like)
    }
    if (this.takeover === 'deferred') this.takeOver(like, 0)
    return this.out
  }

  /** Ends the pass: what the next file needs. */
  finish(): DayHandover {
    if (this.seam !== null && this.earlier !== null) {
      const { earlier, seam } = this
      const begin = Number.isNaN(this.firstTimeNs) ? Infinity : this.firstTimeNs
      seam.overlapNs = Math.max(0, earlier.lastTimeNs - begin)
      seam.uncertainCount = earlier.keys.uncertainCount(begin) + this.uncertainHere
      if (this.takeover === 'open') this.own = earlier.book
    }
    return { book: this.own, keys: this.nextKeys, lastTimeNs: this.maximumNs - NS_PER_DAY }
  }

  private processZone(batch: EventBatch, from: number, to: number): void {
    const { zone } = this
    if (zone < ZONES.AFTER_SEAM) this.beforeCount += to - from
    else if (zone > ZONES.BEFORE_NEXT_SEAM) this.afterCount += to - from
    if (zone === ZONES.MARGIN) this.own.warm(batch, from, to)
    else if (zone === ZONES.BEFORE_SEAM) this.warmNearSeam(batch, from, to)
    else if (zone === ZONES.AFTER_SEAM && this.earlier !== null) this.deliverNearSeam(batch, from, to)
    else if (zone <= ZONES.BEFORE_NEXT_SEAM) this.deliver(batch, from, to)
    if (this.hasNext && (zone === ZONES.BEFORE_NEXT_SEAM || zone === ZONES.AFTER_NEXT_SEAM))
      this.noteForNext(batch, from, to)
    this.passTimes(batch, from, to)
  }

  private passTimes(batch: EventBatch, from: number, to: number): void {
    const { adapterTimeNs } = batch
    if (Number.isNaN(this.firstTimeNs)) this.firstTimeNs = adapterTimeNs[from] as number
    this.maximumNs = Math.max(this.maximumNs, greatestOf(adapterTimeNs, from, to))
    checkNearDay(this.name, batch.epochDay, this.firstTimeNs)
    checkNearDay(this.name, batch.epochDay, this.maximumNs)
  }

  private enterNextZone(batch: EventBatch, index: number): void {
    this.zone++
    if (this.zone === ZONES.AFTER_SEAM) this.openDay(sliceBatch(batch, index, index))
    else if (this.zone === ZONES.DAY && this.takeover === 'deferred')
      this.takeOver(sliceBatch(batch, index, index), SEAM_WINDOW_NS)
  }

  /** 00:00: the margin has warmed the book; what the earlier file placed behind its own midnight comes now. */
  private openDay(at: SnapshotFrame): void {
    const { earlier, seam } = this
    if (earlier === null || seam === null) {
      this.isOpeningMade = this.own.hasSnapshot
      this.isOpeningSuspect = this.isOpeningMade && this.own.book.suspect
      if (this.isOpeningMade) this.putIn(this.own.snapshot(at, 0))
      this.takeover = 'done'
      return
    }
    for (const event of this.recovered) {
      earlier.book.apply(event, 0, 1)
      this.emit(event)
    }
    if (!this.own.hasSnapshot) {
      seam.hasNoBook = true
      this.own = earlier.book
      this.takeover = 'adopted'
    } else if (earlier.book.chainKey !== null && earlier.keys.awaitsBookEvent(earlier.book.chainKey))
      this.takeover = 'deferred'
    else this.takeOver(at, 0)
  }

  /**
   * The later book replaces the earlier one: nothing happens where they are equal, and no day is missing between them.
   */
  private takeOver(at: SnapshotFrame, timeNs: number): void {
    const { earlier, seam } = this
    this.takeover = 'done'
    if (earlier === null || seam === null) return
    const count = differingLevelCount(earlier.book.book, this.own.book)
    if (count === 0 && earlier.book.book.suspect === this.own.book.suspect && seam.missingDays.length === 0) return
    seam.differingLevelCount = count
    this.putIn(this.own.snapshot(at, Math.max(0, timeNs)))
  }

  /** Delivers a snapshot of the own book. */
  private putIn(snapshot: EventBatch): void {
    this.crossedSinceNs = this.own.crossedSinceNs
    this.emit(snapshot)
  }

  private warmNearSeam(batch: EventBatch, from: number, to: number): void {
    this.own.warm(batch, from, to)
    const { earlier, seam } = this
    if (earlier === null || seam === null) return
    for (let i = from; i < to; i++) {
      if (earlier.keys.match(batch, i) !== 'after') continue
      seam.recoveredCount++
      this.recovered.push(copyBatch(sliceBatch(batch, i, i + 1)))
    }
  }

  private deliverNearSeam(batch: EventBatch, from: number, to: number): void {
    const { earlier, seam } = this
    if (earlier === null || seam === null) return
    let start = from
    for (let i = from; i < to; i++) {
      const timeNs = batch.adapterTimeNs[i] as number
      const match = earlier.keys.match(batch, i)
      if (match === null && timeNs <= earlier.lastTimeNs && !earlier.keys.isCertain(batch, i)) this.uncertainHere++
      if (match === 'before') {
        this.deliver(batch, start, i)
        start = i + 1
        seam.duplicateCount++
        this.passDuplicate(batch, i, timeNs)
      } else if (this.takeover === 'deferred' && isBook(batch, i)) {
        this.deliver(batch, start, i)
        start = i
        this.takeOver(sliceBatch(batch, i, i), timeNs)
      }
    }
    this.deliver(batch, start, to)
  }

  /** The earlier file has delivered this event; the later book needs it all the same. */
  private passDuplicate(batch: EventBatch, index: number, timeNs: number): void {
    if (this.takeover !== 'adopted') this.own.warm(batch, index, index + 1)
    if (this.takeover === 'deferred' && this.own.chainKey === this.earlier?.book.chainKey)
      this.takeOver(sliceBatch(batch, index, index), timeNs)
  }

  private deliver(batch: EventBatch, from: number, to: number): void {
    if (to <= from) return
    const part =
      this.takeover === 'adopted' ? this.checkAdoptedChain(sliceBatch(batch, from, to)) : sliceBatch(batch, from, to)
    // A book is needed only where the earlier one still stands or another file follows.
    if (this.hasNext || this.takeover === 'deferred') this.own.apply(part, 0, part.count)
    this.emit(part)
  }

  /**
   * A later file without a book at midnight goes on with the earlier one: its first update must follow in the chain, or
   * there is a gap.
   */
  private checkAdoptedChain(part: EventBatch): EventBatch {
    let first = 0
    while (first < part.count && !isBook(part, first)) first++
    if (first === part.count) return part
    const chainKey = this.own.chainKey
    this.takeover = 'done'
    const previous = idKey(part.previousEventId, first)
    if (part.kind[first] === EVENT_KINDS.snapshot || (previous !== null && previous === chainKey)) return part
    const flags = part.flags.slice(0, part.count)
    flags[first] = (flags[first] as number) | EVENT_FLAGS.CHAIN_GAP
    return { ...part, flags }
  }

  private noteForNext(batch: EventBatch, from: number, to: number): void {
    let maximum = this.maximumNs
    for (let i = from; i < to; i++) {
      maximum = Math.max(maximum, batch.adapterTimeNs[i] as number)
      this.nextKeys.note(batch, i, maximum - NS_PER_DAY)
    }
  }

  private emit(batch: EventBatch): void {
    if (batch.count > 0) this.out.push(batch)
  }
}

function isBook(batch: EventBatch, index: number): boolean {
  const kind = batch.kind[index]
  return kind === EVENT_KINDS.snapshot || kind === EVENT_KINDS.update
}

/**
 * The greatest of some times; what the loop keeps is a number from its first line on, so that it needs no object of its
 * own.
 */
function greatestOf(timesNs: Float64Array, from: number, to: number): number {
  let greatest = -Infinity
  for (let i = from; i < to; i++) greatest = Math.max(greatest, timesNs[i] as number)
  return greatest
}
