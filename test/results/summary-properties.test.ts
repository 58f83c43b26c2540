import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { Decimal } from '../../src/model/decimal.js'
import type { RunSummary } from '../../src/report/run-summary.js'
import { summaryJson } from '../../src/report/summary-text.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'
import { isNight } from '../support/repetitions.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const line = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.constantFrom('BID', 'ASK'), fc.integer({ min: 97, max: 103 }), fc.integer({ min: 1, max: 9 }), fc.constantFrom('', '', 'postOnly', 'IOC'))
  .map(([at, side, price, quantity, how]) => `${at}ns ${side} ${price} ${quantity} ${how}`.trim())
const plan = fc.array(fc.oneof({ weight: 8, arbitrary: line }, { weight: 1, arbitrary: fc.constant('50ns cancelAll') }), { minLength: 1, maxLength: 10 })
const RUNS = 60
const assumptions = { requestLatency: '3ns', responseLatency: '5ns' }

const sum = (values: readonly string[]): Decimal => values.reduce((total, value) => total.plus(value), new Decimal(0))

/** Without what belongs to the pass alone. */
const own = ({ markets: _markets, ...rest }: RunSummary): string => summaryJson({ ...rest, markets: [] })

/** Found by this test: a world that halted heard the lines of its last instant only where a sibling kept the pass going. */
const haltedWhileSiblingsGoOn: [MarketLine[], MarketLine[], string[], string[], 'halt'] = [
  [{ kind: 'snapshot', timeNs: 0, rows: [] }, { kind: 'trades', rows: [[0, 96, 1]], timeNs: 1 }, { kind: 'ERROR', timeNs: 52 }],
  [{ kind: 'snapshot', timeNs: 0, rows: [] }, { kind: 'ERROR', timeNs: 1 }],
  ['1ns BID 97 1', '50ns cancelAll'],
  ['1ns BID 97 1'],
  'halt',
]

/** Found by this test: what was sold to the only bid ever shown has no price that values it. */
const neverAsked: [MarketLine[], string[]] = [
  [{ kind: 'snapshot', timeNs: 0, rows: [] }, { kind: 'update', timeNs: 1, rows: [[0, 100, 1]] }, { kind: 'update', timeNs: 1, rows: [[0, 96, 0]] }],
  ['1ns ASK 97 1'],
]

describe('any run', () => {
  test('the ledger is the sum of the fills less fees to the last digit; equity, drawdown and counts follow from the rows', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), plan, async (lines, steps) => {
      const [result] = await plannedRun({ files: [lines], plans: [steps], options: { assumptions } })
      const { summary, fills, orders, equity, roundTrips, hours, days } = result!
      const money = summary.money[0]!
      const flow = sum(fills.rows.map(({ side, value }) => (side === 'BID' ? `-${value}` : value)))
      const position = sum(fills.rows.map(({ side, qty }) => (side === 'BID' ? qty : `-${qty}`)))
      const marked = summary.instruments[0]?.markPrice ?? null
      // A side that was never shown: nothing says what an open position is worth, and the summary says so.
      if (marked === null && !position.isZero()) expect([money.unrealizedPnl, summary.instruments[0]?.markedBy]).toEqual(['0', 'nothing'])
      else expect(new Decimal(money.realizedPnl).plus(money.unrealizedPnl).toFixed()).toBe(flow.plus(position.times(marked ?? 0)).toFixed())
      expect(money.realizedPnl).toBe(sum(fills.rows.map(({ realized_pnl }) => realized_pnl)).toFixed())
      expect(money.fees).toBe(sum(fills.rows.map(({ fee }) => fee)).toFixed())
      expect(money.turnover).toBe(sum(fills.rows.map(({ value }) => value)).toFixed())
      expect(summary.instruments[0]?.position ?? '0').toBe(position.toFixed())
      expect(fills.rows.at(-1)?.position ?? '0').toBe(position.toFixed())
      expect(money.endEquity).toBe(new Decimal(1000).plus(money.profit).toFixed())
      expect(equity.rows.at(-1)!.equity).toBe(money.endEquity)
      const whole = new Decimal(money.realizedPnl).plus(money.unrealizedPnl)
      if (marked !== null || position.isZero()) expect(sum(roundTrips.rows.map(({ gross_profit }) => gross_profit)).toFixed()).toBe(whole.toFixed())
      expect(sum(roundTrips.rows.map(({ fees }) => fees)).toFixed()).toBe(money.fees)
      expect(roundTrips.rows.filter(({ is_open }) => !is_open).length).toBe(money.roundTrips.count)
      for (const table of [hours, days]) {
        expect(sum(table.rows.map(({ profit }) => profit)).toFixed()).toBe(money.profit)
        expect(sum(table.rows.map(({ turnover }) => turnover)).toFixed()).toBe(money.turnover)
        expect(table.rows.reduce((count, row) => count + row.fills, 0)).toBe(summary.fillCount)
        expect(table.rows.at(-1)!.equity).toBe(money.endEquity)
      }
      let deepest = new Decimal(0)
      const values = equity.rows.map((row) => new Decimal(row.equity))
      values.forEach((peak, i) => values.slice(i).forEach((low) => (deepest = Decimal.max(deepest, peak.minus(low)))))
      expect(money.maxDrawdown.amount).toBe(deepest.toFixed())
      const states = Object.fromEntries([...new Set(orders.rows.map(({ state }) => state))].sort().map((state) => [state, orders.rows.filter((row) => row.state === state).length]))
      expect(summary.orders.byState).toEqual(states)
      expect(summary.orders.openAtEndCount).toBe(orders.rows.filter(({ ended_ts }) => ended_ts === null).length)
      for (const order of orders.rows) expect(order.executed_qty).toBe(sum(fills.rows.filter(({ own_order_id }) => own_order_id === order.own_order_id).map(({ qty }) => qty)).toFixed())
    }), { numRuns: RUNS, examples: [neverAsked] })
  }, timeLimitMs(60_000))

  test('sibling worlds and an idle instrument change nothing, also where a gap halts', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), marketLines(true), plan, plan, fc.constantFrom('assumeWorst', 'halt', 'freeze', 'cancelAndWait'), async (lines, idle, mine, other, gaps) => {
      const options = { assumptions: { ...assumptions, gaps } } as const
      const [alone] = await plannedRun({ files: [lines], plans: [mine], options })
      const [, together] = await plannedRun({ files: [lines, idle], plans: [other, mine, { on: 2, plan: other }], options })
      expect(own(together!.summary)).toBe(own(alone!.summary))
      expect(together!.summary.markets.map(({ instrument }) => instrument)).toEqual(['test:TEST1'])
      for (const name of ['fills', 'orders', 'equity', 'roundTrips', 'hours', 'days'] as const) expect(together![name].rows).toEqual(alone![name].rows)
      expect(together!.journalDigest).toBe(alone!.journalDigest)
      expect(together!.fingerprint).toBe(alone!.fingerprint)
    }), { numRuns: 40, examples: [haltedWhileSiblingsGoOn] })
  }, timeLimitMs(60_000))

  test('a run that goes on from a checkpoint has the summary and the rows of one that was never stopped', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), plan, fc.integer({ min: 1, max: 60 }), fc.constantFrom('memory', 'none'), async (lines, steps, everySteps, tables) => {
      const options = { assumptions, tables, equity: { every: isNight ? '7ms' : '700ms', fills: true } } as const
      const [whole] = await plannedRun({ files: [lines], plans: [steps], options })
      let taken: Checkpoint | null = null
      const take = (checkpoint: Checkpoint): boolean => {
        taken = checkpoint
        return false
      }
      await plannedRun({ files: [lines], plans: [steps], options: { ...options, checkpoints: { everySteps, take } } })
      if (taken === null) return
      const [resumed] = await plannedRun({ files: [lines], plans: [steps], options: { ...options, resume: taken } })
      expect(summaryJson(resumed!.summary)).toBe(summaryJson(whole!.summary))
      for (const name of ['fills', 'orders', 'equity', 'roundTrips', 'hours', 'days'] as const) expect(resumed![name].rows).toEqual(whole![name].rows)
    }), { numRuns: 40 })
  }, timeLimitMs(60_000))
})
