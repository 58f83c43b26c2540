import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { ExactSum } from '../../src/model/exact-sum.js'
import { restoredState, savedState } from '../../src/model/saved-state.js'

const state = {
  name: 'a', count: 3, isOpen: true, last: null as string | null, never: -Infinity, unknown: NaN,
  amount: new Decimal('-1e-25'), sum: ExactSum.from('12.50'),
  byId: new Map([[7, { price: new Decimal('0.1'), queue: [new Decimal(1), new Decimal(2)] }]]),
  nested: new Map([['x', new Map([[1, [1, null, 'b']]])]]), empty: new Map<string, number>(), list: [[1, 2], [3]],
}

describe('a saved state', () => {
  test('is the same after JSON, and may be restored twice', () => {
    const saved = JSON.parse(JSON.stringify(savedState(state))) as ReturnType<typeof savedState<typeof state>>
    for (let time = 0; time < 2; time++) {
      const { sum, ...restored } = restoredState(saved)
      const { sum: before, ...rest } = state
      expect(restored).toEqual(rest)
      expect(sum.toFixed()).toBe(before.toFixed())
      restored.list[0]?.push(9)
      restored.byId.clear()
    }
  })

  test('shares nothing with the state', () => {
    const list = [1, 2]
    const saved = savedState({ list })
    list.push(3)
    expect(restoredState(saved).list).toEqual([1, 2])
  })
})
