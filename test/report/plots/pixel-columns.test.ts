import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnOf, keptPointsMax, lineInColumns, rangesInColumns } from '../../../src/report/plots/pixel-columns.js'
import { bookCells } from '../../../src/report/plots/book-cells.js'
import { naiveCell, naiveColumns, naiveHasGap } from '../../support/naive-pixels.ts'

const points = fc.array(fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(300)),
  value: fc.oneof({ arbitrary: fc.integer({ min: -50, max: 50 }), weight: 8 }, { arbitrary: fc.constantFrom(NaN, Infinity, -Infinity), weight: 2 }),
}), { maxLength: 200 })

function lineOf(all: readonly { readonly wait: number; readonly value: number }[]): { times: number[]; values: number[] } {
  let time = 0
  return { times: all.map(({ wait }) => (time += wait)), values: all.map(({ value }) => value) }
}

describe('a line in columns of pixels', () => {
  test('keeps first, lowest, highest and last of every column, and no others', () => {
    fc.assert(fc.property(points, fc.integer({ min: 1, max: 20 }), (all, columnCount) => {
      const { times, values } = lineOf(all)
      const [fromMs, toMs] = [times[0] ?? 0, times.at(-1) ?? 0]
      const grid = { fromMs, toMs, columnCount }
      const kept = lineInColumns({ epochMs: Float64Array.from(times), values: Float64Array.from(values) }, grid)
      const expected = naiveColumns(times, values, fromMs, toMs, columnCount)
      expect(naiveColumns(Array.from(kept.epochMs), Array.from(kept.values), fromMs, toMs, columnCount)).toEqual(expected)
      if (all.length > 2 * columnCount) expect(kept.values.length).toBeLessThanOrEqual(keptPointsMax(grid))
    }))
  })

  test('joins two points only where no gap lies between them', () => {
    fc.assert(fc.property(points, fc.integer({ min: 1, max: 20 }), (all, columnCount) => {
      // Every value is another, so that kept points are found again.
      const { times } = lineOf(all)
      const values = all.map(({ value }, index) => Number.isFinite(value) ? value * 1_000 + index : value)
      const kept = lineInColumns({ epochMs: Float64Array.from(times), values: Float64Array.from(values) }, { fromMs: times[0] ?? 0, toMs: times.at(-1) ?? 0, columnCount })
      for (let index = 1; index < kept.values.length; index++) {
        const [before, after] = [kept.values[index - 1]!, kept.values[index]!]
        if (Number.isNaN(before) || Number.isNaN(after)) continue
        expect(naiveHasGap(times, values, values.indexOf(before), values.indexOf(after))).toBe(false)
      }
      const gaps = Array.from(kept.values.keys()).filter((index) => Number.isNaN(kept.values[index]))
      for (const gap of gaps) expect(naiveHasGap(times, values, values.indexOf(kept.values[gap - 1]!), values.indexOf(kept.values[gap + 1]!))).toBe(true)
    }))
  })

  test.each([
    ['nothing', [], []], ['gaps alone', [NaN, NaN, Infinity], []], ['one point', [5], [5]],
    ['a gap at either end', [NaN, 1, 2, NaN], [1, 2]], ['a gap between', [1, NaN, NaN, 2], [1, NaN, 2]],
  ])('of %s', (_, values, expected) => {
    const epochMs = Float64Array.from(values.keys())
    expect(Array.from(lineInColumns({ epochMs, values: Float64Array.from(values) }, { fromMs: 0, toMs: 10, columnCount: 100 }).values)).toEqual(expected)
  })
})

test('ranges of columns are those of the naive ones, in any order of time', () => {
  fc.assert(fc.property(points, fc.integer({ min: 1, max: 20 }), (all, columnCount) => {
    const { times, values } = lineOf(all)
    const [fromMs, toMs] = [times[0] ?? 0, times.at(-1) ?? 0]
    const { columns, lows, highs } = rangesInColumns({ epochMs: Float64Array.from(times).reverse(), values: Float64Array.from(values).reverse() }, { fromMs, toMs, columnCount })
    const expected = naiveColumns(times, values, fromMs, toMs, columnCount)
    expect(Array.from(columns)).toEqual([...expected.keys()].sort((one, other) => one - other))
    for (const [index, column] of columns.entries()) expect([lows[index], highs[index]]).toEqual([expected.get(column)!.low, expected.get(column)!.high])
  }))
})

test.each([[0, 0], [99, 0], [100, 1], [1_000, 9], [-5, 0], [5_000, 9]])('the column of %i ms is %i', (time, column) => {
  expect(columnOf(time, { fromMs: 0, toMs: 1_000, columnCount: 10 })).toBe(column)
})

test('a cell of a book is its mean quantity, weighted by time', () => {
  const level = fc.tuple(fc.integer({ min: 90, max: 110 }), fc.integer({ min: 0, max: 9 }))
  const books = fc.array(fc.record({ wait: fc.nat(20), rows: fc.array(level, { maxLength: 4 }) }), { minLength: 1, maxLength: 8 })
  fc.assert(fc.property(books, (all) => {
    let atMs = 0
    const known = all.map(({ wait, rows }) => ({ atMs: (atMs += wait), rows }))
    const grid = { fromMs: 0, toMs: 60, columnCount: 6, lowPrice: 95, highPrice: 105, rowCount: 5 }
    const starts = known.reduce<number[]>((rows, book) => [...rows, rows.at(-1)! + book.rows.length], [0])
    const cells = bookCells({
      epochMs: Float64Array.from(known, (book) => book.atMs), rowStarts: Uint32Array.from(starts),
      prices: Float64Array.from(known.flatMap(({ rows }) => rows.map(([price]) => price))), quantities: Float64Array.from(known.flatMap(({ rows }) => rows.map(([, quantity]) => quantity))),
    }, grid)
    for (let column = 0; column < 6; column++) {
      for (let row = 0; row < 5; row++) {
        const expected = naiveCell(known, column * 10, column * 10 + 10, 95 + row * 2, 97 + row * 2, row === 4, 60)
        if (Number.isNaN(expected)) expect(cells[column * 5 + row]).toBeNaN()
        else expect(cells[column * 5 + row]).toBeCloseTo(expected, 9)
      }
    }
  }), { numRuns: 60 })
})
