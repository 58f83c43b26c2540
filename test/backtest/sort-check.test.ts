import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { checkedSort } from '../../src/backtest/sort-check.js'
import type { Instrument } from '../../src/model/instrument.js'
import { runSplit } from '../../src/sweep/split-run.js'
import { runWalkForward } from '../../src/sweep/walk-forward.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { leftOutText, setColumns } from '../../src/report/set-measures.js'
import { marketFile } from '../support/made-market-file.ts'
import { Planned } from '../support/planned-run.ts'
import { RunFolder } from '../support/run-folder.ts'

const S = 1e9
const folder = new RunFolder()
afterAll(() => folder.remove())

/** A file of one instrument, by its id: bid 100, ask 102 from the begin to 0:02:50. */
function file(id: number, master: Partial<Instrument> = {}): string {
  const lines = [0, 170].map((second) => ({ kind: 'snapshot' as const, timeNs: second * S, rows: [[0, 100, 50], [1, 102, 50]] as const }))
  const name = `test-TEST${id}-2026-07-01-${JSON.stringify(master).replace(/\W/g, '')}.txt.zst`
  writeFileSync(join(folder.path, name), marketFile(lines, { id, code: `TEST${id}`, ...master }))
  return join(folder.path, name)
}

const inverse = { isInverse: true, contractValue: '1' }
/** Runs of two sets each: files, options, and the instruments of the sets. */
function optionsOf(files: readonly string[], names: readonly string[] = ['TEST1', 'TEST1'], more: Partial<BacktestOptions> = {}): BacktestOptions {
  return {
    strategy: Planned, data: [...files], day: '2026-07-01', to: '00:03:00', account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.01' } },
    ...more, assumptions: { staleAfter: 'off' }, parameters: names.map((instrument, at) => ({ instrument, plan: [`${10 + at}s BID 110 1 IOC`] })),
  }
}

const [linear, coinFee, other] = [(): string => file(1), (): string => file(1, { feeUnderlyingId: 1 }), (): string => file(2, inverse)]

describe('the measure of sets, before any is played', () => {
  test.each<[string, () => BacktestOptions, string | undefined, string]>([
    ['by default the profit', () => optionsOf([linear()]), undefined, 'profit'],
    ['by default the total where fees are paid in the coin', () => optionsOf([coinFee()]), undefined, 'total'],
    ['by default the total where another currency is stated', () => optionsOf([linear()], undefined, { account: { currency: 'USD' } }), undefined, 'total'],
    ['the total where all is in one', () => optionsOf([linear()]), 'total', 'total'],
    ['a profit in one of several', () => optionsOf([coinFee()]), 'profit_CASH', 'profit_CASH'],
    ['counts always', () => optionsOf([coinFee()]), 'fills', 'fills'],
    ['sets of two instruments in one currency that is stated', () => optionsOf([linear(), other()], ['TEST1', 'TEST2'], { account: { currency: 'CASH' } }), undefined, 'total'],
  ])('is %s', async (_what, options, sort, wanted) => {
    expect(await checkedSort(options(), sort)).toBe(wanted)
  })

  test.each<[string, () => BacktestOptions, string | undefined, string, number?]>([
    ['none', () => optionsOf([linear()]), 'gain', 'one of total, profit, fees'],
    ['a profit where fees are paid in the coin', () => optionsOf([coinFee()]), 'profit', 'sort must be total or one of profit_BASE, profit_CASH, as money is in BASE and CASH, found "profit"'],
    ['a ratio there', () => optionsOf([coinFee()]), 'sharpe', 'total or one of sharpe_BASE, sharpe_CASH'],
    ['a profit of sets that settle in two', () => optionsOf([linear(), other()], ['TEST1', 'TEST2']), 'profit', 'total or one of profit_BASE, profit_CASH'],
    ['a total of sets in two currencies', () => optionsOf([linear(), other()], ['TEST1', 'TEST2']), 'total', 'a measure of sets whose totals are in one currency, which account.currency states, found "total" in CASH and BASE'],
    ['no measure at all, where the default would be that', () => optionsOf([linear(), other()], ['TEST1', 'TEST2']), undefined, 'which account.currency states'],
    ['an underlying that the data do not have', () => optionsOf([linear()]), 'profit_USDC', 'of an underlying of the data (BASE, CASH), found "profit_USDC"'],
    ['a total in another currency', () => optionsOf([linear()]), 'total_USD', 'in the currency of the totals: total_CASH, found "total_USD"'],
    ['a total without a rate', () => optionsOf([file(1, { baseUnderlyingId: 8, feeUnderlyingId: 7 })]), 'total', 'no instrument of the data and no rates give one of 7 in CASH'],
    ['a ratio of minutes', () => optionsOf([linear()]), 'sharpe', 'a measure of so short a time: ratios need 20 hours, found "sharpe" of 3 min'],
    ['a ratio of an account that starts at 0', () => optionsOf([linear()], undefined, { account: {} }), 'sortino', 'a ratio needs balances, found "sortino"', 20 * 3600 * S],
  ])('%s is refused', async (_what, options, sort, words, lengthNs) => {
    await expect(checkedSort(options(), sort, lengthNs)).rejects.toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(words) as string }))
  })

  test('a split and a walk forward choose by the total where fees are paid in the coin, and refuse the profit', async () => {
    const options = optionsOf([coinFee()])
    const { sort, parts, chosen } = await runSplit(options, { split: '60/40', baseline: 0 })
    expect([sort, parts[0]!.results.map(({ summary }) => summary.total.profit)]).toEqual(['total', ['-2.01', '-2.01']])
    expect(chosen).toBe(0)
    await expect(runSplit(options, { split: '60/40', baseline: 0, sort: 'profit' })).rejects.toThrow('sort must be total or one of profit_BASE, profit_CASH')
    const walk = await runWalkForward(options, { walkForward: 'train=100s,test=80s', baseline: 0 })
    expect([walk.sort, walk.total]).toEqual(['total', { currency: 'CASH', profit: expect.any(String) as string }])
    await expect(runWalkForward(options, { walkForward: 'train=100s,test=80s', sort: 'drawdown' })).rejects.toThrow('drawdown_BASE')
  })

  test('a measure of one underlying says what it leaves out; sets have a column of totals', async () => {
    const results = await runBacktest({ ...optionsOf([coinFee()]), parameters: [{ instrument: 'TEST1', plan: ['10s BID 110 1 IOC'] }, { instrument: 'TEST1', plan: [] }] })
    expect(setColumns(results).map(({ names }) => names[0])).toEqual(['total', 'profit_BASE', 'fees_BASE', 'drawdown_BASE', 'turnover_BASE', 'profit_CASH', 'fees_CASH', 'drawdown_CASH', 'turnover_CASH', 'fills', 'orders'])
    expect(leftOutText('profit_CASH', results)).toBe('profit_CASH leaves out money in BASE, which total has')
    expect([leftOutText('total', results), leftOutText('fills', results)]).toEqual([null, null])
    const one = await runBacktest({ ...optionsOf([linear()]), parameters: [{ instrument: 'TEST1', plan: [] }] })
    expect([setColumns(one)[0]!.names, leftOutText('profit', one)]).toEqual([['profit', 'profit_CASH', 'total', 'total_CASH'], null])
  })
})
