import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { CHECKPOINT_FORMAT, type Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const DAY: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: 20, rows: [[1, 99, 4]] },
  { kind: 'update', timeNs: 30, rows: [[0, 99, 3], [1, 100, 2]] },
  { kind: 'trades', timeNs: 45, rows: [[0, 101, 9]] },
]

function optionsOf(files: readonly (readonly MarketLine[])[], seeds: readonly number[]): BacktestOptions & { parameters: { instrument: string }[] } {
  return {
    strategy: RestlessStrategy, data: files.map((file, at) => marketFile(file, { id: at + 1 })), day: '2026-07-01',
    parameters: seeds.map((seed, at) => ({ instrument: `TEST${1 + (at % files.length)}`, seed, wakeNs: 7 })), to: MADE_MIDNIGHT_NS + 200n,
    account: { balances: { CASH: '1000' } }, assumptions: { requestLatency: '3ns', responseLatency: '5ns' },
  }
}

/** The checkpoint after so many steps, as another process would read it; null where the run ended before. */
async function checkpointOf(options: BacktestOptions & { parameters: { instrument: string }[] }, everySteps: number): Promise<Checkpoint | null> {
  let text: string | null = null
  await runBacktest({ ...options, checkpoints: { everySteps, take: (checkpoint) => {
    text = JSON.stringify(checkpoint)
    return false
  } } })
  return text === null ? null : JSON.parse(text) as Checkpoint
}

describe('checkpoints', () => {
  test('a run that goes on from any step ends with the fingerprint of an undisturbed one', async () => {
    const gaps = fc.constantFrom('assumeWorst' as const, 'cancelAndWait' as const, 'freeze' as const, 'halt' as const)
    await fc.assert(fc.asyncProperty(marketLines(true), marketLines(true), fc.array(fc.nat(999), { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 90 }), gaps, async (one, two, seeds, steps, gap) => {
      const options = { ...optionsOf([one, two], seeds), assumptions: { requestLatency: '3ns', responseLatency: '5ns', gaps: gap } }
      const whole = await runBacktest(options)
      const checkpoint = await checkpointOf(options, steps)
      if (checkpoint === null) return
      const rest = await runBacktest({ ...options, resume: checkpoint })
      expect(rest.map(({ fingerprint }) => fingerprint)).toEqual(whole.map(({ fingerprint }) => fingerprint))
      expect(rest.map(({ summary }) => JSON.stringify(summary))).toEqual(whole.map(({ summary }) => JSON.stringify(summary)))
    }), { numRuns: 60 })
  }, timeLimitMs(120_000))

  test('fields that no checkpoint holds are noted once when one is taken, and when a run goes on', async () => {
    class Forgetful extends RestlessStrategy {
      wakes = 0
      override onInstrumentTopOfBook(...args: Parameters<RestlessStrategy['onInstrumentTopOfBook']>): void {
        this.wakes++
        super.onInstrumentTopOfBook(...args)
      }

      override saveState = Strategy.prototype.saveState
      override restoreState = Strategy.prototype.restoreState
    }
    const notes: string[] = []
    const options = { ...optionsOf([DAY], [1]), strategy: Forgetful, onNote: (sentence: string) => { notes.push(sentence) } }
    const taken: Checkpoint[] = []
    await runBacktest({ ...options, checkpoints: { every: '50ns', take: (checkpoint) => void taken.push(checkpoint) } })
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(/^Forgetful has no saveState, so a checkpoint does not hold its fields .*wakes.*: a run that goes on/)
    await runBacktest({ ...options, resume: taken.at(-1)! })
    expect(notes).toHaveLength(2)
  })

  test('taking them changes nothing, and market time counts them from the begin of the run', async () => {
    const options = optionsOf([DAY], [1])
    const times: bigint[] = []
    const [whole] = await runBacktest(options)
    const [watched] = await runBacktest({ ...options, checkpoints: { every: '50ns', take: ({ time }) => void times.push(BigInt(time) - MADE_MIDNIGHT_NS) } })
    expect(watched?.fingerprint).toBe(whole?.fingerprint)
    expect(times.map((time) => time < 200n)).toEqual([true, true, true])
    expect(times.map((time) => time / 50n)).toEqual([0n, 1n, 2n])
  })

  test.each([
    ['another seed', { seed: 2 }, /Cannot go on from the checkpoint: seed was 1 when it was taken and is 2 now/],
    ['other latencies', { assumptions: { requestLatency: '4ns', responseLatency: '5ns' } }, /assumptions\.requestLatency was "constant 3ns" when it was taken and is "constant 4ns" now/],
    ['another instrument', { data: [marketFile(DAY, { id: 9 })], parameters: [{ instrument: 'TEST1', seed: 1, wakeNs: 7 }] }, /it has the instruments 1, the data have 9/],
    ['a shorter file', { data: [marketFile(DAY.slice(0, 1))] }, /had given \d+ events, its files hold \d+ events: they are not the same files/],
  ])('%s is refused', async (_name, changed, words) => {
    const options = optionsOf([DAY], [1])
    const checkpoint = await checkpointOf(options, 20)
    await expect(runBacktest({ ...options, ...changed, resume: checkpoint as Checkpoint })).rejects.toThrow(words)
  })

  test.each([['1 hour'], ['0s'], ['-1s'], ['31d'], ['']])('every %j is refused', async (every) => {
    await expect(runBacktest({ ...optionsOf([DAY], [1]), checkpoints: { every, take: () => null } })).rejects.toThrow(/checkpoints\.every: expected a duration (such as 10ms, 30s or 1h|from 1ns to 30d), found/)
  })

  test.each(['backtape-checkpoint/1', 'backtape-checkpoint/2', null])('a file of another format is refused: %s', async (format) => {
    const options = optionsOf([DAY], [1])
    const checkpoint = { ...await checkpointOf(options, 5) as Checkpoint, format } as unknown as Checkpoint
    await expect(runBacktest({ ...options, resume: checkpoint })).rejects.toThrow(`its format must be ${CHECKPOINT_FORMAT}, found ${JSON.stringify(format)}`)
  })

  test('timers that a strategy registers anew when it goes on fire, beside those that were saved', async () => {
    class Anew extends Strategy {
      override onStart(): void {
        this.every(0.00002, () => this.log('old'), { name: 'old' })
        if (!this.resuming) return
        this.every(0.00003, () => this.log('new'), { name: 'new' })
        this.after(0.000005, () => this.log('once'), { name: 'once' })
      }
    }
    const options = { ...optionsOf([DAY], [1]), strategy: Anew, parameters: [{}] as never }
    let text = ''
    const lines: string[] = []
    await runBacktest({ ...options, checkpoints: { every: '90ns', take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    await runBacktest({ ...options, resume: JSON.parse(text) as Checkpoint, journal: () => ({ write: (line) => void lines.push(line) }) })
    const logged = lines.map((line) => JSON.parse(line) as { text: string, time: string }).map(({ text: what, time }) => `${what} ${BigInt(time) - MADE_MIDNIGHT_NS}`)
    // The last thing before the checkpoint happened at 80. At 140 the new one had been set at 110, the old one at 120.
    expect(logged).toEqual(['once 85', 'old 100', 'new 110', 'old 120', 'new 140', 'old 140', 'old 160', 'new 170', 'old 180'])
  })
})
