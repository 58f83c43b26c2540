import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BucketTrack } from '../../src/report/bucket-track.js'
import { throughJson } from '../support/through-json.ts'

/** Buckets of one length, by grouping all values at once. */
function naiveBuckets(values: readonly (readonly [timeNs: number, value: number])[], widthNs: number): unknown {
  const groups = new Map<number, number[]>()
  for (const [timeNs, value] of values) {
    const from = Math.floor(timeNs / widthNs) * widthNs
    groups.set(from, [...(groups.get(from) ?? []), value])
  }
  const own = [...groups.values()]
  return { widthNs, fromNs: [...groups.keys()], low: own.map((all) => Math.min(...all)), high: own.map((all) => Math.max(...all)), last: own.map((all) => all.at(-1)) }
}

const VALUES = fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.double({ noNaN: true, noDefaultInfinity: true })), { maxLength: 60 })

describe('a track of buckets', () => {
  test('is the grouping of all values by its length, with at most its limit', () => fc.assert(fc.property(VALUES, fc.integer({ min: 2, max: 8 }), fc.integer({ min: 1, max: 7 }), (steps, limit, widthNs) => {
    let timeNs = -1000
    const values = steps.map(([step, value]) => [timeNs += step, value] as const)
    const track = new BucketTrack(limit, widthNs)
    for (const [at, value] of values) track.add(at, value)
    const series = track.series()
    expect(series).toEqual(naiveBuckets(values, series.widthNs))
    expect(series.fromNs.length).toBeLessThanOrEqual(limit)
    expect(Number.isInteger(Math.log2(series.widthNs / widthNs))).toBe(true)
  })))

  test('goes on from its state as if it had never been saved', () => fc.assert(fc.property(VALUES, fc.nat(60), (steps, cut) => {
    const [whole, first, second] = [new BucketTrack(4, 10), new BucketTrack(4, 10), new BucketTrack(4, 10)]
    let timeNs = 0
    const values = steps.map(([step, value]) => [timeNs += step, value] as const)
    for (const [at, value] of values) whole.add(at, value)
    for (const [at, value] of values.slice(0, cut)) first.add(at, value)
    second.restore(throughJson(first.state()))
    for (const [at, value] of values.slice(cut)) second.add(at, value)
    // -0 is 0 in JSON.
    expect(JSON.stringify(second.series())).toBe(JSON.stringify(whole.series()))
  })))

  test.each<[words: string, values: readonly (readonly [timeNs: number, value: number, isIdle?: true])[], fromNs: readonly number[], last: readonly number[]]>([
    ['idle values around the others are left out but for one', [[0, 5, true], [10, 5, true], [20, 5, true], [30, 6], [40, 6, true], [90, 6, true]], [20, 30], [5, 6]],
    ['an idle stretch within has its end', [[0, 5], [10, 5, true], [50, 5, true], [60, 7]], [0, 50, 60], [5, 5, 7]],
    ['idle values alone have their newest', [[0, 5, true], [70, 5, true]], [70], [5]],
    ['no value at all has none', [], [], []],
  ])('%s', (_, values, fromNs, last) => {
    let track = new BucketTrack(8, 10)
    for (const [timeNs, value, isIdle] of values) {
      if (isIdle === true) track.keep(timeNs, value)
      else track.add(timeNs, value)
      const next = new BucketTrack(8, 10)
      next.restore(throughJson(track.state()))
      track = next
    }
    expect(track.series()).toEqual({ widthNs: 10, fromNs, low: last, high: last, last })
  })

  test('is not longer than needed', () => {
    const track = new BucketTrack(2, 10)
    for (const at of [0, 10]) track.add(at, at)
    expect(track.widthNs).toBe(10)
    track.add(20, 20)
    expect(track.series()).toEqual({ widthNs: 20, fromNs: [0, 20], low: [0, 20], high: [10, 20], last: [10, 20] })
  })
})
