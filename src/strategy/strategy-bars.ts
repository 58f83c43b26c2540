import { BarBuilder } from '../measures/bars/bar-builder.js'
import { BarSum } from '../measures/bars/bar-sum.js'
import { Bar, figuresOf } from '../measures/bars/bar.js'
import { barRule, type BarSource, type BarSpan } from '../measures/bars/bar-span.js'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { foundText } from '../model/fault.js'
import type { MarketDataListener, MarketView, Topics, Venue } from '../venue/venue.js'
import { isAbsentMarket } from './absent-market.js'
import { BarSeries, type BarOptions, type BarSeriesState, type BuiltSeries } from './bar-series.js'
import type { CallbackGuard } from './callback-guard.js'
import { DataInstrument } from './data-instrument.js'
import type { Strategy } from './strategy.js'
import type { StrategyTimers } from './strategy-timers.js'

/** The parts of their runtime that bars need. */
export interface BarsHost {
  readonly strategy: Strategy
  readonly venue: Venue
  readonly guard: CallbackGuard
  readonly timers: StrategyTimers
  /** Sends everything that waits: it comes before a bar. */
  flush(): void
}

/** The most series of one strategy. */
const SERIES_LIMIT = 1_000

const TOPICS: Readonly<Record<BarSource, Topics>> = {
  trades: { trades: true }, mid: { depth: true, topOfBook: true }, mark: { markPrice: true },
}

/**
 * Receives the prices of one instrument for all series that are made of them. Those by time share one sum, which is
 * added to each where one of them ends: a price costs the same for one span and for ten.
 */
class BarFeed implements MarketDataListener {
  readonly instrument: DataInstrument
  readonly source: BarSource
  /** True where it was asked for while the strategy ran. */
  isLate: boolean
  readonly #host: BarsHost
  readonly #send: (built: BuiltSeries, bar: Bar) => void
  readonly #byTime: BuiltSeries[] = []
  readonly #byTrades: BuiltSeries[] = []
  /** Prices that the series by time have not got yet. */
  readonly #pending: BarSum
  #nextEndNs = Infinity
  /** Best prices as seen last, in the columns of {@link MarketView.copyTop}. */
  readonly #top: Float64Array = Float64Array.of(NaN, 0, NaN, 0, 0, 0)

  constructor(
    instrument: DataInstrument, source: BarSource, isLate: boolean, host: BarsHost,
    send: (built: BuiltSeries, bar: Bar) => void,
  ) {
    this.instrument = instrument
    this.source = source
    this.isLate = isLate
    this.#host = host
    this.#send = send
    this.#pending = new BarSum(instrument.master.isInverse)
  }

  begin(): void {
    this.#host.venue.subscribe(this.instrument.id, TOPICS[this.source], this)
  }

  add(built: BuiltSeries): void {
    this.settle()
    if (built.builder.endNs === Infinity) this.#byTrades.push(built)
    else this.#byTime.push(built)
    this.#nextEndNs = Math.min(this.#nextEndNs, built.builder.endNs)
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
    if (this.source === 'mid') this.#takeMid(view)
  }

  onEvent(batch: EventBatch, index: number, view: MarketView): void {
    const { guard, venue } = this.#host
    if (guard.hasNews) this.#host.flush()
    if (guard.isOver || isGone(this.instrument)) return
    const nowNs = venue.clock.nowNs()
    if (nowNs >= this.#nextEndNs) this.#closeDue(this.#byTime, nowNs)
    const kind = batch.kind[index]
    if (this.source === 'trades') {
      if (kind === EVENT_KINDS.trades) this.#takeTrades(batch, index, nowNs)
    } else if (this.source === 'mid') this.#takeMid(view)
    else if (kind === EVENT_KINDS.mark && !Number.isNaN(view.markPrice))
      this.#pending.addPrice(view.markPrice, view.markScale)
  }

  /** The end of a series by its timer. */
  close(built: BuiltSeries): void {
    if (!isGone(this.instrument)) this.#closeDue([built], this.#host.venue.clock.nowNs())
  }

  /** Sends every bar that has ended by an instant. */
  #closeDue(all: readonly BuiltSeries[], nowNs: number): void {
    const { guard } = this.#host
    this.settle()
    for (const built of all) {
      while (built.builder.isDue(nowNs) && guard.isOpen) {
        const bar = built.builder.close(nowNs)
        if (bar !== null) this.#send(built, bar)
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
    const count = this.#byTrades.length
    for (let i = 0; i < count; i++) {
      const built = this.#byTrades[i] as BuiltSeries
      for (let row = from; row < to; row++) {
        const [sideOf, at, by] = [side[row] as number, price[row] as number, quantity[row] as number]
        if (built.builder.addTrade(sideOf, at, by, priceScale, quantityScale))
          this.#send(built, built.builder.closeFull(nowNs))
      }
    }
  }

  #takeMid(view: MarketView): void {
    const top = this.#top
    if (!view.copyTop(top) || view.state !== 'READY') return
    const mid = ((top[0] as number) + (top[2] as number)) * 5
    if (Number.isNaN(mid)) return
    if (!Number.isSafeInteger(mid)) throw inexactMid(this.instrument, mid)
    this.#pending.addPrice(mid, (top[4] as number) + 1)
  }
}

/** The bars of one strategy: which series it has, who feeds them, and when they end. */
export class StrategyBars {
  readonly #host: BarsHost
  readonly #all: BuiltSeries[] = []
  readonly #feeds: BarFeed[] = []
  #hasBegun = false

  constructor(host: BarsHost) {
    this.#host = host
  }

  /** A new series, from now on. Throws OPTION_INVALID for what cannot be, LIMIT_EXCEEDED for too many. */
  subscribe(instrument: DataInstrument, span: BarSpan, options: BarOptions): BarSeries {
    const rule = barRule(span)
    const isByTime = rule.kind === 'time'
    const { of = 'trades', closeOn = 'timer', empty = false } = checkedOptions(instrument, isByTime, options)
    if (this.#all.length >= SERIES_LIMIT) {
      const expected = `at most ${SERIES_LIMIT} series of bars`
      throw new BacktapeError('LIMIT_EXCEEDED', `Cannot subscribe bars: expected ${expected}, found one more`, {
        expected, found: 'one more',
      })
    }
    const { clock } = this.#host.venue
    const nowNs = clock.nowNs()
    const builder = new BarBuilder({
      rule, instrument: instrument.master, epochDay: clock.epochDay, nowNs, sendsEmpty: empty,
    })
    const built: BuiltSeries = {
      series: new BarSeries(instrument, rule.label, of), builder,
      closesOnTimer: isByTime && closeOn === 'timer',
    }
    const feed = this.#feed(instrument, of)
    const name = `(bars ${this.#all.length})`
    this.#all.push(built)
    feed.add(built)
    if (built.closesOnTimer && rule.kind === 'time')
      this.#host.timers.everyFrom(builder.endNs, rule.spanNs, () => { feed.close(built) }, name)
    return built.series
  }

  /** Subscribes what `onStart` asked for: ahead of the strategy's own callbacks, so that a bar ends before a line. */
  begin(): void {
    this.#hasBegun = true
    for (const feed of this.#feeds) if (!feed.isLate) feed.begin()
  }

  /** Subscribes what the run before had asked for later: behind everything else, as it was. */
  beginLate(): void {
    for (const feed of this.#feeds) if (feed.isLate) feed.begin()
  }

  state(): readonly BarSeriesState[] {
    return this.#all.map(({ series, builder }) => {
      const feed = this.#feed(series.instrument, series.of)
      feed.settle()
      return {
        instrumentId: series.instrument.id, title: String(series), isLate: feed.isLate, top: feed.top(),
        builder: builder.save(), last: series.last === null ? null : figuresOf(series.last),
      }
    })
  }

  /** Takes back a state; the strategy has subscribed the same series in the same order. Throws OPTION_INVALID. */
  restore(saved: readonly BarSeriesState[]): void {
    for (const [at, { instrumentId, title, isLate, top, builder, last }] of saved.entries()) {
      const built = this.#all[at]
      const found = built === undefined ? 'no more' : String(built.series)
      if (built === undefined || built.series.instrument.id !== instrumentId || found !== title)
        throw new BacktapeError(
          'OPTION_INVALID',
          `Cannot resume ${this.#host.guard.strategyName}: bars ${at + 1} of the checkpoint are ${title}, ` +
            `found ${found}; subscribe the same bars in the same order in onStart or restoreState`,
          { field: 'bars', expected: title, found },
        )
      built.builder.restore(builder)
      built.series.last = last === null ? null : new Bar(last)
      this.#feed(built.series.instrument, built.series.of).restore(isLate, top)
    }
  }

  readonly #send = ({ series }: BuiltSeries, bar: Bar): void => {
    const { guard, strategy } = this.#host
    series.last = bar
    if (guard.hasNews) this.#host.flush()
    guard.run('onBar', () => strategy.onBar(bar, series))
  }

  #feed(instrument: DataInstrument, source: BarSource): BarFeed {
    const known = this.#feeds.find((feed) => feed.instrument === instrument && feed.source === source)
    if (known !== undefined) return known
    const feed = new BarFeed(instrument, source, this.#hasBegun, this.#host, this.#send)
    this.#feeds.push(feed)
    if (this.#hasBegun) feed.begin()
    return feed
  }
}

/** True where nothing is seen of an instrument any more, or never was. */
function isGone({ view }: DataInstrument): boolean {
  return isAbsentMarket(view) && (view.state === 'GONE' || view.state === 'FAILED')
}

function checkedOptions(instrument: DataInstrument, isByTime: boolean, options: BarOptions): BarOptions {
  if (!((instrument as unknown) instanceof DataInstrument))
    throw refusal('instrument', 'an instrument of the strategy', foundText(instrument))
  if (isGone(instrument)) throw refusal('instrument', 'one with market data', `${instrument.code}, which has none`)
  if (typeof options !== 'object' || (options as unknown) === null)
    throw refusal('options', 'an object', foundText(options))
  const { of, closeOn, empty, ...more } = options
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw refusal('options', 'of, closeOn or empty', JSON.stringify(unknown))
  if (of !== undefined && !Object.hasOwn(TOPICS, of)) throw refusal('of', 'trades, mid or mark', foundText(of))
  if (closeOn !== undefined && closeOn !== 'timer' && closeOn !== 'event')
    throw refusal('closeOn', 'timer or event', foundText(closeOn))
  if (empty !== undefined && typeof empty !== 'boolean') throw refusal('empty', 'true or false', foundText(empty))
  if (isByTime) return options
  if (of !== undefined && of !== 'trades') throw refusal('of', 'trades for bars that no time ends', of)
  if (closeOn !== undefined) throw refusal('closeOn', 'a bar that a time ends', 'one that its trades end')
  if (empty !== undefined) throw refusal('empty', 'a bar that a time ends', 'one that its trades end')
  return options
}

function refusal(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot subscribe bars: ${field} must be ${expected}, found ${found}`, {
    field, expected, found,
  })
}

function inexactMid(instrument: DataInstrument, found: number): BacktapeError {
  const expected = 'at most 2^53 - 1 without its point'
  return new BacktapeError(
    'VALUE_INEXACT', `Cannot make bars of ${instrument.code}: the mid must be ${expected}, found ${found}`,
    { field: 'mid', expected, found: String(found) },
  )
}
