import { Decimal as Library } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Amount, declaredAmount, exactProduct, exactSum } from '../../src/model/amount.js'
import { Decimal, textFromScaled } from '../../src/model/decimal.js'

/** decimal.js with room for every digit, and as the house has it. */
const Wide = Library.clone({ precision: 400, toExpNeg: -400, toExpPos: 400, rounding: Library.ROUND_HALF_EVEN, defaults: true })
const House = Library.clone({ precision: 40, rounding: Library.ROUND_HALF_EVEN, toExpNeg: -40, toExpPos: 40, defaults: true })

const EDGES = [0, 1, 2, 9, 10, 5_000_000, 10_000_000, 2 ** 31, 10 ** 14, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]
const integer = fc.tuple(fc.oneof(fc.constantFrom(...EDGES), fc.maxSafeNat(), fc.nat(100_000)), fc.boolean()).map(([size, isNegative]) => (isNegative ? -size : size))
/** Money: scaled integers, and what has been divided. */
const text = fc.oneof(
  fc.tuple(integer, fc.nat(18)).map(([size, places]) => textFromScaled(size, places)),
  fc.tuple(fc.stringMatching(/^-?[1-9]\d{0,30}$/), fc.integer({ min: -40, max: 10 })).map(([digits, exponent]) => `${digits}e${String(exponent)}`),
  fc.constantFrom('0', '-0', '1', '-1', '0.5', '2.50', '9007199254740993', '-0.0000001'),
)
const MANY = { numRuns: 3000 }
const plainOf = (value: Library): string => (value.isZero() ? '0' : value.toFixed())

describe('an amount', () => {
  test('has the sums, products and order of decimal.js, exact', () => {
    fc.assert(fc.property(text, text, (a, b) => {
      const [x, y, p, q] = [Amount.from(a), Amount.from(b), new Wide(a), new Wide(b)]
      expect(x.plus(y).toFixed()).toBe(plainOf(p.plus(q)))
      expect(x.minus(y).toFixed()).toBe(plainOf(p.minus(q)))
      expect(x.times(y).toFixed()).toBe(plainOf(p.times(q)))
      expect([x.negated().toFixed(), x.abs().toFixed(), x.sign, x.isZero()]).toEqual([plainOf(p.negated()), plainOf(p.abs()), p.isZero() ? 0 : p.s, p.isZero()])
      expect([x.signed(-1), x.signed(1)].map(String)).toEqual([plainOf(p.negated()), plainOf(p)])
      expect([x.comparedTo(y), x.eq(y), x.lt(y), x.lte(y), x.gt(y), x.gte(y)]).toEqual([p.comparedTo(q), p.eq(q), p.lt(q), p.lte(q), p.gt(q), p.gte(q)])
      expect([Amount.min(x, y), Amount.max(x, y)].map(String)).toEqual([Library.min(p, q), Library.max(p, q)].map(plainOf))
      expect(x.toNumber()).toBe(new Wide(plainOf(p)).toNumber())
    }), MANY)
  })

  test('rounds a quotient once, half-even, and a ratio to 40 digits as decimal.js does', () => {
    fc.assert(fc.property(text, text, fc.nat(20), (a, b, decimals) => {
      const [x, y] = [Amount.from(a), Amount.from(b)]
      if (y.isZero()) return
      const exact = new Wide(a).div(b)
      expect(x.quotient(y).toFixed()).toBe(plainOf(exact.toDecimalPlaces(18, Library.ROUND_HALF_EVEN)))
      expect(x.rounded(decimals).toFixed()).toBe(plainOf(new Wide(a).toDecimalPlaces(decimals, Library.ROUND_HALF_EVEN)))
      expect(x.ratio(y).toFixed()).toBe(plainOf(exact.abs().lt(1e39) ? new House(a).div(b) : exact.toDecimalPlaces(0, Library.ROUND_HALF_EVEN)))
    }), MANY)
  })

  test('is what its integer, its text and its Decimal say', () => {
    fc.assert(fc.property(integer, fc.nat(18), (size, scale) => {
      const amount = Amount.scaled(size, scale)
      const plain = textFromScaled(size, scale)
      expect([amount.toFixed(), String(amount), JSON.stringify({ amount })]).toEqual([plain, plain, `{"amount":"${plain}"}`])
      expect([Amount.from(plain).eq(amount), Amount.from(new Decimal(plain)).eq(amount)]).toEqual([true, true])
      expect(amount.toDecimal()).toEqual(new Decimal(plain))
      expect([amount.integerAt(scale), amount.integerAt(0)]).toEqual([size + 0, Math.trunc(size / 10 ** scale) + 0])
    }), MANY)
    expect(Amount.from('1.50e3').toFixed()).toBe('1500')
    expect(() => Amount.from('abc')).toThrow(/must be a decimal/)
    expect(Amount.from('7').quotient(Amount.from('1e30')).toFixed()).toBe('0')
  })

  test('is posted where 39 digits hold it', () => {
    const nines = '9'.repeat(39)
    expect(exactSum(Amount.from(nines), Amount.ZERO, 'cash').toFixed()).toBe(nines)
    expect(exactSum(Amount.from(nines), Amount.ONE, 'cash').toFixed()).toBe(`1${'0'.repeat(39)}`)
    expect(() => exactSum(Amount.from(nines), Amount.from('0.1'), 'cash')).toThrow(/Cannot post cash: it needs more than 39 digits/)
    expect(() => exactProduct(Amount.from(nines), Amount.from('1.1'), 'a fee')).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT' }) as Error)
  })

  test('is read once where it is declared', () => {
    expect(declaredAmount('0.0002')).toBe(declaredAmount('0.0002'))
    for (let at = 0; at < 2000; at++) expect(declaredAmount(`0.${String(at)}1`).toFixed()).toBe(`0.${String(at)}1`)
  })
})
