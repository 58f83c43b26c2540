import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimiter } from '../../src/exchange/adapter/adapter-gate.js'
import type { LimitedRequest, RateLimit } from '../../src/exchange/profile/venue-profile.js'
import { throughJson } from '../support/through-json.ts'

const MS = 1_000_000
const limits: readonly RateLimit[] = [
  { id: 'shared', windowMs: 10, tokens: { shared: 5 }, spare: 2, blockMs: 25 },
  { id: 'apart', windowMs: 3, tokens: { place: 1, amend: 2 } },
]
const step = fc.record({ kind: fc.constantFrom<LimitedRequest>('place', 'amend', 'replace', 'cancel'), useSpare: fc.boolean(), afterMs: fc.integer({ min: 0, max: 6 }) })

function answers(limiter: RateLimiter, steps: readonly { kind: LimitedRequest, useSpare: boolean, timeNs: number }[]): unknown[] {
  return steps.map(({ kind, useSpare, timeNs }) => [limiter.take(kind, useSpare, timeNs), limiter.loads(timeNs), limiter.takeChanged(), limiter.takeChanged(), limiter.nextEndNs(timeNs)])
}

test('a limiter that is read back answers as the one that went on, in any window, blocked or not', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), fc.nat(29), (all, cut) => {
    let timeNs = 0
    const steps = all.map(({ kind, useSpare, afterMs }) => ({ kind, useSpare, timeNs: (timeNs += afterMs * MS) }))
    const at = cut % steps.length
    const whole = new RateLimiter(limits, true)
    answers(whole, steps.slice(0, at))
    const read = new RateLimiter(limits, true)
    read.restore(throughJson(whole.state()))
    expect(answers(read, steps.slice(at))).toEqual(answers(whole, steps.slice(at)))
  }))
})

test.each<[string, RateLimit['tokens'], readonly boolean[], number, number]>([
  // What is sent (spare or not), then how many of these were let through and the load.
  ['the reserve is first, so the ordinary tokens are all there after it', { shared: 10 }, [...Array<boolean>(2).fill(true), ...Array<boolean>(9).fill(false)], 10, 1],
  ['ordinary requests never take of the reserve', { shared: 10 }, Array<boolean>(10).fill(false), 8, 0.8],
  ['the reserve is there when they are used up', { shared: 10 }, [...Array<boolean>(10).fill(false), ...Array<boolean>(3).fill(true)], 10, 1],
  ['spare requests go on with ordinary tokens', { shared: 10 }, Array<boolean>(11).fill(true), 10, 1],
  ['which the others then lack', { shared: 10 }, [...Array<boolean>(4).fill(true), ...Array<boolean>(9).fill(false)], 10, 1],
  ['by kind', { place: 5 }, [true, false, false, false, false, true, true], 5, 1],
])('the reserve has a count of its own: %s', (_name, tokens, sent, passed, load) => {
  const limiter = new RateLimiter([{ id: 'k', windowMs: 1000, tokens, spare: 2 }], false)
  expect(sent.filter((useSpare) => limiter.take('place', useSpare, 0) === null)).toHaveLength(passed)
  expect(limiter.loads(0)).toMatchObject([{ p: load }])
})

test('words, retry times and blocks by hand', () => {
  const limiter = new RateLimiter(limits, true)
  const place = (timeMs: number, useSpare = false) => limiter.take('place', useSpare, timeMs * MS)
  expect(place(0)).toBeNull()
  // The key of places alone begins anew at 3 ms.
  expect(place(1)).toEqual({ type: 'RATE_LIMIT_EXCEEDED', message: 'apart allows 1 of these requests in 3 ms', source: 'INTERNAL', retryTimeNs: 3 * MS })
  expect([limiter.take('cancel', false, MS), limiter.take('cancel', false, MS)]).toEqual([null, null])
  // 3 of 5 are taken, 2 are spare.
  expect(limiter.take('amend', true, MS)).toBeNull()
  expect(limiter.take('cancel', false, 2 * MS)).toEqual({ type: 'RATE_LIMIT_EXCEEDED', message: 'shared allows 3 of these requests in 10 ms', source: 'INTERNAL', retryTimeNs: 27 * MS })
  expect(limiter.take('cancel', true, 26 * MS)).toEqual({ type: 'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', message: 'everything that shared counts is blocked after its limit was exceeded', source: 'INTERNAL', retryTimeNs: 27 * MS })
  expect(limiter.take('cancel', false, 27 * MS)).toBeNull()
  expect(limiter.loads(27 * MS)).toEqual([{ id: 'shared', p: 0.2, a: 0.2, r: 0.2, c: 0.2 }, { id: 'apart', p: 0, a: 0, r: 0, c: 0 }])
  expect([limiter.nextEndNs(27 * MS), limiter.nextEndNs(30 * MS)]).toEqual([30 * MS, Infinity])
  expect(new RateLimiter([{ id: 'none', windowMs: 1, tokens: { place: 0 }, spare: 3 }], false).take('place', false, 0)).toEqual({ type: 'RATE_LIMIT_EXCEEDED', message: 'none allows 0 of these requests in 1 ms', source: 'INTERNAL' })
})
