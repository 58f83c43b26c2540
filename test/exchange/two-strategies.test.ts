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

/** A world of one account, and how strategies come into it. */
function world(): { readonly bench: ExchangeBench, readonly start: <S extends Strategy>(clientId: string, strategy: new () => S) => S } {
  const instrument = madeInstrument()
  const lines = lineBatch([
    { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 110, 5]] },
    { kind: 'trades', timeNs: 50, rows: [[1, 101, 1]] }, { kind: 'trades', timeNs: 60, rows: [[0, 105, 1]] },
  ], { instrument })
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lines] }], assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) } })
  const clock = new SimulatedClock(0, 0)
  const view = { book: bench.markets.get(1)!.shown.book } as never
  return { bench, start: <S extends Strategy>(clientId: string, strategy: new () => S): S => {
    const venue = new ClientVenue({ clientId, seed: 1, clock: { ...clock.forClients(''), nowNs: () => bench.nowNs }, instruments: bench.worlds[0]!.config.instruments, underlyings: { entries: [], get: () => undefined }, connect: (account, listener) => bench.worlds[0]!.connect(clientId, account, listener, () => bench.nowNs), views: new Map([[1, view]]), subscribers: new Map(), onState: () => undefined })
    return startStrategy({ venue, clientId, strategy, parameters: { instrument: 'TEST' }, accounts: [{ accountId: 'A', exchangeCode: 'test' }] }).strategy as S
  } }
}

test('two strategies on one account of one world: one position, each its own orders, no self trade', () => {
  said.length = 0
  const { bench, start } = world()
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

/** Says of each order that it hears of its number among its own; -1 is one of another. */
class Changing extends Strategy {
  instrument!: TradingInstrument
  readonly orders: Order[] = []
  readonly heard: string[] = []
  place(price: string): void {
    this.orders.push(this.instrument.placeOrder({ side: 'BID', price: this.instrument.price(price), quantity: this.instrument.quantity('1') }))
  }

  override onOrderUpdate(order: Order): void {
    this.heard.push(`${this.orders.indexOf(order)} ${order.state} ${String(order.price)}`)
  }

  override onOrderError(order: Order, error: { readonly type: string }): void {
    this.heard.push(`${this.orders.indexOf(order)} ${error.type}`)
  }
}
(Parameter(Trading) as Decorate)(Changing.prototype, 'instrument')

test('two strategies on one account change and cancel their own orders by ids that nobody else has', () => {
  const { bench, start } = world()
  const [one, other] = [start('one', Changing), start('other', Changing)]
  const price = one.instrument.price.bind(one.instrument)
  bench.run([
    { timeNs: 5, send: () => { for (const strategy of [one, other]) for (const at of ['90', '91', '92']) strategy.place(at) } },
    { timeNs: 20, send: () => {
      one.orders[0]!.amend({ price: price('80') })
      one.orders.push(one.orders[1]!.replace({ price: price('81') }))
      other.orders[0]!.cancel()
      other.orders[2]!.amend({ price: price('82') })
    } },
  ])
  expect(one.heard).toEqual(['0 CONFIRMED 90', '1 CONFIRMED 91', '2 CONFIRMED 92', '0 CONFIRMED 80', '1 CANCELED 91', '3 CONFIRMED 81'])
  expect(other.heard).toEqual(['0 CONFIRMED 90', '1 CONFIRMED 91', '2 CONFIRMED 92', '0 CANCELED 90', '2 CONFIRMED 82'])
  const orders = [...one.orders, ...other.orders]
  const ids = orders.flatMap(({ ownOrderId, clientOrderId, exchangeOrderId }) => [ownOrderId, clientOrderId, String(exchangeOrderId)])
  expect(new Set(ids).size).toBe(3 * orders.length)
  const open = bench.openOrders().map(({ clientId, ownOrderId, clientOrderId, exchangeOrderId, price: at }) => [clientId, ownOrderId, clientOrderId, exchangeOrderId, at].join(' '))
  const known = [one, other].flatMap((strategy, at) => strategy.instrument.openOrders.map((order) => [['one', 'other'][at], order.ownOrderId, order.clientOrderId, order.exchangeOrderId, order.price].join(' ')))
  expect([known.length, [...open].sort()]).toEqual([5, [...known].sort()])
})
