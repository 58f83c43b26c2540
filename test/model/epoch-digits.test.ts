import { expect, test } from 'vitest'
import { refuseFarDigits } from '../../src/model/epoch-digits.js'

const DAY = 20_635

test.each<[string, number | null, RegExp]>([
  ['1782907200000', DAY, /as epoch nanoseconds it is 1970-01-01T00:29:42.907200000Z, and the data are of 2026-07-01; in milliseconds it is 2026-07-01T12:00:00.000000000Z: write 1782907200000000000$/],
  ['1782907200000000', DAY, /in microseconds it is 2026-07-01T12:00:00.000000000Z: write 1782907200000000000$/],
  ['1782907200', DAY, /in seconds it is 2026-07-01T12:00:00.000000000Z: write 1782907200000000000$/],
  ['1782907200000', null, /no data are so old; in milliseconds it is 2026-07-01T12/],
  ['1582907200000000000', DAY, /it is 2020-02-28T16:26:40.000000000Z, and the data are of 2026-07-01$/],
  ['1982907200000000000', DAY, /it is 2032-11-01T07:33:20.000000000Z, and the data are of 2026-07-01$/],
  ['99999999999', null, /^Cannot take the time 99999999999: as epoch nanoseconds it is 1970-01-01T00:01:39.999999999Z, and no data are so old$/],
])('%s for day %s is refused', (text, day, sentence) => {
  expect(() => { refuseFarDigits(text, day) }).toThrow(expect.objectContaining({ code: 'TIME_INVALID', message: expect.stringMatching(sentence) as string }))
})

test.each<[string, number | null]>([
  ['1782907200000000000', DAY], ['1782907200000000000', null], ['1642907200000000000', DAY], ['12:00', DAY], ['2019-01-01', DAY], ['20260701', DAY], ['', null],
])('%s for day %s passes', (text, day) => {
  expect(() => { refuseFarDigits(text, day) }).not.toThrow()
})
