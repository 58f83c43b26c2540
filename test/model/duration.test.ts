import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { checkOptions } from '../../src/configuration/run-check.js'
import { assumptionsFromOptions } from '../../src/configuration/assumptions.js'
import { closedUpDurations, durationNsFromText, durationOf, isDurationText, shortDurationText } from '../../src/model/duration.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { DURATION_LIMIT_NS } from '../../src/model/duration.js'

const FORM = 'a duration such as 10ms, 30s or 1h'
const DAY_NS = 86_400_000_000_000

/** Every text with its nanoseconds, or what was wanted. */
const TEXTS: readonly (readonly [text: string, expected: number | string])[] = [
  ['1ns', 1], ['500ms', 500_000_000], ['10s', 10_000_000_000], ['5m', 300_000_000_000], ['5min', 300_000_000_000], ['1h', 3_600_000_000_000], ['1d', DAY_NS], ['30d', 30 * DAY_NS],
  ['1.5s', 1_500_000_000], ['0.000000001s', 1], ['0.25us', 250], ['00010ms', 10_000_000], ['2592000000000000ns', 'a duration such as 10ms, 30s or 1h'], ['259200000000000ns', 3 * DAY_NS],
  ['1.0ns', 1], ['123456789.000000001s', 'a duration from 1ns to 30d'], ['1.123456789s', 1_123_456_789],
  ['1.5ns', 'a duration of whole nanoseconds'], ['0.0000000001s', FORM], ['0.0001us', 'a duration of whole nanoseconds'],
  ['0s', 'a duration from 1ns to 30d'], ['31d', 'a duration from 1ns to 30d'], ['999999999999999d', 'a duration from 1ns to 30d'],
  ['10 ms', 'a duration without a space: write 10ms'], [' 10ms', 'a duration without a space: write 10ms'], ['10ms\n', 'a duration without a space: write 10ms'], ['1.5\ts ', 'a duration without a space: write 1.5s'],
  ['', FORM], ['10', FORM], ['ms', FORM], ['-1s', FORM], ['+1s', FORM], ['1e3s', FORM], ['.5s', FORM], ['1.s', FORM], ['1,5s', FORM], ['1sec', FORM], ['1 hour', FORM], ['1S', FORM], ['1M', FORM],
  ['1us2', FORM], ['1h30m', FORM], ['1w', FORM], ['Infinitys', FORM], ['0x10s', FORM], ['١s', FORM], ['10µs', FORM],
]

interface Definitions { readonly definitions: { readonly duration: object; readonly latency: object } }

/** The fault of an assumption, in words. */
async function faultOf(assumptions: object): Promise<string> {
  const { faults } = await checkOptions({ strategy: Strategy, data: ['x'], assumptions })
  return faults.map(({ path, expected, found, advice }) => `${path}: expected ${expected}, found ${found}${advice === undefined ? '' : `; ${advice}`}`).join('\n')
}

describe('durations have one grammar', () => {
  test.each(TEXTS)('%j', (text, expected) => {
    expect(durationOf(text)).toBe(expected)
  })

  test('the schemas of run files and of profiles take the same texts', () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))
    const run = read('run') as Definitions & { readonly definitions: { readonly assumptions: { readonly properties: { readonly feedLatency: object } } } }
    const profile = read('venue-profile') as { readonly properties: { readonly messages: { readonly properties: { readonly lateFees: object } } } }
    const ajv = new Ajv({ strict: false })
    const { duration, latency, assumptions } = run.definitions
    const [feed, late] = [assumptions.properties.feedLatency, profile.properties.messages.properties.lateFees]
    for (const [text] of TEXTS) {
      // A text that ends with a line end: `$` of the schemas' dialect takes it for no end.
      const wanted = isDurationText(text)
      const found = [[duration, text], [late, text], [latency, text], [feed, `recorded+${text}`], [feed, `constant ${text}`], [latency, `uniform 1ns ${text}`], [latency, `1.5 x feed + ${text}`]] as const
      expect([text, found.map(([schema, value]) => ajv.validate(schema, value))]).toEqual([text, found.map(() => wanted)])
    }
  })

  test('bounds are those of the caller, and the error is the caller\'s', () => {
    expect(durationOf('0ns', { leastNs: 0 })).toBe(0)
    expect(durationOf('1h', { mostNs: 90_000_000_000 })).toBe('a duration from 1ns to 90s')
    expect(() => durationNsFromText('1 h', {}, (expected) => new Error(`mine: ${expected}`))).toThrow('mine: a duration without a space: write 1h')
    expect(DURATION_LIMIT_NS).toBe(30 * DAY_NS)
    expect([0, 1, 1000, 90_000_000_000, 7_200_000_000_000, 3 * DAY_NS].map(shortDurationText)).toEqual(['0ns', '1ns', '1us', '90s', '2h', '3d'])
    expect(closedUpDurations('uniform 5 ms 15  ms')).toBe('uniform 5ms 15ms')
    expect(closedUpDurations('1.5 x feed + 1ms, 2 sec')).toBe('1.5 x feed + 1ms, 2 sec')
  })
})

describe('latencies have a limit, which a refusal names', () => {
  test.each([
    ['2h', /requestLatency: expected a duration from 0ns to 1h, found "2h"/],
    ['uniform 0ns 9007199254740993ns', /requestLatency: expected a duration such as 10ms, or "uniform/],
    ['uniform 0ns 900719925474099ns', /requestLatency: expected a duration from 0ns to 1h/],
    ['uniform 1ms 100d', /a duration from 0ns to 1h/],
    ['exponential 1ms 0ns', /a duration from 1ns to 1h/],
    ['exponential 61m 1ms', /a duration from 0ns to 1h/],
    ['lognormal 0ms 0.5', /a duration from 1ns to 1h/],
    ['lognormal 10ms 11', /a lognormal latency with a standard deviation from 0 to 10/],
    ['1.5 x feed + 2h', /a duration from 0ns to 1h/],
    ['0.5ns', /a duration of whole nanoseconds/],
    ['10 ms', /found "10 ms"; write 10ms/],
    ['uniform 5 ms 15 ms', /; write uniform 5ms 15ms$/],
    ['10', /expected a duration such as 10ms, or "uniform/],
    ['-10ms', /expected a duration such as 10ms, or "uniform/],
  ])('%s', async (requestLatency, words) => {
    expect(await faultOf({ requestLatency })).toMatch(words)
  })

  test.each([
    ['recorded /dev/zero', /Cannot read the latency recording \/dev\/zero: it must be a plain file, found a device/],
    ['recorded /tmp', /Cannot read the latency recording \/tmp: it must be a plain file, found a folder/],
  ])('%s', (requestLatency, words) => {
    expect(() => assumptionsFromOptions({ requestLatency })).toThrow(words)
  })

  test.each([['recorded+2h', /a duration from 0ns to 1h/], ['constant 2h', /a duration from 0ns to 1h/], ['uniform 1ms 2h', /a duration from 0ns to 1h/], ['constant 5 ms', /; write constant 5ms$/]])('feed latency %s', async (feedLatency, words) => {
    expect(await faultOf({ feedLatency })).toMatch(words)
  })
})
