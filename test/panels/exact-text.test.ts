import { describe, expect, test } from 'vitest'
import { clockText, digitsNeeded, exactText, instantText, spanText, timeNsFromText } from '../../src/panels/exact-text.js'

const FROM = '1782950280000000001'

describe('exact texts', () => {
  test.each([
    [11074, 4, 4, '1.1074'], [11070, 4, 4, '1.1070'], [11070, 4, 0, '1.107'], [10000, 4, 0, '1'], [10000, 4, 1, '1.0'], [5, 4, 2, '0.0005'], [-5, 1, 1, '-0.5'], [0, 0, 0, '0'],
    [Number.MAX_SAFE_INTEGER, 8, 0, '90071992.54740991'], [Number.MAX_SAFE_INTEGER, 0, 0, '9007199254740991'], [12.75, 1, 1, '~1.2'], [-0.5, 0, 0, '~0'],
  ])('%d at scale %d with %d digits', (value, scale, digits, text) => {
    expect(exactText(value, scale, digits)).toBe(text)
  })

  test.each([[[100, 20], 2, 1], [[100, 200], 2, 0], [[100, 1], 2, 2], [[], 5, 0], [[0], 3, 0]])('digits of %j at scale %d', (values, scale, digits) => {
    expect(digitsNeeded(values, scale)).toBe(digits)
  })

  test('times keep every nanosecond, also beyond what a double of epoch nanoseconds holds', () => {
    expect(instantText(FROM, 0)).toBe('2026-07-01 23:58:00.000000001')
    expect(instantText(FROM, 599_999_999_999)).toBe('2026-07-02 00:08:00.000000000')
    expect(clockText(FROM, 123_456_788)).toBe('23:58:00.123456')
    expect(instantText('-1', 0)).toBe('1969-12-31 23:59:59.999999999')
  })

  test.each([[0, '0 ns'], [999, '999 ns'], [12_500, '12.5 us'], [10_000_000, '10 ms'], [1_250_000_000, '1.25 s']])('%d ns', (ns, text) => {
    expect(spanText(ns)).toBe(text)
  })

  test.each([
    ['23:58:00.000000002', 1], ['2026-07-01T23:58:01Z', 999_999_999], ['2026-07-01 23:59', 59_999_999_999], ['00:00:00', 119_999_999_999], ['23:57:00', -60_000_000_001],
  ])('%s is a time', (text, timeNs) => {
    expect(timeNsFromText(text, FROM)).toBe(timeNs)
  })

  test.each(['', 'noon', '24:00', '12:60', '12:00:61', '1:2', '2026-13-01 12:00', '12:00:00.1234567890'])('%j is none', (text) => {
    expect(timeNsFromText(text, FROM)).toBeNull()
  })
})
