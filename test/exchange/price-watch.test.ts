import { expect, test } from 'vitest'
import { PriceWatch, refreshDisplayed } from '../../src/exchange/market/price-watch.js'
import { isWorse } from '../../src/exchange/market/watched-price.js'
import { throughJson } from '../support/through-json.ts'

const world = (worldNumber: number) => ({ worldNumber, followsChanges: false, levelCount: 0 })

test.each([['BID', [103, 101, 99]], ['ASK', [99, 101, 103]]] as const)('%s: watched prices stand best first, with what was displayed last', (side, prices) => {
  const watch = new PriceWatch(side)
  const own = world(0)
  for (const price of [101, 103, 99, 101]) watch.levelOf(own, price, price === 99 ? NaN : price * 2)
  expect(watch.state()).toEqual(prices.map((price) => ({ price, displayed: price === 99 ? NaN : price * 2, isOfTop: false })))
  expect(own.levelCount).toBe(3)
})

test('worse is lower for who buys and higher for who sells; the same price is not', () => {
  expect((['BID', 'ASK'] as const).map((side) => [99, 100, 101, NaN].map((price) => isWorse(side, price, 100)))).toEqual([[true, false, false, false], [false, false, true, false]])
  // Against no price at all none is worse.
  expect([isWorse('BID', 1, NaN), isWorse('ASK', 1, NaN)]).toEqual([false, false])
})

test('a checkpoint brings back what was displayed, where somebody still looks', () => {
  const [first, second] = [new PriceWatch('BID'), new PriceWatch('BID')]
  for (const [price, displayed] of [[100, 5], [99, NaN], [98, 7]] as const) first.levelOf(world(0), price, displayed)
  for (const price of [100, 99]) second.levelOf(world(0), price, 1)
  first.get(99)!.isOfTop = true
  second.restore(throughJson(first.state()))
  expect(second.state()).toEqual([{ price: 100, displayed: 5, isOfTop: false }, { price: 99, displayed: NaN, isOfTop: true }])
  expect(second.get(99)?.displayed).toBeNaN()
  expect(second.get(98)).toBeUndefined()
})

test('finer digits: prices are found at their new places, what is shown and left there is as much', () => {
  const watch = new PriceWatch('ASK')
  const own = world(0)
  watch.levelOf(own, 100, 5).available = 3
  watch.levelOf(own, 101, NaN)
  watch.rescale(10, 100)
  expect(watch.state()).toEqual([{ price: 1000, displayed: 500, isOfTop: false }, { price: 1010, displayed: NaN, isOfTop: false }])
  expect([watch.findLevel(own, 1000)?.available, watch.findLevel(own, 1010)?.available, watch.get(100)]).toEqual([300, NaN, undefined])
  expect([watch.mayWatch(1000), watch.mayWatch(1010), watch.mayWatch(100)]).toEqual([true, true, false])
})

test('a price is let go with the last who has something there', () => {
  const watch = new PriceWatch('BID')
  const [own, other] = [world(0), world(1)]
  const level = watch.levelOf(own, 100, 5)
  watch.levelOf(other, 100, 9)
  expect(watch.state()).toEqual([{ price: 100, displayed: 5, isOfTop: false }])
  level.available = 2
  watch.dropIfIdle(own, 100)
  expect([watch.findLevel(own, 100), own.levelCount]).toEqual([level, 1])
  level.available = NaN
  watch.dropIfIdle(own, 100)
  expect([watch.findLevel(own, 100), own.levelCount, watch.mayWatch(100)]).toEqual([undefined, 0, true])
  watch.dropIfIdle(other, 100)
  expect([watch.prices.length, other.levelCount, watch.mayWatch(100)]).toEqual([0, 0, false])
})

test('the best price with an order, and what is shown now', () => {
  const watch = new PriceWatch('BID')
  for (const price of [100, 99]) watch.levelOf(world(0), price, 1)
  watch.ordersChanged()
  expect(watch.nearestOrderPrice).toBe(-Infinity)
  watch.countOrders(99, 2)
  watch.countOrders(98, 1)
  watch.ordersChanged()
  expect(watch.nearestOrderPrice).toBe(99)
  watch.countOrders(100, 1)
  watch.ordersChanged()
  expect([watch.nearestOrderPrice, watch.nearestPrice, watch.furthestPrice]).toEqual([100, 100, 99])
  refreshDisplayed([watch], (side, price) => (side === 'BID' && price === 100 ? 8 : NaN))
  expect(watch.state()).toEqual([{ price: 100, displayed: 8, isOfTop: false }, { price: 99, displayed: NaN, isOfTop: false }])
})
