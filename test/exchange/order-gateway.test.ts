import { expect, test } from 'vitest'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { ExchangeBench, NOBODY, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const instrument = madeInstrument()
const BOOK: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 101, 5]] }

function played(lines: readonly MarketLine[], commands: readonly BenchCommand[], requestNs = 0): Extract<ClientMessage, { readonly kind: 'replaceResponse' }>['results'] {
  const messages: ClientMessage[] = []
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }], assumptions: { requestLatency: constantLatency(requestNs) }, delivered: (_world, _client, _timeNs, message) => void messages.push(message) })
  bench.run(commands)
  return messages.flatMap((message) => (message.kind === 'replaceResponse' ? message.results : []))
}

const replace = (timeNs: number, price: number): BenchCommand => ({
  timeNs, send: (entry) => entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b', exchangeOrderId: 'said by the client', price, totalQuantity: 3 }]),
})
const place: BenchCommand = { timeNs: 2, send: (entry) => entry.place([placeEntry('a', { price: 99, totalQuantity: 2 })]) }

test('the answer to a replace says the price and the quantity of the order that stands now', () => {
  expect(played([BOOK], [place, replace(5, 98)])).toMatchObject([{ ownOrderId: 'b', clientOrderId: 'b', result: { price: 98, totalQuantity: 3 } }])
})

test('a replace that finds its order filled repeats the id that the client gave of it', () => {
  const through: MarketLine = { kind: 'trades', timeNs: 20, rows: [[1, 98, 9]] }
  expect(played([BOOK, through], [place, replace(15, 98)], 10)).toMatchObject([{ exchangeOrderId: 'said by the client', ownOrderId: 'b', error: { type: 'ORDER_NOT_FOUND' } }])
})

test('an order that closes takes those of its own account, though a client of the same name has orders at another one', () => {
  const bench = new ExchangeBench({ instruments: [{ instrument, batches: [lineBatch([BOOK], { instrument })] }], clients: { c: 'A', d: 'B' } })
  const elsewhere = bench.worlds[0]!.connect('c', 'B', NOBODY, () => bench.nowNs)
  bench.run([
    { timeNs: 2, send: (entry) => entry.place([placeEntry('buy', { price: 101 })]) },
    { timeNs: 3, send: (entry) => entry.place([placeEntry('own', { price: 50 })]) },
    { timeNs: 4, send: () => elsewhere.place([placeEntry('theirs', { price: 50 })]) },
    { timeNs: 5, send: (entry) => entry.place([placeEntry('close', { side: 'ASK', price: 110, closeOnly: true })]) },
  ])
  expect([...bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId }) => ownOrderId)).toEqual(['theirs', 'close'])
})
