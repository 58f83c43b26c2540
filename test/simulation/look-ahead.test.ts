import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { BarringStrategy } from '../support/barring-strategy.ts'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { expectSame } from '../support/expected-same.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { fewest } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { TacticalStrategy } from '../support/tactical-strategy.ts'
import { timeLimitMs } from '../support/time-limit.ts'

/** Lines in file order, each heard a little later than it happened, so that both sides of time differ. */
function delayed(lines: readonly MarketLine[], delays: readonly number[]): MarketLine[] {
  let receivedNs = 0
  return lines.map((line, index) => {
    receivedNs = Math.max(receivedNs, line.timeNs + (delays[index % delays.length] ?? 0))
    return { ...line, adapterTimeNs: receivedNs }
  })
}

/** Whether a line is known to nobody at T: its adapter time, its exchange time and every row time are after it. */
function isFuture({ adapterTimeNs = 0, timeNs, rows = [] }: MarketLine, atNs: number): boolean {
  return adapterTimeNs > atNs && timeNs > atNs && rows.every((row) => row[3] === undefined || row[3] > atNs)
}

/** The same bars from before the run on, which begins in the middle of the lines. */
class WarmingStrategy extends BarringStrategy {
  override readonly barOptions = { warmUp: '15ns' }
}

async function journalOf(strategy: typeof RestlessStrategy, lines: readonly MarketLine[], seed: number, assumptions: object): Promise<string[]> {
  const journal: string[] = []
  await runBacktest({
    strategy, data: [marketFile(lines)], day: '2026-07-01', parameters: { instrument: 'TEST1', seed, wakeNs: 7 },
    ...(strategy === WarmingStrategy ? { from: MADE_MIDNIGHT_NS + 20n } : {}), to: MADE_MIDNIGHT_NS + 200n, account: { balances: { CASH: '1000' } }, assumptions, journal: () => ({ write: (line) => void journal.push(line) }),
  })
  return journal
}

function upTo(journal: readonly string[], atNs: number): string[] {
  const latest = MADE_MIDNIGHT_NS + BigInt(atNs)
  return journal.filter((line) => BigInt((JSON.parse(line) as { time: string }).time) <= latest)
}

test.each([['orders', RestlessStrategy], ['bars and indicators', BarringStrategy], ['a warm-up', WarmingStrategy], ['tactics', TacticalStrategy]] as const)('another future changes no line of the journal before it: %s', async (_name, strategy) => {
  const assumptions = fc.record({
    requestLatency: fc.constantFrom('0ns', '3ns', '10ns'), responseLatency: fc.constantFrom('0ns', '5ns'), queue: fc.constantFrom('riskAverse', 'power', 'log2'),
    fills: fc.constantFrom('partial' as const, 'whole' as const), gaps: fc.constantFrom('assumeWorst' as const, 'cancelAndWait' as const, 'freeze' as const, 'halt' as const),
    feedLatency: fc.constantFrom('recorded', 'recorded+4ns', 'constant 6ns'),
  })
  const delays = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 })
  let lineCount = 0
  await fc.assert(fc.asyncProperty(marketLines(true), marketLines(true), delays, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 999 }), assumptions, async (one, two, late, atNs, seed, assumed) => {
    const file = delayed(one, late)
    const begin = file.findIndex((line, index) => index > 0 && file.slice(index).every((later) => isFuture(later, atNs)))
    const future = delayed(two, late).filter((line) => isFuture(line, atNs) && line.timeNs > 0)
    const other = begin < 0 ? [...file, ...future] : [...file.slice(0, begin), ...future]
    const [known, changed] = [await journalOf(strategy, file, seed, assumed), await journalOf(strategy, other, seed, assumed)]
    const before = upTo(known, atNs)
    lineCount += before.length
    expectSame(upTo(changed, atNs), before)
  }), { numRuns: 60 })
  expect(lineCount).toBeGreaterThan(fewest(300))
}, timeLimitMs(120_000))
