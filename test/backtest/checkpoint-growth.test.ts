import { expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Price } from '../../src/model/fixed-decimal.js'
import { Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'

/** Buys, closes all of it at a price that is not reached yet, and buys twice more. */
class Growing extends Strategy {
  declare instrument: TradingInstrument
  private acts = 0

  override onStart(): void {
    this.every(10 / 1e6, () => this.act(), { name: 'act' })
  }

  override saveState(): unknown { return { acts: this.acts } }
  override restoreState(state: unknown): void { this.acts = (state as { acts: number }).acts }

  override onOrderUpdate({ side, state, executedQuantity, totalQuantity }: Order): void {
    if (side === 'ASK') this.log(`${state} ${executedQuantity.toString()}/${totalQuantity.toString()}`)
  }

  private act(): void {
    this.acts++
    const { instrument } = this
    const buy = (quantity: string, price: string): void => { instrument.placeOrder({ side: 'BID', quantity: instrument.quantity(quantity), price: Price.from(price), postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }) }
    if (this.acts === 2) buy('2', '101')
    if (this.acts === 4) instrument.placeOrder({ side: 'ASK', quantity: instrument.quantity('1'), price: Price.from('103'), closeOnly: true, postOnly: false })
    if (this.acts === 6) buy('3', '101')
    if (this.acts === 8) buy('1', '101')
  }
}
Parameter(TradingInstrument)(Growing.prototype, 'instrument')

const LINES: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 9], [1, 103, 4]] },
  ...[35, 55, 62, 75, 82].map((timeNs): MarketLine => ({ kind: 'trades', timeNs, rows: [[0, 101, 1]] })),
  { kind: 'trades', timeNs: 110, rows: [[0, 103, 10]] },
]
const OPTIONS: BacktestOptions & { parameters: { instrument: string }[] } = {
  strategy: Growing, data: [marketFile(LINES)], day: '2026-07-01', to: MADE_MIDNIGHT_NS + 150n, parameters: [{ instrument: 'TEST1' }],
  account: { balances: { CASH: '10000' } }, assumptions: { requestLatency: '3ns', responseLatency: '5ns' },
}

/** An order that closes a position which has grown beyond it, the growth still on the agenda. */
function isPending(checkpoint: Checkpoint): boolean {
  const text = JSON.stringify(checkpoint)
  return text.includes('"kind":"conditions"') && text.includes('"closeOnly":true')
}

test('a run that goes on from any step grows its closing order as an undisturbed one does', async () => {
  const [whole] = await runBacktest(OPTIONS)
  expect(whole?.orders.rows.filter(({ side }) => side === 'ASK').map(({ qty, executed_qty, state }) => [qty, executed_qty, state])).toEqual([['6', '6', 'FILLED']])
  let pending = 0
  for (let everySteps = 1; everySteps < 120; everySteps++) {
    let text: string | null = null
    await runBacktest({ ...OPTIONS, checkpoints: { everySteps, take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    if (text === null) break
    const checkpoint = JSON.parse(text) as Checkpoint
    if (isPending(checkpoint)) pending++
    const [rest] = await runBacktest({ ...OPTIONS, resume: checkpoint })
    expect([everySteps, rest?.fingerprint, JSON.stringify(rest?.summary)]).toEqual([everySteps, whole?.fingerprint, JSON.stringify(whole?.summary)])
  }
  expect(pending).toBeGreaterThan(1)
})
