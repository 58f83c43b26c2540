import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { callPath } from '../../../src/protocol/shop/shop-requests.js'
import type { ShopRoute, ShopRouteName } from '../../../src/protocol/shop/shop-routes.js'
import { segmentsOf } from '../../../src/shop/server/segments.js'
import { ANSWER_HEADERS } from '../../../src/web/answer-headers.js'
import { BYTES } from '../../support/made-shop-handlers.ts'
import { madeShop, type MadeShop } from '../../support/made-shop.ts'

let shop: MadeShop
beforeAll(async () => {
  shop = await madeShop({
    handlers: {
      search: ({ query }) => ({ kind: 'json', status: 200, body: { query } }),
      coverage: () => { throw new Error('the disk is gone') },
      bundles: () => ({ kind: 'refusal', error: 'notAvailable', details: { missing: [] } }),
      samples: () => ({ kind: 'json', status: 202, body: { state: 'pending' } }),
      sample: () => ({ kind: 'bytes', media: 'application/zstd', fileName: 'a"b\r\n.zst', segments: segmentsOf([{ path: '/nowhere', stamp: '1', fromByte: 0, sizeBytes: 9 }]) }),
    },
  })
})
afterAll(() => shop.close())
beforeEach(() => { shop.asked.length = 0 })

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const ITEM = { instrument_id: 5, date: '2024-08-08' }
const KEY = '00000000-0000-4000-8000-000000000001'
const checkout = (more: object = {}): object => ({ email: 'me@example.org', items: [ITEM], success_url: `${shop.url}/shop?s={CHECKOUT_SESSION_ID}`, cancel_url: `${shop.url}/shop`, ...more })

interface Answered { readonly status: number, readonly headers: Headers, readonly text: string, readonly error: { readonly code?: string, readonly message?: string, readonly details?: Record<string, unknown> } }
async function ask(path: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(shop.url + path, { redirect: 'manual', ...init })
  const text = await response.text()
  const error = text.startsWith('{"error"') ? (JSON.parse(text) as { error: Answered['error'] }).error : {}
  return { status: response.status, headers: response.headers, text, error }
}
const post = (path: string, body: unknown, headers: Record<string, string> = JSON_TYPE): Promise<Answered> => ask(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

const PATHS = { id: 5, instrument_id: 5, bundle_id: 7, date: '2024-08-08', series_key: 'BTC-1', order_id: 'ord_1', session_id: 'ses_1' }
const NEEDED: { readonly [Name in ShopRouteName]?: Record<string, string | number> } = {
  calendar: { month: '2024-08' }, download: { t: 'tok' }, range: { kind: 'series_day', from: '2024-08-01', to: '2024-08-08', t: 'tok' }, receipt: { t: 'tok' }, receiptPdf: { t: 'tok' },
}
const ROUTES = Object.entries(SHOP.routes) as (readonly [ShopRouteName, ShopRoute])[]
const pathOf = (name: ShopRouteName): string => callPath(name, PATHS, NEEDED[name])

describe('every route of the tables is there', () => {
  const gets = ROUTES.filter(([name, { method }]) => method === 'GET' && !['coverage', 'bundles', 'samples', 'sample', 'openApi', 'wellKnownOpenApi', 'llms'].includes(name))
  test.each(gets)('%s', async (name, route) => {
    const { status, headers } = await ask(pathOf(name))
    const [{ status: wanted, media = 'application/json' }] = route.answers as [ShopRoute['answers'][number]]
    expect([status, headers.get('content-type')?.replace('; charset=utf-8', '')]).toEqual([wanted, media])
    expect(shop.asked.map(([one]) => one)).toEqual(name === 'search' ? [] : [name])
  })

  test('a handler gets numbers, texts, headers in small letters, and the origin as the client has it', async () => {
    await ask('/api/download/order/ord_1/5/2024-08-08?t=a%2Bb&format=trades.parquet', { headers: { 'X-One': 'Two', 'range': 'bytes=0-3' } })
    const [[name, request]] = shop.asked as [MadeShop['asked'][number]]
    expect([name, request.path, request.query, request.body, request.origin]).toEqual([
      'download', { order_id: 'ord_1', instrument_id: 5, date: '2024-08-08' }, { t: 'a+b', format: 'trades.parquet' }, undefined, shop.url,
    ])
    expect(request.headers).toMatchObject({ 'x-one': 'Two', 'range': 'bytes=0-3' })
  })

  test('spaces of forms and of other clients', async () => {
    for (const path of ['/api/search?q=btc+perp&limit=5', '/api/search?limit=5&&q=btc%20perp&'])
      expect(JSON.parse((await ask(path)).text)).toEqual({ query: { q: 'btc perp', limit: 5 } })
  })

  test('a quote and a checkout', async () => {
    expect((await post('/api/quote', { items: [ITEM] })).status).toBe(200)
    expect((await post('/v1/checkout/session', checkout(), { 'content-type': 'Application/JSON; charset="UTF-8"', 'idempotency-key': KEY })).status).toBe(201)
    expect(shop.asked.map(([name, { body }]) => [name, body])).toEqual([['quote', { items: [ITEM] }], ['checkout', checkout()]])
  })

  test('every answer has the headers of this server, and nothing of the limits', async () => {
    for (const path of ['/api/search', '/api/x', '/v1/orders/a', '/api/search?limit=0', '/api/download/order/ord_1/5/2024-08-08?t=x']) {
      const { headers } = await ask(path)
      for (const [name, value] of Object.entries(ANSWER_HEADERS)) expect([path, name, headers.get(name)]).toEqual([path, name, value])
      expect([...headers.keys()].filter((name) => /ratelimit|powered|server/.test(name))).toEqual([])
    }
  })

  test('a 202 says when to come again', async () => {
    const { status, headers, text } = await ask('/api/samples')
    expect([status, headers.get('retry-after'), text]).toEqual([202, '5', '{"state":"pending"}'])
  })
})

describe('bytes', () => {
  const path = '/api/download/order/ord_1/5/2024-08-08?t=x'
  test('whole, by part, beyond, and by HEAD', async () => {
    const whole = await ask(path)
    expect([whole.status, whole.text, whole.headers.get('content-disposition')]).toEqual([200, BYTES, 'attachment; filename="a_day.txt.zst"'])
    const part = await ask(path, { headers: { range: 'bytes=6-8' } })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, BYTES.slice(6, 9), `bytes 6-8/${BYTES.length}`])
    const beyond = await ask(path, { headers: { range: 'bytes=99-' } })
    expect([beyond.status, beyond.text, beyond.headers.get('content-range')]).toEqual([416, '', `bytes */${BYTES.length}`])
    const head = await ask(path, { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, '', String(BYTES.length), whole.headers.get('etag')])
  })

  test('a file that is gone is a fault of the server, and its name makes no header', async () => {
    const { status, error, headers } = await ask('/api/download/sample/5/2024-08-08')
    expect([status, error.message, headers.get('content-disposition')]).toEqual([500, SHOP.errors.failed.sentence, null])
    expect(shop.log.join()).toContain('GET /api/download/sample/:id/:date failed')
  })
})

/** Requests by GET that no handler gets, with their field. */
const BAD_GETS: readonly (readonly [path: string, field: string, found?: string])[] = [
  ['/api/search?limit=0', 'limit'], ['/api/search?limit=101', 'limit'], ['/api/search?limit=5.0', 'limit'], ['/api/search?limit=05', 'limit'], ['/api/search?limit=%2B5', 'limit'],
  ['/api/search?limit=1e1', 'limit'], ['/api/search?limit=', 'limit'], ['/api/search?limit', 'limit'], ['/api/search?limit=99999999999999999999', 'limit'], ['/api/search?q=', 'q'],
  [`/api/search?q=${'x'.repeat(201)}`, 'q'], ['/api/search?Q=btc', 'Q'], ['/api/search?q=a&q=b', 'q', '2 values'], ['/api/search?q=a&q=a&q=a', 'q', '3 values'], ['/api/search?q=%zz', 'q', 'a broken escape'],
  ['/api/search?%zz=1', '%zz', 'a broken escape'], ['/api/search?q=%ff', 'q', 'a broken escape'], ['/api/search?__proto__=1', '__proto__'], ['/api/search?constructor=1', 'constructor'], ['/api/search?limit[]=5', '["limit[]"]'],
  ['/api/bundles?x=1', 'x'], ['/openapi.json?x=1', 'x'], ['/llms.txt?x', 'x'], ['/api/instrument/5/coverage?x=1', 'x'],
  ['/api/instrument/x/days', 'id'], ['/api/instrument/-1/days', 'id'], ['/api/instrument/1.5/days', 'id'], ['/api/instrument/05/days', 'id'], ['/api/instrument/9007199254740992/days', 'id'], ['/api/instrument/%20/days', 'id'],
  ['/api/instrument/5/days?before=2024-02-30', 'before'], ['/api/instrument/5/days?before=2024-8-8', 'before'], ['/api/instrument/5/days?limit=1001', 'limit'],
  ['/api/instrument/5/calendar', 'month'], ['/api/instrument/5/calendar?month=2024-13', 'month'], [`/api/bundle/${'x'.repeat(201)}/days`, 'series_key'], ['/api/bundle/a%20b/days', 'series_key'], ['/v1/orders/', 'order_id'], ['/api/instrument//days', 'id'],
  ['/api/analyze/instrument-last-24h-minutes/5?format=json', 'format'], ['/api/download/sample/5/2024-08-32', 'date'], ['/api/download/sample/5/2024-08-08?format=csv', 'format'],
  ['/api/download/order/ord_1/5/2024-08-08', 't', '"***"'], ['/api/download/order/ord_1/5/2024-08-08?t=', 't', '"***"'], ['/api/download/order/ord_1/5/2024-08-08?t=SENTINEL&t=SENTINEL', 't', '2 values'],
  [`/api/download/order/ord_1/5/2024-08-08?t=${'SENTINEL'.repeat(70)}`, 't', '"***"'],
  ['/api/download/order/ord_1/5/2024-08-08?t=x&status=1&restore=1', 'status and restore'], ['/api/download/order/ord_1/5/2024-08-08?t=x&status=0', 'status'], ['/api/download/order/ord_1/5/2024-08-08?t=x&probe=1', 'probe'],
  ['/api/download/order/ord_1/5/2024-08-08?t=x&zip=1', 'zip'], ['/api/download/order/ord_1/5/2024-08-08?t=x&kind=series_day', 'kind'], ['/api/download/order/ord_1/7/range?t=x&from=2024-08-01&to=2024-08-02', 'kind'],
  ['/api/download/order/ord_1/7/range?kind=series_day&t=x&from=2024-08-01&to=2024-12-02', 'to'],
]

describe('bad input is refused before its handler', () => {
  test.each(BAD_GETS.map(([path, field, found = null]) => [path.slice(0, 100), path, field, found] as const))('%s', async (_name, path, field, found) => {
    const { status, error, text } = await ask(path)
    expect([status, error.code, error.details?.['field']]).toEqual([400, 'INVALID_INPUT', field])
    expect(Object.keys(error.details ?? {})).toEqual(['field', 'expected', 'found'])
    if (found !== null) expect(error.details?.['found']).toBe(found)
    expect([shop.asked, text.includes('SENTINEL')]).toEqual([[], false])
  })

  const quote = (...items: unknown[]): unknown => ({ items })
  test.each<[string, unknown, string]>([
    ['nothing', '', ''], ['no JSON', '{', ''], ['a list', [], ''], ['null', 'null', ''], ['no items', {}, 'items'], ['an empty basket', quote(), 'items'], ['another field', { items: [ITEM], x: 1 }, 'x'],
    ['366 items', quote(...Array.from({ length: 366 }, () => ITEM)), 'items'], ['an item twice', quote(ITEM, { ...ITEM, kind: 'tick' }), 'items[1]'], ['a number as text', quote({ ...ITEM, instrument_id: '5' }), 'items[0].instrument_id'],
    ['21 instruments', quote(...Array.from({ length: 21 }, (_none, at) => ({ ...ITEM, instrument_id: at }))), 'items'], ['another kind', quote({ ...ITEM, kind: 'day' }), 'items[0].kind'], ['another key', quote({ ...ITEM, x: 1 }), 'items[0].x'],
    ['__proto__', '{"items":[{"instrument_id":5,"date":"2024-08-08"}],"__proto__":{}}', '__proto__'], ['depth', '['.repeat(60_000) + ']'.repeat(60_000), ''],
  ])('a quote: %s', async (_name, body, field) => {
    const { status, error } = await post('/api/quote', body)
    expect([status, error.code, error.details?.['field'], shop.asked]).toEqual([400, 'INVALID_INPUT', field, []])
  })

  test('a body that is no UTF-8', async () => {
    const { status, error } = await ask('/api/quote', { method: 'POST', headers: JSON_TYPE, body: new Uint8Array([0x7b, 0xff, 0x7d]) })
    expect([status, error.code]).toEqual([400, 'INVALID_INPUT'])
  })

  test.each<[string, object, Record<string, string>, string]>([
    ['no key', {}, {}, 'Idempotency-Key'], ['a key that is no UUID', {}, { 'idempotency-key': '1' }, 'Idempotency-Key'], ['no email', { email: 'me' }, { 'idempotency-key': KEY }, 'email'],
    ['a foreign page to come back to', { success_url: 'http://evil.example/' }, { 'idempotency-key': KEY }, 'success_url'], ['another port', { cancel_url: 'http://127.0.0.1:1/' }, { 'idempotency-key': KEY }, 'cancel_url'],
    ['another name of this machine', { cancel_url: 'http://localhost/shop' }, { 'idempotency-key': KEY }, 'cancel_url'],
  ])('a checkout: %s', async (_name, more, headers, field) => {
    const { status, error } = await post('/v1/checkout/session', checkout(more), { ...JSON_TYPE, ...headers })
    expect([status, error.code, error.details?.['field'], shop.asked]).toEqual([400, 'INVALID_INPUT', field, []])
  })

  test('a page ignores other parameters, and refuses as a page', async () => {
    expect([(await ask('/shop/pay/ses_1?utm=x&utm=y')).status, shop.asked[0]![1].query]).toEqual([200, {}])
    const { status, headers, text } = await ask('/shop/pay/a%20b')
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(text).toContain('session_id must be an id without spaces')
  })
})

describe('other refusals', () => {
  test.each<[string, string, number, string | null]>([
    ['POST', '/api/search', 405, 'GET'], ['HEAD', '/api/search', 405, 'GET'], ['DELETE', '/api/download/sample/5/2024-08-08', 405, 'GET, HEAD'], ['OPTIONS', '/v1/checkout/session', 405, 'POST'], ['GET', '/v1/checkout/session', 405, 'POST'],
    ['PUT', '/account', 405, 'GET, POST'], ['PROPFIND', '/shop', 405, 'GET'], ['HEAD', '/openapi.json', 405, 'GET'], ['PATCH', '/api/%73earch', 405, 'GET'], ['HEAD', '/shop/pay/x', 405, 'GET, POST'],
    ['GET', '/api', 404, null], ['GET', '/api/', 404, null], ['GET', '/api/search/', 404, null], ['GET', '/api//search', 404, null], ['GET', '/api/Search', 404, null], ['GET', '/v1/orders', 404, null],
    ['GET', '/shop/x', 404, null], ['GET', '/.well-known/x', 404, null], ['DELETE', '/api/x', 404, null], ['GET', '/api/search%00', 404, null], ['GET', '/api/instrument/5', 404, null],
  ])('%s %s is %d', async (method, path, wanted, allow) => {
    const { status, headers, error } = await ask(path, { method })
    expect([status, headers.get('allow'), shop.asked]).toEqual([wanted, allow, []])
    if (method !== 'HEAD' && wanted === 404) expect(error).toEqual({ code: 'NOT_FOUND', message: SHOP.errors.notFound.sentence })
  })

  test.each(['/', '/x', '/apis/search', '/API/search', '/favicon.ico', '//api/search'])('%s is of another part of the server', async (path) => {
    const { status, headers } = await ask(path)
    expect([status, headers.get('x-by')]).toEqual([404, 'another'])
  })

  test('broken escapes in a path', async () => {
    expect((await ask('/api/instrument/%zz/days')).status).toBe(400)
    expect((await ask('/api/%')).status).toBe(400)
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['/api/quote', '{}', {}, 415], ['/api/quote', '{}', { 'content-type': 'text/plain' }, 415], ['/api/quote', '{}', FORM_TYPE, 415], ['/api/quote', '{}', { 'content-type': 'application/json; charset=latin1' }, 415],
    ['/api/quote', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415], ['/api/quote', '{}', { 'content-type': ';' }, 415], ['/v1/checkout/session', '{}', { 'content-type': 'application/jsonx' }, 415],
    ['/shop/pay/ses_1', '{"action":"pay"}', JSON_TYPE, 415], ['/shop/pay/ses_1', 'action=pay', { 'content-type': 'multipart/form-data; boundary=a' }, 415],
    ['/api/quote', ' '.repeat(131_073), JSON_TYPE, 413], ['/api/quote', ' '.repeat(5_000_000), JSON_TYPE, 413], ['/shop/pay/ses_1', `csrf=${'x'.repeat(131_072)}`, FORM_TYPE, 413],
    ['/api/x', '{}', { 'content-type': ';' }, 404], ['/api/search', '{}', { 'content-type': ';' }, 405],
  ])('a body of %s, %#', async (path, body, headers, wanted) => {
    const bytes = new TextEncoder().encode(body)
    expect([(await ask(path, { method: 'POST', headers, body: bytes })).status, shop.asked]).toEqual([wanted, []])
  })

  test('a form', async () => {
    const { status } = await post('/shop/pay/ses_1', 'action=pay&csrf=a%20b', FORM_TYPE)
    expect([status, shop.asked[0]![1].body]).toEqual([303, { action: 'pay', csrf: 'a b' }])
    for (const body of ['', 'action=pay', 'action=steal&csrf=x', 'action=pay&action=leave&csrf=x', 'action=%zz&csrf=x'])
      expect([body, (await post('/shop/pay/ses_1', body, FORM_TYPE)).status]).toEqual([body, 400])
  })

  test('a fault of a handler says nothing but that', async () => {
    const { status, text } = await ask('/api/instrument/5/coverage')
    expect([status, JSON.parse(text)]).toEqual([500, { error: { message: SHOP.errors.failed.sentence } }])
    expect(shop.log).toContain('shop: GET /api/instrument/:id/coverage failed: the disk is gone')
  })

  test('a refusal of a handler has its code, its sentence and its details', async () => {
    const { status, error } = await ask('/api/bundles')
    expect([status, error]).toEqual([422, { code: 'FILE_NOT_AVAILABLE', message: SHOP.errors.notAvailable.sentence, details: { missing: [] } }])
  })
})

test('an address that is too long is answered without a body', async () => {
  const { status, text } = await ask(`/shop?i=5&d=${'1'.repeat(17_000)}`)
  expect([status, text]).toEqual([431, ''])
})
