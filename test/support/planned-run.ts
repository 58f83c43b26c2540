import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Instrument } from '../../src/model/instrument.js'
import { List, Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketFile } from './made-market-file.ts'
import type { MarketLine } from './market-lines.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

/** Does by the clock what its lines say: `80s BID 100 3`, `90s ASK 100 2 IOC`, `5ns BID 99 1 postOnly`, `90s BID 99 1 borrow`, `85s cancelAll`, `90s stop enough`; `86s amend 101` and `86s amend - 4` change price or quantity of the last order. */
export class Planned extends Strategy {
  instrument!: TradingInstrument
  plan: string[] = []
  last: Order | null = null

  override onStart(): void {
    this.plan.forEach((line, index) => {
      const [at = '', ...words] = line.split(' ')
      const ms = at.endsWith('ns') ? Number(at.slice(0, -2)) / 1e6 : Number(at.slice(0, -1)) * 1000
      this.after(ms, () => this.act(words), { name: `line ${index}` })
    })
  }

  act([side = '', price = '', quantity = '', how = '']: string[]): void {
    const { instrument } = this
    if (side === 'stop') this.stop(price)
    else if (side === 'amend') this.last?.amend({ ...(price === '-' ? {} : { price: instrument.price(price) }), ...(quantity === '' ? {} : { quantity: instrument.quantity(quantity) }) })
    else if (side === 'cancelAll') instrument.account.cancelAllOrders()
    else {
      this.last = instrument.placeOrder({
        side: side as 'BID' | 'ASK', price: instrument.price(price), quantity: instrument.quantity(quantity), postOnly: how === 'postOnly', timeInForce: how === 'IOC' ? 'IMMEDIATE_OR_CANCEL' : 'GOOD_TILL_CANCEL',
        ...(how === 'borrow' ? { autoBorrow: true } : {}),
      })
    }
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(TradingInstrument) as Decorate)(Planned.prototype, 'instrument')
;(Parameter(List(String)) as Decorate)(Planned.prototype, 'plan')

export interface PlannedRun {
  /** Lines of each instrument; ids from 1. */
  readonly files: readonly (readonly MarketLine[])[]
  /** One world each, on the first instrument unless it says another. */
  readonly plans: readonly (readonly string[] | { readonly on: number; readonly plan: readonly string[] })[]
  readonly instrument?: Partial<Instrument>
  readonly options?: Partial<BacktestOptions>
}

/** Plays plans over hand-written lines of 2026-07-01, up to 00:03 unless the options say otherwise; a silence of its few lines is no gap. */
export async function plannedRun({ files, plans, instrument, options }: PlannedRun): Promise<BacktestResult[]> {
  return runBacktest({
    strategy: Planned,
    data: files.map((lines, index) => marketFile(lines, { id: index + 1, ...instrument })),
    day: '2026-07-01',
    to: '00:03:00',
    account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.002' } },
    ...options,
    assumptions: { staleAfter: 'off', ...options?.assumptions },
    parameters: plans.map((plan) => ('on' in plan ? { instrument: `TEST${plan.on}`, plan: [...plan.plan] } : { instrument: 'TEST1', plan: [...plan] })),
  })
}
