import { describe, expect, test } from 'vitest'
import { Strategy } from '../../src/strategy/strategy.js'
import { startFake } from '../support/recording-strategy.js'

class Timed extends Strategy {
  readonly heard: string[] = []
  override onStart(): void {
    this.begin(this)
  }

  begin(_strategy: Timed): void {}

  note(name: string): void {
    this.heard.push(`${name}@${this.nowNs() / 1e6}`)
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
    expect(strategy.heard).toEqual(['ten@10', 'once@15', 'ten@20', 'ten@30'])
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
    expect(strategy.heard).toEqual(['a@10', 'b@10', 'named later@20', 'a@20', 'b@20'])
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
    expect(strategy.heard).toEqual(['once@10'])
    expect(venue.clock.waiting).toEqual([])
  })

  test('fractions of a millisecond are nanoseconds', () => {
    const { venue, strategy } = timed((s) => s.every(0.000001, () => s.note('ns')))
    venue.clock.advanceTo(2)
    expect(strategy.heard).toEqual(['ns@0.000001', 'ns@0.000002'])
  })

  test('a clock that is late leaves out what was missed and keeps the rhythm', () => {
    const { venue, strategy } = timed((s) => s.every(10, () => s.note('tick'), { name: 'tick' }))
    const timer = venue.clock.waiting[0]!
    timer.timeNs = 35e6
    venue.clock.advanceTo(40e6)
    expect(strategy.heard).toEqual(['tick@35', 'tick@40'])
  })

  test('nothing fires after the end', () => {
    const { venue, strategy, runtime } = timed((s) => s.every(10, () => s.note('tick')))
    runtime.stop('over')
    venue.clock.advanceTo(100e6)
    expect([strategy.heard, runtime.isOver, runtime.stopReason]).toEqual([[], true, 'over'])
  })

  test.each([
    ['an interval of nothing', (s: Timed) => s.every(0, () => undefined), /every takes at least a nanosecond, found 0/],
    ['a negative delay', (s: Timed) => s.after(-1, () => undefined), /after takes a number of milliseconds/],
    ['NaN', (s: Timed) => s.every(NaN, () => undefined), /found NaN/],
    ['a text', (s: Timed) => s.every('10' as never, () => undefined), /found 10/],
    ['for ever', (s: Timed) => s.after(Infinity, () => undefined), /found Infinity/],
    ['a name of digits', (s: Timed) => s.every(1, () => undefined, { name: '7' }), /digits alone are the names of timers without one/],
    ['the name of the runtime', (s: Timed) => s.every(1, () => undefined, { name: '(runtime)' }), /the runtime uses this name/],
  ])('%s is refused', (_what, begin, words) => {
    expect(() => timed(begin)).toThrow(words)
  })
})
