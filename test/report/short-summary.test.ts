import { describe, expect, test } from 'vitest'
import { amountText, momentText, shortSummaryText } from '../../src/report/short-summary.js'
import { durationText, percentText } from '../../src/report/summary-words.js'
import type { RunSummary } from '../../src/report/run-summary.js'
import type { MarketLine } from '../support/market-lines.ts'
import { plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] },
  { kind: 'mark', timeNs: 0, value: 101 },
  { kind: 'mark', timeNs: 170 * S, value: 103 },
]

describe('words of a summary for people', () => {
  test.each([
    ['10006.569912957241226', 'USDT', '10,006.57'], ['-2.413128178', 'USD', '-2.41'], ['1234567.005', 'USDC', '1,234,567.00'],
    ['1234567.015', 'USDC', '1,234,567.02'], ['0', 'USDT', '0.00'], ['0.0014934', 'USDT', '0.0015'], ['-0.0000001', 'USD', '-0.0000001'],
    ['1', 'BTC', '1.00'], ['-0.00214834', 'ETH', '-0.00214834'], ['12345.123456789', 'BTC', '12,345.12345679'], ['0.000000001', 'BTC', '0.000000001'],
  ])('%s %s is %s', (amount, code, text) => {
    expect(amountText(amount, code)).toBe(text)
  })

  test.each([
    ['2026-07-01T23:55:00.000000000Z', '2026-07-01 23:55:00'], ['2026-07-01T00:00:01.120999999Z', '2026-07-01 00:00:01.12'],
    ['2026-07-01T00:00:01.000999999Z', '2026-07-01 00:00:01'], ['yesterday', 'yesterday'],
  ])('the time %s is %s', (iso, text) => {
    expect(momentText(iso)).toBe(text)
  })

  test.each([
    [null, 'unknown'], [10_000_000, '10 ms'], [1500, '1.5 us'], [23.401e9, '23.401 s'], [119e9, '119 s'], [120e9, '2 min'],
    [3600e9, '1 h'], [5400e9, '1 h 30 min'], [-64.64e6, '-64.64 ms'],
  ])('%s ns are %s', (ns, text) => {
    expect(durationText(ns)).toBe(text)
  })

  test.each([[1, '100 %'], [0.59759, '59.76 %'], [0, '0 %']])('the share %s is %s', (share, text) => {
    expect(percentText(share)).toBe(text)
  })
})

describe('a summary for people', () => {
  const summaryOf = async (plan: readonly string[] = ['10s BID 102 1 IOC']): Promise<RunSummary> =>
    (await plannedRun({ files: [MARKET], plans: [plan], options: { account: { balances: { CASH: '1000' } } } }))[0]!.summary

  test('its parts come in their order', async () => {
    const labels = shortSummaryText(await summaryOf()).split('\n').map((line) => /^[a-z]+(?: trips)?|^Warning|^\d{4}/.exec(line)?.[0]).filter((one) => one !== undefined)
    expect([...new Set(labels)]).toEqual(['2026', 'Warning', 'profit', 'equity', 'drawdown', 'ratios', 'return', 'round trips', 'slippage', 'exposure', 'fills', 'position', 'orders', 'latency', 'data', 'note', 'assumptions'])
  })

  test('ratios of few returns are left out with the reason', async () => {
    const summary = await summaryOf()
    expect(shortSummaryText(summary)).toMatch(/^ratios +not computed: 0 hourly returns \(1 hour left out, of which the data cover less than half\), ratios need 20$/m)
    const [money] = summary.money
    const returns = { ...money!.returns, unit: 'day' as const, sampleCount: 24, leftOutCount: 2, notComputed: null }
    const long = { ...summary, money: [{ ...money!, sharpe: 1.234, sortino: null, returns }] }
    expect(shortSummaryText(long)).toMatch(/^ratios +Sharpe 1\.23, Sortino not computed: no loss; 24 daily returns \(2 days left out, of which the data cover less than half\)$/m)
    const [free] = await plannedRun({ files: [MARKET], plans: [['10s BID 102 1 IOC']], options: { account: {} } })
    expect(shortSummaryText(free!.summary)).toMatch(/^ratios +not computed: the account starts at 0$/m)
    expect(shortSummaryText(free!.summary)).toMatch(/^return +not computed: the account starts at 0$/m)
  })

  test('round trips, slippage and exposure have their units', async () => {
    const text = shortSummaryText(await summaryOf(['10s BID 102 2 IOC', '70s ASK 100 1 IOC']))
    expect(text).toMatch(/^return +-0\.1 %$/m)
    expect(text).toMatch(/^round trips +1, win rate 0 %, profit factor 0\.00, 1 open at the end$/m)
    expect(text).toMatch(/^slippage +3\.00 CASH \(99\.01 bp\) against the arrival mid, 2 fills$/m)
    expect(text).toMatch(/^exposure +94\.11 % of the time of the data with a position$/m)
  })

  test('several currencies have a total, with its rates', async () => {
    const summary = await summaryOf()
    const declared = [{ underlying: 'CASH', usd: '0.9985', declaredBy: 'data' as const }]
    const total = { currency: 'USD', rates: [{ underlying: 'CASH', rate: '0.9985', markets: ['x:A'], declared }], notValued: [], startEquity: '1000', profit: '-1.5', fees: '0', turnover: '102', endEquity: '998.5', return: -0.0015 }
    expect(shortSummaryText({ ...summary, total })).toMatch(/^total +profit -1\.50 USD, fees 0\.00, equity 1,000\.00 to 998\.50, return -0\.15 %\n +1 CASH = 0\.9985 USD \(mid of x:A, CASH at 0\.9985 USD by the data\)$/m)
  })

  test('none and not computed are two things', async () => {
    const idle = shortSummaryText(await summaryOf([]))
    expect(idle).toMatch(/^drawdown +none$/m)
    expect(idle).toMatch(/^orders +none$/m)
    expect(idle).toMatch(/^round trips +none$/m)
    expect(idle).toMatch(/^slippage +not measured: no fill with an arrival mid$/m)
    expect(idle).toMatch(/^exposure +none$/m)
    expect(idle).toMatch(/^latency +request not measured, response not measured$/m)
  })

  test('it has at most 40 lines, and says what is left out', async () => {
    const summary = await summaryOf()
    const crowded = { ...summary, warnings: Array.from({ length: 30 }, (_, at) => `warning ${at}`), markets: Array.from({ length: 60 }, () => summary.markets[0]!) }
    const lines = shortSummaryText(crowded).split('\n')
    expect(lines).toHaveLength(40)
    expect(lines.filter((line) => line.startsWith('Warning: '))).toHaveLength(13)
    expect(lines.at(-1)).toMatch(/^\.\.\. \d+ lines more: --full$/)
  })
})
