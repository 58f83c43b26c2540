import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'

/** Wide enough for any two values and their sum. */
const Wide = Decimal.clone({ precision: 200, defaults: true })
const MOST = Number.MAX_SAFE_INTEGER

describe('arithmetic', () => {
  test.each<readonly [text: string, value: Price, wanted: string]>([
    ['scales differ', Price.from('0.1').plus(Price.from('0.25')), '0.35'],
    ['through 0', Price.from('1').minus(Price.from('1.5')), '-0.5'],
    ['to 0', Price.from('1.5').minus(Price.from('1.50')), '0'],
    ['scales grow and the sum is short', new Price(MOST, 1).plus(Price.from('0.9')), '900719925474100'],
    ['scaled by a whole number', Price.from('0.1').times(3), '0.3'],
    ['scaled by one below 0', Price.from('0.1').times(-3), '-0.3'],
    ['a product that is short', new Price(MOST, 1).times(10), '9007199254740991'],
    ['another sign', Price.from('1.5').negated(), '-1.5'],
    ['without sign', Price.from('-1.5').abs(), '1.5'],
    ['no sign to lose', Price.from('1.5').abs(), '1.5'],
  ])('%s', (_what, value, wanted) => {
    expect([value.toString(), value instanceof Price]).toEqual([wanted, true])
  })

  test('0 has no sign, whatever it comes from', () => {
    const zero = Quantity.ZERO
    const zeros = [zero.negated(), zero.times(-1), zero.minus(zero), Quantity.from('-2').plus(Quantity.from('2')), zero.abs()]
    expect(zeros.map(({ integer, sign }) => [Object.is(integer, 0), Object.is(sign, 0)])).toEqual(zeros.map(() => [true, true]))
    expect([Quantity.from('-2').sign, Quantity.from('0.1').sign]).toEqual([-1, 1])
  })

  test.each<readonly [what: string, call: () => unknown, error: object]>([
    ['a sum that 2^53 does not hold', () => new Price(MOST, 0).plus(Price.from('2')), { code: 'VALUE_INEXACT', message: 'Cannot hold 9007199254740991 plus 2 exactly: it must be at most 2^53 - 1 without its point' }],
    ['a difference of scales too far apart', () => Price.from('1e15').minus(Price.from('1e-15')), { code: 'VALUE_INEXACT', message: 'Cannot hold 1000000000000000 minus 0.000000000000001 exactly: it must be at most 2^53 - 1 without its point' }],
    ['a product beyond 2^53', () => new Price(MOST, 2).times(3), { code: 'VALUE_INEXACT', message: 'Cannot hold 90071992547409.91 times 3 exactly: it must be at most 2^53 - 1 without its point' }],
    ['NaN', () => Price.from('1').times(NaN), { code: 'OPTION_INVALID', message: 'Cannot multiply 1 by NaN: it must be a whole number', place: { field: 'count', expected: 'a whole number', found: 'NaN' } }],
    ['a part of a whole', () => Price.from('1').times(0.5), { code: 'OPTION_INVALID', message: 'Cannot multiply 1 by 0.5: it must be a whole number' }],
    ['a text as a number', () => Price.from('1').times('2' as unknown as number), { code: 'OPTION_INVALID', message: 'Cannot multiply 1 by "2": it must be a whole number' }],
    ['a quantity beside a price', () => Price.from('1').plus(Quantity.from('2')), { code: 'OPTION_INVALID', message: 'Cannot add the quantity 2: beside 1 it must be a price' }],
    ['a price beside a quantity', () => Quantity.from('1').minus(Price.from('2')), { code: 'OPTION_INVALID', message: 'Cannot subtract the price 2: beside 1 it must be a quantity' }],
    ['a number', () => Price.from('1').plus(2 as unknown as Price), { code: 'OPTION_INVALID', message: 'Cannot add 2: beside 1 it must be a price' }],
    ['a text', () => Price.from('1').plus('2' as unknown as Price), { code: 'OPTION_INVALID', message: 'Cannot add "2": beside 1 it must be a price' }],
    ['nothing', () => Price.from('1').minus(null as unknown as Price), { code: 'OPTION_INVALID', message: 'Cannot subtract null: beside 1 it must be a price' }],
  ])('%s is refused', (_what, call, error) => {
    expect(call).toThrow(expect.objectContaining(error) as Error)
  })

  test('equals decimals of any size, or is refused where the result has more than 2^53', () => {
    const value = fc.record({ integer: fc.integer({ min: -MOST, max: MOST }), scale: fc.integer({ min: 0, max: 30 }) })
    const small = fc.record({ integer: fc.integer({ min: -1e6, max: 1e6 }), scale: fc.integer({ min: 0, max: 8 }) })
    const both = fc.tuple(fc.oneof(value, small), fc.oneof(value, small), fc.integer({ min: -1000, max: 1000 }))
    fc.assert(fc.property(both, ([a, b, count]) => {
      const [x, y] = [new Quantity(a.integer, a.scale), new Quantity(b.integer, b.scale)]
      const [wideX, wideY] = [x, y].map((one) => new Wide(one.toString())) as [Decimal, Decimal]
      const cases: (readonly [call: () => Quantity, wanted: Decimal])[] = [
        [() => x.plus(y), wideX.plus(wideY)], [() => x.minus(y), wideX.minus(wideY)], [() => x.times(count), wideX.times(count)],
        [() => x.negated(), wideX.neg()], [() => x.abs(), wideX.abs()],
      ]
      for (const [call, wanted] of cases) {
        const digits = wanted.toFixed().replace(/[-.]/g, '')
        if (new Wide(digits).gt(MOST)) expect(call).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT' }) as Error)
        else expect(new Wide(call().toString()).eq(wanted)).toBe(true)
      }
    }), { numRuns: 2_000, seed: 18 })
  })
})
