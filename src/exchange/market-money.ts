import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { IndexAverage, type IndexAverageState } from './index-average.js'

/** Hears what moves the money of positions in one instrument; attached only while a world has one. */
export interface MoneyWatcher {
  /** Whether {@link onPrice} is to be called: where margin is declared. */
  readonly wantsPrices: boolean
  /** Whether {@link onPrice} is to be called for the index too: where options may be sold under margin, which is counted by it. */
  readonly wantsIndex: boolean
  /** A funding line has been applied. */
  onFunding(timeNs: number): void
  /** What positions are judged by may have changed: a mark, any line of the book where there never was one, an index. */
  onPrice(timeNs: number): void
}

/** A published funding rate: value = integer * 10^-scale, and the time that it is for. */
export interface PublishedFunding {
  readonly rate: number
  readonly scale: number
  readonly nextFundingNs: number
}

/** {@link MarketMoney} as plain data; watchers are their worlds' to attach again. */
export interface MarketMoneyState {
  readonly latest: PublishedFunding | null
  readonly earlier: PublishedFunding | null
  readonly averages: readonly IndexAverageState[]
}

/** Last funding states of a market, exchange side, and who has positions in it. */
export class MarketMoney {
  /** The last line that names a time; null while none did. */
  latest: PublishedFunding | null = null
  /** The last one that named another time: what is due may be named no more by the line that follows. */
  #earlier: PublishedFunding | null = null
  readonly #watchers: MoneyWatcher[] = []
  readonly #averages: IndexAverage[] = []

  get isWatched(): boolean {
    return this.#watchers.length > 0
  }

  /** The average of the index over a window, counted from now on; the same for all who ask for it. */
  averageOver(startNs: number, endNs: number): IndexAverage {
    const known = this.#averages.find((one) => one.startNs === startNs && one.endNs === endNs)
    if (known !== undefined) return known
    const average = new IndexAverage(startNs, endNs)
    this.#averages.push(average)
    return average
  }

  /** Takes an index line over. */
  applyIndex(timeNs: number, value: number, scale: number): void {
    for (const average of this.#averages) average.take(timeNs, value, scale)
  }

  watch(watcher: MoneyWatcher): void {
    if (!this.#watchers.includes(watcher)) this.#watchers.push(watcher)
  }

  unwatch(watcher: MoneyWatcher): void {
    const at = this.#watchers.indexOf(watcher)
    if (at >= 0) this.#watchers.splice(at, 1)
  }

  /** Takes a funding line over; one that names no time says nothing of a payment (exchange rules 8.1). */
  apply(batch: EventBatch, index: number, timeNs: number): void {
    const at = batch.valueStart[index] as number
    const nextFundingNs = batch.values[at + 1] as number
    if ((batch.valueStart[index + 1] as number) <= at + 1 || batch.valueScale[at + 1] !== 0 || !Number.isFinite(nextFundingNs) || nextFundingNs < timeNs) return
    if (this.latest !== null && this.latest.nextFundingNs !== nextFundingNs) this.#earlier = this.latest
    this.latest = { rate: batch.values[at] as number, scale: batch.valueScale[at] as number, nextFundingNs }
  }

  /** The last rate that names this time; null where none does. */
  rateFor(timeNs: number): PublishedFunding | null {
    return [this.latest, this.#earlier].find((published) => published?.nextFundingNs === timeNs) ?? null
  }

  /** Tells the watchers of an item that has been applied; `isMarked`: the market has had a mark price. */
  tell(kind: number, timeNs: number, isMarked: boolean): void {
    if (kind === EVENT_KINDS.funding) {
      for (let i = this.#watchers.length - 1; i >= 0; i--) this.#watchers[i]?.onFunding(timeNs)
    } else if (kind === EVENT_KINDS.mark || (!isMarked && (kind <= EVENT_KINDS.update || kind === EVENT_KINDS.topOfBook))) {
      for (let i = this.#watchers.length - 1; i >= 0; i--) if (this.#watchers[i]?.wantsPrices === true) this.#watchers[i]?.onPrice(timeNs)
    } else if (kind === EVENT_KINDS.index) {
      for (let i = this.#watchers.length - 1; i >= 0; i--) if (this.#watchers[i]?.wantsIndex === true) this.#watchers[i]?.onPrice(timeNs)
    }
  }

  state(): MarketMoneyState {
    return { latest: this.latest, earlier: this.#earlier, averages: this.#averages.map((average) => average.state()) }
  }

  restore({ latest, earlier, averages }: MarketMoneyState): void {
    for (const state of averages) this.averageOver(state.startNs, state.endNs).restore(state)
    this.latest = latest
    this.#earlier = earlier
  }
}
