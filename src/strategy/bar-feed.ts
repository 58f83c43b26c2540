import { BarSum } from '../measures/bars/bar-sum.js'
import type { Bar } from '../measures/bars/bar.js'
import type { BarSource } from '../measures/bars/bar-span.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { Clock, MarketDataListener, MarketView, Topics, Venue } from '../venue/venue.js'
import { isAbsentMarket } from './absent-market.js'
import type { BuiltSeries } from './bar-series.js'
import type { CallbackGuard } from './callback-guard.js'
import type { DataInstrument } from './data-instrument.js'

/** The parts of its runtime that a feed of bars needs. */
export interface BarFeedHost {
  readonly venue: Venue
  readonly guard: CallbackGuard
  /** The time in which prices are received: the venue's, or that of the past which is played before a run. */
  readonly clock: Clock
  /** Sends everything that waits: it comes before a bar. */
  flush(): void
}

/** The topics of the lines behind the prices of bars. */
export const BAR_TOPICS: Readonly<Record<BarSource, Topics>> = {
  trades: { trades: true }, mid: { depth: true, topOfBook: true }, mark: { markPrice: true },
}

/**
 * Receives the prices of one instrument for all series that are made of them. Those by time share one sum, which is
 * added to each where one of them ends: a price costs the same for one span and for ten.
 */
export class BarFeed implements MarketDataListener {
  readonly subscriptionName: string
  readonly #all: BuiltSeries[] = []
  /** Those that take prices now. */
  #byTime: readonly BuiltSeries[] = []
  #byTrades: readonly BuiltSeries[] = []
  /** True while prices of before the run are played. */
  #isPast = false
  /** When the next series begins to take prices; Infinity where all do. */
  #nextBeginNs = Infinity
  /** Prices that the series by time have not got yet. */
  readonly #pending: BarSum
  #nextEndNs = Infinity
  /** Best prices as seen last, in the columns of {@link MarketView.copyTop}. */
  readonly #top: Float64Array = Float64Array.of(NaN, 0, NaN, 0, 0, 0)

  constructor(
    readonly instrument: DataInstrument,
    readonly source: BarSource,
    /** True where it was asked for while the strategy ran. */
    public isLate: boolean,
    private readonly host: BarFeedHost,
    private readonly send: (built: BuiltSeries, bar: Bar) => void,
  ) {
    this.subscriptionName = `bars ${source}`
    this.#pending = new BarSum(instrument.master.isInverse)
  }

  begin(): void {
    this.host.venue.subscribe(this.instrument.id, BAR_TOPICS[this.source], this)
  }

  add(built: BuiltSeries): void {
    this.#all.push(built)
    this.arrange(this.#isPast ? this.host.clock.nowNs() : Infinity)
  }

  /** The begin of its earliest series; Infinity where none reaches back. */
  get earliestNs(): number {
    return this.#all.reduce((least, { sinceNs }) => Math.min(least, sinceNs ?? Infinity), Infinity)
  }

  /** Lets those series take prices that begin by a time of the past; at Infinity all of them. */
  arrange(nowNs: number): void {
    this.settle()
    this.#isPast = nowNs !== Infinity
    const active = this.#all.filter(({ sinceNs = Infinity }) => !this.#isPast || sinceNs <= nowNs)
    this.#byTime = active.filter(({ builder }) => builder.endNs !== Infinity)
    this.#byTrades = active.filter(({ builder }) => builder.endNs === Infinity)
    this.#nextBeginNs = this.#all.reduce(
      (next, { sinceNs = Infinity }) => (sinceNs > nowNs && sinceNs < next ? sinceNs : next), Infinity,
    )
    this.#setNextEnd()
  }

  /** Best prices as seen last, for a checkpoint. */
  top(): readonly (number | null)[] {
    return Array.from(this.#top, (value) => (Number.isNaN(value) ? null : value))
  }

  restore(isLate: boolean, top: readonly (number | null)[]): void {
    this.isLate = isLate
    this.#top.set(top.map((value) => value ?? NaN))
    this.#setNextEnd()
  }

  /** Gives the series by time the prices that they have not got yet. */
  settle(): void {
    if (this.#pending.count === 0) return
    for (const { builder } of this.#byTime) builder.addSum(this.#pending)
    this.#pending.clear()
  }

  onState(): void {}

  onCurrent(view: MarketView): void {
    if (this.source !== 'mid') return
    this.#beginDue(this.host.clock.nowNs())
    this.#takeMid(view)
  }

  onEvent(batch: EventBatch, index: number, view: MarketView): void {
    const { guard, clock } = this.host
    if (guard.hasNews) this.host.flush()
    if (guard.isOver || isGone(this.instrument)) return
    const nowNs = clock.nowNs()
    this.#beginDue(nowNs)
    if (nowNs >= this.#nextEndNs) this.#closeDue(this.#byTime, nowNs)
    const kind = batch.kind[index]
    if (this.source === 'trades') {
      if (kind === EVENT_KINDS.trades) this.#takeTrades(batch, index, nowNs)
    } else if (this.source === 'mid') this.#takeMid(view)
    else if (kind === EVENT_KINDS.mark && !Number.isNaN(view.markPrice)) {
      if (view.markDigits !== null) throw inexact(this.instrument, 'mark', view.markDigits)
      this.#pending.addPrice(view.markPrice, view.markScale)
    }
  }

  /** The end of a series by its timer. */
  close(built: BuiltSeries): void {
    if (!isGone(this.instrument)) this.#closeDue([built], this.host.clock.nowNs())
  }

  #beginDue(nowNs: number): void {
    if (nowNs >= this.#nextBeginNs) this.arrange(nowNs)
  }

  /** Sends every bar that has ended by an instant. */
  #closeDue(all: readonly BuiltSeries[], nowNs: number): void {
    const { guard } = this.host
    this.settle()
    for (const built of all) {
      while (built.builder.isDue(nowNs) && guard.isOpen) {
        const bar = built.builder.close(nowNs)
        if (bar !== null) this.send(built, bar)
      }
    }
    this.#setNextEnd()
  }

  #setNextEnd(): void {
    this.#nextEndNs = this.#byTime.reduce((least, { builder }) => Math.min(least, builder.endNs), Infinity)
  }

  #takeTrades(batch: EventBatch, index: number, nowNs: number): void {
    const { side, price, quantity, priceScale, quantityScale } = batch
    const from = batch.rowStart[index] as number
    const to = batch.rowStart[index + 1] as number
    if (this.#byTime.length > 0)
      for (let row = from; row < to; row++)
        this.#pending.addTrade(
          side[row] as number, price[row] as number, quantity[row] as number, priceScale, quantityScale,
        )
    // A series that a bar makes begins with the next line.
    for (const built of this.#byTrades) {
      for (let row = from; row < to; row++) {
        const [sideOf, at, by] = [side[row] as number, price[row] as number, quantity[row] as number]
        if (built.builder.addTrade(sideOf, at, by, priceScale, quantityScale))
          this.send(built, built.builder.closeFull(nowNs))
      }
    }
  }

  #takeMid(view: MarketView): void {
    const top = this.#top
    if (!view.copyTop(top) || view.state !== 'READY') return
    const mid = ((top[0] as number) + (top[2] as number)) * 5
    if (Number.isNaN(mid)) return
    if (!Number.isSafeInteger(mid)) throw inexact(this.instrument, 'mid', String(mid))
    this.#pending.addPrice(mid, (top[4] as number) + 1)
  }
}

/** True where nothing is seen of an instrument any more, or never was. */
export function isGone({ view }: DataInstrument): boolean {
  return isAbsentMarket(view) && (view.state === 'GONE' || view.state === 'FAILED')
}

function inexact(instrument: DataInstrument, field: 'mid' | 'mark', found: string): BacktapeError {
  const expected = 'at most 2^53 - 1 without its point'
  return new BacktapeError(
    'VALUE_INEXACT', `Cannot make bars of ${instrument.code}: the ${field} must be ${expected}, found ${found}`,
    { field, expected, found },
  )
}
