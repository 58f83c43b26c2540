import { describe, expect, test } from 'vitest'
import { ema } from '../../src/measures/indicators/indicators.js'
import type { Bar } from '../../src/measures/bars/bar.js'
import type { BarSpan } from '../../src/measures/bars/bar-span.js'
import type { BarOptions, BarSeries } from '../../src/strategy/bar-series.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { FakeVenue } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const MS = 1e6

/** Subscribes what a test wants, and writes down every bar: when, of which series, its prices. */
class Barring extends recording(['onInstrumentTrades', 'onInstrumentTopOfBook']) {
  static wanted: readonly (readonly [span: BarSpan, options?: BarOptions])[] = []
  readonly series: BarSeries[] = []
  override onStart(): void {
    for (const [span, options] of Barring.wanted) this.series.push(this.subscribeBars(this.instrument, span, options))
  }

  override onBar(bar: Bar, series: BarSeries): void {
    this.note('onBar', `${this.nowNs() / MS} ${series.span} [${bar.startNs / MS}, ${bar.endNs / MS}) ${[bar.open, bar.high, bar.low, bar.close].join(' ')} x${bar.count} ${String(bar.volume)}`)
  }
}

const start = (...wanted: typeof Barring.wanted): ReturnType<typeof startFake<Barring>> => {
  Barring.wanted = wanted
  return startFake(Barring)
}

const trade = (venue: FakeVenue, atMs: number, ...rows: readonly (readonly [side: number, price: number, quantity: number])[]): void => {
  venue.clock.advanceTo(atMs * MS)
  venue.line(2, rows)
}

describe('bars of a strategy', () => {
  test('by time end with a timer, at their end', () => {
    const { venue, strategy } = start(['10ms'])
    trade(venue, 3, [0, 1000, 5], [1, 990, 10])
    trade(venue, 9, [0, 1010, 5])
    venue.clock.advanceTo(35 * MS)
    trade(venue, 36, [0, 1020, 1])
    venue.clock.advanceTo(40 * MS)
    expect(strategy.received).toEqual(['onInstrumentTrades(at 0)', 'onInstrumentTrades(at 0)', 'onBar(10 10ms [0, 10) 100 101 99 101 x3 0.2)', 'onInstrumentTrades(at 0)', 'onBar(40 10ms [30, 40) 102 102 102 102 x1 0.01)'])
  })

  test('a line at the end belongs to the next bar, and its callback comes after the bar', () => {
    const { venue, strategy } = start(['10ms', { closeOn: 'event' }], ['10ms'])
    trade(venue, 9, [0, 1000, 5])
    // Before the timers of that instant.
    venue.clock.advanceTo(10 * MS - 1)
    strategy.received.length = 0
    const [feed] = venue.subscriptions
    expect(feed?.topics).toEqual({ trades: true })
    trade(venue, 10, [0, 1010, 5])
    expect(strategy.received).toEqual(['onBar(10 10ms [0, 10) 100 100 100 100 x1 0.05)', 'onBar(10 10ms [0, 10) 100 100 100 100 x1 0.05)', 'onInstrumentTrades(at 0)'])
  })

  test('spans without a trade are bars where they are wanted, each at its end', () => {
    const { venue, strategy } = start(['10ms', { empty: true }])
    venue.clock.advanceTo(20 * MS)
    trade(venue, 21, [0, 1000, 5])
    venue.clock.advanceTo(50 * MS)
    expect(strategy.received.slice(1)).toEqual(['onBar(30 10ms [20, 30) 100 100 100 100 x1 0.05)', 'onBar(40 10ms [30, 40) 100 100 100 100 x0 0)', 'onBar(50 10ms [40, 50) 100 100 100 100 x0 0)'])
  })

  test('by trades are full in the middle of a line', () => {
    const { venue, strategy } = start([{ trades: 2 }])
    trade(venue, 3, [0, 1000, 5], [1, 990, 10], [1, 980, 10])
    trade(venue, 4, [0, 1010, 5])
    expect(strategy.received).toEqual(['onBar(3 2 trades [0, 3) 100 100 99 99 x2 0.15)', 'onInstrumentTrades(at 0)', 'onBar(4 2 trades [3, 4) 98 101 98 101 x2 0.15)', 'onInstrumentTrades(at 0)'])
  })

  test('of mids count changes of the best prices, exact between two ticks, and none while the book is not READY', () => {
    const { venue, strategy } = start(['10ms', { of: 'mid' }])
    const market = venue.market(1)
    const top = (atMs: number, bid: readonly [number, number] | null, ask: readonly [number, number] | null): void => {
      venue.clock.advanceTo(atMs * MS)
      market.top(bid, ask)
      venue.line(1)
    }
    top(1, [1000, 5], [1005, 5])
    top(2, [1000, 5], [1005, 5])
    top(3, [1001, 5], [1005, 5])
    top(4, null, [1005, 5])
    market.state = 'ERROR'
    top(5, [2000, 5], [2005, 5])
    market.state = 'READY'
    venue.clock.advanceTo(10 * MS)
    expect(strategy.received.filter((line) => line.startsWith('onBar'))).toEqual(['onBar(10 10ms [0, 10) 100.25 100.3 100.25 100.3 x2 0)'])
    expect(venue.subscriptions[0]?.topics).toEqual({ depth: true, topOfBook: true })
  })

  test('of marks take every mark price', () => {
    const { venue, strategy } = start(['10ms', { of: 'mark' }])
    for (const [price, scale] of [[10_005, 2], [999, 1]] as const) {
      Object.assign(venue.market(1), { markPrice: price, markScale: scale })
      venue.line(7, [], [[price, scale]])
    }
    venue.clock.advanceTo(10 * MS)
    expect(strategy.received).toEqual(['onBar(10 10ms [0, 10) 100.05 100.05 99.9 99.9 x2 0)'])
    expect(venue.subscriptions[0]?.topics).toEqual({ markPrice: true })
  })

  test('series of the same prices share a subscription; the last bar of each is kept', () => {
    const { venue, strategy } = start(['10ms'], ['20ms'], [{ trades: 1 }], ['10ms', { of: 'mid' }])
    expect(venue.subscriptions).toHaveLength(3)
    expect(strategy.series.map(String)).toEqual(['10ms of trades of BTCUSDT', '20ms of trades of BTCUSDT', '1 trades of BTCUSDT', '10ms of mid prices of BTCUSDT'])
    trade(venue, 3, [0, 1000, 5])
    venue.clock.advanceTo(10 * MS)
    expect(strategy.series.map(({ last }) => last?.endNs)).toEqual([10 * MS, undefined, 3 * MS, undefined])
  })

  test('one that is subscribed in the middle of a span says that its first bar is partial', () => {
    const { venue, strategy } = start()
    venue.clock.advanceTo(3 * MS)
    const bars: Bar[] = []
    strategy.reactions.set('onInstrumentTrades', () => { strategy.subscribeBars(strategy.instrument, '10ms') })
    trade(venue, 4, [0, 1000, 5])
    Object.assign(strategy, { onBar: (bar: Bar) => void bars.push(bar) })
    trade(venue, 5, [0, 1010, 5])
    trade(venue, 15, [0, 1010, 5])
    venue.clock.advanceTo(20 * MS)
    expect(bars.map(({ isPartial, count, startTimestampNs, endTimestampNs }) => [isPartial, count, startTimestampNs, endTimestampNs])).toEqual([[true, 1, 0n, 10_000_000n], [false, 1, 10_000_000n, 20_000_000n]])
  })

  test('nothing follows once the strategy has stopped', () => {
    const { venue, strategy } = start(['10ms'], [{ trades: 1 }])
    strategy.reactions.set('onBar', () => { strategy.stop() })
    trade(venue, 3, [0, 1000, 5], [0, 1000, 5])
    trade(venue, 12, [0, 1000, 5])
    venue.clock.advanceTo(30 * MS)
    expect(strategy.received).toEqual(['onBar(3 1 trades [0, 3) 100 100 100 100 x1 0.05)'])
  })

  test('what onBar throws ends the run under its name', () => {
    const { venue, strategy } = start(['10ms'])
    strategy.reactions.set('onBar', () => { throw new Error('oh') })
    trade(venue, 3, [0, 1000, 5])
    expect(() => { venue.clock.advanceTo(10 * MS) }).toThrow('Cannot go on with Barring at 1970-01-01T00:00:00.010000000Z: onBar threw Error: oh')
  })
})

describe('refused', () => {
  test.each<readonly [span: unknown, options: unknown, words: string]>([
    ['10 s', {}, 'the span must be a duration without a space: write 10s'],
    ['10s', { of: 'bid' }, 'of must be trades, mid or mark, found "bid"'],
    ['10s', { closeOn: 'tick' }, 'closeOn must be timer or event, found "tick"'],
    ['10s', { empty: 1 }, 'empty must be true or false, found 1'],
    ['10s', { warmup: '5m' }, 'options must be of, closeOn, empty or warmUp, found "warmup"'],
    ['10s', null, 'options must be an object, found null'],
    [{ trades: 5 }, { of: 'mid' }, 'of must be trades for bars that no time ends, found mid'],
    [{ trades: 5 }, { closeOn: 'event' }, 'closeOn must be a bar that a time ends, found one that its trades end'],
    [{ volume: '5' }, { empty: true }, 'empty must be a bar that a time ends, found one that its trades end'],
  ])('%j %j', (span, options, words) => {
    const { strategy } = start()
    expect(() => strategy.subscribeBars(strategy.instrument, span as BarSpan, options as BarOptions)).toThrow(words)
  })

  test('what is no instrument, and one without market data', () => {
    const { strategy } = start()
    expect(() => strategy.subscribeBars('BTCUSDT' as never, '10s')).toThrow('Cannot subscribe bars: instrument must be an instrument of the strategy, found "BTCUSDT"')
    const unknown = strategy.subscribeInstrument('NOPE')
    expect(() => strategy.subscribeBars(unknown, '10s')).toThrow('Cannot subscribe bars: instrument must be one with market data, found NOPE, which has none')
  })

  test('more than 1,000 series', () => {
    const { strategy } = start()
    for (let count = 0; count < 1000; count++) strategy.subscribeBars(strategy.instrument, '10s')
    expect(() => strategy.subscribeBars(strategy.instrument, '10s')).toThrow('Cannot subscribe bars: expected at most 1000 series of bars, found one more')
  })

  test('a timer under a name of the runtime', () => {
    const { strategy } = start(['10ms'])
    expect(() => { strategy.cancelTimer('(bars 0)') }).toThrow('Cannot cancel a timer called (bars 0): the runtime uses this name itself')
    expect(() => { strategy.every(5, () => undefined, { name: '(bars 1)' }) }).toThrow('Cannot register a timer called (bars 1)')
  })
})

describe('a checkpoint', () => {
  const written = (state: RuntimeState): RuntimeState => throughJson(state)
  const resume = (state: RuntimeState, ...wanted: typeof Barring.wanted): ReturnType<typeof startFake<Barring>> => {
    Barring.wanted = wanted
    const venue = new FakeVenue()
    venue.clock.advanceTo(5 * MS)
    return startFake(Barring, { resume: written(state) }, venue)
  }
  const half = (): RuntimeState => {
    const { venue, runtime } = start(['10ms'], [{ trades: 2 }])
    trade(venue, 3, [0, 1000, 5], [0, 1000, 5], [0, 990, 5])
    venue.clock.advanceTo(5 * MS)
    return runtime.state()
  }

  test('holds the bars at hand', () => {
    const { venue, strategy } = resume(half(), ['10ms'], [{ trades: 2 }])
    expect(strategy.series.map(({ last }) => last?.count)).toEqual([undefined, 2])
    trade(venue, 6, [1, 1010, 5])
    venue.clock.advanceTo(10 * MS)
    expect(strategy.received.filter((line) => line.startsWith('onBar'))).toEqual(['onBar(6 2 trades [3, 6) 99 101 99 101 x2 0.1)', 'onBar(10 10ms [0, 10) 100 101 99 101 x4 0.2)'])
  })

  test.each<readonly [what: string, wanted: typeof Barring.wanted, words: string]>([
    ['no bars', [], 'bars 1 of the checkpoint are 10ms of trades of BTCUSDT, found no more'],
    ['fewer', [['10ms']], 'bars 2 of the checkpoint are 2 trades of BTCUSDT, found no more'],
    ['another span', [['20ms'], [{ trades: 2 }]], 'bars 1 of the checkpoint are 10ms of trades of BTCUSDT, found 20ms of trades of BTCUSDT'],
    ['another price', [['10ms', { of: 'mid' }], [{ trades: 2 }]], 'found 10ms of mid prices of BTCUSDT'],
  ])('is refused by a strategy with %s', (_what, wanted, words) => {
    const state = half()
    expect(() => resume(state, ...wanted)).toThrow(words)
  })
})

describe('indicators of a strategy', () => {
  class Holding extends recording([]) {
    fast = ema(2)
    list = [ema(2), [ema(3)]]
    byName = new Map<string | number, unknown>([['a', ema(2)], [7, [ema(2)]]])
    #hidden: unknown = null
    box: unknown = null
    hide(what: unknown): unknown { return (this.#hidden = what) ?? this.#hidden }
  }
  const all = (strategy: Holding): ReturnType<typeof ema>[] => [strategy.fast, strategy.list[0] as never, (strategy.list[1] as never[])[0]!, strategy.byName.get('a') as never, (strategy.byName.get(7) as never[])[0]!]

  test('are saved and restored by their fields, in lists and maps too', () => {
    const before = startFake(Holding)
    all(before.strategy).forEach((indicator, at) => { for (const value of [1, 2, 4, 8]) indicator.next(value + at) })
    const state = throughJson(before.runtime.state())
    expect(Object.keys(state.indicators)).toEqual(['fast', 'list[0]', 'list[1][0]', 'byName["a"]', 'byName[7][0]'])
    const after = startFake(Holding, { resume: state })
    const next = (strategy: Holding): number[] => all(strategy).map((indicator) => indicator.next(100))
    expect(next(after.strategy)).toEqual(next(before.strategy))
  })

  test.each<readonly [where: string, keep: (strategy: Holding) => void]>([
    ['a private field', (strategy) => { strategy.hide(ema(5)) }],
    ['an object', (strategy) => { strategy.box = { slow: ema(5) } }],
    ['nowhere', () => { ema(5) }],
  ])('in %s are refused at the first checkpoint', (_where, keep) => {
    class Losing extends Holding {
      override onStart(): void { keep(this) }
    }
    const { runtime } = startFake(Losing)
    expect(() => runtime.state()).toThrow('Cannot save Losing: its indicator ema(5) is out of reach; make it a field of the strategy that is not private (#), or a value of an array or a map that is one')
  })

  test('of others are not taken for those of this strategy', () => {
    const { runtime } = startFake(Holding)
    ema(5)
    expect(() => runtime.state()).not.toThrow()
  })

  test.each<readonly [what: string, change: (strategy: Strategy & Holding) => void, words: string]>([
    ['nobody has made', (strategy) => { strategy.byName.clear() }, 'Cannot resume Changed: the checkpoint holds the indicator byName["a"], which neither the constructor nor onStart nor restoreState has made'],
    ['has another period', (strategy) => { strategy.fast = ema(9) }, 'Cannot restore ema(9): label must be the state of the same indicator, found "ema(2)"'],
  ])('that %s at a resume is refused', (_what, change, words) => {
    const state = throughJson(startFake(Holding).runtime.state())
    class Changed extends Holding {
      override onStart(): void { change(this) }
    }
    expect(() => startFake(Changed, { resume: state })).toThrow(words)
  })
})
