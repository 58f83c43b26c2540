import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { grownParts } from '../support/grown-parts.ts'
import { MADE_MIDNIGHT_NS, marketDay, type MarketPart } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { timeLimitMs } from '../support/time-limit.ts'

/** Lots of six decimals, quantities of the data of none or few: those of orders make the scale grow. */
const days = fc.record({ lines: marketLines(true), cut: fc.nat(), digits: fc.integer({ min: 0, max: 4 }), lotSize: fc.constantFrom('0.000001', '0.000001', '0.000005', '0.000004') }).map(({ lines, cut, digits, lotSize }) => {
  const from = 1 + (cut % (lines.length - 1))
  const { grown } = grownParts(lines, from, digits, () => digits > 0)
  const { whole } = grownParts(lines, from, digits, () => digits > 0)
  // A trade of the evening before, which no day holds, needs all six.
  const fine = whole.map(({ lines: own, ...scales }): MarketPart => {
    const factor = 10 ** (6 - digits)
    return { ...scales, quantityScale: 6, lines: own.map((line: MarketLine, at: number): MarketLine => ({ ...line, ...(line.rows === undefined ? {} : { rows: line.rows.map(([side, price, quantity, ...time]) => [side, price, at === 0 ? 1 : quantity * factor, ...time] as never) }) })) }
  })
  return { grown: marketDay(grown, { master: { lotSize } }), fine: marketDay(fine, { master: { lotSize } }) }
})
const assumptions = fc.record({ queue: fc.constantFrom('riskAverse', 'riskAverse', 'power', 'log2'), gaps: fc.constantFrom('assumeWorst' as const, 'freeze' as const), requestLatency: fc.constantFrom('0ns', '3ns'), responseLatency: fc.constantFrom('0ns', '5ns') })

interface Played {
  readonly results: readonly BacktestResult[]
  readonly journal: readonly string[]
}

async function played(data: Uint8Array, more: Partial<BacktestOptions>, seeds: readonly number[], decimals = 6): Promise<Played> {
  const journal: string[] = []
  const results = await runBacktest({
    strategy: RestlessStrategy, data: [data], day: '2026-07-01', to: MADE_MIDNIGHT_NS + 200n, account: { balances: { CASH: '10000' }, fees: { maker: '0.0001', taker: '0.0005' } }, ...more,
    parameters: seeds.map((seed) => ({ instrument: 'TEST1', seed, decimals })), journal: () => ({ write: (line: string) => void journal.push(line) }),
  } as never)
  return { results, journal }
}

const saidBy = ({ results, journal }: Played): unknown => [journal, results.map(({ summary, fills, orders, equity, roundTrips, hours }) => [summary, [fills, orders, equity, roundTrips, hours].map(({ rows }) => rows)])]

describe('quantities of orders finer than those of the data', () => {
  test('make the scale grow wherever they come, and change nothing that a run says', async () => {
    let fillCount = 0
    await fc.assert(fc.asyncProperty(days, fc.integer({ min: 0, max: 999 }), assumptions, async ({ grown, fine }, seed, assumed) => {
      const [own, other] = [await played(grown, { assumptions: assumed }, [seed]), await played(fine, { assumptions: assumed }, [seed])]
      fillCount += own.results[0]!.fills.rows.filter(({ qty }) => qty.includes('.')).length
      expect(saidBy(own)).toEqual(saidBy(other))
    }), { numRuns: 60 })
    expect(fillCount).toBeGreaterThan(10)
  }, timeLimitMs(120_000))

  test('of one set move no other set of its pass', async () => {
    await fc.assert(fc.asyncProperty(days, fc.integer({ min: 0, max: 999 }), async ({ grown }, seed) => {
      const both = await played(grown, {}, [seed, seed + 1])
      const alone = [await played(grown, {}, [seed]), await played(grown, {}, [seed + 1])]
      expect(both.results.map(({ fills, orders }) => [fills.rows, orders.rows])).toEqual(alone.map(({ results: [one] }) => [one!.fills.rows, one!.orders.rows]))
    }), { numRuns: 20 })
  }, timeLimitMs(120_000))

  test('are held by a checkpoint, before they have come and behind', async () => {
    let taken = 0
    await fc.assert(fc.asyncProperty(days, fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 90 }), async ({ grown }, seed, everySteps) => {
      const whole = await played(grown, {}, [seed])
      let text: string | null = null
      await played(grown, { checkpoints: { everySteps, take: (checkpoint: Checkpoint) => {
        text = JSON.stringify(checkpoint)
        return false
      } } }, [seed])
      if (text === null) return
      taken++
      const rest = await played(grown, { resume: JSON.parse(text) as Checkpoint }, [seed])
      expect(rest.results.map(({ summary, fills, orders }) => [summary, fills.rows, orders.rows])).toEqual(whole.results.map(({ summary, fills, orders }) => [summary, fills.rows, orders.rows]))
    }), { numRuns: 20 })
    expect(taken).toBeGreaterThan(0)
  }, timeLimitMs(120_000))
})
