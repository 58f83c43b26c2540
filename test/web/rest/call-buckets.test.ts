import { describe, expect, test } from 'vitest'
import { callsPerMinute } from '../../../src/protocol/rest/rest-tables.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { CallBuckets } from '../../../src/web/rest/call-buckets.js'

function called(buckets: CallBuckets, key: string, max = 2): number {
  let waits = -1
  buckets.incr(key, (_error, result) => { waits = result!.current > max ? result!.ttl : 0 }, 60_000, max)
  return waits
}

describe('buckets of calls', () => {
  test('addresses and buckets are counted apart, on a clock that may have fractions', () => {
    let nowMs = 0.25
    const buckets = new CallBuckets(() => nowMs)
    expect([called(buckets, 'general a'), called(buckets, 'general a'), called(buckets, 'general a')]).toEqual([0, 0, 30_000])
    expect([called(buckets, 'general b'), called(buckets, 'quote a')]).toEqual([0, 0])
    nowMs += 29_999.5
    expect([called(buckets, 'general a'), called(buckets.child(), 'general a')]).toEqual([1, 1])
    nowMs += 1
    expect([called(buckets, 'general a'), called(buckets, 'general a')]).toEqual([0, 30_000])
  })

  test('memory is bounded: the bucket that was used longest ago is forgotten', () => {
    const buckets = new CallBuckets(() => 0, 3)
    for (const key of ['a', 'a', 'b', 'c', 'a', 'd', 'e']) called(buckets, key)
    expect([buckets.size, called(buckets, 'a'), called(buckets, 'b')]).toEqual([3, 30_000, 0])
    for (let at = 0; at < 10_000; at++) called(buckets, `x ${at}`)
    expect(buckets.size).toBe(3)
  })

  test.each([['general', 120], ['quote', 30], ['checkout', 10], ['orders', 30], ['downloads', 600]] as const)('%s: %d calls a minute', (bucket, calls) => {
    expect(callsPerMinute(SHOP, bucket)).toBe(calls)
  })
})
