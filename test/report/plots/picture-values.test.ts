import { describe, expect, test } from 'vitest'
import { pictures } from '../../../src/report/plots/pictures.js'

const floats = (...values: number[]): Float64Array => Float64Array.from(values)

/** The points of the line of a class in a picture, in pixels. */
function pointsOf(svg: string, className: string): { readonly x: number, readonly y: number }[] {
  const path = /<path d="([^"]+)"/.exec(svg.slice(svg.indexOf(`aria-label="line" class="${className}"`)))?.[1] ?? ''
  return [...path.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
}

describe('the drawdown of a picture of equity', () => {
  test.each<readonly [name: string, equity: number[], drawdown: number[]]>([
    ['that rises and falls', [100, 104, 101, 106, 103], [0, 0, 3, 0, 3]],
    ['that only falls', [5, 4, 2, 1, 0], [0, 1, 3, 4, 5]],
    ['that only rises', [1, 2, 3, 4, 5], [0, 0, 0, 0, 0]],
    ['below 0', [-5, -7, -4, -9, -4], [0, 2, 0, 5, 0]],
    ['that begins with a gap', [NaN, 7, 6, 8, 5], [NaN, 0, 1, 0, 3]],
    ['that has a gap at its highest', [1, 9, NaN, Infinity, 4], [0, 0, NaN, NaN, 5]],
  ])('of equity %s is the distance from the highest so far', (_name, equity, drawdown) => {
    const epochMs = floats(0, 60_000, 120_000, 180_000, 240_000)
    const { svg } = pictures.equity({ epochMs, equity: floats(...equity) })
    expect(svg).toBe(pictures.equity({ epochMs, equity: floats(...equity), drawdown: floats(...drawdown) }).svg)
  })

  test('is drawn downwards, to the scale of its axis', () => {
    const columns = { epochMs: floats(0, 1, 2, 3), equity: floats(10, 6, 8, 10) }
    const heights = pointsOf(pictures.equity(columns).svg, 'bt-line-2').map(({ y }) => y)
    const [zero, four] = [Math.min(...heights), Math.max(...heights)]
    expect([...new Set(heights)]).toEqual([zero, four, (zero + four) / 2])
  })
})

test('both panels of a picture of equity have the lines of the times, the lower one their words', () => {
  const { svg } = pictures.equity({ epochMs: floats(0, 60_000, 120_000, 180_000, 240_000), equity: floats(1, 2, 3, 2, 1) })
  const parts = [...svg.matchAll(/aria-label="(x-[^"]+|line)"/g)].map(([, part]) => part)
  expect(parts).toEqual(['x-grid', 'line', 'x-grid', 'x-axis tick', 'x-axis tick label', 'x-axis label', 'line'])
  const linesOf = (grid: string): string[] => [...grid.matchAll(/ x1="([\d.]+)"/g)].map(([, x = '']) => x)
  const [upper = '', lower = ''] = svg.split('aria-label="x-grid"').slice(1).map((part) => part.slice(0, part.indexOf('</g>')))
  expect(linesOf(upper)).toEqual(linesOf(lower))
  expect([...svg.matchAll(/>(00:\d\d:\d\d)</g)].map(([, word]) => word)).toEqual(['00:00:00', '00:00:30', '00:01:00', '00:01:30', '00:02:00', '00:02:30', '00:03:00', '00:03:30', '00:04:00'])
})

describe('the bars of a histogram', () => {
  test.each<readonly [values: number[], barCount: number | undefined, words: string]>([
    [[0, 100], undefined, '2 values, bars 5 wide'], [[0, 100], 1, '2 values, bars 100 wide'], [[0, 100], 7, '2 values, bars 20 wide'], [[0, 100], 10, '2 values, bars 10 wide'],
    [[0, 100], 400, '2 values, bars 0.5 wide'], [[0, 0.3], undefined, '2 values, bars 0.01 wide'], [[1, 2, 3, 4], undefined, '4 values, bars 0.1 wide'],
    [[5, 5, 5], undefined, '3 values, bars 0.05 wide'], [[-200, -200], undefined, '2 values, bars 2 wide'], [[0, 0], undefined, '2 values, bars 1 wide'],
    [[-1e308, 1e308], undefined, '2 values, bars 1e+306 wide'], [[1, NaN, 2, -Infinity], 10, '2 values, bars 0.1 wide; 2 that are no finite numbers left out'],
  ])('over %j, about %d of them', (values, barCount, words) => {
    expect(pictures.histogram(floats(...values), barCount === undefined ? {} : { barCount }).caption).toBe(words)
  })
})

describe('the curve of a picture of latencies', () => {
  /** The shares of a curve, whose last one is 1, by the height of a share of 0. */
  function sharesOf(latenciesMs: Float64Array): number[] {
    const base = pointsOf(pictures.latency([{ name: 'x', latenciesMs: floats(1, 2) }]).svg, 'bt-line-1')[0]!.y
    const heights = pointsOf(pictures.latency([{ name: 'x', latenciesMs }]).svg, 'bt-line-1').map(({ y }) => y)
    return [...new Set(heights)].map((y) => Number(((base - y) / (base - heights.at(-1)!)).toFixed(2)))
  }

  test.each<readonly [name: string, latencies: number[], shares: number[]]>([
    ['without a 0 begins at no message', [1, 2, 4, 8], [0, 0.25, 0.5, 0.75, 1]],
    ['with a 0 begins at its share', [0, 1, 2, 4], [0.25, 0.5, 0.75, 1]],
    ['with a 0 that is not the first counts it too', [4, 0, 2, 1], [0.25, 0.5, 0.75, 1]],
    ['with latencies below 0 counts them like a 0', [-3, 0, 2, 4], [0.5, 0.75, 1]],
    ['with what is no number leaves that out', [0, 2, NaN, 4, Infinity, 8], [0.25, 0.5, 0.75, 1]],
  ])('%s', (_name, latencies, shares) => {
    expect(sharesOf(floats(...latencies))).toEqual(shares)
  })

  test.each([[[1, 2], ''], [[0, 2], '; 1 of 0 or less lie left of the picture'], [[-1, 0, 2], '; 2 of 0 or less lie left of the picture']])('of %j says how many it cannot show', (latencies, words) => {
    const { caption } = pictures.latency([{ name: 'x', latenciesMs: floats(...latencies) }])
    expect(caption).toBe(`Part of the messages with at most that latency${words}`)
  })
})

describe('a curve over ratios leaves out what has no place on its axis', () => {
  test.each([0, -1, Infinity, NaN])('%d', (x) => {
    const markOuts = (horizons: number[], means: number[]): string => pictures.markOuts([{ name: 'x', horizonsMs: floats(...horizons), means: floats(...means) }]).svg
    expect(markOuts([10, x, 100, 1_000], [1, 9, 2, -3])).toBe(markOuts([10, 100, 1_000], [1, 2, -3]))
    const latency = (latencies: number[], shares: number[]): string => pictures.latency([{ name: 'x', latenciesMs: floats(...latencies), shares: floats(...shares) }]).svg
    const without = latency([1, 4, 9], [0.2, 0.5, 1])
    expect(latency([x, 1, 4, 9], [0.1, 0.2, 0.5, 1]).replaceAll('; 1 of 0 or less lie left of the picture', '')).toBe(without)
  })
})

describe('the bars of a histogram', () => {
  test.each<readonly [values: number[], counts: number[]]>([
    [[0, 1, 2, 2, 5], [1, 1, 2, 0, 0, 1]], [[0, 0, 0, 3], [3, 0, 0, 1]], [[-2, 0, 0], [1, 0, 0, 0, 2]],
  ])('of %j are as high as their counts', (values, counts) => {
    const { svg } = pictures.histogram(floats(...values), { barCount: 5, width: 800 })
    const bars = [.../class="bt-mark-1" d="([^"]+)"/.exec(svg)![1]!.matchAll(/M([\d.]+),([\d.]+)V([\d.]+)H([\d.]+)/g)]
      .map(([, left, base, top, right]) => ({ left: Number(left), right: Number(right), height: Number(base) - Number(top) }))
    const one = Math.max(...bars.map(({ height }) => height)) / Math.max(...counts)
    const wide = bars[0]!.right - bars[0]!.left + 1
    const drawn = counts.map(() => 0)
    for (const { left, height } of bars) drawn[Math.round((left - bars[0]!.left) / wide)] = Math.round(height / one)
    expect(drawn).toEqual(counts)
  })
})
