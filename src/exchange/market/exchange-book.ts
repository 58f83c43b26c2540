import type { OrderBookState } from '../../book/order-book.js'
import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { ExchangeOrder } from '../../model/exchange-order.js'
import type { Instrument } from '../../model/instrument.js'
import { TouchBook, type ExchangeTop } from './touch-book.js'

/** Levels, with the batch and the event of the first line that is not in them. */
export interface PlacedLevels {
  readonly state: OrderBookState
  readonly batchNumber: number
  readonly event: number
}

/**
 * Another book of the same instrument, from which a market takes its levels over: all lines before a place, in file
 * order.
 */
export interface BookSource {
  readonly instrument: Instrument
  /** Now, nanoseconds since the run's first midnight: everything that happens up to here is in hand. */
  nowNs(): number
  levels(): PlacedLevels
  /**
   * Brings the quantities of all lines in hand, and of those to come, to at least so many decimals; false where they
   * leave no room for them.
   */
  refine(quantityScale: number): boolean
  /** Called with the line from which on the numbers of the instrument do not fit. */
  closed?(): void
}

const { update: UPDATE, topOfBook: TOP } = EVENT_KINDS

/** The last item of a kind in a stretch of the order; -1 where there is none. */
export function lastOfKind(order: ExchangeOrder, kind: number, from: number, to: number): number {
  const { event, batchNumber, batches, firstBatch } = order
  for (let at = to - 1; at >= from; at--)
    if ((batches[(batchNumber[at] as number) - firstBatch] as EventBatch).kind[event[at] as number] === kind) return at
  return -1
}

/**
 * The book of an exchange-side market. It follows the tracks of its batches where they have one, as depth lines keep
 * the order of their file; where the exchange's times put one before another ({@link
 * ExchangeOrder.depthInOrderUntilNs}) every line is applied whole from then on.
 *
 * Lines without a track are passed without their rows where nobody looks, and the rows are applied when somebody does:
 * out of the batches in hand, or out of the levels that clients have received and the lines on their way to them. Top
 * of book, suspicion and scales are always as they should be.
 */
export class ExchangeBook {
  /** Only its levels may lag behind: see {@link ExchangeBook.isBehind}. */
  readonly shown: TouchBook
  /** True where rows of lines that were passed are missing. */
  isBehind = false
  /** The batch whose depth lines are in turn; -1 before the first, NaN where it is not known. */
  #entered = -1
  /** False once lines have changed places: no track holds from then on. */
  #followsTracks = true
  /** The last depth line that was passed, and the last whose rows are in the book; -1: not known. */
  #passedBatch = 0
  #passedEvent = -1
  #heldBatch = 0
  #heldEvent = -1

  constructor(
    exchangeTop: ExchangeTop,
    private readonly order: ExchangeOrder,
    private readonly source: BookSource | null,
  ) {
    this.shown = new TouchBook(exchangeTop)
  }

  /** Lines before this time may be passed without their rows. */
  get lagUntilNs(): number {
    return this.source === null ? -Infinity : this.order.depthInOrderUntilNs
  }

  /** True where the batches that hold what is missing have been given back. */
  get isLost(): boolean {
    return this.#heldBatch < this.order.firstBatch
  }

  /** Time up to which a book that is lost has to be passed before it can be found again. */
  get sourceNs(): number {
    return this.source?.nowNs() ?? -Infinity
  }

  /** Takes the depth line at a place of the order; `withoutLevels`: somebody brings its rows in later. */
  takeDepth(at: number, withoutLevels: boolean): void {
    const { batchNumber, event, batches, firstBatch, timeNs, depthInOrderUntilNs } = this.order
    const number = batchNumber[at] as number
    const index = event[at] as number
    const { depth } = this.shown
    if ((timeNs[at] as number) >= depthInOrderUntilNs) this.#leaveTracks()
    else if (number !== this.#entered) this.#enter(number)
    const isPassed = withoutLevels && !depth.isTracked
    this.shown.apply(batches[number - firstBatch] as EventBatch, index, isPassed ? 'pass' : 'apply')
    if (isPassed) this.passed(number, index)
    else this.held(number, index)
  }

  /**
   * Takes an update without a flag by the track of its batch, which is in turn; returns its marks (`TRACK_MARKS`), or
   * -1 where it has to be taken as {@link takeDepth} does.
   */
  takeByTrack(batch: EventBatch, batchNumber: number, event: number, timeNs: number): number {
    const { depth } = this.shown
    if (batchNumber !== this.#entered || timeNs >= this.order.depthInOrderUntilNs) return -1
    const marks = depth.marksOf(batch)
    if (marks === null) return -1
    depth.passTo(event)
    this.held(batchNumber, event)
    return marks[event] as number
  }

  /** Notes that the depth line at this place has been applied whole. */
  held(batchNumber: number, event: number): void {
    this.#heldBatch = this.#passedBatch = batchNumber
    this.#heldEvent = this.#passedEvent = event
  }

  /** Notes that the depth line at this place, and all before it, have been passed without their rows. */
  passed(batchNumber: number, event: number): void {
    this.#passedBatch = batchNumber
    this.#passedEvent = event
    this.isBehind = true
  }

  /**
   * Passes a stretch of the order that holds updates, tops and trades alone: of all tops the last counts, with the
   * updates behind it that make a side of it old. Returns the place of the last update, -1 where there is none.
   */
  passLines(from: number, to: number): number {
    const { event, batchNumber, batches, firstBatch } = this.order
    const topAt = lastOfKind(this.order, TOP, from, to)
    const updateAt = lastOfKind(this.order, UPDATE, from, to)
    const { shown } = this
    for (let at = topAt < 0 ? from : topAt; at < to; at++) {
      if (at > topAt && !shown.top.isBidNewer && !shown.top.isAskNewer) break
      const batch = batches[(batchNumber[at] as number) - firstBatch] as EventBatch
      const index = event[at] as number
      const kind = batch.kind[index] as number
      if (kind === TOP) shown.takeTop(batch, index)
      else if (kind === UPDATE) shown.outdateTop(batch, index)
    }
    if (updateAt >= 0) this.#passDepthTo(batchNumber[updateAt] as number, event[updateAt] as number)
    return updateAt
  }

  /** A restored book has all its levels; where its last line stands is not known. */
  restored(): void {
    this.isBehind = false
    this.#heldBatch = -1
    this.#entered = NaN
  }

  /** To be called before batches are given back: no track is followed in one that may be. */
  keepUp(): void {
    const { depth } = this.shown
    const { firstBatch, batches } = this.order
    while (depth.isAtEnd && this.#entered + 1 < firstBatch + batches.length) this.#enter(this.#entered + 1)
    if (depth.isAtEnd) depth.levels()
  }

  /** Brings in what is missing. */
  catchUp(): void {
    if (!this.isBehind) return
    this.isBehind = false
    const { book } = this.shown
    const { suspect, priceScale, quantityScale } = book
    let [batchNumber, event] = [this.#heldBatch, this.#heldEvent + 1]
    if (this.isLost && this.source !== null) {
      const levels = this.source.levels()
      book.restore(levels.state)
      batchNumber = levels.batchNumber
      event = levels.event
      this.#checkSource(levels)
    }
    this.#applyRows(batchNumber, event)
    if (this.source !== null && (book.priceScale !== priceScale || book.quantityScale !== quantityScale)) {
      book.rescale({ instrument: this.source.instrument, priceScale, quantityScale })
    }
    book.suspect = suspect
    this.#heldBatch = this.#passedBatch
    this.#heldEvent = this.#passedEvent
  }

  #passDepthTo(batchNumber: number, event: number): void {
    const { depth } = this.shown
    if (batchNumber !== this.#entered) this.#enter(batchNumber)
    if (!depth.isTracked) return this.passed(batchNumber, event)
    depth.passTo(event)
    this.held(batchNumber, event)
  }

  /**
   * Depth lines of another batch are in turn. A book whose rows are missing is none that a track could be held against.
   */
  #enter(batchNumber: number): void {
    const { batches, firstBatch } = this.order
    const { depth } = this.shown
    const from = this.#entered
    this.#entered = batchNumber
    if (this.isBehind || !this.#followsTracks) return
    for (let number = from + 1; number <= batchNumber; number++) {
      const wasTracked = depth.isTracked
      depth.enter(batches[number - firstBatch] ?? null)
      if (wasTracked && !depth.isTracked) this.held(number, -1)
    }
  }

  #leaveTracks(): void {
    if (!this.#followsTracks) return
    this.#followsTracks = false
    if (this.shown.depth.isTracked) this.shown.depth.levels()
  }

  /**
   * Levels with a depth line in them that has not been passed would be a look into the future: no caller may ask for
   * them.
   */
  #checkSource({ batchNumber, event }: PlacedLevels): void {
    const { batches, firstBatch } = this.order
    for (let number = this.#passedBatch; number <= batchNumber; number++) {
      const batch = batches[number - firstBatch]
      if (batch === undefined) continue
      const end = number === batchNumber ? event : batch.count
      for (let i = number === this.#passedBatch ? this.#passedEvent + 1 : 0; i < end; i++) {
        if ((batch.kind[i] as number) <= UPDATE)
          throw new Error(
            `Cannot bring a book up: levels hold line ${i} of batch ${number}, which has not happened there yet`,
          )
      }
    }
  }

  /** Applies the depth lines from a place up to the last one passed. */
  #applyRows(fromBatch: number, fromEvent: number): void {
    const { batches, firstBatch } = this.order
    const { book } = this.shown
    let event = fromEvent
    for (let number = fromBatch; number <= this.#passedBatch; number++) {
      const batch = batches[number - firstBatch]
      if (batch === undefined) break
      const end = number === this.#passedBatch ? this.#passedEvent + 1 : batch.count
      for (; event < end; event++) if ((batch.kind[event] as number) <= UPDATE) book.apply(batch, event)
      event = 0
    }
  }
}
