import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineCursor, LineFault } from '../../src/tickfile/lines/line-cursor.js'
import { isNight, repeated } from '../support/repetitions.ts'
import { masterLine, tickReading } from '../support/tick-lines.js'
import type { ReadOptions } from '../../src/tickfile/archive/read-options.js'

const TIME = '1735689600000000000'
const EVENT = `[1,7,"1","2",${TIME},0,[[0,"1.5","2",1]]]`
const BOTH: readonly ReadOptions[] = [{}, { lines: 'javascript' }]

/** Events and lines of unknown types of a file. */
async function counted(lines: readonly string[], options: ReadOptions): Promise<readonly [events: number, unknown: number, lines: number]> {
  const reading = await tickReading('made', [masterLine(), ...lines], options)
  for await (const batch of reading.batches()) expect(batch.count).toBeGreaterThan(0)
  const { eventCount, unknownTypes, lineCount } = reading.summary
  return [eventCount, [...unknownTypes.values()].reduce((a, b) => a + b, 0), lineCount]
}

/** Whether a text is skipped as one value. */
function isSkipped(text: string): boolean {
  const bytes = new TextEncoder().encode(`${text}\n`)
  const cursor = new LineCursor()
  cursor.open(bytes, 0, bytes.length)
  try {
    cursor.skipValue('tail')
    return cursor.peek() === 10
  } catch (fault) {
    if (fault instanceof LineFault) return false
    throw fault
  }
}

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return value !== undefined && !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(allTexts(value))
  } catch {
    return false
  }
}

/** Names and texts of a value, apart from each other. */
function allTexts(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value).flatMap(([name, inner]) => [name, allTexts(inner)]).join(' ')
}

describe('what is ignored is skipped whatever its depth', () => {
  const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`
  test.each([1, 63, 64, 65, 1000, isNight ? 500_000 : 100_000])('%i brackets and braces', async (depth) => {
    for (const options of BOTH) {
      for (const value of [nested(depth, '[', ']'), nested(depth, '{"a":', '}'), nested(depth, '[0,{"b":[],"a":', '},[]]')]) {
        expect(await counted([EVENT, `[99,${value}]`, `${EVENT.slice(0, -1)},${value}]`, EVENT], options)).toEqual([3, 1, 5])
      }
    }
  })

  test.each([
    ['one bracket too few', `[99,${'['.repeat(100_000)}${']'.repeat(99_999)}`],
    ['the wrong bracket in the middle', `[99,${'['.repeat(100_000)}${']'.repeat(50_000)}}${']'.repeat(49_999)}]`],
    ['no value at all', `[99,${'['.repeat(100_000)}`],
    ['a name without a value', `[99,${'{"a":'.repeat(100_000)}${'}'.repeat(100_000)}]`],
  ])('%s is a damaged line, not a stack that overflows', async (_name, line) => {
    for (const options of BOTH) await expect(counted([EVENT, line], options)).rejects.toMatchObject({ code: 'LINE_MALFORMED', place: { line: 3 } })
  })

  test('exactly what JSON is', () => {
    const texts = fc.constantFrom('"', '\\', '\\u', '\\ud800', '\\udc00', '\\uD83D\\uDE00', '\\n', '\\x', 'é', '😀', 'a', '{', '}', '[', ']', ':', ',', '1', '-', '.', 'e', '+', '0', 'null', 'tru', 'true', ' ', '"a":', '"b"')
    fc.assert(fc.property(fc.array(texts, { maxLength: 12 }).map((parts) => parts.join('')), (text) => {
      expect([text, isSkipped(text)]).toEqual([text, isJson(text)])
    }), { numRuns: 20_000 })
    fc.assert(fc.property(fc.json({ maxDepth: 9 }), (text) => {
      expect([text, isSkipped(text)]).toEqual([text, isJson(text)])
    }), { numRuns: 1000 })
  })

  test('a long text with escapes across the pieces in which it is looked at', () => {
    for (const filler of ['x'.repeat(65_535), 'x'.repeat(65_534), `${'x'.repeat(65_533)}\\n`]) {
      expect([isSkipped(`"${filler}😀é\\ud83d\\ude00${filler}"`), isSkipped(`"${filler}\\ud83d${filler}"`), isSkipped(`"${filler}\\ud83"`)]).toEqual([true, false, false])
    }
    const bytes = Uint8Array.from([34, ...new Uint8Array(65_535).fill(97), 0xf0, 0x9f, 34, 10])
    const cursor = new LineCursor()
    cursor.open(bytes, 0, bytes.length)
    expect(() => cursor.skipValue('tail')).toThrow(LineFault)
  })
})

describe('blank lines', () => {
  const BLANKS = ['', ' ', '\r', ' \t\r']
  test.each(repeated([0, 1, 1_048_576, 1_048_500, 1_048_575, 1_048_577, 2_100_000], (_, at) => at < 3))('%i of each kind before, between and behind events', async (count) => {
    for (const options of BOTH) {
      for (const blank of count > 1_048_577 ? [''] : BLANKS) {
        const blankCount = Math.ceil(count / (blank.length + 1))
        // As one text: a million texts take longer to join than to read.
        const blanks = blankCount === 0 ? [] : [`${`${blank}\n`.repeat(blankCount - 1)}${blank}`]
        expect(await counted([...blanks, EVENT, ...blanks, EVENT, EVENT, ...blanks], options)).toEqual([3, 0, 4])
        await expect(counted([...blanks, EVENT, ...blanks, '[1,7]'], options)).rejects.toMatchObject({ place: { line: 2 * blankCount + 3 } })
      }
    }
  })

  test('before the master data too', async () => {
    const reading = await tickReading('made', ['\n'.repeat(2_999_999), masterLine(), EVENT])
    for await (const batch of reading.batches()) expect(batch.count).toBe(1)
    expect(reading.summary).toMatchObject({ eventCount: 1, lineCount: 2 })
  })

  test('one that is longer than a line may be is a long line', async () => {
    for (const options of BOTH) {
      await expect(counted([EVENT, ' '.repeat(2000), EVENT], { ...options, lineLimitBytes: 1999 })).rejects.toMatchObject({ code: 'LINE_TOO_LONG', place: { line: 3 } })
      expect(await counted([EVENT, ' '.repeat(2000), EVENT], { ...options, lineLimitBytes: 2000 })).toEqual([2, 0, 3])
    }
  })
})
