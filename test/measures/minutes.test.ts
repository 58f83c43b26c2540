import { describe, expect, test } from 'vitest'
import { openTickFile } from '../../src/day/tick-day.js'
import { readMinutes } from '../../src/day/minutes-reader.js'
import { crossedWarning, farRateWarning, MINUTE_COLUMNS, minutesCsv, minutesJson, minuteTable } from '../../src/export/minutes-table.js'
import { minuteUnits, quotientText } from '../../src/measures/minutes-units.js'
import { ProductSum, QuotientSum } from '../../src/measures/minutes-sum.js'
import { dayOf, masterData, storedFrame, time, type Line } from '../support/hand-made-day.js'
import { naiveMinutes, textOfFile } from '../support/naive-minutes.js'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedData } from '../support/shared-data.js'

const RECORDED = ['binance_swap-BTCUSDT-2023-04-04', 'binance_coin_swap-BTCUSD_PERP-2024-08-08', 'binance_spot-ETHUSDT-2024-08-08', 'binance_swap-ETHUSDT-2024-07-18']

/** Lines of each file: enough for two or three minutes of it, few enough for decimals of 60 digits. */
const LINES = 5000

describe.skipIf(!hasSharedData)('minutes of recorded files equal an independent computation in decimals', () => {
  test.each(repeated(RECORDED.flatMap((name) => [[name, '1m', 60n], [name, '8s', 8n], [name, '1h', 3600n]] as const), (_, at) => at === 4))('%s every %s', { timeout: 180_000 }, async (name, every, seconds) => {
    const day = name.slice(-10)
    const text = textOfFile(sharedData(`days/${name}.txt.zst`)).split('\n').slice(0, LINES).join('\n')
    const { rows } = await readMinutes(await openTickFile(storedFrame(new TextEncoder().encode(text)), { day }), { every })
    const plain = rows.map(({ time: start, ...cells }) => ({ time: String(start), ...cells }))
    expect(plain).toEqual(naiveMinutes(text, BigInt(Date.parse(`${day}T00:00:00Z`)) * 1_000_000n, seconds * 1_000_000_000n))
    expect(plain.length).toBeGreaterThan(0)
  })
})

/** Book from 00:00:00 bid 100 x 2, ask 101 x 4; at 00:00:30 the ask moves to 103 x 1; the last event lies at 00:01:00. */
const LINEAR: Line[] = [
  [0, '0', 'a', time('00:00:00'), 0, [[0, '100', '2', 1], [0, '99', '1', 1], [1, '101', '4', 1]]],
  [2, '0', 't1', time('00:00:10'), 0, [[0, '101', '1', 'x', time('00:00:09')], [1, '100', '3', 'y', time('00:00:08')]]],
  [1, 'a', 'b', time('00:00:30'), 0, [[1, '101', '0', 1], [1, '103', '1', 1]]],
  [2, 't1', 't2', time('00:00:40'), 0, [[1, '100', '1', 'z', time('00:00:20')]]],
  [1, 'b', 'c', time('00:01:00'), 0, [[0, '99', '5', 1]]],
]

async function minutesOf(instrument: Record<string, unknown>, lines: readonly Line[], every?: string): Promise<ReturnType<typeof readMinutes>> {
  return readMinutes(await dayOf(masterData(instrument), lines), every === undefined ? {} : { every })
}

describe('the day of a file', () => {
  test.each(['2026-06-30', '2026-07-01'])('%s, with a margin of minutes', async (day) => {
    await expect(readMinutes(await dayOf(masterData({}), LINEAR, { day }))).resolves.toBeDefined()
  })

  test.each(['2026-06-29', '2026-07-02', '2026-09-01'])('%s is another one, whose minutes would all be left out', async (day) => {
    const sentence = new RegExp(`^Cannot read bytes: it has an event of 2026-07-01T00:0.*Z, and its name or an option says ${day}; correct the day there$`)
    await expect(readMinutes(await dayOf(masterData({}), LINEAR, { day }))).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringMatching(sentence) as string })
  })
})

describe('hand-computed tables', () => {
  test('linear: multiplier 0.5, tick 0.5, 1 USDT = 2 USD', async () => {
    const { rows, suspectNs } = await minutesOf({ multiplier: 0.5, ticksize: 0.5, lot_size: 1 }, LINEAR)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toEqual({
      time: time('00:00:00'),
      // Fills in the order of their own venue time: 100 at :08, 101 at :09, 100 at :20.
      open: '100', high: '101', low: '100', close: '100', vwap: '100.2',
      trades: 3, trades_buy: 1, trades_sell: 2, trades_liquidation: 0,
      turnover_usd: '501', turnover_buy_usd: '101', turnover_sell_usd: '400', volume_buy: '0.5', volume_sell: '2',
      // 30 s of spread 1 around 100.5 and 30 s of spread 3 around 101.5.
      spread_avg: '2', spread_bps: quotientText(10_000n * (1n * 203n + 3n * 201n) * 2n, 2n * 201n * 203n, 0), spread_ticks: '4',
      top1_bid_usd: '200', top1_ask_usd: '253.5', top20_bid_usd: '299', top20_ask_usd: '253.5',
      top1_bid_qty: '1', top1_ask_qty: '1.25',
    })
    expect(suspectNs).toBe(0)
  })

  test('inverse: contract value 10 USD, counter at 1 USD', async () => {
    const { rows } = await minutesOf({ is_inverse: true, contract_value: 10, counter_underlying_id: 3, valuation_underlying_id: 1, ticksize: 1 }, LINEAR)
    expect(rows[0]).toMatchObject({
      // 5 contracts over 1/101 + 4/100 of base.
      vwap: quotientText(5n * 10_100n, 504n, 0),
      turnover_usd: '50', turnover_buy_usd: '10', turnover_sell_usd: '40', volume_buy: '0.09900990099009901', volume_sell: '0.4',
      top1_bid_usd: '20', top1_ask_usd: '25', top20_bid_usd: '30',
      top1_bid_qty: '0.2', top1_ask_qty: quotientText(40n * 103n + 10n * 101n, 2n * 101n * 103n, 0),
    })
  })

  test('quanto settles in the valuation underlying, scaled by the contract value', async () => {
    const { rows } = await minutesOf({ is_quanto: true, contract_value: '0.001', valuation_underlying_id: 1, ticksize: 1 }, LINEAR)
    expect(rows[0]).toMatchObject({ turnover_buy_usd: '5050', vwap: '100.2', top1_bid_qty: '2' })
  })

  test('spot without a rate has empty USD cells, everything else stays', async () => {
    const { rows } = await minutesOf({ type: 'spot', multiplier: null, counter_underlying_id: 9, valuation_underlying_id: 9, ticksize: 1 }, LINEAR)
    expect(rows[0]).toMatchObject({ turnover_usd: null, top1_bid_usd: null, top20_ask_usd: null, top1_bid_qty: '2', spread_avg: '2', trades: 3 })
  })

  test('a spread across tick bands counts the ticks of each band', async () => {
    const { rows } = await minutesOf({ tick_table: { e: [{ p: 0, t: 0.5 }, { p: 102, t: 1 }], i: true } }, LINEAR)
    // 30 s of 2 ticks below 102; 30 s of 4 ticks below and 1 above.
    expect(rows[0]?.spread_ticks).toBe('3.5')
  })

  test('time in a suspect book does not count, and is said', async () => {
    const lines: Line[] = [
      ...LINEAR.slice(0, 1),
      [5, time('00:00:15'), 'ERROR', 'lost'],
      [1, 'a', 'b', time('00:00:20'), 0, [[1, '101', '9', 1]]],
      [0, '0', 'c', time('00:00:45'), 0, [[0, '100', '6', 1], [1, '101', '6', 1]]],
      [5, time('00:01:00'), 'READY', 'end'],
    ]
    const statistics = await minutesOf({ ticksize: 1 }, lines)
    expect(statistics.suspectNs).toBe(30e9)
    // 15 s of quantity 2 and 15 s of 6; 4 and 6.
    expect(statistics.rows[0]).toMatchObject({ top1_bid_qty: '4', top1_ask_qty: '5', open: null, trades: 0, turnover_usd: '0' })
    expect(minutesCsv(statistics, 'x')).toContain('30 s of suspect book left out')
  })

  test('an empty side is depth 0 and has no spread; a minute with nothing known is missing', async () => {
    const lines: Line[] = [
      [2, '0', 't', time('00:00:01'), 0, [[0, '7', '1', null, 0]]],
      [5, time('00:02:00'), 'READY', ''],
      [0, '0', 'a', time('00:02:00'), 0, [[0, '100', '2', 1]]],
      [1, 'a', 'b', time('00:02:30'), 0, [[1, '110', '1', 1]]],
      [5, time('00:03:00'), 'READY', ''],
    ]
    const { rows } = await minutesOf({ ticksize: 1 }, lines)
    expect(rows.map((row) => row.time)).toEqual([time('00:00:00'), time('00:02:00')])
    expect(rows[0]).toMatchObject({ open: '7', top1_bid_usd: null, spread_avg: null })
    expect(rows[1]).toMatchObject({ spread_avg: '10', top1_ask_qty: '0.5', top1_bid_qty: '2' })
  })

  test('the clock never steps back, fills outside the day are left out, liquidations never exceed trades', async () => {
    const lines: Line[] = [
      [0, '0', 'a', time('00:00:30'), 0, [[0, '100', '2', 1], [1, '101', '2', 1]]],
      [1, 'a', 'b', time('00:00:10'), 0, [[0, '100', '4', 1]]],
      [2, '0', 't', time('00:00:40'), 0, [[0, '101', '1', 'x', time('00:00:00') - 1n], [0, '101', '1', 'y', time('00:00:40')]]],
      [17, '0', 'l', time('00:00:41'), 0, [[0, '90', '1', time('00:00:41')], [0, '90', '1', time('00:00:41')]]],
      [5, time('00:01:00'), 'READY', ''],
    ]
    const { rows } = await minutesOf({ ticksize: 1 }, lines)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ top1_bid_qty: '4', trades: 1, trades_liquidation: 1 })
  })

  test('finer digits in the middle of a minute change no sum', async () => {
    const finer: Line[] = [...LINEAR.slice(0, 4), [1, 'b', 'c', time('00:00:50'), 0, [[0, '99.123', '1.0001', 1]]], [2, 't2', 't3', time('00:00:55'), 0, [[0, '100.5', '0.5', 'w', time('00:00:55')]]], ...LINEAR.slice(4).map((line): Line => [line[0], 'c', 'd', ...line.slice(3)])]
    const { rows } = await minutesOf({ multiplier: 0.5, ticksize: 1, lot_size: 1 }, finer)
    expect(rows[0]).toMatchObject({ close: '100.5', turnover_usd: '551.25', spread_avg: '2', top1_bid_qty: '1', vwap: quotientText(55_125n, 550n, 0) })
  })
})

describe('forms', () => {
  test('CSV: source line, header, CRLF, empty cells', async () => {
    const statistics = await minutesOf({ ticksize: 1, counter_underlying_id: 9, valuation_underlying_id: 9 }, LINEAR)
    const lines = minutesCsv(statistics, 'day\r\nfile').split('\r\n')
    expect(lines[0]).toBe('# source: day file; book columns: depth book on the adapter clock; USD columns: empty, the file has no rate')
    expect(lines[1]).toBe('time,open,high,low,close,vwap,trades,trades_buy,trades_sell,trades_liquidation,turnover_usd,turnover_buy_usd,turnover_sell_usd,spread_avg,spread_bps,spread_ticks,top1_bid_usd,top1_ask_usd,top20_bid_usd,top20_ask_usd,top1_bid_qty,top1_ask_qty')
    expect(lines[2]).toMatch(/^2026-07-01T00:00:00Z,100\.0,101\.0,100\.0,100\.0,100\.2,3,1,2,0,,,,2\.0,/)
    expect(lines.slice(3)).toEqual([''])
  })

  test('JSON: short keys, exact digits', async () => {
    const statistics = await minutesOf({ ticksize: 1 }, LINEAR)
    const start = time('00:00:00')
    const text = minutesJson(statistics, { instrumentId: 7, start, end: start + 86_400_000_000_000n, generatedAt: '2026-07-02T00:00:00Z' })
    const json = JSON.parse(text) as { minutes: Record<string, unknown>[] }
    expect(json).toMatchObject({ instrument_id: 7, start: '2026-07-01T00:00:00Z', end: '2026-07-02T00:00:00Z', needs_upstream: false, generated_at: '2026-07-02T00:00:00Z' })
    expect(Object.keys(json.minutes[0]!)).toEqual('t,o,h,l,c,vwap,trades,trades_buy,trades_sell,trades_liquidation,usd,usd_buy,usd_sell,spread_avg,spread_bps,spread_ticks,top1_bid,top1_ask,top20_bid,top20_ask,top1_bid_qty,top1_ask_qty'.split(','))
  })

  test('table: 22 columns, Arrow bytes', async () => {
    const table = minuteTable(await minutesOf({ ticksize: 1 }, LINEAR))
    expect(table.columns.map(({ name }) => name)).toEqual(MINUTE_COLUMNS.map(([name]) => name))
    expect(table.rows[0]).toMatchObject({ time: time('00:00:00'), open: '100', trades: 3 })
    expect(table.toArrow().length).toBeGreaterThan(500)
  })
})

describe('other spans', () => {
  test('fills and time averages fall into rows of 20 s, and hours begin at hours', async () => {
    const { rows, spanNs } = await minutesOf({ ticksize: 1 }, LINEAR, '20s')
    expect(spanNs).toBe(20e9)
    expect(rows.map((row) => [row.time - time('00:00:00'), row.trades, row.volume_buy, row.volume_sell, row.spread_avg])).toEqual([[0n, 2, '1', '3', '1'], [20_000_000_000n, 1, '0', '1', '2'], [40_000_000_000n, 0, '0', '0', '3']])
    expect((await minutesOf({ ticksize: 1 }, LINEAR, '1h')).rows.map((row) => [row.time, row.trades])).toEqual([[time('00:00:00'), 3]])
  })

  test('have all columns, minutes those of the shop, unless another choice is made', async () => {
    const [minutes, spans] = [await minutesOf({ ticksize: 1 }, LINEAR), await minutesOf({ ticksize: 1 }, LINEAR, '20s')]
    const all = [...MINUTE_COLUMNS.map(([name]) => name), 'volume_buy', 'volume_sell']
    const namesOf = (...of: Parameters<typeof minuteTable>): readonly string[] => minuteTable(...of).columns.map(({ name }) => name)
    expect([namesOf(minutes, 'all'), namesOf(spans), namesOf(spans, 'shop'), namesOf(minutes)]).toEqual([all, all, all.slice(0, 22), all.slice(0, 22)])
    expect(minutesCsv(spans).split('\r\n').slice(0, 2).map((line) => line.split(',').slice(-2))).toEqual([['volume_buy', 'volume_sell'], ['1.0', '3.0']])
    const period = { instrumentId: 7, start: 0n, end: 1n, generatedAt: '' }
    const keys = (columns?: 'all'): readonly string[] => Object.keys((JSON.parse(minutesJson(minutes, { ...period, ...(columns === undefined ? {} : { columns }) })) as { minutes: object[] }).minutes[0]!)
    expect([keys().length, keys('all').slice(22)]).toEqual([22, ['volume_buy', 'volume_sell']])
  })

  test.each([
    ['7s', 'whole seconds of which a whole number makes a day'], ['1.5s', 'whole seconds of which'], ['500ms', 'a duration from 1s to 1d'], ['0s', 'from 1s to 1d'], ['2d', 'from 1s to 1d'],
    ['10 s', 'without a space: write 10s'], ['minute', 'a duration such as'], ['', 'a duration such as'],
  ])('%s is refused', async (every, words) => {
    await expect(minutesOf({}, LINEAR, every)).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining(words) as string })
  })
})

describe('exact sums', () => {
  test('products beyond 2^53 in every path equal bigints', () => {
    const sum = new ProductSum()
    let expected = 0n
    let seed = 1n
    for (let i = 0; i < 2000; i++) {
      seed = (seed * 6364136223846793005n + 1442695040888963407n) % (1n << 64n)
      const value = Number(seed % (1n << 53n)) * (i % 3 === 0 ? -1 : 1)
      const factor = Number((seed >> 7n) % (i % 2 === 0 ? 1n << 36n : 1n << 50n))
      sum.add(value, factor)
      expected += BigInt(value) * BigInt(factor)
    }
    expect(sum.total()).toBe(expected)
    sum.multiply(100n)
    expect(sum.total()).toBe(expected * 100n)
  })

  test('quotients add up by denominator', () => {
    const sum = new QuotientSum()
    sum.add(1, 2, 3)
    sum.add(1, 1, 3)
    sum.add(5, 5, 0)
    expect(sum.total()).toBe(10n ** 48n)
    sum.shift(-2)
    expect(sum.total()).toBe(10n ** 46n)
  })

  test.each([
    [1n, 3n, 0, '0.333333333333333333'],
    [2n, 3n, 0, '0.666666666666666667'],
    [-1n, 2n * 10n ** 18n, 0, '0'],
    [3n, 2n * 10n ** 18n, 0, '0.000000000000000002'],
    [-3n, 2n, 1, '-0.15'],
    [12n, 1n, -3, '12000'],
    [1n, 0n, 0, null],
  ])('%s / %s at scale %s is %s', (numerator, denominator, scale, text) => {
    expect(quotientText(numerator, denominator, scale)).toBe(text)
  })

  test('units: options quoted in coin take the valuation rate', () => {
    const underlyings = [{ id: 1, code: 'BTC', name: null, type: null, fxRate: '60000', fxTime: null }, { id: 3, code: 'USD', name: null, type: null, fxRate: '1', fxTime: null }]
    const instrument = { isInverse: false, isQuanto: false, multiplier: '1', contractValue: '1', counterUnderlyingId: 3, valuationUnderlyingId: 1 }
    expect(minuteUnits(instrument as never, underlyings).usd).toEqual({ integer: 60_000n, scale: 0 })
  })
})

describe('the rate behind the columns in USD', () => {
  const statistics = (sampledAt: string | null, code = 'BTC') => ({ rows: [], spanNs: 60e9, suspectNs: 0, crossedNs: 0, crossedTradeCount: 0, leftOutTradeCount: 0, usdRate: { code, rate: '61000', sampledAt } })
  const day = 18_748 // 2021-05-01

  test.each([
    ['2021-05-01T00:00:00Z', '1 BTC = 61000 USD of 2021-05-01T00:00:00Z'],
    [null, '1 BTC = 61000 USD, of an unknown time'],
  ])('sampled at %s is stated with its time', (sampledAt, words) => {
    expect(minutesCsv(statistics(sampledAt), 'x')).toContain(`USD columns: ${words}`)
  })

  test.each([
    ['2024-08-08T00:00:00Z', 1195], ['2021-05-03T00:00:00Z', 2], ['2021-04-29T00:00:00Z', 2],
  ])('of %s is warned of: %i days', (sampledAt, days) => {
    expect(farRateWarning(statistics(sampledAt), day)).toBe(
      `the columns in USD take 1 BTC = 61000 USD of ${sampledAt}, ${String(days)} days from 2021-05-01: it is the file's only rate`)
  })

  test.each<[string | null, number | null, string]>([
    ['2021-05-02T23:59:59Z', day, 'BTC'], ['2021-04-30T00:00:00Z', day, 'BTC'], ['2024-08-08T00:00:00Z', day, 'USD'],
    ['2024-08-08T00:00:00Z', null, 'BTC'], [null, day, 'BTC'], ['yesterday', day, 'BTC'],
  ])('of %s for the day %s and %s is not', (sampledAt, epochDay, code) => {
    expect(farRateWarning(statistics(sampledAt, code), epochDay)).toBeNull()
  })
})

describe('a depth book crossed with itself', () => {
  const crossedAt = (text: string, previous: string, id: string): Line => [1, previous, id, time(text), 0, [[1, '99.5', '1', 1]]]
  const uncrossedAt = (text: string, previous: string, id: string): Line => [1, previous, id, time(text), 0, [[1, '99.5', '0', 0]]]
  const trade = (text: string, id: string): Line => [2, '0', id, time(text), 0, [[0, '101', '1', id, time(text)]]]
  const snapshot = LINEAR[0]!
  test.each<readonly [what: string, lines: readonly Line[], seconds: number, trades: number, words: string | null]>([
    ['never', [snapshot, trade('00:00:10', 't')], 0, 0, null],
    ['for 29 of 30 minutes, with a trade inside and one behind', [snapshot, crossedAt('00:01:00', 'a', 'b'), trade('00:20:00', 't'), uncrossedAt('00:30:00.5', 'b', 'c'), trade('00:31:00', 'u')], 1740.5, 1, 'the depth book was crossed (best bid above best ask) for 1740.5 s, 1 trade inside'],
    ['twice', [snapshot, crossedAt('00:00:10', 'a', 'b'), uncrossedAt('00:00:12', 'b', 'c'), crossedAt('00:00:20', 'c', 'd'), uncrossedAt('00:00:20.1', 'd', 'e'), trade('00:01:00', 't')], 2.1, 0, 'the depth book was crossed (best bid above best ask) for 2.1 s, no trades inside'],
    ['to the end of the data', [snapshot, crossedAt('00:00:10', 'a', 'b'), trade('00:00:15', 't'), trade('00:00:16', 'u')], 6, 2, 'the depth book was crossed (best bid above best ask) for 6 s, 2 trades inside'],
    ['suspect from a gap on', [snapshot, crossedAt('00:00:10', 'a', 'b'), [1, 'x', 'y', time('00:00:13'), 0, [[0, '90', '1', 1]]], trade('00:00:40', 't')], 3, 0, 'the depth book was crossed (best bid above best ask) for 3 s, no trades inside'],
    ['locked is not crossed', [snapshot, [1, 'a', 'b', time('00:00:10'), 0, [[1, '100', '1', 1]]], trade('00:00:40', 't')], 0, 0, null],
  ])('%s', async (_what, lines, seconds, trades, words) => {
    const statistics = await minutesOf({ multiplier: 1, ticksize: 0.5, lot_size: 1 }, lines)
    expect([statistics.crossedNs / 1e9, statistics.crossedTradeCount, crossedWarning(statistics)]).toEqual([seconds, trades, words])
    expect(minutesCsv(statistics, 'x').includes(words ?? 'crossed')).toBe(words !== null)
  })
})
