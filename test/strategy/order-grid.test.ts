import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaledFromText } from '../../src/model/decimal.js'
import { Price } from '../../src/model/fixed-decimal.js'
import { integerAtScale } from '../../src/strategy/order-grid.js'

const edge = fc.constantFrom(0, 1, 10, 1000, 10 ** 15, 2 ** 53 - 1, 2 ** 53 - 2, 9_007_199_254_740_990, 900_719_925_474_099, 900_719_925_474_100)

test('a value at another scale is the integer of its text there, or none', () => {
  fc.assert(fc.property(fc.oneof(edge, fc.maxSafeNat(), fc.nat(100_000)), fc.boolean(), fc.nat(18), fc.nat(18), (size, isNegative, from, to) => {
    const value = new Price(isNegative ? -size : size, from)
    const expected = scaledFromText(value.toString(), to)
    expect(integerAtScale(value, to)).toBe(from === to ? value.integer : expected)
    expect(integerAtScale(new Price(Math.trunc(size / 1000) * 1000, from), to)).toBe(from === to ? Math.trunc(size / 1000) * 1000 : scaledFromText(new Price(Math.trunc(size / 1000) * 1000, from).toString(), to))
  }), { numRuns: 2000 })
})
