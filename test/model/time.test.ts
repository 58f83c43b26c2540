import { expect, test } from 'vitest'
import { epochNsFromText } from '../../src/model/time.js'

test.each([
  ['12:00', 0, 43_200_000_000_000n],
  ['12:00:00.5', 1, 129_600_500_000_000n],
  ['1970-01-01T00:00:01Z', null, 1_000_000_000n],
  ['1970-01-01T02:00:01+02:00', null, 1_000_000_000n],
  ['1723075200000000000', null, 1_723_075_200_000_000_000n],
])('%s on day %s', (text, day, expected) => {
  expect(epochNsFromText(text, day)).toBe(expected)
})

test.each(['', 'noon', '25:00', '12:60', '2024-02-30', '12:00:00.1234567890'])('%j is no time', (text) => {
  expect(() => epochNsFromText(text, 0)).toThrow(expect.objectContaining({ code: 'TIME_INVALID' }))
})
