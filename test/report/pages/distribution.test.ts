import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantileOf } from '../../../src/measures/quantile.js'
import { ascendingOf, histogramOf, ratioHistogramOf } from '../../../src/report/pages/distribution.js'

const VALUES = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { maxLength: 200 })

describe('distributions of a report', () => {
  test('a histogram counts every value once, in its bin', () => fc.assert(fc.property(VALUES, (values) => {
    for (const { edges, counts } of [histogramOf(values), ratioHistogramOf(values)]) {
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(values.length)
      expect(edges.length).toBe(counts.length === 0 ? 0 : counts.length + 1)
      expect(edges).toEqual(edges.toSorted((a, b) => a - b))
    }
    const { edges, counts } = histogramOf(values)
    const naive = counts.map((_, at) => values.filter((value) => value >= edges[at]! && (value < edges[at + 1]! || at === counts.length - 1)).length)
    if (counts.length > 1) expect(counts).toEqual(naive)
  })))

  test.each([[[], 0.5, null], [[3], 0.5, 3], [[1, 2], 0.5, 1.5], [[1, 2, 3, 4, 5], 0.25, 2], [[1, 2, 3], 1, 3]])('the quantile of %j', (values, share, expected) => {
    expect(quantileOf(ascendingOf(values), share)).toBe(expected)
  })

  test('0 is an edge where values lie on both sides', () => { expect(histogramOf([-3, -1, 2, 8]).edges).toContain(0) })
})
