import { inspect } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { summaryJson, summaryText } from '../../src/report/summary-text.js'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'

const S = 1e9

/** Bid 100, ask 102; a sale of 7 leaves 2 for us; the ask goes to 104, then 101; the mark price 99 comes at 20 s. */
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] },
  { kind: 'trades', timeNs: 2 * S, rows: [[1, 100, 7]] },
  { kind: 'update', timeNs: 3 * S, rows: [[1, 102, 0], [1, 104, 5]] },
  { kind: 'update', timeNs: 5 * S, rows: [[1, 101, 5], [1, 104, 0]] },
  { kind: 'mark', timeNs: 20 * S, value: 99 },
]

const PLAN = ['1s BID 100 3 postOnly', '80s ASK 100 2 IOC', '85s cancelAll', '90s ASK 100 2 IOC', '100s ASK 110 1', '110s BID 105 1 postOnly']

const MIDNIGHT = BigInt(Date.parse('2026-07-01T00:00:00Z')) * 1_000_000n

/** The mark once more in the last minute, so that every minute of the run has data. */
const WHOLE: MarketLine[] = [...MARKET, { kind: 'mark', timeNs: 170 * S, value: 99 }]

describe('a day computed by hand', () => {
  test('money: value 200 bought as maker (fee 0.2) and sold as taker (0.4); 60 s by the mark 99 is 1000 - 0.2 - 2', async () => {
    const [result] = await plannedRun({ files: [WHOLE], plans: [PLAN] })
    const { money, sampling } = result!.summary
    const drawdown = { amount: '2.2', share: 0.0022, from: '2026-07-01T00:00:00.000000000Z', to: '2026-07-01T00:01:00.000000000Z' }
    expect(money).toEqual([{
      underlyingId: 2, underlying: 'CASH', startEquity: '1000', realizedPnl: '0', unrealizedPnl: '0', fees: '0.6', flows: '0', profit: '-0.6', endEquity: '999.4', turnover: '400', maxDrawdown: drawdown,
      return: -0.0006, sharpe: null, sortino: null,
      returns: { unit: 'hour', sampleCount: 0, leftOutCount: 1, periodsPerYear: 8760, notComputed: '0 hourly returns (1 hour left out, of which the data cover less than half), ratios need 20', volatility: null, maxDrawdown: null, calmar: null, winRate: null, profitFactor: null },
      roundTrips: { count: 1, winCount: 0, lossCount: 1, openCount: 0, wins: '0', losses: '0.6', winRate: 0, profitFactor: 0 },
      // Bought 2 at 100 where the mid was 101, sold 2 at 100 where it was 100.5.
      slippage: { measuredCount: 2, cost: '-1', share: -1 / 403 },
    }])
    // From the fill at 2 s to that at 90.01 s, of the data from 0 s to 170 s.
    expect(result!.summary.exposure).toBe(88.01e9 / 170e9)
    const covered = [{ from: '2026-07-01T00:00:00.000000000Z', to: '2026-07-01T00:02:50.000000000Z' }]
    expect(sampling).toEqual({ intervalNs: 60 * S, intervalCount: 3, leftOutCount: 0, covered })
    expect(result!.equity.rows.map(({ ts, equity, unrealized_pnl, fees, drawdown }) => [ts - MIDNIGHT, equity, unrealized_pnl, fees, drawdown])).toEqual([
      [0n, '1000', '0', '0', '0'],
      [60_000_000_000n, '997.8', '-2', '0.2', '2.2'],
      [120_000_000_000n, '999.4', '0', '0.6', '0.6'],
      [180_000_000_000n, '999.4', '0', '0.6', '0.6'],
    ])
  })

  test('slippage of an amended quote is against the mid of its last price, maker share is by value', async () => {
    const lines: MarketLine[] = [
      { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] },
      { kind: 'update', timeNs: 5 * S, rows: [[0, 100, 0], [0, 106, 5], [1, 102, 0], [1, 108, 5]] },
      { kind: 'trades', timeNs: 20 * S, rows: [[1, 104, 7]] },
    ]
    // Sent at 1 s at the mid 101; the price is amended at 10 s, at the mid 107, and the quantity at 15 s.
    const plan = ['1s BID 99 3 postOnly', '10s amend 105', '15s amend - 4', '30s ASK 106 1 IOC']
    const [result] = await plannedRun({ files: [lines], plans: [plan], options: { account: { balances: { CASH: '1000' }, profile: { ...GENERIC_PROFILE, orders: { ...GENERIC_PROFILE.orders, amendKeepsQueue: 'smallerQuantity' } } } } })
    const { money, makerShare, makerFillCount, instruments } = result!.summary
    expect(result!.fills.rows.map(({ price, qty, arrival_mid: mid }) => [price, qty, mid])).toEqual([['105', '4', '107'], ['106', '1', '107']])
    expect(result!.orders.rows.map(({ arrival_mid: mid }) => mid)).toEqual(['107', '107'])
    // Bought 4 at 105 (8 below the mids), sold 1 at 106 (1 below).
    expect(money[0]!.slippage).toEqual({ measuredCount: 2, cost: '-7', share: -7 / 535 })
    expect([makerShare, makerFillCount, instruments[0]!.makerShare, instruments[0]!.makerFillCount]).toEqual([420 / 526, 1, 420 / 526, 1])
    expect(summaryText(result!.summary)).toContain('maker 79.85 % of the value (1 fill)')
  })

  test('the minutes from the first to the last event count; both stand with their market', async () => {
    const late = MARKET.map((line) => ({ ...line, timeNs: line.timeNs + 61 * S }))
    const told = async (lines: readonly MarketLine[], options: object = {}): Promise<unknown> => {
      const [result] = await plannedRun({ files: [lines], plans: [PLAN], options })
      const { sampling, markets } = result!.summary
      return [sampling.intervalCount, markets[0]!.firstEvent?.slice(11, 19), markets[0]!.lastEvent?.slice(11, 19), result!.equity.rowCount]
    }
    expect(await told(MARKET)).toEqual([1, '00:00:00', '00:00:20', 4])
    expect(await told(WHOLE)).toEqual([3, '00:00:00', '00:02:50', 4])
    expect(await told(late)).toEqual([1, '00:01:01', '00:01:21', 4])
    // What was heard before `from` warms the book alone; the minute cut by `from` is no whole one.
    expect(await told(WHOLE, { from: '00:00:04' })).toEqual([2, '00:00:05', '00:02:50', 4])
    expect(await told(MARKET, { from: '00:01:00' })).toEqual([0, undefined, undefined, 3])
    const [one] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    expect(summaryText(one!.summary, { full: true })).toContain('  events                 2026-07-01T00:00:00.000000000Z to 2026-07-01T00:00:20.000000000Z\n')
  })

  test('what a strategy says when it stops itself stands in summary and journal; an end from outside does not', async () => {
    const lines: string[] = []
    const [result] = await plannedRun({ files: [MARKET], plans: [['40s stop enough', '50s BID 90 1']], options: { journal: () => ({ write: (line) => void lines.push(line) }) } })
    expect([result!.summary.stop, result!.isPartial, result!.summary.orders.orderCount]).toEqual([{ time: '2026-07-01T00:00:40.000000000Z', reason: 'enough' }, false, 0])
    expect(summaryText(result!.summary, { full: true })).toContain('  stopped           2026-07-01T00:00:40.000000000Z: enough\n')
    expect(lines.filter((line) => line.includes('"kind":"stop"')).map((line) => (JSON.parse(line) as { reason: string }).reason)).toEqual(['enough'])
    const [ran] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    expect(ran!.summary.stop).toBeNull()
  })

  test('fees stand among the assumptions, of each account', async () => {
    const fees = async (account: object): Promise<unknown> => (await plannedRun({ files: [MARKET], plans: [[]], options: { account } }))[0]!.summary.assumptions['fees']
    expect(await fees({ balances: { CASH: '1' } })).toBe('none')
    expect(await fees({ fees: { maker: '-0.0001', taker: { buy: '0.1', sell: '0.2' }, by: 'quantity', minimum: '1' } })).toBe('maker -0.0001, taker 0.1 buying and 0.2 selling by quantity, at least 1')
  })

  test('orders: each way to end, two refusals, one with 5 ahead', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const { orders, instruments, rejections, fillCount, makerShare } = result!.summary
    expect(orders).toEqual({
      orderCount: 5, acceptedCount: 3, byState: { CANCELED: 1, CONFIRMED: 1, FILLED: 1, REJECTED: 2 }, openAtEndCount: 1, touchedByGapCount: 0, filledOrderShare: 2 / 3,
    })
    expect(rejections).toEqual([
      { request: 'place', source: 'EXCHANGE', type: 'POST_ONLY_WOULD_CROSS', count: 1 },
      { request: 'place', source: 'EXCHANGE', type: 'SELF_TRADE', count: 1 },
    ])
    expect([fillCount, makerShare]).toEqual([2, 0.5])
    expect(instruments[0]).toMatchObject({
      instrument: 'test:TEST1', accountId: 'account', underlying: 'CASH', position: '0', lowestPosition: '0', highestPosition: '2', averageEntryPrice: null, markPrice: '99', markedBy: 'mark', realizedPnl: '0',
      unrealizedPnl: '0', fees: { CASH: '0.6' }, profit: '-0.6', turnover: '400', fillCount: 2, gapFillCount: 0, makerShare: 0.5, fillRatio: 4 / 6, queuedCount: 1, meanQuantityAhead: '5',
    })
    expect(result!.orders.rows.map((row) => [row.ts - MIDNIGHT, row.side, row.price, row.qty, row.executed_qty, row.state, row.quantity_ahead, row.error_type])).toEqual([
      [1_000_000_000n, 'BID', '100', '3', '2', 'CANCELED', '5', null],
      [80_000_000_000n, 'ASK', '100', '2', '0', 'REJECTED', null, 'SELF_TRADE'],
      [90_000_000_000n, 'ASK', '100', '2', '2', 'FILLED', null, null],
      [100_000_000_000n, 'ASK', '110', '1', '0', 'CONFIRMED', null, null],
      [110_000_000_000n, 'BID', '105', '1', '0', 'REJECTED', null, 'POST_ONLY_WOULD_CROSS'],
    ])
    expect(result!.orders.rows.map((row) => [row.accepted_ts, row.ended_ts].map((time) => (time === null ? null : Number(time - MIDNIGHT) / S)))).toEqual([
      [1.01, 85.01], [null, 80.01], [90.01, 90.01], [100.01, null], [null, 110.01],
    ])
  })

  test('fills and mark-outs: mids 101, 102, 100.5, 100.5 after a buy at 100; 100.5 after a sale at 100', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    expect(result!.fills.rows.map((row) => [row.exchange_ts - MIDNIGHT, row.ts! - MIDNIGHT, row.side, row.price, row.qty, row.added_liquidity, row.cause, row.value, row.fee, row.position])).toEqual([
      [2_000_000_000n, 2_010_000_000n, 'BID', '100', '2', true, 'trade', '200', '0.2', '2'],
      [90_010_000_000n, 90_020_000_000n, 'ASK', '100', '2', false, 'aggression', '200', '0.4', '0'],
    ])
    expect(result!.fills.rows.map((row) => [row.mark_out_100ms, row.mark_out_1s, row.mark_out_10s, row.mark_out_60s])).toEqual([['1', '2', '0.5', '0.5'], ['-0.5', '-0.5', '-0.5', '-0.5']])
    expect(result!.summary.instruments[0]!.markOuts.map(({ measuredCount, mean }) => [measuredCount, mean])).toEqual([[2, '0.25'], [2, '0.75'], [2, '0'], [2, '0']])
  })

  test('a run that ends 30 s after a fill has measured three of its four mark-outs; one that ends before the news has none', async () => {
    const [short] = await plannedRun({ files: [MARKET], plans: [PLAN], options: { to: '00:00:32.010' } })
    expect(short!.summary.instruments[0]!.markOuts.map(({ measuredCount }) => measuredCount)).toEqual([1, 1, 1, 0])
    const [unreceived] = await plannedRun({ files: [MARKET], plans: [PLAN], options: { to: '00:00:02.005' } })
    expect([unreceived!.summary.fillCount, unreceived!.summary.unreceivedFillCount, unreceived!.fills.rows[0]!.ts, unreceived!.summary.money[0]!.fees]).toEqual([1, 1, null, '0.2'])
    expect(unreceived!.summary.instruments[0]!.markOuts.map(({ measuredCount }) => measuredCount)).toEqual([0, 0, 0, 0])
  })

  test.each([
    ['the whole day', {}, 5], ['from 3 s', { from: '00:00:03' }, 3], ['up to before 5 s', { to: '00:00:05' }, 3], ['from 3 s to before 5 s', { from: '00:00:03', to: '00:00:05' }, 1], ['nothing', { from: '00:01:00' }, 0],
  ])('feed latency is that of the lines that the run heard: %s', async (_what, options, count) => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN], options })
    expect(result!.summary.markets[0]!.feedLatency.count).toBe(count)
  })

  test.each<readonly [from: string, to: string, bookUnknownCount: number, seconds: number]>([
    ['00:00:00', '00:01:30', 2, 30], ['00:00:30', '00:00:40', 0, 0], ['00:00:55', '00:01:00', 1, 5], ['00:00:15', '00:00:16', 1, 1], ['00:00:15', '00:01:00', 2, 15], ['00:01:10', '00:01:20', 0, 0],
  ])('blind time is that of the run: %s to %s', async (from, to, bookUnknownCount, seconds) => {
    const book = (at: number): MarketLine => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 99, 5], [1, 101, 5]] })
    const lost = (at: number): MarketLine => ({ kind: 'ERROR', timeNs: at * S })
    // Good lines at 10 and 50 s: blind from there.
    const [result] = await plannedRun({ files: [[book(1), book(10), lost(12), book(20), book(50), lost(52), book(70)]], plans: [[]], options: { from, to } })
    expect(result!.summary.markets[0]).toMatchObject({ bookUnknownCount, bookUnknownNs: seconds * S })
  })

  test('a run that begins with its data counts from a good line that happened before midnight and was heard after it', async () => {
    const book = (at: number, received = at): MarketLine => ({ kind: 'snapshot', timeNs: at * S, adapterTimeNs: received * S, rows: [[0, 99, 5], [1, 101, 5]] })
    const files = [[book(-2, 1), { kind: 'ERROR', timeNs: 3 * S } as const, book(10)]]
    const bookUnknownNs = async (options: object): Promise<number> => (await plannedRun({ files, plans: [[]], options }))[0]!.summary.markets[0]!.bookUnknownNs
    expect([await bookUnknownNs({}), await bookUnknownNs({ from: '00:00:04' })]).toEqual([12 * S, 6 * S])
  })

  test('latencies: six requests, each 10 ms there and 10 ms back; every line at once', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const { requestLatency, responseLatency, markets } = result!.summary
    expect([requestLatency, responseLatency].map(({ count, smallestNs, largestNs }) => [count, smallestNs, largestNs])).toEqual([[6, 1e7, 1e7], [6, 1e7, 1e7]])
    expect(markets[0]).toMatchObject({ instrument: 'test:TEST1', bookUnknownCount: 0, bookUnknownNs: 0, clampedTimes: { missing: 0, afterAdapter: 0, movedUp: 0 }, feedLatency: { smallestNs: 0, largestNs: 0 } })
  })

  test('spot: equity is cash and what was bought, at its value', async () => {
    const [result] = await plannedRun({ files: [MARKET.slice(0, 4)], plans: [PLAN.slice(0, 1)], instrument: { type: 'spot' } })
    // 2 bought for 200, fee 0.2, worth 100.5 each at the end.
    expect(result!.summary.money).toMatchObject([{ underlying: 'CASH', realizedPnl: '0', unrealizedPnl: '1', fees: '0.2', endEquity: '1000.8', turnover: '200' }])
    expect(result!.summary.instruments[0]).toMatchObject({ position: null, netTraded: '2', wallet: '2', averageEntryPrice: '100', markPrice: '100.5', markedBy: 'mid' })
  })

  test('spot: what the wallets hold at the end, by account', async () => {
    const borrow: VenueProfile = { ...GENERIC_PROFILE, borrowRates: { CASH: '0.1' } }
    const spot = { files: [MARKET.slice(0, 4)], plans: [PLAN.slice(0, 1)], instrument: { type: 'spot' } }
    const [result] = await plannedRun(spot)
    const wallets = [{ accountId: 'account', underlying: 'BASE', cashBalance: '2', borrowed: '0' }, { accountId: 'account', underlying: 'CASH', cashBalance: '799.8', borrowed: '0' }]
    expect(result!.summary.wallets).toEqual(wallets)
    expect(summaryText(result!.summary, { full: true })).toContain('\n\nwallets at the end\n  BASE  2\n  CASH  799.8\n\n')
    expect(summaryText({ ...result!.summary, wallets: [wallets[0]!, { ...wallets[1]!, accountId: 'other', borrowed: '5' }] }, { full: true })).toContain(
      'wallets at the end\n  BASE  2, account account\n  CASH  799.8, 5 of it borrowed, account other\n\n',
    )
    // 300 less 50 are borrowed, 200 of it is spent.
    const loan = { account: { balances: { CASH: '50' }, fees: { maker: '0', taker: '0' }, profile: borrow } }
    const [lent] = await plannedRun({ ...spot, plans: [['1s BID 100 3 borrow']], options: loan })
    expect(lent!.summary.wallets).toEqual([wallets[0], { ...wallets[1], cashBalance: '100', borrowed: '250' }])
  })

  test('other accounts have none in their summary: their equity is cash and profit, or they declare no balances', async () => {
    const [swap] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const [bare] = await plannedRun({ files: [MARKET], plans: [PLAN], instrument: { type: 'spot' }, options: { account: { fees: { maker: '0', taker: '0' } } } })
    expect(['wallets' in swap!.summary, 'wallets' in bare!.summary]).toEqual([false, false])
  })

  test('inverse: profit in the base, 200 / 100 - 200 / 100.5 of a coin', async () => {
    const [result] = await plannedRun({
      files: [MARKET.slice(0, 4)], plans: [PLAN.slice(0, 1)], instrument: { isInverse: true, contractValue: '100' }, options: { account: { balances: { BASE: '1' } } },
    })
    expect(result!.summary.money).toMatchObject([{ underlying: 'BASE', startEquity: '1', fees: '0', realizedPnl: '0', unrealizedPnl: '0.009950248756218905', endEquity: '1.009950248756218905', turnover: '2' }])
  })

  test('blind time, touched orders and a halt where the gap is', async () => {
    const gap: MarketLine = { kind: 'ERROR', timeNs: 30 * S }
    const sight: MarketLine = { kind: 'snapshot', timeNs: 40 * S, rows: [[0, 100, 5], [1, 103, 5]] }
    const files = [[...MARKET, gap, sight]]
    const [result] = await plannedRun({ files, plans: [PLAN.slice(0, 1)] })
    expect(result!.summary.markets[0]).toMatchObject({ bookUnknownCount: 1, bookUnknownNs: 35 * S })
    expect([result!.summary.orders.touchedByGapCount, result!.summary.halt, result!.isPartial]).toEqual([1, null, false])
    const [halted] = await plannedRun({ files, plans: [PLAN.slice(0, 1)], options: { assumptions: { gaps: 'halt' } } })
    const { halt, end, isPartial, money, sampling } = halted!.summary
    expect([halt, end, isPartial]).toEqual([{ instrument: 'test:TEST1', time: '2026-07-01T00:00:30.000000000Z', reason: 'error' }, '2026-07-01T00:00:30.000000000Z', true])
    expect([money[0]!.unrealizedPnl, money[0]!.endEquity, sampling.intervalCount]).toEqual(['-2', '997.8', 0])
    expect([money[0]!.sharpe, money[0]!.sortino]).toEqual([null, null])
  })

  test('a run without an order has money and no instruments', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [[]] })
    expect(result!.summary.instruments).toEqual([])
    expect(result!.summary).toMatchObject({ fillCount: 0, makerShare: null, orders: { orderCount: 0, byState: {}, filledOrderShare: null }, rejections: [] })
    expect(result!.summary.money).toMatchObject([{ profit: '0', maxDrawdown: { amount: '0', share: 0 }, sharpe: null, sortino: null }])
    expect([result!.fills.rows, result!.orders.rows, result!.fills.column('price')]).toEqual([[], [], []])
    expect(() => result!.fills.column('prize')).toThrow('no column prize')
  })
})

describe('forms of a result', () => {
  test('consoles show the text; JSON has its keys in order and nothing of the console', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const { summary } = result!
    const text = summaryText(summary, { full: true })
    expect(inspect(summary)).toBe(summaryText(summary))
    expect(text).toContain('  orders            5: 1 CANCELED, 1 CONFIRMED, 1 FILLED, 2 REJECTED; 1 open at the end\n')
    expect(text).toContain('mark-outs per unit       100 ms 0.25 (2), 1 s 0.75 (2), 10 s 0 (2), 60 s 0 (2)\n')
    expect(JSON.parse(summaryJson(summary))).toEqual(JSON.parse(JSON.stringify(summary)))
    expect(Object.keys(JSON.parse(summaryJson(summary)) as object)).toEqual(Object.keys(summary).sort())
  })

  test('tables go to Arrow: times in nanoseconds, decimals exact', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const { fills, orders, equity } = result!
    expect([fills, orders, equity].map((table) => tableFromIPC(table.toArrow()).numRows)).toEqual([2, 5, 4])
    const arrow = tableFromIPC(equity.toArrow())
    expect(arrow.schema.fields.map((field) => `${field.name} ${String(field.type)}`)).toEqual([
      'ts Timestamp<NANOSECOND>', 'underlying Utf8', ...['equity', 'realized_pnl', 'unrealized_pnl', 'fees', 'drawdown'].map((name) => `${name} Decimal[38e+18]`),
    ])
    expect(fills.rowCount).toBe(fills.rows.length)
  })

  test('without tables the summary is the same', async () => {
    const [kept] = await plannedRun({ files: [MARKET], plans: [PLAN] })
    const [bare] = await plannedRun({ files: [MARKET], plans: [PLAN], options: { tables: 'none' } })
    expect(summaryJson(bare!.summary)).toBe(summaryJson(kept!.summary))
    expect([bare!.fills.rowCount, bare!.orders.rowCount, bare!.equity.rowCount]).toEqual([0, 0, 0])
  })
})
