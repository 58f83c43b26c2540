import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doubleFromWords, exactExp, exactLog, highWord, lowWord } from '../../src/model/exact-math.js'
import { exactPower } from '../../src/model/exact-power.js'

const bits = (x: number): string => [highWord(x), lowWord(x)].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')

/** Steps between two doubles of one sign. */
function ulps(a: number, b: number): number {
  if (Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b))) return 0
  const words = new BigInt64Array(new Float64Array([a, b]).buffer)
  const distance = (words[0] ?? 0n) - (words[1] ?? 0n)
  return Number(distance < 0n ? -distance : distance)
}

const positive = fc.double({ min: 0, noNaN: true })

describe('golden bits: the same on every engine', () => {
  test.each([
    [0.1, 'c0026bb1bbb55515'], [2, '3fe62e42fefa39ef'], [3, '3ff193ea7aad030a'], [10, '40026bb1bbb55516'], [1e-300, 'c085963447f87fb5'],
    [5e-324, 'c0874385446d71c3'], [Number.MAX_VALUE, '40862e42fefa39ef'], [0.9999999, 'be7ad7f2b1049b9f'],
  ])('log %d', (x, golden) => expect(bits(exactLog(x))).toBe(golden))

  test.each([
    [1, '4005bf0a8b14576a'], [-1, '3fd78b56362cef38'], [0.5, '3ffa61298e1e069c'], [10, '40d5829dcf950560'], [-745, '0000000000000001'],
    [709.5, '7fe81e9b4b52d0c9'], [1e-9, '3ff000000044b830'], [-0.1, '3fecf46d99d52b3a'],
  ])('exp %d', (x, golden) => expect(bits(exactExp(x))).toBe(golden))

  test.each([
    [1.1, 10, '4004bffc0c03023e'], [3, 0.5, '3ffbb67ae8584caa'], [10, -3, '3f50624dd2f1a9fc'], [0.7, 100.5, '3cb37ffa9b633fd1'],
    [1.0000001, 1e7, '4005bf0a790ce6f2'], [2, -1074, '0000000000000001'], [0.001, 0.3, '3fc01d3f2d9684d0'], [-3, 3, 'c03b000000000000'],
  ])('power %d ^ %d', (x, y, golden) => expect(bits(exactPower(x, y))).toBe(golden))
})

describe('within 1 ulp of the engine', () => {
  test('logarithm', () => fc.assert(fc.property(positive, (x) => ulps(exactLog(x), Math.log(x)) <= 1), { numRuns: 20_000 }))
  test('exponential', () => {
    fc.assert(fc.property(fc.double({ min: -800, max: 800, noNaN: true }), (x) => ulps(exactExp(x), Math.exp(x)) <= 1), { numRuns: 20_000 })
  })
  test('power', () => {
    const exponent = fc.oneof(fc.double({ min: -20, max: 20, noNaN: true }), fc.double({ noNaN: true }), fc.integer({ min: -40, max: 40 }))
    const base = fc.oneof(positive, fc.double({ min: 0.5, max: 2, noNaN: true }), fc.integer({ min: -9, max: 9 }))
    fc.assert(fc.property(base, exponent, (x, y) => ulps(exactPower(x, y), Math.pow(x, y)) <= 1), { numRuns: 20_000 })
  })
})

describe('special cases', () => {
  test.each([[0, -Infinity], [-0, -Infinity], [1, 0], [-1, NaN], [Infinity, Infinity], [-Infinity, NaN], [NaN, NaN]])('log %d is %d', (x, y) => {
    expect(exactLog(x)).toBe(y)
  })
  test.each([[0, 1], [-0, 1], [Infinity, Infinity], [-Infinity, 0], [710, Infinity], [-746, 0], [NaN, NaN]])('exp %d is %d', (x, y) => {
    expect(exactExp(x)).toBe(y)
  })
  test('power agrees with Math.pow on every pair of special values', () => {
    const values = [0, -0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e300, -1e300, 5e-324, Infinity, -Infinity, NaN, 2 ** 65, 1e19]
    for (const x of values) for (const y of values) {
      const places = ulps(exactPower(x, y), Math.pow(x, y))
      expect([x, y, places]).toEqual([x, y, Math.min(places, 1)])
    }
  })
  test('halves of a double make it whole again', () => {
    fc.assert(fc.property(fc.double({ noNaN: true }), (x) => Object.is(doubleFromWords(highWord(x), lowWord(x)), x)))
  })
})
