import { Amount } from '../model/amount.js'
import { BacktapeError } from '../model/error.js'
import type { BacktestOptions } from '../backtest/backtest-options.js'
import { runBacktest } from '../backtest/run-backtest.js'
import type { Instrument } from '../model/instrument.js'
import type { DataInstrument } from '../strategy/data-instrument.js'
import { Strategy } from '../strategy/strategy.js'

/** The best prices of an instrument at one instant. */
export interface BestPricePair {
  readonly bid: Amount
  readonly ask: Amount
}

/** Best prices as integers at their scale, which is another one where a price of more digits came; NaN for none. */
interface ScaledPair {
  readonly bid: number
  readonly ask: number
  readonly scale: number
}

const UNKNOWN: ScaledPair = { bid: NaN, ask: NaN, scale: 0 }

/** The best prices of one instrument at instants that were asked for. */
export class PriceSamples {
  readonly instrument: Instrument
  /** Ascending, nanoseconds since the begin of the part. */
  readonly #timesNs: Float64Array
  readonly #bids: Float64Array
  readonly #asks: Float64Array
  readonly #scales: Uint8Array
  #count = 0
  /** Prices in force. */
  #now: ScaledPair = UNKNOWN
  /** Prices that were known last. */
  #last: ScaledPair = UNKNOWN

  constructor(instrument: Instrument, timesNs: Float64Array) {
    this.instrument = instrument
    this.#timesNs = timesNs
    this.#bids = new Float64Array(timesNs.length)
    this.#asks = new Float64Array(timesNs.length)
    this.#scales = new Uint8Array(timesNs.length)
  }

  /** Gives the prices in force to every instant before a time; without prices they wait for the next ones. */
  passTo(timeNs: number): void {
    const { bid, ask, scale } = this.#now
    if (Number.isNaN(bid)) return
    while (this.#count < this.#timesNs.length && (this.#timesNs[this.#count] as number) < timeNs) {
      this.#bids[this.#count] = bid
      this.#asks[this.#count] = ask
      this.#scales[this.#count] = scale
      this.#count++
    }
  }

  /** Takes the prices in force from now on: those of a book that is known with both sides, else none. */
  take({ view }: DataInstrument): void {
    const { bestBidPrice: bid, bestAskPrice: ask } = view
    const isKnown = view.state === 'READY' && !Number.isNaN(bid) && !Number.isNaN(ask)
    this.#now = isKnown ? { bid, ask, scale: view.book.priceScale } : UNKNOWN
    if (isKnown) this.#last = this.#now
  }

  /** The end of the part: instants that still wait get the last prices that were known. */
  finish(): void {
    this.#now = this.#last
    this.passTo(Infinity)
  }

  /** The prices at an instant that was asked for, the first known after it, else the last; null without any. */
  at(timeNs: number): BestPricePair | null {
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#timesNs[middle] as number) < timeNs) low = middle + 1
      else high = middle
    }
    if (low >= this.#count || this.#timesNs[low] !== timeNs) return null
    const scale = this.#scales[low] as number
    const [bid, ask] = [this.#bids[low] as number, this.#asks[low] as number]
    return { bid: Amount.scaled(bid, scale), ask: Amount.scaled(ask, scale) }
  }
}

/**
 * Plays a part once more for its best prices as the exchange had them, at given instants by instrument (nanoseconds
 * since `fromNs` of the part, ascending). Nothing is traded; a line counts at its exchange time.
 */
export async function sampledPrices(
  options: BacktestOptions, timesNs: ReadonlyMap<number, Float64Array>,
): Promise<ReadonlyMap<number, PriceSamples>> {
  const samples = new Map<number, PriceSamples>()
  class Observer extends Strategy {
    #startNs = 0

    override onStart(): void {
      this.#startNs = this.nowNs()
      for (const [id, times] of timesNs) {
        const instrument = this.subscribeInstrument(id)
        const sample = new PriceSamples(instrument.master, times)
        samples.set(id, sample)
        sample.take(instrument)
      }
    }

    override onInstrumentTopOfBook(instrument: DataInstrument): void {
      this.#takeAt(instrument)
    }

    override onMarketDataState(instrument: DataInstrument): void {
      this.#takeAt(instrument)
    }

    override onStop(): void {
      for (const sample of samples.values()) sample.finish()
    }

    #takeAt(instrument: DataInstrument): void {
      const sample = samples.get(instrument.id)
      sample?.passTo(this.nowNs() - this.#startNs)
      sample?.take(instrument)
    }
  }
  const { parameters: _, journal: __, checkpoints: ___, resume: ____, ...run } = options
  await runBacktest({
    ...run, strategy: Observer, tables: 'none', assumptions: { ...options.assumptions, feedLatency: 'constant 0ns' },
  })
  // Prices up to the stop alone would make another baseline.
  if (options.signal?.aborted === true)
    throw new BacktapeError('STOPPED', 'Cannot draw random entries: the run was stopped', {}, options.signal.reason)
  return samples
}
