import { describe, expect, test } from 'vitest'
import { leftFor, numberWords, wordPixels } from '../../../src/report/plots/number-axis.js'
import { pictures } from '../../../src/report/plots/pictures.js'

describe('numbers at an axis', () => {
  test.each<[domain: readonly [number, number], value: number, words: string]>([
    [[0, 10], 4, '4'], [[0, 1], 0.2, '0.2'], [[0, 0.001], 0.0002, '0.0002'], [[-1, 1], -0.5, '\u22120.5'], [[-1, 1], 0, '0.0'], [[-1, 1], -0, '0.0'],
    [[9_990, 10_010], 10_005, '10,005'], [[1_234_567_880, 1_234_567_900], 1_234_567_890, '1,234,567,890'], [[-5e-8, 5e-8], 5e-8, '0.00000005'],
    [[0, 0], 0, '0'], [[5, 5], 5, '5'], [[0, 1e300], 1e300, '1e+300'], [[-1e300, 1e300], -1e300, '\u22121e+300'], [[0, 1e-30], 5e-31, '5e-31'], [[0, 1e18], 1e18, '1e+18'], [[0, 123_456], 123_456, '123,456'],
  ])('%j: %d is %s', (domain, value, words) => { expect(numberWords(domain, 5)(value)).toBe(words) })

  test('have room at the left', () => {
    for (const domain of [[0, 1], [-1e9, 1e9], [0, 1e-12], [0, 1e300]] as const)
      expect(leftFor([[0, 1], domain])).toBeGreaterThanOrEqual(wordPixels(numberWords(domain, 5)(domain[0])) + 9)
    expect(leftFor([[0, 1]])).toBe(68)
  })
})

/** Words of a picture at the bottom: their middle and half of their width. */
function bottomWords(svg: string): { readonly middle: number; readonly half: number }[] {
  const axis = /aria-label="x-axis tick label"[^>]*>([^]*?)<\/g>/.exec(svg)?.[1] ?? ''
  return [...axis.matchAll(/<text[^>]*transform="translate\(([\d.]+),[^>]*[^/]>([^]*?)<\/text>/g)].flatMap(([, x = '', inner = '']) => {
    const lines = inner.split(/<\/?tspan[^>]*>/).filter((line) => line !== '')
    return lines.length === 0 ? [] : [{ middle: Number(x), half: Math.max(...lines.map(wordPixels)) / 2 }]
  })
}

const DAY = 86_400_000
const floats = (...values: number[]): Float64Array => Float64Array.from(values)
const STRIKES = floats(60_000, 62_000, 64_000, 66_000, 68_000, 70_000)

describe.each([240, 380, 860, 2000])('words of a picture %i wide', (width) => {
  test.each([
    ['smile', () => pictures.smile([{ name: 'a', strikes: STRIKES, volatilities: STRIKES.map((strike) => strike / 1e5) }], { width })],
    ['histogram', () => pictures.histogram(floats(-1e7, 0, 3e6, 1e7), { width })],
    ['depth', () => pictures.depth({ bidPrices: floats(67_821.1, 67_820), bidQuantities: floats(1, 2), askPrices: floats(67_822.5, 67_824), askQuantities: floats(1, 2) }, { width })],
    ['latency', () => pictures.latency([{ name: 'a', latenciesMs: floats(0.12, 1, 10, 60) }], { width })],
    ['equity', () => pictures.equity({ epochMs: floats(0, 300_000), equity: floats(1, 2) }, { width })],
    ['equity to midnight', () => pictures.equity({ epochMs: floats(DAY - 300_000, DAY), equity: floats(1, 2) }, { width })],
    ['coverage', () => pictures.coverage({ names: ['a'], nameIndices: Uint32Array.of(0, 0, 0), epochDays: Int32Array.of(20_000, 20_001, 20_003), shares: floats(1, 1, 1) }, { width })],
  ])('%s: none touches another, none leaves the picture', (_, draw) => {
    const words = bottomWords(draw().svg)
    expect(words.length).toBeGreaterThan(0)
    for (const [at, { middle, half }] of words.entries()) {
      expect(middle - half).toBeGreaterThanOrEqual(0)
      expect(middle + half).toBeLessThanOrEqual(width)
      const next = words[at + 1]
      if (next !== undefined) expect(next.middle - next.half).toBeGreaterThanOrEqual(middle + half)
    }
  })
})

test.each([[1, 1, '1 day of 1 instrument,'], [2, 1, '2 days of 1 instrument,'], [2, 2, '2 days of 2 instruments,']])('%i days of %i instruments', (days, names, words) => {
  const picture = pictures.coverage({ names: ['a', 'b'].slice(0, names), nameIndices: new Uint32Array(days), epochDays: Int32Array.from({ length: days }, (_, at) => at), shares: floats(...new Array<number>(days).fill(1)) })
  expect(picture.caption).toContain(words)
})
