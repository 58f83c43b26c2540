import { describe, expect, test } from 'vitest'
import { returnStatistics } from '../../src/measures/return-statistics.js'

const none = { sharpe: null, sortino: null, calmar: null, winRate: null, profitFactor: null }

describe('statistics of returns', () => {
  test.each([
    ['nothing', [], { sampleCount: 0, total: 0, volatility: null, maxDrawdown: 0, ...none }],
    ['one return', [0.5], { sampleCount: 1, total: 0.5, volatility: null, maxDrawdown: 0, ...none, winRate: 1 }],
    ['equal returns', [0.1, 0.1, 0.1], { sampleCount: 3, volatility: 0, maxDrawdown: 0, ...none, winRate: 1 }],
    ['zeros', [0, 0], { total: 0, volatility: 0, maxDrawdown: 0, ...none }],
    ['everything lost', [0.1, -1], { total: -1, maxDrawdown: 1, calmar: null, winRate: 0.5, profitFactor: 0.1 }],
  ])('of %s', (_what, returns, wanted) => {
    expect(returnStatistics(returns, 365)).toMatchObject(wanted)
  })

  test('by hand', () => {
    const { sharpe, sortino, volatility, maxDrawdown, calmar, winRate, profitFactor, total } = returnStatistics([0.1, -0.05, 0, 0.02], 4)
    const mean = 0.07 / 4
    const deviation = Math.sqrt([0.1, -0.05, 0, 0.02].reduce((sum, one) => sum + (one - mean) ** 2, 0) / 3)
    expect(total).toBeCloseTo(1.1 * 0.95 * 1.02 - 1, 12)
    expect([sharpe, sortino, volatility]).toEqual([expect.closeTo((mean / deviation) * 2, 12), expect.closeTo((mean / Math.sqrt(0.05 ** 2 / 4)) * 2, 12), expect.closeTo(deviation * 2, 12)])
    expect([maxDrawdown, calmar, winRate, profitFactor]).toEqual([expect.closeTo(0.05, 12), expect.closeTo(total / 0.05, 10), 2 / 3, expect.closeTo(2.4, 12)])
  })
})
