import { describe, expect, test } from 'vitest'
import { BucketTrack } from '../../../src/report/bucket-track.js'
import { benchmarksOf } from '../../../src/report/pages/benchmark-parts.js'
import { underwaterOf } from '../../../src/report/pages/drawdown-parts.js'
import { exposureOf } from '../../../src/report/pages/exposure-parts.js'
import { dayNames, longerOf, returnsOf, rollingOf, shapeOf } from '../../../src/report/pages/period-parts.js'
import { priceAt } from '../../../src/report/pages/price-at.js'
import type { FillInput, PeriodInput, ReportInput } from '../../../src/report/pages/report-input.js'
import type { ReturnsSummary } from '../../../src/report/money-summary.js'
import { doubleOf } from '../../../src/tables/made-column.js'
import type { ExactCell } from '../../../src/model/exact-cell.js'
import { columnsOf } from '../../support/columns-of.ts'
import { repeated } from '../../support/repetitions.ts'

const NO_SAMPLES = { intervalNs: 1, intervalCount: 0, leftOutCount: 0 }
const [S, DAY] = [1_000_000_000, 86_400_000_000_000]

/** Days of which each has a return, a profit of ten times that and one fill; null is a day without a known return. */
function daysOf(returns: readonly (number | null)[], from = 0): PeriodInput[] {
  return returns.map((one, at) => ({
    ts: BigInt(from + at) * BigInt(DAY), underlying: 'CASH', profit: String((one ?? 0) * 10), fees: '0.1', turnover: '7', fills: 1, drawdown: String(at), return: one, covered: 1,
  }))
}
const summaryOf = (notComputed: string | null): ReturnsSummary => ({ unit: 'day', sampleCount: 0, leftOutCount: 0, periodsPerYear: 365, notComputed, volatility: null, maxDrawdown: null, calmar: null, winRate: null, profitFactor: null })

describe('the price at a time', () => {
  const price = { bucketMs: 10, epochMs: [100, 110, 150], low: [], high: [], last: [1, 2, 3] }

  test.each([[0, null], [109, null], [110, 1], [119, 1], [120, 2], [159, 2], [160, 3], [1e9, 3]])('at %d is %j', (time, wanted) => {
    expect(priceAt(price, time)).toBe(wanted)
  })
})

describe('months and years of days', () => {
  // 1970-01-30, two days of January, one of February.
  const days = returnsOf(daysOf([0.1, -0.5, 0.2], 29), dayNames)

  test('compound returns, add amounts, and take the deepest fall', () => {
    expect(longerOf(days, 7)).toEqual([
      { period: '1970-01', profit: '-4', return: expect.closeTo(1.1 * 0.5 - 1, 12), fees: '0.2', turnover: '14', fillCount: 2, drawdown: '1' },
      { period: '1970-02', profit: '2', return: expect.closeTo(0.2, 12), fees: '0.1', turnover: '7', fillCount: 1, drawdown: '2' },
    ])
    expect(longerOf(days, 4)).toMatchObject([{ period: '1970', profit: '-2', return: expect.closeTo(1.1 * 0.5 * 1.2 - 1, 12) }])
  })

  test('are unknown where the return of a day is', () => {
    expect(longerOf(returnsOf(daysOf([0.1, null]), dayNames), 7)[0]!.return).toBeNull()
  })
})

describe('ratios of a run that is too short', () => {
  test('are null with the reason', () => {
    expect(shapeOf(summaryOf('3 daily returns'), daysOf([1, 2, 3]), [])).toMatchObject({ notComputed: '3 daily returns', mean: null, probabilisticSharpe: null })
    expect(rollingOf(daysOf([1]), [])).toMatchObject({ epochMs: [], sharpe: [], volatility: [], notComputed: expect.stringContaining('needs 48') })
    expect(rollingOf(daysOf(Array.from({ length: 31 }, (_, at) => (at === 3 ? null : 0.1))), []).notComputed).toBe('equity was not above 0')
  })

  test('moving ones are those of each window', () => {
    const returns = Array.from({ length: 32 }, (_, at) => Math.sin(at))
    const { sharpe, volatility, epochMs } = rollingOf(daysOf(returns), [])
    const wanted = [0, 1, 2].map((from) => {
      const own = returns.slice(from, from + 30)
      const mean = own.reduce((sum, one) => sum + one, 0) / 30
      const deviation = Math.sqrt(own.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 29)
      return [mean / deviation * Math.sqrt(365), deviation * Math.sqrt(365)] as const
    })
    expect(sharpe).toEqual(wanted.map(([one]): unknown => expect.closeTo(one, 10)))
    expect(volatility).toEqual(wanted.map(([, one]): unknown => expect.closeTo(one, 10)))
    expect(epochMs).toEqual([29, 30, 31].map((day) => day * 86_400_000))
  })
})

describe('the time under water', () => {
  const minute = 60n * BigInt(S)
  const iso = (minutes: number): string => new Date(minutes * 60_000).toISOString().replace('.000Z', '.000000000Z')
  const of = (values: readonly number[]) => underwaterOf(values.map((equity, at) => ({ ts: BigInt(at) * minute, underlying: 'X', equity: String(equity) })), { end: iso(10), sampling: { ...NO_SAMPLES, covered: [{ from: iso(0), to: iso(10) }] } })

  test.each<[string, readonly number[], number, number, readonly (number | null)[] | null]>([
    ['no row', [], 0, 0, null],
    ['no fall', [1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3], 0, 0, null],
    ['a fall that came back', [3, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3], 1, 0.3, [0, 3]],
    ['the longer of two, to the end', [3, 1, 3, 3, 3, 2, 2, 2, 2, 2, 2], 2, 0.8, [4, null]],
  ])('of %s', (_what, values, count, share, longest) => {
    const found = of(values)
    expect([found.count, found.share]).toEqual([count, expect.closeTo(share, 12)])
    const [from = 0, to = null] = longest ?? []
    expect(found.longest).toEqual(longest === null ? null : { from: iso(from!), to: to === null ? null : iso(to), lengthNs: ((to ?? 10) - from!) * 60 * S })
  })
})

/** A run with a price of 10, 11, 12 and so on at each second, and the parts that are given. */
function inputOf(parts: object, prices = [10, 11, 12, 13, 14]): ReportInput {
  const track = new BucketTrack(100, S)
  for (const [at, price] of prices.entries()) track.add(at * S, price)
  return {
    epochDay: 0, tracks: { prices: new Map([[7, track]]), held: new Map([[7, { peak: 14, deepest: 0.625 }]]) }, instrumentOf: () => 'x:A', fills: columnsOf<FillInput>([]), valueOf: (_account: string, _id: number, quantity: ExactCell, price: number) => doubleOf(quantity) * price,
    summary: { start: '1970-01-01T00:00:00Z', end: '1970-01-01T00:00:05Z', sampling: { ...NO_SAMPLES, covered: [{ from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:00:05Z' }] }, instruments: [{ instrument: 'x:A', accountId: 'a', underlying: 'CASH', fillCount: 2 }, { instrument: 'x:B', accountId: 'a', underlying: 'COIN', fillCount: 9 }] }, ...parts,
  } as unknown as ReportInput
}

describe('the exposure', () => {
  const fill = (second: number, position: string): FillInput => ({ exchange_ts: BigInt(second * S), instrument_id: 7, instrument: 'x:A', account: 'a', price: '9', position, net_traded: null }) as unknown as FillInput
  const equity = [0, 1, 2, 3, 4].map((second) => ({ ts: BigInt(second * S), underlying: 'CASH', equity: second === 3 ? '0' : '100' }))

  test('is the position after the last fill, times the last mid before', () => {
    const found = exposureOf(inputOf({ fills: columnsOf([fill(1, '2'), fill(3, '-5'), fill(4, '0')]) }), 'CASH', equity)
    // The bucket of second 0 has ended at second 1: its price is 10.
    expect(found).toMatchObject({ epochMs: [0, 1000, 2000, 3000, 4000], gross: [0, 20, 22, 60, 0], net: [0, 20, 22, -60, 0], leverage: [0, 0.2, 0.22, null, 0] })
    // Each value holds for the second behind it; the run ends at second 5.
    expect(found.instruments).toEqual([{ instrument: 'x:A', meanGross: expect.closeTo(20.4, 12), greatestGross: 60, meanNet: expect.closeTo(-3.6, 12) }])
    expect(found).toMatchObject({ greatestLeverage: 0.22, meanLeverage: expect.closeTo(0.42 / 4, 12) })
  })

  test('is nothing without a fill, and the price of the fill where no mid was seen', () => {
    expect(exposureOf(inputOf({}), 'CASH', equity)).toEqual({ epochMs: [], gross: [], net: [], leverage: [], meanLeverage: null, greatestLeverage: null, instruments: [] })
    expect(exposureOf(inputOf({ fills: columnsOf([fill(0, '3')]) }, []), 'CASH', equity.slice(0, 1)).gross).toEqual([27])
  })

  /** A row of equity a minute, and what a run of so many days has. */
  const runOf = (days: number, fills: readonly FillInput[]) => {
    const minutes = Array.from({ length: days * 1440 + 1 }, (_, at) => ({ ts: BigInt(at * 60 * S), underlying: 'CASH', equity: String(1000 + at % 7) }))
    const input = inputOf({ fills: columnsOf(fills) }, [])
    const end = `1970-01-${String(days + 1).padStart(2, '0')}T00:00:00Z`
    const summary = { ...input.summary, end, sampling: { ...NO_SAMPLES, covered: [{ from: '1970-01-01T00:00:00Z', to: end }] } }
    return { found: exposureOf({ ...input, summary }, 'CASH', minutes), minutes, days }
  }

  /** The same by looking at every moment: greatest, mean size, mean value, greatest and mean leverage. */
  function naive({ minutes, days }: ReturnType<typeof runOf>, fills: readonly FillInput[]): readonly number[] {
    const moments = [...fills.map((_, at) => ({ ts: fills[at]!.exchange_ts, after: at })), ...minutes.map(({ ts }) => ({ ts, after: fills.findLastIndex((one) => one.exchange_ts <= ts) }))]
      .sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.after - b.after))
    const values = moments.map(({ ts, after }) => {
      const value = after < 0 ? 0 : Number(fills[after]!.position) * 9
      return { ts, value, leverage: Math.abs(value) / Number(minutes[Number(ts / BigInt(60 * S))]!.equity) }
    })
    const mean = (of: (one: (typeof values)[number]) => number): number => values.reduce((sum, one, at) => sum + of(one) * Number((values[at + 1]?.ts ?? one.ts) - one.ts), 0) / (days * DAY)
    return [
      Math.max(...values.map(({ value }) => Math.abs(value))), mean(({ value }) => Math.abs(value)), mean(({ value }) => value), Math.max(...values.map(({ leverage }) => leverage)), mean(({ leverage }) => leverage),
    ]
  }

  test.each(repeated([7, 10]))('sees a position that is held for 30 seconds in %d days, and one that is there for no time at all', (days) => {
    const burst = [fill(3 * 3600 + 10, '2'), fill(3 * 3600 + 40, '0'), fill(90_000, '-1'), fill(90_000, '-7'), fill(90_000, '1'), fill(170_000, '0')]
    const run = runOf(days, burst)
    const { instruments: [one], greatestLeverage, meanLeverage, gross, net } = run.found
    expect([one!.meanGross, one!.meanNet, greatestLeverage, meanLeverage]).toEqual(naive(run, burst).slice(1).map((value): unknown => expect.closeTo(value, 12)))
    expect([one!.greatestGross, naive(run, burst)[0], Math.max(...gross), Math.min(...net), Math.max(...net)]).toEqual([63, 63, 63, -63, 18])
    // 2 for 30 s, and 1 for 80,000 s.
    expect(one!.meanGross).toBeCloseTo(9 * (2 * 30 + 80_000) / (days * 86_400), 12)
  })

  test('a row without length counts for nothing, and many fills become the extremes of each column', () => {
    const fills = Array.from({ length: 20_000 }, (_, at) => fill(at * 4, String(Math.round(Math.sin(at * at) * 50))))
    const run = runOf(1, fills)
    const [greatest, size, value, leverage, mean] = naive(run, fills)
    const { epochMs, gross, instruments: [one], ...rest } = run.found
    expect(one).toMatchObject({ greatestGross: greatest, meanGross: expect.closeTo(size!, 9), meanNet: expect.closeTo(value!, 9) })
    expect([rest.greatestLeverage, rest.meanLeverage]).toEqual([leverage, expect.closeTo(mean!, 12)])
    expect([epochMs.length <= 4096, epochMs.length > 1024, epochMs.at(-1), Math.max(...gross)]).toEqual([true, true, 86_400_000, greatest])
    expect(epochMs.every((ms, at) => at === 0 || ms >= epochMs[at - 1]!)).toBe(true)
  })

  test('the money of two accounts in one instrument is one sum, at the mids of each moment', () => {
    const other = { ...fill(2, '-1'), account: 'b' }
    const input = inputOf({ fills: columnsOf([fill(1, '2'), other]) })
    const instruments = [...input.summary.instruments, { ...input.summary.instruments[0]!, accountId: 'b' }]
    const found = exposureOf({ ...input, summary: { ...input.summary, instruments } }, 'CASH', equity)
    expect(found).toMatchObject({ gross: [0, 20, 33, 36, 39], net: [0, 20, 11, 12, 13], instruments: [{ greatestGross: 20 }] })
  })
})

describe('buying and holding', () => {
  test('has the returns of the mids at the ends of the periods', () => {
    // Days of which the second has no price of its own; the mids at midnight are those of the last second before.
    const track = new BucketTrack(100, S)
    for (const [day, price] of [[0, 100], [0.5, 110], [2.5, 121], [3.25, 60.5]] as const) track.add(day * DAY, price)
    const days = daysOf([0.1, 0, 0.1, -0.5])
    const [found, ...rest] = benchmarksOf(inputOf({ tracks: { prices: new Map([[7, track]]), held: new Map([[7, { peak: 121, deepest: 0.55 }]]) } }), 'CASH', summaryOf(null), days, [])
    expect(rest).toEqual([])
    expect(found).toMatchObject({ instrument: 'x:A', firstPrice: 100, lastPrice: 60.5, return: expect.closeTo(-0.395, 12), sampleCount: 4, beta: expect.closeTo(1, 10), trackingError: expect.closeTo(0, 10), maxDrawdown: 0.55, notComputed: null })
  })

  test.each([
    ['a short run', '2 daily returns', [10, 11], { return: expect.closeTo(0.1, 12), maxDrawdown: 0.625, notComputed: '2 daily returns' }],
    ['a price of 0', null, [10, 0, 5], { return: -0.5, notComputed: 'a price was not above 0' }],
    ['a first price of 0', null, [0, 5], { return: null }],
  ])('of %s has no ratios', (_what, reason, prices, wanted) => {
    expect(benchmarksOf(inputOf({}, prices), 'CASH', summaryOf(reason), daysOf([0.1, 0.2]), [])).toMatchObject([{ beta: null, volatility: null, sharpe: null, maxDrawdown: null, ...wanted }])
  })

  test('leaves out what has no price', () => {
    expect(benchmarksOf(inputOf({}, []), 'CASH', summaryOf(null), [], [])).toEqual([])
  })
})
