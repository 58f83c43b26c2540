import { expect, test } from 'vitest'
import type { Underlying } from '../../src/model/instrument.js'
import { rateOfData, type UsdRate } from '../../src/model/usd-rate.js'

const COIN: Underlying = { id: 1, code: 'BTC', name: null, type: 'coin', fxRate: '61000', fxTime: '2024-08-08T00:00:00Z' }

test.each<[what: string, underlying: Underlying, rate: UsdRate | null]>([
  ['its time', COIN, { usd: '61000', declaredBy: 'data', sampledAt: '2024-08-08T00:00:00Z' }],
  ['no time', { ...COIN, fxTime: null }, { usd: '61000', declaredBy: 'data' }],
  ['nothing', { ...COIN, fxRate: null }, null],
])('a rate of the data with %s', (_what, underlying, rate) => {
  expect(rateOfData(underlying)).toEqual(rate)
})
