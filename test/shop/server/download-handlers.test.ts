import { beforeEach, describe, expect, test } from 'vitest'
import { FakeGoods } from '../../support/fake-goods.ts'
import { type BoughtOrder, bought, type OpenedShop, openedShop, SHOP_NOW } from '../../support/opened-shop.ts'
import { shopJson, shopRefusal, shopReply } from '../../support/shop-answers.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
// At noon of 2024-08-10, 2024-07-10 ended over 30 days ago, 2024-07-11 did not.
const DAYS = ['2024-07-10 30', '2024-07-11 40', '2024-08-01 50', '2024-08-02 60']
const NO_ACCESS = { kind: 'refusal', error: 'noAccess' }
const NOT_FOUND = { kind: 'refusal', error: 'notFound' }

let shop: OpenedShop
let order: BoughtOrder
beforeEach(async () => {
  const goods = new FakeGoods().add(5, 'BTC/USDT', { days: DAYS }).add(6, 'ETH', { days: DAYS })
  shop = await openedShop({ cold: true, restoreTime: '12h' }, goods)
  order = await bought(shop, ['5 2024-07-10', '5 2024-07-11', '5 2024-08-01'])
})
type Query = Record<string, string>
const request = (id: number, date: string, query: Query = {}, { orderId, token }: BoughtOrder = order): { path: Record<string, string | number>, query: Query } => ({ path: { order_id: orderId, instrument_id: id, date }, query: { t: token, ...query } })
const ask = (id: number, date: string, query: Query = {}): Promise<unknown> => shopReply(shop.service.handlers, 'download', request(id, date, query))
const json = (status: number, body: object): object => ({ kind: 'json', status, body })

describe('a download that is refused', () => {
  const FORBIDDEN: readonly Query[] = [{}, { status: '1' }, { restore: '1' }, { format: 'trades.parquet' }, { format: 'trades.parquet', probe: '1' }]
  test.each(FORBIDDEN)('in the same words, whatever is wrong with order and token: %j', async (query) => {
    const other = await bought(shop, ['6 2024-08-01'])
    const wrong = [{ ...order, token: 'x' }, { ...order, token: other.token }, { ...order, orderId: 'ord_1' }, { ...other, token: order.token }, { ...order, token: `${order.token} ` }, other]
    for (const one of wrong) expect(await shopRefusal(shop.service.handlers, 'download', request(5, '2024-08-01', query, one))).toEqual(NO_ACCESS)
    for (const [id, date] of [[6, '2024-08-01'], [5, '2024-08-02'], [4, '2024-08-01'], [5, 'x']] as const) expect(await shopRefusal(shop.service.handlers, 'download', request(id, date, query))).toEqual(NO_ACCESS)
    // A header does not stand for the parameter.
    const bearer = { headers: { authorization: `Bearer ${order.token}` } }
    expect(await shopRefusal(shop.service.handlers, 'download', { ...request(5, '2024-08-01', query, { ...order, token: 'x' }), ...bearer })).toEqual(NO_ACCESS)
  })

  test.each<readonly [Query, string]>([
    [{ t: '' }, 't'], [{ probe: '1' }, 'probe'], [{ zip: '1' }, 'zip'], [{ manifest: '1' }, 'manifest'], [{ complete: '1' }, 'complete'], [{ kind: 'series_day' }, 'kind'], [{ kind: 'tick' }, 'kind'], [{ status: '0' }, 'status'],
    [{ status: '1', restore: '1' }, 'status and restore'], [{ format: 'x' }, 'format'], [{ kind: 'series_day', restore: '1' }, 'kind'], [{ more: '1' }, 'more'],
  ])('for its parameters %j', async (query, field) => {
    const refusal = await shopRefusal(shop.service.handlers, 'download', request(5, '2024-08-01', query))
    expect(refusal).toMatchObject({ error: 'invalidInput', details: { field } })
    expect(JSON.stringify(refusal)).not.toContain(order.token)
  })

  test('when the order was refunded or has expired', async () => {
    shop.service.purchases.refund(order.orderId)
    expect(await ask(5, '2024-08-01')).toEqual(NO_ACCESS)
    shop.service.purchases.expire(order.orderId)
    expect(await ask(5, '2024-08-01')).toEqual({ kind: 'refusal', error: 'orderExpired' })
    expect(await shopRefusal(shop.service.handlers, 'download', request(5, '2024-08-01', {}, { ...order, token: 'x' }))).toEqual(NO_ACCESS)
    const guest = await bought(shop, ['5 2024-08-01'])
    shop.time.ms += 30 * DAY_MS
    expect(await shopRefusal(shop.service.handlers, 'download', request(5, '2024-08-01', {}, guest))).toEqual({ kind: 'refusal', error: 'orderExpired' })
  })

  test('where the day is gone', async () => {
    shop.goods.gone.add('5 2024-08-01')
    expect(await ask(5, '2024-08-01')).toEqual(NOT_FOUND)
    shop.goods.add(5, 'BTC/USDT', { days: ['2024-07-11 40'] })
    for (const query of FORBIDDEN) expect(await ask(5, '2024-08-01', query)).toEqual(NOT_FOUND)
  })
})

describe('a day', () => {
  test('that is ready', async () => {
    expect(await ask(5, '2024-08-01')).toMatchObject({ kind: 'bytes', media: 'application/zstd', fileName: 'a_spot-BTC_u002fUSDT-2024-08-01.txt.zst', segments: { sizeBytes: 50 } })
    expect(await ask(5, '2024-08-01', { status: '1' })).toEqual(json(200, { state: 'ready' }))
    expect(await ask(5, '2024-08-01', { restore: '1' })).toEqual(json(200, { state: 'ready' }))
    expect(await ask(5, '2024-07-11', { status: '1' })).toEqual(json(200, { state: 'ready' }))
    expect(shop.store.days()).toEqual([])
  })

  test('that is hidden stays with whom has bought it', async () => {
    await shop.service.control.setHidden(5, true)
    expect(await shopRefusal(shop.service.handlers, 'coverage', { path: { id: 5 } })).toEqual(NOT_FOUND)
    expect(await ask(5, '2024-08-01')).toMatchObject({ kind: 'bytes' })
  })

  test('that is cold is restored in twelve hours, and stays ready', async () => {
    const state = async (): Promise<unknown> => (await shopJson(shop.service.handlers, 'download', request(5, '2024-07-10', { status: '1' })))['state']
    expect(await state()).toBe('cold')
    expect(await ask(5, '2024-07-10')).toEqual(json(202, { state: 'cold' }))
    expect(await ask(5, '2024-07-10', { format: 'trades.parquet' })).toEqual(json(202, { state: 'cold' }))
    expect(await ask(5, '2024-07-10', { format: 'trades.parquet', probe: '1' })).toEqual(json(200, { state: 'cold' }))
    expect(shop.store.days()).toEqual([])
    expect(await ask(5, '2024-07-10', { restore: '1' })).toEqual(json(202, { state: 'pending' }))
    shop.time.ms += 12 * HOUR_MS - 1
    await shop.reopen()
    // A second restore does not begin anew.
    expect(await ask(5, '2024-07-10', { restore: '1' })).toEqual(json(202, { state: 'pending' }))
    expect(await ask(5, '2024-07-10')).toEqual(json(202, { state: 'pending', reason: 'restoring' }))
    expect(await ask(5, '2024-07-10', { format: 'trades.parquet' })).toEqual(json(202, { state: 'pending', reason: 'restoring' }))
    expect(await ask(5, '2024-07-10', { format: 'trades.parquet', probe: '1' })).toEqual(json(200, { state: 'pending' }))
    expect(shop.goods.asked).toEqual([])
    shop.time.ms++
    expect(await ask(5, '2024-07-10', { restore: '1' })).toEqual(json(200, { state: 'ready' }))
    expect(await ask(5, '2024-07-10')).toMatchObject({ kind: 'bytes' })
    // It stays so when the clock steps back, and after a restart.
    shop.time.ms = SHOP_NOW
    await shop.reopen()
    expect(await state()).toBe('ready')
  })

  test('becomes cold at the end of its thirtieth day, and is never cold without the setting', async () => {
    const state = async (): Promise<unknown> => (await shopJson(shop.service.handlers, 'download', request(5, '2024-07-11', { status: '1' })))['state']
    shop.time.ms = Date.parse('2024-08-11T00:00:00Z') - 1
    expect(await state()).toBe('ready')
    shop.time.ms++
    expect(await state()).toBe('cold')
    await shop.reopen({})
    expect(await state()).toBe('ready')
  })
})

describe('an export', () => {
  const FORMAT = 'trades.csv.gz'
  const probe = (): Promise<unknown> => ask(5, '2024-08-01', { format: FORMAT, probe: '1' })
  const request2 = (): Promise<unknown> => ask(5, '2024-08-01', { format: FORMAT })

  test('is made on the first request, and served then', async () => {
    expect(await request2()).toEqual(json(202, { state: 'pending', reason: 'converting' }))
    expect(await probe()).toEqual(json(200, { state: 'pending' }))
    shop.goods.make(5, '2024-08-01', FORMAT)
    expect(await probe()).toEqual(json(200, { state: 'ready' }))
    expect(await request2()).toMatchObject({ kind: 'bytes', media: 'application/octet-stream', fileName: 'a_spot-BTC_u002fUSDT-2024-08-01.trades.csv.gz' })
    expect(shop.goods.asked).toEqual(['request', 'probe', 'probe', 'request'].map((how) => `5 2024-08-01 ${FORMAT} ${how}`))
  })

  test('is made by a probe too; without rows it is empty; one that failed is tried anew by a request alone', async () => {
    expect(await probe()).toEqual(json(200, { state: 'pending' }))
    shop.goods.make(5, '2024-08-01', FORMAT, 'failed')
    expect([await probe(), await probe()]).toEqual([json(200, { state: 'failed' }), json(200, { state: 'failed' })])
    expect(await request2()).toEqual(json(202, { state: 'pending', reason: 'converting' }))
    shop.goods.make(5, '2024-08-01', FORMAT, 'empty')
    expect(await probe()).toEqual(json(200, { state: 'empty' }))
    expect(await request2()).toEqual(NOT_FOUND)
  })
})
