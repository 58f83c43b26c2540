import { expect, test } from 'vitest'
import { absentEntry, absentMarket } from '../../src/strategy/absent-market.js'

test.each([
  [67824, 67824, '67824', ''], ['67824', 67824, '67824', ''], ['binance:BTCUSDT', 0, 'BTCUSDT', 'binance'], ['BTCUSDT', 0, 'BTCUSDT', ''], ['1a', 0, '1a', ''], ['a1', 0, 'a1', ''],
  ['123456789012345', 123456789012345, '123456789012345', ''], ['1234567890123456', 0, '1234567890123456', ''], ['a:b:c', 0, 'b:c', 'a'], ['', 0, '', ''],
])('%j stands for id %i, %j of %j', (reference, id, code, exchangeCode) => {
  const { instrument, priceScale, quantityScale } = absentEntry(reference)
  expect([instrument.id, instrument.code, instrument.exchangeCode, priceScale, quantityScale, instrument.tickSize]).toEqual([id, code, exchangeCode, 0, 0, null])
})

test('nothing is seen of it', () => {
  const market = absentMarket('FAILED')
  const top = new Float64Array(6).fill(7)
  market.copyTop(top)
  expect([...top]).toEqual([NaN, 0, NaN, 0, 0, 0])
  expect([market.state, market.bestBidPrice, market.bestAskQuantity, market.book.suspect, market.book.quantityAt('BID', 1), market.book.copyLevels('ASK', 2, new Float64Array(2), new Float64Array(2))]).toEqual(['FAILED', NaN, 0, true, 0, 0])
})
