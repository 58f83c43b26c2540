import { expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import { CallLimits } from '../../../src/shop/client/call-limits.js'
import { backOffMs, retryAfterMs } from '../../../src/shop/client/retry-times.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import type { ShopBucket } from '../../../src/protocol/shop/shop-limits.js'

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0)

test.each([
  ['0', 0], ['7', 7000], [' 120 ', 120_000], ['Mon, 05 Jan 2026 12:00:09 GMT', 9000], ['Mon, 05 Jan 2026 11:59:59 GMT', 0],
  [null, null], ['', null], ['-1', null], ['1.5', null], ['1e3', null], ['soon', null], ['0x10', null], ['9999999999', null], ['2026-01-05', null],
  ['Mon, 05 Jan 2026 12:00:09', null], ['Mon, 99 Jan 2026 12:00:09 GMT', null], ['Mon, 05 Xxx 2026 12:00:09 GMT', null], ['7, 8', null],
])('Retry-After %j is %s ms', (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected)
})

test('back-off doubles from 1 s to 60 s and loses at most a half by chance', () => {
  const random = new RandomNumbers(7, 'shop', 0)
  for (let attempt = 0; attempt < 50; attempt++) {
    const whole = Math.min(60_000, 1000 * 2 ** attempt)
    const ms = backOffMs(attempt, random, attempt)
    expect(ms).toBeGreaterThanOrEqual(whole / 2)
    expect(ms).toBeLessThanOrEqual(whole)
    expect(ms).toBe(backOffMs(attempt, random, attempt))
  }
})

test.each(Object.keys(SHOP.buckets) as ShopBucket[])('no minute has more calls of %s than its limit', (bucket) => {
  const limits = new CallLimits()
  const limit = SHOP.limits[SHOP.buckets[bucket]].value
  const sent: number[] = []
  for (let now = NOW; now < NOW + 300_000;) {
    const waitMs = limits.waitMs(bucket, now)
    if (waitMs === 0) sent.push(now)
    else now += waitMs
    // A pause lets the bucket fill up.
    if (sent.length === 2 * limit) now += 61_000
  }
  expect(sent.length).toBeGreaterThan(3 * limit)
  for (const [at, time] of sent.entries()) expect(sent.slice(at).filter((one) => one < time + 60_000).length).toBeLessThanOrEqual(limit)
})

test('buckets are counted apart, and a clock that steps back does not stop them for longer than a minute', () => {
  const limits = new CallLimits()
  for (let i = 0; i < 3; i++) expect(limits.waitMs('checkout', NOW)).toBe(0)
  expect(limits.waitMs('checkout', NOW)).toBeGreaterThan(0)
  expect(limits.waitMs('quote', NOW)).toBe(0)
  expect(limits.waitMs('checkout', NOW - 3_600_000)).toBeLessThan(60_000)
  expect(limits.waitMs('checkout', NOW - 3_600_000 + 60_000)).toBe(0)
})
