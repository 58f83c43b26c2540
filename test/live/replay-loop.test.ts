import { afterEach, expect, test } from 'vitest'
import { runLive } from '../../src/live/run-live.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import type { Order } from '../../src/strategy/order.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { SERVED_DAY } from '../support/served-days.ts'

let serving: Serving | null = null
afterEach(async () => {
  await serving?.close()
  serving = null
})

const seen: string[] = []

/** Buys at the market and rests an order far away, once; says what it has when its orders have gone. */
class Holder extends Strategy {
  declare instrument: TradingInstrument
  resting: Order | null = null
  override onStart(): void { this.every(500, () => this.look()) }
  look(): void {
    const { bestBid } = this.instrument
    if (bestBid === null) return
    if (this.resting === null) {
      this.resting = this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('10'), price: this.instrument.stepPrice(bestBid.price, -300) })
      this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('20'), type: 'MARKET' })
    }
    if (this.resting.state !== 'UNKNOWN') return
    seen.push(`${this.instrument.marketDataState} ${String(this.instrument.position)} ${this.instrument.openOrders.length}`)
    this.stop()
  }
  override onInstrumentPosition(): void { seen.push(`position ${String(this.instrument.position)}`) }
}
;(Parameter(TradingInstrument) as (target: object, key: string) => void)(Holder.prototype, 'instrument')

test('a replay that has begun again takes orders and positions with it, and its book is known', { timeout: 60_000 }, async () => {
  const server = serving = await openServing({
    data: [SERVED_DAY], from: '23:55:10', to: '23:55:20', httpPort: 0, replay: { speed: 10, loop: true },
    accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '1000' }, fees: { maker: '0.0002', taker: '0.0005' } } },
  })
  void server.run()
  const { addresses: { feeds: [feed], http, keys } } = server
  const result = await runLive({
    strategy: Holder, parameters: { instrument: 'synthetic_swap:XRPUSDT' }, feed: feed!.json, apiKey: keys[0]!, backend: http, accountId: 'paper', seed: 1,
  })
  expect(result.warnings).toEqual([])
  expect(seen).toEqual(['position 20', 'position 0', 'READY 0 0'])
})
