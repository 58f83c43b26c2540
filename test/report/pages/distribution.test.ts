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

  test.each<readonly [name: string, values: number[], edges: number[], counts: number[]]>([
    ['nothing', [], [], []],
    ['zeros', [0, 0], [0, 0], [2]],
    ['one value above 0', [0, 5], [0, 5], [2]],
    ['one value above 0 and one below', [-1, 0, 5], [-1, 5], [3]],
    ['values below 0 alone', [-2, -2], [-2, -2], [2]],
  ])('bins of equal ratio: of %s there is one bin at most', (_name, values, edges, counts) => {
    expect(ratioHistogramOf(values)).toEqual({ edges, counts })
  })

  test.each<readonly [name: string, zeros: number[]]>([['without a 0', []], ['with a 0', [0]], ['with values of 0 and below', [0, -0, -1e-9]]])(
    'bins of equal ratio %s: 24 from the least above 0 to the greatest, what is not above 0 in the first', (_name, zeros) => {
      const { edges, counts } = ratioHistogramOf([4096, ...zeros, 1, 2, 4])
      expect(edges).toHaveLength(25)
      expect(edges[0]).toBe(1)
      // Two bins an octave.
      expect(edges.slice(1).filter((_, at) => at % 2 === 1)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096])
      expect(counts).toEqual([1 + zeros.length, 0, 1, 0, 1, ...Array.from({ length: 18 }, () => 0), 1])
    })
})
