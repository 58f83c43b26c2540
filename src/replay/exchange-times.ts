import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { SameStamp } from '../model/exchange-order.js'
import { NS_PER_DAY, NS_PER_SECOND } from '../model/time.js'
import { batchOrderOf, type BatchOrder } from './batch-order.js'
import { STAYS, YIELDS, type ExchangeOrderQueue } from './exchange-order-queue.js'
import type { TimeCounts } from './time-counts.js'

/** The longest delay of an event behind the greatest exchange-side time before it (exchange rules 1.1). */
export const REORDER_WINDOW_NS: number = 10 * NS_PER_SECOND

const { CHAIN_GAP, SEAM, SILENCE, SILENCE_END, CROSSED, CROSSED_GAP, GAP_VOID } = EVENT_FLAGS
/** Flags of lines that are more than the last of their kind. */
const SPECIAL = CHAIN_GAP | SILENCE | SILENCE_END | CROSSED
const CLOCK_BITS = EVENT_FLAGS.CLOCK_STEPPED_BACK | EVENT_FLAGS.CLOCK_JUMPED

/** States that no file holds, at the time of their own that says when a gap was detected. */
const DETECTED = SILENCE | CROSSED_GAP
/** Flags of lines that no file holds: no file states their time. */
const MADE = SEAM | DETECTED

function isFlagged(flags: EventBatch['flags'], index: number, bits: number): boolean {
  return ((flags[index] as number) & bits) !== 0
}

const FROM_THE_BEGINNING: TimesMark = {
  greatestNs: -Infinity, counts: { missing: 0, afterAdapter: 0, movedUp: 0, adapterStepsBack: 0, adapterJumps: 0 },
}

const UPDATE = EVENT_KINDS.update
const TOP = EVENT_KINDS.topOfBook
const TRADES = EVENT_KINDS.trades
const STATE = EVENT_KINDS.state
const LIQUIDATIONS = EVENT_KINDS.liquidations

/**
 * A gap that was detected, not stated by a line: the batch of its state, when it was detected, and when the first line
 * behind it in the file comes that ends it; -Infinity before the first.
 */
interface DetectedGap {
  batch: EventBatch | null
  timeNs: number
  endNs: number
}

/** Where exchange-side times stand between two batches. */
export interface TimesMark {
  readonly greatestNs: number
  readonly counts: Readonly<TimeCounts>
}

/**
 * Exchange-side times of one instrument in file order, with the running maximum that rule 1.1 needs. Plain state. A
 * trade row goes before other items of its stamp that both state it; `sameStamp: 'file'` leaves all in file order.
 */
export class ExchangeTimes {
  readonly counts: TimeCounts
  /** Greatest exchange-side time so far. */
  greatestNs: number
  /** Greatest time of a depth line so far. */
  #greatestDepthNs = -Infinity
  /** The last silence and the last gap of a crossed book that were queued. */
  readonly #silence: DetectedGap = { batch: null, timeNs: -Infinity, endNs: -Infinity }
  readonly #crossed: DetectedGap = { batch: null, timeNs: -Infinity, endNs: -Infinity }
  /** The later one of their ends. */
  #gapEndNs = -Infinity

  readonly #tradesFirst: boolean

  /** `windowNs`: the longest delay; of live lines it is how far a run stays behind its feed. */
  constructor(
    { greatestNs, counts }: TimesMark = FROM_THE_BEGINNING, sameStamp: SameStamp = 'trades',
    private readonly windowNs: number = REORDER_WINDOW_NS,
  ) {
    this.greatestNs = greatestNs
    this.counts = { ...counts }
    this.#tradesFirst = sameStamp === 'trades'
  }

  /** Everything before this time is in hand: what happened before it and comes later is moved up to it. */
  get horizonNs(): number {
    return this.greatestNs - this.windowNs
  }

  /** The feed has come to this time, whether it sent a line of it or none. */
  reach(timeNs: number): void {
    if (timeNs > this.greatestNs) this.greatestNs = timeNs
  }

  /** Where the times stand now. */
  mark(): TimesMark {
    return { greatestNs: this.greatestNs, counts: { ...this.counts } }
  }

  /** Counts the times of the first lines of a batch, and nothing else. */
  count(batch: EventBatch, lineCount: number): void {
    const { kind, flags, adapterTimeNs, exchangeTimeNs, tradeRowStart, rowTimeNs } = batch
    for (let i = 0; i < lineCount; i++) {
      const k = kind[i] as number
      const adapter = adapterTimeNs[i] as number
      if (k === STATE && isFlagged(flags, i, DETECTED)) continue
      if (k !== TRADES && k !== LIQUIDATIONS) this.timeNs(exchangeTimeNs[i] as number, adapter, k)
      else
        for (let r = tradeRowStart[i] as number; r < (tradeRowStart[i + 1] as number); r++)
          this.timeNs(rowTimeNs[r] as number, adapter, k)
    }
    this.#countSteps(batch, lineCount)
  }

  /**
   * The time of one line or row: as given, else adapter time; bounded by adapter time; never further back than the
   * window.
   */
  timeNs(givenNs: number, adapterNs: number, kind: number): number {
    let time = givenNs
    if (!(time <= adapterNs)) {
      if (time > adapterNs) this.counts.afterAdapter++
      else if (kind !== STATE) this.counts.missing++
      time = adapterNs
    }
    const greatest = this.greatestNs
    if (time < greatest) {
      if (time < greatest - this.windowNs) {
        this.counts.movedUp++
        return greatest - this.windowNs
      }
      return time
    }
    this.greatestNs = time
    return time
  }

  /**
   * Queues a batch's lines and rows in exchange order, and writes each line's own exchange-side time into
   * `lineTimesNs`.
   */
  queue(batch: EventBatch, batchNumber: number, order: ExchangeOrderQueue, lineTimesNs: Float64Array): void {
    const made = batchOrderOf(batch)
    if (made === null || !this.#queueMade(made, batch, batchNumber, order))
      this.#queueLines(batch, batchNumber, order, lineTimesNs)
    else for (let i = 0; i < batch.count; i++) {
      const [given, adapter] = [batch.exchangeTimeNs[i] as number, batch.adapterTimeNs[i] as number]
      lineTimesNs[i] = given <= adapter ? given : adapter
    }
  }

  /**
   * Queues a batch by the order that its reader has made; false where its times depend on those before it: one is moved
   * up to the window, or ends a gap.
   */
  #queueMade(made: BatchOrder, batch: EventBatch, batchNumber: number, order: ExchangeOrderQueue): boolean {
    const shiftNs = (made.epochDay - batch.epochDay) * NS_PER_DAY
    const leastNs = (made.timeNs[0] ?? Infinity) + shiftNs
    if ((made.sameStamp === 'trades') !== this.#tradesFirst) return false
    if (leastNs < this.horizonNs || leastNs < this.#gapEndNs) return false
    const { rowStart, tradeRowStart, rowTimeNs } = batch
    const isStated = (event: number, row: number, timeNs: number): boolean =>
      this.#tradesFirst && rowTimeNs[(tradeRowStart[event] as number) - (rowStart[event] as number) + row] === timeNs
    order.appendInOrder(made, batchNumber, shiftNs, isStated)
    this.greatestNs = Math.max(this.greatestNs, made.greatestNs + shiftNs)
    const { counts } = this
    counts.missing += made.counts.missing
    counts.afterAdapter += made.counts.afterAdapter
    counts.adapterStepsBack += made.counts.adapterStepsBack
    counts.adapterJumps += made.counts.adapterJumps
    const firstDepthNs = made.leastDepthNs + shiftNs
    const lateNs = Math.min(made.lateDepthNs + shiftNs, firstDepthNs < this.#greatestDepthNs ? firstDepthNs : Infinity)
    if (lateNs < order.depthInOrderUntilNs) order.depthInOrderUntilNs = lateNs
    this.#greatestDepthNs = Math.max(this.#greatestDepthNs, made.greatestDepthNs + shiftNs)
    return true
  }

  #queueLines(batch: EventBatch, batchNumber: number, order: ExchangeOrderQueue, lineTimesNs: Float64Array): void {
    const { kind, flags, adapterTimeNs, exchangeTimeNs, tradeRowStart, count } = batch
    order.reserve(count + (tradeRowStart[count] as number))
    // Most items come behind all others: they are written here, as a call for each would be most of the work.
    const { timeNs: times, batchNumber: numbers, event: events, row: rows } = order
    const tradesFirst = this.#tradesFirst
    let { tail } = order
    let lastNs = tail > order.head ? (times[tail - 1] as number) : -Infinity
    for (let i = 0; i < count; i++) {
      const k = kind[i] as number
      if (k === TRADES || k === LIQUIDATIONS) {
        order.tail = tail
        this.#queueRows(batch, batchNumber, i, order, lineTimesNs)
        tail = order.tail
        if (tail > 0) lastNs = times[tail - 1] as number
        continue
      }
      const f = flags[i] as number
      const adapter = adapterTimeNs[i] as number
      const given = exchangeTimeNs[i] as number
      // A gap that was detected is no line of the file: those received behind it are late by the lines before it alone
      // (rules 1.1, 6.4, 6.5).
      const time = k === STATE && (f & DETECTED) !== 0 ? adapter : this.timeNs(given, adapter, k)
      lineTimesNs[i] = time
      const row = tradesFirst && time === given && (f & MADE) === 0 ? YIELDS : STAYS
      if (time >= lastNs) {
        times[tail] = lastNs = time
        numbers[tail] = batchNumber
        events[tail] = i
        rows[tail++] = row
      } else {
        order.tail = tail
        order.append(time, batchNumber, i, row)
        tail = order.tail
      }
      if ((k !== UPDATE && k !== TOP) || (f & SPECIAL) !== 0 || time < this.#gapEndNs)
        this.#noteSingle(batch, i, time, order)
      if (k > UPDATE) continue
      if (time >= this.#greatestDepthNs) this.#greatestDepthNs = time
      else if (time < order.depthInOrderUntilNs) order.depthInOrderUntilNs = time
    }
    order.tail = tail
    times[tail] = Infinity
    this.#countSteps(batch, count)
  }

  #queueRows(
    batch: EventBatch, batchNumber: number, index: number, order: ExchangeOrderQueue, lineTimesNs: Float64Array,
  ): void {
    const { kind, flags, adapterTimeNs, exchangeTimeNs, rowStart, tradeRowStart, rowTimeNs } = batch
    const k = kind[index] as number
    const adapter = adapterTimeNs[index] as number
    const given = exchangeTimeNs[index] as number
    lineTimesNs[index] = given <= adapter ? given : adapter
    const first = rowStart[index] as number
    const end = rowStart[index + 1] as number
    const tradeFirst = (tradeRowStart[index] as number) - first
    const endsSilence = isFlagged(flags, index, SILENCE_END)
    const tradesFirst = this.#tradesFirst
    for (let r = first; r < end; r++) {
      const rowGiven = rowTimeNs[tradeFirst + r] as number
      const time = this.timeNs(rowGiven, adapter, k)
      const isStated = tradesFirst && time === rowGiven
      if (k !== TRADES) order.append(time, batchNumber, index, isStated ? YIELDS : STAYS)
      else if (isStated) order.appendTrade(time, batchNumber, index, r)
      else order.append(time, batchNumber, index, r)
      if (!endsSilence) continue
      if (time < this.#silence.endNs) this.#endSilence(flags, index, time)
      order.appendedSingle(time)
    }
  }

  /** Notes a line that is more than the last of its kind, or may end a gap. */
  #noteSingle(batch: EventBatch, index: number, timeNs: number, order: ExchangeOrderQueue): void {
    const { kind, flags } = batch
    const k = kind[index] as number
    if (timeNs < this.#silence.endNs && (k <= UPDATE || k === TOP || isFlagged(flags, index, SILENCE_END)))
      this.#endSilence(flags, index, timeNs)
    if (timeNs < this.#crossed.endNs && k <= UPDATE && !isFlagged(flags, index, CROSSED))
      this.#end(this.#crossed, timeNs)
    if (isFlagged(flags, index, SILENCE)) this.#begin(this.#silence, batch, timeNs)
    if (isFlagged(flags, index, CROSSED_GAP)) this.#begin(this.#crossed, batch, timeNs)
    const isSingle = k === TOP ? SILENCE_END : CHAIN_GAP | SILENCE_END | CROSSED
    if ((k !== TOP && k !== UPDATE) || isFlagged(flags, index, isSingle)) order.appendedSingle(timeNs)
  }

  #begin(gap: DetectedGap, batch: EventBatch, timeNs: number): void {
    Object.assign(gap, { batch, timeNs, endNs: Infinity })
    this.#gapEndNs = Infinity
  }

  /**
   * A line behind a gap in the file comes first of those that end it: where that is before it is detected, there is no
   * gap at the exchange.
   */
  #end(gap: DetectedGap, timeNs: number): void {
    gap.endNs = timeNs
    this.#gapEndNs = Math.max(this.#silence.endNs, this.#crossed.endNs)
    if (timeNs < gap.timeNs && gap.batch !== null) gap.batch.flags[0] = (gap.batch.flags[0] as number) | GAP_VOID
  }

  #endSilence(flags: EventBatch['flags'], index: number, timeNs: number): void {
    this.#end(this.#silence, timeNs)
    if (timeNs >= this.#silence.timeNs) flags[index] = (flags[index] as number) | SILENCE_END
  }

  #countSteps({ flags }: EventBatch, lineCount: number): void {
    for (let i = 0; i < lineCount; i++) {
      const bits = (flags[i] as number) & CLOCK_BITS
      if (bits === 0) continue
      if ((bits & EVENT_FLAGS.CLOCK_JUMPED) !== 0) this.counts.adapterJumps++
      else this.counts.adapterStepsBack++
    }
  }
}
