import { describe, expect, test } from 'vitest'
import { at, DAY, line, read, SENT_S, settledTimes, steps, YEAR } from '../support/clocked-lines.ts'
import fc from '../support/many-cases.js'
import { naiveClock, type Stamp } from '../support/naive-clock.js'

describe('clock jumps close together', () => {
  type Part = readonly [lines: number, awaySeconds: number, gapSeconds?: number]
  /** Lines in parts, so many seconds away, each part behind a gap; and where they should be, in seconds of the day. */
  function parted(parts: readonly Part[], step: number, isSent: boolean): { lines: string[]; stamps: Stamp[]; expected: number[] } {
    const [lines, stamps, expected]: [string[], Stamp[], number[]] = [[], [], []]
    let second = 30_000
    for (const [count, away, gap = 0] of parts) {
      second += gap
      const last = expected.at(-1)
      for (let i = 0; i < count; i++, second = Math.round((second + step) * 1000) / 1000) {
        stamps.push([away === YEAR ? Infinity : Math.round((second + away) * 1e9), isSent ? Math.round((second - SENT_S) * 1e9) : NaN])
        lines.push(line(second + away, isSent ? second - SENT_S : null))
        expected.push(away === 0 || last === undefined ? second + away : last)
      }
    }
    return { lines, stamps, expected }
  }
  const inMs = (seconds: readonly number[]): number[] => seconds.map((s) => Math.round(s * 1000))
  const [H, D] = [3600, DAY]
  test.each<[string, Part[], number?]>([
    ['5, 1 sound, 5, a day ahead', [[20, 0], [5, D], [1, 0], [5, D], [168, 0]]],
    ['3, 1 sound, 3, a day ahead', [[20, 0], [3, D], [1, 0], [3, D], [168, 0]]],
    ['300, 100 sound, 300, a day ahead', [[400, 0], [300, D], [100, 0], [300, D], [900, 0]]],
    ['10, 4 sound, 10, two hours ahead', [[50, 0], [10, 2 * H], [4, 0], [10, 2 * H], [1926, 0]], 1],
    ['1,000, 1 sound, 1,000', [[20, 0], [1000, D], [1, 0], [1000, D], [1100, 0]]],
    ['four of 1,000 with one sound line between', [[20, 0], [1000, D], [1, 0], [1000, D], [1, 0], [1000, D], [1, 0], [1000, D], [2100, 0]]],
    ['thirty of 9 with one sound line between', [[20, 0], ...steps(0, 30).flatMap((): Part[] => [[9, D], [1, 0]]), [200, 0]]],
    ['10, 4 sound, 8 by half as much', [[800, 0], [10, H], [4, 0], [8, H / 2], [3000, 0]]],
    ['5, 2 sound, 1,000 by half as much', [[800, 0], [5, H], [2, 0], [1000, H / 2], [3000, 0]]],
    ['every second line', [[20, 0], ...steps(0, 500).flatMap((): Part[] => [[1, D], [1, 0]])]],
    ['two of three lines, then sound ones', [[20, 0], ...steps(0, 100).flatMap((): Part[] => [[2, 2 * H], [1, 0]]), [80, 0]]],
    ['ahead, and at once back by less, near the begin of the file', [[900, 0], [1, 2 * H], [1, -H], [1100, 0]]],
    ['ahead, and at once back by almost as much, near the begin of the file', [[900, 0], [1, 3700], [1, -H], [1100, 0]]],
    ['a year ahead, and at once an hour back, near the begin of the file', [[900, 0], [1, YEAR], [1, -H], [1100, 0]]],
    ['300 ahead, and at once 200 back by less, near the begin of the file', [[400, 0], [300, 2 * H], [200, -H], [1300, 0]]],
    ['ahead, 1 sound, back', [[20, 0], [5, D], [1, 0], [5, -D], [100, 0]]],
    ['back, 1 sound, ahead', [[20, 0], [5, -D], [1, 0], [5, D], [100, 0]]],
    ['back, 1 sound, back', [[20, 0], [5, -2 * H], [1, 0], [5, -2 * H], [100, 0]]],
    ['ahead, 1 sound, back, 1 sound, ahead', [[20, 0], [5, 2 * H], [1, 0], [5, -D], [1, 0], [9, 2 * H], [1, 0], [5, 2 * H], [100, 0]]],
    ['a day, 1 sound, two hours', [[20, 0], [5, D], [1, 0], [5, 2 * H], [100, 0]]],
    ['two hours, 1 sound, a day', [[20, 0], [5, 2 * H], [1, 0], [5, D], [100, 0]]],
    ['a day, then two hours, 1 sound, both again', [[20, 0], [5, D], [5, 2 * H], [1, 0], [5, 2 * H], [5, D], [100, 0]]],
    ['a year, 1 sound, a year', [[20, 0], [5, YEAR], [1, 0], [5, YEAR], [100, 0]]],
    ['a year, 1 sound, two hours', [[20, 0], [5, YEAR], [1, 0], [9, 2 * H], [100, 0]]],
    ['two hours, 1 sound, a year', [[20, 0], [5, 2 * H], [1, 0], [9, YEAR], [100, 0]]],
    ['a day, then six quiet hours behind 4 sound lines', [[20, 0], [5, D], [4, 0], [100, 0, 6 * H], [5, D], [1, 0], [5, D], [100, 0]]],
    ['two hours, then six quiet hours behind 4 sound lines', [[20, 0], [5, 2 * H], [4, 0], [1100, 0, 6 * H]]],
    ['six quiet hours, then two jumps', [[20, 0], [3, 0, 6 * H], [5, D], [1, 0], [5, D], [100, 0]]],
    ['six quiet hours before, between and behind', [[20, 0], [5, D, 6 * H], [1, 0, 1], [5, D, 6 * H], [20, 0]]],
    ['two back, behind six quiet hours', [[20, 0], [100, 0, 6 * H], [5, -2 * H], [1, 0], [5, -2 * H], [100, 0]]],
    ['minutes apart', [[100, 0], [5, D], [1, 0], [5, D], [100, 0]], 120],
    ['minutes apart, two hours', [[100, 0], [9, 2 * H], [3, 0], [9, 2 * H], [3, 0], [9, 2 * H], [200, 0]], 120],
    ['minutes apart, sound lines before two that are back', [[100, 0], [1, -H], [50, 0], [1, -H], [300, 0]], 120],
    ['minutes apart, sound lines before one that is back and one that is ahead', [[100, 0], [1, -H], [9, 0], [1, D], [300, 0]], 120],
    ['2 lines before the end', [[20, 0], [3, D], [1, 0], [3, D], [2, 0]]],
    ['300, 100 sound, 300, 40 before the end', [[20, 0], [300, 2 * H], [100, 0], [300, 2 * H], [200, 0]]],
    ['sound lines behind a quiet day, one that is back, and at once one that is ahead', [[1, 0], [100, 0, 11 * H], [1, -H], [1, H], [2000, 0]], 1],
    ['sound lines behind a quiet hour, 20 that are back, and at once 20 that are ahead', [[100, 0], [200, 0, 5 * H], [20, -10_000], [20, 10_000], [2000, 0]], 1],
    ['as many sound lines behind a quiet hour as are back behind them', [[50, 0], [100, 0, H], [100, -2000], [1100, 0]], 1],
    ['sound lines behind a quiet hour, and the last line is back', [[300, 0], [600, 0, 5 * H], [1, -5 * H], [500, 0], [1, -4 * H], [9, 0]], 1],
    ['a true gap behind 300 that jumped, and fewer sound lines before it', [[50, 0], [300, 2 * H], [30, 0], [900, 0, 5 * H]], 1],
  ])('%s', async (_, parts, step = 0.1) => {
    for (const isSent of [true, false]) {
      const { lines, stamps, expected } = parted(parts, step, isSent)
      // Without exchange times a true gap behind a jump is the jump back of fewer lines.
      if (!isSent && parts.some(([, , gap = 0]) => gap > 0)) continue
      const count = parts.reduce((sum, [lineCount, away]) => sum + (away === 0 ? 0 : lineCount), 0)
      const { seconds, ...counts } = await read(lines)
      expect(counts).toEqual({ jumped: count, flagged: count, code: null })
      expect(inMs(seconds)).toEqual(inMs(expected))
      expect(settledTimes(stamps, [40, 1, 30])).toEqual(naiveClock(stamps))
    }
  })
  test.each<[string, Part[], number[]]>([
    ['the clock is set ahead for good', [[20, 0], [1100, D]], []],
    ['the clock is set ahead for good, with a quiet day', [[20, 0], [1100, 0, D]], []],
    ['the clock is set back for good', [[1100, 0], [1100, -2 * H]], []],
    ['set ahead for good, one line back', [[20, 0], [40, D], [1, 0], [1100, D]], [60]],
    ['set ahead for good, one line back, then another', [[20, 0], [40, D], [1, 0], [40, D], [1, 0], [1100, D]], [60, 101]],
    ['set ahead for good, the last line is back', [[20, 0], [40, D], [1, 0], [40, D]], [60]],
  ])('none: %s', async (_, parts, jumped) => {
    const { stamps, lines } = parted(parts, 0.1, false)
    const expected = stamps.map((_stamp, i) => stamps[jumped.includes(i) ? i - 1 : i]![0] / 1e9)
    expect(inMs((await read(lines)).seconds)).toEqual(inMs(expected))
    expect(settledTimes(stamps, [40, 1, 30])).toEqual(naiveClock(stamps))
  })
  test.each<[string, Part[], jumped: [from: number, to: number], number?]>([
    ['300 ahead, 100 sound, and the last line is ahead: more are back', [[600, 0], [300, 43_430], [100, 0], [1, 43_430]], [600, 900], 1],
    ['300 ahead, 20 sound, 20 ahead at the end: as many are back', [[600, 0], [300, 40_000], [20, 0], [20, 42_000]], [600, 900], 1],
    ['600 behind a quiet hour, one that is back, 500, one that is back: they stay, the last line too', [[300, 0], [600, 0, 5 * H], [1, -5 * H], [500, 0], [1, -5 * H]], [900, 901], 1],
    ['300 ahead, 100 back, 300 ahead, 20 back at the end: fewer are back, so these are', [[20, 0], [300, 2 * H], [100, 0], [300, 2 * H], [20, 0]], [320, 420]],
  ])('without exchange times, at the end of a file: %s', async (_, parts, [from, to], step = 0.1) => {
    const { stamps, lines } = parted(parts, step, false)
    const before = stamps[from - 1]![0]
    const expected = stamps.map(([time], i) => (i >= from && i < to ? before : time) / 1e9)
    expect(inMs((await read(lines)).seconds)).toEqual(inMs(expected))
    expect(settledTimes(stamps, [40, 1, 30])).toEqual(naiveClock(stamps))
  })
  test('exchange times that are adapter times in their place, or hours old, are no witness', async () => {
    for (const late of [0, 2 * H]) {
      const { lines, expected } = parted([[50, 0], [5, D], [1, 0], [5, D], [100, 0]], 1, true)
      const stated = lines.map((one, i) => line(expected[i]!, expected[i]! - late) && one.replace(/,\d+,"1"\]$/, `,${late === 0 ? one.split(',')[4]! : at(50 + i - late)},"1"]`))
      expect(inMs((await read(stated)).seconds)).toEqual(inMs(expected))
    }
  })
  test('the begin of a file, where nothing stands before them', async () => {
    for (const sizes of [[5, 1, 5, 100], [600, 100, 600, 100, 600, 1100], [600, 100, 600, 100, 600, 2100]]) {
      const { lines, stamps } = parted(sizes.map((count, i) => [count, i % 2 === 0 ? D : 0]), 0.1, true)
      expect((await read(lines)).seconds.filter((s) => s > D)).toEqual([])
      expect(settledTimes(stamps, [40, 1, 30])).toEqual(naiveClock(stamps))
    }
  })
  test('two at once near the begin of the file, ahead and back by any sizes, which nothing says when they were sent', () => {
    const [lineCount, size] = [fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 40_000 })]
    fc.assert(fc.property(fc.integer({ min: 1, max: 600 }), lineCount, size, lineCount, size, (before, ahead, aheadS, back, backS) => {
      const { stamps, expected } = parted([[before, 0], [ahead, aheadS], [back, -backS], [1800, 0]], 0.1, false)
      expect(inMs(settledTimes(stamps, [40, 1, 30]).map((time) => time! / 1e9))).toEqual(inMs(expected))
    }), { numRuns: 100 })
  })
  test('any number of them, sent when they say', () => {
    const jump = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(D, -D, 2 * D, 2 * H, -2 * H), fc.integer({ min: 1, max: 30 }))
    fc.assert(fc.property(fc.integer({ min: 1, max: 40 }), fc.array(jump, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), fc.constantFrom(0.1, 1, 5), (before, jumps, behind, step) => {
      const parts = jumps.flatMap(([count, away, sound]): Part[] => [[count, away], [sound, 0]])
      const { stamps, expected } = parted([[before, 0], ...parts, [behind, 0]], step, true)
      expect(inMs(settledTimes(stamps, [7, 1, 30]).map((time) => time! / 1e9))).toEqual(inMs(expected))
    }), { numRuns: 400 })
  })
})
