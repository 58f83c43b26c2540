import { Amount, exactProduct, exactSum } from '../../src/model/amount.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractFromInstrument, contractValue } from '../../src/model/contract.js'
import type { Instrument } from '../../src/model/instrument.js'
import { madeInstrument } from '../support/market-lines.ts'

/** Base 1, counter 2, valued in 3. */
const of = (more: Partial<Instrument>): Instrument => madeInstrument({ valuationUnderlyingId: 3, multiplier: '7', contractValue: '5', ...more })

describe('the contract of an instrument', () => {
  test.each<[string, Partial<Instrument>, string]>([
    ['linear: its multiplier, in the counter', {}, 'linear 7 in 2'],
    ['1 where it has none', { multiplier: null }, 'linear 1 in 2'],
    ['spot: 1, whatever else it says', { type: 'spot' }, 'spot 1 in 2'],
    ['inverse: its contract value, in the base', { isInverse: true }, 'inverse 5 in 1'],
    ['quanto: its contract value, in what it is valued in', { isQuanto: true }, 'quanto 5 in 3'],
    ['an option in the counter', { type: 'call', strikePrice: '10' }, 'option 7 in 2 call of 10 in money'],
    ['one that says nothing of its valuation too', { type: 'put', strikePrice: '10', valuationUnderlyingId: null, baseUnderlyingId: null }, 'option 7 in 2 put of 10 in money'],
    ['one that is valued in its base is paid in it', { type: 'put', strikePrice: '10', valuationUnderlyingId: 1 }, 'option 7 in 1 put of 10 in coin'],
    ['so is an inverse one', { type: 'call', strikePrice: '10', isInverse: true }, 'option 7 in 1 call of 10 in coin'],
  ])('%s', (_name, more, expected) => {
    const { kind, size, settlementUnderlyingId, option } = contractFromInstrument(of(more))
    expect(`${kind} ${size.toFixed()} in ${settlementUnderlyingId}${option === undefined ? '' : ` ${option.right} of ${option.strike.toFixed()} in ${option.paidIn}`}`).toBe(expected)
  })

  test.each<[string, Partial<Instrument>]>([
    ['counter_underlying_id', { counterUnderlyingId: null }], ['base_underlying_id', { isInverse: true, baseUnderlyingId: null }], ['valuation_underlying_id', { isQuanto: true, valuationUnderlyingId: null }],
    ['contract_value', { isInverse: true, contractValue: null }], ['contract_value', { isQuanto: true, contractValue: null }], ['strike_price', { type: 'put' }],
    ['base_underlying_id', { type: 'call', strikePrice: '10', isInverse: true, baseUnderlyingId: null }],
  ])('is refused by the name of the field without %s: %j', (field, more) => {
    expect(() => contractFromInstrument(of(more))).toThrow(expect.objectContaining({ code: 'MASTER_DATA_MALFORMED', message: `Cannot account for TEST: its master data has no ${field}`, place: { field, expected: 'a value', found: 'null' } }))
  })
})

test('what needs more digits than are exact is an error, never a rounding', () => {
  const digits = '9'.repeat(39)
  expect(Amount.from(digits).posted('a sum').toFixed()).toBe(digits)
  expect(() => Amount.from(`${digits}9`).posted('a sum')).toThrow('Cannot post a sum: it needs more than 39 digits')
  const contract = contractFromInstrument(of({}))
  const value = (quantity: string, price: string) => contractValue(contract, Amount.from(quantity), Amount.from(price)).toFixed()
  expect(() => value('1', digits.replace(/9$/, '5'))).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT' }))
  // Rounded to 40 digits this ends in zeros, as if it had 32 and were exact.
  expect(() => value('9'.repeat(30), '9'.repeat(30))).toThrow('Cannot post a contract value: it needs more than 39 digits')
  expect([value('9'.repeat(20), '1'.repeat(18)), value('0.000000000000000001', '123456789.123456789')]).toEqual(['77777777777777777699222222222222222223', '0.000000000864197523864197523'])
})

test('sums and products of any two decimals are exact or refused, however far their digits lie apart', () => {
  // A bigint has every digit.
  const decimal = fc.record({ digits: fc.bigInt({ min: -(10n ** 39n) + 1n, max: 10n ** 39n - 1n }), scale: fc.integer({ min: -20, max: 40 }) })
  const short = fc.record({ digits: fc.oneof(fc.bigInt({ min: -999n, max: 999n }), fc.constantFrom(1n, -1n, 10n ** 20n)), scale: fc.integer({ min: -20, max: 40 }) })
  const kind = fc.constantFrom<readonly [typeof exactSum, (a: bigint, b: bigint) => bigint]>([exactSum, (a, b) => a + b], [exactProduct, (a, b) => a * b])
  fc.assert(fc.property(kind, fc.oneof(decimal, short), fc.oneof(decimal, short), ([ours, naive], left, right) => {
    const of = ({ digits, scale }: { readonly digits: bigint, readonly scale: number }): Amount => Amount.from(`${digits}e${-scale}`)
    const whole = ({ digits, scale }: { readonly digits: bigint, readonly scale: number }): bigint => digits * 10n ** BigInt(60 - scale)
    const all = String(naive(whole(left), whole(right))).replace('-', '').replace(/0+$/, '')
    const result = (): Amount => ours(of(left), of(right), 'it')
    if (all.length > 39) expect(result).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT' }))
    else expect(result().abs().toFixed().replace('.', '').replace(/^0+|0+$/g, '')).toBe(all)
  }), { numRuns: 5000 })
})
