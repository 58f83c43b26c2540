import { expect, test } from 'vitest'
import { ClientVenue } from '../../src/simulation/client-venue.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { SimulatedClock } from '../../src/replay/simulated-clock.js'
import { startStrategy } from '../../src/strategy/runtime.js'
import { Strategy } from '../../src/strategy/strategy.js'
import type { Order } from '../../src/strategy/order.js'
import type { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { ExchangeBench } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { Parameter } from '../../src/strategy/parameter.js'
import { TradingInstrument as Trading } from '../../src/strategy/trading-instrument.js'

const said: string[] = []

/** Bids one lot at 101; says what it hears. */
class Bidder extends Strategy {
  instrument!: TradingInstrument
  name = 'bidder'
  start(): void {
    this.instrument.placeOrder({ side: 'BID', price: this.instrument.price('101'), quantity: this.instrument.quantity('1') })
  }

  override onOrderUpdate(order: Order): void {
    said.push(`${this.name}: ${order.side} ${order.state}`)
  }

  override onInstrumentPosition(): void {
    said.push(`${this.name}: position ${this.instrument.position.toString()}`)
  }
}

/** Asks at 105, and then at 101, where the other one's bid of the same account rests. */
class Asker extends Bidder {
  override name = 'asker'
  override start(): void {
    this.instrument.placeOrder({ side: 'ASK', price: this.instrument.price('105'), quantity: this.instrument.quantity('1') })
    this.instrument.placeOrder({ side: 'ASK', price: this.instrument.price('101'), quantity: this.instrument.quantity('1') })
  }

  override onOrderError(order: Order, error: { readonly type: string }): void {
    said.push(`${this.name}: ${order.side} ${order.state} ${error.type}`)
  }

  override onOrderFill(order: Order): void {
    said.push(`${this.name}: fill of its ${order.side}`)
  }
}
type Decorate = (target: object, key: string) => void
for (const one of [Bidder, Asker]) (Parameter(Trading) as Decorate)(one.prototype, 'instrument')

test('two strategies on one account of one world: one position, each its own orders, no self trade', () => {
  said.length = 0
  const instrument = madeInstrument()
  const lines = lineBatch([
    { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 110, 5]] },
    { kind: 'trades', timeNs: 50, rows: [[1, 101, 1]] }, { kind: 'trades', timeNs: 60, rows: [[0, 105, 1]] },
  ], { instrument })
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lines] }], assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) } })
  const [world] = bench.worlds
  const clock = new SimulatedClock(0, 0)
  const view = { book: bench.markets.get(1)!.shown.book } as never
  const start = (clientId: string, strategy: new () => Bidder): Bidder => {
    const venue = new ClientVenue({ clientId, seed: 1, clock: { ...clock.forClients(''), nowNs: () => bench.nowNs }, instruments: world!.config.instruments, underlyings: { entries: [], get: () => undefined }, connect: (account, listener) => world!.connect(clientId, account, listener, () => bench.nowNs), views: new Map([[1, view]]), subscribers: new Map(), onState: () => undefined })
    return startStrategy({ venue, clientId, strategy, parameters: { instrument: 'TEST' }, accounts: [{ accountId: 'A', exchangeCode: 'test' }] }).strategy as Bidder
  }
  const bidder = start('bidder', Bidder)
  const asker = start('asker', Asker)
  bench.run([{ timeNs: 10, send: () => { bidder.start() } }, { timeNs: 20, send: () => { asker.start() } }])
  expect(said).toEqual([
    'bidder: BID CONFIRMED',
    'asker: ASK CONFIRMED',
    'asker: ASK REJECTED SELF_TRADE',
    'bidder: position 1', 'asker: position 1', 'bidder: BID FILLED',
    'bidder: position 0', 'asker: position 0', 'asker: fill of its ASK', 'asker: ASK FILLED',
  ])
})
