import { afterAll, describe, expect, test } from 'vitest'
import { ThreadsProgress } from '../../src/backtest/thread-progress.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { runRunFile, type RunFileExtras } from '../../src/backtest/run-file.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestProgress } from '../../src/configuration/run-options.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runSplit } from '../../src/sweep/split-run.js'
import { runWalkForward } from '../../src/sweep/walk-forward.js'
import { bookLines, MadeDaysFolder } from '../support/made-days-folder.ts'
import { packWorkers } from '../support/packed-workers.ts'
import { Planned } from '../support/planned-run.ts'
import { repeated } from '../support/repetitions.ts'
import { runContent, RunFolder, strategyModule } from '../support/run-folder.ts'

packWorkers()
const folder = new RunFolder()
const days = new MadeDaysFolder()
afterAll(() => {
  folder.remove()
  days.remove()
})

folder.write('subject.ts', strategyModule(`  @Parameter(Number) ticks!: number
  override onStart(): void { this.every(1000, () => this.log(String(this.ticks))) }`))
const ticks = (count: number): object[] => Array.from({ length: count }, (_, at) => ({ instrument: 'XRPUSDT', ticks: at }))
const pathOf = (count: number, more: object = {}): string => (
  folder.write(`ticks-${count}.run.json`, JSON.stringify(runContent({ from: '23:55', to: '23:55:20', parameters: ticks(count), ...more }))))

/** Progress that is taken down. */
class Steps {
  readonly all: BacktestProgress[] = []
  readonly take = (step: BacktestProgress): void => void this.all.push(step)

  /** Never backwards, never more than there is, and all at the end. */
  expectWhole(runCount: number): void {
    expect(this.all.length).toBeGreaterThan(0)
    let before = { doneCount: 0, share: 0 }
    for (const { doneCount, playingCount, share, runCount: all } of this.all) {
      expect(all).toBe(runCount)
      expect(doneCount).toBeGreaterThanOrEqual(before.doneCount)
      expect(share).toBeGreaterThanOrEqual(before.share)
      expect(doneCount + playingCount).toBeLessThanOrEqual(runCount)
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(1)
      before = { doneCount, share }
    }
    expect(this.all.at(-1)).toMatchObject({ runCount, doneCount: runCount, playingCount: 0, share: 1 })
  }
}

describe('progress counts all passes', { timeout: 120_000 }, () => {
  test.each(repeated<[string, number, RunFileExtras]>([
    ['one set', 1, {}], ['a list that one pass plays', 3, {}], ['several passes', 140, {}], ['several passes on two threads', 140, { jobs: 2 }], ['three sets on two threads', 3, { jobs: 2 }], ['more threads than sets', 2, { jobs: 5 }],
  ], ([words]) => !words.startsWith('three sets')))('%s', async (_what, count, extras) => {
    const steps = new Steps()
    await runRunFile(await readRunFile(pathOf(count)), { ...extras, onProgress: steps.take })
    steps.expectWhole(count)
    if (count > 128 && extras.jobs === undefined) expect(new Set(steps.all.map(({ doneCount }) => doneCount))).toEqual(new Set([0, 128, 140]))
  })

  test('of a run that is stopped it ends where that was', async () => {
    const steps = new Steps()
    const controller = new AbortController()
    const onProgress = (step: BacktestProgress): void => {
      steps.take(step)
      if (step.share > 0.2) controller.abort()
    }
    await runRunFile(await readRunFile(pathOf(4, { from: '00:00', to: '24:00' })), { onProgress, signal: controller.signal })
    expect(steps.all.at(-1)).toMatchObject({ doneCount: 0, playingCount: 4 })
    expect(steps.all.at(-1)!.share).toBeLessThan(1)
  })

  const LINES = bookLines(Array.from({ length: 40 }, (_, at) => 100 + at))
  const IOC = (at: number, side: 'BID' | 'ASK'): string => `${at}s ${side} ${side === 'BID' ? 900 : 1} 1 IOC`
  const SETS = [[IOC(5, 'BID'), IOC(25, 'ASK')], [IOC(5, 'ASK'), IOC(25, 'BID')], []].map((plan) => ({ instrument: 'TEST1', plan }))
  const optionsOf = (data: readonly string[], onProgress: (step: BacktestProgress) => void): BacktestOptions => (
    { strategy: Planned, data, parameters: SETS, account: { balances: { CASH: '1000' } }, assumptions: { staleAfter: 'off' }, onProgress })

  test.each([['without random entries', 0, 6], ['with random entries, which play the chosen set again and sample prices', 10, 10]])('the parts of a split, %s', async (_what, baseline, runCount) => {
    const steps = new Steps()
    await runSplit(optionsOf(days.write(new Map([[0, LINES], [1, LINES]])), steps.take), { split: '50/50', baseline })
    steps.expectWhole(runCount)
  })

  test.each([['without random entries', 0, 12], ['with random entries', 10, 15]])('the windows of a walk forward, %s', async (_what, baseline, runCount) => {
    const steps = new Steps()
    const data = days.write(new Map([0, 1, 2, 3].map((day) => [day, LINES])))
    await runWalkForward(optionsOf(data, steps.take), { walkForward: 'train=1d,test=1d', baseline })
    steps.expectWhole(runCount)
  })

  test('a window without data is passed: what follows counts as if it had been played', async () => {
    const steps = new Steps()
    const data = days.write(new Map([0, 1, 4, 5].map((day) => [day, LINES])))
    const { skipped } = await runWalkForward(optionsOf(data, steps.take), { walkForward: 'train=1d,test=1d', baseline: 0 })
    expect(skipped.length).toBeGreaterThan(0)
    steps.expectWhole(20)
  })

  test('data whose end nothing states count once they are played', async () => {
    const steps = new Steps()
    await runBacktest({ ...optionsOf(days.write(new Map([[0, LINES]])), steps.take), trim: 'none', parameters: SETS })
    expect(steps.all.every(({ share, doneCount }) => share === doneCount / 3)).toBe(true)
    steps.expectWhole(3)
  })
})

describe('threads together', () => {
  const at = (timeNs: bigint, doneCount: number, playingCount: number): Parameters<ThreadsProgress['take']>[1] => ({ timeNs, fromNs: 100n, toNs: 200n, doneCount, playingCount })
  test.each<[string, readonly (readonly [thread: number, ...Parameters<typeof at>])[], readonly number[]]>([
    ['before the begin nothing is played', [[0, 50n, 0, 4]], [0]],
    ['a pass that begins again', [[0, 200n, 0, 2], [0, 200n, 2, 0], [0, 50n, 2, 2], [0, 150n, 2, 2]], [0.5, 0.5, 0.5, 0.75]],
    ['two threads', [[0, 150n, 0, 2], [1, 200n, 0, 2], [1, 200n, 2, 0], [0, 200n, 2, 0]], [0.25, 0.75, 0.75, 1]],
    ['a thread that is behind itself', [[0, 180n, 0, 4], [0, 150n, 0, 4]], [0.8, 0.8]],
    ['a time behind the end', [[0, 900n, 0, 4]], [1]],
  ])('%s', (_what, steps, shares) => {
    const found: number[] = []
    const progress = new ThreadsProgress(4, ({ share }) => void found.push(share))
    for (const [thread, ...step] of steps) progress.take(thread, at(...step))
    expect(found).toEqual(shares)
  })
})
