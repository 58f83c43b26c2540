import { Decimal as Library } from 'decimal.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal, decimalFromScaled, numberFromDecimal, quotientTo18, textFromScaled } from '../../src/model/decimal.js'

/** The library itself with the house's settings. */
const Reference = Library.clone({ precision: 40, rounding: Library.ROUND_HALF_EVEN, toExpNeg: -40, toExpPos: 40, defaults: true })
type Value = Library

const EDGES = [0, 1, 2, 9, 10, 5_000_000, 9_999_999, 10_000_000, 10_000_001, 2 ** 31 - 1, 2 ** 31, 10 ** 14 - 1, 10 ** 14, 10 ** 15, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]
const integer = fc.tuple(fc.oneof(fc.constantFrom(...EDGES), fc.maxSafeNat(), fc.nat(100_000)), fc.boolean()).map(([size, isNegative]) => (isNegative ? -size : size))
const scale = fc.nat(18)
/** Money: scaled integers, and what has been divided. */
const text = fc.oneof(
  fc.tuple(integer, scale).map(([size, places]) => textFromScaled(size, places)),
  fc.tuple(integer, fc.maxSafeNat(), scale).map(([size, more, places]) => `${textFromScaled(size, 0)}${String(more)}e-${String(places + 16)}`),
  fc.tuple(fc.stringMatching(/^-?[1-9]\d{0,45}$/), fc.integer({ min: -60, max: 30 })).map(([digits, exponent]) => `${digits}e${String(exponent)}`),
  fc.constantFrom('0', '-0', 'NaN', 'Infinity', '-Infinity', '1', '-1', '0.5', '9999999.9999999', '-0.0000001'),
)

/** Everything that a value is inside: nothing can tell two that agree apart. */
function inside({ s, e, d }: Value): unknown {
  return { s: Object.is(s, -0) ? '-0' : s, e, d: (d as readonly number[] | null) === null ? null : [...d] }
}

function frozen(value: string): Decimal {
  const made = new Decimal(value)
  Object.freeze(made.d)
  return made
}

const MANY = { numRuns: 3000 }

test('sums, differences, products and comparisons are those of decimal.js to the last field, and change no operand', () => {
  fc.assert(fc.property(text, text, (a, b) => {
    const [x, y] = [frozen(a), frozen(b)]
    const [p, q] = [new Reference(a), new Reference(b)]
    for (const [own, other] of [[x, y], [y, x], [x, x]] as const) {
      const [mine, theirs] = [own === x ? p : q, other === x ? p : q]
      expect(inside(own.plus(other))).toEqual(inside(mine.plus(theirs)))
      expect(inside(own.minus(other))).toEqual(inside(mine.minus(theirs)))
      expect(inside(own.times(other))).toEqual(inside(mine.times(theirs)))
      expect(own.comparedTo(other)).toBe(mine.comparedTo(theirs))
      expect([own.eq(other), own.lt(other), own.lte(other), own.gt(other), own.gte(other)]).toEqual([mine.eq(theirs), mine.lt(theirs), mine.lte(theirs), mine.gt(theirs), mine.gte(theirs)])
    }
    expect(inside(x.negated())).toEqual(inside(p.negated()))
    expect(inside(x.abs())).toEqual(inside(p.abs()))
    expect([x.gt(0), x.lt(0), x.eq(0), x.cmp(-1), x.cmp('7.5')]).toEqual([p.gt(0), p.lt(0), p.eq(0), p.cmp(-1), p.cmp('7.5')])
    expect([inside(x.times(1)), inside(x.times(-1)), inside(x.times(0)), inside(x.plus(1)), inside(x.minus('0.1'))]).toEqual([inside(p.times(1)), inside(p.times(-1)), inside(p.times(0)), inside(p.plus(1)), inside(p.minus('0.1'))])
    expect(x.toFixed()).toBe(p.toFixed())
    expect(numberFromDecimal(x)).toBe(p.toNumber())
    expect([x.constructor, x.plus(y).constructor, x instanceof Decimal, x.minus(y) instanceof Decimal, Decimal.isDecimal(x.times(y))]).toEqual([Decimal, Decimal, true, true, true])
  }), MANY)
})

test('results of results stay those of decimal.js, the library in between', () => {
  const step = fc.tuple(fc.constantFrom('plus', 'minus', 'times', 'negated', 'abs', 'round', 'sqrt', 'div'), text)
  fc.assert(fc.property(text, fc.array(step, { maxLength: 8 }), (first, steps) => {
    let own: Decimal = frozen(first)
    let reference: Value = new Reference(first)
    for (const [verb, operand] of steps) {
      if (verb === 'plus' || verb === 'minus' || verb === 'times' || verb === 'div') {
        own = own[verb](frozen(operand))
        reference = reference[verb](new Reference(operand))
      } else {
        own = verb === 'round' ? own.toDecimalPlaces(6) : own[verb]()
        reference = verb === 'round' ? reference.toDecimalPlaces(6) : reference[verb]()
      }
      Object.freeze(own.d)
      expect(inside(own)).toEqual(inside(reference))
    }
  }), MANY)
})

test('whatever is no value of the house goes to the library', () => {
  const own = new Decimal('1.5')
  expect(own.plus(2).toFixed()).toBe('3.5')
  expect(own.times('0.5').toFixed()).toBe('0.75')
  expect(own.minus(new Reference('0.25')).toFixed()).toBe('1.25')
  expect(own.cmp(new Reference('1.5'))).toBe(0)
  expect(new Reference('0.25').plus(own).toFixed()).toBe('1.75')
  expect(() => own.plus(undefined as unknown as string)).toThrow(/DecimalError/)
  expect(() => own.cmp(null as unknown as string)).toThrow(/DecimalError/)
})

test('a difference that is nothing has the sign that the rounding gives it', () => {
  try {
    for (const rounding of [Library.ROUND_FLOOR, Library.ROUND_HALF_EVEN, Library.ROUND_UP] as const) {
      Reference.set({ rounding })
      Decimal.set({ rounding })
      for (const [a, b] of [['1.5', '1.5'], ['-2', '-2'], ['0', '0'], ['-0', '0'], ['0', '-0'], ['-0', '-0']] as const) {
        expect(inside(new Decimal(a).minus(new Decimal(b)))).toEqual(inside(new Reference(a).minus(new Reference(b))))
        expect(inside(new Decimal(a).plus(new Decimal(b).negated()))).toEqual(inside(new Reference(a).plus(new Reference(b).negated())))
      }
    }
  } finally {
    Reference.set({ rounding: Library.ROUND_HALF_EVEN })
    Decimal.set({ rounding: Library.ROUND_HALF_EVEN })
  }
})

test('another precision is kept to, and exact ways are left where they would be too long for it', () => {
  try {
    fc.assert(fc.property(text, text, fc.integer({ min: 1, max: 60 }), (a, b, precision) => {
      const Own = Library.clone({ ...{ precision, rounding: Library.ROUND_HALF_EVEN, toExpNeg: -40, toExpPos: 40 }, defaults: true })
      Decimal.set({ precision })
      expect(inside(new Decimal(a).plus(new Decimal(b)))).toEqual(inside(new Own(a).plus(new Own(b))))
      expect(inside(new Decimal(a).times(new Decimal(b)))).toEqual(inside(new Own(a).times(new Own(b))))
      expect(inside(new Decimal(a).negated())).toEqual(inside(new Own(a).negated()))
      expect(inside(quotientTo18(new Decimal(a), new Decimal(b)))).toEqual(inside(new Own(a).div(new Own(b)).toDecimalPlaces(18, Library.ROUND_HALF_EVEN)))
    }))
  } finally {
    Decimal.set({ precision: 40 })
  }
})

test('a scaled integer is the value of its text', () => {
  fc.assert(fc.property(integer, fc.nat(30), (size, places) => {
    expect(inside(decimalFromScaled(size, places))).toEqual(inside(new Reference(textFromScaled(size, places))))
  }), MANY)
})

test('a quotient is rounded as the library rounds it, ties and what lies next to them included', () => {
  const divided = (a: string, b: string): unknown => inside(new Reference(a).div(new Reference(b)).toDecimalPlaces(18, Library.ROUND_HALF_EVEN))
  fc.assert(fc.property(text, text, (a, b) => { expect(inside(quotientTo18(frozen(a), frozen(b)))).toEqual(divided(a, b)) }), MANY)
  // A product divided again: the quotient lies on a tie of 18 decimals, or next to it.
  fc.assert(fc.property(fc.nat(10 ** 9), fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: -2, max: 2 }), scale, (whole, divisor, off, places) => {
    const dividend = (2n * BigInt(whole) + 1n) * 5n * BigInt(divisor) * 10n ** 20n + BigInt(off)
    const [a, b] = [`${String(dividend)}e-39`, `${String(divisor)}e-${String(places)}`]
    expect(inside(quotientTo18(new Decimal(a), new Decimal(b)))).toEqual(divided(a, b))
  }), MANY)
})
