import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ShopSettings } from '../../../src/shop/server/shop-settings.js'
import { FakeGoods } from '../../support/fake-goods.ts'
import { openedShop } from '../../support/opened-shop.ts'
import { shopJson, shopRefusal } from '../../support/shop-answers.ts'

function market(): FakeGoods {
  const perp = { type: 'perpetual', exchangeCode: 'binance_swap', exchangeName: 'Binance' }
  const spot = { exchangeCode: 'binance_spot', exchangeName: 'Binance' }
  const deribit = { exchangeCode: 'deribit', exchangeName: 'Deribit' }
  return new FakeGoods()
    .add(1, 'BTCUSDT', { ...perp, base: 'BTC', counter: 'USDT', days: ['2024-08-01 10', '2024-08-02 20', '2024-08-10 30'] }).add(2, 'ETHUSDT', { ...perp, base: 'ETH', counter: 'USDT' })
    .add(3, 'BTC/USDT', { ...spot, base: 'BTC', counter: 'USDT' }).add(4, 'ETH/BTC', { ...spot, base: 'ETH', counter: 'BTC' }).add(5, '1000PEPEUSDT', { ...perp, base: '1000PEPE', counter: 'USDT' })
    .add(6, 'BTC-27SEP24-60000-C', { ...deribit, type: 'call', base: 'BTC', counter: 'USD' }).add(7, 'BTC-27SEP24-60000-P', { ...deribit, type: 'put', base: 'BTC', counter: 'USD' })
    .add(8, 'BTC-27SEP24', { ...deribit, type: 'future', base: 'BTC', counter: 'USD' }).add(9, 'SPOT', { ...spot, base: 'SPOT', counter: 'USDT', exchangeCode: 'okx_spot', exchangeName: 'OKX' })
    .add(60000, 'ZRX', { ...spot, base: 'ZRX' }).add(11, 'odd', { type: 'something' }).add(12, 'Will it rain?', { type: 'prediction', exchangeCode: 'poly', exchangeName: 'Poly' })
}
const searching = async (goods: FakeGoods, settings: ShopSettings = {}): Promise<(query: Record<string, string | number>) => Promise<Record<string, unknown>>> => {
  const { service: { handlers } } = await openedShop(settings, goods)
  return (query) => shopJson(handlers, 'search', { query })
}
let search: Awaited<ReturnType<typeof searching>>
beforeEach(async () => { search = await searching(market()) })
const idsOf = (body: object): number[] => (body as { results: { instrument_id: number }[] }).results.map((one) => one.instrument_id)

test.each(['x', 'spots', 'perpetuals', '__proto__', 'constructor', ' spot'])('the class %j is refused with the classes that there are', async (name) => {
  const { service: { handlers } } = await openedShop({}, market())
  expect(await shopRefusal(handlers, 'search', { query: { class: name } })).toEqual({
    kind: 'refusal', error: 'unknownClass', details: { allowed: ['spot', 'perpetual', 'future', 'call', 'put', 'prediction', 'perp', 'swap', 'futures', 'option'] },
  })
})

describe('nothing is found', () => {
  test.each<readonly [Record<string, string>, readonly string[], readonly string[]]>([
    [{ q: 'doge' }, [], ['doge']], [{ q: 'btc doge' }, [], ['doge']], [{ q: 'tc' }, [], ['tc']], [{ q: 'btc', venue: 'binanse' }, ['binance_spot', 'binance_swap'], ['binanse']],
    [{ q: 'eth deribit' }, [], ['eth', 'deribit']], [{ q: 'btc', class: 'prediction' }, [], ['btc', 'prediction']], [{ q: 'eth', base: 'btc' }, [], ['eth', 'btc']],
    [{ q: 'call eth' }, [], ['eth', 'call']], [{ q: 'spot perp', class: 'put' }, [], ['put']], [{ venue: 'bin' }, ['binance_spot', 'binance_swap'], ['bin']], [{ q: 'doge', venue: 'x' }, [], []],
    [{ base: 'US' }, [], ['US']], [{ q: '6000000' }, [], ['6000000']], [{ q: '???' }, [], ['???']],
  ])('by %j', async (query, venues, drop) => {
    expect(await search(query)).toMatchObject({ query, total: 0, results: [], did_you_mean: { venues, drop } })
  })

  test('where no instrument is', async () => {
    expect(await (await searching(new FakeGoods()))({})).toEqual({ query: {}, filters: {}, total: 0, results: [], did_you_mean: { venues: [], drop: [] } })
  })

  test('of what is hidden, also of its venue', async () => {
    const found = await searching(market(), { hidden: ['poly:Will it rain?', 60000] })
    for (const q of ['rain', 'poly', 'zrx']) expect(await found({ q })).toMatchObject({ total: 0, did_you_mean: { venues: [] } })
    expect(await found({ q: 'poly' })).not.toHaveProperty('interpretation')
    expect(await found({ q: '60000' })).toMatchObject({ total: 2 })
  })
})

const FOUND: readonly (readonly [query: Record<string, string | number>, ids: readonly number[], interpretation?: object])[] = [
  [{ q: 'BTCUSDT' }, [1, 3]], [{ q: 'btc/usdt' }, [1, 3]], [{ q: 'btc-usdt' }, [1, 3]], [{ q: 'btc usdt' }, [1, 3]], [{ q: 'usdt btc' }, [1, 3]],
  [{ q: 'btc' }, [1, 3, 8, 6, 7, 4]], [{ q: 'btc', limit: 2 }, [1, 3]], [{ q: 'eth' }, [4, 2]], [{ q: 'pepe' }, [5]], [{ q: '1000pepe' }, [5]], [{ q: '27sep24' }, [8, 6, 7]], [{ q: 'sep24' }, [8, 6, 7]], [{ q: '24 btc' }, [8, 6, 7]],
  [{ q: '60000' }, [60000, 6, 7]], [{ q: '5' }, [5]], [{ q: 'SPOT' }, [9]], [{ q: 'okx spot' }, [9], { venue: 'okx', class: ['spot'], rest: '' }],
  [{ q: 'btc perp' }, [1], { class: ['perpetual'], rest: 'btc' }], [{ q: 'BTC Swap' }, [1], { class: ['perpetual'], rest: 'BTC' }], [{ q: 'btc option' }, [6, 7], { class: ['call', 'put'], rest: 'btc' }],
  [{ q: 'btc futures' }, [8], { class: ['future'], rest: 'btc' }], [{ q: 'binance btc spot' }, [3, 4], { venue: 'binance', class: ['spot'], rest: 'btc' }], [{ q: 'binance_swap' }, [1, 2, 5], { venue: 'binance_swap', rest: '' }],
  [{ q: 'btc put call' }, [6, 7], { class: ['put', 'call'], rest: 'btc' }], [{ q: 'option', class: 'put' }, [7], { class: ['call', 'put'], rest: '' }],
  [{ class: 'option' }, [6, 7]], [{ class: 'PERP' }, [1, 2, 5]], [{ venue: 'Binance', class: 'perp', base: 'eth' }, [2]], [{ venue: 'deribit' }, [8, 6, 7]], [{ venue: 'OKX' }, [9]], [{ base: 'btc' }, [1, 3, 8, 6, 7]],
  [{ q: 'rain' }, [12]], [{ q: 'will rain' }, [12]], [{ q: 'odd' }, [11]], [{ class: 'prediction' }, [12]], [{ q: 'perpetual' }, [1, 2, 5], { class: ['perpetual'], rest: '' }],
]
test.each(FOUND.map(([query, ids, interpretation]) => ({ query, ids, interpretation })))('$query finds $ids', async ({ query, ids, interpretation }) => {
  const body = await search(query)
  expect(idsOf(body)).toEqual(ids)
  expect(body['query']).toEqual(query)
  expect(body['interpretation']).toEqual(interpretation)
  expect(body).not.toHaveProperty('did_you_mean')
})

test('without words everything is found, short codes first; all are counted', async () => {
  const body = await search({})
  expect(body).toMatchObject({ query: {}, filters: {}, total: 12 })
  expect(idsOf(body)).toEqual([60000, 11, 9, 1, 4, 2, 3, 8, 5, 12, 6, 7])
  expect(await search({ limit: 1 })).toMatchObject({ total: 12, results: [{ instrument_id: 60000 }] })
})

test('filters and hits are in the answer', async () => {
  const body = await search({ q: 'btcusdt perp binance', base: 'BTC' })
  expect(body).toEqual({
    query: { q: 'btcusdt perp binance', base: 'BTC' }, filters: { venue: 'binance', class: ['perpetual'], base: 'BTC' }, total: 1, interpretation: { venue: 'binance', class: ['perpetual'], rest: 'btcusdt' },
    results: [{
      instrument_id: 1, code: 'BTCUSDT', type: 'perpetual', exchange: { code: 'binance_swap', name: 'Binance' }, state: 'open', data: { days: 2, first_day: '2024-08-01', last_day: '2024-08-02', total_bytes: 30 },
    }],
  })
})

test('what is added is found, and what goes is not', async () => {
  const goods = market()
  const found = await searching(goods)
  expect(await found({ q: 'doge' })).toMatchObject({ total: 0 })
  goods.add(20, 'DOGEUSDT', { days: ['2024-08-01'] })
  expect(await found({ q: 'doge' })).toMatchObject({ total: 1, results: [{ data: { days: 1 } }] })
  goods.add(20, 'DOGEUSDT', { days: ['2024-08-01', '2024-08-02'] })
  expect(await found({ q: 'doge' })).toMatchObject({ total: 1, results: [{ data: { days: 2 } }] })
  goods.instruments.delete(1)
  goods.add(21, 'DOGEBTC')
  expect(idsOf(await found({ q: 'doge' }))).toEqual([21, 20])
  expect(await found({ q: 'btcusdt' })).toMatchObject({ total: 1 })
})

test('any words find what a plain look at every instrument finds', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '-', '/'), minLength: 1, maxLength: 5 })
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(letters, fc.option(letters), fc.option(letters)), { minLength: 1, maxLength: 30 }), fc.array(letters, { minLength: 1, maxLength: 3 }), async (all, words) => {
    const goods = new FakeGoods()
    for (const [at, [code, base, counter]] of all.entries()) goods.add(at + 5_000_000, code, { base, counter, exchangeCode: 'venue', exchangeName: 'Venue' })
    const plain = (text: string): string => text.replace(/[^a-z0-9]/g, '') || text
    const wanted = all.flatMap(([code, base, counter], at) => {
      const parts = code.split(/[-/]/).flatMap((part) => [...part.matchAll(/\d+|[a-z]+/g)].map(({ index }) => part.slice(index)))
      const terms = [plain(code), ...base === null ? [] : [plain(base)], ...counter === null ? [] : [plain(counter)], ...base === null || counter === null ? [] : [plain(base + counter)], ...parts]
      return words.every((word) => terms.some((term) => term.startsWith(plain(word)))) ? [at + 5_000_000] : []
    })
    const body = await (await searching(goods))({ q: words.join(' '), limit: 100 })
    expect(idsOf(body).sort((a, b) => a - b)).toEqual(wanted)
    expect(body['total']).toBe(wanted.length)
  }), { numRuns: 300 })
})
