import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { assumptionNames, assumptionsFromOptions, type AssumptionOptions } from '../../src/configuration/assumptions.js'
import { checkOptions } from '../../src/configuration/run-check.js'
import { RandomNumbers } from '../../src/model/random.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'assumptions-'))
afterAll(() => { rmSync(folder, { recursive: true }) })

function recording(text: string): string {
  const path = join(folder, 'latency.csv')
  writeFileSync(path, text)
  return path
}

const random = new RandomNumbers(1, 'test', 0)
const at = (timeNs: number, number = 0, feedLatencyNs = 0) => ({ timeNs, number, feedLatencyNs, random })

test('the defaults of rule 1.5, and those of the preset, all named', () => {
  expect(assumptionNames(assumptionsFromOptions())).toEqual({
    queue: 'riskAverse', fills: 'partial', exchangeTop: 'fused', sameStamp: 'trades', gaps: 'assumeWorst', staleAfter: '60s for perpetuals and futures, 10min for others', crossedAfter: '10s', snapshots: 'difference', selfTrade: 'reject', crossingPostOnly: 'reject', notShown: 'unknown',
    feedLatency: 'recorded', requestLatency: 'constant 10ms', responseLatency: 'constant 10ms',
  })
  expect(assumptionNames(assumptionsFromOptions({ preset: 'hftbacktest', queue: { model: 'power', exponent: 2 }, selfTrade: 'reject' }))).toEqual({
    preset: 'hftbacktest', queue: 'power(2)', fills: 'whole', exchangeTop: 'depth', sameStamp: 'file', gaps: 'ignore', staleAfter: 'off', crossedAfter: 'off', snapshots: 'rows', selfTrade: 'reject', crossingPostOnly: 'expire', notShown: 'zero',
    feedLatency: 'recorded', requestLatency: 'constant 10ms', responseLatency: 'constant 10ms',
  })
})

describe('request and response latency in words', () => {
  const latencyOf = (text: string, way: 'request' | 'response' = 'request') => assumptionsFromOptions({ [`${way}Latency`]: text })[`${way}Latency`]
  test.each([['uniform 5us 7us', 5000, 7000], ['exponential 2ms 8ms', 2e6, 1e9], ['lognormal 10ms 0.5', 1e5, 1e9], ['lognormal 10s 10', 0, 3.6e12], ['exponential 0ns 1h', 0, 3.6e12]])('%s: whole nanoseconds, a function of the number alone', (text, least, most) => {
    const latency = latencyOf(text)
    const draws = Array.from({ length: 500 }, (_, number) => latency.latencyNs(at(number * 7, number)))
    expect(draws).toEqual(draws.map((_, number) => latency.latencyNs(at(0, number))))
    expect(new Set(draws).size).toBeGreaterThan(300)
    for (const draw of draws) expect([Number.isSafeInteger(draw), draw >= least, draw <= most]).toEqual([true, true, true])
  })

  test('a draw of one value, and medians and means where they belong', () => {
    expect(latencyOf('uniform 5ms 5ms').latencyNs(at(1))).toBe(5e6)
    const mean = (text: string) => Array.from({ length: 4000 }, (_, number) => latencyOf(text).latencyNs(at(0, number))).reduce((a, b) => a + b) / 4000
    expect(mean('exponential 2ms 8ms') / 1e6).toBeCloseTo(10, 0)
    expect(mean('uniform 0ms 10ms') / 1e6).toBeCloseTo(5, 0)
    const sorted = Array.from({ length: 2001 }, (_, number) => latencyOf('lognormal 10ms 0.5').latencyNs(at(0, number))).sort((a, b) => a - b)
    expect(sorted[1000]! / 1e6).toBeCloseTo(10, 0)
  })

  test('so many times the feed latency', () => {
    expect([latencyOf('1.5 x feed + 1us').latencyNs(at(1, 0, 1001)), latencyOf('2 x feed').latencyNs(at(1, 0, 1001)), latencyOf('0 x feed + 5ns').name]).toEqual([2502, 2002, '0 x feed + 5ns'])
  })

  test('between recorded orders, in epoch nanoseconds, named by the content', () => {
    const day = 20_000n * 86_400_000_000_000n
    const path = recording(`request_ts,exchange_ts,response_ts\n${day},${day + 10n},${day + 30n}\n${day + 100n},${day + 130n},${day + 140n}\n`)
    const [request, response] = [latencyOf(`recorded ${path}`), latencyOf(`recorded ${path}`, 'response')]
    expect([-5, 50, 500].map((timeNs) => request.from!(20_000).latencyNs(at(timeNs)))).toEqual([10, 20, 30])
    expect([0, 70, 900].map((timeNs) => response.from!(20_000).latencyNs(at(timeNs)))).toEqual([20, 15, 10])
    // Of another year the nearest row counts, with its delays to the nanosecond.
    expect([request.from!(1).latencyNs(at(0)), response.from!(1).latencyNs(at(0)), request.from!(40_000).latencyNs(at(0)), response.from!(40_000).latencyNs(at(0))]).toEqual([10, 20, 30, 10])
    expect(request.name).toMatch(/^interpolated \(2 recorded, sha256 [0-9a-f]{64}\)$/)
    expect(request.from!(20_000).name).toBe(request.name)
  })
})

test('feed latency in words: a seeded draw per event after exchange time, each instrument by itself', () => {
  const times = (seed: number, id: number): number[] => {
    const { feedLatency } = assumptionsFromOptions({ feedLatency: 'uniform 1us 3us' }, seed)
    const batch = lineBatch([1, 2, 3].map((timeNs) => ({ kind: 'update', timeNs })), { instrument: madeInstrument({ id }) })
    const target = new Float64Array(3)
    feedLatency.timesNs(batch, Float64Array.of(1, 2, 3), target)
    return [...target]
  }
  expect(times(1, 7)).toEqual(times(1, 7))
  expect(times(1, 7)).not.toEqual(times(2, 7))
  expect(times(1, 7)).not.toEqual(times(1, 8))
  for (const [index, time] of times(1, 7).entries()) expect([time >= index + 1001, time <= index + 3001]).toEqual([true, true])
})

describe('what means nothing is refused', () => {
  const REFUSED: readonly (readonly [AssumptionOptions, RegExp])[] = [
    [{ preset: 'nautilus' as never }, /assumptions.preset: expected hftbacktest, found "nautilus"/],
    [{ gaps: 'guess' as never }, /assumptions.gaps: expected assumeWorst, cancelAndWait, freeze, halt or ignore/],
    [{ selfTrade: true as never }, /assumptions.selfTrade: expected reject or ignore, found true/],
    [{ snapshots: 'clear' as never }, /snapshots/], [{ crossingPostOnly: '' as never }, /crossingPostOnly/], [{ notShown: 'nothing' as never }, /notShown/], [{ fills: 'half' as never }, /fills/],
    [{ latency: '1ms' } as never, /assumptions.latency: expected one of queue, fills/],
    [{ requestLatency: '10 ms' }, /assumptions.requestLatency: expected a duration such as 10ms, or "uniform 5ms 15ms".*, or a model \(name, latencyNs\), found "10 ms"; write 10ms/], [{ responseLatency: '-1ms' }, /assumptions.responseLatency/],
    [{ staleAfter: '1 h' }, /staleAfter: expected a duration from 1s to 24h, or "off", found "1 h"; write 1h/],
    [{ requestLatency: 'uniform 9ms 5ms' }, /requestLatency: expected a uniform latency whose second duration is not below its first/], [{ requestLatency: 'uniform 9ms' }, /requestLatency/], [{ requestLatency: 'exponential 1ms 2ms 3ms' }, /requestLatency/],
    [{ requestLatency: 'lognormal 1ms 2ms' }, /requestLatency/], [{ requestLatency: 'lognormal 1ms -1' }, /requestLatency/], [{ requestLatency: '-1 x feed' }, /requestLatency/],
    [{ requestLatency: '2 x feed + 1' }, /requestLatency/], [{ requestLatency: { mean: 3 } as never }, /requestLatency: expected a duration such as 10ms,/], [{ requestLatency: 5 as never }, /requestLatency/],
    [{ feedLatency: 'recorded+soon' }, /feedLatency: expected recorded, recorded\+2ms/], [{ feedLatency: 'slow' }, /feedLatency: expected recorded, recorded\+2ms, constant 5ms/],
    [{ feedLatency: { constantMs: 3 } as never }, /assumptions.feedLatency: expected recorded, .* or a model \(name, timesNs\), found \{"constantMs":3\}/], [{ feedLatency: 5 as never }, /feedLatency/],
    [{ feedLatency: { name: '', timesNs: () => undefined } }, /feedLatency/], [{ feedLatency: null as never, gaps: 'guess' as never }, /gaps/],
    [{ queue: 5 as never }, /assumptions.queue: expected riskAverse, power, .* found 5/], [{ queue: { exponent: 2 } as never }, /queue/], [{ queue: { ahead: 1 } as never }, /queue/],
    [{ queue: { ahead: () => 0 } as never }, /queue/], [{ requestLatency: { latencyNs: () => 1 } as never }, /requestLatency/], [{ responseLatency: { name: 'mine' } as never }, /responseLatency/],
  ]
  test.each(REFUSED)('%j', async (assumptions, words) => {
    const { faults } = await checkOptions({ strategy: Strategy, data: ['x'], assumptions })
    expect(faults.map(({ path, expected, found, advice }) => `${path}: expected ${expected}, found ${found}; ${advice}`).join('\n')).toMatch(words)
  })

  test('a recording that is not there', () => {
    expect(() => assumptionsFromOptions({ requestLatency: `recorded ${join(folder, 'none.csv')}` })).toThrow(/Cannot read the latency recording .*none.csv/)
  })

  test.each([
    ['request,exchange,response\n1,2,3\n', /line 1 must be the header request_ts,exchange_ts,response_ts, found "request,exchange,response"/],
    ['request_ts,exchange_ts,response_ts\n', /line 2 must be at least one row/],
    ['request_ts,exchange_ts,response_ts\n1,2\n', /line 2 must be three whole numbers/],
    ['request_ts,exchange_ts,response_ts\n1,2,3\n5,4,6\n', /line 3 must be request_ts <= exchange_ts <= response_ts, found "5,4,6"/],
    ['request_ts,exchange_ts,response_ts\n5,6,7\n1,8,9\n', /line 3 must be rows in ascending order/],
    ['request_ts,exchange_ts,response_ts\n1.5,6,7\n', /line 2/],
    ['request_ts,exchange_ts,response_ts\n0,3600000000001,3600000000002\n', /line 2 must be an order of at most 1h each way/],
    ['request_ts,exchange_ts,response_ts\n0,1,3600000000002\n', /line 2 must be an order of at most 1h each way/],
  ])('a recording: %j', (text, words) => {
    expect(() => assumptionsFromOptions({ requestLatency: `recorded ${recording(text)}` })).toThrow(words)
  })
})
