import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentKeys } from '../../src/model/recent-keys.js'

test('the latest keys are known in their order, and the oldest goes for the next, whenever somebody first asks', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(40), fc.nat(40), (limit, count, asked) => {
    const keys = new RecentKeys(limit)
    const plain: string[] = []
    for (let number = 0; number < count; number++) {
      if (number === asked) expect(keys.has('key 0')).toBe(plain.includes('key 0'))
      plain.push(`key ${String(number)}`)
      expect(keys.add(`key ${String(number)}`)).toBe(plain.length > limit ? (plain.shift() ?? null) : null)
      expect([...keys.keys()]).toEqual(plain)
    }
    for (let number = 0; number < count; number++) expect(keys.has(`key ${String(number)}`)).toBe(plain.includes(`key ${String(number)}`))
    keys.clear()
    expect([keys.has('key 0'), [...keys.keys()]]).toEqual([false, []])
  }))
})
