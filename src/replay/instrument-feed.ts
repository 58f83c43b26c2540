import type { EventBatch } from '../model/event-batch.js'
import type { SameStamp } from '../model/exchange-order.js'
import { LatencySketch } from '../model/latency-sketch.js'
import { ShownTrades } from '../model/shown-trades.js'
import { ExchangeOrderQueue } from './exchange-order-queue.js'
import { ExchangeTimes, type TimesMark } from './exchange-times.js'
import type { FeedInput } from './feed-input.js'
import type { FeedLatency } from './feed-latency.js'
import { isMadeUp, lastDepthTimeNs, lastRecordedIndex, MADE_FLAGS, stateLinesOf } from './state-lines.js'
import type { TimeCounts } from './time-counts.js'

/**
 * Times of no batch: a next time that is looked up in a column is a plain number, where one of two kinds would be an
 * object each time.
 */
const NEVER = Float64Array.of(Infinity)

/**
 * One instrument in a pass: the same events in two orders, local (file order) and exchange. Holds the batches from the
 * slower side's place to ten seconds of exchange time ahead, nothing more. Reading ahead is the only thing that waits.
 */
export class InstrumentFeed {
  readonly instrumentId: number
  /** Exchange side: items in exchange-time order; the consumer moves `order.head`. */
  readonly order: ExchangeOrderQueue = new ExchangeOrderQueue()
  readonly times: ExchangeTimes
  /** The feed latencies of the lines of the run, up to the last {@link countReceived}. */
  readonly latencies: LatencySketch = new LatencySketch()
  /** The trade rows of those lines, of a sample of them. */
  readonly shownTrades: ShownTrades = new ShownTrades()
  /** Local side: the batch in turn, the event in turn, and when each event of the batch is received. */
  localBatch: EventBatch | null = null
  localBatchNumber = 0
  localIndex = 0
  localTimesNs: Float64Array = NEVER
  ended = false
  /** When the first line since {@link beginRun} is received; Infinity where none is in hand yet. */
  firstReceivedNs: number = Infinity
  /**
   * Where the window of the run begins: {@link firstInWindowNs} counts from here. Set before the first {@link load}.
   */
  windowFromNs: number = -Infinity
  /**
   * When the first recorded line in hand at or after {@link windowFromNs} is received, and the first of all; Infinity
   * where there is none.
   */
  firstInWindowNs: number = Infinity
  firstRecordedNs: number = Infinity

  readonly #localTimes: Float64Array[] = []
  readonly #spareTimes: Float64Array[] = []
  /** Where the times stood before each batch in hand. */
  readonly #timeMarks: TimesMark[] = []
  /** Lines of each batch in hand that say something of the state, ascending. */
  readonly #stateLines: (readonly number[])[] = []
  /**
   * The next of them that has not been received: batch, line, its place among those of the batch, and when it is
   * received.
   */
  #stateBatch = 0
  #stateIndex = -1
  #stateAt = 0
  #stateNs: number = -Infinity
  #lineTimes: Float64Array = new Float64Array(0)
  #receivedBefore = 0
  #latencyBeforeNs = 0
  #receivedBeforeNs = -Infinity
  #isBegun = false
  #countedIndex = 0
  /** Adapter time of the last book line before the batch in turn, and before the line that ended the batch before. */
  #depthBeforeNs = NaN
  #depthBeforeLastNs = NaN
  #lastLocalNs = -Infinity
  #lastRecordedNs = -Infinity

  constructor(
    private readonly input: FeedInput,
    private readonly epochDay: number,
    private readonly latency: FeedLatency,
    sameStamp: SameStamp = 'trades',
  ) {
    this.instrumentId = input.instrumentId
    this.times = new ExchangeTimes(undefined, sameStamp, input.live?.lagNs)
  }

  /** When the next line is received; Infinity where none is in hand. */
  nextLocalNs(): number {
    return this.localTimesNs[this.localIndex] as number
  }

  /** When the next item happens at the exchange; Infinity where none is in hand. */
  nextExchangeNs(): number {
    return this.order.timeNs[this.order.head] as number
  }

  /**
   * Everything before this time is in hand on both sides; Infinity once the input has ended. Lines that no file holds
   * do not count: nobody knows of a time behind the last recorded line whether the input goes on to it.
   */
  horizonNs(): number {
    if (this.ended) return Infinity
    const { input, times: { horizonNs } } = this
    return input.live === undefined ? Math.min(this.#lastRecordedNs, horizonNs) : horizonNs
  }

  /**
   * When the last recorded line in hand is received, those that no file holds left out; -Infinity before the first.
   * Once the input has ended: its end.
   */
  get lastRecordedNs(): number {
    return this.#lastRecordedNs
  }

  /** True for a time behind the last recorded line; known of every time that the run has come to. */
  isBehindData(timeNs: number): boolean {
    return this.ended && timeNs > this.#lastRecordedNs
  }

  /** The number of events received since the beginning: a place that a checkpoint can name. */
  get receivedCount(): number {
    return this.#receivedBefore + this.localIndex
  }

  /** The latency of the line received last, local less exchange-side time; 0 before the first. */
  get receivedLatencyNs(): number {
    const { localBatch: batch, localIndex } = this
    if (batch === null || localIndex === 0) return this.#latencyBeforeNs
    const given = batch.exchangeTimeNs[localIndex - 1] as number
    const adapter = batch.adapterTimeNs[localIndex - 1] as number
    return (this.localTimesNs[localIndex - 1] as number) - (given <= adapter ? given : adapter)
  }

  /** When the line received last was received, those that no file holds left out; -Infinity before the first. */
  get lastReceivedNs(): number {
    return this.localIndex === 0 ? this.#receivedBeforeNs : (this.localTimesNs[this.localIndex - 1] as number)
  }

  /** The same since {@link beginRun}. */
  get receivedInRunNs(): number {
    return this.lastReceivedNs >= this.firstReceivedNs ? this.lastReceivedNs : -Infinity
  }

  /** The run begins here, or it began with a line received at `firstHeardNs` (a checkpoint; null: with none yet). */
  beginRun(firstReceivedNs: number | null = null): void {
    this.#isBegun = true
    this.firstReceivedNs = firstReceivedNs ?? this.#nextRecordedNs()
  }

  /** Adds the lines received in the run and not counted yet to {@link latencies} and {@link shownTrades}. */
  countReceived(): void {
    const { localBatch: batch, localTimesNs, localIndex } = this
    if (batch === null || !this.#isBegun) return
    while (this.#countedIndex < localIndex && (localTimesNs[this.#countedIndex] as number) < this.firstReceivedNs)
      this.#countedIndex++
    this.latencies.addDifferences(localTimesNs, batch.exchangeTimeNs, this.#countedIndex, localIndex)
    this.shownTrades.countSample(batch, this.#countedIndex, localIndex)
    this.#countedIndex = localIndex
  }

  /**
   * The counts of times that were not taken as they stand, of the lines received until now, however far has been read
   * ahead.
   */
  receivedTimeCounts(): TimeCounts {
    const { localBatch: batch, localIndex } = this
    if (batch === null) return this.times.mark().counts
    const times = new ExchangeTimes(
      this.#timeMarks[this.localBatchNumber - this.order.firstBatch], undefined, this.input.live?.lagNs)
    times.count(batch, localIndex)
    return times.counts
  }

  /** Adapter time of the last book line before the line received last; NaN where there was none. */
  lastDepthNs(): number {
    const { localBatch: batch, localIndex } = this
    // The line received last is that before the batch.
    if (localIndex === 0) return this.#depthBeforeLastNs
    const found = batch === null ? NaN : lastDepthTimeNs(batch, localIndex - 1)
    return Number.isNaN(found) ? this.#depthBeforeNs : found
  }

  /**
   * When the next line is received that says something of the state of the market data (`changesState`); Infinity
   * where none is in hand.
   */
  nextStateNs(): number {
    const { localBatchNumber, localIndex } = this
    if (localBatchNumber > this.#stateBatch || (localBatchNumber === this.#stateBatch && localIndex > this.#stateIndex))
      this.#findState()
    return this.#stateNs
  }

  /**
   * Moves the local side past every line that is received up to and including `untilNs`, none of which says anything of
   * the state.
   */
  passLines(untilNs: number): void {
    while (this.nextLocalNs() <= untilNs) {
      const { localTimesNs, localBatch } = this
      const last = (localBatch as EventBatch).count - 1
      if ((localTimesNs[last] as number) <= untilNs) this.#passRest()
      else this.localIndex = firstAfter(localTimesNs, this.localIndex, last, untilNs)
    }
  }

  /** Moves the local side past its event in turn. */
  localNext(): void {
    this.localIndex++
    if (this.localBatch !== null && this.localIndex >= this.localBatch.count) {
      this.countReceived()
      this.#latencyBeforeNs = this.receivedLatencyNs
      if (!isMadeUp(this.localBatch, this.localIndex - 1)) this.#receivedBeforeNs = this.lastReceivedNs
      this.#depthBeforeLastNs = this.lastDepthNs()
      const depthNs = lastDepthTimeNs(this.localBatch, this.localIndex)
      if (!Number.isNaN(depthNs)) this.#depthBeforeNs = depthNs
      this.#receivedBefore += this.localIndex
      this.#takeLocal(this.localBatchNumber + 1)
    }
  }

  /** Reads one more batch; false at the end of the input. */
  async load(): Promise<boolean> {
    const next = await this.input.batches.next()
    if (next.done === true) {
      this.ended = true
      return this.#takeEnd(Infinity)
    }
    if (next.value.count === 0) {
      this.#reach()
      return true
    }
    const batch = this.input.own(next.value, this.epochDay)
    for (const part of this.input.parts?.(batch) ?? [batch]) this.#take(part)
    return true
  }

  /** Brings all batches in hand to wider scales. */
  widen(scales: Pick<EventBatch, 'priceScale' | 'quantityScale'>): void {
    for (const held of this.order.batches) {
      if (held.priceScale < scales.priceScale || held.quantityScale < scales.quantityScale)
        this.input.widen?.(held, scales)
    }
  }

  /** A live feed has come further: lines that are received before its horizon come too late from now on. */
  #reach(): void {
    const { live } = this.input
    if (live === undefined) return
    this.times.reach(live.reachedNs())
    this.#takeEnd(this.times.horizonNs)
    this.#lastLocalNs = Math.max(this.#lastLocalNs, this.times.horizonNs)
  }

  #takeEnd(beforeNs: number): boolean {
    const last = this.input.end?.(beforeNs) ?? null
    if (last !== null) this.#take(last)
    return last !== null
  }

  #take(batch: EventBatch): void {
    this.widen(batch)
    const number = this.order.firstBatch + this.order.batches.length
    this.order.batches.push(batch)
    this.#queue(batch, number)
    this.#stateLines.push(stateLinesOf(batch))
    if (this.#stateNs === Infinity) this.#findState()
    if (this.localBatch === null) this.#takeLocal(number)
  }

  /**
   * Releases every batch that lies before `batchNumber`: neither side, nor anything that reads behind them, needs it
   * any more.
   */
  releaseBefore(batchNumber: number): void {
    while (this.order.firstBatch < batchNumber && this.order.batches.length > 0) {
      const batch = this.order.batches.shift()
      const times = this.#localTimes.shift()
      this.#stateLines.shift()
      this.#timeMarks.shift()
      this.order.firstBatch++
      if (batch !== undefined) this.input.recycle(batch)
      if (times !== undefined) this.#spareTimes.push(times)
    }
  }

  /** The batch that the slower of the two sides stands in. */
  slowestBatchNumber(): number {
    const { order } = this
    const exchange = order.head < order.tail ? this.#lowestWaitingBatch() : order.firstBatch + order.batches.length
    const local = this.localBatch === null ? order.firstBatch + order.batches.length : this.localBatchNumber
    return exchange < local ? exchange : local
  }

  // Items of an earlier batch wait near the head: those further behind than the window were moved up to it.
  #lowestWaitingBatch(): number {
    const { batchNumber, head, tail } = this.order
    let lowest = batchNumber[head] as number
    for (let i = head + 1; i < tail; i++) {
      const number = batchNumber[i] as number
      if (number < lowest) lowest = number
    }
    return lowest
  }

  #passRest(): void {
    this.localIndex = (this.localBatch as EventBatch).count - 1
    this.localNext()
  }

  #findState(): void {
    const { firstBatch, batches } = this.order
    for (let number = this.localBatchNumber; number < firstBatch + batches.length; number++) {
      const from = number === this.localBatchNumber ? this.localIndex : 0
      const lines = this.#stateLines[number - firstBatch] ?? []
      let at = number === this.#stateBatch ? this.#stateAt : 0
      while (at < lines.length && (lines[at] as number) < from) at++
      const index = lines[at]
      if (index === undefined) continue
      this.#stateBatch = number
      this.#stateAt = at
      this.#stateIndex = index
      this.#stateNs = (this.#localTimes[number - firstBatch] as Float64Array)[index] as number
      return
    }
    this.#stateBatch = Infinity
    this.#stateNs = Infinity
  }

  /** When the next line is received, where it is in hand and stands in a file. */
  #nextRecordedNs(): number {
    return this.localBatch !== null && isMadeUp(this.localBatch, this.localIndex) ? Infinity : this.nextLocalNs()
  }

  #queue(batch: EventBatch, number: number): void {
    const { count } = batch
    if (this.#lineTimes.length < count) this.#lineTimes = new Float64Array(count)
    this.#timeMarks.push(this.times.mark())
    this.times.queue(batch, number, this.order, this.#lineTimes)
    const spare = this.#spareTimes.pop()
    const local = spare !== undefined && spare.length >= count ? spare : new Float64Array(Math.max(count, 1 << 10))
    this.latency.timesNs(batch, this.#lineTimes, local)
    // In place: a greatest time that is carried from line to line may be an object for each.
    if (count > 0) local[0] = Math.max(this.#lastLocalNs, local[0] as number)
    for (let i = 1; i < count; i++)
      if ((local[i] as number) < (local[i - 1] as number)) local[i] = local[i - 1] as number
    if (count > 0) this.#lastLocalNs = local[count - 1] as number
    const recorded = lastRecordedIndex(batch)
    if (recorded >= 0) this.#noteRecorded(batch, local, recorded)
    this.#localTimes.push(local)
  }

  #noteRecorded({ flags }: EventBatch, local: Float64Array, last: number): void {
    this.#lastRecordedNs = local[last] as number
    if (this.firstInWindowNs !== Infinity) return
    for (let i = 0; i <= last && this.firstInWindowNs === Infinity; i++) {
      if (((flags[i] as number) & MADE_FLAGS) !== 0) continue
      const timeNs = local[i] as number
      if (this.firstRecordedNs === Infinity) this.firstRecordedNs = timeNs
      if (timeNs >= this.windowFromNs) this.firstInWindowNs = timeNs
    }
  }

  #takeLocal(number: number): void {
    const index = number - this.order.firstBatch
    this.localBatch = this.order.batches[index] ?? null
    this.localTimesNs = this.#localTimes[index] ?? NEVER
    this.localBatchNumber = number
    this.localIndex = 0
    this.#countedIndex = 0
    if (this.#isBegun && this.firstReceivedNs === Infinity) this.firstReceivedNs = this.#nextRecordedNs()
  }
}

/**
 * The first of some ascending times that is above a bound; `to` has one. Most are near, where a loop is the shortest
 * way.
 */
function firstAfter(timesNs: Float64Array, from: number, to: number, boundNs: number): number {
  let low = from
  let step = 16
  while (low + step < to && (timesNs[low + step] as number) <= boundNs) {
    low += step
    step *= 2
  }
  while (step > 16) {
    step >>= 1
    if (low + step < to && (timesNs[low + step] as number) <= boundNs) low += step
  }
  while ((timesNs[low] as number) <= boundNs) low++
  return low
}
