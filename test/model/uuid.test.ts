import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RandomNumbers } from '../../src/model/random.js'
import { uuidFromRandom } from '../../src/model/uuid.js'

/** The same by the texts of its parts. */
function reference(random: RandomNumbers, number: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  const [time = 0, middle = 0, variant = 0, node = 0] = [0, 1, 2, 3].map((part) => random.bits(number, part))
  const [high, low] = [variant >>> 16, variant & 0xffff]
  return `${hex(time, 8)}-${hex(middle >>> 16, 4)}-4${hex(middle & 0xfff, 3)}-${hex((high & 0x3fff) | 0x8000, 4)}-${hex(low, 4)}${hex(node, 8)}`
}

test('a UUID has the form of version 4 and says all random bits that its form has room for', () => {
  fc.assert(fc.property(fc.maxSafeInteger().map(Math.abs), fc.string(), fc.maxSafeInteger().map(Math.abs), (seed, purpose, number) => {
    const random = new RandomNumbers(seed, purpose, 0)
    const uuid = uuidFromRandom(random, number)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(uuid).toBe(reference(random, number))
  }))
})

test('a UUID stays what it was', () => {
  expect(uuidFromRandom(new RandomNumbers(1, 'own-fill account strategy', 0), 0)).toBe('e34d7838-2d35-4f36-ba25-6c27a255ee86')
})
