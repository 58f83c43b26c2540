import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IndexAverage } from '../../src/exchange/market/index-average.js'
import { Decimal } from '../../src/model/decimal.js'
import { throughJson } from '../support/through-json.ts'

type Line = readonly [timeNs: number, value: number, scale?: number]

/** The average over 10 to 20 of index lines. */
function averageOf(...lines: readonly Line[]): string | null {
  const window = new IndexAverage(10, 20)
  for (const [timeNs, value, scale = 0] of lines) window.take(timeNs, value, scale)
  return window.average()?.toFixed() ?? null
}

describe('each value of the index weighs as long as it stood within the window', () => {
  test.each<[words: string, lines: readonly Line[], average: string | null]>([
    ['one value all the time', [[10, 100]], '100'],
    ['the value at the beginning is the last one before it, however old', [[1, 70], [3, 100]], '100'],
    ['what was replaced before the window does not count, against it neither', [[1, 70], [5, 80], [8, 90], [15, 110]], '100'],
    ['half of the time each', [[5, 90], [15, 110]], '100'],
    ['three quarters of a quarter', [[10, 100], [18, 200], [19, 300]], '130'],
    ['a line at the end counts nothing, nor do later ones', [[10, 100], [20, 900], [25, 1]], '100'],
    ['two lines of one time: the later one', [[10, 100], [15, 900], [15, 200]], '150'],
    ['values of other digits', [[10, 1005, 1], [15, 9950, 2]], '100'],
    ['before its first value the index is not known, and that time does not count', [[18, 300]], '300'],
    ['no value before the end: nothing', [[20, 300], [21, 400]], null],
    ['no value at all: nothing', [], null],
  ])('%s', (_words, lines, average) => {
    expect(averageOf(...lines)).toBe(average)
  })

  test('a quotient that does not end is rounded once', () => {
    expect(averageOf([11, 0], [17, 1])).toBe(new Decimal(3).div(9).toDecimalPlaces(18).toFixed())
  })
})

test('asked again it says the same', () => {
  const window = new IndexAverage(10, 20)
  window.take(5, 90, 0)
  window.take(18, 140, 0)
  expect([window.average()?.toFixed(), window.average()?.toFixed()]).toEqual(['100', '100'])
})

test('a window that is saved and read at any time comes to the same, which is the sum of every nanosecond', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 500 }))
  fc.assert(fc.property(fc.array(step, { maxLength: 8 }), fc.nat(8), (steps, cut) => {
    let timeNs = 0
    const lines = steps.map(([more, value]): Line => [timeNs += more, value])
    let window = new IndexAverage(10, 20)
    lines.forEach(([at, value], i) => {
      if (i === cut) {
        const saved = throughJson(window.state())
        window = new IndexAverage(saved.startNs, saved.endNs)
        window.restore(saved)
      }
      window.take(at, value, 0)
    })
    const known = Array.from({ length: 10 }, (_, i) => lines.filter(([at]) => at <= 10 + i).at(-1)?.[1]).filter((value) => value !== undefined)
    const naive = known.length === 0 ? null : new Decimal(known.reduce((sum, value) => sum + value, 0)).div(known.length)
    expect(window.average()?.toDecimal().toFixed(15) ?? null).toBe(naive?.toFixed(15) ?? null)
  }))
})
