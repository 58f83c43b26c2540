import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SimulatedClock } from '../../src/replay/simulated-clock.js'
import type { Timer } from '../../src/venue/venue.js'

const client = fc.constantFrom('a', 'b', 'c')
const name = fc.nat(5).map(String)
/** Few instants that many share, and so many that no short list holds them. */
const delayNs = fc.oneof(fc.nat(6), fc.nat(6), fc.nat(60))
const step = fc.oneof(
  fc.record({ kind: fc.constant('at' as const), client, name, delayNs }),
  fc.record({ kind: fc.constant('every' as const), client, name, delayNs, intervalNs: fc.integer({ min: 1, max: 6 }) }),
  // Strategies of one rhythm: their timers roll.
  fc.record({ kind: fc.constant('every' as const), client, name, delayNs: fc.constant(4), intervalNs: fc.constant(4) }),
  fc.record({ kind: fc.constant('cancel' as const), client, name }),
  fc.record({ kind: fc.constant('fire' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('restore' as const) }),
)

/** Timers the plain way: a list, searched anew each time. */
class NaiveTimers {
  #waiting: { id: string; timeNs: number; sequence: number; intervalNs: number }[] = []
  #sequence = 0

  at(id: string, timeNs: number, intervalNs = 0): void {
    this.cancel(id)
    this.#waiting.push({ id, timeNs, sequence: this.#sequence++, intervalNs })
  }

  /** Those that fire, at most `limit` of the first instant. */
  fire(limit: number): string[] {
    const fired: string[] = []
    const { timeNs } = this.ordered()[0] ?? { timeNs: NaN }
    while (fired.length < limit && this.ordered()[0]?.timeNs === timeNs) {
      const { id } = this.ordered()[0]!
      const intervalNs = this.#waiting.find((timer) => timer.id === id)?.intervalNs ?? 0
      this.cancel(id)
      if (intervalNs > 0) this.at(id, timeNs + intervalNs, intervalNs)
      fired.push(id)
    }
    return fired
  }

  cancel(id: string): void {
    this.#waiting = this.#waiting.filter((other) => other.id !== id)
  }

  /** Those that wait, in the order of setting. */
  bySetting(): string[] {
    return this.#waiting.toSorted((a, b) => a.sequence - b.sequence).map(({ id }) => id)
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
    const own = new Map<string, Timer>()
    const ownTimer = (id: string, timerName: string): Timer => own.get(`${id} ${timerName}`) ?? timers[id]!.timer(timerName, { onDue: () => fired.push(`${id} ${timerName}`) })
    for (const one of steps) {
      if (one.kind === 'at') {
        timers[one.client]!.at(clock.nowNs() + one.delayNs, one.name)
        naive.at(`${one.client} ${one.name}`, clock.nowNs() + one.delayNs)
      } else if (one.kind === 'every') {
        const timer = ownTimer(one.client, one.name)
        own.set(`${one.client} ${one.name}`, timer)
        timer.every(clock.nowNs() + one.delayNs, one.intervalNs)
        naive.at(`${one.client} ${one.name}`, clock.nowNs() + one.delayNs, one.intervalNs)
        expect(timer.dueNs).toBe(clock.nowNs() + one.delayNs)
      } else if (one.kind === 'cancel') {
        timers[one.client]!.cancel(one.name)
        naive.cancel(`${one.client} ${one.name}`)
        own.delete(`${one.client} ${one.name}`)
      } else if (one.kind === 'restore') clock.restore(clock.nowNs(), clock.waiting())
      else if (naive.ordered()[0] !== undefined) {
        const { timeNs } = naive.ordered()[0]!
        clock.advance(timeNs)
        const wanted = naive.fire(one.limit)
        expect(clock.fire(one.limit, () => true)).toBe(wanted.length)
        expect(fired.splice(0)).toEqual(wanted)
      }
      expect(clock.waiting().map((timer) => ({ id: `${timer.clientId} ${timer.name}`, timeNs: timer.timeNs }))).toEqual(naive.ordered())
      expect(clock.nextTimerNs()).toBe(naive.ordered()[0]?.timeNs ?? Infinity)
      expect(clock.waiting().toSorted((a, b) => a.sequence - b.sequence).map((timer) => `${timer.clientId} ${timer.name}`)).toEqual(naive.bySetting())
      const waiting = [...own].filter(([, timer]) => !Number.isNaN(timer.dueNs)).sort(([, a], [, b]) => a.sequence - b.sequence).map(([id]) => id)
      expect(waiting).toEqual(naive.bySetting().filter((id) => waiting.includes(id)))
    }
    expect(fired).toEqual([])
  }), { numRuns: 500 })
})

/** What a client does while it is called. */
const act = fc.oneof(
  fc.record({ kind: fc.constant('at' as const), name, delayNs }),
  fc.record({ kind: fc.constant('every' as const), name, delayNs, intervalNs: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('cancel' as const), name }),
  fc.record({ kind: fc.constant('look' as const), name }),
)

test('timers set, moved and cancelled while one of their instant is called fire as those of a plain list do', () => {
  const program = fc.record({ before: fc.array(act, { minLength: 1, maxLength: 8 }), during: fc.array(fc.array(act, { maxLength: 4 }), { maxLength: 30 }), limit: fc.integer({ min: 1, max: 9 }) })
  fc.assert(fc.property(program, ({ before, during, limit }) => {
    const clock = new SimulatedClock(19_943, 0)
    const naive = new NaiveTimers()
    const fired: string[] = []
    const timers = clock.timers('a', () => undefined)
    const own = new Map<string, Timer>()
    const seen: string[] = []
    const wantedSeen: string[] = []
    const play = (acts: typeof before): void => {
      for (const one of acts) {
        if (one.kind === 'cancel') {
          timers.cancel(one.name)
          own.delete(one.name)
          continue
        }
        if (one.kind === 'look') {
          seen.push(JSON.stringify([clock.waiting().map(({ name: id, timeNs }) => ({ id, timeNs })), own.get(one.name)?.dueNs ?? null]))
          continue
        }
        const timer = own.get(one.name) ?? timers.timer(one.name, { onDue: (called) => { note(called) } })
        own.set(one.name, timer)
        if (one.kind === 'at') timer.at(clock.nowNs() + one.delayNs)
        else timer.every(clock.nowNs() + one.delayNs, one.intervalNs)
      }
    }
    const playNaively = (acts: typeof before, nowNs: number): void => {
      for (const one of acts) {
        if (one.kind === 'cancel') naive.cancel(one.name)
        else if (one.kind === 'look') {
          const dueNs = naive.ordered().find(({ id }) => id === one.name)?.timeNs
          wantedSeen.push(JSON.stringify([naive.ordered(), dueNs ?? null]))
        } else naive.at(one.name, nowNs + one.delayNs, one.kind === 'every' ? one.intervalNs : 0)
      }
    }
    const note = (called: string): void => {
      play(during[fired.length] ?? [])
      fired.push(`${called} at ${clock.nowNs()}`)
    }
    play(before)
    playNaively(before, 0)
    const wanted: string[] = []
    while (wanted.length < during.length) {
      const { timeNs } = naive.ordered()[0] ?? { timeNs: Infinity }
      expect(clock.nextTimerNs()).toBe(timeNs)
      if (timeNs === Infinity) break
      clock.advance(timeNs)
      const count = clock.fire(limit, () => true)
      expect(count).toBeGreaterThan(0)
      for (let i = 0; i < count; i++) {
        const [id] = naive.fire(1)
        playNaively(during[wanted.length] ?? [], timeNs)
        wanted.push(`${id} at ${timeNs}`)
      }
      expect([fired, seen]).toEqual([wanted, wantedSeen])
    }
  }), { numRuns: 2000 })
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
  const second = timers.timer('x', { onDue: (name) => fired.push(`second ${name} at ${clock.nowNs()}`) })
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

test('who cancels the last other timer of its instant and sets one for later is called later, not now', () => {
  const clock = new SimulatedClock(19_943, 0)
  const fired: string[] = []
  const timers = clock.timers('a', (timer) => {
    fired.push(`${timer} at ${clock.nowNs()}`)
    if (timer !== 'enter') return
    timers.cancel('give up')
    timers.at(3600, 'exit')
  })
  timers.at(10, 'enter')
  timers.at(10, 'give up')
  clock.advance(10)
  expect(clock.fire(100, () => true)).toBe(1)
  expect([fired, clock.nextTimerNs()]).toEqual([['enter at 10'], 3600])
})

test('what a callback throws leaves the clock as it is between two calls', () => {
  const clock = new SimulatedClock(19_943, 0)
  const fired: string[] = []
  const timers = clock.timers('a', () => undefined)
  for (const name of ['x', 'y', 'z']) {
    timers.timer(name, {
      onDue: () => {
        fired.push(`${name} at ${clock.nowNs()}`)
        if (clock.nowNs() === 10 && name !== 'x') throw new Error(name)
      },
    }).every(10, 10)
  }
  clock.advance(10)
  expect(() => clock.fire(9, () => true)).toThrow('y')
  expect([clock.nextTimerNs(), ...clock.waiting().map(({ name, timeNs }) => `${name} ${timeNs}`)]).toEqual([10, 'z 10', 'x 20', 'y 20'])
  expect(() => clock.fire(9, () => true)).toThrow('z')
  expect(clock.nextTimerNs()).toBe(20)
  clock.advance(20)
  expect(clock.fire(9, () => true)).toBe(3)
  expect(fired).toEqual(['x at 10', 'y at 10', 'z at 10', 'x at 20', 'y at 20', 'z at 20'])
})

test('timers of one rhythm, some of which are set again and again, fire in the order of setting, each as itself', () => {
  const clock = new SimulatedClock(19_943, 0)
  const fired: string[] = []
  const timers = clock.timers('a', () => undefined)
  const own = ['a', 'b', 'c', 'd'].map((name) => timers.timer(name, { onDue: (called) => fired.push(`${name} as ${called} at ${clock.nowNs()}`) }))
  for (const timer of own) timer.every(10, 10)
  for (let i = 0; i < 100; i++) for (const timer of [own[2], own[0]]) timer?.every(10, 10)
  own[3]?.cancel()
  for (const timeNs of [10, 20]) {
    clock.advance(timeNs)
    expect(clock.fire(9, () => true)).toBe(3)
    expect(fired.splice(0)).toEqual(['b', 'c', 'a'].map((name) => `${name} as ${name} at ${timeNs}`))
  }
})
