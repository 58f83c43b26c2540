import { Amount } from '../../src/model/amount.js'
import { expect, test } from 'vitest'
import { contractFromInstrument } from '../../src/model/contract.js'
import { checkFees, feeOf, feeText, feeValueOf, NO_FEES, type FeeSchedule } from '../../src/exchange/accounts/fees.js'
import type { Instrument } from '../../src/model/instrument.js'
import { madeInstrument } from '../support/market-lines.ts'

const sided: FeeSchedule = { maker: { buy: '0.001', sell: '0.002' }, taker: '0.003' }

// A fill of 5 for 200.
test.each([
  ['maker buys', sided, 'BID', true, '0.2'],
  ['maker sells', sided, 'ASK', true, '0.4'],
  ['taker', sided, 'ASK', false, '0.6'],
  ['by quantity', { ...sided, by: 'quantity' }, 'BID', true, '0.005'],
  ['by fill', { ...sided, by: 'fill' }, 'ASK', true, '0.002'],
  ['raised to the minimum', { ...sided, minimum: '0.5' }, 'ASK', true, '0.5'],
  ['above the minimum', { ...sided, minimum: '0.5' }, 'ASK', false, '0.6'],
  ['nothing is raised too', { ...NO_FEES, minimum: '0.5' }, 'BID', true, '0.5'],
  ['a rebate is not', { maker: '-0.001', taker: '0', minimum: '0.5' }, 'BID', true, '-0.2'],
  ['no fees', NO_FEES, 'BID', false, '0'],
] as const)('%s', (_words, schedule, side, isMaker, fee) => {
  expect(feeFor({}, schedule, side, isMaker, '5', '200')).toBe(fee)
})

/** The fee of a fill by its quantity and value. */
function feeFor(more: Partial<Instrument>, schedule: FeeSchedule, side: 'BID' | 'ASK', isMaker: boolean, quantity: string, value: string): string {
  const instrument = { ...madeInstrument(), baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 2, feeUnderlyingId: null, ...more }
  return feeOf(schedule, { contract: contractFromInstrument(instrument), entry: { instrument } }, { side, isMaker, quantity: Amount.from(quantity), value: Amount.from(value) }).toFixed()
}

const coinOption = { type: 'call', strikePrice: '100', isInverse: true, feeUnderlyingId: 1 }
const moneyOption = { type: 'put', strikePrice: '100', feeUnderlyingId: 2 }
const deribit: FeeSchedule = { maker: '0.0003', taker: '0.0003', maximumOfValue: '0.125' }

test.each<[what: string, more: Partial<Instrument>, schedule: FeeSchedule, quantity: string, value: string, fee: string]>([
  ['0.03 % of 2 coins is less than an eighth of the premium', coinOption, deribit, '2', '0.02', '0.0006'],
  ['an eighth of a premium of 0.004 is less', coinOption, deribit, '2', '0.004', '0.0005'],
  ['at the bound they are one', coinOption, deribit, '2', '0.0048', '0.0006'],
  ['every digit of the bound counts', coinOption, deribit, '3', '0.000123456789', '0.000015432098625'],
  ['a premium of nothing pays nothing', coinOption, deribit, '2', '0', '0'],
  ['a premium below 0 counts without its sign', coinOption, deribit, '2', '-0.004', '0.0005'],
  ['the bound wins over the minimum', coinOption, { ...deribit, minimum: '0.001' }, '2', '0.004', '0.0005'],
  ['which raises what is below it', coinOption, { ...deribit, minimum: '0.001' }, '2', '0.02', '0.001'],
  ['by quantity', moneyOption, { maker: '18', taker: '18', by: 'quantity', maximumOfValue: '0.1' }, '2', '150', '15'],
  ['by fill', moneyOption, { maker: '18', taker: '18', by: 'fill', maximumOfValue: '0.1' }, '2', '150', '15'],
  ['by value, where the rate is more than the bound', moneyOption, { maker: '0.2', taker: '0.2', maximumOfValue: '0.1' }, '2', '150', '15'],
  ['a rebate stays', coinOption, { ...deribit, maker: '-0.0003', taker: '-0.0003' }, '2', '0.0001', '-0.0006'],
  ['of what is no option there is no bound', {}, { maker: '0.5', taker: '0.5', maximumOfValue: '0.125' }, '2', '200', '100'],
])('the fee of an option has a bound: %s', (_what, more, schedule, quantity, value, fee) => {
  for (const side of ['BID', 'ASK'] as const) for (const isMaker of [true, false]) expect(feeFor(more, schedule, side, isMaker, quantity, value)).toBe(fee)
})

test('a bound by a premium in another underlying than the fee is refused; other instruments and no fee underlying are not', () => {
  const refused = { ...madeInstrument({ type: 'call', strikePrice: '100' }), feeUnderlyingId: 1, baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 2 }
  for (const by of ['value', 'quantity', 'fill'] as const) {
    expect(() => checkFees('main', { ...deribit, by }, refused)).toThrow(expect.objectContaining({
      code: 'OPTION_INVALID', place: { field: 'fees.maximumOfValue', expected: 'no bound, or options whose fee is in the underlying of their premium', found: '0.125' },
    }))
  }
  for (const more of [{ feeUnderlyingId: 2 }, { feeUnderlyingId: null }, { type: 'perpetual', strikePrice: null }, { isInverse: true }]) checkFees('main', deribit, { ...refused, ...more })
  checkFees('main', { maker: '0.001', taker: '0.001' }, refused)
})

test.each<[FeeSchedule, string]>([
  [NO_FEES, 'none'],
  [{ maker: '0', taker: '0.0005' }, 'maker 0, taker 0.0005 by value'],
  [{ maker: '-0.0001', taker: '0', by: 'quantity' }, 'maker -0.0001, taker 0 by quantity'],
  [{ ...NO_FEES, minimum: '0.5' }, 'maker 0, taker 0 by value, at least 0.5'],
  [{ ...NO_FEES, maximumOfValue: '0.125' }, 'none'],
  [{ maker: '0', taker: '0.0003', minimum: '0.1', maximumOfValue: '0.125' }, 'maker 0, taker 0.0003 by value, at least 0.1, of options at most 0.125 of the premium'],
  [{ ...sided, by: 'fill', minimum: '1' }, 'maker 0.001 buying and 0.002 selling, taker 0.003 by fill, at least 1'],
])('%j in words', (schedule, words) => {
  expect(feeText(schedule)).toBe(words)
})

test.each<[what: string, more: Partial<Instrument>, schedule: FeeSchedule, words: string]>([
  ['an option paid in coin', { type: 'call', strikePrice: '100', isInverse: true, feeUnderlyingId: 1 }, sided, 'maker 0.001 buying and 0.002 selling, taker 0.003 by value (options: by quantity)'],
  ['with a minimum', { type: 'put', strikePrice: '100', isInverse: true, feeUnderlyingId: 1 }, { maker: '0', taker: '0.0003', minimum: '0.1' }, 'maker 0, taker 0.0003 by value (options: by quantity), at least 0.1'],
  ['by quantity in any case', { type: 'call', strikePrice: '100', isInverse: true, feeUnderlyingId: 1 }, { maker: '0', taker: '0.0003', by: 'quantity' }, 'maker 0, taker 0.0003 by quantity'],
  ['an option paid in money', { type: 'call', strikePrice: '100', feeUnderlyingId: 2 }, sided, 'maker 0.001 buying and 0.002 selling, taker 0.003 by value'],
  ['a perpetual', { feeUnderlyingId: 2 }, sided, 'maker 0.001 buying and 0.002 selling, taker 0.003 by value'],
])('the words say which value of options counts: %s', (_what, more, schedule, words) => {
  const instrument = { ...madeInstrument(), baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 2, ...more }
  expect(feeText(schedule, [{ contract: contractFromInstrument(instrument), entry: { instrument } }])).toBe(words)
})

function valueOf(more: Partial<Instrument>): string | null {
  const instrument = { ...madeInstrument(), baseUnderlyingId: 1, counterUnderlyingId: 2, valuationUnderlyingId: 2, ...more }
  return feeValueOf(contractFromInstrument(instrument), instrument, Amount.from(5), Amount.from(200))?.toFixed() ?? null
}

test.each([
  ['no fee underlying: the settlement value', { feeUnderlyingId: null }, '200'],
  ['settlement', { feeUnderlyingId: 2 }, '200'],
  ['spot, base: the quantity', { type: 'spot', feeUnderlyingId: 1 }, '5'],
  ['inverse, settled in base', { isInverse: true, contractValue: '100', feeUnderlyingId: 1 }, '200'],
  ['inverse, counter: contracts times their value', { isInverse: true, contractValue: '100', feeUnderlyingId: 2 }, '500'],
  ['another coin', { feeUnderlyingId: 9 }, null],
  ['an option paid in coin: the coins that it is about', { type: 'call', strikePrice: '100', isInverse: true, multiplier: '2', feeUnderlyingId: 1 }, '10'],
  ['its premium where its fee is said to be of nothing', { type: 'call', strikePrice: '100', isInverse: true, multiplier: '2', feeUnderlyingId: null }, '200'],
  ['an option paid in money: its premium', { type: 'call', strikePrice: '100', multiplier: '2', feeUnderlyingId: 2 }, '200'],
] as const)('fees by value are taken of: %s', (_words, more, value) => {
  expect(valueOf(more)).toBe(value)
})

test('fees by value in a coin that nothing values are refused; by quantity, by fill or none are not', () => {
  const instrument = { ...madeInstrument(), feeUnderlyingId: 9 }
  const place = { field: 'fees', expected: 'fees by quantity or by fill', found: 'fees by value' }
  expect(() => checkFees('main', sided, instrument)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place }))
  expect(() => checkFees('main', { ...NO_FEES, minimum: '1' }, instrument)).toThrow('account main')
  const selling = { buy: '0', sell: '0.001' }
  expect(() => checkFees('main', { maker: selling, taker: selling }, instrument)).toThrow('account main')
  checkFees('main', { ...sided, by: 'quantity' }, instrument)
  checkFees('main', { ...sided, by: 'fill' }, instrument)
  checkFees('main', { maker: { buy: '0', sell: '0' }, taker: '0' }, instrument)
})
