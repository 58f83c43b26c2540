import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { benchmarkStatistics } from '../../src/measures/benchmark-statistics.js'

const NOTHING = { beta: null, correlation: null, alpha: null, trackingError: null, informationRatio: null }
const PAIRS = fc.array(fc.tuple(fc.double({ noNaN: true, min: -0.5, max: 0.5 }), fc.double({ noNaN: true, min: -0.5, max: 0.5 })), { minLength: 3, maxLength: 40 })

describe('returns beside a benchmark', () => {
  test.each([
    ['nothing', [], [], { sampleCount: 0, ...NOTHING }],
    ['one pair', [0.1], [0.2], { sampleCount: 1, ...NOTHING }],
    ['the rest of a longer series left out', [0.1, 0.2, 9], [0.1, 0.2], { sampleCount: 2, beta: 1 }],
    ['a benchmark that never moves', [0.1, -0.1], [0, 0], { beta: null, correlation: null, alpha: null }],
    ['a strategy that never moves', [0, 0], [0.1, -0.1], { beta: 0, correlation: null, alpha: 0 }],
    ['the benchmark itself', [0.1, -0.2, 0.3], [0.1, -0.2, 0.3], { beta: 1, alpha: 0, trackingError: 0, informationRatio: null }],
  ])('of %s', (_what, returns, benchmark, wanted) => {
    expect(benchmarkStatistics(returns, benchmark, 365)).toMatchObject(wanted)
  })

  test('by hand', () => {
    // Means 0.02 and 0.01; deviations -0.01, 0, 0.01 and -0.02, 0, 0.02.
    const found = benchmarkStatistics([0.01, 0.02, 0.03], [-0.01, 0.01, 0.03], 100)
    expect(found).toEqual({
      sampleCount: 3, beta: expect.closeTo(0.5, 12), correlation: expect.closeTo(1, 12), alpha: expect.closeTo(1.5, 12),
      trackingError: expect.closeTo(0.1, 12), informationRatio: expect.closeTo(10, 10),
    })
  })

  test('beta and alpha are the least squares', () => fc.assert(fc.property(PAIRS, (pairs) => {
    const [own, other] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
    const n = pairs.length
    const [sx, sy] = [other.reduce((a, b) => a + b, 0), own.reduce((a, b) => a + b, 0)]
    const sxx = other.reduce((a, b) => a + b * b, 0)
    const sxy = pairs.reduce((sum, [a, b]) => sum + a * b, 0)
    const divisor = n * sxx - sx * sx
    fc.pre(Math.abs(divisor) > 1e-3)
    const slope = (n * sxy - sx * sy) / divisor
    const { beta, alpha } = benchmarkStatistics(own, other, 1)
    expect(beta).toBeCloseTo(slope, 8)
    expect(alpha).toBeCloseTo((sy - slope * sx) / n, 8)
  })))
})
