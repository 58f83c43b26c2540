import { describe, expect, test } from 'vitest'
import { crossingError, enter, gapRefusal, orderReport, type TradedInstrument } from '../../src/exchange/matching/order-engine.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { madeOrder, type MadeOrder } from '../support/made-orders.ts'
import { DEFAULT_ASSUMPTIONS } from '../support/exchange-bench.ts'
import { madeInstrument } from '../support/market-lines.ts'

/** A market at ten times the instrument's prices, which have a digit themselves, and a hundred times its quantities. */
const tradedAt = (bestBidPrice: number, bestAskPrice: number): TradedInstrument => ({
  entry: { instrument: madeInstrument(), priceScale: 1, quantityScale: 0 }, priceFactor: 10, quantityFactor: 100, quantityDivisor: 1, market: { priceScale: 2, bookUnknown: null, shown: { bestBidPrice, bestAskPrice } },
} as unknown as TradedInstrument)
const traded = tradedAt(99_900, 100_100)
const orderOf = (more: Partial<MadeOrder>): OrderAtExchange => madeOrder({ price: 99_900, totalQuantity: 500, executedQuantity: 200, postOnly: true, ...more }, traded)

describe('what an update says of an order', () => {
  const plain = { ownOrderId: 'o', exchangeOrderId: 'e', clientOrderId: 'n', instrumentId: 1, type: 'LIMIT', side: 'BID', state: 'CONFIRMED', timeInForce: 'GOOD_TILL_CANCEL', price: 9_990, totalQuantity: 5, executedQuantity: 2, postOnly: true, exchangeTimeNs: 7 }
  const owner = { instanceId: '1', instanceName: 'maker', processId: 'p', org: 'o', version: '2' }

  test('its numbers in the digits of the run, and no field that it does not have', () => {
    expect(orderReport(traded, orderOf({}), 7)).toStrictEqual(plain)
    expect(orderReport(traded, orderOf({ type: 'MARKET', price: null }), 7)).toStrictEqual({ ...plain, type: 'MARKET', price: null })
  })

  test.each<[Partial<MadeOrder>, object]>([
    [{ closeOnly: true }, { closeOnly: true }], [{ reduceOnly: false }, { reduceOnly: false }], [{ openClose: 'CLOSE' }, { openClose: 'CLOSE' }], [{ walletType: 'ACCOUNT' }, { walletType: 'ACCOUNT' }],
    [{ owner }, { owner }], [{ context: { n: 1 } }, { context: { n: 1 } }], [{ triggered: false }, { triggered: false }],
    [{ displayQuantity: 300 }, { displayQuantity: 3 }], [{ displayQuantity: 0 }, { displayQuantity: 0 }], [{ triggerPrice: 101_000 }, { triggerPrice: 10_100 }], [{ pegOffsetValue: -30 }, { pegOffsetValue: -3 }],
  ])('of %j: %j', (of, said) => {
    expect(orderReport(traded, orderOf(of), 7)).toStrictEqual({ ...plain, ...said })
  })

  test('why it ended, where no answer says so', () => {
    const error = { type: 'LIQUIDATED', message: 'it was', source: 'EXCHANGE' } as const
    expect(orderReport(traded, orderOf({ state: 'CANCELED' }), 7, error)).toStrictEqual({ ...plain, state: 'CANCELED', error })
  })
})

test('a postOnly order that would cross is told the best of the other side, in as many digits as that takes', () => {
  const words = (of: TradedInstrument): string[] => (['BID', 'ASK'] as const).map((side) => crossingError(of, side).message.replace(/^.* is /, ''))
  expect(words(traded)).toEqual(['1001', '999'])
  expect(words(tradedAt(99_950, 100_110))).toEqual(['1001.1', '999.5'])
  expect(words(tradedAt(99_955, 100_111))).toEqual(['1001.11', '999.55'])
})

test('where the book is unknown, an order that needs it is refused, one that can wait rests', () => {
  const market = { bookUnknown: { reason: 'gap' } } as TradedInstrument['market']
  const needs = (of: Partial<MadeOrder>): string[] => (['assumeWorst', 'cancelAndWait', 'freeze', 'halt'] as const).map((policy) => gapRefusal(policy, market, orderOf({ postOnly: false, ...of }))?.message.replace(/^the book is unknown since a gap, and /, '').replace(/ \(.*$/, '') ?? '')
  const wait = 'new orders wait for it'
  const book = 'this order needs it'
  for (const waiting of [{}, { type: 'STOP_LIMIT' } as const]) expect(needs(waiting)).toEqual(['', wait, '', ''])
  for (const needing of [{ type: 'MARKET' }, { type: 'PRIMARY_PEGGED' }, { timeInForce: 'FILL_OR_KILL' }, { timeInForce: 'IMMEDIATE_OR_CANCEL' }, { postOnly: true }] as const) expect(needs(needing)).toEqual([book, wait, '', book])
  expect(needs({}).concat(gapRefusal('assumeWorst', traded.market, orderOf({}))?.message ?? 'known')).toContain('known')
})

test('an order that meets nobody rests, or is over where it cannot', () => {
  const rested: unknown[] = []
  const empty = { ...tradedAt(NaN, NaN), orders: { rest: (_order: unknown, price: number, wasAggressive: boolean) => rested.push([price, wasAggressive]) } } as unknown as TradedInstrument
  const after = (of: Partial<MadeOrder>): string => {
    const order = orderOf(of)
    return `${enter(empty, order, 7, DEFAULT_ASSUMPTIONS.switches)} ${order.state}`
  }
  expect([after({}), after({ timeInForce: 'IMMEDIATE_OR_CANCEL' }), after({ timeInForce: 'FILL_OR_KILL' }), after({ type: 'MARKET', price: null }), after({ executedQuantity: 500 })])
    .toEqual(['resting CONFIRMED', 'CANCELED CANCELED', 'CANCELED CANCELED', 'CANCELED CANCELED', 'FILLED FILLED'])
  expect(rested).toEqual([[99_900, false]])
})
