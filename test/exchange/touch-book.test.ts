import { describe, expect, test } from 'vitest'
import { liquidationPrice } from '../../src/exchange/accounts/margin.js'
import { TouchBook } from '../../src/exchange/market/touch-book.js'
import { contractFromInstrument } from '../../src/model/contract.js'
import { Amount } from '../../src/model/amount.js'
import { lineBatch, madeInstrument, type MarketLine, type MarketRow } from '../support/market-lines.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()

function bookOf(...lines: readonly (readonly [kind: MarketLine['kind'], ...rows: MarketRow[]])[]): TouchBook {
  const book = new TouchBook('fused')
  const batch = lineBatch(lines.map(([kind, ...rows], at) => ({ kind, timeNs: at, rows })), { instrument })
  for (let index = 0; index < batch.count; index++) book.apply(batch, index)
  return book
}

function shown(book: TouchBook, side: 'BID' | 'ASK', limit: number): string {
  const prices = new Float64Array(limit)
  const quantities = new Float64Array(limit)
  const count = book.copyShown(side, limit, prices, quantities)
  return Array.from({ length: count }, (_, at) => `${prices[at]}x${quantities[at]}`).join(' ')
}

const bids = (...levels: readonly (readonly [number, number])[]): MarketRow[] => levels.map(([price, quantity]) => [0, price, quantity])
const asks = (...levels: readonly (readonly [number, number])[]): MarketRow[] => levels.map(([price, quantity]) => [1, price, quantity])
const depth = [...bids([100, 5], [99, 4], [97, 3]), ...asks([101, 6], [102, 7], [104, 8])]

describe('levels that a newer top has passed are hidden, the top stands in front', () => {
  const lower = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]])

  test('a top behind the best levels hides them', () => {
    expect([shown(lower, 'BID', 5), shown(lower, 'ASK', 5)]).toEqual(['98x1 97x3', '103x2 104x8'])
    expect([100, 99, 98, 97, 96].map((price) => [lower.isHidden('BID', price), lower.displayed('BID', price), lower.lastDisplayed('BID', price)])).toEqual([[true, 0, 5], [true, 0, 4], [false, 1, 1], [false, 3, 3], [false, NaN, NaN]])
    expect([101, 102, 103, 104, 105].map((price) => [lower.isHidden('ASK', price), lower.displayed('ASK', price), lower.lastDisplayed('ASK', price)])).toEqual([[true, 0, 6], [true, 0, 7], [false, 2, 2], [false, 8, 8], [false, NaN, NaN]])
  })

  test('a top at the best price says its quantity, one in front of it is a level more', () => {
    expect([shown(bookOf(['snapshot', ...depth], ['top', [0, 100, 9], [1, 101, 1]]), 'BID', 5), shown(bookOf(['snapshot', ...depth], ['top', [0, 100, 9], [1, 101, 1]]), 'ASK', 2)]).toEqual(['100x9 99x4 97x3', '101x1 102x7'])
    const inside = bookOf(['snapshot', ...bids([90, 1], [89, 2]), ...asks([110, 3], [111, 4])], ['top', [0, 95, 7], [1, 105, 8]])
    expect([shown(inside, 'BID', 2), shown(inside, 'ASK', 3), shown(inside, 'ASK', 1), shown(inside, 'BID', 0)]).toEqual(['95x7 90x1', '105x8 110x3 111x4', '105x8', ''])
    // Between the top and the levels nothing stands.
    expect([inside.displayed('BID', 93), inside.displayed('ASK', 107), inside.displayed('BID', 96), inside.displayed('ASK', 104)]).toEqual([0, 0, 0, 0])
  })

  test('as many levels as were asked for, however many are hidden', () => {
    const many = Array.from({ length: 200 }, (_, at) => at)
    const deep = bookOf(['snapshot', ...bids(...many.map((at) => [1000 - at, 1 + at] as const)), ...asks(...many.map((at) => [1001 + at, 1 + at] as const))], ['top', [0, 880, 5], [1, 1120, 6]])
    expect([shown(deep, 'BID', 3), shown(deep, 'ASK', 3)]).toEqual(['880x5 879x122 878x123', '1120x6 1121x121 1122x122'])
    expect([shown(deep, 'BID', 99).split(' ').length, shown(deep, 'ASK', 99).split(' ').length]).toEqual([80, 81])
  })

  test('depth of a side makes its top old, trades do not; a top without a side shows none there', () => {
    const half = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]], ['update', [0, 97, 4]], ['trades', [1, 98, 1]])
    expect([shown(half, 'BID', 2), shown(half, 'ASK', 2), half.isTopNewer('BID'), half.isTopNewer('ASK')]).toEqual(['100x5 99x4', '103x2 104x8', false, true])
    const both = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]], ['update', [1, 104, 9], [0, 97, 4]])
    expect([shown(both, 'BID', 1), shown(both, 'ASK', 1)]).toEqual(['100x5', '101x6'])
    const empty = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 0]])
    expect([shown(empty, 'ASK', 3), empty.bestAskPrice, empty.displayed('ASK', 104), shown(empty, 'BID', 1)]).toEqual(['', NaN, 0, '98x1'])
  })
})

test('whatever the caller\'s columns held before, they begin with what is shown', () => {
  const hiding = bookOf(['snapshot', ...depth], ['top', [0, 96, 1], [1, 105, 2]])
  const partly = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]])
  // Rests of another book, better than any level of this one.
  const copied = (book: TouchBook, side: 'BID' | 'ASK'): string => {
    const [prices, quantities] = [new Float64Array(9).fill(side === 'BID' ? 999 : 1), new Float64Array(9).fill(7)]
    const count = book.copyShown(side, 9, prices, quantities)
    return Array.from({ length: count }, (_, at) => `${prices[at]}x${quantities[at]}`).join(' ')
  }
  expect([copied(hiding, 'BID'), copied(hiding, 'ASK'), copied(partly, 'BID'), copied(partly, 'ASK')]).toEqual(['96x1', '105x2', '98x1 97x3', '103x2 104x8'])
})

describe.each(['apply', 'pass'] as const)('which lines a book heeds, where it is to %s them', (how) => {
  const finely = (priceScale: number, quantityScale: number, line: MarketLine) => lineBatch([line], { instrument, priceScale, quantityScale })
  const after = (priceScale: number, quantityScale: number, line: MarketLine): unknown => {
    const book = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]])
    book.apply(finely(priceScale, quantityScale, line), 0, how)
    const { bidPrice, bidQuantity, askPrice, askQuantity } = book.top
    return [book.book.priceScale, book.book.quantityScale, book.book.bestBidPrice, book.book.bestBidQuantity, bidPrice, bidQuantity, askPrice, askQuantity, book.top.isBidNewer, book.top.isAskNewer]
  }
  const AS_IT_WAS = [0, 0, 100, 5, 98, 1, 103, 2, true, true]

  test('a book that has seen nothing has no top', () => {
    const book = new TouchBook('fused')
    expect([book.isTopNewer('BID'), book.isTopNewer('ASK'), book.bestBidPrice, book.bestAskPrice]).toEqual([false, false, NaN, NaN])
  })

  test.each<MarketLine>([{ kind: 'trades', timeNs: 9, rows: [[0, 9800, 1]] }, { kind: 'mark', timeNs: 9, value: 5 }, { kind: 'index', timeNs: 9, value: 5 }, { kind: 'funding', timeNs: 9, value: 5, nextFundingNs: 10 }])('neither the rows nor the digits of $kind', (line) => {
    expect(after(2, 3, line)).toEqual(AS_IT_WAS)
  })

  test.each([[0, 0], [1, 0], [0, 2], [1, 2]])('a top that is %i digits finer in price and %i in quantity moves levels along', (priceScale, quantityScale) => {
    const [price, quantity] = [10 ** priceScale, 10 ** quantityScale]
    expect(after(priceScale, quantityScale, { kind: 'top', timeNs: 9, rows: [[0, 985, 7], [1, 1025, 9]] })).toEqual([priceScale, quantityScale, 100 * price, 5 * quantity, 985, 7, 1025, 9, true, true])
  })

  test.each([[0, 0], [1, 0], [0, 2], [1, 2]])('depth of one side that is %i digits finer in price and %i in quantity moves the top along, and makes that side of it old', (priceScale, quantityScale) => {
    const [price, quantity] = [10 ** priceScale, 10 ** quantityScale]
    expect(after(priceScale, quantityScale, { kind: 'update', timeNs: 9, rows: [[1, 1070, 9]] })).toEqual([priceScale, quantityScale, 100 * price, 5 * quantity, 98 * price, quantity, 103 * price, 2 * quantity, true, false])
  })

  test('a state has no levels: the top stays as new as it was', () => {
    expect([after(0, 0, { kind: 'ERROR', timeNs: 9 }), after(0, 0, { kind: 'READY', timeNs: 9 })]).toEqual([AS_IT_WAS, AS_IT_WAS])
  })
})

describe('a side without levels', () => {
  const top = bookOf(['snapshot', ...depth], ['top', [0, 98, 1]])

  test('of a top is empty, and stays so in a state that is taken back', () => {
    const again = new TouchBook('fused')
    again.restore(throughJson(top.state()))
    for (const book of [top, again]) expect([book.bestBidPrice, book.bestBidQuantity, book.bestAskPrice, book.bestAskQuantity, book.isHidden('ASK', 104), shown(book, 'ASK', 3)]).toEqual([98, 1, NaN, 0, true, ''])
  })

  test.each([['bids', depth.filter(([side]) => side === 0), [100, NaN]], ['asks', depth.filter(([side]) => side === 1), [NaN, 101]], ['none', [], [NaN, NaN]]] as const)('of a snapshot makes the top old as well: %s', (_name, rows, best) => {
    const book = bookOf(['snapshot', ...depth], ['top', [0, 98, 1], [1, 103, 2]], ['snapshot', ...rows])
    expect([book.isTopNewer('BID'), book.isTopNewer('ASK'), book.bestBidPrice, book.bestAskPrice]).toEqual([false, false, ...best])
  })
})

test('a position beyond the last step of margin is liquidated by the last one', () => {
  const brackets = [{ upTo: Amount.from(1000), initialRate: Amount.from('0.1'), maintenanceRate: Amount.from('0.05'), deduction: Amount.from(0) }, { upTo: Amount.from(5000), initialRate: Amount.from('0.2'), maintenanceRate: Amount.from('0.1'), deduction: Amount.from(50) }]
  const position = { contract: contractFromInstrument(instrument), isLong: true, quantity: Amount.from(100), openValue: Amount.from(10_000) }
  // 950 + v - 10,000 = 0.1 v - 50, so v = 10,000.
  expect(liquidationPrice(position, Amount.from(950), brackets)?.toFixed()).toBe('100')
})
