import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { ExactSum } from '../../src/model/exact-sum.js'

const factor = fc.oneof(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: -9_000_000_000_000, max: 9_000_000_000_000 }))

test('sums and products of scaled integers are those of Decimal, whatever their sizes and scales', () => {
  fc.assert(fc.property(fc.array(fc.tuple(factor, factor, fc.nat(12)), { maxLength: 30 }), fc.nat(30), (terms, stop) => {
    let sum = new ExactSum()
    let plain = new Decimal(0)
    for (const [index, [a, b, scale]] of terms.entries()) {
      if (index === stop) sum = ExactSum.from(sum.toFixed())
      sum.addProduct(a, b, scale)
      sum.add(a, scale)
      plain = plain.plus(new Decimal(a).times(b).plus(a).times(`1e-${scale}`))
    }
    expect(sum.toFixed()).toBe(plain.toFixed())
  }))
})

test.each([['0', '0'], ['-1.25', '-1.25'], ['900719925474099300000', '900719925474099300000'], ['-0.5', '-0.5']])('begins at %s', (text, sum) => {
  expect(ExactSum.from(text).toFixed()).toBe(sum)
})
