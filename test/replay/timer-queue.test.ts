import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SimulatedClock } from '../../src/replay/simulated-clock.js'

const client = fc.constantFrom('a', 'b', 'c')
const name = fc.nat(5).map(String)
const step = fc.oneof(
  fc.record({ kind: fc.constant('at' as const), client, name, delayNs: fc.nat(6) }),
  fc.record({ kind: fc.constant('cancel' as const), client, name }),
  fc.record({ kind: fc.constant('fire' as const) }),
  fc.record({ kind: fc.constant('restore' as const) }),
)

/** Timers the plain way: a list, searched anew each time. */
class NaiveTimers {
  #waiting: { id: string; timeNs: number; sequence: number }[] = []
  #sequence = 0

  at(id: string, timeNs: number): void {
    this.cancel(id)
    this.#waiting.push({ id, timeNs, sequence: this.#sequence++ })
  }

  cancel(id: string): void {
    this.#waiting = this.#waiting.filter((other) => other.id !== id)
  }

  ordered(): { id: string; timeNs: number }[] {
    return this.#waiting.toSorted((a, b) => a.timeNs - b.timeNs || a.sequence - b.sequence).map(({ id, timeNs }) => ({ id, timeNs }))
  }
}

test('timers fire by time, then by the order of setting, whatever is set, moved, cancelled and restored in between', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
    const clock = new SimulatedClock(19_943, 0)
    const naive = new NaiveTimers()
    const fired: string[] = []
    const timers = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, clock.timers(id, (timer) => fired.push(`${id} ${timer}`))]))
    for (const one of steps) {
      if (one.kind === 'at') {
        timers[one.client]!.at(clock.nowNs() + one.delayNs, one.name)
        naive.at(`${one.client} ${one.name}`, clock.nowNs() + one.delayNs)
      } else if (one.kind === 'cancel') {
        timers[one.client]!.cancel(one.name)
        naive.cancel(`${one.client} ${one.name}`)
      } else if (one.kind === 'restore') clock.restore(clock.nowNs(), clock.waiting())
      else if (naive.ordered()[0] !== undefined) {
        const { id, timeNs } = naive.ordered()[0]!
        naive.cancel(id)
        clock.advance(timeNs)
        clock.fire()
        expect(fired.pop()).toBe(id)
      }
      expect(clock.waiting().map((timer) => ({ id: `${timer.clientId} ${timer.name}`, timeNs: timer.timeNs }))).toEqual(naive.ordered())
      expect(clock.nextTimerNs()).toBe(naive.ordered()[0]?.timeNs ?? Infinity)
    }
    expect(fired).toEqual([])
  }), { numRuns: 500 })
})

test('a timer that is set again and again for one time, or for later and later times, fires once', () => {
  const clock = new SimulatedClock(19_943, 0)
  let count = 0
  const timers = clock.timers('a', () => count++)
  for (let i = 0; i < 100_000; i++) {
    timers.at(1_000_000, 'same')
    timers.at(1_000_000 + i, 'later')
  }
  expect(clock.waiting()).toHaveLength(2)
  clock.advance(2_000_000)
  clock.fire()
  clock.fire()
  clock.fire()
  expect(count).toBe(2)
})

test('a timer of its own calls its own callback, takes the place of one of its name, and goes on after a restore', () => {
  const clock = new SimulatedClock(19_943, 0)
  const fired: string[] = []
  const timers = clock.timers('a', (name) => fired.push(`client ${name}`))
  timers.at(10, 'x')
  const first = timers.timer('x', { onDue: () => fired.push('first') })
  expect(clock.waiting()).toEqual([])
  first.at(20)
  const second = timers.timer('x', { onDue: (timeNs, name) => fired.push(`second ${name} at ${timeNs}`) })
  second.at(30)
  timers.at(25, 'y')
  const saved = clock.waiting()
  expect(saved.map(({ name, timeNs }) => [name, timeNs])).toEqual([['y', 25], ['x', 30]])
  second.at(99)
  clock.restore(5, saved)
  expect(clock.waiting().map(({ name, timeNs }) => [name, timeNs])).toEqual([['y', 25], ['x', 30]])
  clock.fire()
  clock.fire()
  expect(fired).toEqual(['client y', 'second x at 5'])
  second.at(40)
  second.cancel()
  expect(clock.nextTimerNs()).toBe(Infinity)
})
