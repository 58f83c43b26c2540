import type { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { textFromScaled } from '../model/decimal.js'
import { NS_PER_DAY } from '../model/time.js'
import type { FeedLatency } from '../replay/feed-latency.js'
import type { HeldRows, Misfit } from './held-numbers.js'

const { snapshot: SNAPSHOT, update: UPDATE, topOfBook: TOP } = EVENT_KINDS

/** Names of a top of book, and of a price that a book cannot hold, beside those of levels. */
const OF_TOP = 'top'
const OF_PRICE = 'price'

/**
 * The lines of an instrument that everybody has received before the run begins. A number of theirs that does not fit
 * ends nothing unless it still stands in the book then (exchange rules 1.8).
 */
export class LinesBeforeRun {
  readonly #standing: Map<string, BacktapeError> = new Map()
  /** The running maximum of the times at which lines are received at the latest. */
  #receivedNs = -Infinity
  #isOver = false

  constructor(
    /** The begin of the run, nanoseconds since the midnight of `epochDay`. */
    readonly fromNs: () => number,
    private readonly epochDay: number,
    private readonly latency: FeedLatency,
  ) {}

  /** The first number that stands in the book; null where there is none. */
  get standing(): BacktapeError | null {
    const [error] = this.#standing.values()
    return error ?? null
  }

  /** The number of lines of the next batch that are received before the run, whatever their exchange times. */
  countIn(batch: EventBatch): number {
    if (this.#isOver) return 0
    const { adapterTimeNs, count } = batch
    const fromNs = this.fromNs() - (batch.epochDay - this.epochDay) * NS_PER_DAY
    if ((adapterTimeNs[0] as number) < fromNs) {
      const timesNs = new Float64Array(count)
      this.latency.timesNs(batch, adapterTimeNs, timesNs)
      const before = this.#receivedNs + fromNs - this.fromNs()
      let receivedNs = before
      let index = 0
      for (; index < count; index++) {
        receivedNs = Math.max(receivedNs, timesNs[index] as number)
        if (receivedNs >= fromNs) break
      }
      this.#receivedNs = receivedNs - fromNs + this.fromNs()
      if (index === count) return count
      this.#isOver = true
      return index
    }
    this.#isOver = true
    return 0
  }

  /** Takes the first lines of a batch: which numbers that do not fit stand behind them. */
  take({ batch, misfits }: HeldRows, count: number, errorOf: (misfit: Misfit) => BacktapeError): void {
    if (misfits.length === 0 && this.#standing.size === 0) return
    let next = 0
    for (let index = 0; index < count; index++) {
      const from = next
      while (misfits[next]?.index === index) next++
      this.#takeLine(batch, index, misfits.slice(from, next), errorOf)
    }
  }

  #takeLine(
    batch: EventBatch, index: number, misfits: readonly Misfit[], errorOf: (misfit: Misfit) => BacktapeError,
  ): void {
    const kind = batch.kind[index] as number
    const standing = this.#standing
    const [first] = misfits
    if (kind === TOP) {
      standing.delete(OF_TOP)
      if (first !== undefined) standing.set(OF_TOP, errorOf(first))
    }
    if (kind > UPDATE) return
    if (kind === SNAPSHOT) for (const name of standing.keys()) if (name !== OF_TOP) standing.delete(name)
    const price = misfits.find(({ field }) => field === 'price')
    if (price !== undefined) standing.set(OF_PRICE, errorOf(price))
    if (price !== undefined) return
    for (let row = batch.rowStart[index] as number; row < (batch.rowStart[index + 1] as number); row++) {
      const name = `${String(batch.side[row])} ${textFromScaled(batch.price[row] as number, batch.priceScale)}`
      const misfit = misfits.find((one) => one.row === row)
      if (misfit === undefined) standing.delete(name)
      else standing.set(name, errorOf(misfit))
    }
  }
}
