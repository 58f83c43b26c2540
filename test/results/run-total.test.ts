import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Instrument, Underlying } from '../../src/model/instrument.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { runsTable } from '../../src/results/runs-table.js'
import { shortSummaryText } from '../../src/report/short-summary.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { marketDay } from '../support/made-market-file.ts'
import { Planned } from '../support/planned-run.ts'
import type { MarketLine } from '../support/market-lines.ts'

const S = 1e9

/** A plan that looks at a second instrument. */
class Looking extends Planned {
  other: DataInstrument | null = null
}
;(Parameter(DataInstrument, { optional: true }) as (target: object, key: string) => void)(Looking.prototype, 'other')

const lines = (bid: number, later = bid): MarketLine[] => [
  { kind: 'snapshot', timeNs: 0, rows: [[0, bid, 50], [1, bid + 2, 50]] },
  { kind: 'update', timeNs: 100 * S, rows: [[0, bid, 0], [0, later, 50], [1, bid + 2, 0], [1, later + 2, 50]] },
  { kind: 'snapshot', timeNs: 170 * S, rows: [[0, later, 50], [1, later + 2, 50]] },
]

interface Day {
  readonly lines: readonly MarketLine[]
  readonly master?: Partial<Instrument>
  readonly underlyings?: readonly Partial<Underlying>[]
}

/** Two units of the fee underlying for a fill. */
const COIN_FEE = { balances: { CASH: '1000' }, fees: { maker: '2', taker: '2', by: 'fill' } } as const

async function played(days: readonly Day[], options: Partial<BacktestOptions> = {}, plan = ['10s BID 110 2 IOC'], other: string | null = null): Promise<BacktestResult> {
  return (await runBacktest({
    strategy: Looking, data: days.map(({ lines: own, ...more }, at) => marketDay([{ lines: own }], { ...more, master: { id: at + 1, ...more.master } })), day: '2026-07-01', to: '00:03:00',
    account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.01' } }, ...options,
    assumptions: { staleAfter: 'off', ...options.assumptions }, parameters: [{ instrument: 'TEST1', plan, ...(other === null ? {} : { other }) }],
  }))[0]!
}

describe('all money of a run in one currency', () => {
  test('a fee that is paid in the coin counts, by the mid of the run at its end', async () => {
    // Bought 2 at 102: value 204, fee 0.02 BASE; the mid at the end is 105.
    const { summary, equity } = await played([{ lines: lines(100, 104), master: { feeUnderlyingId: 1 } }])
    expect(summary.money.map(({ underlying, profit, fees }) => [underlying, profit, fees])).toEqual([['BASE', '-0.02', '0.02'], ['CASH', '6', '0']])
    expect(summary.total).toEqual({
      currency: 'CASH', rates: [{ underlying: 'BASE', rate: '105', markets: ['test:TEST1'], declared: [] }], notValued: [],
      startEquity: '1000', profit: '3.9', fees: '2.1', turnover: '204', endEquity: '1003.9', return: 0.0039,
    })
    expect(shortSummaryText(summary)).toMatch(/^total +profit 3\.90 CASH, fees 2\.10, equity 1,000\.00 to 1,003\.90, return 0\.39 %\n +1 BASE = 105 CASH \(mid of test:TEST1\)$/m)
    // The coin is there from its first fee on.
    expect(equity.rows.filter(({ underlying }) => underlying === 'BASE').map(({ equity: amount }) => amount)).toEqual(['-0.02', '-0.02', '-0.02'])
    expect(runsTable([await played([{ lines: lines(100) }])]).rows[0]).toMatchObject({ total_currency: 'CASH', total_profit: '-4.04' })
  })

  test('a coin that no instrument prices is converted by declared rates, and without them named', async () => {
    const day: Day = { lines: lines(100), master: { feeUnderlyingId: 9 } }
    const none = await played([day], { account: COIN_FEE })
    expect(none.summary.total).toMatchObject({ currency: 'CASH', notValued: ['9'], profit: null, fees: null, turnover: '204', startEquity: '1000', endEquity: null, return: null })
    expect(none.summary.warnings).toContainEqual('the total has no rate of 9 in CASH: an instrument of both that the strategy asks for gives one, or `rates`')
    expect(shortSummaryText(none.summary)).toMatch(/^total +profit not computed: no rate of 9 in CASH/m)
  })

  test('another instrument gives the rate once the strategy asks for it', async () => {
    const days: Day[] = [{ lines: lines(100), master: { baseUnderlyingId: 7, feeUnderlyingId: 1 } }, { lines: lines(40), master: { type: 'spot' } }]
    const blind = await played(days, { account: COIN_FEE })
    expect(blind.summary.total.rates).toEqual([{ underlying: 'BASE', rate: '1', markets: [], declared: expect.anything() as unknown }])
    const seen = await played(days, { account: COIN_FEE }, undefined, 'TEST2')
    expect(seen.summary.total).toMatchObject({ rates: [{ underlying: 'BASE', rate: '41', markets: ['test:TEST2'], declared: [] }], profit: '-84' })
    expect(seen.fingerprint).not.toBe(blind.fingerprint)
  })

  test('an idle balance of the coin of a spot account is no currency of its own', async () => {
    const spot: Day = { lines: lines(100), master: { type: 'spot' } }
    const account = { balances: { CASH: '1000', BASE: '5' }, fees: { maker: '0.001', taker: '0.01' } }
    const { summary, equity, hours } = await played([spot], { account })
    expect([summary.money.map(({ underlying }) => underlying), new Set(equity.rows.map(({ underlying }) => underlying)), hours.rows.map(({ underlying }) => underlying)]).toEqual([['CASH'], new Set(['CASH']), ['CASH']])
    expect(summary.total).toMatchObject({ currency: 'CASH', profit: '-4.04', rates: [] })
    expect(summary.wallets!.map(({ underlying, cashBalance }) => [underlying, cashBalance])).toEqual([['BASE', '7'], ['CASH', '793.96']])
    // With its fee in the coin it is one.
    const paid = await played([{ ...spot, master: { type: 'spot', feeUnderlyingId: 1 } }], { account })
    expect(paid.summary.money.map(({ underlying, startEquity, fees }) => [underlying, startEquity, fees])).toEqual([['BASE', '5', '0.02'], ['CASH', '1000', '0']])
    expect(paid.hours.rows.map(({ underlying, profit, equity: end }) => [underlying, profit, end])).toEqual([['BASE', '-0.02', '4.98'], ['CASH', '-2', '998']])
    expect(paid.summary.total).toMatchObject({ startEquity: '1505', profit: '-4.02' })
  })

  test('the currency that an account states wins; several accounts state one', async () => {
    const day: Day = { lines: lines(100) }
    const stated = await played([day], { account: { balances: { CASH: '1000' }, currency: 'BASE' } })
    expect(stated.summary.total).toMatchObject({ currency: 'BASE', profit: '-0.019801980198019802', startEquity: '9.90099009900990099', rates: [{ underlying: 'CASH', markets: ['test:TEST1'] }] })
    expect((await played([day], { account: { balances: { CASH: '1000' }, currency: 'USD' } })).summary.total).toMatchObject({ currency: 'USD', profit: '-2', rates: [{ underlying: 'CASH', rate: '1' }] })
    expect(stated.configuration['accounts']).toMatchObject([{ currency: 'BASE' }])
  })

  test.each<[string, object, string]>([
    ['an unknown code', { account: { currency: 'XYZ' } }, "account.currency: expected an underlying of the run's instruments (BASE, CASH, USD), found \"XYZ\""],
    ['a code of another case', { account: { currency: 'cash' } }, 'account.currency: expected an underlying'],
    ['no text', { account: { currency: 5 } }, 'account.currency: expected the code of an underlying, or USD'],
    ['an empty one', { account: { currency: '' } }, 'account.currency'],
    ['two of two accounts', { account: undefined, accounts: { a: { currency: 'BASE' }, b: { currency: 'CASH' } } }, 'accounts.b.currency: expected that of the accounts before it (BASE), as a run has one total, found "CASH"'],
  ])('%s is refused', async (_what, options, words) => {
    await expect(played([{ lines: lines(100) }], options as never)).rejects.toThrow(words)
  })

  test('a run without a fill has a total of nothing', async () => {
    const { summary } = await played([{ lines: lines(100) }], {}, [])
    expect(summary.total).toEqual({ currency: 'CASH', rates: [], notValued: [], startEquity: '1000', profit: '0', fees: '0', turnover: '0', endEquity: '1000', return: 0 })
    expect(shortSummaryText(summary)).not.toMatch(/^total/m)
  })
})
