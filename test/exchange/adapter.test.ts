import { describe, expect, test } from 'vitest'
import { KNOWN_FILLS } from '../../src/exchange/adapter/adapter-order-index.js'
import { checkFees } from '../../src/exchange/accounts/fees.js'
import { constantLatency, interpolatedLatency, proportionalLatency, sampledLatency } from '../../src/exchange/adapter/order-latency.js'
import { queueModelFromName } from '../../src/exchange/matching/queue-model.js'
import { RandomNumbers } from '../../src/model/random.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import type { Instrument } from '../../src/model/instrument.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { OrderEntryListener } from '../../src/venue/venue.js'
import { ENDED_ORDERS } from '../../src/orders/own-orders.js'
import { MadeAdapter } from '../support/made-orders.ts'
import { ExchangeBench, NOBODY, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import type { Fill } from '../../src/venue/account-messages.js'
import { marginProfile } from '../support/played-money.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument({ tickSize: '5', lotSize: '2' })
const book = lineBatch([{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] }], { instrument })

function bench(errors: string[], more: Partial<Instrument> = {}, profile?: VenueProfile): ExchangeBench {
  return new ExchangeBench({
    ...(profile === undefined ? {} : { profile }),
    instruments: [{ instrument: { ...instrument, ...more }, batches: [book] }],
    delivered: (_world, _client, timeNs, message) => {
      if ('results' in message) for (const { error } of message.results) if (error !== undefined) errors.push(`${timeNs} ${error.type} ${error.source} ${error.message}`)
    },
    assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) },
  })
}

/** What is wrong, and the words of the refusal; every one comes back at once, from the adapter. */
const REFUSALS: readonly (readonly [Partial<PlaceEntry>, RegExp])[] = [
  [{ price: 102 }, /^2 INVALID_PRICE INTERNAL price must be a multiple of the tick size 5, found 102/],
  [{ price: null }, /INVALID_REQUEST INTERNAL a LIMIT order needs a price/],
  [{ type: 'MARKET' }, /INVALID_REQUEST INTERNAL a MARKET order has no price/],
  [{ price: 100.5 }, /INVALID_PRICE/],
  [{ totalQuantity: 3 }, /INVALID_QUANTITY INTERNAL totalQuantity must be a multiple of the lot size 2, found 3/],
  [{ totalQuantity: -2 }, /INVALID_QUANTITY INTERNAL totalQuantity must be above 0/],
  [{ totalQuantity: NaN }, /INVALID_QUANTITY/],
  [{ type: 'OTHER' }, /NOT_SUPPORTED INTERNAL order type OTHER is not among LIMIT, MARKET/],
  [{ timeInForce: 'GOOD_TILL_DATE' }, /NOT_SUPPORTED INTERNAL timeInForce/],
  [{ type: 'STOP_LIMIT' }, /INVALID_REQUEST INTERNAL a STOP_LIMIT order needs a triggerPrice/],
  [{ type: 'STOP_LIMIT', price: null, triggerPrice: 100 }, /INVALID_REQUEST INTERNAL a STOP_LIMIT order needs a price/],
  [{ type: 'STOP_LIMIT', triggerPrice: 101 }, /INVALID_PRICE INTERNAL triggerPrice must be a multiple of the tick size 5, found 101/],
  [{ triggerPrice: 100 }, /INVALID_REQUEST INTERNAL triggerPrice is for STOP_LIMIT orders, found it on a LIMIT order/],
  [{ type: 'MARKET_PEGGED' }, /INVALID_REQUEST INTERNAL a MARKET_PEGGED order has no price/],
  [{ type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: 0.5 }, /INVALID_PRICE INTERNAL pegOffsetValue must be a number that the instrument can state, found 0.5/],
  [{ pegOffsetValue: 5 }, /INVALID_REQUEST INTERNAL pegOffsetValue is for pegged orders, found it on a LIMIT order/],
  [{ displayQuantity: 1 }, /INVALID_QUANTITY INTERNAL displayQuantity must be a multiple of the lot size 2, found 1/],
  [{ displayQuantity: -2 }, /INVALID_QUANTITY INTERNAL displayQuantity must be above 0, or 0 for a hidden order, found -2/],
  [{ autoBorrow: true }, /autoBorrow/], [{ autoRepay: true }, /autoRepay/], [{ walletType: 'MARGIN' }, /wallet type MARGIN/],
  [{ instrumentId: 9 }, /UNKNOWN_INSTRUMENT INTERNAL no instrument has the id 9/],
  [{ instrumentId: 0 }, /UNKNOWN_INSTRUMENT INTERNAL the run has no instrument of the name by which this one was asked for/],
]

/** What a venue lacks, by its profile. */
const LACKS: readonly (readonly [Partial<PlaceEntry>, RegExp])[] = [
  [{ type: 'STOP_LIMIT', triggerPrice: 100 }, /NOT_SUPPORTED INTERNAL order type STOP_LIMIT is not among LIMIT, MARKET$/],
  [{ type: 'PRIMARY_PEGGED', price: null }, /NOT_SUPPORTED INTERNAL order type PRIMARY_PEGGED/],
  [{ displayQuantity: 2 }, /NOT_SUPPORTED INTERNAL this venue does not support displayQuantity/],
  [{ triggerPrice: 100 }, /triggerPrice/], [{ pegOffsetValue: 5 }, /pegOffsetValue/], [{ closeOnly: true }, /closeOnly/], [{ reduceOnly: true }, /reduceOnly/],
]
const PLAIN: VenueProfile = {
  ...GENERIC_PROFILE, name: 'plain', orders: {},
  capabilities: { ...GENERIC_PROFILE.capabilities, orderTypes: ['LIMIT', 'MARKET'], displayQuantity: false, closeOnly: false, reduceOnly: false, amend: false, replace: false },
}
/** What a profile allows, but does not say enough of. */
const UNSAID: VenueProfile = { ...GENERIC_PROFILE, name: 'unsaid', orders: {} }
const UNKNOWN: readonly (readonly [Partial<PlaceEntry>, RegExp])[] = [
  [{ type: 'STOP_LIMIT', triggerPrice: 100 }, /NOT_SUPPORTED INTERNAL .*orders.defaultTrigger/],
  [{ displayQuantity: 0 }, /NOT_SUPPORTED INTERNAL .*orders.hiddenOrders/],
  [{ closeOnly: true }, /NOT_SUPPORTED INTERNAL .*orders.closeOnlyCancelsOthers/],
]

const isolatedOf = (...modes: ('cross' | 'isolated')[]): VenueProfile => marginProfile(modes, { capabilities: { ...GENERIC_PROFILE.capabilities, walletTypes: ['ACCOUNT', 'ISOLATED'] } })
const ISOLATED = /INVALID_REQUEST INTERNAL walletType ISOLATED is for orders of isolated positions: openClose OPEN or CLOSE/

describe('an order of the wallet ISOLATED', () => {
  test.each<[string, VenueProfile, Partial<PlaceEntry>, RegExp | null, Partial<Instrument>?]>([
    ['opens an isolated position', isolatedOf('cross', 'isolated'), { openClose: 'OPEN' }, null],
    ['closes one', isolatedOf('cross', 'isolated'), { openClose: 'CLOSE' }, null],
    ['is net where all positions are isolated', isolatedOf('isolated'), {}, null],
    ['is net where net positions are cross', isolatedOf('cross', 'isolated'), {}, ISOLATED],
    ['is AUTO there', isolatedOf('cross', 'isolated'), { openClose: 'AUTO' }, ISOLATED],
    ['is for spot', isolatedOf('isolated'), {}, ISOLATED, { type: 'spot' }],
    ['has no such wallet', marginProfile(['cross', 'isolated']), { openClose: 'OPEN' }, /NOT_SUPPORTED INTERNAL wallet type ISOLATED is not among ACCOUNT$/],
  ])('%s', (_name, profile, entry, expected, more = {}) => {
    const errors: string[] = []
    bench(errors, more, profile).run([{ timeNs: 2, send: (client) => { client.place([placeEntry('o', { price: 100, totalQuantity: 2, walletType: 'ISOLATED', ...entry })]) } }])
    if (expected === null) expect(errors.filter((one) => one.includes('INTERNAL'))).toEqual([])
    else expect(errors).toEqual([expect.stringMatching(expected)])
  })
})

describe('the adapter refuses at once', () => {
  test('amend and replace where the venue has none; reduceOnly on spot', () => {
    const errors: string[] = []
    const ids = { ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b' }
    bench(errors, {}, PLAIN).run([
      { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { totalQuantity: 2 })]) } },
      { timeNs: 20, send: (entry) => { entry.amend([{ ...ids, price: 105 }]) } },
      { timeNs: 20, send: (entry) => { entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'c', currentClientOrderId: 'a', newClientOrderId: 'b' }]) } },
    ])
    bench(errors, { type: 'spot' }).run([{ timeNs: 3, send: (entry) => { entry.place([placeEntry('d', { totalQuantity: 2, reduceOnly: true })]) } }])
    expect(errors).toEqual([
      expect.stringMatching(/^20 NOT_SUPPORTED INTERNAL this venue does not support amend/), expect.stringMatching(/^20 NOT_SUPPORTED INTERNAL this venue does not support replace/),
      expect.stringMatching(/^3 NOT_SUPPORTED INTERNAL reduceOnly needs a position/),
    ])
  })

  test.each(REFUSALS)('%j', (terms, words) => {
    const errors: string[] = []
    bench(errors).run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { totalQuantity: 2, ...terms })]) } }])
    expect(errors).toEqual([expect.stringMatching(words)])
  })

  test.each([...LACKS.map((row) => [PLAIN, ...row] as const), ...UNKNOWN.map((row) => [UNSAID, ...row] as const)])('by the profile %#', (profile, terms, words) => {
    const errors: string[] = []
    bench(errors, {}, profile).run([{ timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { totalQuantity: 2, ...terms })]) } }])
    expect(errors).toEqual([expect.stringMatching(words)])
  })

  test('an id that was used before, another instrument in one request, an exchange that the account is not of', () => {
    const errors: string[] = []
    const twice = placeEntry('a', { totalQuantity: 2 })
    bench(errors).run([{ timeNs: 2, send: (entry) => { entry.place([twice, twice, { ...twice, ownOrderId: 'b', instrumentId: 2 }]) } }])
    bench(errors, { exchangeCode: 'other' }).run([{ timeNs: 3, send: (entry) => { entry.place([twice]) } }])
    expect(errors).toEqual([expect.stringMatching(/^2 ORDER_ID_DUPLICATE/), expect.stringMatching(/^2 INVALID_REQUEST/), expect.stringMatching(/^3 ACCESS_DENIED/)])
  })

  test('amend and replace: terms that do not fit, fields that the venue lacks, a new id that is not new', () => {
    const errors: string[] = []
    const ids = { ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b' }
    bench(errors).run([
      { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { totalQuantity: 2 })]) } },
      { timeNs: 20, send: (entry) => { entry.amend([{ ...ids, price: 101 }, { ...ids, totalQuantity: 3 }, { ...ids, triggerPrice: 1 }, { ...ids, pegOffsetValue: 0.5 }]) } },
      { timeNs: 21, send: (entry) => { entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b' }]) } },
    ])
    expect(errors.map((error) => error.split(' ').slice(0, 3).join(' '))).toEqual(['20 INVALID_PRICE INTERNAL', '20 INVALID_QUANTITY INTERNAL', '20 INVALID_PRICE INTERNAL', '20 INVALID_PRICE INTERNAL', '21 ORDER_ID_DUPLICATE INTERNAL'])
  })
})

test('login: an account that does not exist, and fees by value where the fee underlying is neither base nor counter', () => {
  expect(() => new ExchangeBench({ instruments: [{ instrument, batches: [] }], clients: { c: 'X' }, accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' } }] })).toThrow(/must be one of A/)
  expect(() => { checkFees('A', { maker: '0', taker: '0.001' }, madeInstrument({ feeUnderlyingId: 77 })) }).toThrow(/fees by value on test:TEST: its fee underlying 77/)
  expect(() => { checkFees('A', { maker: '0', taker: '0.001', by: 'fill' }, madeInstrument({ feeUnderlyingId: 77 })) }).not.toThrow()
  expect(() => { checkFees('A', { maker: '0', taker: '0' }, madeInstrument({ feeUnderlyingId: 77 })) }).not.toThrow()
})

test('a client name logs in to an account once', () => {
  const { worlds } = bench([])
  const again = (): void => void worlds[0]!.connect('c', 'A', NOBODY, () => 0)
  expect(again).toThrow(/Cannot log in "c" to account "A": a client of this name is logged in already/)
})

test('one client on two accounts, one order id on both: each order lives by itself, each answer comes by its own way', () => {
  const received: string[] = []
  const accounts = ['A', 'B'].map((accountId) => ({ accountId, exchangeCode: 'test', balances: new Map<number, string>(), fees: { maker: '0', taker: '0' } }))
  const made = new ExchangeBench({ instruments: [{ instrument, batches: [book] }], accounts, assumptions: { requestLatency: constantLatency(5), responseLatency: constantLatency(5) } })
  const [world] = made.worlds
  const listener = (account: string): OrderEntryListener => ({
    ...NOBODY, onOrderUpdate: (orders) => { for (const order of orders) received.push(`${account} ${String(order.ownOrderId)} ${order.state} ${order.price}`) },
    onCancelResponse: (results) => { for (const { error } of results) received.push(`${account} cancel ${error?.type ?? 'ok'}`) },
  })
  const first = world!.connect('both', 'A', listener('A'), () => made.nowNs)
  const second = world!.connect('both', 'B', listener('B'), () => made.nowNs)
  made.run([
    { timeNs: 2, send: () => { first.place([placeEntry('x', { totalQuantity: 2, price: 95 })]) } },
    { timeNs: 2, send: () => { second.place([placeEntry('x', { totalQuantity: 2, price: 90 })]) } },
    { timeNs: 20, send: () => { first.cancel([{ ownOrderId: 'x' }]) } },
    { timeNs: 40, send: () => { first.cancel([{ ownOrderId: 'x' }]) } },
  ])
  expect(received).toEqual(['A x CONFIRMED 95', 'B x CONFIRMED 90', 'A cancel ok', 'A x CANCELED 95', 'A cancel ORDER_NOT_FOUND'])
  expect([...world!.orders.openOrders()].map(({ accountId, price }) => [accountId, price])).toEqual([['B', 90]])
})

const emptyMemory = (): MadeAdapter => new MadeAdapter({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' } }, { entries: [], get: () => ({ instrument, priceScale: 0, quantityScale: 0 }) })

test('what an adapter knows of orders that are over stays bounded, over a checkpoint too; those that are open it never forgets', () => {
  const memory = emptyMemory()
  const idOf = (at: number): string => `o${at}`
  for (let at = 0; at < 3 * ENDED_ORDERS; at++) {
    memory.place([placeEntry(idOf(at), { totalQuantity: 2 })])
    if (at > 0) memory.index.ended(idOf(at))
  }
  expect([memory.index.instrumentOf(idOf(0)), memory.index.instrumentOf(idOf(1)), memory.index.instrumentOf(idOf(3 * ENDED_ORDERS - 1))]).toEqual([1, 0, 1])
  const { rows, ended, endedBefore } = memory.table.of('A').state()
  expect([rows.size, ended.size + endedBefore.size < 2 * ENDED_ORDERS]).toEqual([1, true])
  expect(memory.place([placeEntry(idOf(0), { totalQuantity: 2 })]).refused[0]?.error?.type).toBe('ORDER_ID_DUPLICATE')
  const restored = emptyMemory()
  restored.table.restore(throughJson(memory.table.state()))
  const known = (one: MadeAdapter): number[] => [0, 1, ENDED_ORDERS, ENDED_ORDERS + 1, 2 * ENDED_ORDERS, 2 * ENDED_ORDERS + 1, 3 * ENDED_ORDERS - 1].map((at) => one.index.instrumentOf(idOf(at)))
  expect([known(memory), known(restored)]).toEqual([[1, 0, 0, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1, 1]])
})

test('an order that is told to be over twice stays known, and one that was never sent unknown', () => {
  const memory = emptyMemory()
  memory.place([placeEntry('a', { totalQuantity: 2 })])
  for (const id of ['a', 'a', 'stranger']) memory.index.ended(id)
  expect([memory.index.instrumentOf('a'), memory.index.instrumentOf('stranger'), memory.table.of('A').state().ended.ids()]).toEqual([1, 0, ['a']])
  const replaced = (exchangeOrderId?: string) => memory.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'c', ...(exchangeOrderId === undefined ? {} : { exchangeOrderId }) }]).refused
  expect([replaced('x'), replaced()]).toMatchObject([[{ exchangeOrderId: 'x', ownOrderId: 'a', clientOrderId: 'c', error: { type: 'ORDER_ID_DUPLICATE' } }], [{ exchangeOrderId: '' }]])
})

test('contexts can be set of the latest fills; of one that is older neither is kept', () => {
  const memory = emptyMemory()
  const contextOf = (ownFillId: string): unknown => memory.index.withContext({ ownFillId } as Fill).context
  const set = (ownFillId: string): string | undefined => memory.index.fillContext([{ ownFillId, context: { of: ownFillId } }])[0]?.error?.type
  for (const id of ['old', 'second']) memory.index.filled(id)
  expect([set('old'), set('second'), contextOf('old')]).toEqual([undefined, undefined, { of: 'old' }])
  for (let at = 0; at < KNOWN_FILLS - 1; at++) memory.index.filled(`fill ${at}`)
  expect([set('old'), contextOf('old'), set('second'), contextOf('second')]).toEqual(['FILL_NOT_FOUND', undefined, undefined, { of: 'second' }])
})

test('a latency of your own must give whole nanoseconds from 0', () => {
  for (const wrong of [-1, 0.5, NaN, Infinity]) {
    const made = new ExchangeBench({ instruments: [{ instrument, batches: [book] }], assumptions: { requestLatency: { name: 'mine', latencyNs: () => wrong } } })
    expect(() => { made.run([{ timeNs: 2, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }]) }).toThrow(/latency mine: it must give whole nanoseconds from 0/)
  }
})

test('latencies: constant, sampled by message number, proportional, interpolated between recorded round trips', () => {
  const random = new RandomNumbers(1, 'latency', 0)
  const at = (timeNs: number, number = 0, feedLatencyNs = 0) => ({ timeNs, number, feedLatencyNs, random })
  expect(constantLatency(7).latencyNs(at(1))).toBe(7)
  const sampled = sampledLatency('uniform', (numbers, number) => 100 * numbers.uniform(number))
  expect(sampled.latencyNs(at(5, 3))).toBe(sampled.latencyNs(at(99, 3)))
  expect(sampled.latencyNs(at(5, 3))).not.toBe(sampled.latencyNs(at(5, 4)))
  expect(proportionalLatency(2, 10).latencyNs(at(1, 0, 21))).toBe(52)
  const trips = [{ requestNs: 0, exchangeNs: 10, responseNs: 30 }, { requestNs: 100, exchangeNs: 130, responseNs: 140 }]
  expect([-5, 0, 50, 100, 500].map((timeNs) => interpolatedLatency(trips, 'request').latencyNs(at(timeNs)))).toEqual([10, 10, 20, 30, 30])
  expect([0, 70, 900].map((timeNs) => interpolatedLatency(trips, 'response').latencyNs(at(timeNs)))).toEqual([20, 15, 10])
  expect(() => interpolatedLatency([], 'request')).toThrow(/no rows/)
})

test('queue models by name; a name or an exponent that means nothing is refused with what would', () => {
  expect(['riskAverse', 'power', 'power2', 'power3', 'log', 'log2'].map((name) => queueModelFromName(name).name)).toEqual(['riskAverse', 'power(3)', 'power2(3)', 'power3(3)', 'log', 'log2'])
  expect(() => queueModelFromName('toString')).toThrow(/must be one of riskAverse, power, power2, power3, log, log2/)
  for (const exponent of [0, 1.5, NaN, 65]) expect(() => queueModelFromName('power', exponent)).toThrow(/whole number from 1 to 64/)
})

test('ids are UUIDs, a function of seed, purpose and number alone', () => {
  const ids = [0, 1, 2].map((number) => uuidFromRandom(new RandomNumbers(1, 'ids', 0), number))
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(uuidFromRandom(new RandomNumbers(1, 'ids', 0), 1)).toBe(ids[1])
})
