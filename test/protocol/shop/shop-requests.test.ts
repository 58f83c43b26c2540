import { describe, expect, test } from 'vitest'
import {
  buyLinkDays, checkoutFault, downloadFault, filledReturnUrl, isRequest, quoteFault, rangeFault, requestFault,
  callPath, returnUrlFault,
} from '../../../src/protocol/shop/shop-requests.js'

const ITEM = { instrument_id: 67824, date: '2024-08-08' }
const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10)
const days = (count: number) => Array.from({ length: count }, (_, at) => ({ ...ITEM, date: day(at) }))
const instruments = (count: number) => Array.from({ length: count }, (_, at) => ({ ...ITEM, instrument_id: at }))

describe('a quote', () => {
  test.each([
    ['one item', [ITEM]], ['365 items', days(365)], ['20 instruments', instruments(20)],
    ['a leap day', [{ ...ITEM, date: '2024-02-29' }]], ['a bundle day', [{ ...ITEM, kind: 'series_day' }]],
    ['a day as tick and as bundle day', [ITEM, { ...ITEM, kind: 'series_day' }]],
  ])('%s is taken', (_what, items) => expect(quoteFault({ items })).toBeNull())

  test.each<readonly [what: string, body: unknown, path: string]>([
    ['no body', undefined, ''], ['null', null, ''], ['a list', [ITEM], ''], ['a text', 'items', ''],
    ['no items', {}, 'items'], ['items of the prototype', Object.create({ items: [ITEM] }), 'items'],
    ['0 items', { items: [] }, 'items'], ['366 items', { items: days(366) }, 'items'],
    ['21 instruments', { items: instruments(21) }, 'items'],
    ['20 instruments and a bundle', { items: [...instruments(20), { ...ITEM, kind: 'series_day' }] }, 'items'],
    ['21 with the same id of two kinds', { items: [...instruments(20), { ...ITEM, instrument_id: 0, kind: 'series_day' }] }, 'items'],
    ['items in an object', { items: { 0: ITEM, length: 1 } }, 'items'],
    ['another field of the body', { items: [ITEM], coupon: 'x' }, 'coupon'],
    ['another field of an item', { items: [ITEM, { ...ITEM, price_cents: 1 }] }, 'items[1].price_cents'],
    ['a field __proto__', JSON.parse('{"items":[{"instrument_id":1,"date":"2024-08-08","__proto__":{}}]}'), 'items[0].__proto__'],
    ['an item twice', { items: [ITEM, { ...ITEM, kind: 'tick' }] }, 'items[1]'],
    ['a null item', { items: [null] }, 'items[0]'],
    ['a day that does not exist', { items: [{ ...ITEM, date: '2023-02-29' }] }, 'items[0].date'],
    ['the 31st of April', { items: [{ ...ITEM, date: '2024-04-31' }] }, 'items[0].date'],
    ['the month 13', { items: [{ ...ITEM, date: '2024-13-01' }] }, 'items[0].date'],
    ['the day 0', { items: [{ ...ITEM, date: '2024-01-00' }] }, 'items[0].date'],
    ['a date with a time', { items: [{ ...ITEM, date: '2024-08-08T00:00:00Z' }] }, 'items[0].date'],
    ['a date with a line end', { items: [{ ...ITEM, date: '2024-08-08\n' }] }, 'items[0].date'],
    ['a date without zeros', { items: [{ ...ITEM, date: '2024-8-8' }] }, 'items[0].date'],
    ['a date of other digits', { items: [{ ...ITEM, date: '２０２４-08-08' }] }, 'items[0].date'],
    ['a date that is a number', { items: [{ ...ITEM, date: 20240808 }] }, 'items[0].date'],
    ['an id that is a text', { items: [{ ...ITEM, instrument_id: '67824' }] }, 'items[0].instrument_id'],
    ['a negative id', { items: [{ ...ITEM, instrument_id: -1 }] }, 'items[0].instrument_id'],
    ['a fraction', { items: [{ ...ITEM, instrument_id: 1.5 }] }, 'items[0].instrument_id'],
    ['an id beyond 2^53', { items: [{ ...ITEM, instrument_id: 2 ** 53 }] }, 'items[0].instrument_id'],
    ['another kind', { items: [{ ...ITEM, kind: 'TICK' }] }, 'items[0].kind'],
    ['a null kind', { items: [{ ...ITEM, kind: null }] }, 'items[0].kind'],
  ])('%s is refused', (_what, body, path) => expect(quoteFault(body)?.path).toBe(path))
})

const ORIGIN = 'https://shop.example'
const KEY = '123e4567-e89b-42d3-a456-426614174000'
const CHECKOUT = {
  email: 'me@example.org', items: [ITEM], success_url: `${ORIGIN}/done?s={CHECKOUT_SESSION_ID}`, cancel_url: `${ORIGIN}/`,
}

describe('a checkout', () => {
  test('is taken', () => expect(checkoutFault(CHECKOUT, KEY, ORIGIN)).toBeNull())

  test.each<readonly [what: string, body: unknown, key: string | undefined, path: string]>([
    ['no key', CHECKOUT, undefined, 'Idempotency-Key'], ['an empty key', CHECKOUT, '', 'Idempotency-Key'],
    ['a key that is no UUID', CHECKOUT, 'basket-1', 'Idempotency-Key'],
    ['two keys', CHECKOUT, `${KEY}, ${KEY}`, 'Idempotency-Key'],
    ['a UUID with a line end', CHECKOUT, `${KEY}\n`, 'Idempotency-Key'],
    ['no address', { ...CHECKOUT, email: undefined }, KEY, 'email'],
    ['an address without @', { ...CHECKOUT, email: 'me' }, KEY, 'email'],
    ['an address with a header', { ...CHECKOUT, email: 'me@example.org\r\nBcc:x@y' }, KEY, 'email'],
    ['two addresses', { ...CHECKOUT, email: 'a@b@c' }, KEY, 'email'],
    ['a long address', { ...CHECKOUT, email: `me@${'a'.repeat(252)}` }, KEY, 'email'],
    ['no item', { ...CHECKOUT, items: [] }, KEY, 'items'],
    ['an item twice', { ...CHECKOUT, items: [ITEM, ITEM] }, KEY, 'items[1]'],
    ['21 instruments', { ...CHECKOUT, items: instruments(21) }, KEY, 'items'],
    ['another field', { ...CHECKOUT, price: 0 }, KEY, 'price'],
    ['a foreign success', { ...CHECKOUT, success_url: 'https://evil.example/' }, KEY, 'success_url'],
    ['a foreign cancel', { ...CHECKOUT, cancel_url: 'https://evil.example/' }, KEY, 'cancel_url'],
    ['a long URL', { ...CHECKOUT, cancel_url: `${ORIGIN}/${'a'.repeat(2000)}` }, KEY, 'cancel_url'],
  ])('%s is refused', (_what, body, key, path) => expect(checkoutFault(body, key, ORIGIN)?.path).toBe(path))
})

describe('a return URL', () => {
  test.each([
    ORIGIN, `${ORIGIN}/`, `${ORIGIN}:443/a?b#c`, 'HTTPS://SHOP.EXAMPLE/A', `${ORIGIN}/{CHECKOUT_SESSION_ID}`,
    `${ORIGIN}/?to=https://evil.example/`, `${ORIGIN}/a@b`,
  ])('%s is taken', (url) => expect(returnUrlFault('success_url', url, ORIGIN)).toBeNull())

  test.each([
    '', '/', '/done', '//shop.example/', 'shop.example/', 'https:', 'https://', 'https:/shop.example/',
    'https:shop.example/', 'https:///shop.example/', 'http://shop.example/', 'http://shop.example:443/',
    'https://shop.example:80/', 'https://shop.example:8443/', 'https://evil.example/', 'HTTPS://EVIL.EXAMPLE/',
    'https://shop.example.evil.example/', 'https://evilshop.example/', 'https://www.shop.example/', 'https://shop.example./',
    'https://shop.example@evil.example/', 'https://evil.example@shop.example/', 'https://me:secret@shop.example/',
    'https://@shop.example/', 'https://:@shop.example/', 'https://evil.example\\@shop.example/',
    'https:\\\\shop.example\\', 'https://shop.example\\.evil.example/', 'https://shop.example/\\evil',
    'https://evil.example/\\shop.example', 'https://evil.example#@shop.example/', 'https://evil.example?@shop.example/',
    'javascript:alert(1)', 'JavaScript://shop.example/%0Aalert(1)', 'java\nscript:alert(1)', ' https://shop.example/',
    'https://shop.example/\n', 'https://shop.exa\tmple/', 'data:text/html,https://shop.example/', 'file:///shop.example/',
    'blob:https://shop.example/1', 'ftp://shop.example/', 'https://shop.example:99999/', 'https://ѕhop.example/',
    'https://{CHECKOUT_SESSION_ID}.shop.example/', 'https://shop%2Eexample.evil/', 'https://shop.example\u200b/',
  ])('%j is refused', (url) => expect(returnUrlFault('success_url', url, ORIGIN)?.path).toBe('success_url'))

  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8081/'], ['http://127.0.0.1:8080', 'http://127.0.0.1/'],
    ['http://127.0.0.1:8080', 'http://localhost:8080/'], ['http://[::1]:8080', 'http://127.0.0.1:8080/'],
  ])('of %s is not %s', (origin, url) => expect(returnUrlFault('cancel_url', url, origin)).not.toBeNull())

  test.each(['http://127.1:8080/', 'http://2130706433:8080/', 'http://0x7f.1:8080/'])('%s is the same address', (url) => {
    expect(returnUrlFault('cancel_url', url, 'http://127.0.0.1:8080')).toBeNull()
  })

  test('keeps its origin when it is filled', () => {
    const url = filledReturnUrl(CHECKOUT.success_url, 's&#/1')
    expect(url).toBe(`${ORIGIN}/done?s=s%26%23%2F1`)
    expect(filledReturnUrl(`${ORIGIN}/`, 's1')).toBe(`${ORIGIN}/`)
  })
})

const T = { t: 'token' }
const BUNDLE = { ...T, kind: 'series_day' }

describe('a download', () => {
  test.each([
    T, { ...T, status: '1' }, { ...T, restore: '1' }, { ...T, format: 'bbo.csv.gz' },
    { ...T, format: 'trades.parquet', probe: '1' }, { ...BUNDLE, zip: '1' }, { ...BUNDLE, zip: '1', probe: '1' },
    { ...BUNDLE, zip: '1', complete: '1' }, { ...BUNDLE, manifest: '1' }, { ...BUNDLE, status: '1' },
  ])('%j is taken', (query) => expect(downloadFault(query)).toBeNull())

  test.each([
    [{}, 't'], [{ t: '' }, 't'], [{ t: ['a', 'b'] }, 't'], [{ ...T, more: '1' }, 'more'], [{ ...T, status: '0' }, 'status'],
    [{ ...T, status: 'true' }, 'status'], [{ ...T, format: 'bbo.parquet' }, 'format'],
    [{ ...T, format: '../trades.csv.gz' }, 'format'], [{ ...T, probe: '1' }, 'probe'],
    [{ ...T, status: '1', probe: '1' }, 'probe'], [{ ...T, status: '1', restore: '1' }, 'status and restore'],
    [{ ...T, status: '1', format: 'bbo.csv.gz' }, 'status and format'], [{ ...T, zip: '1' }, 'zip'],
    [{ ...T, manifest: '1' }, 'manifest'], [{ ...T, complete: '1' }, 'complete'],
    [BUNDLE, 'kind'], [{ ...BUNDLE, format: 'bbo.csv.gz' }, 'kind'], [{ ...BUNDLE, restore: '1' }, 'kind'],
    [{ ...BUNDLE, probe: '1' }, 'kind'], [{ ...BUNDLE, manifest: '1', probe: '1' }, 'probe'],
    [{ ...BUNDLE, manifest: '1', complete: '1' }, 'complete'], [{ ...BUNDLE, zip: '1', manifest: '1' }, 'zip and manifest'],
    [{ ...T, kind: 'tick' }, 'kind'],
  ])('%j is refused', (query, path) => expect(downloadFault(query)?.path).toBe(path))

  test('a refused token is not shown', () => {
    expect(JSON.stringify(downloadFault({ t: ['sentinel-token'] }))).not.toContain('sentinel')
  })
})

const RANGE = { ...BUNDLE, from: '2024-01-01', to: '2024-01-01' }

describe('a range', () => {
  test.each([
    RANGE, { ...RANGE, to: '2024-04-09' }, { ...RANGE, status: '1' }, { ...RANGE, complete: '1' },
  ])('%j is taken', (query) => expect(rangeFault(query)).toBeNull())

  test.each([
    [{ ...RANGE, to: '2024-04-10' }, 'to'], [{ ...RANGE, to: '2023-12-31' }, 'to'], [{ ...RANGE, to: '2023-02-29' }, 'to'],
    [{ ...RANGE, kind: undefined }, 'kind'], [{ ...RANGE, kind: 'tick' }, 'kind'], [{ ...RANGE, from: undefined }, 'from'],
    [{ ...RANGE, zip: '1' }, 'zip'], [{ ...RANGE, status: '1', manifest: '1' }, 'status and manifest'],
  ])('%j is refused', (query, path) => expect(rangeFault(query)?.path).toBe(path))
})

test.each<readonly [name: 'SearchQuery' | 'DaysQuery' | 'CalendarQuery', query: unknown, path: string | undefined]>([
  ['SearchQuery', {}, undefined], ['SearchQuery', { q: 'btc', limit: 100 }, undefined],
  ['SearchQuery', { limit: 0 }, 'limit'], ['SearchQuery', { limit: 101 }, 'limit'], ['SearchQuery', { qq: 'btc' }, 'qq'],
  ['SearchQuery', { q: 'a'.repeat(201) }, 'q'], ['DaysQuery', { before: '2024-02-30' }, 'before'],
  ['DaysQuery', { limit: 1001 }, 'limit'], ['CalendarQuery', {}, 'month'], ['CalendarQuery', { month: '2024-02' }, undefined],
  ['CalendarQuery', { month: '2024-00' }, 'month'], ['CalendarQuery', { month: '2024-13' }, 'month'],
  ['CalendarQuery', { month: '2024-2' }, 'month'], ['CalendarQuery', { month: '2024-02-01' }, 'month'],
])('%s %j: %s', (name, query, path) => {
  expect(requestFault(name, query)?.path).toBe(path)
  expect(isRequest(name, query)).toBe(path === undefined)
})

describe('days of a buy link', () => {
  test.each([
    ['2024-08-08', ['2024-08-08']], ['2024-08-08..2024-08-08', ['2024-08-08']],
    ['2024-03-01,2024-02-28..2024-02-29,2024-02-28', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['2024-01-01..2024-12-31', days(366).map(({ date }) => date)],
  ])('%s', (text, wanted) => expect(buyLinkDays(text)).toEqual(wanted))

  test.each([
    '', ',', '2024-08-08,', '2024-02-30', '2024-08-08..', '..2024-08-08', '2024-08-02..2024-08-01',
    '2024-08-01..2024-08-02..2024-08-03', '2024-08-01...2024-08-03', '2024-01-01..2025-01-01', '2024-01-01,2025-01-01',
    ' 2024-08-08', '0000-01-01..9999-12-31', '2024-08-08,'.repeat(2000),
  ])('%j is refused', (text) => expect(buyLinkDays(text)).toMatchObject({ path: 'd' }))
})

test.each([
  [callPath('search', {}, { q: 'btc perp', limit: undefined }), '/api/search?q=btc%20perp'],
  [callPath('days', { id: 5 }, { limit: 3, before: '2024-08-08' }), '/api/instrument/5/days?limit=3&before=2024-08-08'],
  [callPath('bundleDays', { series_key: 'a/b?c' }), '/api/bundle/a%2Fb%3Fc/days'],
  [callPath('cart', {}, { i: 5, d: '2024-08-01..2024-08-02,2024-08-08' }), '/shop?i=5&d=2024-08-01..2024-08-02,2024-08-08'],
])('%s', (path, wanted) => expect(path).toBe(wanted))

test.each([{}, { series_key: '.' }, { series_key: '..' }])('a path without %j is a mistake', (parameters) => {
  expect(() => callPath('bundleDays', parameters)).toThrow('needs series_key')
})
