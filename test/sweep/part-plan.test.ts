import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitParts, walkLengths, walkWindows, type RunStretch } from '../../src/sweep/part-plan.js'
import { presentPart } from '../../src/sweep/run-stretch.js'

const DAY = 86_400e9
const EPOCH_DAY = 20_635 // 2026-07-01
const days = (from: number, to: number): RunStretch => ({ fromNs: from * DAY, toNs: to * DAY, epochDay: EPOCH_DAY, isOpenEnded: false })

describe('parts of a span', () => {
  test.each<[text: string, words: string]>([
    ['60/30', 'add up to 100, found "60/30: 90"'], ['60/40/10', 'add up to 100, found "60/40/10: 110"'], ['100', 'two parts or more'], ['0/100', 'above 0'], ['60/', 'dates and times'], ['', 'dates and times'],
    ['abc', 'dates and times'], ['2026-06-30', 'times after 2026-07-01'], ['2026-07-01', 'times after 2026-07-01'], ['2026-07-05', 'and before 2026-07-05'], ['2026-07-03,2026-07-02', 'times that ascend'], ['2026-07-02,2026-07-02', 'times that ascend'],
    ['2100-01-01', 'times after'], ['2026-07-02,', 'dates and times'], [Array.from({ length: 101 }, () => '1').join('/'), 'add up to 100'], [Array.from({ length: 200 }, () => '0.5').join('/'), 'at most 100 parts, found "200 parts"'],
  ])('%s is refused', (text, words) => {
    expect(() => splitParts(text, days(0, 4))).toThrow(words)
  })

  test.each<[text: string, bounds: readonly number[]]>([
    ['60/40', [0, 2.4, 4]], ['50/25/25', [0, 2, 3, 4]], ['33.3/66.7', [0, 1.332, 4]], ['2026-07-02', [0, 1, 4]], ['2026-07-02, 2026-07-03T12:00', [0, 1, 2.5, 4]], ['06:00', [0, 0.25, 4]],
  ])('%s', (text, bounds) => {
    expect(splitParts(text, days(0, 4))).toEqual(bounds.slice(1).map((to, at) => ({ fromNs: Math.round(bounds[at]! * DAY), toNs: Math.round(to * DAY) })))
  })

  test('cover the span without a hole, whatever the shares', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }), fc.integer({ min: 1000, max: 100 * DAY }), (shares, length) => {
      const rest = 100 - shares.reduce((sum, one) => sum + one, 0)
      fc.pre(rest > 0)
      const parts = splitParts([...shares, rest].join('/'), { fromNs: 5, toNs: 5 + length, epochDay: EPOCH_DAY, isOpenEnded: false })
      expect([parts[0]!.fromNs, parts.at(-1)!.toNs]).toEqual([5, 5 + length])
      expect(parts.slice(1).map(({ fromNs }) => fromNs)).toEqual(parts.slice(0, -1).map(({ toNs }) => toNs))
      for (const [at, share] of [...shares, rest].entries()) expect(Math.abs(parts[at]!.toNs - parts[at]!.fromNs - (length * share) / 100)).toBeLessThanOrEqual(2)
    }))
  })
})

describe('windows of a walk forward', () => {
  test.each(['', 'train=1d', 'test=1d', 'train=1d,test=1d,test=2d', 'train=1d;test=1d', 'train=0d,test=1d', 'train=101d,test=1d', 'train=1 d,test=1d', 'TRAIN=1d,test=1d'])('%j is refused', (text) => {
    expect(() => walkLengths(text)).toThrow('Cannot walk forward: walk-forward must be')
  })

  test('those that do not fit, and too many, are refused', () => {
    expect(() => walkWindows(walkLengths('train=3d,test=2d'), days(0, 4))).toThrow('windows that fit into the 4d of the run, found "train=3d,test=2d"')
    expect(() => walkWindows(walkLengths('train=1d,test=1s'), days(0, 4))).toThrow('Cannot walk forward over 259200 windows')
  })

  test('are those of a naive list', () => {
    const length = fc.integer({ min: 1, max: 50 })
    fc.assert(fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 300 }), length, length, (from, total, trainNs, testNs) => {
      const naive = []
      for (let begin = from; begin + trainNs + testNs <= from + total; begin += testNs) naive.push([begin, begin + trainNs, begin + trainNs, begin + trainNs + testNs])
      const found = (): number[][] => walkWindows({ trainNs, testNs }, { fromNs: from, toNs: from + total }).map(({ train, test: one }) => [train.fromNs, train.toNs, one.fromNs, one.toNs])
      if (naive.length === 0) expect(found).toThrow('fit into')
      else expect(found()).toEqual(naive)
    }))
  })
})

describe('days that no file holds', () => {
  const data = { stretch: days(0, 5), instruments: [{ instrument: 'test:A', days: new Set([0, 2, 3].map((day) => EPOCH_DAY + day)) }, { instrument: 'test:B', days: new Set([0, 2].map((day) => EPOCH_DAY + day)) }] }

  test.each<[from: number, to: number, part: readonly number[] | null, missing: readonly string[]]>([
    [0, 1, [0, 1], []], [0.5, 2, [0.5, 1], ['2026-07-02']], [1, 3, [2, 3], ['2026-07-02']], [1.5, 3.5, [2, 3.5], ['2026-07-02', 'test:B 2026-07-04']], [0, 3, [0, 3], ['2026-07-02']], [1, 2, null, ['2026-07-02']], [4, 5, null, ['2026-07-05']], [3, 5, [3, 4], ['test:B 2026-07-04', '2026-07-05']],
  ])('%d to %d', (from, to, part, missing) => {
    expect(presentPart(days(from, to), data)).toEqual({ part: part === null ? null : { fromNs: part[0]! * DAY, toNs: part[1]! * DAY }, missing })
  })
})
