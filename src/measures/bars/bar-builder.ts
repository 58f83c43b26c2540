import type { Instrument } from '../../model/instrument.js'
import { NS_PER_DAY } from '../../model/time.js'
import { quoteFactor, type ExactFactor } from '../minutes-units.js'
import { Bar, type BarFigures } from './bar.js'
import type { BarRule } from './bar-span.js'
import { BarSum } from './bar-sum.js'

/** A builder as a checkpoint holds it: the bar at hand, and whether any price has come so far. */
export interface BarBuilderState {
  readonly figures: BarFigures
  readonly hasPrice: boolean
}

/** The parts of a builder. */
export interface BarBuilderOptions {
  readonly rule: BarRule
  readonly instrument: Instrument
  /** The day of whose midnight all times are nanoseconds. */
  readonly epochDay: number
  /** The time from which prices are received. */
  readonly nowNs: number
  /** True where a span without a price makes a bar too, at the close before. */
  readonly sendsEmpty: boolean
}

/**
 * Makes bars of one instrument out of its trades, or of other prices, in the order in which they are received.
 *
 * A bar by time is `[start, end)`, aligned to the epoch: prices come as sums (`addSum`), and before those of an instant
 * `isDue` is asked, and `close` called while it is. Other bars are full with the trade for which `addTrade` says so; it
 * belongs to them whole.
 */
export class BarBuilder {
  readonly #rule: BarRule
  readonly #isInverse: boolean
  readonly #quoteFactor: ExactFactor
  readonly #epochDay: number
  readonly #sendsEmpty: boolean
  /** Added to a time it makes a multiple of the span out of a start: the epoch and midnight may differ. */
  readonly #offsetNs: number
  readonly #sum: BarSum
  #startNs: number
  #endNs: number
  #isPartial: boolean
  #hasPrice = false
  /** The sum at which a bar is full, at the scales for which it was worked out. */
  #limit = 0n
  #nearestLimit = NaN
  #limitScales: readonly [price: number, quantity: number] = [-1, -1]

  constructor({ rule, instrument, epochDay, nowNs, sendsEmpty }: BarBuilderOptions) {
    this.#rule = rule
    this.#isInverse = instrument.isInverse
    this.#quoteFactor = quoteFactor(instrument)
    this.#epochDay = epochDay
    this.#sendsEmpty = sendsEmpty
    this.#sum = new BarSum(instrument.isInverse)
    const { kind } = rule
    this.#offsetNs = kind === 'time' ? Number((BigInt(epochDay) * BigInt(NS_PER_DAY)) % BigInt(rule.spanNs)) : 0
    this.#startNs = kind === 'time' ? this.#alignedNs(nowNs, rule.spanNs) : nowNs
    this.#endNs = kind === 'time' ? this.#startNs + rule.spanNs : Infinity
    this.#isPartial = this.#startNs < nowNs
  }

  /** End of the bar at hand; Infinity where no time ends it. */
  get endNs(): number {
    return this.#endNs
  }

  /** True where a bar ends at or before an instant. */
  isDue(nowNs: number): boolean {
    return nowNs >= this.#endNs
  }

  /** Ends the bar that is due, and begins the next; null for a bar without a price that is not wanted. */
  close(nowNs: number): Bar | null {
    const rule = this.#rule
    if (rule.kind !== 'time') return null
    const isWanted = this.#sum.count > 0 || (this.#sendsEmpty && this.#hasPrice)
    const bar = isWanted ? new Bar(this.#figures(this.#endNs)) : null
    this.#startNs = this.#sendsEmpty && this.#hasPrice ? this.#endNs : this.#alignedNs(nowNs, rule.spanNs)
    this.#endNs = this.#startNs + rule.spanNs
    this.#isPartial = false
    this.#sum.clear()
    return bar
  }

  /** Counts prices, all later than those before. Throws VALUE_INEXACT where a volume exceeds 2^53 - 1. */
  addSum(sum: BarSum): void {
    this.#sum.addSum(sum)
    this.#hasPrice ||= sum.count > 0
  }

  /** Counts one trade; true where it has filled the bar: then {@link closeFull} is due. Throws VALUE_INEXACT. */
  addTrade(side: number, price: number, quantity: number, priceScale: number, quantityScale: number): boolean {
    this.#sum.addTrade(side, price, quantity, priceScale, quantityScale)
    return this.#isFull()
  }

  /** Ends a bar that is full, at the instant of its last trade. */
  closeFull(nowNs: number): Bar {
    const bar = new Bar(this.#figures(nowNs))
    this.#startNs = nowNs
    this.#sum.clear()
    return bar
  }

  /** The bar at hand, for a checkpoint. */
  save(): BarBuilderState {
    return { figures: this.#figures(this.#endNs === Infinity ? 0 : this.#endNs), hasPrice: this.#hasPrice }
  }

  /** Takes back what {@link save} gave of a builder of the same rule and instrument. */
  restore({ figures, hasPrice }: BarBuilderState): void {
    const { sum, startNs, endNs, isPartial } = figures
    this.#sum.restore(sum)
    this.#startNs = startNs
    if (this.#rule.kind === 'time') this.#endNs = endNs
    this.#isPartial = isPartial
    this.#hasPrice = hasPrice
  }

  #isFull(): boolean {
    const rule = this.#rule
    const sum = this.#sum
    if (rule.kind === 'trades') return sum.count >= rule.count
    this.#setLimit()
    if (rule.kind === 'imbalance') return Math.abs(sum.buyVolume - sum.sellVolume) >= this.#nearestLimit
    if (rule.kind === 'volume' || this.#isInverse) return sum.buyVolume + sum.sellVolume >= this.#nearestLimit
    return sum.quoteReaches(this.#limit, this.#nearestLimit)
  }

  #figures(endNs: number): BarFigures {
    const sum = this.#sum.state()
    const { integer, scale } = this.#quoteFactor
    return {
      epochDay: this.#epochDay, startNs: this.#startNs, endNs, isPartial: this.#isPartial, sum,
      turnover: String(BigInt(sum.quote) * integer),
      turnoverScale: sum.quantityScale + scale + (this.#isInverse ? 0 : sum.priceScale),
    }
  }

  /** The start of the span that holds an instant. */
  #alignedNs(nowNs: number, spanNs: number): number {
    const since = nowNs + this.#offsetNs
    const rest = since % spanNs
    return since - (rest < 0 ? rest + spanNs : rest) - this.#offsetNs
  }

  /** The least whole sum that fills a bar, at the scales at hand. */
  #setLimit(): void {
    const rule = this.#rule
    const { priceScale, quantityScale } = this.#sum
    if (rule.kind === 'time' || rule.kind === 'trades') return
    if (this.#limitScales[0] === priceScale && this.#limitScales[1] === quantityScale) return
    this.#limitScales = [priceScale, quantityScale]
    const isTurnover = rule.kind === 'turnover'
    const { integer, scale } = isTurnover ? this.#quoteFactor : { integer: 1n, scale: 0 }
    const sumScale = quantityScale + scale + (isTurnover && !this.#isInverse ? priceScale : 0)
    // The least sum with sum * integer * 10^-sumScale >= limit.
    const over = rule.limit.integer * 10n ** BigInt(Math.max(0, sumScale - rule.limit.scale))
    const under = integer * 10n ** BigInt(Math.max(0, rule.limit.scale - sumScale))
    this.#limit = (over + under - 1n) / under
    this.#nearestLimit = this.#limit > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(this.#limit)
  }
}
