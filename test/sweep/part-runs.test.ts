import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Decimal } from '../../src/model/decimal.js'
import { runSplit } from '../../src/sweep/split-run.js'
import { runWalkForward } from '../../src/sweep/walk-forward.js'
import { bookLines, MadeDaysFolder } from '../support/made-days-folder.ts'
import { timeLimitMs } from '../support/time-limit.ts'
import { Planned } from '../support/planned-run.ts'

const folder = new MadeDaysFolder()
afterAll(() => { folder.remove() })

const IOC = (at: number, side: 'BID' | 'ASK', quantity = 1): string => `${at}s ${side} ${side === 'BID' ? 900 : 1} ${quantity} IOC`
/** Buys early and sells late, the other way round, and never trades. */
const SETS = [[IOC(5, 'BID'), IOC(25, 'ASK')], [IOC(5, 'ASK'), IOC(25, 'BID')], []].map((plan) => ({ instrument: 'TEST1', plan }))

function options(data: readonly string[], more: Partial<BacktestOptions> = {}): BacktestOptions & { readonly parameters: typeof SETS } {
  return { strategy: Planned, data, parameters: SETS, account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.002' } }, assumptions: { staleAfter: 'off' }, ...more } as never
}

/** Options whose signal fires as a strategy starts, after so many others. */
function stoppedAfter(data: readonly string[], strategies: number): BacktestOptions {
  const stop = new AbortController()
  let startCount = 0
  class Stopping extends Planned {
    override onStart(): void {
      if (++startCount > strategies) stop.abort()
      super.onStart()
    }
  }
  return options(data, { strategy: Stopping, signal: stop.signal })
}

/** The bounds of a part as options of a run. */
const alone = ({ from, to }: { readonly from: string, readonly to: string | null }): Partial<BacktestOptions> => ({ from, ...(to === null ? {} : { to }) })

const prices = (from: number, step: number, count = 40): number[] => Array.from({ length: count }, (_, at) => from + step * at)
const rising = prices(100, 1)
const falling = prices(200, -1)

describe('a split run', { timeout: 180_000 }, () => {
  const data = folder.write(new Map([[0, bookLines(rising)], [1, bookLines(falling)]]))

  test('chooses on the first part alone, and reports the choice on the other one, where it loses', async () => {
    const { chosen, setCount, parts, sort } = await runSplit(options(data), { split: '50/50', baseline: 0 })
    expect([chosen, setCount, sort, parts.map(({ baseline }) => baseline)]).toEqual([0, 3, 'profit', [null, null]])
    const profits = parts.map(({ results }) => results.map(({ summary }) => Number(summary.money[0]!.profit) > 0))
    expect(profits).toEqual([[true, false, false], [false, true, false]])
    expect((await runSplit(options(data), { split: '2026-07-02', sort: 'fees', baseline: 0 })).chosen).toBe(2)
  })

  test('each part is the run alone with its from and to, byte for byte', async () => {
    const { parts } = await runSplit(options(data, { from: '00:00:03', to: '2026-07-02T00:00:31Z' }), { split: '00:00:30,2026-07-02', baseline: 0 })
    expect(parts.map(({ from, to }) => [from, to])).toEqual([['2026-07-01T00:00:03.000000000Z', '2026-07-01T00:00:30.000000000Z'], ['2026-07-01T00:00:30.000000000Z', '2026-07-02T00:00:00.000000000Z'], ['2026-07-02T00:00:00.000000000Z', '2026-07-02T00:00:31.000000000Z']])
    await expectAlone(parts)
  })

  test('without a `to` the last part ends with its last event, as a run alone does', async () => {
    const { parts } = await runSplit(options(data), { split: '2026-07-01T00:00:20,2026-07-02', baseline: 5 })
    expect(parts.map(({ to }) => to)).toEqual(['2026-07-01T00:00:20.000000000Z', '2026-07-02T00:00:00.000000000Z', null])
    expect(parts[2]!.results[0]!.summary.end < '2026-07-02T00:01').toBe(true)
    await expectAlone(parts)
  })

  test('a part without an event is refused, as nothing can be chosen or compared there', async () => {
    const split = runSplit(options(data), { split: '2026-07-02T12:00', baseline: 0 })
    await expect(split).rejects.toThrow('split must be parts that hold events, found none from 2026-07-02T12:00:00.000000000Z to the end of the data: state a to')
    await expect(runSplit(options(data), { split: '12:00,13:00', baseline: 0 })).rejects.toThrow('found none from 2026-07-01T12:00:00.000000000Z to 2026-07-01T13:00:00.000000000Z')
  })

  async function expectAlone(parts: Awaited<ReturnType<typeof runSplit>>['parts']): Promise<void> {
    for (const { from, to, results } of parts) {
      for (const [set, parameters] of SETS.entries()) {
        const one = await runBacktest({ ...options(data), ...alone({ from, to }), parameters })
        expect(results[set]!.fingerprint).toBe(one.fingerprint)
        expect(results[set]!.summary).toEqual(one.summary)
      }
    }
  }

  test('no data of the second part reach the choice', async () => {
    const price = fc.integer({ min: 10, max: 400 })
    const day = fc.array(price, { minLength: 30, maxLength: 40 })
    await fc.assert(fc.asyncProperty(day, day, day, async (first, second, other) => {
      const how = { split: '2026-07-02', baseline: 0 }
      const [one, two] = await Promise.all([second, other].map((later) => runSplit(options(folder.write(new Map([[0, bookLines(first)], [1, bookLines(later)]]))), how)))
      expect(one!.chosen).toBe(two!.chosen)
      expect(one!.parts[0]!.results.map(({ summary }) => summary.money)).toEqual(two!.parts[0]!.results.map(({ summary }) => summary.money))
    }), { numRuns: 15 })
  }, timeLimitMs(60_000))

  test('open positions are valued at the end of their part, and the next part begins flat', async () => {
    const holds = [{ instrument: 'TEST1', plan: [IOC(5, 'BID')] }]
    const { parts } = await runSplit(options(data, { parameters: holds }), { split: '50/50', baseline: 0 })
    const [first, second] = parts.map(({ results }) => results[0]!.summary)
    expect([first!.instruments[0]!.position, second!.instruments[0]!.position, second!.money[0]!.startEquity]).toEqual(['1', '1', '1000'])
    expect(first!.money[0]!.unrealizedPnl).toBe('33')
  })

  test.each<[how: object, more: Partial<BacktestOptions>, words: string]>([
    [{ split: '60/30' }, {}, 'add up to 100'], [{ split: '50/50', sort: 'luck' }, {}, 'Cannot choose the best set: sort must be one of total, profit'], [{ split: '50/50', sort: 'profit_BTC' }, {}, 'sort must be of an underlying of the data (BASE, CASH), found "profit_BTC"'],
    [{ split: '50/50', baseline: -1 }, {}, 'baseline must be a whole number from 0'], [{ split: '50/50', baseline: 1.5 }, {}, 'baseline must be'], [{ split: '50/50' }, { journal: () => ({ write: () => undefined }) }, 'journal must be left out'],
    [{ split: '50/50' }, { checkpoints: { take: () => true } }, 'checkpoints must be left out'], [{ split: '50/50' }, { from: '2026-08-01' }, 'from: expected a time of the data'], [{ split: '50/50' }, { seed: -1 }, 'seed'], [{ split: 5 }, {}, 'split must be shares'],
  ])('%j %j is refused', async (how, more, words) => {
    await expect(runSplit(options(data, more), how as never)).rejects.toThrow(words)
  })

  test('a run that is stopped chooses nothing', async () => {
    const signal = AbortSignal.abort()
    await expect(runSplit(options(data, { signal }), { split: '50/50' })).rejects.toMatchObject({ code: 'STOPPED' })
    await expect(runSplit(stoppedAfter(data, 0), { split: '50/50' })).rejects.toMatchObject({ code: 'STOPPED' })
  })

  test('a run that is stopped in a later part keeps those before it, without a baseline', async () => {
    const whole = await runSplit(options(data), { split: '50/50', baseline: 0 })
    const { isPartial, parts, chosen } = await runSplit(stoppedAfter(data, SETS.length), { split: '50/50', baseline: 5 })
    expect([whole.isPartial, isPartial, chosen, parts.length, parts[0]!.baseline]).toEqual([false, true, whole.chosen, 1, null])
    expect(parts[0]!.results.map(({ fingerprint }) => fingerprint)).toHaveLength(SETS.length)
  })
})

describe('a walk forward', { timeout: 180_000 }, () => {
  const data = folder.write(new Map([[0, bookLines(rising)], [1, bookLines(rising)], [2, bookLines(falling)], [4, bookLines(falling)], [5, bookLines(rising)]]))

  test('runs the best set of each train on its test; days without a file are cut and named', async () => {
    const result = await runWalkForward(options(data), { walkForward: 'train=1d,test=1d', baseline: 0 })
    expect(result.windows.map(({ train, test: one, chosen }) => [train.from.slice(0, 10), one.from.slice(0, 10), chosen])).toEqual([['2026-07-01', '2026-07-02', 0], ['2026-07-02', '2026-07-03', 0], ['2026-07-05', '2026-07-06', 1]])
    expect(result.skipped.map(({ train, test: one }) => [train.missing, one.missing])).toEqual([[[], ['2026-07-04']], [['2026-07-04'], []]])
    const runs = await Promise.all(result.windows.map(({ test: one, chosen }) => runBacktest({ ...options(data), ...alone(one), parameters: SETS[chosen]! })))
    expect(result.windows.map(({ testResult }) => testResult.fingerprint)).toEqual(runs.map(({ fingerprint }) => fingerprint))
    const profit = runs.reduce((sum, { summary }) => sum.plus(summary.money[0]!.profit), new Decimal(0))
    expect([result.sums[0]!.profit, result.fillCount, result.leftOver, result.setCount]).toEqual([profit.toFixed(), 6, null, 3])
    const longer = await runWalkForward(options(data), { walkForward: 'train=2d,test=2d', baseline: 0 })
    expect(longer.windows.map(({ train, test: one }) => [train.to?.slice(0, 10), one.from.slice(0, 10), one.to?.slice(0, 10), one.missing])).toEqual([['2026-07-03', '2026-07-03', '2026-07-04', ['2026-07-04']], ['2026-07-04', '2026-07-05', undefined, []]])
    expect((await runWalkForward(options(data), { walkForward: 'train=3d,test=2d', baseline: 0 })).leftOver).toMatchObject({ from: '2026-07-06T00:00:00.000000000Z', to: null })
  })

  test('a window of which a part has no event is left out', async () => {
    const { windows, skipped } = await runWalkForward(options(data.slice(0, 1), { to: '00:02' }), { walkForward: 'train=20s,test=15s', baseline: 0 })
    expect(windows.map(({ train, test: one }) => [train.from.slice(14, 19), one.from.slice(14, 19)])).toEqual([['00:00', '00:20'], ['00:15', '00:35']])
    expect(skipped.map(({ train }) => train.from.slice(14, 19))).toEqual(['00:30', '00:45', '01:00', '01:15'])
  })

  test('a walk that is stopped keeps the windows before', async () => {
    const how = { walkForward: 'train=1d,test=1d', baseline: 0 }
    const [whole, stopped] = [await runWalkForward(options(data), how), await runWalkForward(stoppedAfter(data, SETS.length + 1), how)]
    expect([whole.isPartial, stopped.isPartial, stopped.windows.length, stopped.baseline]).toEqual([false, true, 1, null])
    await expect(runWalkForward(stoppedAfter(data, SETS.length), how)).rejects.toMatchObject({ code: 'STOPPED' })
  })

  test('a result of a walk has no tables, whether they were needed or not', async () => {
    const { windows } = await runWalkForward(options(data), { walkForward: 'train=1d,test=1d', baseline: 5 })
    expect(() => JSON.stringify(windows)).not.toThrow()
  })

  test('one set is refused', async () => {
    await expect(runWalkForward(options(data, { parameters: SETS.slice(0, 1) }), { walkForward: 'train=1d,test=1d' })).rejects.toThrow('it needs two parameter sets or more, such as those of --grid, found one')
  })
})
