import { expect, test } from 'vitest'
import { priceRefusal, tickSizeAt } from '../../src/exchange/adapter/adapter-checks.js'
import { TickGrid } from '../../src/exchange/market/tick-grid.js'
import { madeInstrument } from '../support/market-lines.ts'

const bands = [{ floor: '0', tickSize: '0.5' }, { floor: '100', tickSize: '5' }]
/** Prices in tenths. */
const entry = { instrument: madeInstrument({ tickSize: '0.5', tickBands: bands }), priceScale: 1, quantityScale: 0 }

test.each([
  [997, 995, 1000], [995, 995, 995], [1000, 1000, 1000], [1001, 1000, 1050], [1049, 1000, 1050], [1050, 1050, 1050], [3, 0, 5], [-3, -5, 0], [-5, -5, -5],
])('%s tenths lies between ticks %s and %s of its band', (price, down, up) => {
  const grid = new TickGrid(entry, 1)
  expect([grid.down(price), grid.up(price)]).toEqual([down, up])
})

test('in a market of finer digits ticks are as large as in the directory', () => {
  const grid = new TickGrid(entry, 100)
  expect([grid.down(99_750), grid.up(99_750), grid.down(100_001), grid.up(100_001), grid.up(105_000)]).toEqual([99_500, 100_000, 100_000, 105_000, 105_000])
  // Just below a tick: the rest of a digit is not one.
  expect([grid.up(99_999), grid.down(99_999), grid.up(99_501), grid.up(100_000)]).toEqual([100_000, 99_500, 100_000, 100_000])
  grid.factor = 10
  expect([grid.down(9_975), grid.up(9_975), grid.up(9_951), grid.down(9_949)]).toEqual([9_950, 10_000, 10_000, 9_900])
})

test('without bands the instrument\'s own tick, without that the last digit', () => {
  const plain = new TickGrid({ ...entry, instrument: madeInstrument({ tickSize: '0.3' }) }, 1)
  expect([plain.down(10), plain.up(10)]).toEqual([9, 12])
  const none = new TickGrid({ ...entry, instrument: madeInstrument({ tickSize: null }) }, 1)
  expect([none.down(10), none.up(11)]).toEqual([10, 11])
  // A band that its digits cannot state is none.
  const fine = new TickGrid({ ...entry, instrument: madeInstrument({ tickSize: '0.5', tickBands: [{ floor: '0.01', tickSize: '7' }, { floor: '2', tickSize: '0.01' }] }) }, 1)
  expect([fine.down(33), fine.up(33)]).toEqual([30, 35])
  // The first price of a band has the band's tick: 10 is no multiple of 0.3, and the one below it is 9.9.
  const uneven = new TickGrid({ ...entry, instrument: madeInstrument({ tickSize: '0.3', tickBands: [{ floor: '10', tickSize: '1' }] }) }, 1)
  expect([uneven.down(100), uneven.up(100), uneven.down(99), uneven.down(109)]).toEqual([100, 100, 99, 100])
})

test('an adapter takes a price of its band, and refuses one between its ticks in words', () => {
  expect([999, 1000, 1049].map((price) => tickSizeAt(price, entry))).toEqual(['0.5', '5', '5'])
  expect([null, undefined, 995, 1000, 1050].map((price) => priceRefusal(price, entry))).toEqual([null, null, null, null, null])
  expect(priceRefusal(1005, entry)).toMatchObject({ type: 'INVALID_PRICE', message: 'price must be a multiple of the tick size 5, found 100.5' })
  expect(priceRefusal(996, entry, 'triggerPrice')).toMatchObject({ type: 'INVALID_PRICE', message: 'triggerPrice must be a multiple of the tick size 0.5, found 99.6' })
  expect([0.5, NaN, Infinity, 2 ** 53].map((price) => priceRefusal(price, entry)?.message)).toEqual(['0.5', 'NaN', 'Infinity', '9007199254740992'].map((found) => `price must be a number that the instrument can state, found ${found}`))
  expect([0, -5].map((price) => priceRefusal(price, entry, 'triggerPrice')?.message)).toEqual(['0', '-0.5'].map((found) => `triggerPrice must be above 0, found ${found}`))
  expect(priceRefusal(7, { ...entry, instrument: madeInstrument({ tickSize: null }) })).toBeNull()
})
