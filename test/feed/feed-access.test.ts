import { describe, expect, test } from 'vitest'
import { FeedKeys, type FeedKey } from '../../src/feed/feed-access.js'
import { refusalOf } from '../support/collected.ts'

const NS_PER_DAY = 86_400_000_000_000n
const KEYS: readonly FeedKey[] = [
  { key: 'k-all', markets: ['swap', 'spot'], days: 'always' },
  { key: 'k-days', markets: ['swap'], days: ['2024-07-18', '2024-07-20'] },
  { key: 'k-one', instruments: [2], days: ['2024-07-18'] },
  { key: 'k-spot-one', instruments: [7], days: 'always' },
]
/** 2024-07-18. */
const DAY = 19_922n

function keysAt(day: bigint, ns = 0n): FeedKeys {
  return new FeedKeys({ keys: KEYS, markets: ['swap', 'spot'], marketOf: (id) => (id === 7 ? 'spot' : id < 7 ? 'swap' : undefined), now: () => day * NS_PER_DAY + ns })
}

describe('keys', () => {
  test.each<[string, string, string, bigint, string | null]>([
    ['a market for ever', 'k-all', 'swap', 0n, null],
    ['another market of it', 'k-all', 'spot', 0n, null],
    ['a market that is not configured', 'k-all', 'futures', 0n, 'market not configured'],
    ['no key at a market that is not configured', '', 'futures', 0n, 'market not configured'],
    ['an unknown key', 'k-al', 'swap', 0n, 'unknown api key'],
    ['a longer key', 'k-all ', 'swap', 0n, 'unknown api key'],
    ['no key', '', 'swap', 0n, 'unknown api key'],
    ['a bought day', 'k-days', 'swap', 0n, null],
    ['the day between', 'k-days', 'swap', 1n, 'no active realtime subscription for this market today (UTC)'],
    ['the last day', 'k-days', 'swap', 2n, null],
    ['the day behind', 'k-days', 'swap', 3n, 'no active realtime subscription for this market today (UTC)'],
    ['another market', 'k-days', 'spot', 0n, 'no active realtime subscription for this market today (UTC)'],
    ['a market by one of its instruments', 'k-one', 'swap', 0n, null],
    ['the other market', 'k-one', 'spot', 0n, 'no active realtime subscription for this market today (UTC)'],
    ['a day without the instrument', 'k-one', 'swap', 1n, 'no active realtime subscription for this market today (UTC)'],
    ['an instrument of spot', 'k-spot-one', 'swap', 0n, 'no active realtime subscription for this market today (UTC)'],
  ])('%s', (_name, key, market, day, wanted) => {
    expect(keysAt(DAY + day).rejection(key, market)).toBe(wanted)
  })

  test.each<[string, string, number, bigint, boolean]>([
    ['k-all', 'swap', 1, 0n, true], ['k-all', 'swap', 99, 0n, true], ['k-days', 'swap', 1, 0n, true], ['k-days', 'swap', 1, 1n, false], ['k-days', 'spot', 7, 0n, false],
    ['k-one', 'swap', 2, 0n, true], ['k-one', 'swap', 1, 0n, false], ['k-one', 'spot', 2, 0n, false], ['k-one', 'swap', 2, 1n, false], ['nobody', 'swap', 1, 0n, false],
  ])('%s on %s, instrument %i, day %i: %s', (key, market, instrumentId, day, wanted) => {
    expect(keysAt(DAY + day).isPermitted(key, market, instrumentId)).toBe(wanted)
  })

  test('a day ends at 00:00 UTC', () => {
    expect(keysAt(DAY, NS_PER_DAY - 1n).rejection('k-days', 'swap')).toBeNull()
    expect(keysAt(DAY, NS_PER_DAY).rejection('k-days', 'swap')).not.toBeNull()
  })

  test('rotation keeps the days; the old key is unknown', () => {
    const keys = keysAt(DAY)
    expect(keys.rotate('k-days', 'k-new')).toBe(true)
    expect([keys.rejection('k-days', 'swap'), keys.rejection('k-new', 'swap'), keys.rejection('k-new', 'spot')]).toEqual(['unknown api key', null, 'no active realtime subscription for this market today (UTC)'])
    expect([keys.rotate('nobody', 'k-x'), keys.rotate('k-new', ''), keys.rotate('k-new', 'k-all')]).toEqual([false, false, false])
    expect(keys.rejection('k-new', 'swap')).toBeNull()
  })

  test('a revoked key is unknown, the others stay', () => {
    const keys = keysAt(DAY)
    expect([keys.revoke('k-all'), keys.revoke('k-all')]).toEqual([true, false])
    expect([keys.rejection('k-all', 'swap'), keys.rejection('k-days', 'swap')]).toEqual(['unknown api key', null])
  })

  test.each<[string, readonly FeedKey[], RegExp]>([
    ['an empty key', [{ key: '', markets: ['swap'], days: 'always' }], /keys\[0\]: it must be a text/],
    ['a key twice', [{ key: 'secret', markets: ['swap'], days: 'always' }, { key: 'secret', markets: ['spot'], days: 'always' }], /keys\[1\]: it must be of its own/],
    ['a key for nothing', [{ key: 'secret', days: 'always' }], /keys\[0\]: it must open markets or instruments/],
    ['no day', [{ key: 'secret', markets: ['swap'], days: ['18.7.2024'] }], /keys\[0\]: it must have days as YYYY-MM-DD, found "18.7.2024"/],
    ['no such day', [{ key: 'secret', markets: ['swap'], days: ['2024-02-30'] }], /found "2024-02-30"/],
  ])('%s is refused, and not named', async (_name, keys, words) => {
    const refusal = await refusalOf(() => new FeedKeys({ keys, markets: ['swap'], marketOf: () => 'swap', now: () => 0n }))
    expect(refusal.code).toBe('OPTION_INVALID')
    expect(refusal.message).toMatch(words)
    expect(JSON.stringify(refusal)).not.toContain('secret')
  })
})
