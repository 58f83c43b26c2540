import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { summaryJson, summaryText } from '../../src/report/summary-text.js'
import { farRates } from '../../src/results/rate-warnings.js'
import type { SummaryParts } from '../../src/results/summary-parts.js'
import { plannedRun } from '../support/planned-run.ts'
import type { MarketLine } from '../support/market-lines.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] },
  { kind: 'mark', timeNs: 0, value: 101 },
  { kind: 'mark', timeNs: 170 * S, value: 101 },
]
const BUY = ['10s BID 102 1 IOC']
const FEES = { maker: '0.001', taker: '0.002' }
const MARGIN = 'account account: its venue profile declares no margin, so nothing was blocked and nothing liquidated'
const FREE = 'account account declares no fees: its profit is before fees'
const EMPTY = 'account account declares no balances: nothing bounds its losses'

async function warningsOf(options: Partial<BacktestOptions>, plan: readonly string[] = BUY, type: 'perpetual' | 'spot' = 'perpetual'): Promise<readonly string[]> {
  const [result] = await plannedRun({ files: [MARKET], plans: [plan], instrument: { type }, options })
  return result!.summary.warnings
}

describe('warnings of a run', () => {
  test.each<readonly [what: string, options: Partial<BacktestOptions>, plan: readonly string[], type: 'perpetual' | 'spot', expected: readonly string[]]>([
    ['no fees', { account: { balances: { CASH: '1000' } } }, BUY, 'perpetual', [FREE, MARGIN]],
    ['no fees on spot', { account: { balances: { CASH: '1000' } } }, BUY, 'spot', [FREE]],
    ['fees that are written as 0', { account: { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } } }, BUY, 'perpetual', [MARGIN]],
    ['no balances', { account: { fees: FEES } }, BUY, 'perpetual', [MARGIN, EMPTY]],
    ['nothing at all', { account: {} }, BUY, 'perpetual', [FREE, MARGIN, EMPTY]],
    ['fees and balances on spot', { account: { balances: { CASH: '1000' }, fees: FEES } }, BUY, 'spot', []],
    ['nothing at all, and no fill', { account: {} }, ['10s BID 90 1'], 'perpetual', []],
  ])('%s', async (_what, options, plan, type, expected) => {
    expect(await warningsOf(options, plan, type)).toEqual(expected)
  })

  test('they are the first lines of the text behind what was played, and in the JSON', async () => {
    const [result] = await plannedRun({ files: [MARKET], plans: [BUY], options: { account: { balances: { CASH: '1000' } } } })
    const lines = ['2026-07-01 00:00:00 to 2026-07-01 00:03:00 UTC, test:TEST1', '', `Warning: ${FREE}`, `Warning: ${MARGIN}`, '']
    expect(summaryText(result!.summary).split('\n').slice(0, 5)).toEqual(lines)
    expect(summaryText(result!.summary, { full: true }).split('\n').slice(0, 6)).toEqual([...lines, 'run'])
    expect((JSON.parse(summaryJson(result!.summary)) as { warnings: unknown }).warnings).toEqual([FREE, MARGIN])
    const [sound] = await plannedRun({ files: [MARKET], plans: [[]] })
    expect([summaryText(sound!.summary).includes('Warning'), sound!.summary.warnings]).toEqual([false, []])
  })

  test.each<readonly [what: string, plan: readonly string[], expected: string]>([
    ['every order below the lot', ['1s BID 90 0.5', '2s BID 90 0.5', '3s BID 90 0.5', '4s BID 90 0.5', '5s BID 90 0.5'], 'every order was discarded: 5 of 5 orders were never sent (5 QUANTITY_OFF_LOT)'],
    ['some of them', ['1s BID 90 0.5', '2s BID 90 1'], '1 of 2 orders were never sent (1 QUANTITY_OFF_LOT)'],
  ])('orders that were discarded are counted by reason, first of all: %s', async (_what, plan, expected) => {
    const [result] = await plannedRun({ files: [MARKET], plans: [plan], options: { account: { balances: { CASH: '1000' } } } })
    expect(summaryText(result!.summary).split('\n')[2]).toBe(`Warning: ${expected}`)
  })
})

describe('warnings of data and orders', () => {
  const HOUR = 3600 * S
  const AROUND: MarketLine[] = [...MARKET, { kind: 'mark', timeNs: 3 * HOUR, value: 101 }, { kind: 'snapshot', timeNs: 3 * HOUR, rows: [[0, 100, 5], [1, 102, 5]] }]

  test('a stretch of hours without an event is said, and no part of the ratios', async () => {
    const [result] = await plannedRun({ files: [AROUND], plans: [[]], options: { to: '03:30:00', account: { balances: { CASH: '1000' }, fees: FEES } } })
    expect(result!.summary.warnings.filter((one) => one.startsWith('no event'))).toEqual(['no event for 2 h 56 min in all, in stretches of an hour or more: ratios leave out hours and days of which the data cover less than half'])
    expect(result!.summary.sampling.leftOutCount).toBe(176)
  })

  test.each<readonly [what: string, plan: readonly string[], expected: readonly string[]]>([
    ['half of them', ['1s BID 100 900', '2s BID 100 1'], ['1 of 2 orders were rejected']],
    ['none', ['2s BID 100 1'], []],
  ])('orders that the exchange rejects: %s', async (_what, plan, expected) => {
    const [result] = await plannedRun({ files: [MARKET], plans: [plan], instrument: { type: 'spot' }, options: { account: { balances: { CASH: '1000' }, fees: FEES } } })
    expect(result!.summary.warnings.filter((one) => one.includes('rejected')).map((one) => one.slice(0, 27))).toEqual(expected)
  })

  test('an instrument whose data hold no order book never becomes READY', async () => {
    const files: MarketLine[][] = [[{ kind: 'mark', timeNs: 0, value: 101 }, { kind: 'mark', timeNs: 170 * S, value: 101 }]]
    const [result] = await plannedRun({ files, plans: [['1s BID 100 1']], options: { account: { balances: { CASH: '1000' } } } })
    expect(result!.summary.warnings).toContainEqual(expect.stringMatching(/: its data hold no order book, so it never became READY$/))
  })
})

describe('warnings of data that end, are unknown, or have rates of another time', () => {
  const ACCOUNT = { account: { balances: { CASH: '1000' }, fees: FEES } }
  const book = (second: number): MarketLine => ({ kind: 'snapshot', timeNs: second * S, rows: [[0, 100, 5], [1, 102, 5]] })
  const warnings = async (lines: MarketLine[], plan: readonly string[], assumptions: object = {}): Promise<readonly string[]> => {
    const [result] = await plannedRun({ files: [lines], plans: [plan], options: { ...ACCOUNT, assumptions } })
    return result!.summary.warnings.filter((one) => /after the last line|was unknown/.test(one))
  }

  test.each<readonly [what: string, plan: readonly string[], assumptions: object, expected: readonly string[]]>([
    ['none after it', ['10s BID 102 1 IOC', '39s ASK 100 1 IOC'], { staleAfter: '60s' }, []],
    ['two within the time of staleness', ['10s BID 102 1 IOC', '41s ASK 100 1 IOC', '99s BID 102 1 IOC', '101s ASK 100 1 IOC'], { staleAfter: '60s' }, ['test:TEST1: 2 fills after the last line of the data (2026-07-01 00:00:40), against a book that no longer moved (staleAfter)']],
    ['one, where silence is no gap', ['150s BID 102 1 IOC'], {}, ['test:TEST1: 1 fill after the last line of the data (2026-07-01 00:00:40), against a book that no longer moved (staleAfter)']],
  ])('fills after the last line of the data: %s', async (_what, plan, assumptions, expected) => {
    expect(await warnings([book(0), book(40)], plan, assumptions)).toEqual(expected)
  })

  test.each<readonly [what: string, lines: MarketLine[], expected: readonly string[]]>([
    ['66 of 100 s', [book(0), book(34), { kind: 'ERROR', timeNs: 35 * S }, book(100)], ['test:TEST1: the book was unknown for 66 s of 100 s of its data: orders that need it were refused there']],
    ['a tenth', [book(0), book(90), { kind: 'ERROR', timeNs: 91 * S }, book(100)], []],
    ['a little more', [book(0), book(89), { kind: 'ERROR', timeNs: 91 * S }, book(100)], ['test:TEST1: the book was unknown for 11 s of 100 s of its data: orders that need it were refused there']],
    ['to the end of the data; the time behind them does not count', [book(0), book(98), { kind: 'ERROR', timeNs: 99 * S }, { kind: 'mark', timeNs: 100 * S, value: 101 }], []],
  ])('a book that was unknown: %s', async (_what, lines, expected) => {
    expect(await warnings(lines, [])).toEqual(expected)
  })

  test.each<readonly [what: string, from: string, lines: MarketLine[], expected: readonly string[]]>([
    ['a gap of before the run, and its data from there', '00:00:50', [book(0), { kind: 'ERROR', timeNs: 20 * S }, book(120), book(150)], ['test:TEST1: the book was unknown for 70 s of 100 s of its data: orders that need it were refused there']],
    ['a gap of before the run to its end', '00:00:50', [book(0), { kind: 'ERROR', timeNs: 20 * S }, { kind: 'mark', timeNs: 150 * S, value: 101 }], ['test:TEST1: the book was unknown for 100 s of 100 s of its data: orders that need it were refused there']],
    ['a gap that ended before the run', '00:00:50', [book(0), { kind: 'ERROR', timeNs: 20 * S }, book(40), book(90), book(150)], []],
  ])('never for longer than the data: %s', async (_what, from, lines, expected) => {
    const [result] = await plannedRun({ files: [lines], plans: [[]], options: { ...ACCOUNT, from } })
    expect(result!.summary.warnings.filter((one) => one.includes('was unknown'))).toEqual(expected)
  })

  test('a gap is one gap in the lines, an amount of the wallet has the digits of its currency', async () => {
    const [result] = await plannedRun({ files: [[book(0), book(34), { kind: 'ERROR', timeNs: 35 * S }, book(100)]], plans: [['10s BID 102 1 IOC']], instrument: { type: 'spot' }, options: ACCOUNT })
    expect(summaryText(result!.summary)).toContain('book unknown for 66 s in 1 gap\n')
    expect(summaryText(result!.summary, { full: true })).toContain('66 s in 1 period\n')
  })

  test.each<readonly [what: string, rate: object, code: string, hasFills: boolean, expected: readonly string[]]>([
    ['491 days away', { usd: '0.99846', declaredBy: 'data', sampledAt: '2024-08-08T00:00:00Z' }, 'USDT', true, ['amounts in USD take 1 USDT = 0.99846 USD of 2024-08-08T00:00:00Z, 491 days from 2023-04-05: it is the only rate of the data; `rates` declares another']],
    ['of the day', { usd: '1', declaredBy: 'data', sampledAt: '2023-04-05T23:00:00Z' }, 'USDT', true, []],
    ['of the run file', { usd: '1', declaredBy: 'run' }, 'USDT', true, []],
    ['of an unknown time', { usd: '1', declaredBy: 'data' }, 'USDT', true, []],
    ['of USD itself', { usd: '1', declaredBy: 'data', sampledAt: '2024-08-08T00:00:00Z' }, 'USD', true, []],
    ['of a run without a fill', { usd: '1', declaredBy: 'data', sampledAt: '2024-08-08T00:00:00Z' }, 'USDT', false, []],
  ])('a rate in USD %s', (_what, rate, code, hasFills, expected) => {
    const parts = {
      report: { fills: { sums: new Map(hasFills ? [['account', new Map()]] : []) }, rates: { currency: { code: 'USD', underlyingId: null, unlike: [] }, rateMarkets: () => [] } }, end: { timeNs: 1, money: new Map() },
      setting: { epochDay: 19_452, underlyings: { entries: [{ id: 2, code }], get: () => ({ id: 2, code }) } },
      world: { accounts: new Map([['account', { cash: new Map([[2, '1']]) }]]), config: { money: { usdRates: new Map([[2, rate]]) } } },
    }
    expect(farRates(parts as unknown as SummaryParts)).toEqual(expected)
  })
})
