import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { summaryJson, summaryText } from '../../src/report/summary-text.js'
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
    expect(result!.summary.warnings.filter((one) => one.startsWith('no event'))).toEqual(['no event for 2 h 56 min in all, in stretches of an hour or more: ratios leave out hours and days without one'])
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
