import { LatencySketch } from '../model/latency-sketch.js'
import { instrumentName } from '../model/instrument.js'
import { isoFromTime } from '../model/time.js'
import type { EventBatch } from '../model/event-batch.js'
import type { MarketSummary } from '../report/run-summary.js'
import type { InstrumentEntry, MarketView } from '../venue/venue.js'

/** The facts of what came of one instrument over a feed, for the summary. */
export class ReceivedFacts {
  /** When the first and the last line came; Infinity and -Infinity before. */
  firstNs: number = Infinity
  lastNs: number = -Infinity
  /** Lines that came. */
  lineCount = 0
  readonly latencies: LatencySketch = new LatencySketch()
  #unknownCount = 0
  #unknownNs = 0
  /** Since when its book is not READY, having been so; NaN while it is. */
  #sinceNs = NaN
  #wasReady = false
  #crossedCount = 0
  #crossedNs = 0
  /** Since when its depth is crossed; NaN while it is not. */
  #crossedSinceNs = NaN

  /** Times in which its book was unknown. */
  get unknownCount(): number {
    return this.#unknownCount
  }

  /** True while its book is unknown, having been known. */
  get isUnknown(): boolean {
    return !Number.isNaN(this.#sinceNs)
  }

  /** A line has come and was taken; the market is as it is with it. */
  line(batch: EventBatch, index: number, nowNs: number, market: MarketView): void {
    if (this.firstNs === Infinity) this.firstNs = nowNs
    this.lastNs = nowNs
    this.lineCount++
    const exchangeTimeNs = batch.exchangeTimeNs[index] as number
    if (!Number.isNaN(exchangeTimeNs)) this.latencies.add(nowNs - exchangeTimeNs)
    this.state(nowNs, market)
  }

  /** Looks at the state of its market, and whether its depth is crossed with itself. */
  state(nowNs: number, { state, book }: MarketView): void {
    this.#cross(nowNs, state === 'READY' && book.bestBidPrice > book.bestAskPrice)
    const isReady = state === 'READY'
    if (isReady && !Number.isNaN(this.#sinceNs)) {
      this.#unknownNs += nowNs - this.#sinceNs
      this.#sinceNs = NaN
    } else if (!isReady && this.#wasReady) {
      this.#unknownCount++
      this.#sinceNs = nowNs
    }
    this.#wasReady = isReady
  }

  #cross(nowNs: number, isCrossed: boolean): void {
    if (isCrossed && Number.isNaN(this.#crossedSinceNs)) {
      this.#crossedCount++
      this.#crossedSinceNs = nowNs
    } else if (!isCrossed && !Number.isNaN(this.#crossedSinceNs)) {
      this.#crossedNs += nowNs - this.#crossedSinceNs
      this.#crossedSinceNs = NaN
    }
  }

  /** The summary of its market at a time. */
  summary({ instrument }: InstrumentEntry, epochDay: number, nowNs: number): MarketSummary {
    const text = (timeNs: number): string | null => (Number.isFinite(timeNs) ? isoFromTime(timeNs, epochDay) : null)
    return {
      instrumentId: instrument.id, instrument: instrumentName(instrument), firstEvent: text(this.firstNs),
      lastEvent: text(this.lastNs), bookUnknownCount: this.#unknownCount,
      bookUnknownNs: this.#unknownNs + since(this.#sinceNs, nowNs), crossedCount: this.#crossedCount,
      crossedNs: this.#crossedNs + since(this.#crossedSinceNs, nowNs), crossedGapCount: null, crossedGapNs: null,
      clampedTimes: null, shownTrades: null, feedLatency: this.latencies.quantiles(),
    }
  }
}

/** The time that has passed since one; 0 for NaN. */
function since(fromNs: number, nowNs: number): number {
  return Number.isNaN(fromNs) ? 0 : nowNs - fromNs
}
