import { describe, expect, test } from 'vitest'
import { BucketTrack } from '../../../src/report/bucket-track.js'
import { benchmarksOf } from '../../../src/report/pages/benchmark-parts.js'
import { underwaterOf } from '../../../src/report/pages/drawdown-parts.js'
import { exposureOf } from '../../../src/report/pages/exposure-parts.js'
import { dayNames, longerOf, returnsOf, rollingOf, shapeOf } from '../../../src/report/pages/period-parts.js'
import { priceAt } from '../../../src/report/pages/price-at.js'
import type { ColumnsInput, FillInput, PeriodInput, ReportInput } from '../../../src/report/pages/report-input.js'
import type { ReturnsSummary } from '../../../src/report/money-summary.js'

const [S, DAY] = [1_000_000_000, 86_400_000_000_000]

/** Days of which each has a return, a profit of ten times that and one fill; null is a day without a known return. */
function daysOf(returns: readonly (number | null)[], from = 0): PeriodInput[] {
  return returns.map((one, at) => ({
    ts: BigInt(from + at) * BigInt(DAY), underlying: 'CASH', profit: String((one ?? 0) * 10), fees: '0.1', turnover: '7', fills: 1, drawdown: String(at), return: one, has_data: true,
  }))
}
const summaryOf = (notComputed: string | null): ReturnsSummary => ({ unit: 'day', sampleCount: 0, periodsPerYear: 365, notComputed, volatility: null, maxDrawdown: null, calmar: null, winRate: null, profitFactor: null })

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
  const of = (values: readonly number[]) => underwaterOf(values.map((equity, at) => ({ ts: BigInt(at) * minute, underlying: 'X', equity: String(equity) })), iso(0), iso(10))

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

/** Fills by their columns. */
function columnsOf(fills: readonly FillInput[]): ColumnsInput<FillInput> {
  return { rowCount: fills.length, values: (name) => fills.map((fill) => fill[name]) }
}

/** A run with a price of 10, 11, 12 and so on at each second, and what else is told. */
function inputOf(parts: object, prices = [10, 11, 12, 13, 14]): ReportInput {
  const track = new BucketTrack(100, S)
  for (const [at, price] of prices.entries()) track.add(at * S, price)
  return {
    epochDay: 0, tracks: { prices: new Map([[7, track]]) }, instrumentOf: () => 'x:A', fills: columnsOf([]), valueOf: (_account: string, _id: number, quantity: string, price: number) => Number(quantity) * price,
    summary: { instruments: [{ instrument: 'x:A', accountId: 'a', underlying: 'CASH', fillCount: 2 }, { instrument: 'x:B', accountId: 'a', underlying: 'COIN', fillCount: 9 }] }, ...parts,
  } as unknown as ReportInput
}

describe('the exposure', () => {
  const fill = (second: number, position: string): FillInput => ({ exchange_ts: BigInt(second * S), instrument_id: 7, instrument: 'x:A', account: 'a', price: '9', position, net_traded: null }) as unknown as FillInput
  const equity = [0, 1, 2, 3, 4].map((second) => ({ ts: BigInt(second * S), underlying: 'CASH', equity: second === 3 ? '0' : '100' }))

  test('is the position after the last fill, times the last mid before', () => {
    const found = exposureOf(inputOf({ fills: columnsOf([fill(1, '2'), fill(3, '-5'), fill(4, '0')]) }), 'CASH', equity)
    // The bucket of second 0 has ended at second 1: its price is 10.
    expect(found).toMatchObject({ epochMs: [0, 1000, 2000, 3000, 4000], gross: [0, 20, 22, 60, 0], net: [0, 20, 22, -60, 0], leverage: [0, 0.2, 0.22, null, 0] })
    expect(found.instruments).toEqual([{ instrument: 'x:A', meanGross: expect.closeTo(20.4, 12), greatestGross: 60, meanNet: expect.closeTo(-3.6, 12) }])
  })

  test('is nothing without a fill, and the price of the fill where no mid was seen', () => {
    expect(exposureOf(inputOf({}), 'CASH', equity)).toEqual({ epochMs: [], gross: [], net: [], leverage: [], instruments: [] })
    expect(exposureOf(inputOf({ fills: columnsOf([fill(0, '3')]) }, []), 'CASH', equity.slice(0, 1)).gross).toEqual([27])
  })

  test('has at most 1024 points, the last row among them', () => {
    const many = Array.from({ length: 5000 }, (_, at) => ({ ts: BigInt(at * S), underlying: 'CASH', equity: '1' }))
    const { epochMs } = exposureOf(inputOf({ fills: columnsOf([fill(0, '1')]) }), 'CASH', many)
    expect([epochMs.length <= 1024, epochMs.length > 512, epochMs.at(-1)]).toEqual([true, true, 4_999_000])
  })
})

describe('buying and holding', () => {
  test('has the returns of the mids at the ends of the periods', () => {
    // Days of which the second has no price of its own; the mids at midnight are those of the last second before.
    const track = new BucketTrack(100, S)
    for (const [day, price] of [[0, 100], [0.5, 110], [2.5, 121], [3.25, 60.5]] as const) track.add(day * DAY, price)
    const days = daysOf([0.1, 0, 0.1, -0.5])
    const [found, ...rest] = benchmarksOf(inputOf({ tracks: { prices: new Map([[7, track]]) } }), 'CASH', summaryOf(null), days, [])
    expect(rest).toEqual([])
    expect(found).toMatchObject({ instrument: 'x:A', firstPrice: 100, lastPrice: 60.5, return: expect.closeTo(-0.395, 12), sampleCount: 4, beta: expect.closeTo(1, 10), trackingError: expect.closeTo(0, 10), maxDrawdown: expect.closeTo(0.5, 12), notComputed: null })
  })

  test.each([
    ['a short run', '2 daily returns', [10, 11], { return: expect.closeTo(0.1, 12), notComputed: '2 daily returns' }],
    ['a price of 0', null, [10, 0, 5], { return: -0.5, notComputed: 'a price was not above 0' }],
    ['a first price of 0', null, [0, 5], { return: null }],
  ])('of %s has no ratios', (_what, reason, prices, wanted) => {
    expect(benchmarksOf(inputOf({}, prices), 'CASH', summaryOf(reason), daysOf([0.1, 0.2]), [])).toMatchObject([{ beta: null, volatility: null, sharpe: null, maxDrawdown: null, ...wanted }])
  })

  test('leaves out what has no price', () => {
    expect(benchmarksOf(inputOf({}, []), 'CASH', summaryOf(null), [], [])).toEqual([])
  })
})
