import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactRescale, OuterLevels } from '../../src/book/outer-levels.js'

type Level = readonly [key: number, quantity: number]

const levelsOf = ({ keys, quantities, count }: OuterLevels): Level[] => Array.from({ length: count }, (_, at) => [keys[at]!, quantities[at]!] as const)
/** A map as anybody would sort it. */
const sorted = (levels: Iterable<Level>): Level[] => [...new Map(levels)].filter(([, quantity]) => quantity !== 0).sort(([a], [b]) => a - b)

const key = fc.integer({ min: -90, max: 90 })
const level = fc.tuple(key, fc.nat(3))

describe('levels outside the window', () => {
  test('rows set and remove, wherever they stand; each key is found where it belongs', () => {
    fc.assert(fc.property(fc.array(level, { maxLength: 300, size: 'max' }), (rows) => {
      const outer = new OuterLevels()
      for (const [at, quantity] of rows) outer.set(at, quantity)
      const expected = sorted(rows)
      expect(levelsOf(outer)).toEqual(expected)
      const keys = Array.from({ length: 183 }, (_, at) => at - 91)
      const quantities = new Map(expected)
      expect(keys.map((at) => outer.quantityAt(at))).toEqual(keys.map((at) => quantities.get(at) ?? 0))
      expect(keys.map((at) => outer.lowerBound(at))).toEqual(keys.map((at) => expected.filter(([one]) => one < at).length))
    }))
  })

  test('what was removed behind the last level is not found again', () => {
    const outer = new OuterLevels()
    outer.set(5, 1)
    outer.set(7, 2)
    outer.set(7, 0)
    expect([outer.quantityAt(7), outer.count]).toEqual([0, 1])
    outer.set(7, 0)
    expect(levelsOf(outer)).toEqual([[5, 1]])
  })

  test.each<[words: string, rows: readonly Level[]]>([
    ['none', []], ['one', [[3, 1]]], ['ascending', [[1, 1], [2, 2], [3, 3]]], ['descending', [[3, 3], [2, 2], [1, 1]]], ['a side twice', [[1, 1], [2, 2], [1, 3], [2, 4]]],
    ['equal ones beside one another', [[3, 1], [3, 2], [3, 3]]], ['descending but for one', [[3, 1], [2, 1], [2, 5], [1, 1]]], ['ascending but for one', [[1, 1], [2, 1], [2, 5], [3, 1]]],
    ['a last row of 0', [[1, 1], [2, 2], [1, 0]]], ['rows of 0 alone', [[1, 0], [2, 0]]],
  ])('a snapshot in any order comes to the same: %s', (_words, rows) => {
    const outer = new OuterLevels()
    for (const [at, quantity] of rows) outer.append(at, quantity)
    outer.sort()
    expect(levelsOf(outer)).toEqual(sorted(rows))
  })

  test('of equal keys the last counts, however many there are and wherever they stand', () => {
    fc.assert(fc.property(fc.array(level, { maxLength: 200, size: 'max' }), (rows) => {
      const outer = new OuterLevels()
      for (const [at, quantity] of rows) outer.append(at, quantity)
      outer.sort()
      expect(levelsOf(outer)).toEqual(sorted(rows))
    }))
  })
})

describe('other scales', () => {
  test('every level moves, its price by one factor and its quantity by the other', () => {
    const outer = new OuterLevels()
    for (const [at, quantity] of [[-20, 3], [40, 5]] as const) outer.set(at, quantity)
    outer.rescale(exactRescale('price', 1, 0), exactRescale('quantity', 0, 2))
    expect(levelsOf(outer)).toEqual([[-2, 300], [4, 500]])
  })

  test.each([[2, 4, 7, 700], [4, 2, 700, 7], [3, 3, 7, 7], [0, 15, -9, -9_000_000_000_000_000], [15, 0, 9_000_000_000_000_000, 9]])('from %i to %i %i is %i', (from, to, value, expected) => {
    expect(exactRescale('price', from, to)(value)).toBe(expected)
  })

  test.each([[0, 1, Number.MAX_SAFE_INTEGER], [0, 16, 1], [1, 0, 25], [0, 400, 1]])('from %i to %i %i does not fit', (from, to, value) => {
    expect(() => exactRescale('quantity', from, to)(value)).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT', place: { field: 'quantity', expected: 'an integer of at most 2^53 - 1 at the new scale', found: `${value} at scale ${from}` } }))
  })
})
