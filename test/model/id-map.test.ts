import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdMap } from '../../src/model/id-map.js'
import { DrawnId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'

const sources = [0, 1].map((number) => new RandomNumbers(number, 'test', 0))
/** One object an id, as in a run. */
const drawn: Map<string, DrawnId> = new Map()

function idOf(source: number, count: number): DrawnId {
  const key = `${source} ${count}`
  const known = drawn.get(key) ?? new DrawnId(sources[source] as RandomNumbers, count)
  drawn.set(key, known)
  return known
}

/** Few counters, their neighbours and those of the same place, and counters beyond what a place holds. */
const id: fc.Arbitrary<Id> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(70).map((count) => idOf(0, count)) },
  { weight: 3, arbitrary: fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => idOf(0, a + b * 1024)) },
  fc.nat(3).map((count) => idOf(1, count)),
  fc.nat(3).map((count) => idOf(0, 2 ** 31 - 2 + count)),
  fc.constantFrom('', 'a', 'b', String(idOf(0, 3))),
)
type Step = readonly [what: 'set' | 'delete' | 'clear', id: Id, value: number]
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant('set' as const) }, { weight: 8, arbitrary: fc.constant('delete' as const) },
    fc.constant('clear' as const),
  ),
  id, fc.nat(9),
)

function play(steps: readonly Step[]): { readonly map: IdMap<number>; readonly naive: Map<Id, number> } {
  const [map, naive] = [new IdMap<number>(), new Map<Id, number>()]
  for (const [what, one, value] of steps) {
    if (what === 'set') {
      map.set(one, value)
      naive.set(one, value)
    } else if (what === 'delete') expect(map.delete(one)).toBe(naive.delete(one))
    else {
      map.clear()
      naive.clear()
    }
    expect(map.get(one)).toBe(naive.get(one))
  }
  return { map, naive }
}

/** Entries by text; an id from outside and a drawn one of the same text are two. */
function textsOf(entries: Iterable<readonly [Id, number]>): string[] {
  return [...entries].map(([one, value]) => `${typeof one} ${String(one)} ${value}`).sort()
}

function entriesOf(map: IdMap<number>): (readonly [Id, number])[] {
  const values = map.values()
  return map.ids().map((one, at) => [one, values[at] as number])
}

describe('a map by id', () => {
  it('holds what a Map holds, whatever came and went', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { map, naive } = play(steps)
      expect(map.size).toBe(naive.size)
      for (const one of naive.keys()) expect(map.get(one)).toBe(naive.get(one))
      for (const [, one] of steps) expect(map.has(one)).toBe(naive.has(one))
      expect(textsOf(entriesOf(map))).toEqual(textsOf(naive))
    }), { numRuns: 300 })
  })

  it('is made anew of its state', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { map } = play(steps)
      const made = IdMap.from(map.state())
      expect(entriesOf(made)).toEqual(entriesOf(map))
      for (const [, one] of steps) expect(made.get(one)).toBe(map.get(one))
      expect(made.size).toBe(map.size)
    }))
  })

  it('keeps an early id that stays while thousands come and go, and finds no other in its place', () => {
    const map = new IdMap<string>()
    map.set(idOf(0, 0), 'stays')
    for (let count = 1; count < 5000; count++) {
      map.set(idOf(0, count), 'passes')
      if (count > 3) map.delete(idOf(0, count - 3))
    }
    expect(map.get(idOf(0, 0))).toBe('stays')
    expect(map.get(idOf(0, 16))).toBeUndefined()
    expect(map.size).toBe(4)
    expect(map.delete(idOf(0, 0))).toBe(true)
    expect(map.delete(idOf(0, 0))).toBe(false)
  })

  it('lists ids from outside in the order of their coming, then drawn ones in that of drawing', () => {
    const map = new IdMap<number>()
    for (const [value, one] of [idOf(0, 40), 'b', idOf(0, 8), 'a', idOf(0, 24)].entries()) map.set(one, value + 1)
    expect(entriesOf(map).map(([one, value]) => [String(one), value])).toEqual([
      ['b', 2], ['a', 4], [String(idOf(0, 8)), 3], [String(idOf(0, 24)), 5], [String(idOf(0, 40)), 1],
    ])
    expect(map.values()).toEqual([2, 4, 3, 5, 1])
  })

  it('has a place for each of ten thousand at a time', () => {
    const map = new IdMap<number>()
    for (let count = 0; count < 10_000; count++) map.set(idOf(0, 2 * count), count)
    for (let count = 0; count < 10_000; count++) {
      expect(map.get(idOf(0, 2 * count))).toBe(count)
      expect(map.get(idOf(0, 2 * count + 1))).toBeUndefined()
    }
    expect(map.size).toBe(10_000)
  })
})
