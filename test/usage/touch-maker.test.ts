import { describe, expect, test } from 'vitest'
import type { Strategy } from '../../src/strategy/strategy.js'
import { startFake } from '../support/recording-strategy.js'
import { COMPILERS, loaded, typeFaults } from '../support/strategy-compiler.js'

/** The program of `shared/design/usage.md`, as it stands there. */
const PROGRAM = `
import { Parameter, Quantity, Strategy, TradingInstrument, type Order } from 'backtape'

export class TouchMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  @Parameter(Number, { optional: true, name: 'refreshMs' }) refresh = 1000

  onStart() {
    this.every(this.refresh, () => this.requote())
  }
  requote() {
    const { bestBid, bestAsk } = this.instrument
    if (!bestBid || !bestAsk || this.instrument.openOrders.length > 0) return
    this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity: this.size, price: bestAsk.price })
  }
  onOrderFill(order: Order) {
    this.log(\`\${order.side} \${order.getLastFill()?.price}\`)
  }
}
`

describe.each(COMPILERS)('%s', (compiler) => {
  test('the program of the usage page has no type fault', () => {
    expect(typeFaults(compiler, 'touch-maker', PROGRAM)).toEqual([])
  }, 180_000)

  test('it quotes both sides of the touch, and logs its fills', async () => {
    const { TouchMaker } = await loaded(compiler, 'touch-maker', PROGRAM)
    const { venue, logged } = startFake(TouchMaker as new () => Strategy, { parameters: { instrument: 'BTCUSDT', size: '0.05', refreshMs: 500 } })
    venue.clock.advanceTo(500e6)
    expect([venue.subscriptions, venue.entry.placed]).toEqual([[], []])
    venue.market(1).top([1000, 300], [1005, 200])
    venue.clock.advanceTo(1000e6)
    expect(venue.entry.placed.map(({ side, price, totalQuantity, postOnly }) => [side, price, totalQuantity, postOnly])).toEqual([['BID', 1000, 5, true], ['ASK', 1005, 5, true]])
    const [bid, ask] = venue.entry.placed
    venue.entry.confirm(bid!)
    venue.entry.confirm(ask!)
    venue.clock.advanceTo(1500e6)
    expect(venue.entry.placed).toHaveLength(2)
    venue.entry.execute(bid!, 5, { executed: 5, position: 5 })
    venue.entry.update(ask!, { state: 'CANCELED' })
    venue.clock.advanceTo(2000e6)
    expect([logged, venue.entry.placed.length]).toEqual([['BID 100'], 4])
  })
})
