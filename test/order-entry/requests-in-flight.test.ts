import { describe, expect, test } from 'vitest'
import type { OrderReport } from '../../src/model/order.js'
import { RequestsInFlight } from '../../src/order-entry/requests-in-flight.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { placeEntry } from '../support/exchange-bench.ts'

/** The results of a placeResponse that echoes some fields, as a client hands them on. */
function handedOn(asked: PlaceEntry | null, echo: object, isInFull: boolean): unknown {
  const requests = new RequestsInFlight()
  if (asked !== null) requests.add({ kind: 'place', entries: [asked] })
  const message = { kind: 'placeResponse', results: [{ ownOrderId: 'o', clientOrderId: 'o', result: echo }], adapterTimeNs: 7 }
  const taken = requests.take(message as unknown as ClientMessage, isInFull)
  return taken !== null && taken.kind === 'placeResponse' ? taken.results.map(({ result }) => result) : taken
}

const order = (more: Partial<PlaceEntry> = {}): PlaceEntry => placeEntry('o', { price: 101, totalQuantity: 3, ...more })
const ECHO = { exchangeOrderId: 'e', state: 'CONFIRMED', executedQuantity: 0 }
const TERMS = { instrumentId: 1, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', totalQuantity: 3 }

describe('the order that a placeResponse echoes', () => {
  test.each<readonly [name: string, asked: PlaceEntry | null, echo: Partial<OrderReport>, isInFull: boolean, result: object]>([
    ['not whole, asked as postOnly', order({ postOnly: true }), {}, false, { ...TERMS, price: 101, postOnly: true }],
    ['not whole, asked as not postOnly', order(), {}, false, { ...TERMS, price: 101, postOnly: false }],
    ['not whole, with another postOnly than asked for', order({ postOnly: true }), { postOnly: false }, false, { ...TERMS, price: 101, postOnly: false }],
    ['not whole, as postOnly where it was not asked for', order(), { postOnly: true }, false, { ...TERMS, price: 101, postOnly: true }],
    ['not whole, with another price than asked for', order(), { price: 99 }, false, { ...TERMS, price: 99, postOnly: false }],
    ['not whole, of an order without a price', order({ price: null, type: 'MARKET' }), {}, false, { ...TERMS, type: 'MARKET', price: null, postOnly: false }],
    ['whole, which leaves postOnly out', order({ postOnly: true }), {}, true, { price: null, postOnly: false }],
    ['whole, as postOnly', order(), { postOnly: true, price: 5 }, true, { price: 5, postOnly: true }],
    ['of an order that this client did not place', null, {}, false, { price: null, postOnly: false }],
  ])('%s', (_name, asked, echo, isInFull, result) => {
    expect(handedOn(asked, { ...ECHO, ...echo }, isInFull)).toEqual([{ ...ECHO, ...result }])
  })

  test.each([null, undefined, 'text'])('stays %j where it is no order', (echo) => {
    expect(handedOn(order(), echo as unknown as object, false)).toEqual([echo])
  })

  test('has the terms of its own request where two have one id', () => {
    const requests = new RequestsInFlight()
    requests.add({ kind: 'place', entries: [order({ postOnly: true }), order({ price: 50 })] })
    const answer = { kind: 'placeResponse', results: [1, 2, 3].map(() => ({ ownOrderId: 'o', clientOrderId: 'o', result: ECHO })), adapterTimeNs: 7 }
    const taken = requests.take(answer as unknown as ClientMessage, false) as Extract<ClientMessage, { kind: 'placeResponse' }>
    expect(taken.results.map(({ result }) => [result?.price, result?.postOnly])).toEqual([[101, true], [50, false], [null, false]])
  })
})
