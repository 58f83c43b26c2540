import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ReducedSeries } from '../../src/panels/reduced-series.js'

const span = fc.tuple(fc.nat(100), fc.nat(20), fc.nat(20)).map(([low, wide, at]) => ({ low, high: low + wide, last: low + Math.min(at, wide) }))

/** The columns of points by a size that is known beforehand, without a thought about memory. */
function naive(points: readonly { readonly low: number; readonly high: number; readonly last: number }[], size: number): unknown {
  const columns = []
  for (let at = 0; at < points.length; at += size) {
    const own = points.slice(at, at + size)
    columns.push([at, Math.min(...own.map(({ low }) => low)), Math.max(...own.map(({ high }) => high)), own.at(-1)?.last])
  }
  return columns
}

describe('a line in bounded memory', () => {
  test('has of each column the least, the greatest and the last value of its points', () => {
    fc.assert(fc.property(fc.array(span, { maxLength: 200 }), fc.integer({ min: 2, max: 9 }), fc.nat(200), (points, most, cut) => {
      let series = new ReducedSeries(null, most)
      for (const [at, { low, high, last }] of points.entries()) {
        // Another one goes on where this one is.
        if (at === cut) series = new ReducedSeries(structuredClone(series.columns), most)
        series.add(at, low, high, last)
      }
      const { timeMs, low, high, last, pointsEach } = series.columns
      expect(timeMs.length).toBeLessThanOrEqual(most)
      expect(timeMs.map((time, at) => [time, low[at], high[at], last[at]])).toEqual(naive(points, pointsEach))
    }), { numRuns: 300 })
  })

  test.each([
    [0, 4, [], 1], [4, 4, [0, 1, 2, 3], 1], [5, 4, [0, 2, 4], 2], [8, 4, [0, 2, 4, 6], 2], [9, 4, [0, 4, 8], 4], [4, 3, [0, 2], 2], [6, 3, [0, 2, 4], 2], [7, 3, [0, 4], 4],
  ])('%i points in at most %i columns begin at %j', (count, most, begins, each) => {
    const series = new ReducedSeries(null, most)
    for (let at = 0; at < count; at++) series.add(at, at, at, at)
    expect([series.columns.timeMs, series.columns.pointsEach]).toEqual([begins, each])
  })

  test('has all values at a finer scale', () => {
    const series = new ReducedSeries()
    series.add(5, 1, 3, 2)
    series.rescale(10)
    expect(series.columns).toMatchObject({ timeMs: [5], low: [10], high: [30], last: [20] })
  })
})
