import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { recordStretch } from '../../src/backtest/stretch.js'
import type { Bar } from '../../src/measures/bars/bar.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { BarSeries } from '../../src/strategy/bar-series.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { BarringStrategy } from '../support/barring-strategy.ts'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { expectSame } from '../support/expected-same.ts'
import { grownParts, type GrownDay } from '../support/grown-parts.ts'
import { MADE_MIDNIGHT_NS, marketDay, type MarketPart } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { fewest } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { TacticalStrategy } from '../support/tactical-strategy.ts'
import { timeLimitMs } from '../support/time-limit.ts'

/** Bars as values: what they are made of has the scales of its batches. */
class Barring extends BarringStrategy {
  override onBar(bar: Bar, series: BarSeries): void {
    super.onBar(bar, series)
    this.log([String(series), bar.open, bar.high, bar.low, bar.close, bar.count, bar.buyVolume, bar.sellVolume, bar.turnover, bar.vwap].map(String).join(' '))
  }

  override log(text: string): void {
    if (!text.includes('{')) super.log(text)
  }
}

class Warming extends Barring {
  override readonly barOptions = { warmUp: '15ns' }
}

/** A day with marks and an index, and where its digits grow. */
const grownDay: fc.Arbitrary<{ readonly lines: readonly MarketLine[], readonly day: (timesNs: number) => GrownDay }> = fc.record({
  lines: marketLines(true), values: fc.array(fc.record({ kind: fc.constantFrom('mark' as const, 'index' as const), timeNs: fc.integer({ min: 1, max: 60 }), value: fc.integer({ min: 960, max: 1040 }), valueScale: fc.constantFrom(0, 1, 3) }), { maxLength: 6 }),
  cut: fc.nat(), digits: fc.integer({ min: 1, max: 6 }), parity: fc.constantFrom(0, 1, 2),
}).map(({ lines: books, values, cut, digits, parity }) => {
  const lines = [...books, ...values.map(({ value, valueScale, ...line }) => ({ ...line, valueScale, value: value * 10 ** valueScale }))].sort((a, b) => a.timeNs - b.timeNs)
  return { lines, day: (timesNs) => grownParts(lines.map((line) => ({ ...line, timeNs: line.timeNs * timesNs })), 1 + (cut % (lines.length - 1)), digits, (price) => parity === 2 || price % 2 === parity) }
})

const assumptions = fc.record({ queue: fc.constantFrom('riskAverse', 'power', 'log2'), gaps: fc.constantFrom('assumeWorst' as const, 'freeze' as const), requestLatency: fc.constantFrom('0ns', '3ns'), responseLatency: fc.constantFrom('0ns', '5ns') })

interface Played {
  readonly result: BacktestResult
  readonly journal: readonly string[]
}

async function played(options: Omit<BacktestOptions, 'data' | 'parameters'> & { readonly parameters: ParameterConfig }, parts: readonly MarketPart[], more: object = {}): Promise<Played> {
  const journal: string[] = []
  const result = await runBacktest({ day: '2026-07-01', account: { balances: { CASH: '10000' }, fees: { maker: '0.0001', taker: '0.0005' } }, ...options, ...more, data: [marketDay(parts)], journal: () => ({ write: (line) => void journal.push(line) }) })
  return { result, journal }
}

/** What a run says of itself; of orders that were never sent no price, as the first batch decides how fine it can be stated. */
function saidBy({ result, journal }: Played): unknown {
  const { summary, fills, orders, equity, roundTrips, hours, days, curves } = result
  const sent = orders.rows.map((row) => (row.state === 'DISCARDED' ? { ...row, price: null } : row))
  return { journal, summary, sent, rows: [fills, equity, roundTrips, hours, days].map(({ rows }) => rows), curves }
}

/** Its report, but the names and digests of its data, and the digest of its records, whose segments end where digits grow. */
function reportOf({ result }: Played): unknown {
  return JSON.parse(JSON.stringify(result.report()), (key, value: unknown) => (DATA_NAMES.has(key) ? null : value)) as unknown
}

const DATA_NAMES = new Set(['configuration', 'configDigest', 'fingerprint', 'journalDigest'])

describe('digits that grow at any batch change nothing that a run says', () => {
  test.each([['orders', RestlessStrategy], ['bars and indicators', Barring], ['a warm-up', Warming], ['tactics', TacticalStrategy]] as const)('%s', async (_name, strategy) => {
    let fillCount = 0
    await fc.assert(fc.asyncProperty(grownDay, fc.integer({ min: 0, max: 999 }), assumptions, async ({ day }, seed, assumed) => {
      const { grown, whole } = day(1)
      const options = { strategy, parameters: { instrument: 'TEST1', seed }, ...(strategy === Warming ? { from: MADE_MIDNIGHT_NS + 20n } : {}), to: MADE_MIDNIGHT_NS + 200n, assumptions: assumed }
      const [own, other] = [await played(options, grown), await played(options, whole)]
      fillCount += own.result.fills.rowCount
      expectSame(saidBy(own), saidBy(other))
    }), { numRuns: 20 })
    expect(fillCount).toBeGreaterThan(fewest(10))
  }, timeLimitMs(120_000))

  test('figures over seconds: mark-outs, round trips, equity, courses, and a run that goes on from a checkpoint', async () => {
    let tripCount = 0
    await fc.assert(fc.asyncProperty(grownDay, fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 90 }), async ({ day }, seed, everySteps) => {
      const { grown, whole } = day(2e9)
      const options = { strategy: RestlessStrategy, parameters: { instrument: 'TEST1', seed, wakeNs: 2e9 }, to: '00:03:00', equity: { every: '1s', fills: true }, assumptions: { staleAfter: 'off' as const } }
      const [own, other] = [await played(options, grown), await played(options, whole)]
      tripCount += own.result.roundTrips.rowCount
      expectSame([saidBy(own), reportOf(own)], [saidBy(other), reportOf(other)])
      let text: string | null = null
      await played(options, grown, { checkpoints: { everySteps, take: (checkpoint: Checkpoint) => {
        text = JSON.stringify(checkpoint)
        return false
      } } })
      if (text === null) return
      const { result } = await played(options, grown, { resume: JSON.parse(text) as Checkpoint })
      expect([result.summary, result.fills.rows, result.equity.rows, result.roundTrips.rows]).toEqual([own.result.summary, own.result.fills.rows, own.result.equity.rows, own.result.roundTrips.rows])
    }), { numRuns: 15 })
    expect(tripCount).toBeGreaterThan(fewest(10))
  }, timeLimitMs(120_000))

  test('a stretch that is viewed', async () => {
    await fc.assert(fc.asyncProperty(grownDay, fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 60 }), async ({ day }, seed, beginNs) => {
      const { grown, whole } = day(1)
      const [own, other] = await Promise.all([grown, whole].map((parts) => recordStretch('r', {
        strategy: RestlessStrategy, data: [marketDay(parts)], day: '2026-07-01', parameters: { instrument: 'TEST1', seed }, to: MADE_MIDNIGHT_NS + 100n, account: { balances: { CASH: '10000' } },
      }, { from: String(MADE_MIDNIGHT_NS + BigInt(beginNs)), forNs: 200, levels: 3 })))
      expectSame(own!.columns, other!.columns)
    }), { numRuns: 40 })
  }, timeLimitMs(120_000))
})
