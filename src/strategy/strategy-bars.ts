import { BarBuilder } from '../measures/bars/bar-builder.js'
import { Bar, figuresOf } from '../measures/bars/bar.js'
import { barRule, type BarRule, type BarSource, type BarSpan } from '../measures/bars/bar-span.js'
import { durationOf } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import type { Clock, Venue } from '../venue/venue.js'
import { BAR_TOPICS, BarFeed, isGone, type BarFeedHost } from './bar-feed.js'
import { BarSeries, type BarOptions, type BarSeriesState, type BuiltSeries } from './bar-series.js'
import type { CallbackGuard } from './callback-guard.js'
import { DataInstrument } from './data-instrument.js'
import type { Strategy } from './strategy.js'
import type { StrategyTimers } from './strategy-timers.js'
import type { HistoryRequest } from './warm-up.js'

/** The parts of their runtime that bars need. */
export interface BarsHost {
  readonly strategy: Strategy
  readonly venue: Venue
  readonly guard: CallbackGuard
  readonly timers: StrategyTimers
  /** True while `onStart` runs for a run that resumes: what was before it has been played. */
  readonly isResuming: () => boolean
  /** Sends everything that waits: it comes before a bar. */
  flush(): void
}

/** The most series of one strategy. */
const SERIES_LIMIT = 1_000

/** The bars of one strategy: which series it has, who feeds them, and when they end. */
export class StrategyBars {
  readonly #feedHost: BarFeedHost & { clock: Clock }
  readonly #all: BuiltSeries[] = []
  readonly #feeds: BarFeed[] = []
  #hasBegun = false

  constructor(private readonly host: BarsHost) {
    const { venue, guard, flush } = host
    this.#feedHost = { venue, guard, clock: venue.clock, flush }
  }

  /** A new series, from now on. Throws OPTION_INVALID for what cannot be, LIMIT_EXCEEDED for too many. */
  subscribe(instrument: DataInstrument, span: BarSpan, options: BarOptions): BarSeries {
    const rule = barRule(span)
    const isByTime = rule.kind === 'time'
    const { of = 'trades', closeOn = 'timer', empty = false, warmUp } = checkedOptions(instrument, isByTime, options)
    if (this.#all.length >= SERIES_LIMIT) {
      const expected = `at most ${SERIES_LIMIT} series of bars`
      throw new BacktapeError('LIMIT_EXCEEDED', `Cannot subscribe bars: expected ${expected}, found one more`, {
        expected, found: 'one more',
      })
    }
    const builderAt = (nowNs: number): BarBuilder => new BarBuilder({
      rule, instrument: instrument.master, epochDay: this.host.venue.clock.epochDay, nowNs, sendsEmpty: empty,
    })
    const nowNs = this.host.venue.clock.nowNs()
    const sinceNs = this.#sinceNs(warmUp, rule, builderAt)
    const built: BuiltSeries = {
      series: new BarSeries(instrument, rule.label, of), builder: builderAt(sinceNs ?? nowNs),
      timerSpanNs: isByTime && closeOn === 'timer' ? rule.spanNs : null,
      ...(sinceNs === undefined ? {} : { sinceNs }),
    }
    this.#all.push(built)
    this.#feed(instrument, of).add(built)
    this.#setTimer(built, builderAt(nowNs).endNs)
    return built.series
  }

  /** The lines of before the run that series are made of, a request for each feed. */
  requests(): readonly HistoryRequest[] {
    return this.#feeds.filter(({ earliestNs }) => earliestNs !== Infinity).map((feed) => ({
      instrumentId: feed.instrument.id, topics: BAR_TOPICS[feed.source], sinceNs: feed.earliestNs, listener: feed,
    }))
  }

  /** A stretch of the past begins: series take prices from their own time on, and end by timers of `clock`. */
  beginPast(clock: Clock): void {
    this.#feedHost.clock = clock
    for (const feed of this.#feeds) feed.arrange(clock.nowNs())
    const timers = clock.timers('bars', () => {})
    for (const [number, built] of this.#all.entries()) {
      const { series, builder, timerSpanNs, sinceNs } = built
      if (timerSpanNs === null || sinceNs === undefined) continue
      const feed = this.#feed(series.instrument, series.of)
      const onDue = (): void => { feed.close(built) }
      timers.timer(String(number), { onDue }).every(builder.endNs, timerSpanNs)
    }
  }

  /** The past is over: all series go on with what the venue sends. */
  endPast(): void {
    const { clock } = this.host.venue
    this.#feedHost.clock = clock
    for (const feed of this.#feeds) feed.arrange(Infinity)
    // Bars that end with the begin come in the order of their starts, as timers that were set then do.
    const due = this.#all.filter(({ sinceNs, builder }) => sinceNs !== undefined && builder.endNs === clock.nowNs())
    due.sort((a, b) => (b.timerSpanNs ?? 0) - (a.timerSpanNs ?? 0))
    for (const built of due) this.#setTimer(built, clock.nowNs())
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
          `Cannot resume ${this.host.guard.strategyName}: bars ${at + 1} of the checkpoint are ${title}, ` +
            `found ${found}; subscribe the same bars in the same order in onStart or restoreState`,
          { field: 'bars', expected: title, found },
        )
      built.builder.restore(builder)
      built.series.last = last === null ? null : new Bar(last)
      this.#feed(built.series.instrument, built.series.of).restore(isLate, top)
    }
  }

  /** Ends a series by a timer from `firstNs` on, where it ends by one. */
  #setTimer(built: BuiltSeries, firstNs: number): void {
    const { series, timerSpanNs } = built
    if (timerSpanNs === null) return
    const feed = this.#feed(series.instrument, series.of)
    this.host.timers.register(() => { feed.close(built) }, timerSpanNs, firstNs, `(bars ${this.#all.indexOf(built)})`)
  }

  /** When the first bar of a warm-up begins, so that it is whole; undefined where none is asked for. */
  #sinceNs(
    warmUp: string | undefined, rule: BarRule, builderAt: (nowNs: number) => BarBuilder,
  ): number | undefined {
    if (warmUp === undefined) return undefined
    const lengthNs = typeof (warmUp as unknown) === 'string' ? durationOf(warmUp) : 'a duration such as 15m'
    if (typeof lengthNs === 'string') throw refusal('warmUp', lengthNs, foundText(warmUp))
    if (this.#hasBegun) throw refusal('warmUp', 'left out behind onStart: only bars of onStart have one', warmUp)
    if (this.host.isResuming()) return undefined
    const earliestNs = this.host.venue.clock.nowNs() - lengthNs
    return rule.kind === 'time' ? builderAt(earliestNs).endNs - rule.spanNs : earliestNs
  }

  readonly #send = ({ series }: BuiltSeries, bar: Bar): void => {
    const { guard, strategy } = this.host
    series.last = bar
    if (guard.hasNews) this.host.flush()
    guard.run('onBar', () => strategy.onBar(bar, series))
  }

  #feed(instrument: DataInstrument, source: BarSource): BarFeed {
    const known = this.#feeds.find((feed) => feed.instrument === instrument && feed.source === source)
    if (known !== undefined) return known
    const feed = new BarFeed(instrument, source, this.#hasBegun, this.#feedHost, this.#send)
    this.#feeds.push(feed)
    if (this.#hasBegun) feed.begin()
    return feed
  }
}

function checkedOptions(instrument: DataInstrument, isByTime: boolean, options: BarOptions): BarOptions {
  if (!((instrument as unknown) instanceof DataInstrument))
    throw refusal('instrument', 'an instrument of the strategy', foundText(instrument))
  if (isGone(instrument)) throw refusal('instrument', 'one with market data', `${instrument.code}, which has none`)
  if (typeof options !== 'object' || (options as unknown) === null)
    throw refusal('options', 'an object', foundText(options))
  const { of, closeOn, empty, warmUp: _warmUp, ...more } = options
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw refusal('options', 'of, closeOn, empty or warmUp', JSON.stringify(unknown))
  if (of !== undefined && !Object.hasOwn(BAR_TOPICS, of)) throw refusal('of', 'trades, mid or mark', foundText(of))
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
