import { expect, test } from 'vitest'
import type { Id } from '../../src/model/id.js'
import type { PlannedFault } from '../../src/exchange/adapter/fault-plan.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { constantLatency, proportionalLatency, sampledLatency } from '../../src/exchange/adapter/order-latency.js'
import type { OrderEntry, OrderEntryListener } from '../../src/venue/venue.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'

const MS = 1_000_000
const book: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] }

/** A client that writes down which of its callbacks is called. */
function writer(received: string[]): OrderEntryListener {
  return new Proxy({}, { get: (_target, name) => () => { received.push(String(name)) } }) as OrderEntryListener
}

test('every message reaches the callback of its name, once', () => {
  const received: string[] = []
  const messages: string[] = []
  const instrument = madeInstrument()
  let ownFillId: Id = ''
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '1000']]), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, rateLimits: [{ id: 'l', windowMs: 1, tokens: { place: 9 } }] } }],
    corporateActions: [{ timeNs: 90, action: { instrumentId: 1, split: { buyVolume: '2', sellVolume: '1', lastPrice: '1', liquidateFractionalShares: false }, comment: '' } }],
    clients: { other: 'A' },
    delivered: (_world, clientId, _timeNs, message) => {
      if (clientId === 'c') messages.push(`on${message.kind[0]!.toUpperCase()}${message.kind.slice(1)}`)
      if (message.kind === 'fill') ownFillId = message.fills[0]!.ownFillId
    },
  })
  const entry = bench.worlds[0]!.connect('c', 'A', writer(received), () => bench.nowNs)
  const at = (timeNs: number, send: (own: OrderEntry) => void): BenchCommand => ({ timeNs, clientId: 'other', send: () => { send(entry) } })
  bench.run([
    at(2, (own) => { own.place([placeEntry('a', { price: 100 }), placeEntry('b', { price: 110 })]) }),
    at(3, (own) => { own.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'a2', price: 99 }]) }),
    at(4, (own) => { own.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'd', currentClientOrderId: 'a2', newClientOrderId: 'd', price: 98 }]) }),
    at(5, (own) => { own.cancel([{ ownOrderId: 'd' }]) }),
    at(6, (own) => { own.cancelAll({ requestId: 'r', createTimeNs: 6 }) }),
    at(7, (own) => { own.orderContext([{ ownOrderId: 'b', clientOrderId: 'b', context: { n: 1 } }]) }),
    at(8, (own) => { own.fillContext([{ ownFillId, context: { n: 1 } }]) }),
  ])
  expect(received).toEqual(messages)
  expect([...new Set(received)].sort()).toEqual([
    'onAmendResponse', 'onCancelAllResponse', 'onCancelResponse', 'onCorporateAction', 'onFill', 'onFillContextResponse', 'onOrderContextResponse', 'onOrderUpdate', 'onPlaceResponse', 'onPositionUpdate',
    'onRateLimitLoad', 'onReplaceResponse', 'onWalletUpdate',
  ])
})

test('a request without entries sends nothing and is answered by nothing', () => {
  const told: string[] = []
  const instrument = madeInstrument()
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }], delivered: (_world, _client, _timeNs, message) => told.push(message.kind), observer: () => ({ requested: () => told.push('request') }),
  })
  bench.run([{ timeNs: 2, send: (entry) => { for (const verb of ['place', 'amend', 'replace', 'cancel'] as const) entry[verb]([]) } }])
  expect(told).toEqual([])
})

test.each(['requestLatency', 'responseLatency'] as const)('what is sent and what is answered is as late as the feed of its own instrument: %s', (way) => {
  const answers: string[] = []
  const late = (id: number, latencyNs: number) => {
    const instrument = madeInstrument({ id })
    return { instrument, batches: [lineBatch([{ ...book, adapterTimeNs: 1 + latencyNs }], { instrument })] }
  }
  const bench = new ExchangeBench({
    instruments: [late(1, 10), late(2, 1000)], assumptions: { requestLatency: constantLatency(0), responseLatency: constantLatency(0), [way]: proportionalLatency(2, 3) }, receivedLatencyNs: (id) => (id === 1 ? 10 : 1000),
    delivered: (_world, _client, timeNs, message) => { if (message.kind.endsWith('Response')) answers.push(`${message.kind} ${timeNs}`) },
  })
  const at = (timeNs: number, send: (own: OrderEntry) => void): BenchCommand => ({ timeNs, send })
  bench.run([
    at(100, (own) => { own.place([placeEntry('a', {})]) }),
    at(200, (own) => { own.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'a2', price: 99 }]) }),
    at(300, (own) => { own.cancel([{ ownOrderId: 'a' }]) }),
    at(1 * MS, (own) => { own.place([placeEntry('b', { instrumentId: 2 })]) }),
    at(2 * MS, (own) => { own.amend([{ ownOrderId: 'b', currentClientOrderId: 'b', newClientOrderId: 'b2', price: 99 }]) }),
    at(3 * MS, (own) => { own.replace([{ currentOwnOrderId: 'b', newOwnOrderId: 'd', currentClientOrderId: 'b2', newClientOrderId: 'd', price: 98 }]) }),
    at(4 * MS, (own) => { own.cancel([{ ownOrderId: 'd' }]) }),
    // Of no instrument: by the last one.
    at(5 * MS, (own) => { own.cancelAll({ requestId: 'r', createTimeNs: 0 }) }),
  ])
  expect(answers).toEqual([
    'placeResponse 123', 'amendResponse 223', 'cancelResponse 323', 'placeResponse 1002003', 'amendResponse 2002003', 'replaceResponse 3002003', 'cancelResponse 4002003', 'cancelAllResponse 5002003',
  ])
})

test('ways to and from the exchange go on where they were: numbered latencies, first in first out', () => {
  const instrument = madeInstrument()
  // The first message of a way takes 900, the second 600, the third 300.
  const falling = sampledLatency('falling', (_random, number) => Math.max(0, 900 - 300 * number))
  const made = (received: string[]) => new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }], assumptions: { requestLatency: falling, responseLatency: falling },
    delivered: (_world, _client, timeNs, message) => { received.push(`${timeNs} ${message.kind}`) },
  })
  const commands = [10, 20, 2000].map((timeNs, at): BenchCommand => ({ timeNs, send: (entry) => { entry.place([placeEntry(`o${at}`, {})]) } }))
  const whole: string[] = []
  made(whole).run(commands)
  for (const cutNs of [10, 20, 950, 1950]) expect(playedInTwo(made, commands, cutNs).received).toEqual(whole)
})

const outage = (status: string, startNs: number, forNs: number): PlannedFault => ({ accountId: null, effect: { kind: 'status', status, message: '' }, startNs, everyNs: null, forNs })

test('after an outage: fills, and the last that is to be said of each order, in the order in which it was said', () => {
  const instrument = madeInstrument()
  const sold = (timeNs: number, quantity: number): MarketLine => ({ kind: 'trades', timeNs, rows: [[1, 95, quantity]] })
  const made = (received: string[]) => new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book, sold(40, 3), sold(50, 1), sold(60, 4), sold(110, 9)], { instrument })] }], faults: [outage('DISCONNECTED', 30, 60), outage('UNASSIGNED', 90, 10), outage('DISCONNECTED', 200, 9)], clients: { c: 'A', d: 'A' },
    delivered: (_world, clientId, timeNs, message) => {
      if (clientId !== 'c' || timeNs < 30) return
      if (message.kind === 'orderUpdate') received.push(...message.orders.map(({ ownOrderId, state, executedQuantity }) => `${timeNs} ${String(ownOrderId)} ${state} ${executedQuantity}`))
      else received.push(`${timeNs} ${message.kind}${message.kind === 'fill' ? ` ${String(message.fills[0]!.ownOrderId)} ${message.fills[0]!.quantity}` : message.kind === 'accountStatus' ? ` ${message.state.status}` : ''}`)
    },
  })
  // Trades at 95 serve 97 first: 3, 1 and 1 are a's, 3 of the last 4 are b's.
  const commands: BenchCommand[] = [{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 97, totalQuantity: 5 }), placeEntry('b', { price: 96, totalQuantity: 5 })]) } }]
  const whole: string[] = []
  made(whole).run(commands)
  expect(whole).toEqual([
    '30 accountStatus DISCONNECTED', '90 accountStatus UNASSIGNED', '100 accountStatus OK', '100 fill a 3', '100 fill a 1', '100 fill a 1', '100 a FILLED 5', '100 fill b 3', '100 b CONFIRMED 3',
    '110 positionUpdate', '110 fill b 2', '110 b FILLED 5', '110 walletUpdate', '200 accountStatus DISCONNECTED', '209 accountStatus OK',
  ])
  for (const cutNs of [29, 30, 40, 60, 90, 99, 100, 205]) expect(playedInTwo(made, commands, cutNs).received).toEqual(whole)
})

test('what waits for a trigger or follows a reference goes on where it was', () => {
  const instrument = madeInstrument()
  const set = (timeNs: number, bid: number, ask: number): MarketLine => ({ kind: 'snapshot', timeNs, rows: [[0, bid, 5], [1, ask, 5]] })
  const lines: MarketLine[] = [book, { kind: 'trades', timeNs: 3, rows: [[0, 110, 1]] }, set(20, 101, 108), { kind: 'trades', timeNs: 30, rows: [[0, 108, 1]] }, set(40, 102, 108), { kind: 'trades', timeNs: 50, rows: [[1, 102, 3]] }, set(60, 102, 107)]
  const made = (received: string[]) => new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }],
    delivered: (_world, _client, timeNs, message) => { if (message.kind === 'orderUpdate') received.push(...message.orders.map(({ ownOrderId, state, executedQuantity, price, triggered }) => `${timeNs} ${String(ownOrderId)} ${state} ${executedQuantity} @ ${price ?? ''}${triggered === true ? ' triggered' : ''}`)) },
  })
  const commands: BenchCommand[] = [{
    timeNs: 10, send: (entry) => {
      entry.place([
        placeEntry('stop', { side: 'ASK', type: 'STOP_LIMIT', price: 107, triggerPrice: 108, totalQuantity: 2 }), placeEntry('far', { side: 'ASK', type: 'STOP_LIMIT', price: 101, triggerPrice: 102, totalQuantity: 2 }),
        placeEntry('peg', { type: 'PRIMARY_PEGGED', price: null, totalQuantity: 9 }),
      ])
    },
  }]
  const whole: string[] = []
  made(whole).run(commands)
  expect(whole.filter((text) => text.startsWith('20') || text.includes('triggered')).length).toBeGreaterThan(3)
  for (const cutNs of [10, 19, 20, 29, 30, 40, 49, 50]) expect(playedInTwo(made, commands, cutNs).received).toEqual(whole)
})
