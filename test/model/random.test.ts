import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RandomNumbers, threefry } from '../../src/model/random.js'

describe('threefry-2x32-20', () => {
  test.each([
    [[0, 0], [0, 0], [0x6b200159, 0x99ba4efe]],
    [[0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff], [0x1cb996fc, 0xbb002be7]],
    [[0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3], [0xc4923a9c, 0x483df7a0]],
  ])('key %j counter %j: the vector of Random123', ([key0 = 0, key1 = 0], [counter0 = 0, counter1 = 0], block) => {
    expect(threefry(key0, key1, counter0, counter1)).toEqual(block)
  })
})

describe('random numbers', () => {
  const random = new RandomNumbers(7, 'golden', 67824)

  test('golden values: the same on every engine', () => {
    expect([random.bits(0), random.bits(1), random.bits(2 ** 40, 3), random.below(6, 9), random.below(2 ** 52, 9)]).toEqual([
      286900846, 2398161934, 1756292035, 2, 514462817460466,
    ])
    const doubles = [random.uniform(5), random.normal(11), random.exponential(12)].map((x) => new BigUint64Array(new Float64Array([x]).buffer)[0]?.toString(16))
    expect(doubles).toEqual(['3fe31039f9149841', '3fe4add335e058e3', '3fe980287b5e1ecc'])
  })

  test('a pure function: the order of draws changes nothing', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(2047), fc.maxSafeNat(), (number, part, other) => {
        const fresh = new RandomNumbers(7, 'golden', 67824)
        random.normal(other)
        expect(fresh.uniform(number, part)).toBe(random.uniform(number, part))
      }),
    )
  })

  test.each([
    ['seed', new RandomNumbers(8, 'golden', 67824)],
    ['seed beyond 32 bits', new RandomNumbers(7 + 2 ** 32, 'golden', 67824)],
    ['purpose', new RandomNumbers(7, 'goldem', 67824)],
    ['length of the purpose', new RandomNumbers(7, 'golden ', 67824)],
    ['instrument', new RandomNumbers(7, 'golden', 67825)],
    ['instrument beyond 32 bits', new RandomNumbers(7, 'golden', 67824 + 2 ** 33)],
  ])('another %s gives other numbers', (_, other) => {
    let equal = 0
    for (let i = 0; i < 1000; i++) if (other.bits(i) === random.bits(i)) equal += 1
    expect(equal).toBeLessThan(3)
  })

  test('another number or part gives other numbers, the upper halves count', () => {
    const seen = new Set<number>()
    for (const number of [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER]) for (const part of [0, 1, 2, 1023, 2047]) seen.add(random.uniform(number, part))
    expect(seen.size).toBe(35)
  })

  test('uniform lies in [0, 1) and is even over 100 cells', () => {
    const cells = new Float64Array(100)
    for (let i = 0; i < 100_000; i++) cells[Math.floor(random.uniform(i) * 100)]! += 1
    const chiSquare = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    expect(chiSquare).toBeGreaterThan(50)
    expect(chiSquare).toBeLessThan(160)
  })

  test('below is even for a limit that does not divide the range, and stays below at the greatest', () => {
    const counts = new Float64Array(7)
    for (let i = 0; i < 70_000; i++) counts[random.below(7, i)]! += 1
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
    const limit = 2 ** 52 + 1
    for (let i = 0; i < 1000; i++) expect(random.below(limit, i)).toBeLessThan(limit)
    expect(random.below(1, 0)).toBe(0)
  })

  test.each([0, -1, 0.5, 1.5, NaN, Infinity, 2 ** 53 + 2, 1e300])('below %s is refused, and draws without end nowhere', (limit) => {
    expect(() => new RandomNumbers(1, 'test', 0).below(limit, 0)).toThrow('Cannot draw below a limit: it must be a whole number from 1 to 9007199254740992')
  })

  test('exponential and normal have their moments', () => {
    let sum = 0
    let normalSum = 0
    let square = 0
    let fourth = 0
    for (let i = 0; i < 200_000; i++) {
      sum += random.exponential(i)
      const x = random.normal(i)
      normalSum += x
      square += x * x
      fourth += x * x * x * x
    }
    expect(sum / 200_000).toBeCloseTo(1, 1.7)
    expect(normalSum / 200_000).toBeCloseTo(0, 1.7)
    expect(square / 200_000).toBeCloseTo(1, 1.7)
    expect(fourth / 200_000).toBeCloseTo(3, 0.8)
  })
})
