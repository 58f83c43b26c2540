import { expect, test } from 'vitest'
import { shortCurve } from '../../src/report/equity-curve.js'

test('a shorter curve has fewer samples, the last among them, and rounds none', () => {
  const equity = Array.from({ length: 100 }, (_, at) => 100_000 + at / 7)
  const curve = { underlying: 'USDT', bucketMs: 10, epochMs: equity.map((_, at) => at * 10), equity }
  const { bucketMs, epochMs, equity: kept } = shortCurve(curve, 30)
  expect([bucketMs, kept.length <= 30, epochMs.at(-1)]).toEqual([40, true, 990])
  expect(kept).toEqual(epochMs.map((ms) => equity[ms / 10]))
})
