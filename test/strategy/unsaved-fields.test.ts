import { describe, expect, test } from 'vitest'
import { Strategy } from '../../src/strategy/strategy.js'
import { UnsavedFields } from '../../src/strategy/strategy-memory.js'

class Counting extends Strategy {
  count = 0
  label = 'maker'
  prices: number[] = []
  byId = new Map<number, number>()
  readonly #hidden = { count: 0 }
  hide(): void { this.#hidden.count++ }
}

class Saving extends Counting {
  override saveState(): unknown { return { count: this.count } }
}

describe('fields that a checkpoint does not hold', () => {
  test.each<readonly [what: string, change: (strategy: Counting) => void, names: readonly string[]]>([
    ['nothing has changed', () => undefined, []],
    ['a number', (one) => { one.count++ }, ['count']],
    ['an array that grew', (one) => { one.prices.push(1) }, ['prices']],
    ['a map that grew', (one) => { one.byId.set(1, 2) }, ['byId']],
    ['another array', (one) => { one.prices = [] }, ['prices']],
    ['two of them, in the order of declaration', (one) => { Object.assign(one, { count: 2, byId: new Map() }) }, ['count', 'byId']],
    ['a field that is new', (one) => { Object.assign(one, { late: 1 }) }, ['late']],
    ['the same value again', (one) => { one.label = 'maker' }, []],
    ['a private field, which nobody sees', (one) => { one.hide() }, []],
  ])('%s', (_what, change, names) => {
    const strategy = new Counting()
    const fields = new UnsavedFields(strategy)
    change(strategy)
    expect(fields.names()).toEqual(names)
  })

  test('a strategy with a saveState of its own has none', () => {
    const strategy = new Saving()
    const fields = new UnsavedFields(strategy)
    strategy.count++
    expect(fields.names()).toEqual([])
  })
})
