import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { FundingSchedule, type FundingScheduleState } from '../../model/funding-schedule.js'
import { factorBetween } from '../../model/scale-factor.js'
import type { Writable } from '../../model/writable.js'
import type { ReferencePrice } from './reference-prices.js'
import { IndexAverage, type IndexAverageState } from './index-average.js'

/** Prices, as doubles, between which a watcher has nothing to do; both ends left out. */
export interface PriceBand {
  readonly lowest: number
  readonly highest: number
}

/** A band that no price lies in: every price is asked for. */
export const EVERY_PRICE: PriceBand = { lowest: Infinity, highest: -Infinity }

/** Receives what moves the money of positions in one instrument; attached only while a world has one. */
export interface MoneyWatcher {
  /** True where {@link onPrice} is to be called: where margin is declared, or an equity is watched. */
  readonly wantsPrices: boolean
  /**
   * True where {@link onPrice} is to be called for the index too: where options may be sold under margin, which is
   * counted by it.
   */
  readonly wantsIndex: boolean
  /**
   * Mids within which {@link onPrice} would change nothing, asked for again after {@link MarketMoney.bandsChanged}; a
   * mark or an index is always reported.
   */
  band(): PriceBand
  /** A funding line has been applied. */
  onFunding(timeNs: number): void
  /**
   * Prices by which positions are judged may have changed: a mark, a line of the book behind which the mid is outside
   * of the band where there never was a mark, an index.
   */
  onPrice(timeNs: number): void
}

/** A published funding rate: value = integer * 10^-scale, or its digits where no integer holds them. */
interface PublishedRate {
  readonly rate: number
  readonly scale: number
  readonly digits?: string
}

/** {@link MarketMoney} as plain data; watchers are their worlds' to attach again. */
export interface MarketMoneyState {
  readonly fundings: FundingScheduleState<PublishedRate>
  readonly averages: readonly IndexAverageState[]
  /** Null where there was none. */
  readonly markNs: number | null
  readonly markBefore: { readonly value: number | null; readonly scale: number; readonly digits?: string }
}

/** A mark as it was published; NaN where there was none. */
type PublishedMark = Required<Writable<ReferencePrice>>

/** A mid that a book had and lost, as twice its integer at a scale. */
export interface LostMid {
  count: number
  twice: number
  scale: number
}

/** Share of a price that is more than the rounding of a few doubles. */
const CAUTION = 1e-12

/** Last funding states of a market, exchange side, and who has positions in it. */
export class MarketMoney {
  /** Fundings to come and the last one, by the funding lines applied (exchange rules 8.1). */
  readonly fundings: FundingSchedule<PublishedRate> = new FundingSchedule()
  /** Exchange-side time of the last mark, and the mark that stood before that instant. */
  markNs: number = -Infinity
  readonly markBefore: PublishedMark = { value: NaN, scale: 0, digits: null }
  readonly #watchers: MoneyWatcher[] = []
  readonly #averages: IndexAverage[] = []
  /** The mid that the book lost last before there was a mark, and how often it lost one. */
  readonly lostMid: LostMid = { count: 0, twice: NaN, scale: 0 }
  /** Twice the mids between which nobody has to be called, once {@link isBeyond} has found them. */
  lowestTwice: number = -Infinity
  highestTwice: number = Infinity
  #isBandKnown = false

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
  applyIndex(timeNs: number, value: number, scale: number, digits: string | null = null): void {
    for (const average of this.#averages) average.take(timeNs, value, scale, digits)
  }

  /** A mark comes in the place of another (NaN: of none). */
  marked(timeNs: number, value: number, scale: number, digits: string | null = null): void {
    if (timeNs === this.markNs) return
    this.markNs = timeNs
    this.markBefore.value = value
    this.markBefore.scale = scale
    this.markBefore.digits = digits
  }

  watch(watcher: MoneyWatcher): void {
    if (!this.#watchers.includes(watcher)) this.#watchers.push(watcher)
    this.bandsChanged()
  }

  unwatch(watcher: MoneyWatcher): void {
    const at = this.#watchers.indexOf(watcher)
    if (at >= 0) this.#watchers.splice(at, 1)
    this.bandsChanged()
  }

  /** Takes a funding line over. */
  apply(batch: EventBatch, index: number, timeNs: number): void {
    const at = batch.valueStart[index] as number
    if ((batch.valueStart[index + 1] as number) <= at + 1 || batch.valueScale[at + 1] !== 0) return
    const digits = batch.wide?.value.get(at)
    this.fundings.take(timeNs, batch.values[at + 1] as number, {
      rate: batch.values[at] as number, scale: batch.valueScale[at] as number,
      ...(digits === undefined ? {} : { digits }),
    })
  }

  /** Bands of watchers are others now, or the digits of prices are. */
  bandsChanged(): void {
    this.#isBandKnown = false
  }

  /** Notes twice the mid before and behind a line; NaN for none. A mid that goes is kept. */
  noteMid(twiceBefore: number, twice: number, scale: number): void {
    if (Number.isNaN(twiceBefore) || !Number.isNaN(twice)) return
    this.lostMid.count++
    this.lostMid.twice = twiceBefore
    this.lostMid.scale = scale
  }

  /** True where twice a mid of the book is none that every watcher has nothing to do at. */
  isBeyond(twice: number, priceScale: number): boolean {
    if (!this.#isBandKnown) this.#findBand(priceScale)
    return !(twice > this.lowestTwice && twice < this.highestTwice)
  }

  /** Tells of a line that has been applied and is none of the book. */
  tell(kind: number, timeNs: number): void {
    const { funding, mark, index } = EVENT_KINDS
    if (kind !== funding && kind !== mark && kind !== index) return
    for (let i = this.#watchers.length - 1; i >= 0; i--) {
      const watcher = this.#watchers[i] as MoneyWatcher
      if (kind === funding) watcher.onFunding(timeNs)
      else if (kind === mark ? watcher.wantsPrices : watcher.wantsIndex) watcher.onPrice(timeNs)
    }
  }

  /** Tells of twice a mid, NaN for none, where it {@link isBeyond}. */
  tellMid(twice: number, priceScale: number, timeNs: number): void {
    if (!this.isBeyond(twice, priceScale)) return
    for (let i = this.#watchers.length - 1; i >= 0; i--) {
      const watcher = this.#watchers[i] as MoneyWatcher
      if (watcher.wantsPrices) watcher.onPrice(timeNs)
    }
  }

  /** The mids that all bands hold, a little narrower: who is called works the price out by himself. */
  #findBand(priceScale: number): void {
    const factor = 2 * factorBetween(0, priceScale)
    this.lowestTwice = -Infinity
    this.highestTwice = Infinity
    for (const watcher of this.#watchers) {
      if (!watcher.wantsPrices) continue
      const { lowest, highest } = watcher.band()
      this.lowestTwice = Math.max(this.lowestTwice, lowest * (lowest > 0 ? 1 + CAUTION : 1 - CAUTION) * factor)
      this.highestTwice = Math.min(this.highestTwice, highest * (highest > 0 ? 1 - CAUTION : 1 + CAUTION) * factor)
    }
    this.#isBandKnown = true
  }

  state(): MarketMoneyState {
    const { value, scale, digits } = this.markBefore
    return {
      fundings: this.fundings.state(),
      averages: this.#averages.map((average) => average.state()),
      markNs: Number.isFinite(this.markNs) ? this.markNs : null,
      markBefore: { value: Number.isNaN(value) ? null : value, scale, ...(digits === null ? {} : { digits }) },
    }
  }

  restore({ fundings, averages, markNs, markBefore }: MarketMoneyState): void {
    for (const state of averages) this.averageOver(state.startNs, state.endNs).restore(state)
    this.fundings.restore(fundings)
    this.markNs = markNs ?? -Infinity
    const { value, scale, digits = null } = markBefore
    Object.assign(this.markBefore, { value: value ?? NaN, scale, digits })
  }
}
