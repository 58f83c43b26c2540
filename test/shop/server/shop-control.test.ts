import { expect, test } from 'vitest'
import { FakeGoods } from '../../support/fake-goods.ts'
import { bought, openedShop } from '../../support/opened-shop.ts'
import { shopJson, shopReply } from '../../support/shop-answers.ts'

const goods = (): FakeGoods => new FakeGoods().add(5, 'BTC', { days: ['2024-08-01', '2024-08-02', '2024-08-03'] }).add(6, 'ETH', { days: ['2024-08-01'] })

test.each<readonly [number | string, string | null]>([[4, null], ['a_spot:X', null], ['BTC', null], [5, '2024-08-04'], ['a_spot:BTC', '2024-13-01'], [5, ''], ['', null], [NaN, null]])('%j of %j is no day to make cold or ready', async (instrument, date) => {
  const { service: { control }, store } = await openedShop({}, goods())
  expect([await control.freeze(instrument, date), await control.thaw(instrument, date)]).toEqual([null, null])
  expect(store.days()).toEqual([])
  if (date === null) expect([await control.setHidden(instrument, true), await control.setHidden(instrument, false)]).toEqual([null, null])
})

test('days become cold and ready at once, one or all, also without the setting', async () => {
  const shop = await openedShop({}, goods())
  const { orderId, token } = await bought(shop, ['5 2024-08-01', '5 2024-08-02', '5 2024-08-03'])
  const states = (): Promise<unknown[]> => Promise.all(['01', '02', '03'].map(async (day) => {
    const query = { t: token, status: '1' }
    return (await shopJson(shop.service.handlers, 'download', { path: { order_id: orderId, instrument_id: 5, date: `2024-08-${day}` }, query }))['state']
  }))
  expect(await shop.service.control.thaw(5, null)).toBe(3)
  expect(shop.store.days()).toEqual([])
  expect(await shop.service.control.freeze('a_spot:BTC', '2024-08-02')).toBe(1)
  expect(await states()).toEqual(['ready', 'cold', 'ready'])
  await shop.reopen()
  expect(await states()).toEqual(['ready', 'cold', 'ready'])
  expect(await shop.service.control.freeze(5, null)).toBe(3)
  const query = { t: token, restore: '1' }
  await shopReply(shop.service.handlers, 'download', { path: { order_id: orderId, instrument_id: 5, date: '2024-08-01' }, query })
  expect(await states()).toEqual(['pending', 'cold', 'cold'])
  expect(await shop.service.control.thaw(5, '2024-08-01')).toBe(1)
  expect(await states()).toEqual(['ready', 'cold', 'cold'])
  expect(await shop.service.control.thaw(5, null)).toBe(3)
  expect(await states()).toEqual(['ready', 'ready', 'ready'])
})

test('instruments are hidden and shown, which outlives a restart and the settings', async () => {
  const shop = await openedShop({ hidden: [6] }, goods())
  const found = async (): Promise<unknown> => (await shopJson(shop.service.handlers, 'search'))['results']
  const ids = async (): Promise<number[]> => (await found() as { instrument_id: number }[]).map((one) => one.instrument_id)
  expect(await ids()).toEqual([5])
  expect(await shop.service.control.setHidden('a_spot:BTC', true)).toBe(5)
  expect(await shop.service.control.setHidden(6, false)).toBe(6)
  expect(await ids()).toEqual([6])
  await shop.reopen()
  expect(await ids()).toEqual([6])
  expect(await shop.service.control.setHidden(5, false)).toBe(5)
  expect(await shop.service.control.setHidden(5, false)).toBe(5)
  expect(await ids()).toEqual([5, 6])
})
