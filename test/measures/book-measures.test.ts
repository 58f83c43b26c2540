import { expect, test } from 'vitest'
import { copyBookLevels, depthWithin, imbalance, microPrice, midPrice, spread, spreadPrice, twiceMid } from '../../src/measures/book-measures.js'
import { OrderBook } from '../../src/book/order-book.js'
import type { Side } from '../../src/model/side.js'

function bookOf(bids: [number, number][], asks: [number, number][], priceScale = 1, quantityScale = 0): OrderBook {
  const columns = (levels: [number, number][]) => ({ prices: levels.map((l) => l[0]), quantities: levels.map((l) => l[1]) })
  const book = new OrderBook({ windowTicks: 64 })
  book.restore({ priceScale, quantityScale, suspect: false, bids: columns(bids), asks: columns(asks) })
  return book
}

const BIG = Number.MAX_SAFE_INTEGER

test('spread, mid and micro-price are exact', () => {
  const book = bookOf([[999, 3]], [[1002, 1]])
  expect([spread(book), twiceMid(book)]).toEqual([3, 2001])
  expect(midPrice(book)?.toString()).toBe('100.05')
  expect(microPrice(book)?.toString()).toBe('100.125')
  expect(midPrice(bookOf([[BIG - 1, 1]], [[BIG, 1]], 0))?.toString()).toBe('9007199254740990.5')
})
test('the micro-price lies nearer to the side with less behind it', () => {
  // (999 * 4 + 1002 * 6) / 10, and the other way round.
  expect([[6, 4], [4, 6], [5, 5]].map(([bids, asks]) => microPrice(bookOf([[999, bids!]], [[1002, asks!]]))?.toString())).toEqual(['100.08', '100.02', '100.05'])
})
test('the spread as a price, of a crossed book too; none where a side is empty', () => {
  expect([bookOf([[999, 3]], [[1002, 1]]), bookOf([[1002, 1]], [[999, 1]]), bookOf([[1000, 1]], [[1000, 1]]), bookOf([], [[999, 1]]), bookOf([[999, 3]], [])].map((book) => spreadPrice(book)?.toString() ?? null)).toEqual(['0.3', '-0.3', '0', null, null])
})
test('levels are copied into columns of their own, the best first', () => {
  const book = bookOf([[999, 3], [998, 2], [990, 7]], [[1002, 1]])
  const copied = (side: Side, limit?: number) => {
    const { prices, quantities, count } = copyBookLevels(book, side, limit)
    expect([prices.length, quantities.length]).toEqual([count, count])
    return Array.from({ length: count }, (_, i) => `${prices[i]}x${quantities[i]}`).join(' ')
  }
  expect([copied('BID'), copied('BID', 2), copied('BID', 9), copied('BID', 0), copied('ASK'), copied('ASK', 1)]).toEqual(['999x3 998x2 990x7', '999x3 998x2', '999x3 998x2 990x7', '', '1002x1', '1002x1'])
})
test('a crossed book has a negative spread', () => expect(spread(bookOf([[1002, 1]], [[999, 1]]))).toBe(-3))
test('an empty side has no measures', () => {
  const book = bookOf([[999, 3]], [])
  expect([spread(book), midPrice(book), microPrice(book), depthWithin(book, 'BID', 10)]).toEqual([NaN, null, null, null])
  expect([imbalance(book), imbalance(bookOf([], []))]).toEqual([1, NaN])
})
test('imbalance over levels', () => {
  const book = bookOf([[999, 3], [998, 2]], [[1002, 1], [1003, 4]])
  expect([imbalance(book), imbalance(book, 2), imbalance(book, 99)]).toEqual([0.5, 0, 0])
})
test.each<[Side, number, number, string]>([
  ['BID', 0, 0, '0'], ['BID', 10, 1, '3'], ['BID', 9.99, 0, '0'], ['BID', 100, 2, '5'], ['ASK', 10, 1, '1'], ['ASK', 20, 2, '5'], ['ASK', 19.999, 1, '1'], ['BID', 99_999, 2, '5'],
])('depth of %s within %s basis points of 1000 holds %s levels', (side, basisPoints, count, quantity) => {
  const depth = depthWithin(bookOf([[9990, 3], [9900, 2]], [[10_010, 1], [10_020, 4]]), side, basisPoints)
  expect([depth?.levelCount, depth?.quantity.toString()]).toEqual([count, quantity])
})
test('depth sums stay exact beyond 2^53, over many levels', () => {
  const bids = Array.from({ length: 300 }, (_, i): [number, number] => [BIG - 1 - i, BIG])
  const depth = depthWithin(bookOf(bids, [[BIG, 1]], 2, 3), 'BID', 1)
  const notional = bids.reduce((sum, [p, q]) => sum + BigInt(p) * BigInt(q), 0n)
  expect(depth?.quantity.times(1000).toFixed()).toBe(String(300n * BigInt(BIG)))
  expect(depth?.notional.times(100_000).toFixed()).toBe(String(notional).replace(/(\d{40}).*/, '$1'))
})
