import { expect, test } from 'vitest'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { ExchangeBench, NOBODY, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
const lines = lineBatch([
  { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 110, 5]] },
  { kind: 'trades', timeNs: 100, rows: [[1, 101, 1]] },
], { instrument })

function benchWith(delivered: string[], faults: ConstructorParameters<typeof ExchangeBench>[0]['faults'] = []): ExchangeBench {
  return new ExchangeBench({
    instruments: [{ instrument, batches: [lines] }], clients: { a: 'A', b: 'A' }, faults,
    assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) },
    delivered: (_world, clientId, timeNs, message) => { delivered.push(`${timeNs} ${clientId} ${message.kind}`) },
  })
}

test('nothing is delivered after a disconnect: what was on its way is dropped, the order stays and fills', () => {
  const delivered: string[] = []
  const bench = benchWith(delivered)
  const [world] = bench.worlds
  bench.run([
    { timeNs: 10, clientId: 'a', send: (entry) => { entry.place([placeEntry('o1', { price: 101 })]) } },
    { timeNs: 17, clientId: 'b', send: () => { world!.disconnect('a', 'A') } },
  ])
  expect(delivered.filter((one) => one.includes(' a '))).toEqual([])
  expect(delivered.filter((one) => one.includes(' b '))).toEqual(['20 b orderUpdate', '105 b positionUpdate', '105 b fill', '105 b orderUpdate', '105 b walletUpdate'])
})

test('a request that was sent before the disconnect reaches the exchange', () => {
  const delivered: string[] = []
  const bench = benchWith(delivered)
  const [world] = bench.worlds
  bench.run([
    { timeNs: 10, clientId: 'a', send: (entry) => { entry.place([placeEntry('o1', { price: 99 })]) } },
    { timeNs: 12, clientId: 'b', send: () => { world!.disconnect('a', 'A') } },
  ])
  expect(bench.entryOf('b').initial.orders.map(({ ownOrderId, state }) => `${String(ownOrderId)} ${state}`)).toEqual(['o1 CONFIRMED'])
  expect(delivered.filter((one) => one.includes(' a '))).toEqual([])
})

test('a login of the same name later: its own messages, none of the earlier login', () => {
  const delivered: string[] = []
  const bench = benchWith(delivered)
  const [world] = bench.worlds
  let again: OrderEntry | null = null
  bench.run([
    { timeNs: 10, clientId: 'a', send: (entry) => { entry.place([placeEntry('o1', { price: 99 })]) } },
    { timeNs: 17, clientId: 'b', send: () => {
      world!.disconnect('a', 'A')
      again = world!.connect('a', 'A', NOBODY, () => bench.nowNs)
    } },
    { timeNs: 40, clientId: 'b', send: () => { again!.cancel([{ ownOrderId: 'o1' }]) } },
  ])
  expect(again!.initial.orders).toEqual([])
  expect(delivered.filter((one) => one.includes(' a ') && !one.includes('wallet'))).toEqual(['50 a cancelResponse', '50 a orderUpdate'])
})

test('a second login of a name that is logged in is refused, and a disconnect of nobody does nothing', () => {
  const bench = benchWith([])
  const [world] = bench.worlds
  expect(() => world!.connect('a', 'A', NOBODY, () => 0)).toThrow(/logged in already/)
  world!.disconnect('nobody', 'A')
  world!.disconnect('a', 'nowhere')
  world!.disconnect('a', 'A')
  expect(() => world!.connect('a', 'A', NOBODY, () => 0)).not.toThrow()
})

test('a checkpoint between: what was on its way to an earlier login stays dropped', () => {
  const delivered: string[] = []
  const bench = benchWith(delivered)
  const [world] = bench.worlds
  bench.run([
    { timeNs: 10, clientId: 'a', send: (entry) => { entry.place([placeEntry('o1', { price: 99 })]) } },
    { timeNs: 17, clientId: 'b', send: () => {
      world!.disconnect('a', 'A')
      world!.connect('a', 'A', NOBODY, () => bench.nowNs)
    } },
  ], 17)
  const state = throughJson(world!.state())
  const restored = benchWith(delivered)
  restored.run([], 17)
  restored.worlds[0]!.restore(state)
  restored.agenda.restore(bench.agenda.entries())
  delivered.length = 0
  restored.run([{ timeNs: 40, clientId: 'a', send: (entry) => { entry.cancel([{ ownOrderId: 'o1' }]) } }], 60)
  expect(delivered.filter((one) => one.includes(' a ') && !one.includes('wallet'))).toEqual(['50 a cancelResponse', '50 a orderUpdate'])
})

test('statuses come once, also after everybody has left and come again', () => {
  const delivered: string[] = []
  const bench = benchWith(delivered, [{ accountId: null, effect: { kind: 'status', status: 'DISCONNECTED', message: 'gone' }, startNs: 50, everyNs: null, forNs: 30 }])
  const [world] = bench.worlds
  bench.run([{ timeNs: 20, clientId: 'b', send: () => {
    world!.disconnect('a', 'A')
    world!.disconnect('b', 'A')
    world!.connect('b', 'A', NOBODY, () => bench.nowNs)
  } }])
  expect(delivered.filter((one) => one.endsWith('accountStatus'))).toEqual(['55 b accountStatus', '85 b accountStatus'])
})

test('the state of an account has the exchange time of each order, not of the login: its acceptance, its last fill, its last amend', () => {
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lines] }], clients: { a: 'A', b: 'A' },
    assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) },
  })
  bench.run([
    { timeNs: 10, clientId: 'a', send: (entry) => { entry.place([placeEntry('accepted', { price: 98 })]) } },
    { timeNs: 11, clientId: 'a', send: (entry) => { entry.place([placeEntry('partly', { price: 101, totalQuantity: 5 })]) } },
    { timeNs: 12, clientId: 'a', send: (entry) => { entry.place([placeEntry('amended', { price: 97, totalQuantity: 5 })]) } },
    { timeNs: 40, clientId: 'a', send: (entry) => {
      entry.amend([{ ownOrderId: 'amended', currentClientOrderId: 'amended', newClientOrderId: 'c-2', totalQuantity: 4 }])
    } },
    { timeNs: 300, clientId: 'a', send: (entry) => { entry.cancel([{ ownOrderId: 'nobody' }]) } },
  ])
  expect(Object.fromEntries(bench.entryOf('b').initial.orders.map((one) => [one.ownOrderId, one.exchangeTimeNs])))
    .toEqual({ accepted: 15, partly: 100, amended: 45 })
})
