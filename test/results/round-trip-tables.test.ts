import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { MarketLine } from '../support/market-lines.ts'
import { MADE_MIDNIGHT_NS } from '../support/made-market-file.ts'
import { plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 500], [1, 102, 500]] }, { kind: 'mark', timeNs: 0, value: 101 },
  { kind: 'mark', timeNs: 30 * S + 1, value: 120 }, { kind: 'mark', timeNs: 31 * S + 1, value: 90 }, { kind: 'mark', timeNs: 40 * S, value: 101 },
  { kind: 'mark', timeNs: 170 * S, value: 103 },
]
const KINDS: Readonly<Record<string, Partial<Instrument>>> = {
  linear: { multiplier: '0.01' }, inverse: { isInverse: true, contractValue: '7' }, quanto: { isQuanto: true, contractValue: '0.001', valuationUnderlyingId: 2 },
  spot: { type: 'spot' }, option: { type: 'call', strikePrice: '100', multiplier: '0.1' },
}
const free = { account: { fees: { maker: '0.001', taker: '0.002' } } }
const sum = (values: readonly string[]): Decimal => values.reduce((total, value) => total.plus(value), new Decimal(0))
const at = (ts: bigint | null): number | null => (ts === null ? null : Number(ts - MADE_MIDNIGHT_NS) / S)

/** Everything that must be the same to the last digit: rows of round trips, hours and days against the summary. */
function expectSums({ summary, roundTrips, hours, days, fills }: BacktestResult): void {
  for (const { instrument, accountId, realizedPnl, unrealizedPnl } of summary.instruments) {
    const own = roundTrips.rows.filter((row) => row.instrument === instrument && row.account === accountId)
    expect(sum(own.map((row) => row.gross_profit)).toFixed()).toBe(new Decimal(realizedPnl).plus(unrealizedPnl).toFixed())
  }
  for (const { underlying, profit, fees, turnover, flows, realizedPnl } of summary.money) {
    const own = roundTrips.rows.filter((row) => row.underlying === underlying)
    const other = roundTrips.rows.filter((row) => row.other_fee_underlying === underlying)
    expect(sum(own.map((row) => row.fees)).plus(sum(other.map((row) => row.other_fees))).toFixed()).toBe(fees)
    for (const table of [hours, days]) {
      const rows = table.rows.filter((row) => row.underlying === underlying)
      expect(['profit', 'fees', 'turnover', 'flows', 'realized_pnl'].map((name) => sum(rows.map((row) => row[name as 'profit'])).toFixed()))
        .toEqual([profit, fees, turnover, flows, realizedPnl])
    }
  }
  expect(hours.rows.reduce((count, row) => count + row.fills, 0)).toBe(fills.rowCount)
}

describe('round trips of a run', () => {
  test('of a perpetual: FIFO, fees shared, extremes of the mark at whole seconds', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [['10s BID 102 4 IOC', '20s BID 102 2 IOC', '50s ASK 100 5 IOC']] })
    expect(result!.roundTrips.rows.map((row) => [at(row.entry_ts), at(row.exit_ts), Number(row.holding_ns) / S, row.side, row.qty, row.entry_price, row.exit_price, row.gross_profit, row.fees, row.profit, row.high_price, row.low_price, row.favorable_excursion, row.adverse_excursion, row.exit])).toEqual([
      // 120 stood at the second 31, 90 at those from 32 to 39.
      [10.01, 50.01, 40, 'BID', '4', '102', '100', '-8', '1.616', '-9.616', '120', '90', '72', '48', 'fill'],
      [20.01, 50.01, 30, 'BID', '1', '102', '100', '-2', '0.404', '-2.404', '120', '90', '18', '12', 'fill'],
      [20.01, null, 159.99, 'BID', '1', '102', '103', '1', '0.204', '0.796', '120', '90', '18', '12', 'open'],
    ])
    expect(result!.roundTrips.rows.map((row) => [row.entry_fill_id, row.exit_fill_id])).toEqual([0, 1, 1].map((entry, exit) => [result!.fills.rows[entry]!.own_fill_id, exit === 2 ? null : result!.fills.rows[2]!.own_fill_id]))
    expect(result!.orders.rows.map(({ arrival_mid }) => arrival_mid)).toEqual(['101', '101', '101'])
    expectSums(result!)
  })

  test.each(Object.keys(KINDS))('add up to the summary: %s', async (name) => {
    const line = fc.tuple(fc.integer({ min: 1, max: 160 }), fc.constantFrom('BID', 'ASK'), fc.integer({ min: 1, max: 9 })).map(([second, side, quantity]) => `${second}s ${side} ${side === 'BID' ? 102 : 100} ${quantity} IOC`)
    await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.constantFrom(undefined, 1), async (plan, feeUnderlyingId) => {
      const instrument = { ...KINDS[name]!, ...(feeUnderlyingId === undefined ? {} : { feeUnderlyingId }) }
      const [result] = await plannedRun({ files: [MARKET], plans: [plan], instrument, options: free })
      expectSums(result!)
    }), { numRuns: 12 })
  }, 180_000)

  test.each([
    ['linear', '3', '2', true], ['linear', '3', '2', false], ['linear', '1', '9', false], ['spot', '3', '2', true], ['spot', '3', '2', false], ['inverse', '3', '2', true], ['spot', '1', '9', false], ['spot', '1', '9', true],
  ])('add up over a split: %s, %s for %s, fractions sold %s', async (name, buyVolume, sellVolume, liquidateFractionalShares) => {
    const split = { at: '00:00:45', instrument: 'TEST1', split: { buyVolume, sellVolume, lastPrice: '97', liquidateFractionalShares } }
    const plan = ['10s BID 102 3 IOC', '20s BID 102 2 IOC', '60s ASK 100 2 IOC']
    const [result] = await plannedRun({ files: [MARKET], plans: [plan], instrument: { ...KINDS[name], lotSize: '1' }, options: { ...free, corporateActions: [split] } })
    expect(result!.roundTrips.rowCount).toBeGreaterThan(0)
    expectSums(result!)
  })

  test('an option that expires is settled, and its round trip says so', async () => {
    const instrument = { ...KINDS['option'], expiry: '2026-07-01T00:02:00Z' }
    const [result] = await plannedRun({ files: [[...MARKET.slice(0, -1), { kind: 'index', timeNs: 100 * S, value: 103 }]], plans: [['10s BID 102 3 IOC']], instrument, options: free })
    expect(result!.roundTrips.rows.map((row) => [row.exit, at(row.exit_ts), row.exit_price, row.gross_profit])).toEqual([['settlement', 120, '3', '-29.7']])
    expectSums(result!)
  })
})

describe('hours and days', () => {
  test('begin with whole hours; what happens at the end of one belongs to it; equity and drawdown are those of samples', async () => {
    const lines: MarketLine[] = [MARKET[0]!, MARKET[1]!, { kind: 'mark', timeNs: 3601 * S, value: 90 }, { kind: 'mark', timeNs: 7300 * S, value: 111 }]
    const [result] = await plannedRun({ files: [lines], plans: [['10s BID 102 2 IOC']], options: { from: '00:00:05', to: '02:10:00' } })
    const rows = result!.hours.rows.map((row) => [at(row.ts), row.profit, row.realized_pnl, row.unrealized_pnl, row.fees, row.turnover, row.fills, row.equity, row.drawdown, row.covered])
    expect(rows).toEqual([
      [0, '-2.408', '0', '-2', '0.408', '204', 1, '997.592', '2.408', 0],
      [3600, '-22', '0', '-22', '0', '0', 0, '975.592', '24.408', 0],
      [7200, '42', '0', '42', '0', '0', 0, '1017.592', '24.408', 40 / 3600],
    ])
    expect(result!.hours.rows.map((row) => row.return)).toEqual([-0.002408, expect.closeTo(-22 / 997.592, 15), expect.closeTo(42 / 975.592, 15)])
    expect(result!.days.rows.map((row) => [at(row.ts), row.profit, row.fills, row.drawdown])).toEqual([[0, '17.592', 1, '24.408']])
    expect(result!.summary.money[0]!.returns).toMatchObject({ unit: 'hour', sampleCount: 0, leftOutCount: 3, notComputed: '0 hourly returns (3 hours left out, of which the data cover less than half), ratios need 20' })
  })

  test('an hour without a line is a row and no sample, nor is one with a minute of data; ratios come with the twentieth', async () => {
    const lines: MarketLine[] = [MARKET[0]!, MARKET[1]!, ...Array.from({ length: 22 }, (_, hour): MarketLine => ({ kind: 'mark', timeNs: (hour + (hour > 3 ? 2 : 1)) * 3600 * S - S, value: 100 + (hour % 4) }))]
    const run = async (to: string): Promise<BacktestResult> => (await plannedRun({ files: [lines], plans: [['10s BID 102 2 IOC']], options: { to } }))[0]!
    const short = await run('20:00:00')
    expect([short.hours.rowCount, short.summary.money[0]!.returns.sampleCount, short.summary.money[0]!.sharpe]).toEqual([20, 18, null])
    const long = await run('22:00:00')
    expect(long.hours.rows.filter((row) => row.covered < 0.5).map((row) => [at(row.ts), row.covered])).toEqual([[4 * 3600, 0], [5 * 3600, 60 / 3600]])
    expect(long.summary.money[0]).toMatchObject({ returns: { sampleCount: 20, unit: 'hour', notComputed: null, winRate: expect.any(Number) as number }, sharpe: expect.any(Number) as number })
  })
})

describe('rows of equity', () => {
  test.each([
    [{ every: '90s' }, [0, 90, 180]], [{ fills: true }, [0, 10.01, 60, 120, 180]], [{ every: '2min', fills: true }, [0, 10.01, 120, 180]], [{ every: '1min' }, [0, 60, 120, 180]],
  ])('%j', async (equity, times) => {
    const [result] = await plannedRun({ files: [MARKET], plans: [['10s BID 102 2 IOC']], options: { equity } })
    const [plain] = await plannedRun({ files: [MARKET], plans: [['10s BID 102 2 IOC']] })
    expect(result!.equity.rows.map((row) => at(row.ts))).toEqual(times)
    expect([result!.summary, result!.fingerprint]).toEqual([plain!.summary, plain!.fingerprint])
  })

  test.each([['every', { every: '0s' }, 'a duration from 1ms to 1d'], ['every', { every: '2d' }, 'a duration from 1ms to 1d'], ['fills', { fills: 'yes' }, 'true or false'], ['step', { step: '1s' }, 'equity']])('%s is refused: %j', async (_field, equity, words) => {
    await expect(plannedRun({ files: [MARKET], plans: [[]], options: { equity: equity as never } })).rejects.toThrow(words)
  })
})
