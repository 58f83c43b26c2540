import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { lavishSettings } from '../support/lavish-run.js'
import { backtestRun, liveLines, WIRES } from '../support/live-parity.js'
import { repeated } from '../support/repetitions.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const TABLES = ['fills', 'orders', 'equity', 'roundTrips', 'hours', 'days'] as const

/** What a simulation alone knows: absent in a run over sockets. */
const SIMULATED = { fills: { cause: null }, orders: { quantity_ahead: null, touched_by_gap: null } } as Record<string, object>

/** Rows as plain values, without what a simulation alone knows. */
function rowsOf(result: BacktestResult, table: (typeof TABLES)[number]): object[] {
  return result[table].rows.map((row) => ({ ...row, ...SIMULATED[table] }))
}

/** The part of a summary that both know; sentences and assumptions are of each. */
function sharedSummary({ summary }: BacktestResult): object {
  const { warnings: _, moneyNotes: _notes, assumptions: _assumptions, trim: _trim, usdRates: _rates, markets, instruments, orders: { touchedByGapCount: _gaps, ...orders }, ...rest } = summary
  return {
    ...rest, orders, markets: markets.map(({ instrumentId, firstEvent, lastEvent }) => ({ instrumentId, firstEvent, lastEvent })),
    instruments: instruments.map(({ queuedCount: _queued, gapFillCount: _gapFills, meanQuantityAhead: _ahead, orders: { touchedByGapCount: _own, ...own }, ...of }) => ({ ...of, orders: own })),
  }
}

test.each([
  ['average-cross', { from: '23:58', to: '24:00' }], ['flow-taker', { to: '00:02' }],
  ['spread-trader', { from: '2026-07-02T00:02:00Z', to: '2026-07-02T00:03:00Z' }],
] as const)('%s over sockets has the tables and the summary of its backtest, but for what a simulation alone knows', { timeout: 600_000 }, async (name, span) => {
  const { options } = await readRunFile(join(EXAMPLES, name, `${name}.run.json`))
  const [{ result: backtest }, { result: live }] = [await backtestRun({ ...options, ...span }), await liveLines({ ...options, ...span }, WIRES[0]!)]
  for (const table of TABLES) expect(rowsOf(live, table)).toEqual(rowsOf(backtest, table))
  expect(live.fills.rowCount).toBeGreaterThan(4)
  expect(sharedSummary(live)).toEqual(sharedSummary(backtest))
  // Absent, not zero; and a report of it is made.
  const { orders, instruments, markets } = live.summary
  expect([orders.touchedByGapCount, ...instruments.flatMap(({ orders: own, queuedCount, gapFillCount }) => [own.touchedByGapCount, queuedCount, gapFillCount])].every((one) => one === null)).toBe(true)
  expect(markets.flatMap(({ crossedGapCount, crossedGapNs, clampedTimes, shownTrades }) => [crossedGapCount, crossedGapNs, clampedTimes, shownTrades]).every((one) => one === null)).toBe(true)
  expect(new Set(live.fills.rows.map(({ cause }) => cause))).toEqual(new Set([null]))
  expect(new Set(live.orders.rows.map((row) => row.touched_by_gap))).toEqual(new Set([null]))
  expect(JSON.stringify(live.report())).toContain('as the adapter reported them')
  expect(live.fills.metadata.get('result_of')).toBe('live')
})

/** The sums that every message together must come to, however late one is. */
function endOf({ summary: { money, total, wallets, moneyEvents, instruments, fillCount } }: BacktestResult): object {
  const moved = new Map<string, number>()
  // Of loans, what is borrowed and repaid is no income; interest is owed.
  const sign: Record<string, number> = { borrow: 0, repay: 0, interest: -1 }
  // The fee of a settlement is in what it brought over sockets.
  for (const { kind, underlying, amount, fees } of moneyEvents) moved.set(underlying, (moved.get(underlying) ?? 0) + (sign[kind] ?? 1) * Number(amount) - (kind === 'settlement' ? Number(fees) : 0))
  return {
    total: total.endEquity, wallets, fillCount, moved: [...moved].filter(([, amount]) => Math.abs(amount) > 1e-9).map(([code, amount]) => [code, amount.toFixed(9)]),
    money: money.map(({ underlying, profit, turnover, endEquity }) => ({ underlying, profit, turnover, endEquity })),
    positions: instruments.map(({ position, netTraded, averageEntryPrice, profit }) => ({ position, netTraded, averageEntryPrice, profit })),
  }
}

const random = repeated(fc.sample(lavishSettings, { numRuns: 24, seed: 20 }).map((setting, at) => [at, setting] as const), (_, at) => at < 6)

test.each(random)('random program %i, with faults, late fees, loans and dividends, ends over sockets with the money of its backtest', { timeout: 600_000 }, async (at, setting) => {
  const options = { ...setting, parameters: { instruments: ['TEST1', 'TEST2', 'TEST3', 'TEST4'], seed: at + 1 } }
  const [{ result: backtest }, { result: live }] = [await backtestRun(options), await liveLines(options, WIRES[at % WIRES.length]!)]
  expect(endOf(live)).toEqual(endOf(backtest))
})
