import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addChange, idleReturns, sharpeRatio, sortinoRatio } from '../../src/report/return-sums.js'
import { RowBudget } from '../../src/report/row-budget.js'

function sumsOf(changes: readonly number[], idle = 0): ReturnType<typeof idleReturns> {
  const sums = idleReturns(idle)
  for (const change of changes) addChange(sums, change)
  return sums
}

describe('ratios', () => {
  test('equal those of two passes over all changes', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 50 }), fc.nat(20), (changes, idle) => {
      const all = [...Array<number>(idle).fill(0), ...changes]
      const mean = all.reduce((sum, change) => sum + change, 0) / all.length
      const deviation = Math.sqrt(all.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (all.length - 1))
      const downside = Math.sqrt(all.reduce((sum, change) => sum + Math.min(0, change) ** 2, 0) / all.length)
      const sums = sumsOf(changes, idle)
      if (new Set(all).size > 1) expect(sharpeRatio(sums, 4)).toBeCloseTo((mean / deviation) * 2, 9)
      if (all.some((change) => change < 0)) expect(sortinoRatio(sums, 4)).toBeCloseTo((mean / downside) * 2, 9)
    }))
  })

  test.each([
    ['nothing', []], ['one change', [5]], ['equal changes', [3, 3, 3]],
  ])('there is no Sharpe of %s', (_what, changes) => expect(sharpeRatio(sumsOf(changes), 1)).toBeNull())

  test('there is no Sortino without a loss', () => expect(sortinoRatio(sumsOf([1, 2, 0]), 1)).toBeNull())
})

describe('rows in memory', () => {
  test('beyond the limit a sentence says what to do', () => {
    const budget = new RowBudget(true, 2)
    budget.take('fills')
    budget.take('orders')
    expect(() => budget.take('orders')).toThrow(
      "Cannot keep another row of orders: a pass keeps at most 2 rows of fills, orders and equity; set tables to 'none' and read the journal instead",
    )
  })
})
