import { expect, test } from 'vitest'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const instrument = madeInstrument()

/** Which client order id every message names, in order. */
function named(message: ClientMessage): string[] {
  switch (message.kind) {
    case 'placeResponse': case 'amendResponse': case 'replaceResponse':
      return message.results.map(({ ownOrderId, clientOrderId, error }) => `${message.kind} ${String(ownOrderId)} ${String(clientOrderId)}${error === undefined ? '' : ` ${error.type}`}`)
    case 'orderUpdate': return message.orders.map(({ ownOrderId, clientOrderId, state }) => `update ${String(ownOrderId)} ${String(clientOrderId)} ${state}`)
    case 'fill': return message.fills.map(({ ownOrderId, clientOrderId }) => `fill ${String(ownOrderId)} ${String(clientOrderId)}`)
    default: return []
  }
}

test('clientOrderId follows an order through amends and replaces, of stop and pegged orders too (spec 2)', () => {
  const received: string[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([
      { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 104, 5]] }, { kind: 'trades', timeNs: 2, rows: [[0, 102, 1]] },
      { kind: 'trades', timeNs: 9, rows: [[0, 105, 1]] }, { kind: 'update', timeNs: 20, rows: [[0, 101, 3]] }, { kind: 'trades', timeNs: 22, rows: [[1, 100, 20]] },
    ], { instrument })] }],
    delivered: (_world, _client, _time, message) => received.push(...named(message)),
  })
  bench.run([
    { timeNs: 3, send: (entry) => { entry.place([placeEntry('stop', { clientOrderId: 's1', type: 'STOP_LIMIT', triggerPrice: 105, price: 104 })]) } },
    { timeNs: 4, send: (entry) => { entry.amend([{ ownOrderId: 'stop', currentClientOrderId: 's1', newClientOrderId: 's2', triggerPrice: 106 }]) } },
    { timeNs: 5, send: (entry) => { entry.amend([{ ownOrderId: 'stop', currentClientOrderId: 's2', newClientOrderId: 's3', triggerPrice: 101 }]) } },
    { timeNs: 6, send: (entry) => { entry.replace([{ currentOwnOrderId: 'stop', newOwnOrderId: 'next', currentClientOrderId: 's2', newClientOrderId: 's4', triggerPrice: 105 }]) } },
    { timeNs: 12, send: (entry) => { entry.place([placeEntry('peg', { clientOrderId: 'p1', type: 'PRIMARY_PEGGED', price: null, totalQuantity: 2 })]) } },
    { timeNs: 13, send: (entry) => { entry.amend([{ ownOrderId: 'peg', currentClientOrderId: 'p1', newClientOrderId: 'p2', totalQuantity: 1 }]) } },
  ])
  expect(received).toEqual([
    'placeResponse stop s1', 'update stop s1 CONFIRMED',
    'amendResponse stop s2', 'update stop s2 CONFIRMED',
    'amendResponse stop s3 TRIGGER_ALREADY_REACHED',
    'replaceResponse next s4', 'update stop s2 CANCELED', 'update next s4 CONFIRMED',
    'update next s4 CONFIRMED', 'fill next s4', 'update next s4 FILLED',
    'placeResponse peg p1', 'update peg p1 CONFIRMED',
    'amendResponse peg p2', 'update peg p2 CONFIRMED',
    'update peg p2 CONFIRMED',
    'fill peg p2', 'update peg p2 FILLED',
  ])
})
