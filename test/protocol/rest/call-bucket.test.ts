import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketAfterCall, type CallBucket } from '../../../src/protocol/rest/call-bucket.js'

describe('a bucket of calls', () => {
  test.each([
    [null, 30, 0, 0], [{ parts: 60_000, atMs: 0 }, 30, 0, 0], [{ parts: 59_999, atMs: 0 }, 30, 0, 1],
    [{ parts: 0, atMs: 0 }, 30, 0, 2000], [{ parts: 0, atMs: 0 }, 30, 1999, 1], [{ parts: 0, atMs: 0 }, 30, 2000, 0],
    [{ parts: 0, atMs: 10_000 }, 30, 0, 2000], [{ parts: 0, atMs: 0 }, 7, 0, 8572],
  ])('%j, %d a minute, at %d: %d', (bucket, rate, nowMs, waitMs) => {
    expect(bucketAfterCall(bucket, rate, nowMs).waitMs).toBe(waitMs)
  })

  test('never gives more than its burst and its rate, and a wait that is waited for is enough', () => {
    const waits = fc.array(fc.oneof(fc.integer({ min: -100_000, max: 100_000 }), fc.integer({ min: 0, max: 3000 })), { maxLength: 200 })
    fc.assert(fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 50 }), waits, (rate, burst, all) => {
      let bucket: CallBucket | null = null
      let [nowMs, forwardMs, allowed] = [1_700_000_000_000, 0, 0]
      for (const byMs of all) {
        nowMs += byMs
        if (bucket !== null) forwardMs += Math.max(0, byMs)
        const call = bucketAfterCall(bucket, rate, nowMs, burst)
        bucket = call.bucket
        expect(Number.isSafeInteger(bucket.parts) && bucket.parts >= 0 && bucket.parts <= burst * 60_000).toBe(true)
        if (call.waitMs === 0) allowed++
        else {
          expect(bucketAfterCall(bucket, rate, nowMs + call.waitMs, burst).waitMs).toBe(0)
          expect(bucketAfterCall(bucket, rate, nowMs + call.waitMs - 1, burst).waitMs).toBeGreaterThan(0)
        }
      }
      expect(allowed).toBeLessThanOrEqual(burst + Math.floor(forwardMs * rate / 60_000))
    }), { numRuns: 300 })
  })
})
