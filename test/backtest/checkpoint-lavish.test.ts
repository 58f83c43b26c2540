import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { lavishSettings, type LavishOptions } from '../support/lavish-run.ts'
import { isUsual, propertySeed } from '../support/repetitions.ts'
import { timeLimitMs } from '../support/time-limit.ts'

/** What must have happened somewhere among the runs, or they test nothing. */
const seen = new Set<string>()
const WANTED = [
  'borrow', 'interest', 'repay', 'funding', 'liquidation', 'settlement', 'corporateAction', 'rateLimitLoad', 'accountStatus', 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_BLOCKED_AFTER_EXCEEDED', 'INSUFFICIENT_MARGIN', 'INSUFFICIENT_BALANCE',
  'isolatedPositions', 'corrected', 'DEGRADED', 'DELAYED', 'STOP_LIMIT', 'PRIMARY_PEGGED', 'MARKET_PEGGED', 'UNEXPECTED_RESPONSE',
]

interface Played {
  readonly fingerprints: string[]
  readonly summaries: string[]
  readonly journals: string[]
}

function note({ journals }: Played): void {
  for (const word of WANTED) if (journals.some((journal) => journal.includes(word))) seen.add(word)
}

async function played(options: LavishOptions): Promise<Played> {
  const lines: string[][] = options.parameters.map(() => [])
  const results = await runBacktest({ ...options, journal: (world) => ({ write: (line) => void lines[world]!.push(line) }) })
  return { fingerprints: results.map(({ fingerprint }) => fingerprint), summaries: results.map(({ summary }) => JSON.stringify(summary)), journals: lines.map((world) => world.join('\n')) }
}

/** Checkpoints after the given steps, each of a run that ends there, as another process would read them; fewer where the run ends before. */
async function checkpointsOf(options: LavishOptions, steps: readonly number[]): Promise<Checkpoint[]> {
  const texts: string[] = []
  for (const everySteps of steps) {
    await runBacktest({ ...options, checkpoints: { everySteps, take: (checkpoint) => {
      texts.push(JSON.stringify(checkpoint))
      return false
    } } })
  }
  return texts.map((text) => JSON.parse(text) as Checkpoint)
}

/** The usual cases are always the same, as what must have happened depends on them. A failure takes too long to shrink. */
const seed = propertySeed ?? (isUsual ? 5 : undefined)
const runs = { endOnFailure: true, numRuns: 24, ...(seed === undefined ? {} : { seed }) }
const MINE = { instruments: ['TEST1', 'TEST2', 'TEST3'], seed: 1 }

describe('margin, loans, funding, settlement, late fills, limits, conditions, corporate actions and faults all at once', () => {
  test('a run that goes on from any step ends with the fingerprint of an undisturbed one', async () => {
    const worlds = fc.array(fc.nat(999), { minLength: 1, maxLength: 2 })
    await fc.assert(fc.asyncProperty(lavishSettings, worlds, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 3 }), async (setting, seeds, steps) => {
      const options: LavishOptions = { ...setting, parameters: seeds.map((seed) => ({ ...MINE, seed })) }
      const whole = await played(options)
      note(whole)
      for (const checkpoint of await checkpointsOf(options, steps)) {
        const rest = await runBacktest({ ...options, resume: checkpoint })
        expect(rest.map(({ fingerprint }) => fingerprint)).toEqual(whole.fingerprints)
        expect(rest.map(({ summary }) => JSON.stringify(summary))).toEqual(whole.summaries)
      }
    }), runs)
  }, timeLimitMs(240_000))

  test('each journal is that of a run alone, whoever else trades, and whatever other instrument is there', async () => {
    await fc.assert(fc.asyncProperty(lavishSettings, fc.nat(999), async (setting, seed) => {
      const mine = { ...MINE, seed }
      const alone = await played({ ...setting, data: setting.data.slice(0, 3), parameters: [mine] })
      const together = await played({ ...setting, parameters: [mine, { instruments: ['TEST4', 'TEST1'], seed: seed + 1 }, { instruments: ['TEST3', 'TEST2'], seed: seed + 2 }] })
      note(together)
      expect(together.journals[0]).toBe(alone.journals[0])
    }), { ...runs, numRuns: isUsual ? 120 : 48 })
  }, timeLimitMs(240_000))

  test('everything that may happen has happened among them', () => {
    expect(WANTED.filter((word) => !seen.has(word))).toEqual([])
  })
})
