import { describe, expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import { ShopAsker } from '../../../src/shop/client/shop-asker-client.js'
import { ShopFinding } from '../../../src/shop/client/shop-finding-client.js'
import { refusalOf } from '../../support/collected.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { jsonAnswer, resetError, scriptedNetwork, type ScriptedAnswer } from '../../support/scripted-network.ts'

const HIT = { instrument_id: 7, code: 'BTCUSDT', type: 'perpetual', exchange: { code: 'a_swap', name: 'A' }, state: 'open', data: { days: 0, first_day: null, last_day: null, total_bytes: 0 } }
const BUNDLE = { bundle_id: 9, series_key: 'btc-options', price_cents: 100 }

function finding(answer: ScriptedAnswer) {
  const network = scriptedNetwork(answer)
  const asker = new ShopAsker({ url: 'https://shop.example/base', clock: new QuickClock(), random: new RandomNumbers(1, 'test', 0), network, answerMs: 20_000 })
  return { network, shop: new ShopFinding(asker), urls: () => network.seen.map(({ url }) => url.replace('https://shop.example/base', '')) }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** A body that breaks off, after so many letters. */
function cut(text: string, at: number): Response {
  const bytes = new TextEncoder().encode(text.slice(0, at))
  let isSent = false
  const body = new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(resetError())
      else controller.enqueue(bytes)
      isSent = true
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

describe('what a shop has', () => {
  test('a search sends its words and names fields as programs do', async () => {
    const { shop, urls } = finding(() => jsonAnswer({ query: { a_b: 1 }, filters: {}, total: 1, results: [{ ...HIT, new_field: { a_b: 2 } }], did_you_mean: { venue_codes: [] } }))
    const { results, query, didYouMean } = await shop.search({ q: 'btc perp', class: 'option', limit: 5 })
    expect(results).toEqual([{ instrumentId: 7, code: 'BTCUSDT', type: 'perpetual', exchange: { code: 'a_swap', name: 'A' }, state: 'open', newField: { a_b: 2 }, data: { days: 0, firstDay: null, lastDay: null, totalBytes: 0 } }])
    expect([query, didYouMean, urls()]).toEqual([{ a_b: 1 }, { venue_codes: [] }, ['/api/search?q=btc+perp&class=option&limit=5']])
  })

  test('coverage and calendar', async () => {
    const { shop, urls } = finding(({ url }) => jsonAnswer(url.includes('coverage')
      ? { first_day: '2024-01-01', last_day: '2024-01-03', days_with_data: 2, coverage_pct: 66.67, gaps: [{ from: '2024-01-02', to: '2024-01-02', days: 1 }], total_bytes: '12' } : { month: '2024-01', days: [{ date: '2024-01-01', size: 6 }] }))
    expect(await shop.coverage(7)).toEqual({ firstDay: '2024-01-01', lastDay: '2024-01-03', daysWithData: 2, coveragePct: 66.67, gaps: [{ from: '2024-01-02', to: '2024-01-02', days: 1 }], totalBytes: 12 })
    expect(await shop.calendar(7, '2024-01')).toEqual({ month: '2024-01', days: [{ date: '2024-01-01', size: 6 }] })
    expect(urls()).toEqual(['/api/instrument/7/coverage', '/api/instrument/7/calendar?month=2024-01'])
  })

  test('days follow the cursors, whatever these look like', async () => {
    const pages: Record<string, object> = {
      '?limit=2': { days: [{ date: '2024-01-05', size: 1 }, { date: '2024-01-04', size: 2 }], next_cursor: 'page 2' },
      '?limit=2&before=page+2': { days: [], next_cursor: '2024-01-04' }, '?limit=2&before=2024-01-04': { days: [{ date: '2024-01-01', size: 3 }], next_cursor: null },
    }
    const { shop, urls } = finding(({ url }) => jsonAnswer(pages[new URL(url).search]))
    expect((await all(shop.days(7, { limit: 2 }))).map(({ size }) => size)).toEqual([1, 2, 3])
    expect(await shop.bundleDaysPage('a/b', { limit: 2 })).toEqual({ days: [{ date: '2024-01-05', size: 1 }, { date: '2024-01-04', size: 2 }], nextCursor: 'page 2' })
    expect([urls().length, urls().at(-1)]).toEqual([4, '/api/bundle/a%2Fb/days?limit=2'])
  })

  test('whoever wants no more days asks for no more', async () => {
    const { shop, network } = finding(() => jsonAnswer({ days: [{ date: '2024-01-05', size: 1 }], next_cursor: '2024-01-05' }))
    for await (const { date } of shop.bundleDays('a')) if (date === '2024-01-05') break
    expect(network.seen.length).toBe(1)
  })

  test.each([
    ['a day again', { days: [{ date: '2024-01-05', size: 1 }], next_cursor: 'b' }], ['a rising day', { days: [{ date: '2024-01-04', size: 1 }, { date: '2024-01-05', size: 1 }] }], ['the same cursor', { days: [], next_cursor: 'a' }],
    ['no list', { next_cursor: null }], ['a day without date', { days: [{ size: 1 }] }], ['a cursor that is none', { days: [], next_cursor: {} }],
  ])('%s is refused', async (_, page) => {
    const { shop } = finding(() => jsonAnswer(page))
    expect((await refusalOf(() => all(shop.days(7)))).code).toBe('SHOP_ANSWER_INVALID')
  })

  test('lists come as an object or bare, of any length; what is cut off is resumed', async () => {
    const bundles = Array.from({ length: 3000 }, (_, at) => ({ ...BUNDLE, bundle_id: at, coverage: 'another form' }))
    const text = JSON.stringify({ bundles })
    const answers = [cut(text, 100_000), cut(text, 90_000), cut(text, 150_000), jsonAnswer(bundles)]
    const { shop, network } = finding(() => answers.shift()!)
    const found = await all(shop.bundles())
    expect([found.map(({ bundleId }) => bundleId), network.seen.length]).toEqual([bundles.map((one) => one.bundle_id), 4])
    expect(found[0]).toEqual({ bundleId: 0, seriesKey: 'btc-options', priceCents: 100 })
  })

  test('a list that is another one when it is resumed is refused', async () => {
    const bundles = Array.from({ length: 300 }, (_, at) => ({ ...BUNDLE, bundle_id: at }))
    const answers = [cut(JSON.stringify({ bundles }), 5000), jsonAnswer(bundles.slice(1))]
    expect((await refusalOf(() => all(finding(() => answers.shift()!).shop.bundles()))).code).toBe('SHOP_ANSWER_INVALID')
  })

  test.each<readonly [string, ScriptedAnswer, string]>([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'SHOP_ANSWER_INVALID'], ['half a text', () => new Response('{"samples":[{"href":"/a"}'), 'SHOP_ANSWER_INVALID'],
    ['an item of another form', () => jsonAnswer([{ href: 5 }]), 'SHOP_ANSWER_INVALID'], ['an item that is too large', () => jsonAnswer([{ href: 'x'.repeat(2 ** 21) }]), 'LIMIT_EXCEEDED'],
    ['404', () => jsonAnswer({ error: {} }, 404), 'SHOP_REFUSED'], ['resets', () => resetError(), 'SHOP_UNREACHABLE'],
  ])('%s in place of samples is refused', async (_, answer, code) => {
    expect((await refusalOf(() => all(finding(answer).shop.samples()))).code).toBe(code)
  })

  test('statistics are bytes as they come', async () => {
    const csv = '# a\nb,c\n1,2\n'
    const { shop, urls } = finding(() => new Response(csv, { headers: { 'content-type': 'text/csv' } }))
    expect([new TextDecoder().decode(await shop.statistics(7)), urls()]).toEqual([csv, ['/api/analyze/instrument-last-24h-minutes/7?format=csv']])
  })

  test.each<readonly [string, ScriptedAnswer, string]>([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'SHOP_ANSWER_INVALID'], ['JSON', () => jsonAnswer({}), 'SHOP_ANSWER_INVALID'],
    ['packed bytes', () => new Response('x', { headers: { 'content-encoding': 'br' } }), 'SHOP_ANSWER_INVALID'], ['fewer bytes', () => new Response('x', { headers: { 'content-length': '5' } }), 'SHOP_UNREACHABLE'],
  ])('%s in place of statistics is refused', async (_, answer, code) => {
    expect((await refusalOf(() => finding(answer).shop.statistics(7))).code).toBe(code)
  })

  test.each<readonly [string, (shop: ShopFinding) => Promise<unknown>]>([
    ['a limit of 101', (shop) => shop.search({ limit: 101 })], ['a limit of 0', (shop) => shop.search({ limit: 0 })], ['a word of 201 letters', (shop) => shop.search({ q: 'x'.repeat(201) })], ['an id with a fraction', (shop) => shop.coverage(1.5)],
    ['a month that is none', (shop) => shop.calendar(7, '2024-13')], ['a day that is none', (shop) => shop.daysPage(7, { before: '2024-02-30' })], ['1001 days', (shop) => shop.daysPage(7, { limit: 1001 })], ['a key with a space', (shop) => shop.bundleDaysPage('a b')],
  ])('%s is refused before anything is asked', async (_, work) => {
    const { shop, network } = finding(() => jsonAnswer({}))
    expect([(await refusalOf(() => work(shop))).code, network.seen.length]).toEqual(['OPTION_INVALID', 0])
  })
})
