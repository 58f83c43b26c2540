import { describe, expect, test } from 'vitest'
import { dayCoverage, gapDays } from '../../src/model/day-coverage.js'

describe('the coverage of days', () => {
  test.each([
    ['no day', [], { firstDay: null, lastDay: null, dayCount: 0, percent: 0, gaps: [] }],
    ['texts that are no days', ['2024-02-30', '', 'x'], { firstDay: null, dayCount: 0 }],
    ['one day', ['2024-08-08'], { firstDay: '2024-08-08', lastDay: '2024-08-08', dayCount: 1, percent: 100, gaps: [] }],
    ['a day twice', ['2024-08-08', '2024-08-08'], { dayCount: 1, percent: 100 }],
    ['days in any order', ['2024-03-01', '2024-02-28'], {
      firstDay: '2024-02-28', lastDay: '2024-03-01', dayCount: 2, percent: 66.66, gaps: [{ from: '2024-02-29', to: '2024-02-29', days: 1 }],
    }],
    ['two gaps', ['2024-12-30', '2025-01-02', '2025-01-03', '2025-01-05'], {
      dayCount: 4, percent: 57.14,
      gaps: [{ from: '2024-12-31', to: '2025-01-01', days: 2 }, { from: '2025-01-04', to: '2025-01-04', days: 1 }],
    }],
  ])('%s', (_, days, wanted) => {
    expect(dayCoverage(days)).toMatchObject(wanted)
  })

  test('a share of almost all is not all', () => {
    const days = gapDays({ from: '1990-01-01', to: '', days: 30_000 }).filter((_, at) => at !== 15_000)
    expect(dayCoverage(days)).toMatchObject({ percent: 99.99, dayCount: 29_999 })
  })

  test('the days of a gap', () => {
    expect(gapDays({ from: '2024-12-31', to: '2025-01-01', days: 2 })).toEqual(['2024-12-31', '2025-01-01'])
  })
})
