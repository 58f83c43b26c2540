import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DataTime, HOLE_INTERVALS } from '../../src/report/data-time.js'
import { throughJson } from '../support/through-json.ts'

const MINUTE = 60_000_000_000

interface Course {
  /** Times of lines, ascending. */
  readonly lines: readonly number[]
  /** Times at which a position opens or closes, ascending. */
  readonly changes?: readonly number[]
  readonly startNs?: number
  readonly endNs: number
}

/** Plays lines and changes of a position with a sample each whole minute and at the end; through JSON at a sample. */
function played({ lines, changes = [], startNs = 0, endNs }: Course, cutAt = -1): DataTime {
  let time = new DataTime()
  let sinceNs = startNs
  const own = lines.filter((ns) => ns > startNs)
  for (let at = 0; sinceNs < endNs; at++) {
    const timeNs = Math.min(endNs, (Math.floor(sinceNs / MINUTE) + 1) * MINUTE)
    for (const ns of changes) if (ns > sinceNs && ns <= timeNs) time.changed(ns)
    const lastNs = own.findLast((ns) => ns <= timeNs) ?? -Infinity
    time.sample({ sinceNs, timeNs, isInterval: timeNs - sinceNs === MINUTE, hasEvents: lastNs > sinceNs, firstNs: own[0] ?? Infinity, lastNs })
    if (at === cutAt) {
      const state = throughJson(time.state())
      time = new DataTime()
      time.restore(state)
    }
    sinceNs = timeNs
  }
  return time
}

const minutes = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => (from + at) * MINUTE + 1)

describe('intervals of a hole are no samples', () => {
  test.each([
    ['one less than a hole counts', HOLE_INTERVALS - 1, 3 + HOLE_INTERVALS - 1 + 2, 0],
    ['a hole does not', HOLE_INTERVALS, 5, HOLE_INTERVALS],
    ['a day does not', 1440, 5, 1440],
  ])('%s', (_what, length, intervalCount, holeCount) => {
    const time = played({ lines: [...minutes(0, 3), ...minutes(3 + length, 2)], endNs: (5 + length) * MINUTE })
    expect([time.intervalCount, time.holeCount]).toEqual([intervalCount, holeCount])
  })

  test('the one at the end is counted, and those before the first event are none', () => {
    expect(played({ lines: minutes(300, 3), endNs: 383 * MINUTE }).holeCount).toBe(80)
    expect(played({ lines: minutes(300, 3), endNs: 362 * MINUTE }).holeCount).toBe(0)
  })
})

describe('time that the data cover', () => {
  const [S, M] = [1_000_000_000, MINUTE]

  test.each<[string, Course, readonly (readonly [number, number])[], number | null]>([
    ['nothing came', { lines: [], changes: [M], endNs: 10 * M }, [], null],
    ['one line covers no time', { lines: [30 * S], changes: [M], endNs: 10 * M }, [[30 * S, 30 * S]], null],
    ['six minutes of a day, five with a position', { lines: minutes(600, 7), changes: [600 * M + 61 * S + 1 - S, 606 * M + 1], endNs: 1440 * M }, [[600 * M + 1, 606 * M + 1]], 5 / 6],
    ['a position that stays open behind the last line', { lines: minutes(0, 11), changes: [5 * M + 1], endNs: 900 * M }, [[1, 10 * M + 1]], 0.5],
    ['a position that opens behind the last line', { lines: [1, 10 * M + 1], changes: [10 * M + 2], endNs: 900 * M }, [[1, 10 * M + 1]], 0],
    ['open from before the first line', { lines: [90 * S, 210 * S], changes: [10 * S], endNs: 5 * M }, [[90 * S, 210 * S]], 1],
    ['a hole with a position is left out, from its last line to the minute of the next', { lines: [1, M, 2 * M, 70 * M + 30 * S, 72 * M], changes: [M], endNs: 72 * M }, [[1, 2 * M], [70 * M, 72 * M]], 3 * M / (4 * M - 1)],
    ['59 minutes without a line are none', { lines: [1, M, 61 * M], changes: [M, 31 * M], endNs: 70 * M }, [[1, 61 * M]], 30 * M / (61 * M - 1)],
    ['a run that begins within the data and ends between two samples', { lines: [1, 5 * M + 10 * S, 6 * M + 40 * S], startNs: 5 * M, changes: [6 * M], endNs: 6 * M + 50 * S }, [[5 * M + 10 * S, 6 * M + 40 * S]], 40 / 90],
  ])('%s', (_what, course, spans, share) => {
    const time = played(course)
    expect(time.spans.map(({ fromNs, toNs }) => [fromNs, toNs])).toEqual(spans)
    expect(time.openShare).toEqual(share === null ? null : expect.closeTo(share, 12))
  })

  const sorted = (most: number): fc.Arbitrary<number[]> => fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: most }).map((all) => [...new Set(all)].sort((a, b) => a - b).map((one) => one * S))

  test('is what a list of stretches says, and a checkpoint changes nothing', () => {
    fc.assert(fc.property(sorted(40), sorted(20), fc.integer({ min: 0, max: 330 }), (lines, changes, cutAt) => {
      const endNs = 20_000 * S
      // Stretches of whole minutes that hold no line.
      const spans: [number, number][] = []
      for (const ns of lines) {
        const last = spans.at(-1)
        const minute = Math.ceil(ns / M) - 1
        const isHole = last !== undefined && minute - Math.ceil(last[1] / M) >= HOLE_INTERVALS
        if (last === undefined) spans.push([ns, ns])
        else if (isHole) spans.push([minute * M, ns])
        else last[1] = ns
      }
      const isOpenAt = (ns: number): boolean => changes.filter((one) => one <= ns).length % 2 === 1
      const bounds = [...new Set([...spans.flat(), ...changes])].sort((a, b) => a - b)
      let [covered, open] = [0, 0]
      for (const [at, from] of bounds.entries()) {
        const to = bounds[at + 1] ?? from
        if (!spans.some(([first, last]) => first <= from && to <= last)) continue
        covered += to - from
        if (isOpenAt(from)) open += to - from
      }
      const time = played({ lines, changes, endNs }, cutAt)
      expect(time.spans.map(({ fromNs, toNs }) => [fromNs, toNs])).toEqual(spans)
      expect(time.openShare).toBe(covered === 0 ? null : open / covered)
      expect(time.coveredBetween(3600 * S, 7200 * S)).toBe(spans.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, 7200 * S) - Math.max(from, 3600 * S)), 0))
      expect(time.state()).toEqual(played({ lines, changes, endNs }).state())
    }), { numRuns: 100 })
  })
})
