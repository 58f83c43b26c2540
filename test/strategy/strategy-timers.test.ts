import { describe, expect, test } from 'vitest'
import { Strategy } from '../../src/strategy/strategy.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

class Timed extends Strategy {
  readonly received: string[] = []
  override onStart(): void {
    this.begin(this)
  }

  begin(_strategy: Timed): void {}

  note(name: string): void {
    this.received.push(`${name}@${this.nowNs() / 1e6}`)
  }
}

function timed(begin: (strategy: Timed) => void): ReturnType<typeof startFake<Timed>> {
  class Begun extends Timed {
    override begin(): void {
      begin(this)
    }
  }
  return startFake(Begun, { parameters: {} })
}

describe('timers', () => {
  test('every and after, in the order of time', () => {
    const { venue, strategy } = timed((s) => {
      s.every(10, () => s.note('ten'))
      s.after(15, () => s.note('once'))
    })
    venue.clock.advanceTo(30e6)
    expect(strategy.received).toEqual(['ten@10', 'once@15', 'ten@20', 'ten@30'])
  })

  test('names are ordinals of registration; a name again moves the timer', () => {
    const { venue, strategy } = timed((s) => {
      s.every(10, () => s.note('a'))
      s.every(10, () => s.note('named'), { name: 'quotes' })
      s.every(10, () => s.note('b'))
      s.every(20, () => s.note('named later'), { name: 'quotes' })
    })
    expect(venue.clock.waiting.map(({ name }) => name)).toEqual(['0', '1', 'quotes'])
    venue.clock.advanceTo(20e6)
    expect(strategy.received).toEqual(['a@10', 'b@10', 'named later@20', 'a@20', 'b@20'])
  })

  test('a timer may stop itself and others', () => {
    const { venue, strategy } = timed((s) => {
      s.every(10, () => {
        s.note('once')
        s.cancelTimer('tick')
        s.cancelTimer('other')
        s.cancelTimer('nobody')
      }, { name: 'tick' })
      s.every(10, () => s.note('never'), { name: 'other' })
    })
    venue.clock.advanceTo(100e6)
    expect(strategy.received).toEqual(['once@10'])
    expect(venue.clock.waiting).toEqual([])
  })

  test('fractions of a millisecond are nanoseconds', () => {
    const { venue, strategy } = timed((s) => s.every(0.000001, () => s.note('ns')))
    venue.clock.advanceTo(2)
    expect(strategy.received).toEqual(['ns@0.000001', 'ns@0.000002'])
  })

  test('a clock that is late leaves out what was missed and keeps the rhythm', () => {
    const { venue, strategy } = timed((s) => s.every(10, () => s.note('tick'), { name: 'tick' }))
    const timer = venue.clock.waiting[0]!
    timer.timeNs = 35e6
    venue.clock.advanceTo(40e6)
    expect(strategy.received).toEqual(['tick@35', 'tick@40'])
  })

  test('a clock that is late by a whole interval tells that one once', () => {
    const { venue, strategy } = timed((s) => s.every(10, () => s.note('tick'), { name: 'tick' }))
    venue.clock.waiting[0]!.timeNs = 20e6
    venue.clock.advanceTo(30e6)
    expect(strategy.received).toEqual(['tick@20', 'tick@30'])
  })

  test('what waits to be told comes first, and may stop the timer, move it or end it all', () => {
    for (const [what, received] of [['stop', []], ['move', ['later@15']], ['end', []], ['nothing', ['tick@10']]] as const) {
      class Waiting extends recording(['onMarketDataState']) {
        override onStart(): void {
          this.after(10, () => { this.received.push('tick@10') }, { name: 'tick' })
        }

        override onMarketDataState(): void {
          if (what === 'stop') this.cancelTimer('tick')
          else if (what === 'move') this.after(5, () => { this.received.push('later@15') }, { name: 'tick' })
          else if (what === 'end') this.stop('enough')
        }
      }
      const { venue, strategy } = startFake(Waiting, { entries: [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })] })
      const timer = venue.clock.waiting.find(({ name }) => name === 'tick')!
      venue.clock.waiting.splice(0)
      venue.clock.advanceTo(10e6)
      strategy.subscribeInstrument(2)
      // The clock has taken the timer already when what waits is told.
      timer.onTimer('tick')
      venue.clock.advanceTo(100e6)
      expect(strategy.received).toEqual(received)
    }
  })

  test.each([['v2'], ['2nd'], ['1.5'], ['']])('%j is a name', (name) => {
    const { venue, runtime } = timed((s) => s.every(10, () => undefined, { name }))
    expect([venue.clock.waiting.map((timer) => timer.name), runtime.state().timers]).toEqual([[name], { waiting: [{ name, timeNs: 10e6 }], names: [name], unnamedCount: 0 }])
  })

  test('nothing fires after the end', () => {
    const { venue, strategy, runtime } = timed((s) => s.every(10, () => s.note('tick')))
    runtime.stop('over')
    venue.clock.advanceTo(100e6)
    expect([strategy.received, runtime.isOver, runtime.stopReason]).toEqual([[], true, 'over'])
  })

  test.each([
    ['no callback', (s: Timed) => s.every(10, undefined as never), /it takes a function to call, found nothing/],
    ['a text for a callback', (s: Timed) => s.after(10, 'tick' as never), /it takes a function to call, found "tick"/],
    ['a number for a name', (s: Timed) => s.after(10, () => undefined, { name: 5 as never }), /it takes a text as its name, found 5/],
    ['an interval of nothing', (s: Timed) => s.every(0, () => undefined), /every takes a number of milliseconds above 0 to 104 days, found 0/],
    ['a negative delay', (s: Timed) => s.after(-1, () => undefined), /after takes a number of milliseconds/],
    ['NaN', (s: Timed) => s.every(NaN, () => undefined), /found NaN/],
    ['a text', (s: Timed) => s.every('10' as never, () => undefined), /found 10/],
    ['a bigint', (s: Timed) => s.every(10n as never, () => undefined), /every takes a number of milliseconds .* found 10/],
    ['a symbol', (s: Timed) => s.after(Symbol('soon') as never, () => undefined), /found Symbol\(soon\)/],
    ['for ever', (s: Timed) => s.after(Infinity, () => undefined), /found Infinity/],
    ['a name of many digits', (s: Timed) => s.every(1, () => undefined, { name: '12' }), /digits alone/],
    ['a name of digits', (s: Timed) => s.every(1, () => undefined, { name: '7' }), /digits alone are the names of timers without one/],
    ['the name of the runtime', (s: Timed) => s.every(1, () => undefined, { name: '(runtime)' }), /the runtime uses this name/],
  ])('%s is refused', (_what, begin, words) => {
    expect(() => timed(begin)).toThrow(words)
  })

  test.each<readonly [begin: (s: Timed) => void, place: object]>([
    [(s) => s.every(0, () => undefined), { field: 'every', expected: 'a number of milliseconds above 0 to 104 days', found: '0' }],
    [(s) => s.every(-5, () => undefined), { field: 'every', expected: 'a number of milliseconds above 0 to 104 days', found: '-5' }],
    [(s) => s.after(-1, () => undefined), { field: 'after', expected: 'a number of milliseconds from 0 to 104 days', found: '-1' }],
    [(s) => s.every(1, () => undefined, { name: '7' }), { field: 'name', found: '7' }],
    [(s) => s.every(1, () => undefined, { name: '(runtime)' }), { field: 'name', found: '(runtime)' }],
  ])('and says where', (begin, place) => {
    const failing = (strategy: Timed): void => {
      expect(() => { begin(strategy) }).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place }) as Error)
    }
    timed(failing)
  })
})

describe('timers of a run that resumes', () => {
  /** Goes on at 25 ms, from where `begin` and `later` (at 10 ms) have left it. */
  function resumed(begin: (strategy: Timed) => void, later: (strategy: Timed) => void, again: (strategy: Timed) => void): ReturnType<typeof timed> {
    const before = timed((s) => {
      begin(s)
      s.after(10, () => { later(s) }, { name: 'later' })
    })
    before.venue.clock.advanceTo(25e6)
    class Again extends Timed {
      override begin(): void {
        again(this)
      }
    }
    const venue = new FakeVenue()
    venue.clock.advanceTo(25e6)
    return startFake(Again, { parameters: {}, resume: throughJson(before.runtime.state()) }, venue)
  }
  const due = ({ venue }: ReturnType<typeof timed>): string[] => venue.clock.waiting.map(({ name, timeNs }) => `${name}@${timeNs / 1e6}`)
  const nothing = (): void => undefined

  test('one with a name that is over stays over, a new one begins now', () => {
    const run = resumed(nothing, nothing, (s) => {
      s.after(10, nothing, { name: 'later' })
      s.after(10, nothing, { name: 'fresh' })
    })
    expect([due(run), run.runtime.state().timers.names]).toEqual([['fresh@35'], ['later', 'fresh']])
  })

  test('of those without a name as many as had been registered are known, the next begins now', () => {
    const twelve = (s: Timed): void => { for (let i = 0; i < 12; i++) s.after(i === 11 ? 90 : 1, nothing) }
    const run = resumed(twelve, nothing, (s) => {
      twelve(s)
      s.after(10, nothing)
    })
    expect(due(run)).toEqual(['11@90', '12@35'])
  })

  test('one without a name that is registered later does not take the name of one that was', () => {
    const run = resumed((s) => { s.every(20, nothing) }, (s) => { s.after(1, nothing) }, (s) => { s.every(20, nothing) })
    run.strategy.after(10, nothing)
    expect([due(run), run.runtime.state().timers.unnamedCount]).toEqual([['0@40', '2@35'], 3])
  })

  test.each<readonly [names: readonly string[], words: RegExp]>([[['a'], /the saved timer "a"; /], [['a', 'b'], /the saved timers "a", "b"; /]])('that nobody registers: %j', (names, words) => {
    const run = (): unknown => resumed((s) => { for (const name of names) s.after(90, nothing, { name }) }, nothing, nothing)
    expect(run).toThrow(words)
    expect(run).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'timers', found: names.map((name) => JSON.stringify(name)).join(', ') } }) as Error)
  })
})
