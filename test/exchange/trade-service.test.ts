import { describe, expect, test } from 'vitest'
import type { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { madeOrder, type MadeOrder } from '../support/made-orders.ts'
import {
  serveParts, shownFirst, takeShown, passAhead, servePassed, serveQueue, serveQueueWhole, wholeLots,
} from '../../src/exchange/market/trade-service.js'

/** Resting orders by name: what is open of them, what is ahead, and what else they are. */
const order = (ownOrderId: string, totalQuantity: number, quantityAhead: number, more: Partial<MadeOrder> = {}): OrderAtExchange => madeOrder({ ownOrderId, totalQuantity, quantityAhead, ...more })

/** Serves a row, and says who executed how much, and what is ahead then. */
function served(orders: readonly OrderAtExchange[], serve: (execute: (one: OrderAtExchange, quantity: number) => void) => unknown): [executed: string, ahead: readonly number[]] {
  const executed: string[] = []
  serve((one, quantity) => {
    one.executedQuantity += quantity
    executed.push(`${String(one.ownOrderId)}${quantity}`)
  })
  return [executed.join(' '), orders.map(({ quantityAhead }) => quantityAhead)]
}

test.each([[7, 1, 7], [7.9, 1, 7], [7.9, 0.5, 7], [7, 2, 6], [8, 2, 8], [1, 2, 0], [0, 5, 0], [12, 5, 10]])('of %s there are lots of %s in %s', (quantity, lotSize, expected) => {
  expect(wholeLots(quantity, lotSize)).toBe(expected)
})

describe('a row at the price of orders, rule 3.2', () => {
  test.each<[words: string, units: number, lotSize: number, orders: readonly OrderAtExchange[], executed: string, ahead: readonly number[]]>([
    ['what is ahead has it first', 4, 1, [order('a', 3, 5)], '', [1]],
    ['all that is ahead, and no more', 5, 1, [order('a', 3, 5)], '', [0]],
    ['then the order', 7, 1, [order('a', 3, 5)], 'a2', [0]],
    ['what lies between two', 9, 1, [order('a', 3, 2), order('b', 3, 5)], 'a3 b1', [0, 0]],
    ['what lies between two takes the rest', 7, 1, [order('a', 3, 2), order('b', 3, 5)], 'a3', [0, 1]],
    ['own orders lower nobody\'s queue', 6, 1, [order('a', 6, 0), order('b', 3, 4)], 'a6', [0, 4]],
    ['less than a lot executes nothing, and stays for who comes next', 3, 2, [order('a', 4, 2), order('b', 4, 2)], '', [0, 0]],
    ['whole lots', 7, 2, [order('a', 4, 0), order('b', 4, 0)], 'a4 b2', [0, 0]],
    ['an order that is less than a lot is passed over', 6, 2, [order('a', 1, 0), order('b', 4, 0)], 'b4', [0, 0]],
    ['no lot is lost where a place is a rounded power', 7, 1, [order('a', 1, 1 - (1 - 343 / 344) * 6), order('b', 4, 2)], 'a1 b4', [0, 0]],
    ['behind an unknown place nothing is known', 9, 1, [order('a', 3, NaN), order('b', 3, 5)], '', [NaN, 5]],
  ])('%s', (_words, units, lotSize, orders, executed, ahead) => {
    expect(served(orders, (execute) => { serveQueue(orders, units, lotSize, execute) })).toEqual([executed, ahead])
  })

  test('what it had of others is off every queue, as far as there is one', () => {
    const orders = [order('a', 1, 7), order('b', 1, 3), order('c', 1, NaN)]
    passAhead(orders, 4)
    expect(orders.map(({ quantityAhead }) => quantityAhead)).toEqual([3, 0, NaN])
  })
})

describe('a row through the price of orders', () => {
  test.each<[units: number, lotSize: number, executed: string, left: number]>([[9, 1, 'a3 b4', 2], [5, 1, 'a3 b2', 0], [3, 1, 'a3', 0], [5, 2, 'a2 b2', 1], [1, 2, '', 1], [Infinity, 1, 'a3 b4', Infinity]])('of %s in lots of %s: %s, %s are left', (units, lotSize, executed, left) => {
    const orders = [order('a', 3, 9), order('b', 4, NaN)]
    let rest = NaN
    expect(served(orders, (execute) => { rest = servePassed(orders, units, lotSize, execute) })[0]).toBe(executed)
    expect(rest).toBe(left)
  })
})

describe('whole fills, hftbacktest\'s way: every order sees the whole row, and fills where half a lot went beyond what was ahead', () => {
  test.each<[ahead: number, units: number, lotSize: number, executed: string, after: number]>([
    [10, 9, 1, '', 1], [10, 10, 1, '', 0], [10, 11, 1, 'a3', 0], [10, 14, 10, '', -4], [10, 15, 10, 'a3', 0], [10, 16, 10, 'a3', 0], [0, 1, 1, 'a3', 0],
  ])('%s ahead, %s traded, lots of %s', (ahead, units, lotSize, executed, after) => {
    const orders = [order('a', 3, ahead)]
    expect(served(orders, (execute) => { serveQueueWhole(orders, units, lotSize, execute) })).toEqual([executed, [after]])
  })

  test('each order alone; one that is over already fills no more', () => {
    const orders = [order('a', 3, 2), order('b', 5, 4, { executedQuantity: 2 }), order('c', 5, 1, { state: 'FILLED' })]
    expect(served(orders, (execute) => { serveQueueWhole(orders, 5, 1, execute) })).toEqual(['a3 b3', [0, 0, -4]])
  })
})

describe('orders that show less than they are, rule 7.3', () => {
  const iceberg = (ownOrderId: string, totalQuantity: number, shownQuantity: number, quantityAhead = 0) => order(ownOrderId, totalQuantity, quantityAhead, { displayQuantity: 3, shownQuantity })
  const hidden = (ownOrderId: string, totalQuantity: number) => order(ownOrderId, totalQuantity, 0, { displayQuantity: 0, shownQuantity: 0 })

  test.each<[words: string, executed: number, shown: number, isNew: boolean, left: number]>([
    ['a part of what is shown', 1, 3, false, 2], ['all of it: the next part', 3, 3, true, 3], ['all of a part that was begun', 2, 2, true, 3],
    // 10 in parts of 3: 3, 3, 3, 1.
    ['through one part into the next', 4, 3, true, 2], ['through one part and all of the next', 6, 3, true, 3], ['through two into the third', 7, 3, true, 2], ['the last part is what is left', 9, 3, true, 1], ['everything', 10, 3, false, 0],
  ])('%s', (_words, quantity, shownQuantity, isNew, left) => {
    const one = Object.assign(iceberg('a', 10, shownQuantity), { executedQuantity: quantity })
    expect([takeShown(one, quantity), one.shownQuantity]).toEqual([isNew, left])
  })

  test('shown ones are met before hidden ones', () => {
    expect(shownFirst([hidden('h', 1), order('a', 1, 0), hidden('i', 1), iceberg('b', 5, 3)]).map(({ ownOrderId }) => ownOrderId)).toEqual(['a', 'b', 'h', 'i'])
  })

  test.each<[words: string, units: number, displayed: number, lotSize: number, executed: string]>([
    ['the level and the shown parts have it first', 12, 5, 1, 'a4 b3'], ['what is beyond them is for the first hidden one', 14, 5, 1, 'a4 b3 h2'], ['and then for the next', 16, 5, 1, 'a4 b3 h3 i1'],
    ['as far as they go', 30, 5, 1, 'a4 b3 h3 i3'], ['in whole lots', 15, 5, 2, 'a4 b2 h2'], ['where the level is not known, nothing is', 30, NaN, 1, 'a4 b3'],
  ])('a row at the price of hidden orders: %s', (_words, units, displayed, lotSize, executed) => {
    const orders = [hidden('h', 3), order('a', 4, 5), hidden('i', 3), iceberg('b', 9, 3, 5)]
    expect(served(orders, (execute) => { serveParts(orders, units, lotSize, displayed, execute) })[0]).toBe(executed)
  })
})

describe('an order goes to finer digits with all that it is', () => {
  const numbers = ({ price, totalQuantity, executedQuantity, remainingQuantity, quantityAhead, entryQuantityAhead, tradedSince, triggerPrice, pegOffsetValue, displayQuantity, shownQuantity }: OrderAtExchange) => ({
    price, totalQuantity, executedQuantity, remainingQuantity, quantityAhead, entryQuantityAhead, tradedSince, triggerPrice, pegOffsetValue, displayQuantity, shownQuantity,
  })
  /** An order whose market grows by a factor of prices and one of quantities. */
  const grown = (more: Partial<MadeOrder>): OrderAtExchange => {
    const scales = { priceFactor: 1, quantityFactor: 1, quantityDivisor: 1 }
    const one = madeOrder(more, scales)
    Object.assign(scales, { priceFactor: 10, quantityFactor: 1000 })
    one.rescale(10, 1000)
    return one
  }

  test('prices by one factor, quantities by the other', () => {
    const whole = grown({ totalQuantity: 9, quantityAhead: 5, executedQuantity: 2, entryQuantityAhead: 7, tradedSince: 1, triggerPrice: 105, pegOffsetValue: -3, displayQuantity: 4, shownQuantity: 3 })
    expect(numbers(whole)).toEqual({ price: 1000, totalQuantity: 9000, executedQuantity: 2000, remainingQuantity: 7000, quantityAhead: 5000, entryQuantityAhead: 7000, tradedSince: 1000, triggerPrice: 1050, pegOffsetValue: -30, displayQuantity: 4000, shownQuantity: 3000 })
  })

  test('what it does not have it has not then either', () => {
    expect(numbers(grown({ price: null, totalQuantity: 9 }))).toEqual(numbers(madeOrder({ price: null, totalQuantity: 9000 })))
  })

  test('and where its market has fewer digits than its instrument', () => {
    const coarse = madeOrder({ price: 1000, totalQuantity: 9, executedQuantity: 2 }, { priceFactor: 10, quantityFactor: 1, quantityDivisor: 100 })
    expect([coarse.price, coarse.totalQuantity, coarse.executedQuantity, coarse.remainingQuantity]).toEqual([1000, 9, 2, 7])
  })
})
