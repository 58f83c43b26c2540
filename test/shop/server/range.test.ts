import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lastModifiedOf, rangeAnswer, type RangeHeaders } from '../../../src/shop/server/range.js'
import { naiveRange } from '../../support/naive-range.ts'

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT'
const TEN = { sizeBytes: 10, etag: '"abc"', lastModified: DATE }
const answer = (range: string, sizeBytes = 10): string => {
  const { status, from, end, contentRange } = rangeAnswer({ range }, { ...TEN, sizeBytes })
  return `${status} ${from}..${end} ${contentRange}`
}
const LARGE = '9'.repeat(400)

describe('a range', () => {
  test.each([
    // Not a range of one part: everything.
    '', 'bytes', 'bytes=', 'bytes=-', 'bytes=,', 'bytes= , ,', 'bytes=5', 'bytes=a-b', 'bytes=0x1-2', 'bytes=1-2-3', 'bytes=--5', 'bytes=-5-', 'bytes=+1-2', 'bytes=1.0-2',
    'bytes=1e0-2', 'bytes =0-1', 'bytes:0-1', 'bytes=0 -1', 'bytes=0- 1', 'bytes=0\u20131', 'bytes=\u0661-\u0662', 'bytes=0-1\n', ' bytes=0-1', 'items=0-1', 'octets=0-1', 'bits=0-1', '=0-1', '0-1', 'bytes=0-1;q=1',
    // Reversed: malformed, also where both are beyond the end, and where a double has the same value for both.
    'bytes=3-2', 'bytes=9-0', 'bytes=20-19', 'bytes=9007199254740993-9007199254740992', `bytes=${LARGE}-1`,
    // Several parts: as we choose, everything.
    'bytes=0-0,-1', 'bytes=0-1,2-3', 'bytes=20-,30-', 'bytes=0-,0-,0-,0-', 'bytes=0-1,x', 'bytes=0-1, bytes=2-3',
  ])('%j is ignored', (range) => {
    expect(answer(range)).toBe('200 0..10 null')
  })

  test.each(['bytes=10-', 'bytes=10-10', 'bytes=10-20', 'bytes=11-', 'bytes=-0', 'bytes=-000', `bytes=${LARGE}-`, `bytes=1${LARGE}-2${LARGE}`])('%j begins beyond the end', (range) => {
    expect(answer(range)).toBe('416 0..0 bytes */10')
  })

  test.each([
    ['bytes=0-', '0..10 bytes 0-9/10'], ['bytes=0-0', '0..1 bytes 0-0/10'], ['bytes=9-9', '9..10 bytes 9-9/10'], ['bytes=9-', '9..10 bytes 9-9/10'], ['bytes=3-5', '3..6 bytes 3-5/10'],
    ['bytes=3-9', '3..10 bytes 3-9/10'], ['bytes=3-10', '3..10 bytes 3-9/10'], [`bytes=3-${LARGE}`, '3..10 bytes 3-9/10'], ['bytes=-1', '9..10 bytes 9-9/10'], ['bytes=-10', '0..10 bytes 0-9/10'],
    ['bytes=-11', '0..10 bytes 0-9/10'], [`bytes=-${LARGE}`, '0..10 bytes 0-9/10'], ['BYTES=3-5', '3..6 bytes 3-5/10'], ['bytes=, 3-5 ,', '3..6 bytes 3-5/10'], ['bytes=\t003-005', '3..6 bytes 3-5/10'],
  ])('%j is a part', (range, part) => {
    expect(answer(range)).toBe(`206 ${part}`)
  })

  test.each([
    ['bytes=0-', '416 0..0 bytes */0'], ['bytes=0-0', '416 0..0 bytes */0'], ['bytes=-0', '416 0..0 bytes */0'],
    // RFC 9110 calls it satisfiable, and Content-Range cannot say it.
    ['bytes=-5', '200 0..0 null'],
  ])('%j of nothing', (range, want) => {
    expect(answer(range, 0)).toBe(want)
  })

  test('positions beyond 2^32 are exact', () => {
    expect(answer('bytes=5368709119-', 5_368_709_120)).toBe('206 5368709119..5368709120 bytes 5368709119-5368709119/5368709120')
    expect(answer('bytes=-4294967297', Number.MAX_SAFE_INTEGER)).toBe('206 9007194959773694..9007199254740991 bytes 9007194959773694-9007199254740990/9007199254740991')
  })

  const digits = fc.oneof(fc.nat(40).map(String), fc.constantFrom('', '00', '007', '9007199254740993', LARGE))
  const spec = fc.oneof({ weight: 8, arbitrary: fc.tuple(digits, digits).map(([first, last]) => `${first}-${last}`) }, { weight: 1, arbitrary: fc.constantFrom('', ' ', '-', 'x', '1', '1--2', '\t2-3', '2-3 ') })
  const header = fc.tuple(fc.constantFrom('bytes=', 'bytes=', 'bytes=', 'bytes=', 'Bytes=', 'byte=', 'bytes', ''), fc.array(spec, { minLength: 1, maxLength: 2 })).map(([unit, specs]) => unit + specs.join(','))

  test('thousands of ranges select the positions that the naive reading selects', () => {
    fc.assert(fc.property(header, fc.nat(24), (range, size) => {
      const { status, from, end, contentRange } = rangeAnswer({ range }, { ...TEN, sizeBytes: size })
      const want = naiveRange(range, size)
      expect({ status, positions: [...Array(size).keys()].slice(from, end) }).toEqual(want)
      const part = want.status === 206 ? `bytes ${want.positions[0]}-${want.positions.at(-1)}/${size}` : null
      expect(contentRange).toBe(want.status === 416 ? `bytes */${size}` : part)
    }), { numRuns: 8000 })
  })
})

describe('If-Range', () => {
  const status = (headers: RangeHeaders, lastModified: string | null = DATE): number => rangeAnswer({ range: 'bytes=3-5', ...headers }, { ...TEN, lastModified }).status

  test.each([
    'W/"abc"', 'w/"abc"', '"abd"', '"ABC"', 'abc', '"abc', '"abc", "abd"', '"abd", "abc"', '*', '', ' ', '"abc" ', '""', '"W/abc"',
    'Sun, 06 Nov 1994 08:49:36 GMT', 'Sun, 06 Nov 1994 08:49:38 GMT', 'Mon, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 08:49:37', '1994-11-06T08:49:37Z', '784111777',
    'Sunday, 06-Nov-94 08:49:38 GMT', 'Sun Nov 06 08:49:37 1994', 'sun, 06 nov 1994 08:49:37 gmt',
  ])('%j names another thing: everything is sent', (ifRange) => {
    expect(status({ 'if-range': ifRange })).toBe(200)
    expect(rangeAnswer({ 'range': 'bytes=20-', 'if-range': ifRange }, TEN).status).toBe(200)
  })

  test.each(['"abc"', DATE, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])('%j names it', (ifRange) => {
    expect(status({ 'if-range': ifRange })).toBe(206)
    expect(rangeAnswer({ 'range': 'bytes=20-', 'if-range': ifRange }, TEN).status).toBe(416)
    expect(rangeAnswer({ 'if-range': ifRange }, TEN).status).toBe(200)
  })

  test('no date names a thing without one', () => {
    expect([DATE, '', 'null'].map((ifRange) => status({ 'if-range': ifRange }, null))).toEqual([200, 200, 200])
    expect(status({ 'if-range': '"abc"' }, null)).toBe(206)
  })

  test.each([
    [784_111_777_000, 784_111_777_000, null], [784_111_777_999, 784_111_778_999, null], [784_111_777_999, 784_111_779_000, DATE], [784_111_777_000, 784_111_900_000, DATE],
    [784_111_777_000, 0, null], [null, 784_111_900_000, null], [-1, 784_111_900_000, null],
  ])('a change at %j has at %j the date %j', (modifiedMs, nowMs, date) => {
    expect(lastModifiedOf(modifiedMs, nowMs)).toBe(date)
  })
})
