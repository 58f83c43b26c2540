import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { Decimal } from '../../src/model/decimal.js'
import { ExactSum } from '../../src/model/exact-sum.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { DrawnId } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import { restoredState, savedState } from '../../src/model/saved-state.js'
import { throughJson } from '../support/through-json.ts'

const state = {
  name: 'a', count: 3, isOpen: true, last: null as string | null, never: -Infinity, unknown: NaN, nought: -0, large: 10n ** 30n,
  amount: new Decimal('-1e-25'), sum: ExactSum.from('12.50'), price: new Price(1000, 1), quantity: new Quantity(5, 0),
  byId: new Map([[7, { price: new Decimal('0.1'), queue: [new Decimal(1), new Decimal(2)] }]]),
  nested: new Map([['x', new Map([[1, [1, null, 'b']]])]]), empty: new Map<string, number>(), list: [[1, 2], [3]],
}

const random = new RandomNumbers(1, 'test', 0)
/** Values of all kinds, few of each, so that lists have columns that are one value. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(7, 'x', null, true, NaN, -0, Infinity, 10n ** 20n, '$map', { $map: [1] }, {}, [], [1, 'x'], { $record: { $id: [0, 0] } }),
  fc.double(), fc.string(),
  fc.nat(9).chain((at) => fc.constantFrom<unknown>(new DrawnId(random, at), new Price(at, 2), new Quantity(at, at), Amount.from(`${at}.5`), new Decimal(`${at}.25`), new Map([[at, new Price(at, 0)]]))),
)
const name = fc.constantFrom('a', 'b', 'c', '$x', '__proto__', '7')
const record = fc.array(fc.tuple(name, value), { maxLength: 5 }).map((fields) => Object.fromEntries(fields))
const list = fc.array(fc.oneof({ weight: 6, arbitrary: record }, value, record.map((of) => ({ kind: 'outer', of }))), { size: 'large', maxLength: 60 })

describe('a saved state', () => {
  test('is the same after JSON, and may be restored twice', () => {
    const saved = JSON.parse(JSON.stringify(savedState(state))) as ReturnType<typeof savedState<typeof state>>
    for (let time = 0; time < 2; time++) {
      const { sum, ...restored } = restoredState(saved)
      const { sum: before, ...rest } = state
      expect(restored).toStrictEqual(rest)
      expect(sum.toFixed()).toBe(before.toFixed())
      restored.list[0]?.push(9)
      restored.byId.clear()
    }
  })

  test('shares nothing with the state', () => {
    const numbers = Array.from({ length: 100 }, (_, at) => at)
    const saved = savedState({ few: [1, 2], numbers })
    numbers.push(3)
    expect(restoredState(saved)).toEqual({ few: [1, 2], numbers: numbers.slice(0, 100) })
  })

  test('lists of anything come back as they were, the order of the fields of records too', () => {
    fc.assert(fc.property(fc.oneof(list, record, fc.tuple(list, list)), (of) => {
      const restored = throughJson(of)
      expect(restored).toStrictEqual(of)
      const names = (one: unknown): unknown => (typeof one === 'object' && one !== null ? Object.entries(one).map(([key, inner]) => [key, names(inner)]) : null)
      expect(names(restored)).toEqual(names(of))
    }), { numRuns: 500 })
  })

  test('a field that is undefined is none, undefined in a list is null, and all else is what JSON makes of it', () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ at, none: undefined, more: at === 3 ? 'x' : undefined, on: new Date(0), list: [undefined] }))
    const wanted = rows.map(({ at }) => ({ at, ...(at === 3 ? { more: 'x' } : {}), on: '1970-01-01T00:00:00.000Z', list: [null] }))
    expect(throughJson(rows)).toStrictEqual(wanted)
  })

  test('many records are columns by field; a value that all of them have stands once', () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ side: 'BID', at, ahead: NaN, id: new DrawnId(random, at), price: new Price(at, 1) }))
    const counts = rows.map(({ at }) => at)
    const { sources, plain } = savedState([...rows, null])
    expect(sources).toEqual([random.keys])
    expect(plain).toEqual({ $rows: [
      [...counts.map(() => 0), 1],
      [
        ['side', 'at', 'ahead', 'id', 'price'], { $same: [20, 'BID'] }, counts, { $rows: [{ $same: [20, 0] }, ['$number', { $same: [20, 'NaN'] }]] },
        { $rows: [{ $same: [20, 0] }, ['$id', { $same: [20, 0] }, counts]] }, { $rows: [{ $same: [20, 0] }, ['$price', counts, { $same: [20, 1] }]] },
      ],
      [null, { $same: [1, null] }],
    ] })
  })
})
