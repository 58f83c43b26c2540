import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setsText } from '../../src/cli/sets-text.js'
import { measureOf, type SetResult } from '../../src/report/set-measures.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())
let run = ''
beforeAll(() => {
  folder.write('subject.ts', strategyModule(`  @Parameter(Quantity) size = Quantity.from('10')
  @Parameter(Number, { optional: true }) refreshMs = 1000
  override onStart(): void { this.every(this.refreshMs, () => { for (const side of ['BID', 'ASK'] as const) this.instrument.placeOrder({ side, quantity: this.size, type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }) }) }`))
  run = folder.write('taker.run.json', runContent({ parameters: { instrument: 'XRPUSDT', size: '10' }, account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0.0005' } } }))
})

describe('several sets on the screen', () => {
  test('are a line each, the best first and marked, and are those that a list of the file gives', async () => {
    const { out, code } = await backtape(['backtest', run, '--grid', 'size=10,20', '--grid', 'refreshMs=1000..3000:1000', '--sort', 'profit'])
    expect(code).toBe(0)
    const lines = out.split('\n')
    const heads = lines.findIndex((line) => line.includes('profit USDT'))
    expect(lines[heads]!.trim().split(/ {2,}/)).toEqual(['set', 'size', 'refreshMs', 'profit USDT', 'fees USDT', 'drawdown USDT', 'turnover USDT', 'fills', 'orders'])
    const rows = lines.slice(heads + 1, heads + 7).map((line) => line.trim().split(/\s+/))
    // A taker that pays the spread loses more with each order: the fewest and smallest are best, the most and largest worst.
    const named = rows.map((row) => row.slice(0, row[0] === '*' ? 4 : 3).join(' '))
    expect([named[0], named[5], [...named].sort()]).toEqual(['* 2 10 3000', '3 20 1000', ['* 2 10 3000', '0 10 1000', '1 10 2000', '3 20 1000', '4 20 2000', '5 20 3000']])
    const profits = rows.map((row) => Number(row[row[0] === '*' ? 4 : 3]!.replace(',', '')))
    expect(profits).toEqual([...profits].sort((one, other) => other - one))
    expect(out).toContain('\n* best of 6 sets by profit: set 2\n')
    expect(out).toMatch(/^Warning \(every set\): account account: its venue profile declares no margin/m)
    const listed = folder.write('listed.run.json', runContent({
      parameters: ['10', '20'].flatMap((size) => [1000, 2000, 3000].map((refreshMs) => ({ instrument: 'XRPUSDT', size, refreshMs }))), account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0.0005' } },
    }))
    const [wanted, found] = await Promise.all([runRunFile(await readRunFile(listed)), readRunFile(run, { grid: ['size=10,20', 'refreshMs=1000..3000:1000'] }).then((file) => runRunFile(file))])
    expect(found.map(({ fingerprint }) => fingerprint)).toEqual(wanted.map(({ fingerprint }) => fingerprint))
    expect((await backtape(['backtest', listed, '--sort', 'profit'])).out).toBe(out)
  }, 180_000)

  test('without a measure stand in their order; --show prints one, --full all, JSON every digit', async () => {
    const grid = ['backtest', run, '--grid', 'size=10,20']
    const [plain, shown, full, json, tables] = await Promise.all([grid, [...grid, '--show', '1'], [...grid, '--full'], [...grid, '--json'], [...grid, '--out', join(folder.path, 'tables')]].map((args) => backtape(args)))
    expect(plain!.out).not.toContain('best of')
    expect(plain!.out.split('\n').filter((line) => / (10|20) /.test(line)).map((line) => line.trim().split(/\s+/)[0])).toEqual(['0', '1'])
    expect(shown!.out.match(/^Parameters .*$/gm)).toEqual(['Parameters 1: {"instrument":"XRPUSDT","size":"20"}'])
    expect(shown!.out).toContain('fingerprint bt3:')
    expect(full!.out.match(/^Parameters .*$/gm)).toHaveLength(2)
    expect((JSON.parse(json!.out) as readonly object[]).length).toBe(2)
    expect(tables!.code).toBe(0)
    expect(readFileSync(join(folder.path, 'tables/runs.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(3)
  }, 180_000)

  test.each<[args: readonly string[], words: string]>([
    [['--grid', 'size=1,2', '--sort', 'profti'], '--sort: it must be one of total, profit, fees, drawdown, turnover, sharpe, sortino, fills, orders; of money also profit_USDT, found "profti"; did you mean profit?'], [['--grid', 'size=1,2', '--show', '2'], '--show: it must be the number of a set, below 2, found 2'],
    [['--grid', 'size=1,2', '--show', 'x'], '--show: it must be a whole number from 0 upwards'], [['--grid', 'sise=1,2'], 'parameters[0].sise: expected one of instrument, size, refreshMs, found the unknown parameter "sise"'], [['--grid', 'size=1,x'], 'parameters[1].size: expected an exact quantity as text'],
    [['--grid', 'size=1..20000:1'], 'Cannot run 20000 parameter sets: at most 10000 are taken in one run'], [['--grid', 'size'], '--grid: it must be NAME=VALUES'], [['--grid', ''], '--grid: it must be followed by a value'],
  ])('%j is refused', async (args, words) => {
    const { err, code, out } = await backtape(['backtest', run, ...args])
    expect(err).toContain(words)
    expect([code === 0, out]).toEqual([false, ''])
  }, 180_000)

  test('more than 10,000 sets of a file are refused with their count', async () => {
    const path = folder.write('many.run.json', runContent({ parameters: Array.from({ length: 10_001 }, () => ({ instrument: 'XRPUSDT' })) }))
    await expect(readRunFile(path)).rejects.toThrow('parameters: expected at most 10000 sets, found 10001')
  })
})

describe('lines of sets', () => {
  const money = (profit: string, sharpe: number | null, code = 'USDT', id = 1): object => ({ underlyingId: id, underlying: code, profit, fees: '1', turnover: '5', maxDrawdown: { amount: '2' }, sharpe, sortino: null, returns: { notComputed: null } })
  const result = (amounts: readonly object[], parameters: object = {}, more: object = {}): SetResult => ({
    parameters, summary: { start: '2026-07-01T00:00:00Z', end: '2026-07-03T00:00:00Z', markets: [], isPartial: false, warnings: [], money: amounts, total: { currency: 'USDT', profit: (amounts[0] as { readonly profit?: string } | undefined)?.profit ?? '0' }, fillCount: 1, orders: { orderCount: 2 }, stop: null, ...more } as never,
  })
  const sets = (text: string): string[] => text.split('\n').filter((line) => /^\*? +\d+ /.test(line)).map((line) => line.replace('*', ' ').trim().split(/\s+/)[0]!)

  test('compare exactly, take what is not known last, and keep the order of equal ones', () => {
    const long = (last: string): object => money(`0.1000000000000000000000000000000000${last}`, null)
    expect(sets(setsText([result([long('1')]), result([long('3')]), result([long('2')])], 'profit'))).toEqual(['1', '2', '0'])
    expect(sets(setsText([result([money('1', null)]), result([money('1', -1)]), result([money('1', 2)]), result([money('1', -1)])], 'sharpe'))).toEqual(['2', '1', '3', '0'])
    expect(sets(setsText([result([{ ...money('1', 1), fees: '-2' }]), result([{ ...money('1', 1), fees: '3' }]), result([{ ...money('1', 1), fees: '-5' }])], 'fees'))).toEqual(['2', '0', '1'])
    expect(sets(setsText([result([money('-5', 1)]), result([money('-1', 1)])], 'orders'))).toEqual(['0', '1'])
  })

  test('that were not played as far as the others come last, and none of them is the best', () => {
    const left = { isPartial: true, halt: null, end: '2026-07-01T00:00:00Z' }
    const results = [result([money('0', null)], {}, left), result([money('-3', null)]), result([money('0', null)], {}, left), result([money('-2', null)]), result([money('-9', null)], {}, { ...left, halt: {} })]
    const text = setsText(results, 'profit')
    expect(sets(text)).toEqual(['3', '1', '4', '0', '2'])
    expect(text.match(/not played as far$/gm)).toHaveLength(2)
    expect(text).toContain('\n* best of 3 sets by profit: set 3\n')
    expect(text).toContain('\n2 sets of 5 not played as far as the others\n')
    // Where all were stopped at one time, all have had the same.
    expect(setsText(results.map(({ parameters, summary }) => ({ parameters, summary: { ...summary, isPartial: true, end: left.end } })), 'profit')).not.toContain('not played')
  })

  test('name underlyings where there are two, and say what a measure could be', () => {
    const results = [result([money('1', 1), money('7', 1, 'BTC', 2)]), result([money('2', 1), money('5', 1, 'BTC', 2)])]
    expect(sets(setsText(results, 'profit_BTC'))).toEqual(['0', '1'])
    expect(sets(setsText(results, 'profit_USDT'))).toEqual(['1', '0'])
    expect(setsText(results, 'profit')).toContain('Not sorted: no set has profit; there are total, profit_USDT, fees_USDT, ')
    expect(sets(setsText(results, 'total'))).toEqual(['1', '0'])
    expect(setsText(results, 'profit_USDT')).toContain('profit_USDT leaves out money in BTC, which total has')
  })

  test('have ratios where all of them have enough returns, and none else', () => {
    expect(setsText([result([money('1', 1.234)]), result([money('1', null)])])).toMatch(/Sharpe +Sortino/)
    expect(setsText([result([{ ...money('1', null), returns: { notComputed: '3 hourly returns, ratios need 20' } }]), result([money('1', 1)])], 'sharpe')).toContain('Not sorted: no set has sharpe; there are profit, fees, drawdown, turnover, fills, orders')
  })

  test('show a parameter of one of several strategies by its path', () => {
    const of = (size: string): object => ({ maker: { instrument: { instrument: 'A', account: 'x' }, size }, taker: { levels: [1, 2] } })
    const text = setsText([result([money('1', null)], of('10')), result([money('1', null)], of('20'))])
    expect(text).toMatch(/^ +set +maker\.size +profit/m)
    expect(text).toMatch(/^ +1 +20 /m)
  })

  test('show the parameters that differ, warnings once, and why a set stopped', () => {
    const text = setsText([
      result([money('1', 1)], { a: 1, b: 'x'.repeat(50), c: { d: 1 } }, { warnings: ['one', 'two'] }), result([money('1', 1)], { a: 1, b: 'y', c: { d: 2 } }, { warnings: ['one'], stop: { time: '', reason: 'enough' } }), result([money('1', 1)], { a: 1 }, { warnings: ['one'] }),
    ])
    expect(text).toContain(`set  b`)
    expect(text).not.toMatch(/ a /)
    expect(text).toContain(`${'x'.repeat(29)}...`)
    expect(text).toMatch(/^ +set +b +c\.d +profit/m)
    expect(text.match(/^Warning.*$/gm)).toEqual(['Warning (every set): one', 'Warning (set 0): two'])
    expect(text).toContain('stopped: enough')
  })

  test.each([['total', true], ['total_USDT', true], ['total_', false], ['profit', true], ['profit_USDT', true], ['sharpe_BTC', true], ['fills', true], ['fills_USDT', false], ['profit_', false], ['set', false], ['', false], ['toString', false], ['constructor_x', false]])('%s is a measure: %s', (text, is) => { expect(measureOf(text) !== null).toBe(is) })
})
