import { expect, test } from 'vitest'
import { RowBudget } from '../../src/report/packed-rows.js'

test('beyond the limit of rows in memory a sentence says what to do', () => {
  const budget = new RowBudget(true, 2)
  budget.take('fills')
  budget.take('trades')
  expect(() => budget.take('trades')).toThrow(
    "Cannot keep another row of trades: a pass keeps at most 2 rows of its tables; set tables to 'none' and read the journal instead",
  )
})
