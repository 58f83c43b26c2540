import { expect, test } from 'vitest'
import { ConditionalOrders } from '../../src/exchange/matching/conditional-orders.js'
import type { ExchangeMarket } from '../../src/exchange/market/exchange-market.js'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { madeOrder, type MadeOrder } from '../support/made-orders.ts'
import type { RestingOrders } from '../../src/exchange/matching/resting-orders.js'
import { throughJson } from '../support/through-json.ts'

interface Kept {
  readonly conditions: ConditionalOrders
  readonly market: { bookUnknown: object | null, lastTrade: number, readonly shown: { bestBidPrice: number, bestAskPrice: number } }
  /** What the keeper asked of market and orders, and when it planned. */
  readonly received: string[]
}

/** A keeper over a market of 100 and 102 whose last trade was at 101. */
function kept(): Kept {
  const received: string[] = []
  const market = {
    priceScale: 0, bookUnknown: null, lastTrade: 101, shown: { bestBidPrice: 100, bestAskPrice: 102 }, prices: { of: () => ({ value: market.lastTrade, scale: 0 }) },
    worlds: { watchConditions: () => received.push('watch'), unwatchConditions: () => received.push('unwatch') },
  } as Kept['market'] & { readonly prices: object }
  const orders = { retain: () => received.push('hold'), release: () => received.push('let go') }
  return { conditions: new ConditionalOrders(market as unknown as ExchangeMarket, orders as unknown as RestingOrders, (timeNs) => received.push(`plan ${timeNs}`)), market, received }
}

const orderOf = (more: Partial<MadeOrder>): OrderAtExchange => madeOrder({ price: 103, ...more })
const STOP = { type: 'STOP_LIMIT', triggerPrice: 104, isDormant: true, triggered: false } as const
const stop = (): OrderAtExchange => orderOf(STOP)
const peg = (): OrderAtExchange => orderOf({ type: 'PRIMARY_PEGGED', price: 100 })

test('a stop order is looked at after every item, and planned once it is reached', () => {
  const { conditions, market, received } = kept()
  const order = stop()
  conditions.add(order)
  conditions.onItem(1)
  expect([received.splice(0), order.triggered]).toEqual([['hold', 'watch'], false])
  market.lastTrade = 104
  conditions.onItem(2)
  expect([received.splice(0), order.triggered]).toEqual([['plan 2'], true])
  conditions.forget(order)
  expect(received).toEqual(['unwatch', 'let go'])
})

test('what was triggered while nobody sees waits for the sight', () => {
  const { conditions, market, received } = kept()
  conditions.add(stop())
  Object.assign(market, { lastTrade: 104, bookUnknown: {} })
  conditions.onItem(2)
  conditions.onItem(3)
  expect(received.splice(0)).toEqual(['hold', 'watch', 'plan 2'])
  market.bookUnknown = null
  conditions.onItem(4)
  expect(received).toEqual(['plan 4'])
})

test('an instant is planned once; a trigger that was changed is looked at anew', () => {
  const { conditions, market, received } = kept()
  const order = stop()
  for (const one of [order, peg()]) conditions.add(one)
  received.length = 0
  market.shown.bestBidPrice = 99
  conditions.onItem(5)
  order.triggerPrice = 101
  conditions.onItem(5)
  expect([received.splice(0), order.triggered]).toEqual([['plan 5'], false])
  conditions.retrigger()
  conditions.onItem(6)
  expect([received, order.triggered]).toEqual([['plan 6'], true])
})

test.each([['bestBidPrice'], ['bestAskPrice']] as const)('a peg follows %s alone, and nothing while nobody sees', (side) => {
  const { conditions, market, received } = kept()
  conditions.add(peg())
  received.length = 0
  conditions.onItem(1)
  market.shown[side]++
  market.bookUnknown = {}
  conditions.onItem(2)
  expect(received).toEqual([])
  market.bookUnknown = null
  conditions.onItem(3)
  expect([received.splice(0), conditions.takeMove(), conditions.takeMove()]).toEqual([['plan 3'], true, false])
  conditions.onItem(4)
  expect(received).toEqual([])
})

test('finer digits are no move; what waits and what is due goes with them', () => {
  const { conditions, market, received } = kept()
  const [waiting, due] = [stop(), orderOf({ ...STOP, triggered: true })]
  for (const order of [peg(), waiting, due]) conditions.add(order)
  market.bookUnknown = {}
  received.length = 0
  conditions.onRescale(10, 100)
  Object.assign(market.shown, { bestBidPrice: 1000, bestAskPrice: 1020 })
  expect([waiting, due].map(({ triggerPrice }) => triggerPrice)).toEqual([1040, 1040])
  expect(conditions.takeMove()).toBe(false)
  // 104 at the old digits: the nearest trigger has been counted anew.
  market.lastTrade = 104
  conditions.onItem(1)
  expect([waiting.triggered, received]).toEqual([false, []])
})

test('a stopped world is not called any more', () => {
  const { conditions, received } = kept()
  conditions.add(stop())
  received.length = 0
  conditions.stop()
  expect(received).toEqual(['unwatch'])
})

test('a checkpoint brings back what was planned and which prices the pegs followed', () => {
  expect(kept().conditions.state()).toEqual({ plannedNs: NaN, bestBidPrice: NaN, bestAskPrice: NaN })
  const first = kept()
  first.conditions.add(peg())
  first.market.shown.bestBidPrice = 101
  first.conditions.onItem(7)
  const state = throughJson(first.conditions.state())
  expect(state).toEqual({ plannedNs: 7, bestBidPrice: 100, bestAskPrice: 102 })
  for (const [field, isPlanned] of [['none', true], ['bestBidPrice', true], ['bestAskPrice', true]] as const) {
    const second = kept()
    // The market has moved on before the order was added again; what the pegs followed last was before.
    second.market.shown.bestBidPrice = field === 'none' ? 101 : 100
    second.conditions.add(peg())
    second.conditions.restore(field === 'none' ? state : { ...state, [field]: NaN })
    second.received.length = 0
    second.conditions.onItem(7)
    expect(second.received).toEqual([])
    second.conditions.onItem(8)
    expect([field, second.received.length > 0]).toEqual([field, isPlanned])
  }
  const idle = kept()
  idle.conditions.add(peg())
  idle.conditions.restore({ plannedNs: NaN, bestBidPrice: 100, bestAskPrice: 102 })
  idle.received.length = 0
  idle.conditions.onItem(7)
  expect(idle.received).toEqual([])
})
