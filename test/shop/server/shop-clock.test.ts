import { expect, test } from 'vitest'
import { shopClock } from '../../../src/shop/server/shop-clock-client.js'
import { refusalOf } from '../../support/collected.ts'

test.each(['', 'now', '2024-08-10', '12:00', '2024-08-10T12:00:00', '2024-08-10T12:00:00+02:00', '2024-08-10T25:00:00Z', '2024-02-30T12:00:00Z', '1723291200000', '2024-08-10 12:00Z'])('%j is no time to begin at', async (now) => {
  expect(await refusalOf(() => shopClock(now))).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'now' } })
})

test.each(['2024-08-10T12:00:00Z', '2024-08-10T12:00Z', '2024-08-10T12:00:00.000Z'])('%s runs on from there', async (now) => {
  const clock = shopClock(now)
  const first = clock.nowMs() - Date.parse('2024-08-10T12:00:00Z')
  await new Promise((done) => setTimeout(done, 30))
  const passed = clock.nowMs() - Date.parse('2024-08-10T12:00:00Z')
  expect([first >= 0, passed - first >= 29, passed < 60_000]).toEqual([true, true, true])
})

test('without a time it is the wall\'s', () => {
  expect(Math.abs(shopClock().nowMs() - Date.now())).toBeLessThan(1000)
})
