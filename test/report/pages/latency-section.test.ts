import { describe, expect, test } from 'vitest'
import { LatencySketch } from '../../../src/model/latency-sketch.js'
import { latencySection } from '../../../src/report/pages/order-sections.js'
import type { ReportHistogram } from '../../../src/report/pages/report-series.js'
import type { RunReport } from '../../../src/report/pages/report-data.js'
import { pictures } from '../../../src/report/plots/pictures.js'
import type { MarketLine } from '../../support/market-lines.ts'
import { plannedRun } from '../../support/planned-run.ts'

function sketchOf(durations: readonly number[]): LatencySketch {
  const sketch = new LatencySketch()
  for (const one of durations) sketch.add(one)
  return sketch
}

describe('bins of a latency', () => {
  test.each<readonly [name: string, durations: number[], bins: (readonly [number, number, number])[]]>([
    ['nothing', [], []],
    ['below 0 alone', [-5, -1], []],
    ['a 0', [0], [[0, 1.25, 1]]],
    ['zeros and 1 ns', [0, 1, 0, -1], [[0, 1.25, 3]]],
    ['a 0 and what is far from it', [0, 1024], [[0, 1.25, 1], [1024, 1280, 1]]],
    ['what is not 0', [1024, 2048], [[1024, 1280, 1], [2048, 2560, 1]]],
  ])('of %s', (_name, durations, bins) => {
    expect(sketchOf(durations).bins()).toEqual(bins)
  })
})

const MS = 1_000_000

describe('the latencies of a report', () => {
  const lineAt = (timeNs: number, latencyNs: number): MarketLine => (
    { kind: 'snapshot', timeNs, adapterTimeNs: timeNs + latencyNs, rows: [[0, 100, 5], [1, 101, 5]] })

  test('have the bins of their sketch; between bins that do not touch lies an empty one', async () => {
    const [result] = await plannedRun({ files: [[lineAt(0, 0), lineAt(MS, 1024), lineAt(2 * MS, 1024), lineAt(3 * MS, 1300), lineAt(9 * MS, 0)]], plans: [[]], options: {} })
    const feed = result!.report().latencies.find(({ name }) => name.startsWith('feed of'))!
    expect(feed.quantiles).toMatchObject({ count: 5, negativeCount: 0, smallestNs: 0, largestNs: 1300 })
    expect(feed.histogram).toEqual({ edges: [0, 1.25, 1024, 1280, 1536], counts: [2, 0, 2, 1] })
  })

  test.each<readonly [name: string, durations: number[], histogram: ReportHistogram | null, points: (readonly [ns: number, share: number])[]]>([
    ['with a 0', [0, 1024, 1024, 1200], { edges: [0, 1.25, 1024, 1280], counts: [1, 0, 3] }, [[0, 0], [1.25, 0.25], [1024, 0.25], [1200, 1]]],
    ['without a 0', [1100, 1024], { edges: [1024, 1280], counts: [2] }, [[1024, 0], [1100, 1]]],
    ['with one below 0, which no bin holds', [-9, 0, 0, 1], { edges: [0, 1.25], counts: [3] }, [[0, 0.25], [1, 1]]],
    ['of which quantiles are known', [0, 1024, 1024, 1024], null, [[0, 0], [1024, 0.5], [1024, 0.9], [1024, 0.99], [1024, 0.999], [1024, 1]]],
  ])('%s are drawn as they are', (_name, durations, histogram, points) => {
    const latencies = [{ name: 'request', quantiles: sketchOf(durations).quantiles(), histogram }]
    const { text } = latencySection({ latencies } as unknown as RunReport)
    const latenciesMs = Float64Array.from(points, ([ns]) => ns / 1e6)
    for (const width of [900, 380])
      expect(text).toContain(pictures.latency([{ name: 'request', latenciesMs, shares: Float64Array.from(points, ([, share]) => share) }], { width }).svg)
    const cells = [...text.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, words]) => words)
    expect([cells[1], cells.at(-1)]).toEqual([durations.length, durations.filter((one) => one < 0).length].map(String))
  })

  test('are none where nothing was measured', () => {
    const latencies = [{ name: 'request', quantiles: sketchOf([]).quantiles(), histogram: null }]
    expect(latencySection({ latencies } as unknown as RunReport).text).toContain('No latency was measured.')
  })
})
