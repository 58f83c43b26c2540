import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { amendedFields, judgeAmend } from '../../src/exchange/matching/order-admission.js'
import type { TradedInstrument } from '../../src/exchange/matching/order-engine.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { madeOrder, type MadeOrder } from '../support/made-orders.ts'
import type { AmendEntry } from '../../src/venue/messages.js'
import { DEFAULT_ASSUMPTIONS } from '../support/exchange-bench.ts'
import { madeInstrument } from '../support/market-lines.ts'

/** A market at ten times the instrument's prices and a hundred times its quantities, whose last trade was at 105. */
const traded = {
  entry: { instrument: madeInstrument(), priceScale: 0, quantityScale: 0 }, priceFactor: 10, quantityFactor: 100, quantityDivisor: 1, expiryNs: 50,
  market: { priceScale: 1, bookUnknown: null, prices: { of: () => ({ value: 105, scale: 0 }) }, shown: { bestBidPrice: 1000, bestAskPrice: 1020 } },
  orders: { resting: () => [] },
} as unknown as TradedInstrument
const account = (triggersAtArrival: boolean): Account => new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, orders: { ...GENERIC_PROFILE.orders, triggersAtArrival } } })
const orderOf = (more: Partial<MadeOrder>): OrderAtExchange => madeOrder({ price: 1000, totalQuantity: 500, ...more }, traded)
const STOP = (triggerPrice: number, triggered: boolean): Partial<MadeOrder> => ({ type: 'STOP_LIMIT', triggerPrice, triggered, isDormant: true })
const stop = (triggerPrice: number, triggered: boolean): OrderAtExchange => orderOf(STOP(triggerPrice, triggered))
const amend = (change: Partial<AmendEntry>): AmendEntry => ({ ownOrderId: 'o', currentClientOrderId: 'o', newClientOrderId: 'x', ...change })
const judged = (order: OrderAtExchange, change: Partial<AmendEntry>, triggersAtArrival = false) => judgeAmend(account(triggersAtArrival), traded, order, amend(change), DEFAULT_ASSUMPTIONS, 1)

describe('what an amend says of itself', () => {
  test.each<[Partial<AmendEntry>, Partial<MadeOrder>, object]>([
    [{ price: 99 }, {}, { price: 99 }],
    [{ totalQuantity: 9 }, { totalQuantity: 300 }, { totalQuantity: 3 }],
    [{ triggerPrice: 107 }, STOP(1070, false), { triggerPrice: 107 }],
    // A peg's price is what its new offset made of it.
    [{ pegOffsetValue: 2 }, { type: 'MARKET_PEGGED', price: 990 }, { price: 99, pegOffsetValue: 2 }],
    [{ pegOffsetValue: 2 }, { type: 'MARKET_PEGGED', price: null }, { pegOffsetValue: 2 }],
    [{ context: { n: 1 } }, {}, {}],
  ])('%j', (change, order, fields) => {
    expect(amendedFields(traded, orderOf(order), amend(change))).toStrictEqual(fields)
  })
})

describe('a stop order that waits', () => {
  test.each([
    ['a trigger ahead', 106, false, 'taken'], ['at the reference', 105, false, 'TRIGGER_ALREADY_REACHED'], ['behind it', 104, false, 'TRIGGER_ALREADY_REACHED'],
    ['behind it where the venue triggers at once', 104, true, 'taken'],
  ] as const)('%s', (_name, triggerPrice, atOnce, expected) => {
    const outcome = judged(stop(1080, false), { triggerPrice }, atOnce)
    expect(outcome.error?.type ?? 'taken').toBe(expected)
    if (outcome.error === null) expect([outcome.terms.triggerPrice, outcome.stays]).toEqual([triggerPrice * 10, true])
  })

  test('one that was triggered takes other terms, and no other trigger', () => {
    expect(judged(stop(1040, true), { price: 103 })).toMatchObject({ error: null, terms: { price: 1030, triggerPrice: 1040 }, stays: true })
    expect(judged(stop(1040, true), { triggerPrice: 107 }).error?.type).toBe('INVALID_REQUEST')
  })
})

test('a postOnly order that would cross is refused a new price, not a new quantity at its own', () => {
  const crossed = orderOf({ price: 1020, postOnly: true })
  const taking = orderOf({ price: 1020 })
  expect(judged(crossed, { totalQuantity: 9 })).toMatchObject({ error: null, stays: false })
  expect(judged(crossed, { price: 103 }).error?.type).toBe('POST_ONLY_WOULD_CROSS')
  expect(judged(crossed, { price: 101 })).toMatchObject({ error: null, terms: { price: 1010 } })
  expect(judged(taking, { price: 103 }).error).toBeNull()
})

test('from the end of its contract on an order takes no terms', () => {
  const at = (timeNs: number): string | undefined => judgeAmend(account(false), traded, orderOf({}), amend({ price: 99 }), DEFAULT_ASSUMPTIONS, timeNs).error?.type
  expect([at(49), at(50)]).toEqual([undefined, 'INSTRUMENT_EXPIRED'])
})
