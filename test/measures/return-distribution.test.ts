import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { returnDistribution } from '../../src/measures/return-distribution.js'

const NOTHING = {
  mean: null, best: null, worst: null, meanGain: null, meanLoss: null, longestGains: 0, longestLosses: 0, yearly: null,
  skewness: null, excessKurtosis: null, valueAtRisk: null, expectedShortfall: null, probabilisticSharpe: null,
}
const RETURNS = fc.array(fc.double({ noNaN: true, min: -0.5, max: 0.5 }), { minLength: 4, maxLength: 60 })
  .filter((returns) => Math.max(...returns) - Math.min(...returns) > 1e-3)

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length
/** Mean of a power of the standard scores, divisor n. */
const moment = (values: readonly number[], power: number): number => {
  const deviation = Math.sqrt(mean(values.map((one) => (one - mean(values)) ** 2)))
  return mean(values.map((one) => ((one - mean(values)) / deviation) ** power))
}

/** Part of a normal distribution below a value, by Simpson's rule over its density. */
function normalShare(value: number): number {
  const steps = 20_000
  const width = (value + 12) / steps
  if (width <= 0) return 0
  let sum = 0
  for (let i = 0; i <= steps; i++)
    sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * Math.exp(-((-12 + i * width) ** 2) / 2)
  return Math.min(1, sum * width / 3 / Math.sqrt(2 * Math.PI))
}

describe('the shape of returns', () => {
  test.each([
    ['nothing', [], NOTHING],
    ['one return', [0.5], { ...NOTHING, mean: 0.5, best: 0.5, worst: 0.5, meanGain: 0.5, longestGains: 1, yearly: expect.any(Number), valueAtRisk: 0.5, expectedShortfall: 0.5 }],
    ['equal returns', [0, 0, 0, 0], { mean: 0, yearly: 0, skewness: null, excessKurtosis: null, probabilisticSharpe: null, longestGains: 0, longestLosses: 0, meanGain: null, meanLoss: null }],
    ['everything lost', [0.5, -1, 0.1], { yearly: null, worst: -1, meanLoss: -1 }],
    ['three returns', [0.1, 0.2, 0.3], { excessKurtosis: null, probabilisticSharpe: null, longestGains: 3 }],
    ['rows of gains and losses', [1, 1, 0, 1, -0.5, -0.5, -0.5, 1], { longestGains: 2, longestLosses: 3, meanGain: 1, meanLoss: -0.5 }],
  ])('of %s', (_what, returns, wanted) => {
    expect(returnDistribution(returns, 365)).toMatchObject(wanted)
  })

  // pandas: skew() and kurt() of the series; numpy.percentile(series, 5).
  test('as pandas and numpy have them', () => {
    const found = returnDistribution([0.01, -0.02, 0.03, 0.015, -0.005, 0.04, -0.03], 365)
    expect([found.skewness, found.excessKurtosis, found.valueAtRisk, found.expectedShortfall]).toEqual([
      expect.closeTo(-0.1156377535427362, 12), expect.closeTo(-1.232362865418497, 12), expect.closeTo(-0.027, 12), -0.03,
    ])
  })

  test('agrees with naive moments, quantiles and an integrated normal density', () => fc.assert(fc.property(RETURNS, (returns) => {
    const n = returns.length
    const found = returnDistribution(returns, 8760)
    const sorted = returns.toSorted((a, b) => a - b)
    const place = (n - 1) * 0.05
    const low = sorted[Math.floor(place)]!
    const quantile = low + (sorted[Math.min(Math.floor(place) + 1, n - 1)]! - low) * (place % 1)
    expect(found.valueAtRisk).toBeCloseTo(quantile, 12)
    expect(found.expectedShortfall).toBeCloseTo(mean(sorted.filter((one) => one <= found.valueAtRisk!)), 12)
    expect(found.skewness).toBeCloseTo(moment(returns, 3) * Math.sqrt(n * (n - 1)) / (n - 2), 6)
    const sharpe = mean(returns) / Math.sqrt(mean(returns.map((one) => (one - mean(returns)) ** 2)) * n / (n - 1))
    const spread = 1 - moment(returns, 3) * sharpe + (moment(returns, 4) - 1) / 4 * sharpe ** 2
    const wanted = normalShare(sharpe * Math.sqrt(n - 1) / Math.sqrt(spread))
    if (spread > 1e-3) expect(found.probabilisticSharpe).toBeCloseTo(wanted, 7)
  }), { numRuns: 60 }))
})
