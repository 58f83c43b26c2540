import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import type { Bar } from '../../src/measures/bars/bar.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { BarringStrategy } from '../support/barring-strategy.ts'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { fewest } from '../support/repetitions.ts'
import { timeLimitMs } from '../support/time-limit.ts'

type Decorate = (target: object, key: string) => void

/** What a strategy received, in the order in which it did: trades by their time, mids, bars. */
class Tape extends Strategy {
  instrument!: DataInstrument
  static received: (readonly [what: string, timeNs: number, ...rest: readonly unknown[]])[] = []
  static spanNs = 10
  static closeOn: 'timer' | 'event' = 'timer'

  override onStart(): void {
    Tape.received = []
    this.subscribeBars(this.instrument, `${Tape.spanNs}ns`, { closeOn: Tape.closeOn })
  }

  override onInstrumentTrades(): void {
    for (const { price, quantity, aggressorSide } of this.instrument.getLastTrades()) Tape.received.push(['trade', this.nowNs(), Number(price), Number(quantity), aggressorSide])
  }

  override onBar(bar: Bar): void {
    Tape.received.push(['bar', this.nowNs(), bar.startNs, bar.endNs, ...[bar.open, bar.high, bar.low, bar.close, bar.count, bar.buyVolume, bar.sellVolume].map(Number)])
  }
}
;(Parameter(DataInstrument) as Decorate)(Tape.prototype, 'instrument')

const options = (lines: readonly MarketLine[]): Parameters<typeof runBacktest>[0] => ({
  data: [marketFile(lines)], day: '2026-07-01', parameters: { instrument: 'TEST1' }, to: MADE_MIDNIGHT_NS + 200n, account: { balances: { CASH: '1000' } }, strategy: Tape,
})

describe('bars of a run', () => {
  test.each(['timer', 'event'] as const)('hold the trades that the strategy received in them, and end by the %s', async (closeOn) => {
    let barCount = 0
    await fc.assert(fc.asyncProperty(marketLines(true), fc.integer({ min: 1, max: 30 }), fc.constantFrom('recorded', 'constant 6ns'), async (lines, spanNs, feedLatency) => {
      Object.assign(Tape, { spanNs, closeOn })
      await runBacktest({ ...options(lines), assumptions: { feedLatency } })
      const trades = Tape.received.filter(([what]) => what === 'trade') as [string, number, number, number, string][]
      const wanted: unknown[] = []
      const begun = new Set<number>()
      trades.forEach(([, timeNs], at) => {
        const startNs = timeNs - Number((MADE_MIDNIGHT_NS + BigInt(timeNs)) % BigInt(spanNs))
        if (begun.has(startNs)) return
        begun.add(startNs)
        const inside = trades.filter(([, other]) => other >= startNs && other < startNs + spanNs)
        const prices = inside.map(([, , price]) => price)
        const volume = (side: string): number => inside.reduce((sum, [, , , quantity, of]) => (of === side ? sum + quantity : sum), 0)
        const next = trades.slice(at).find(([, other]) => other >= startNs + spanNs)
        const sentNs = closeOn === 'timer' ? startNs + spanNs : next?.[1]
        if (sentNs !== undefined) wanted.push(['bar', sentNs, startNs, startNs + spanNs, prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1), prices.length, volume('BID'), volume('ASK')])
      })
      const bars = Tape.received.filter(([what]) => what === 'bar')
      // The run ends with its data, maybe before the last bar does.
      expect(bars).toEqual(wanted.slice(0, bars.length))
      expect(wanted.length - bars.length).toBeLessThanOrEqual(closeOn === 'timer' ? 1 : 0)
      barCount += bars.length
      // No trade of a bar comes after it.
      Tape.received.forEach(([what, , , endNs], at) => {
        if (what === 'bar') for (const [kind, timeNs] of Tape.received.slice(at)) if (kind === 'trade') expect(timeNs).toBeGreaterThanOrEqual(endNs as number)
      })
    }), { numRuns: 60 })
    expect(barCount).toBeGreaterThan(fewest(40))
  }, timeLimitMs(60_000))

  test('a run that goes on from any step makes the same bars and indicators', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), fc.nat(99), fc.integer({ min: 1, max: 90 }), async (lines, seed, everySteps) => {
      const barring = { ...options(lines), strategy: BarringStrategy, parameters: [{ instrument: 'TEST1', seed, wakeNs: 7 }] }
      const [whole] = await runBacktest(barring)
      let taken = ''
      await runBacktest({ ...barring, checkpoints: { everySteps, take: (checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } })
      if (taken === '') return
      const [rest] = await runBacktest({ ...barring, resume: JSON.parse(taken) as Checkpoint })
      expect(rest?.fingerprint).toBe(whole?.fingerprint)
    }), { numRuns: 60 })
  }, timeLimitMs(120_000))
})
