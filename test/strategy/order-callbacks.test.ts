import { describe, expect, test } from 'vitest'
import type { OrderChange } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { fakeEntry } from '../support/fake-market.js'
import { fillOf, reportOf, walletOf, type FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'

const ORDERS: readonly (keyof Strategy)[] = [
  'onOrderUpdate', 'onOrderError', 'onOrderFill', 'onOrderFillUpdate', 'onInstrumentPosition', 'onOrderEntryState', 'onAccountCancelAllOrdersResponse', 'onStop',
]
const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }

function running(options: Parameters<typeof startFake>[1] = {}): { venue: FakeVenue, strategy: RecordingStrategy } {
  const { venue, strategy } = startFake(recording(ORDERS), options)
  return { venue, strategy }
}

describe('the life of an order', () => {
  test('placed, confirmed, partly filled, filled: position first', () => {
    const { venue, strategy } = running()
    const { instrument, received } = strategy
    const order = instrument.placeOrder(BUY)
    expect([order.state, order.isOpen, instrument.openOrders.length]).toEqual(['PENDING_NEW', true, 1])
    expect(received).toEqual([])
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.execute(entry!, 4, { executed: 4, position: 4 })
    expect(order.exchangeOrderId).toBe('x-id-1')
    expect(order.getLastFill()).toMatchObject({ addedLiquidity: true, fees: '0.1', feeUnderlyingId: 20 })
    expect(instrument.openOrders).toEqual([order])
    venue.entry.execute(entry!, 6, { executed: 10, position: 10 })
    expect(received).toEqual([
      'onOrderUpdate(id-1 CONFIRMED 0)',
      'onInstrumentPosition(at 0.04)', 'onOrderFill(id-1 CONFIRMED 0)', 'onOrderUpdate(id-1 CONFIRMED 0.04)',
      'onInstrumentPosition(at 0.1)', 'onOrderFill(id-1 CONFIRMED 0.04)', 'onOrderUpdate(id-1 FILLED 0.1)',
    ])
    expect([order.isOpen, instrument.openOrders.length, order.getLastFill()!.quantity.toString()]).toEqual([false, 0, '0.06'])
  })

  test('what a callback asks for and cannot have is answered before the next message', () => {
    const { venue, strategy } = running()
    const orders = [strategy.instrument.placeOrder(BUY), strategy.instrument.placeOrder(BUY)]
    strategy.reactions.set('onOrderUpdate', () => { orders[0]!.amend({ price: Price.from('100.01') }) })
    venue.entry.listener.onOrderUpdate(venue.entry.placed.map((entry) => reportOf(entry)), 0)
    expect(strategy.received).toEqual(['onOrderUpdate(id-1 CONFIRMED 0)', 'onOrderError(id-1 CONFIRMED 0 INVALID_PRICE)', 'onOrderUpdate(id-3 CONFIRMED 0)'])
  })

  test('an array of open orders in hand never changes', () => {
    const { venue, strategy: { instrument } } = running()
    const none = instrument.openOrders
    const first = instrument.placeOrder(BUY)
    const one = instrument.openOrders
    const second = instrument.placeOrder(BUY)
    const third = instrument.placeOrder(BUY)
    const all = instrument.openOrders
    venue.entry.reject(venue.entry.placed[1]!)
    expect([none, one, all, instrument.openOrders]).toEqual([[], [first], [first, second, third], [first, third]])
  })

  test('a callback that a strategy gives itself while it runs is called', () => {
    const { venue, strategy } = startFake(recording([]))
    const order = strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    const called: unknown[] = []
    strategy.onOrderUpdate = (updated): undefined => { called.push(updated) }
    venue.entry.update(venue.entry.placed[0]!, {})
    expect(called).toEqual([order])
  })

  test('refused: REJECTED, out of the open orders, one error', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    venue.entry.reject(venue.entry.placed[0]!)
    expect(strategy.received).toEqual(['onOrderError(id-1 REJECTED 0 INVALID_PRICE)'])
    expect([order.lastError?.type, strategy.instrument.openOrders.length]).toEqual(['INVALID_PRICE', 0])
  })

  test('cancelled, and a cancel that meets a filled order', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    order.cancel()
    expect(venue.entry.requests.at(-1)).toEqual({ kind: 'cancel', entries: [{ ownOrderId: 'id-1', exchangeOrderId: 'x-id-1' }] })
    venue.entry.update(entry!, { state: 'FILLED', executedQuantity: 10 })
    venue.entry.listener.onCancelResponse([{ ownOrderId: 'id-1', error: { type: 'ORDER_NOT_FOUND', message: 'gone', source: 'EXCHANGE' } }], 0)
    expect(strategy.received.slice(1)).toEqual(['onOrderUpdate(id-1 FILLED 0.1)', 'onOrderError(id-1 FILLED 0.1 ORDER_NOT_FOUND)'])
    const second = strategy.instrument.placeOrder(BUY)
    venue.entry.update(venue.entry.placed[1]!, { state: 'CANCELED' })
    expect([second.state, strategy.instrument.openOrders.length]).toEqual(['CANCELED', 0])
  })

  test('ended by the exchange without a request: the update says why', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    const error = { type: 'SELF_TRADE', message: 'no', source: 'EXCHANGE' } as const
    venue.entry.update(venue.entry.placed[0]!, { state: 'CANCELED', error })
    expect([order.state, order.lastError]).toEqual(['CANCELED', error])
    expect(strategy.received).toEqual(['onOrderUpdate(id-1 CONFIRMED 0)', 'onOrderUpdate(id-1 CANCELED 0)'])
  })

  test('an amend is PENDING_AMEND until it is answered, also past a fill', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    order.amend({ price: Price.from('101'), quantity: Quantity.from('0.2') })
    expect(order.state).toBe('PENDING_AMEND')
    expect(venue.entry.requests.at(-1)).toEqual({
      kind: 'amend', entries: [{ ownOrderId: 'id-1', instrumentId: 1, currentClientOrderId: 'id-2', newClientOrderId: 'id-3', exchangeOrderId: 'x-id-1', price: 1010, totalQuantity: 20 }],
    })
    venue.entry.update(entry!, { executedQuantity: 3 })
    expect(order.state).toBe('PENDING_AMEND')
    venue.entry.listener.onAmendResponse([{ ownOrderId: 'id-1', clientOrderId: 'id-3', result: { price: 1010, totalQuantity: 20 } }], 0)
    venue.entry.update(entry!, { executedQuantity: 3, price: 1010, totalQuantity: 20, clientOrderId: 'id-3' })
    expect([order.state, order.price!.toString(), order.totalQuantity.toString(), order.clientOrderId]).toEqual(['CONFIRMED', '101', '0.2', 'id-3'])
    order.amend({ quantity: Quantity.from('0.01') })
    venue.entry.listener.onAmendResponse([{ ownOrderId: 'id-1', clientOrderId: 'id-4', error: { type: 'INVALID_QUANTITY', message: 'no', source: 'EXCHANGE' } }], 0)
    expect([order.state, strategy.received.at(-1)]).toEqual(['CONFIRMED', 'onOrderError(id-1 CONFIRMED 0.03 INVALID_QUANTITY)'])
  })

  test('an amend off the tick is refused within the instant, not within the call', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    order.amend({ price: Price.from('100.3') })
    expect(strategy.received).toHaveLength(1)
    venue.clock.settle()
    expect(strategy.received.at(-1)).toBe('onOrderError(id-1 CONFIRMED 0 INVALID_PRICE)')
    expect(order.lastError?.source).toBe('INTERNAL')
  })

  test.each<[unknown, RegExp]>([
    [null, /takes an object such as .*, found null/], [5, /takes an object such as .*, found 5/],
    [{ pirce: Price.from('1') }, /"pirce" is not a field of OrderChange \(price, quantity,/],
    [{ price: 1.05 }, /price must be a Price, such as instrument\.price\('1\.5'\), found 1\.05/], [{ quantity: '0.1' }, /quantity must be a Quantity/],
  ])('a change %j is refused by amend and replace, and nothing is sent', (change, sentence) => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    const before = venue.entry.requests.length
    for (const verb of ['amend', 'replace'] as const) expect(() => { order[verb](change as OrderChange) }).toThrow(sentence)
    expect([venue.entry.requests.length, order.state]).toEqual([before, 'CONFIRMED'])
  })

  test('a replace whose place fails: the old one is cancelled, the new one rejected', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    const fresh = order.replace({ price: Price.from('99') })
    expect(venue.entry.requests.at(-1)).toEqual({
      kind: 'replace', entries: [{ currentOwnOrderId: 'id-1', instrumentId: 1, newOwnOrderId: 'id-3', currentClientOrderId: 'id-2', newClientOrderId: 'id-4', exchangeOrderId: 'x-id-1', price: 990 }],
    })
    venue.entry.update(entry!, { state: 'CANCELED' })
    venue.entry.listener.onReplaceResponse([{ exchangeOrderId: 'x', ownOrderId: 'id-3', clientOrderId: 'id-4', error: { type: 'INVALID_PRICE', message: 'no', source: 'EXCHANGE' } }], 0)
    expect([order.state, fresh.state, strategy.instrument.openOrders.length]).toEqual(['CANCELED', 'REJECTED', 0])
    expect(strategy.received.slice(1)).toEqual(['onOrderUpdate(id-1 CANCELED 0)', 'onOrderError(id-3 REJECTED 0 INVALID_PRICE)'])
  })

  test('a replace that succeeds is a new order', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    const fresh = order.replace({ quantity: Quantity.from('0.3') })
    venue.entry.update(entry!, { state: 'CANCELED' })
    venue.entry.listener.onReplaceResponse([{ exchangeOrderId: 'x-9', ownOrderId: 'id-3', clientOrderId: 'id-4', result: { price: 1000, totalQuantity: 30 } }], 0)
    expect(fresh.exchangeOrderId).toBe('x-9')
    venue.entry.update({ ...entry!, ownOrderId: 'id-3', clientOrderId: 'id-4', totalQuantity: 30 }, {})
    expect([fresh.state, fresh.totalQuantity.toString(), strategy.instrument.openOrders]).toEqual(['CONFIRMED', '0.3', [fresh]])
  })

  test('orders and fills of other clients of the account are not ours', () => {
    const { venue, strategy } = running()
    strategy.instrument.placeOrder(BUY)
    const other = { ...venue.entry.placed[0]!, ownOrderId: 'other' }
    venue.entry.confirm(other)
    venue.entry.execute(other, 1, { executed: 1, position: 1 })
    expect(strategy.received).toEqual(['onInstrumentPosition(at 0.01)'])
  })

  test('late data of a fill', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.listener.onFill([fillOf(entry!, 10)], 0)
    venue.entry.update(entry!, { state: 'FILLED', executedQuantity: 10 })
    venue.entry.listener.onFill([fillOf(entry!, 10, { update: true, fees: '0.7' })], 0)
    expect(strategy.received.at(-1)).toBe('onOrderFillUpdate(id-1 FILLED 0.1)')
    expect(order.getLastFill()?.fees).toBe('0.7')
  })

  test('a cancel of an order that was never sent goes to the adapter, which does not know it', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder({ ...BUY, price: Price.from('100.1') })
    order.cancel()
    venue.entry.listener.onCancelResponse([{ ownOrderId: order.ownOrderId, error: { type: 'ORDER_NOT_FOUND', message: '', source: 'EXCHANGE' } }], 0)
    expect(strategy.received).toEqual(['onOrderError(id-1 DISCARDED 0 ORDER_NOT_FOUND)'])
  })
})

test.each<[OrderChange, object]>([
  [{ price: Price.from('101') }, { price: 1010 }], [{ quantity: Quantity.from('0.2') }, { totalQuantity: 20 }], [{ price: Price.from('101'), quantity: Quantity.from('0.2') }, { price: 1010, totalQuantity: 20 }],
])('an amend and a replace of %j name nothing else', (change, terms) => {
  const { venue, strategy } = running()
  const order = strategy.instrument.placeOrder(BUY)
  venue.entry.confirm(venue.entry.placed[0]!)
  const sent = (): object => {
    const request = venue.entry.requests.at(-1)! as unknown as { readonly entries: readonly object[] }
    const named = Object.entries(request.entries[0]!).filter(([name]) => !/Id$/.test(name))
    return Object.fromEntries(named)
  }
  order.amend(change)
  expect(sent()).toStrictEqual(terms)
  order.replace(change)
  expect(sent()).toStrictEqual(terms)
})

test('positions that are isolated alone count as positions', () => {
  const { venue, strategy } = running()
  const side = (size: number) => ({ size })
  venue.entry.listener.onPositionUpdate([], 0, [{ instrumentId: strategy.instrument.id, long: side(7), short: side(3) }])
  expect(strategy.instrument.position.toString()).toBe('0.04')
  venue.entry.listener.onPositionUpdate([{ instrumentId: strategy.instrument.id, longPosition: 0, shortPosition: 5 }], 0, [{ instrumentId: strategy.instrument.id, long: side(7), short: side(3) }, { instrumentId: 99, long: side(1), short: side(0) }])
  expect(strategy.instrument.position.toString()).toBe('-0.01')
  expect(strategy.received).toEqual(['onInstrumentPosition(at 0.04)', 'onInstrumentPosition(at -0.01)'])
})

describe('accounts', () => {
  test('cancelAll is answered with null or the error', () => {
    const { venue, strategy } = running()
    strategy.instrument.account.cancelAllOrders()
    expect(venue.entry.requests).toEqual([{ kind: 'cancelAll', request: { requestId: 'id-1', createTimeNs: 0 } }])
    venue.entry.listener.onCancelAllResponse({ requestId: 'id-1', adapterTimeNs: 0 })
    venue.entry.listener.onCancelAllResponse({ requestId: 'id-1', adapterTimeNs: 0, error: { type: 'NOT_SUPPORTED', message: '', source: 'INTERNAL' } })
    expect(strategy.received).toEqual(['onAccountCancelAllOrdersResponse( null)', 'onAccountCancelAllOrdersResponse( NOT_SUPPORTED)'].map((text) => text.replace('( ', '(')))
  })

  test.each([
    ['OK', 'READY'], ['DISCONNECTED', 'DEGRADED'], ['EXCHANGE_BUSY', 'DEGRADED'], ['MANUAL_SHUTDOWN', 'NOT_AVAILABLE'], ['something new', 'DEGRADED'],
  ])('status %s is %s', (status, state) => {
    const { venue, strategy } = running()
    venue.entry.listener.onAccountStatus({ ...venue.entry.initial, status })
    expect(strategy.instrument.account.state).toBe(state)
    expect(strategy.received).toEqual(state === 'READY' ? [] : [`onOrderEntryState(${state})`])
  })

  test('positions and wallets at login are known in onStart, without a callback', () => {
    const { strategy } = running({ positions: [{ instrumentId: 1, longPosition: 0, shortPosition: 25 }], wallets: [walletOf(20, '1000.5')] })
    expect([strategy.instrument.position.toString(), strategy.instrument.account.available(20).toString(), strategy.received.length]).toEqual(['-0.25', '1000.5', 0])
    expect(strategy.instrument.account.available(99).toString()).toBe('0')
  })

  test('on spot the wallet of the base underlying is the position', () => {
    const { venue, strategy } = running({ entries: [fakeEntry({ type: 'spot' })], wallets: [walletOf(10, '2'), walletOf(20, '50')] })
    expect(strategy.instrument.position.toString()).toBe('2')
    venue.entry.position({ instrumentId: 1, longPosition: 77, shortPosition: 0 })
    venue.entry.listener.onWalletUpdate([walletOf(10, '2.000'), walletOf(20, '40')], 0)
    expect(strategy.received).toEqual([])
    venue.entry.listener.onWalletUpdate([walletOf(10, '2.0000001'), walletOf(20, '40')], 0)
    expect(strategy.received).toEqual(['onInstrumentPosition(at 2.0000001)'])
  })
})

describe('shuffled callbacks', () => {
  const orders = new Set<string>()
  test.each(Array.from({ length: 40 }, (_, seed) => seed))('seed %d keeps every guarantee', (shuffleSeed) => {
    const { venue, strategy } = running({ shuffleSeed })
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.execute(entry!, 4, { executed: 4, position: 4 })
    venue.entry.execute(entry!, 6, { executed: 10, position: 10 })
    expect(strategy.received).toEqual([])
    venue.clock.settle()
    const names = strategy.received.map((received) => received.replace(/\(.*/, ''))
    orders.add(names.join(' '))
    expect([...names].sort()).toEqual(['onInstrumentPosition', 'onInstrumentPosition', 'onOrderFill', 'onOrderFill', 'onOrderUpdate', 'onOrderUpdate', 'onOrderUpdate'])
    const at = (name: string, nth: number): number => names.flatMap((found, i) => (found === name ? [i] : []))[nth]!
    for (const nth of [0, 1]) expect(at('onInstrumentPosition', nth)).toBeLessThan(Math.min(at('onOrderFill', nth), at('onOrderUpdate', nth + 1)))
    expect(strategy.received.filter((received) => received.startsWith('onOrderUpdate')).map((received) => received.slice(-6))).toEqual(['MED 0)', ' 0.04)', 'D 0.1)'])
  })

  test.each([[['2.5', '2'], ['2.5', '2']], [['2.5', '2.5', '3'], ['2.5', '3']], [['2'], []]])('spot balances %j of one instant are told each as it was, once: %j', (balances, told) => {
    const { venue, strategy } = running({ shuffleSeed: 1, entries: [fakeEntry({ type: 'spot' })], wallets: [walletOf(10, '2'), walletOf(20, '50')] })
    for (const balance of balances) venue.entry.listener.onWalletUpdate([walletOf(10, balance), walletOf(20, '40')], 0)
    expect(strategy.instrument.position.toString()).toBe('2')
    venue.clock.settle()
    expect(strategy.received).toEqual(told.map((balance) => `onInstrumentPosition(at ${balance})`))
    expect(strategy.instrument.position.toString()).toBe(told.at(-1) ?? '2')
  })

  test('the seeds show many orders, and one seed always the same', () => {
    expect(orders.size).toBeGreaterThan(5)
  })

  test('nothing else happens before what waits: neither a line nor a timer', () => {
    const { venue, strategy } = startFake(recording([...ORDERS, 'onInstrumentTrades']), { shuffleSeed: 3 })
    strategy.after(0, () => { strategy.received.push('timer') }, {})
    strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    venue.line(2)
    expect(strategy.received.map((received) => received.replace(/\(.*/, ''))).toEqual(['onOrderUpdate', 'onInstrumentTrades'])
    venue.entry.update(venue.entry.placed[0]!, { executedQuantity: 1 })
    venue.clock.settle()
    expect(strategy.received.slice(2)).toEqual(['onOrderUpdate(id-1 CONFIRMED 0.01)', 'timer'])
  })
})

test('no callback runs inside a request', () => {
  const { venue, strategy } = running()
  let depth = 0
  let seen = 0
  const guard = (): void => {
    seen++
    expect(depth).toBe(0)
    depth++
    strategy.instrument.placeOrder(BUY)
    depth--
  }
  strategy.reactions.set('onOrderUpdate', guard)
  strategy.instrument.placeOrder(BUY)
  venue.entry.confirm(venue.entry.placed[0]!)
  expect([seen, venue.entry.placed.length]).toEqual([1, 2])
})
