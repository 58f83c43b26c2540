import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTickFile } from '../../../src/day/tick-day.js'
import { realisedVolatility } from '../../../src/measures/indicators/indicators.js'
import { bookDepth } from '../../../src/measures/market/book-depth.js'
import { basis, fundingPayments } from '../../../src/measures/market/funding-basis.js'
import { greeksSurface } from '../../../src/measures/market/greeks-surface.js'
import { latencyProfile } from '../../../src/measures/market/latency-profile.js'
import { columnMean } from '../../../src/measures/market/market-columns.js'
import { kyleLambda, orderFlow, tradeSignAutocorrelation, vpin } from '../../../src/measures/market/order-flow.js'
import { quotedSpread, quoteMeasures } from '../../../src/measures/market/quotes.js'
import { effectiveSpread, realisedSpread, tradeMarkOuts } from '../../../src/measures/market/trade-costs.js'
import { sampledVolatility, twoScaleVolatility } from '../../../src/measures/market/volatility.js'
import type { ColumnType, TableValue } from '../../../src/tables/column.js'
import { createTable, type Table } from '../../../src/tables/table.js'
import { datasetsFolder } from '../../support/datasets-folder.ts'

/** 2026-07-01T00:00:00 UTC. */
const DAY = 1_782_864_000_000_000_000n
const SECOND = 1_000_000_000
const decimal: ColumnType = { form: 'decimal', precision: 18, scale: 4 }

/** A table of the named columns; times are seconds of the day. */
function tableOf(types: Readonly<Record<string, ColumnType>>, rows: readonly (readonly TableValue[])[]): Table {
  return createTable(Object.entries(types).map(([name, type], at) => ({
    name, type, nullable: true,
    values: rows.map((row) => {
      const value = row[at] ?? null
      return type.form === 'timestamp' && typeof value === 'number' ? DAY + BigInt(Math.round(value * SECOND)) : value
    }),
  })))
}

type Quote = readonly [ts: number, bid: string | null, bidQty: string | null, ask: string | null, askQty: string | null]
const quotes = (...rows: readonly Quote[]): Table => tableOf({ ts: { form: 'timestamp' }, bid_price: decimal, bid_qty: decimal, ask_price: decimal, ask_qty: decimal }, rows)
type Print = readonly [ts: number, side: 'BID' | 'ASK', price: string, qty: string]
const prints = (...rows: readonly Print[]): Table => tableOf({ ts: { form: 'timestamp' }, side: { form: 'side' }, price: decimal, qty: decimal }, rows)
const priced = (...rows: readonly (readonly [ts: number, price: string])[]): Table => tableOf({ ts: { form: 'timestamp' }, price: decimal }, rows)

const BBO = quotes([0, '99', '1', '101', '3'], [1, '99', '2', '103', '2'], [3, '98', '2', '102', '2'], [4, '98', '2', '102', '2'])

describe('quotes', () => {
  test('have mid, micro-price, spread and imbalance', () => {
    expect(quoteMeasures(BBO).rows[0]).toEqual({ ts: DAY, mid: 100, micro_price: 99.5, spread: 2, spread_bps: 200, imbalance: -0.5 })
  })

  test('are averaged over the time that each stood', () => {
    expect(quotedSpread(BBO)).toEqual({ spread: (2 + 2 * 4 + 4) / 4, basisPoints: expect.closeTo((200 + 2 * (40_000 / 101) + 400) / 4, 9) as number, quotedNs: 4 * SECOND, unquotedNs: 0, quoteCount: 4, crossedCount: 0 })
    expect(quotedSpread(BBO, { staleAfterMs: 500 })).toMatchObject({ spread: 10 / 3, quotedNs: 1.5 * SECOND, unquotedNs: 2.5 * SECOND })
  })

  test('that are crossed or miss a side are none', () => {
    const bbo = quotes([0, '101', '1', '99', '1'], [1, '99', '1', null, null], [2, '99', '1', '99', '1'], [3, '99', '1', '99', '1'])
    expect(quoteMeasures(bbo).column('spread')).toEqual([null, null, 0, 0])
    expect(quotedSpread(bbo)).toMatchObject({ spread: 0, quotedNs: SECOND, unquotedNs: 2 * SECOND, crossedCount: 1 })
    expect(quotedSpread(quotes([0, '1', '1', '2', '1'])).spread).toBeNaN()
  })

  test('of one time count by the last of them, and a clock that steps back stands', () => {
    const bbo = quotes([1, '1', '1', '3', '1'], [1, '1', '1', '5', '1'], [0.5, '1', '1', '7', '1'], [2, '1', '1', '3', '1'])
    expect(quotedSpread(bbo)).toMatchObject({ spread: 6, quotedNs: SECOND })
  })
})

describe('costs of trades', () => {
  const trades = prints([0, 'BID', '101', '1'], [1, 'BID', '101', '1'], [2, 'ASK', '99', '3'])

  test('are measured against the quote just before them', () => {
    const table = effectiveSpread(trades, BBO)
    // At 0 s no quote stood before; the one of 1 s counts as after the trade of 1 s.
    expect(table.column('mid')).toEqual([null, 100, 101])
    expect(table.column('effective')).toEqual([null, 2, 4])
    expect(table.column('side')).toEqual(['BID', 'BID', 'ASK'])
    expect(columnMean(table, 'effective', { weight: 'qty' })).toEqual({ mean: 3.5, count: 2, missingCount: 1 })
    expect(columnMean(table, 'effective').mean).toBe(3)
  })

  test('split into what the other side kept and what the market learned', () => {
    const table = realisedSpread(trades, BBO, '2s')
    expect(table.column('later_mid')).toEqual([101, 100, 100])
    expect(table.column('realised')).toEqual([null, 2, 2])
    expect(table.column('impact')).toEqual([null, 0, 2])
    expect(realisedSpread(trades, BBO, '1m').column('realised')).toEqual([null, null, null])
  })

  test('have mark-outs, those behind the last quote missing', () => {
    expect(tradeMarkOuts(trades, BBO, ['1s', '3s']).rows).toEqual([
      { horizon_ns: 1e9, trade_count: 3, missing_count: 0, mean: (0 + 0 - 1) / 3, mean_bps: -10_000 / 99 / 3, weighted: -3 / 5, weighted_bps: (-10_000 / 99) * 3 / 5 },
      { horizon_ns: 3e9, trade_count: 2, missing_count: 1, mean: -1, mean_bps: -10_000 / 101, weighted: -1, weighted_bps: -10_000 / 101 },
    ])
  })

  test('of no trades are a table without rows', () => {
    expect(effectiveSpread(prints(), BBO).rows).toEqual([])
    expect(columnMean(effectiveSpread(prints(), BBO), 'effective').mean).toBeNaN()
  })

  test('miss where a quote is stale', () => {
    expect(effectiveSpread(prints([2.9, 'BID', '103', '1']), BBO, { staleAfterMs: 1000 }).column('mid')).toEqual([null])
  })
})

describe('order flow', () => {
  test('is the sum of what came and left at the touch', () => {
    // 1 s: bid +1 more, ask went up: 3 left. 3 s: bid fell: -2, ask fell: -2. 4 s: nothing changed.
    expect(orderFlow(BBO, '2s').rows).toEqual([
      { ts: DAY, ofi: 1 + 3, mid_change: null, change_count: 1 },
      { ts: DAY + 2_000_000_000n, ofi: -4, mid_change: -1, change_count: 1 },
      { ts: DAY + 4_000_000_000n, ofi: 0, mid_change: 0, change_count: 1 },
    ])
  })

  test('begins anew behind a missing side', () => {
    const bbo = quotes([0, '1', '1', '2', '1'], [1, null, null, '2', '1'], [2, '1', '9', '2', '1'], [3, '1', '10', '2', '1'])
    expect(orderFlow(bbo, '10s').column('ofi')).toEqual([1])
  })

  test('sides that repeat themselves are correlated', () => {
    const trades = prints(...(['BID', 'BID', 'ASK', 'ASK'] as const).map((side, at): Print => [at, side, '1', '1']))
    expect(tradeSignAutocorrelation(trades, 3).column('autocorrelation')).toEqual([0.25, -0.5, -0.25])
    const same = prints([0, 'BID', '1', '1'], [1, 'BID', '1', '1'])
    expect(tradeSignAutocorrelation(same, 1).column('autocorrelation')).toEqual([null])
  })

  test('moves the mid by lambda', () => {
    const bbo = quotes(...[100, 101, 99, 102, 102].map((mid, at): Quote => [at * 10, String(mid - 1), '1', String(mid + 1), '1']))
    const trades = prints([9, 'BID', '1', '9'], [10, 'BID', '1', '2'], [12, 'ASK', '1', '1'], [25, 'ASK', '1', '2'], [35, 'BID', '1', '3'])
    // Begin at 0 s has no mid before; 10 s: +1 and 1, 20 s: -2 and -2, 30 s: 3 and 3.
    const result = kyleLambda(trades, bbo, '10s')
    expect(result).toMatchObject({ intervalCount: 3, skippedCount: 1 })
    expect(result.lambda).toBeCloseTo(1, 12)
    expect(result.rSquared).toBeCloseTo(1, 12)
    expect(result.intercept).toBeCloseTo(0, 12)
  })

  test('fills buckets, a large trade several', () => {
    const trades = prints([0, 'BID', '1', '1.5'], [1, 'ASK', '1', '4'], [2, 'BID', '1', '0.7'])
    expect(vpin(trades, { bucketVolume: 2, window: 2 }).rows).toEqual([
      { ts: DAY + 1_000_000_000n, buy_qty: 1.5, sell_qty: 0.5, vpin: null },
      { ts: DAY + 1_000_000_000n, buy_qty: 0, sell_qty: 2, vpin: 0.75 },
      { ts: DAY + 2_000_000_000n, buy_qty: 0.5, sell_qty: 1.5, vpin: 0.75 },
    ])
    expect(vpin(prints(...Array.from({ length: 100 }, (_, at): Print => [at, 'BID', '1', '0.1'])), {}).rowCount).toBe(50)
  })

  test('keeps the volume, whatever the trades are', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 50_000 })), { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 30_000 }), (given, bucket) => {
      const trades = prints(...given.map(([isBuy, lots], at): Print => [at, isBuy ? 'BID' : 'ASK', '1', (lots / 10_000).toFixed(4)]))
      const table = vpin(trades, { bucketVolume: bucket / 10_000, window: 3 })
      const lots = given.flatMap(([isBuy, count]) => Array.from({ length: count }, () => isBuy))
      expect(table.rowCount).toBe(Math.floor(lots.length / bucket))
      const naive = Array.from({ length: table.rowCount }, (_, at) => lots.slice(at * bucket, (at + 1) * bucket).filter(Boolean).length)
      expect([...table.numbers('buy_qty')].map((one) => Math.round(one * 10_000))).toEqual(naive)
    }), { numRuns: 30 })
  })
})

describe('volatility', () => {
  const mids = [100, 101, 100.5, 102, 101, 103, 102.5, 104]
  const bbo = quotes(...mids.map((mid, at): Quote => [at, String(mid - 0.5), '1', String(mid + 0.5), '1']))

  test('is that of the indicator over the same mids', () => {
    const indicator = realisedVolatility(7)
    for (const mid of mids) indicator.next(mid)
    expect(sampledVolatility(bbo, '1s')).toMatchObject({ returnCount: 7, missingCount: 0 })
    expect(sampledVolatility(bbo, '1s').volatility).toBeCloseTo(indicator.value, 14)
  })

  test('spans places without a mid', () => {
    const gappy = quotes([0, '1', '1', '1', '1'], [1, null, null, '1', '1'], [3, '2', '1', '2', '1'])
    expect(sampledVolatility(gappy, '1s')).toEqual({ volatility: Math.log(2), variance: Math.log(2) ** 2, returnCount: 1, missingCount: 2 })
  })

  test('of two scales takes off the noise of the fine one', () => {
    const logs = mids.map(Math.log)
    const fine = logs.slice(1).reduce((sum, one, at) => sum + (one - (logs[at] as number)) ** 2, 0)
    const grids = [0, 1].map((begin) => logs.filter((_, at) => at % 2 === begin))
    const averaged = grids.map((grid) => grid.slice(1).reduce((sum, one, at) => sum + (one - (grid[at] as number)) ** 2, 0)).reduce((sum, one) => sum + one / 2, 0)
    const ratio = 3 / 7
    expect(twoScaleVolatility(bbo, '1s', 2).variance).toBeCloseTo((averaged - ratio * fine) / (1 - ratio), 14)
    expect(twoScaleVolatility(bbo, '1s', 2).noiseVariance).toBeCloseTo(fine / 14, 14)
  })
})

test('depth counts a level at its limit, and the slope is quantity a basis point', () => {
  const grid = tableOf({ ts: { form: 'timestamp' }, suspect: { form: 'boolean' }, level: { form: 'uint32' }, bid_price: decimal, bid_qty: decimal, ask_price: decimal, ask_qty: decimal }, [
    [0, false, 1, '999', '1', '1001', '2'], [0, false, 2, '998', '3', '1002', '4'], [0, false, 3, null, null, '1010', '8'],
    [1, true, 1, '999', '1', '1001', '2'], [2, false, 1, null, null, '1001', '2'], [3, false, 1, '1002', '1', '1001', '2'],
  ])
  const depth = bookDepth(grid, [10, 20])
  expect(depth.rows[0]).toEqual({ ts: DAY, mid: 1000, bid_slope: (10 + 20 * 4) / 500, ask_slope: (10 * 2 + 20 * 6 + 100 * 14) / 10_500, bid_qty_10bp: 1, ask_qty_10bp: 2, bid_qty_20bp: 4, ask_qty_20bp: 6 })
  expect(depth.column('mid')).toEqual([1000, null, null, null])
  expect(depth.column('ask_qty_20bp')).toEqual([6, null, null, null])
})

describe('depth of a grid of few levels', () => {
  const types = { ts: { form: 'timestamp' }, suspect: { form: 'boolean' }, level: { form: 'uint32' }, bid_price: decimal, bid_qty: decimal, ask_price: decimal, ask_qty: decimal } as const
  /** A book a second with its levels: `bid qty ask qty`, `-` for none. */
  const gridOf = (levels: string | null, ...books: readonly (readonly string[])[]): Table => {
    const made = tableOf(types, books.flatMap((rows, second) => rows.map((row, at) => [second, false, at + 1, ...row.split(' ').map((cell) => (cell === '-' ? null : cell))])))
    return levels === null ? made : Object.assign({}, made, { metadata: new Map([['levels', levels]]) })
  }
  // Mid 1000: 10 and 20 basis points on both sides.
  const TWO = ['999 1 1001 2', '998 3 1002 4']

  test.each<[string, Table, number, (number | null)[], (number | null)[], RegExp | undefined]>([
    ['beyond the last level it is null', gridOf('2', TWO), 25, [null], [null], /^bid_qty_25bp, ask_qty_25bp are null in 1 of 1 books: .* needs about 3 levels/],
    ['at the last level it is known', gridOf('2', TWO), 20, [4], [6], undefined],
    ['before the last level it is known', gridOf('2', TWO), 15, [1], [2], undefined],
    ['a side that ends before the grid does is whole', gridOf('3', TWO), 25, [4], [6], undefined],
    ['one side is cut', gridOf('2', ['999 1 1001 2', '998 3 - -']), 25, [null], [2], /^bid_qty_25bp is null in 1 of 1 books/],
    ['whole books are known', gridOf('all', TWO), 9000, [4], [6], undefined],
    ['where nothing states the levels, the deepest side counts as cut', gridOf(null, TWO, ['999 1 1001 2']), 25, [null, 1], [null, 2], /null in 1 of 2 books/],
    ['a touch of one price at both sides', gridOf('1', ['1000 1 1000 2']), 5, [null], [null], /needs more levels/],
    ['a mid below 0, as a combo has', gridOf('all', ['-1001 1 -999 2', '-1002 3 -998 4']), 10, [1], [2], undefined],
    ['a mid of 0 has no basis points', gridOf('all', ['-1 1 1 2']), 10, [null], [null], undefined],
    ['a crossed book has none', gridOf('2', ['1001 1 1000 2']), 10, [null], [null], undefined],
  ])('%s', (_, grid, limit, bids, asks, warning) => {
    const depth = bookDepth(grid, [limit])
    expect([depth.column(`bid_qty_${limit}bp`), depth.column(`ask_qty_${limit}bp`)]).toEqual([bids, asks])
    if (warning === undefined) expect(depth.metadata.get('warning')).toBeUndefined()
    else expect(depth.metadata.get('warning')).toMatch(warning)
  })
})

describe('funding and basis', () => {
  test('the index of the same time counts; a year holds 1095 intervals of 8 h', () => {
    const table = basis(priced([0, '99'], [1, '101'], [5, '101']), priced([1, '100'], [4, '101']), { interval: '8h' })
    expect(table.column('basis')).toEqual([null, 1, 0])
    expect(table.column('basis_bps')).toEqual([null, expect.closeTo(100, 9), 0])
    expect(table.column('annualised')).toEqual([null, expect.closeTo(10.95, 9), 0])
    expect(basis(priced([1, '101']), priced([1, '100'])).column('annualised')).toEqual([null])
    expect(basis(BBO, priced([0, '100'])).column('basis')).toEqual([0, 1, 0, 0])
  })

  test('of a future is scaled by the time to its expiry', () => {
    const expiryNs = DAY + 36_500_000_000_000_000n / 5n
    const [first, last] = basis(priced([0, '102'], [7_300_000, '102']), priced([0, '100']), { expiryNs }).column('annualised')
    expect(first).toBeCloseTo(0.02 * 365 * 86_400 / 7_300_000, 9)
    expect(last).toBeNull()
  })

  const fundings = (...rows: readonly (readonly [ts: number, rate: string, names: number | null, exchangeTs?: number | null])[]): Table =>
    tableOf({ ts: { form: 'timestamp' }, rate: decimal, next_funding_ts: { form: 'timestamp' }, exchange_ts: { form: 'timestamp' } }, rows.map((row) => row.map((value) => value ?? null)))

  test('the last rate stated before a payment is paid, at the last mark before it', () => {
    const funding = fundings([0, '0.0001', 1000], [9, '0.0002', 1000], [1000, '0.0009', 1000], [1100, '-0.0001', 2000], [1200, '0.5', null], [1990, '0.0003', 3000])
    const paid = fundingPayments(funding, priced([9, '100'], [1000, '999'], [2000, '200']))
    expect(paid.rows).toMatchObject([{ ts: DAY + 1_000_000_000_000n, rate: 0.0002, mark: 100, paid: 0.02 }, { rate: -0.0001, mark: 999, paid: -0.0999 }])
    expect(paid.numbers('annualised')[1]).toBeCloseTo(-0.0001 * 365 * 86.4, 9)
    expect(fundingPayments(fundings([0, '0.1', 30]), priced()).rows).toEqual([])
    expect(fundingPayments(tableOf({ ts: { form: 'timestamp' }, rate: decimal, next_funding_ts: { form: 'timestamp' } }, [[0, '0.1', 30]]), priced([30, '1'])).rows).toHaveLength(1)
  })

  test.each<[string, Table, readonly (readonly [seconds: number, rate: number])[]]>([
    ['named twice, 4 ms apart', fundings([0, '0.1', 3600], [1800, '0.2', 3600.004]), [[3600.004, 0.2]]],
    ['taken back', fundings([0, '0.1', 3600], [1800, '0.2', 6600]), [[6600, 0.2]]],
    ['one second early', fundings([0, '0.1', 3600], [3599, '0.2', 6600]), [[3600, 0.1], [6600, 0.2]]],
    // In the file the line of 3541 stands last; at the exchange it took 3600 back at 3540, and that of 3550 came behind it.
    ['in exchange order', fundings([0, '0.1', 3600, 0], [3551, '0.3', 6600, 3550], [3552, '0.2', 6601, 3540]), [[6600, 0.3]]],
    ['an exchange time that is missing or later than that of the adapter', fundings([0, '0.1', 3600, null], [3540, '0.2', 6600, 9999]), [[6600, 0.2]]],
  ])('as a run pays: %s', (_, funding, paid) => {
    expect(fundingPayments(funding, priced([0, '1'], [9000, '1'])).rows.map(({ ts, rate }) => [Number(ts as bigint - DAY) / SECOND, rate])).toEqual(paid)
  })
})

test('latencies are of events, sorted, and a quantile is one of them', () => {
  const table = tableOf({ ts: { form: 'timestamp' }, exchange_ts: { form: 'timestamp' }, event_index: { form: 'uint32' } }, [[2, 1, 0], [2, 1, 0], [3, 3.5, 1], [4, null, 2], [9, 5, 3]])
  const empty = tableOf({ ts: { form: 'timestamp' }, exchange_ts: { form: 'timestamp' }, event_index: { form: 'uint32' } }, [])
  expect(latencyProfile({ trades: table, none: empty }).rows).toEqual([
    { kind: 'trades', count: 3, negative_count: 1, smallest_ns: -0.5e9, median_ns: 1e9, p90_ns: 4e9, p99_ns: 4e9, p999_ns: 4e9, largest_ns: 4e9 },
    { kind: 'none', count: 0, negative_count: 0, smallest_ns: null, median_ns: null, p90_ns: null, p99_ns: null, p999_ns: null, largest_ns: null },
  ])
})

describe('a surface', () => {
  const option = (strikePrice: string | null, expiry: string | null, vols: readonly (readonly [number, number | null])[], type = 'CALL') => ({
    instrument: { code: `${String(strikePrice)}-${type}`, type, strikePrice, expiry } as never,
    mark: tableOf({ ts: { form: 'timestamp' }, mark_vol: { form: 'double' } }, vols),
  })
  const options = [option('100000', '2026-09-01', [[0, 0.5], [2, 0.6]]), option('90000', '2026-09-01', [[3, 0.7]]), option('90000', '2026-10-01', [[0, 0.4], [1, null]]), option('1', 'x', [], 'PUT')]

  test('has the last value at a time by strike and expiry', () => {
    expect(greeksSurface(options, 'call', 'mark_vol', DAY + 2_000_000_000n).rows).toEqual([
      { strike: '90000', '2026-09-01': null, '2026-10-01': null }, { strike: '100000', '2026-09-01': 0.6, '2026-10-01': null },
    ])
    expect(greeksSurface(options, 'CALL', 'mark_vol', DAY).rows[0]).toMatchObject({ '2026-10-01': 0.4 })
  })

  test.each([
    ['no such options', () => greeksSurface([], 'call', 'delta', 0n), /options of type call, found none/],
    ['two of one place', () => greeksSurface([...options, option('90000', '2026-10-01', [])], 'call', 'mark_vol', 0n), /found two of 90000 2026-10-01/],
    ['no strike', () => greeksSurface([option(null, 'x', [])], 'call', 'mark_vol', 0n), /strike and expiry, found null-CALL/],
    ['no such value', () => greeksSurface(options, 'call', 'rho' as never, 0n), /one of price, delta, .* found "rho"/],
  ])('is refused: %s', (_, work, words) => {
    expect(work).toThrow(words)
  })
})

describe('refusals', () => {
  const trades = prints([0, 'BID', '1', '1'])
  const none = quotes()
  test.each([
    ['no quotes', () => quotedSpread(none), 'Cannot measure the quoted spread: bbo must be a table with rows, found 0'],
    ['no quotes for trades', () => effectiveSpread(trades, none), 'Cannot measure the effective spread: bbo must be a table with rows, found 0'],
    ['a time of 0 to grow stale', () => quotedSpread(BBO, { staleAfterMs: 0 }), 'Cannot measure the quoted spread: staleAfterMs must be above 0, found 0'],
    ['a horizon of 0', () => realisedSpread(trades, BBO, '0s'), /^Cannot measure the realised spread: horizon must be .*, found "0s"$/],
    ['a horizon without a unit', () => tradeMarkOuts(trades, BBO, ['5']), /^Cannot measure mark-outs: horizons must be /],
    ['a horizon that is no text', () => realisedSpread(trades, BBO, 5 as never), /horizon must be a text such as 10s, found 5$/],
    ['an interval of 0', () => orderFlow(BBO, '0ms'), /^Cannot measure order flow: every must be/],
    ['no lags', () => tradeSignAutocorrelation(trades, 0), /lags must be a whole number from 1 on, found 0/],
    ['too few trades', () => tradeSignAutocorrelation(trades, 5), /trades must be a table of 6 rows or more, found 1/],
    ['too few intervals', () => kyleLambda(trades, BBO, '1h'), /every must be short enough for three intervals with a mid, found 1h/],
    ['no trades', () => kyleLambda(prints(), BBO, '1s'), /trades must be a table with rows/],
    ['no bucket', () => vpin(trades, { bucketVolume: 0 }), /bucketVolume must be a positive multiple of 0.0001, found 0/],
    ['a bucket between two lots', () => vpin(trades, { bucketVolume: 0.00015 }), /bucketVolume must be/],
    ['a window of half a bucket', () => vpin(trades, { window: 0.5 }), /window must be/],
    ['one place', () => sampledVolatility(BBO, '1h'), /every must be short enough for two places with a mid, found "1h"/],
    ['a scale of 1', () => twoScaleVolatility(BBO, '1s', 1), /scale must be a whole number from 2 on, found 1/],
    ['a scale as long as the returns', () => twoScaleVolatility(BBO, '1s', 4), /scale must be below the number of returns, 4, found 4/],
    ['no grid', () => bookDepth(none), /grid must be a table with rows/],
    ['a limit of 0', () => bookDepth(BBO, [0]), /basisPoints must be above 0 and below 10000, found 0/],
    ['no index', () => basis(priced([0, '1']), priced()), /indexes must be a table with rows/],
    ['two lengths', () => basis(priced([0, '1']), priced([0, '1']), { interval: '8h', expiryNs: 1n }), /interval must be left out where expiryNs is given/],
    ['no funding', () => fundingPayments(priced(), priced()), /funding must be a table with rows/],
    ['no tables', () => latencyProfile({}), /tables must be one table at least, found none/],
    ['a table of another kind', () => quotedSpread(priced([0, '1'])), /no column bid_price/],
  ])('%s', (_, work, words) => {
    expect(work).toThrow(words)
  })
})

test('exact and float64 tables give the same figures; a grid of books is one', async () => {
  const day = await openTickFile(join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'))
  const [exact, doubles] = [await day.table('bbo'), await day.table('bbo', { numbers: 'float64' })]
  expect(quotedSpread(exact)).toEqual(quotedSpread(doubles))
  const trades = [await day.table('trades'), await day.table('trades', { numbers: 'float64' })] as const
  expect(vpin(trades[0], { window: 5 }).rows).toEqual(vpin(trades[1], { window: 5 }).rows)
  expect(kyleLambda(trades[0], exact, '5s')).toEqual(kyleLambda(trades[1], doubles, '5s'))
  const grid = await day.bookTable({ everyMs: 30_000, levels: 5 })
  const books: unknown[] = []
  for await (const book of day.books({ everyMs: 30_000, levels: 5 })) books.push([book.timestampNs, book.bids[0]?.price.toString() ?? null])
  expect(grid.rows.filter(({ level }) => level === 1).map(({ ts, bid_price: bid }) => [ts, bid])).toEqual(books)
  expect(bookDepth(grid).rowCount).toBe(books.length)
  await expect(day.bookTable({ everyMs: 1000, maxRows: 10 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})
