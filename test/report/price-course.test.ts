import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LOOK_NS, PriceCourse, PriceCourses } from '../../src/report/price-course.js'
import { BucketTrack } from '../../src/report/bucket-track.js'

const seriesOf = (course: PriceCourse): unknown => [...course.tracks()].map(([id, track]) => [id, track.series()])

describe('the course of prices', () => {
  it('is that of each world that looks, whatever the others look at and when they end', () => {
    const world = fc.record({ ids: fc.constantFrom([1], [1, 2], [2]), more: fc.option(fc.record({ at: fc.nat(30), ids: fc.constantFrom([1, 2], [1, 2, 3]) })), end: fc.nat(40) })
    const prices = fc.array(fc.oneof({ weight: 5, arbitrary: fc.nat(99) }, fc.constant(NaN)), { minLength: 41, maxLength: 41 })
    fc.assert(fc.property(fc.array(world, { minLength: 1, maxLength: 5 }), prices, (worlds, known) => {
      const courses = new PriceCourses()
      const begun: (PriceCourse | null)[] = worlds.map(() => null)
      const ended: unknown[] = []
      const naive = worlds.map(() => new Map<number, BucketTrack>())
      for (let at = 0; at <= 40; at++) {
        const priceOf = (id: number): number => (known[at] as number) * id
        for (const [place, { ids, more, end }] of worlds.entries()) {
          if (at > end) continue
          const now = more !== null && at >= more.at ? more.ids : ids
          const course = begun[place] ?? courses.begin(now, at * LOOK_NS)
          const own = course.instrumentIds.join() === now.join() ? course : course.with(now, at * LOOK_NS)
          begun[place] = own
          own.look(at * LOOK_NS, priceOf)
          for (const id of now) {
            if (Number.isNaN(priceOf(id))) continue
            const track = naive[place]!.get(id) ?? new BucketTrack(4096, LOOK_NS)
            naive[place]!.set(id, track)
            track.add(at * LOOK_NS, priceOf(id))
          }
          if (at === end) ended[place] = seriesOf(own)
        }
      }
      for (const [place, tracks] of naive.entries()) expect(ended[place]).toEqual([...tracks].map(([id, track]) => [id, track.series()]))
    }), { numRuns: 300 })
  })

  it('is one for worlds that begin with the same instruments at one instant, and another for all others', () => {
    const courses = new PriceCourses()
    const first = courses.begin([1, 2], 5)
    expect(courses.begin([1, 2], 5)).toBe(first)
    expect(courses.begin([1], 5)).not.toBe(first)
    expect(courses.begin([1, 2], 6)).not.toBe(first)
    expect(courses.begin([1, 2], 5)).not.toBe(first)
  })

  it('goes on from its state, at the same times', () => {
    const course = new PriceCourse([1])
    for (let at = 1; at <= 10_001; at++) course.look(at * LOOK_NS, () => at % 17)
    const again = new PriceCourse([1])
    again.restore(new Map(course.state().map(([id, state]) => {
      const track = new BucketTrack(4096, LOOK_NS)
      track.restore(JSON.parse(JSON.stringify(state)) as typeof state)
      return [id, track]
    })))
    for (const one of [course, again]) one.look(10_002 * LOOK_NS, () => 3)
    expect(seriesOf(again)).toEqual(seriesOf(course))
    expect(again.nextLookNs(10_002 * LOOK_NS)).toBe(10_004 * LOOK_NS)
    expect(course.nextLookNs(10_002 * LOOK_NS)).toBe(10_004 * LOOK_NS)
  })
})
