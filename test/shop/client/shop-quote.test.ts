import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import { basketsOf, itemKey, type ShopItem } from '../../../src/shop/client/shop-baskets.js'
import { ShopAsker } from '../../../src/shop/client/shop-asker-client.js'
import { askQuote } from '../../../src/shop/client/shop-quoting-client.js'
import { refusalOf } from '../../support/collected.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { jsonAnswer, scriptedNetwork, type ScriptedAnswer } from '../../support/scripted-network.ts'

const DAY = { instrumentId: 7, date: '2024-08-08' }
const WIRE_DAY = { instrument_id: 7, date: '2024-08-08', kind: 'tick' }

/** The answer of a shop that has every day for a euro, with changes. */
function quoted(body: string | null, changes: object = {}): Response {
  const { items } = JSON.parse(body!) as { items: { instrument_id: number, date: string, kind?: string }[] }
  return jsonAnswer({
    items_requested: items.length, items_available: items.length, total_cents: items.length * 100, total_eur: `${items.length}.00`, currency: 'EUR', price_eur_per_day: '1.00',
    available: items.map((item) => ({ kind: 'tick', ...item })), missing: [], vat_note: 'with tax', terms_url: 'https://shop.example/terms',
    checkout: { method: 'POST', url: '/v1/checkout/session', headers: {}, then: ['pay'] }, ...changes,
  })
}

function asking(answer: ScriptedAnswer) {
  const network = scriptedNetwork(answer)
  return { network, asker: new ShopAsker({ url: 'https://shop.example', clock: new QuickClock(), random: new RandomNumbers(1, 'test', 0), network, answerMs: 20_000 }) }
}

/** So many days of so many instruments. */
function days(instruments: number, count: number): ShopItem[] {
  return Array.from({ length: instruments * count }, (_, at) => ({
    instrumentId: at % instruments, date: new Date(Date.UTC(2024, 0, 1 + Math.floor(at / instruments))).toISOString().slice(0, 10),
  }))
}

describe('baskets', () => {
  test.each([
    [days(1, 1), [1]], [days(1, 365), [365]], [days(1, 366), [365, 1]], [days(20, 1), [20]], [days(21, 1), [20, 1]], [days(20, 18), [360]], [days(20, 19), [365, 15]],
    [days(41, 2), [40, 40, 2]], [[DAY, DAY, { ...DAY, kind: 'tick' }, { ...DAY, kind: 'series_day' }], [2]],
  ])('have what a shop takes (%#)', (items, sizes) => {
    expect(basketsOf(items).map((basket) => basket.length)).toEqual(sizes)
  })

  test('hold every item once, at most 365 of 20 instruments', () => {
    const item = fc.record({ instrumentId: fc.nat(60), date: fc.constantFrom(...days(1, 90).map(({ date }) => date)), kind: fc.constantFrom('tick', 'series_day') })
    fc.assert(fc.property(fc.array(item, { minLength: 1, maxLength: 2000 }), (items) => {
      const baskets = basketsOf(items)
      expect(baskets.flat().map(itemKey).sort()).toEqual([...new Set(items.map(itemKey))].sort())
      for (const basket of baskets) expect([basket.length <= 365, new Set(basket.map(({ instrumentId, kind }) => `${kind!}${instrumentId}`)).size <= 20]).toEqual([true, true])
    }))
  })
})

describe('a quote', () => {
  test('says what days cost, what is missing, and shows itself', async () => {
    const gone = { ...WIRE_DAY, date: '2024-08-09', reason: 'no_data' }
    const { asker, network } = asking(({ body }) => quoted(body, { available: [WIRE_DAY], missing: [gone], total_cents: 100, total_eur: 1, new_field: 5 }))
    const quote = await askQuote(asker, [DAY, { ...DAY, date: '2024-08-09' }])
    expect([quote.totalEur.toString(), quote.totalEur.toFixed(2), quote.totalCents, quote.items, quote.missing]).toEqual(['1.00', '1.00', 100, [{ ...DAY, kind: 'tick' }], [{ ...DAY, date: '2024-08-09', kind: 'tick', reason: 'no_data' }]])
    expect([quote.baskets, inspect(quote).includes('totalCents: 100'), JSON.stringify(quote).includes('"totalEur":"1.00"')]).toEqual([[quote], true, true])
    expect(JSON.parse(network.seen[0]!.body!)).toEqual({ items: [{ instrument_id: 7, date: '2024-08-08' }, { instrument_id: 7, date: '2024-08-09' }] })
  })

  test('of more than one basket is their sum', async () => {
    const { asker, network } = asking(({ body }) => quoted(body))
    const quote = await askQuote(asker, days(21, 18))
    expect([quote.totalEur.toString(), quote.totalCents, quote.items.length, quote.itemsRequested]).toEqual(['378.00', 37_800, 378, 378])
    expect([quote.baskets.map(({ items }) => items.length), network.seen.length]).toEqual([[360, 18], 2])
    expect(JSON.parse(JSON.stringify(quote))).toHaveProperty('baskets.1.totalCents', 1800)
  })

  test.each([[[7], [18]], [[], []]])('counts as payments only baskets with days that exist: of the last %s', async (left, sizes) => {
    const none = { available: [], missing: [], total_cents: 0, total_eur: '0.00' }
    const { asker } = asking(({ body }) => quoted(body, (JSON.parse(body!) as { items: object[] }).items.length === 18 && left.length > 0 ? {} : none))
    const quote = await askQuote(asker, days(21, 18))
    expect([quote.baskets.map(({ items }) => items.length), quote.itemsRequested]).toEqual([sizes, 378])
  })

  test.each<readonly [string, readonly ShopItem[], RegExp]>([
    ['no item', [], /items must be at least one/], ['no day', [{ ...DAY, date: '2024-02-30' }], /items\[0\]\.date.*a day that exists/], ['a day in words', [{ ...DAY, date: 'today' }], /a day that exists/],
    ['an id with a fraction', [{ ...DAY, instrumentId: 1.5 }], /an integer/], ['a negative id', [{ ...DAY, instrumentId: -1 }], /an integer/], ['a kind that is none', [{ ...DAY, kind: 'cold' }], /kind must be "tick" or "series_day"/],
  ])('of %s is refused before anything is asked', async (_, items, words) => {
    const { asker, network } = asking(({ body }) => quoted(body))
    const { code, message } = await refusalOf(() => askQuote(asker, items))
    expect([code, network.seen.length]).toEqual(['OPTION_INVALID', 0])
    expect(message).toMatch(words)
  })

  test.each<readonly [string, object]>([
    ['days that were not asked for', { available: [{ ...WIRE_DAY, instrument_id: 8 }] }], ['another kind', { available: [{ ...WIRE_DAY, kind: 'series_day' }] }], ['a day twice', { available: [WIRE_DAY, WIRE_DAY] }],
    ['two prices', { total_eur: '1.01' }], ['a price that is none', { total_eur: 'free' }], ['a negative price', { total_cents: -100, total_eur: '-1.00' }], ['no list', { available: null }],
  ])('with %s is refused', async (_, changes) => {
    expect((await refusalOf(() => askQuote(asking(({ body }) => quoted(body, changes)).asker, [DAY]))).code).toBe('SHOP_ANSWER_INVALID')
  })
})
