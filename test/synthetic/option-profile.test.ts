import { describe, expect, test } from 'vitest'
import { PROFILES, type SyntheticKind } from '../../src/synthetic/instrument-profile.js'
import { makeDays } from '../../src/synthetic/made-days.js'
import { optionProfile } from '../../src/synthetic/option-profile.js'

const first = (options: { strike: number; kind?: SyntheticKind }): string => (
  makeDays({ seed: 3, kind: 'option', minutes: 1, ...options }).next().value?.text ?? ''
)

describe('strikes of made-up calls', () => {
  test.each([39_000, 91_000, 60_500, -60_000, NaN, Infinity])('%d: OPTION_INVALID', (strike) => {
    const refused = { code: 'OPTION_INVALID', place: expect.objectContaining({ field: 'strike' }) }
    expect(() => first({ strike })).toThrow(expect.objectContaining(refused))
  })

  test('of what is no option: OPTION_INVALID', () => {
    expect(() => first({ kind: 'spot', strike: 60_000 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })

  test('the bundled strike is the profile as it was', () => {
    expect(optionProfile(68_000)).toBe(PROFILES.option)
  })

  test('volatilities are least near the index, higher below than above', () => {
    const smiles = [52_000, 56_000, 60_000, 62_000, 66_000, 72_000].map((strike) => optionProfile(strike).smile)
    expect(Math.min(...smiles)).toBe(smiles[3])
    expect(smiles[0]).toBeGreaterThan(smiles[5]!)
    expect(optionProfile(52_000).startTick % PROFILES.option.stepAt(1_000)).toBe(0)
  })

  test('ids and codes differ, strikes stand in the master data, the index is one', () => {
    const files = [60_000, 64_000].map((strike) => [...makeDays({ seed: 3, kind: 'option', minutes: 1, strike })])
    const masters = files.map(([chunk]) => JSON.parse(chunk?.text ?? '') as { instrument: Readonly<Record<string, unknown>> })
    expect(masters.map(({ instrument: { id, code, strike_price } }) => [id, code, strike_price])).toEqual([
      [9_100_160, 'BTC-60000-C', 60_000], [9_100_164, 'BTC-64000-C', 64_000],
    ])
    const indexOf = (chunks: readonly { readonly text: string }[]): unknown[] => (
      chunks.slice(1).map(({ text }) => text).join('').split('\n').filter((line) => line.startsWith('[8,'))
        .map((line) => (JSON.parse(line) as readonly unknown[]).at(-1))
    )
    const [one = [], other = []] = files.map(indexOf)
    // A recording has an outage of its own, so that single seconds are missing in one of them.
    expect(one.length).toBeGreaterThan(40)
    expect(one.filter((price) => other.includes(price)).length).toBeGreaterThan(40)
  })
})
