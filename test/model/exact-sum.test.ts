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

test('sums and products of decimal texts are those of Decimal, whatever their lengths', () => {
  const text = fc.oneof(
    fc.tuple(fc.integer(), fc.nat(9_999_999)).map(([whole, part]) => new Decimal(`${whole}.${part}`).toFixed()),
    fc.constantFrom('0', '-0.5', '1.50', '900719925474099300000', '-0.0000000000000000001', '1e-7', '12e3'),
  )
  fc.assert(fc.property(fc.array(fc.tuple(text, text), { maxLength: 30 }), (terms) => {
    const Wide = Decimal.clone({ precision: 200 })
    const sum = new ExactSum()
    let plain = new Wide(0)
    for (const [a, b] of terms) {
      sum.addTextProduct(a, b)
      sum.addText(a)
      plain = plain.plus(new Wide(a).times(b)).plus(a)
    }
    expect(sum.toFixed()).toBe(new Decimal(plain.toFixed()).toFixed())
  }))
  expect(() => { new ExactSum().addText('one') }).toThrow('one is no decimal')
})
