import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { List, Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [0, 40, 80].map((at) => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 100, 5], [1, 102, 5]] }))

/** Places the same order on each of its instruments, which differ by their account. */
class Placer extends Strategy {
  instruments!: TradingInstrument[]
  quantity = '0.5'

  override onStart(): void {
    this.after(10_000, () => {
      for (const on of this.instruments) on.placeOrder({ side: 'BID', price: on.price('90'), quantity: on.quantity(this.quantity) })
    })
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(List(TradingInstrument)) as Decorate)(Placer.prototype, 'instruments')
;(Parameter(String) as Decorate)(Placer.prototype, 'quantity')

const money = { balances: { CASH: '1000' }, fees: { maker: '0', taker: '0' } }

async function placed(accounts: readonly string[], quantity: string, more: Partial<BacktestOptions> = {}): Promise<BacktestResult> {
  const { parameters: _none, ...options } = more
  return runBacktest({
    strategy: Placer, data: [marketFile(MARKET, { id: 1, tickSize: '1', lotSize: '1' })], day: '2026-07-01', to: '00:02', assumptions: { staleAfter: 'off' },
    accounts: { first: money, second: money }, ...options, parameters: { instruments: accounts.map((account) => ({ instrument: 'TEST1', account })), quantity },
  })
}

const ordersOf = ({ orders }: BacktestResult): unknown[] => orders.rows.map(({ account, state, error_type }) => [account, state, error_type])
const pairsOf = ({ summary }: BacktestResult): unknown[] => summary.instruments.map(({ accountId, orders }) => [accountId, orders.orderCount])

describe('an order that was never sent', () => {
  test.each([[['second']], [['first']], [['second', 'first']]])('is booked on the account that it was meant for: %j', async (accounts) => {
    const run = await placed(accounts, '0.5')
    expect(ordersOf(run)).toEqual(accounts.map((account) => [account, 'DISCARDED', 'QUANTITY_OFF_LOT']))
    expect(pairsOf(run)).toEqual([...accounts].sort().map((account) => [account, 1]))
  })

  test('stands where one that was sent stands', async () => {
    const [discarded, sent] = [await placed(['second'], '0.5'), await placed(['second'], '1')]
    expect(ordersOf(sent)).toEqual([['second', 'CONFIRMED', null]])
    expect(pairsOf(discarded)).toEqual(pairsOf(sent))
  })
})

describe('an instrument that was ordered and never traded', () => {
  test('has wallets and notes of its profile, wherever in the summary they are made', async () => {
    const profile = { name: 'mine', kind: 'spot', capabilities: { orderTypes: ['LIMIT'], timeInForces: ['GOOD_TILL_CANCEL'] } } as never
    const { summary } = await placed(['first'], '1', { accounts: { first: { ...money, profile }, second: money } })
    expect(summary.fillCount).toBe(0)
    expect(summary.moneyNotes).toEqual(['account first: its venue profile mine is of the kind spot, and test:TEST1 is not: what the profile says may not hold there'])
    expect(summary.instruments.map(({ accountId, position, turnover }) => [accountId, position, turnover])).toEqual([['first', '0', '0']])
  })
})
