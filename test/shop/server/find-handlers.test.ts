import { beforeEach, describe, expect, test } from 'vitest'
import type { ShopRouteName } from '../../../src/protocol/shop/shop-routes.js'
import type { ShopHandlers } from '../../../src/shop/server/shop-reply.js'
import { FakeGoods } from '../../support/fake-goods.ts'
import { refusalOf } from '../../support/collected.ts'
import { type OpenedShop, openedShop, SHOP_NOW } from '../../support/opened-shop.ts'
import { shopJson, shopRefusal, shopReply } from '../../support/shop-answers.ts'

const DAYS = ['2024-07-30 10', '2024-08-01 20', '2024-08-05 30', '2024-08-06 40', '2024-08-09 50', '2024-08-10 60', '2024-08-11 70']

const SAMPLES = ['a_spot:BTC/USDT 2024-08-01', 'a_spot:SECRET 2024-08-01', 'a_spot:BTC/USDT 2024-08-10', 'a_spot:GONE 2024-08-01']
let shop: OpenedShop
let handlers: ShopHandlers
beforeEach(async () => {
  const goods = new FakeGoods().add(5, 'BTC/USDT', { days: DAYS }).add(6, 'SECRET', { days: DAYS }).add(7, 'NONE').add(8, 'LATER', { days: ['2024-08-10'] })
    .bundle(90, 'chain', { '2024-08-01': [5, 6], '2024-08-05': [6], '2024-08-06': [5], '2024-08-10': [5] }).bundle(91, 'hidden-chain', { '2024-08-01': [6] }).bundle(92, 'later', { '2024-08-10': [5] })
  shop = await openedShop({ hidden: ['a_spot:SECRET'], samples: SAMPLES }, goods)
  handlers = shop.service.handlers
})

describe('what is not there', () => {
  const OF_INSTRUMENT: readonly [ShopRouteName, object][] = [['coverage', {}], ['days', {}], ['calendar', { month: '2024-08' }], ['statistics', {}]]
  test.each(OF_INSTRUMENT.flatMap(([route, query]) => [4, 6, 90, 0, -1, Number.MAX_SAFE_INTEGER].map((id) => [route, id, query] as const)))('%s of %i', async (route, id, query) => {
    // A hidden instrument answers as an unknown one, to the byte.
    expect(await shopRefusal(handlers, route, { path: { id }, query: { ...query } })).toEqual({ kind: 'refusal', error: 'notFound' })
  })

  test('statistics of an instrument without days', async () => {
    expect(await shopRefusal(handlers, 'statistics', { path: { id: 7 } })).toEqual({ kind: 'refusal', error: 'notFound' })
  })

  test.each(['none', 'hidden-chain', 'later', '90', '__proto__', ''])('days of the bundle %j', async (key) => {
    expect(await shopRefusal(handlers, 'bundleDays', { path: { series_key: key } })).toEqual({ kind: 'refusal', error: 'notFound' })
  })

  test.each([[5, '2024-08-05'], [5, '2024-08-10'], [5, '2024-08-02'], [6, '2024-08-01'], [4, '2024-08-01'], [7, '2024-08-01'], [5, '2024-13-01'], [5, '../2024-08-01']])('a sample of %i of %s', async (id, date) => {
    expect(await shopRefusal(handlers, 'sample', { path: { id, date } })).toEqual({ kind: 'refusal', error: 'notFound' })
    expect(await shopRefusal(handlers, 'sample', { path: { id, date }, query: { format: 'trades.parquet' } })).toEqual({ kind: 'refusal', error: 'notFound' })
  })

  test.each<readonly [ShopRouteName, Record<string, string | number>, string]>([
    ['days', { limit: 0 }, 'limit'], ['days', { limit: 1001 }, 'limit'], ['days', { before: '2024-02-30' }, 'before'], ['days', { after: '2024-02-03' }, 'after'], ['calendar', {}, 'month'],
    ['calendar', { month: '2024-13' }, 'month'], ['search', { limit: 101 }, 'limit'], ['search', { limit: 0 }, 'limit'], ['search', { limit: 1.5 }, 'limit'], ['search', { q: '' }, 'q'], ['search', { q: 'x'.repeat(201) }, 'q'],
    ['search', { sort: 'x' }, 'sort'], ['sample', { format: 'x' }, 'format'], ['statistics', { format: 'json' }, 'format'], ['bundleDays', { limit: -1 }, 'limit'],
  ])('%s with %j is bad input', async (route, query, field) => {
    expect(await shopRefusal(handlers, route, { path: { id: 5, date: '2024-08-01', series_key: 'chain' }, query })).toMatchObject({ error: 'invalidInput', details: { field } })
  })

  test.each(['a', 'a_spot:B', 'a_spot:B 2024-02-30', 'a_spot:B 2024-08-02..2024-08-01', 'a_spot:B 2024-08-02..', 'B 2024-08-02', 'a_spot:B  ', 'a_spot:B 1900-01-01..2024-01-01'])('a sample %j of the settings', async (entry) => {
    expect(await refusalOf(() => openedShop({ samples: [entry] }))).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'samples' } })
  })
})

describe('days', () => {
  test('are sold before the UTC day of the clock', async () => {
    const coverage = { first_day: '2024-07-30', last_day: '2024-08-09', days_with_data: 5, coverage_pct: 45.45, total_bytes: 150, gaps: [
      { from: '2024-07-31', to: '2024-07-31', days: 1 }, { from: '2024-08-02', to: '2024-08-04', days: 3 }, { from: '2024-08-07', to: '2024-08-08', days: 2 },
    ] }
    expect(await shopJson(handlers, 'coverage', { path: { id: 5 } })).toEqual(coverage)
    const none = { first_day: null, last_day: null, days_with_data: 0, coverage_pct: 0, gaps: [], total_bytes: 0 }
    for (const id of [7, 8]) expect(await shopJson(handlers, 'coverage', { path: { id } })).toEqual(none)
    shop.time.ms = Date.parse('2024-08-10T23:59:59.999Z')
    expect(await shopJson(handlers, 'coverage', { path: { id: 5 } })).toEqual(coverage)
    shop.time.ms++
    expect(await shopJson(handlers, 'coverage', { path: { id: 5 } })).toMatchObject({ last_day: '2024-08-10', days_with_data: 6, total_bytes: 210 })
    shop.time.ms = SHOP_NOW
    expect(await shopJson(handlers, 'coverage', { path: { id: 5 } })).toEqual(coverage)
  })

  test.each<readonly [object, readonly string[], string | null]>([
    [{}, ['08-09', '08-06', '08-05', '08-01', '07-30'], null], [{ limit: 5 }, ['08-09', '08-06', '08-05', '08-01', '07-30'], null], [{ limit: 2 }, ['08-09', '08-06'], '2024-08-06'],
    [{ limit: 2, before: '2024-08-06' }, ['08-05', '08-01'], '2024-08-01'], [{ limit: 2, before: '2024-08-01' }, ['07-30'], null], [{ before: '2024-07-30' }, [], null], [{ before: '2030-01-01', limit: 1 }, ['08-09'], '2024-08-09'],
    [{ before: '2024-08-03' }, ['08-01', '07-30'], null],
  ])('pages of %j', async (query, days, cursor) => {
    const body = await shopJson(handlers, 'days', { path: { id: 5 }, query: { ...query } })
    expect(body).toEqual({ days: days.map((day) => ({ date: `2024-${day}`, size: Number(DAYS.find((one) => one.startsWith(`2024-${day}`))!.split(' ')[1]) })), next_cursor: cursor })
  })

  test('of a month, oldest first', async () => {
    const of = (month: string): Promise<object> => shopJson(handlers, 'calendar', { path: { id: 5 }, query: { month } })
    expect(await of('2024-07')).toEqual({ month: '2024-07', days: [{ date: '2024-07-30', size: 10 }] })
    expect((await of('2024-08') as { days: { date: string }[] }).days.map(({ date }) => date)).toEqual(['2024-08-01', '2024-08-05', '2024-08-06', '2024-08-09'])
    expect(await of('2023-08')).toEqual({ month: '2023-08', days: [] })
  })
})

test('bundles have the days of members that are shown', async () => {
  expect(await shopJson(handlers, 'bundles')).toEqual({ bundles: [{
    bundle_id: 90, series_key: 'chain', price_cents: 150, kind: 'option_chain',
    coverage: { first_day: '2024-08-01', last_day: '2024-08-06', days_with_data: 2, coverage_pct: 33.33, total_bytes: 60, gaps: [{ from: '2024-08-02', to: '2024-08-05', days: 4 }] },
  }] })
  expect(await shopJson(handlers, 'bundleDays', { path: { series_key: 'chain' }, query: { limit: 1 } })).toEqual({ days: [{ date: '2024-08-06', size: 40 }], next_cursor: '2024-08-06' })
})

test('samples are free days that are there', async () => {
  expect(await shopJson(handlers, 'samples')).toEqual({ samples: [{ href: '/api/download/sample/5/2024-08-01', instrument_id: 5, code: 'BTC/USDT', date: '2024-08-01', size: 20 }] })
  const path = { id: 5, date: '2024-08-01' }
  expect(await shopReply(handlers, 'sample', { path })).toMatchObject({ kind: 'bytes', media: 'application/zstd', fileName: 'a_spot-BTC_u002fUSDT-2024-08-01.txt.zst', segments: { sizeBytes: 20 } })
  const ask = (format: string): ReturnType<typeof shopReply> => shopReply(handlers, 'sample', { path, query: { format } })
  expect(await ask('bbo.csv.gz')).toEqual({ kind: 'json', status: 202, body: { state: 'pending', reason: 'converting' } })
  shop.goods.make(5, '2024-08-01', 'bbo.csv.gz')
  expect(await ask('bbo.csv.gz')).toMatchObject({ kind: 'bytes', media: 'application/octet-stream', fileName: 'a_spot-BTC_u002fUSDT-2024-08-01.bbo.csv.gz' })
  shop.goods.make(5, '2024-08-01', 'trades.csv.gz', 'empty')
  expect(await ask('trades.csv.gz')).toEqual({ kind: 'refusal', error: 'notFound' })
  shop.goods.gone.add('5 2024-08-01')
  expect(await shopRefusal(handlers, 'sample', { path })).toEqual({ kind: 'refusal', error: 'notFound' })
})

test('statistics are those before the clock', async () => {
  const reply = await shopReply(handlers, 'statistics', { path: { id: 5 }, query: { format: 'csv' } })
  expect(reply).toEqual({ kind: 'text', status: 200, media: 'text/csv', text: new TextEncoder().encode(`# 5 before ${SHOP_NOW}\ntime\n`) })
})
