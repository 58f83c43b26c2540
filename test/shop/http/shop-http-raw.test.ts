import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { madeShop, type MadeShop } from '../../support/made-shop.ts'
import { RawHttp } from '../../support/raw-http.ts'

let shop: MadeShop
const raws: RawHttp[] = []
const closes: (() => Promise<void>)[] = []
beforeAll(async () => { shop = await madeShop() })
afterAll(() => shop.close())
beforeEach(() => { shop.asked.length = 0 })
afterEach(async () => {
  for (const raw of raws.splice(0)) raw.end()
  for (const close of closes.splice(0)) await close()
})

async function raw(port = shop.port): Promise<RawHttp> {
  const one = await RawHttp.to(port)
  raws.push(one)
  return one
}

const lines = (method: string, path: string, ...headers: string[]): string[] => [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers]
/** A request as a body has it: it must never be answered. */
const HIDDEN = 'GET /api/samples HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const SIZE = `Content-Length: ${HIDDEN.length}`
const CHUNKS = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`

describe('a body is never the next request', () => {
  test.each<[string, string[], string, number]>([
    ['of an unknown path', lines('POST', '/api/x', SIZE), HIDDEN, 404], ['of another method', lines('POST', '/api/search', SIZE), HIDDEN, 405], ['of a GET that is refused', lines('GET', '/api/search?x=1', SIZE), HIDDEN, 400],
    ['of a GET that is answered', lines('GET', '/api/search', SIZE), HIDDEN, 200], ['of a GET of bytes', lines('GET', '/api/download/sample/5/2024-08-08', SIZE), HIDDEN, 200], ['in chunks', lines('GET', '/api/search', 'Transfer-Encoding: chunked'), CHUNKS, 200],
    ['of another media type', lines('POST', '/api/quote', SIZE, 'Content-Type: text/plain'), HIDDEN, 415], ['that is no JSON', lines('POST', '/api/quote', SIZE, 'Content-Type: application/json'), HIDDEN, 400],
    ['of a page elsewhere', lines('POST', '/api/quote', SIZE, 'Content-Type: application/json', 'Origin: http://evil.example'), HIDDEN, 403], ['of a broken escape', lines('POST', '/api/%zz', SIZE), HIDDEN, 400],
    ['of a method that is not known', lines('PURGE', '/api/search', SIZE), HIDDEN, 405], ['in chunks that are refused', lines('POST', '/api/quote', 'Transfer-Encoding: chunked', 'Content-Type: text/plain'), CHUNKS, 415],
  ])('%s', async (_name, head, body, status) => {
    const one = await raw()
    one.send(head, body)
    one.send(lines('GET', '/llms.txt'))
    await one.until(() => one.statuses.length === 2)
    expect(one.statuses).toEqual([status, 200])
    expect(shop.asked.filter(([name]) => name === 'samples')).toEqual([])
  })

  test.each<[string, string[], string]>([
    ['two lengths', lines('POST', '/api/quote', SIZE, 'Content-Length: 0'), HIDDEN], ['a length and chunks', lines('POST', '/api/quote', 'Content-Length: 0', 'Transfer-Encoding: chunked'), CHUNKS],
    ['two hosts', lines('GET', '/api/samples', 'Host: 127.0.0.1'), ''], ['no host', ['GET /api/samples HTTP/1.1'], ''],
  ])('%s', async (_name, head, body) => {
    const one = await raw()
    one.send(head, body)
    expect([await one.ended(), shop.asked]).toEqual([[400], []])
  })

  test('a body that never comes whole asks no handler', async () => {
    const one = await raw()
    one.send(lines('POST', '/api/quote', 'Content-Length: 100', 'Content-Type: application/json'), '{')
    one.end()
    const next = await raw()
    next.send(lines('GET', '/api/bundles'))
    await next.until(() => next.statuses.length === 1)
    expect(shop.asked.map(([name]) => name)).toEqual(['bundles'])
  })
})

describe('a page from elsewhere gets nothing', () => {
  test.each<[string, string, string[]]>([
    ['a name that leads here', 'evil.example', []], ['a name and the port', 'evil.example:80', []], ['localhost as the end of a name', 'localhost.evil.example', []], ['another address', '192.0.2.1', []], ['all addresses', '0.0.0.0', []],
    ['no host', '', []], ['another origin', '127.0.0.1', ['Origin: http://evil.example']], ['another port', '127.0.0.1:1', ['Origin: http://127.0.0.1:2']], ['another name of this machine', '127.0.0.1', ['Origin: http://localhost']],
    ['https', '127.0.0.1', ['Origin: https://127.0.0.1']], ['an origin that is hidden', '127.0.0.1', ['Origin: null']], ['an empty origin', '127.0.0.1', ['Origin:']],
  ])('%s', async (_name, host, headers) => {
    for (const [method, path] of [['GET', '/api/samples'], ['GET', '/shop'], ['POST', '/shop/pay/ses_1'], ['GET', '/api/unknown'], ['DELETE', '/account'], ['GET', '/api/%zz']] as const) {
      const one = await raw()
      one.send([`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers, 'Content-Length: 0'])
      await one.until(() => one.statuses.length === 1)
      expect([path, one.statuses]).toEqual([path, [403]])
    }
    expect(shop.asked).toEqual([])
  })

  test('the own page does', async () => {
    const one = await raw()
    one.send(lines('GET', '/api/samples', 'Origin: http://127.0.0.1'))
    await one.until(() => one.statuses.length === 1)
    expect([one.statuses, shop.asked.length]).toEqual([[200], 1])
  })

  test('other addresses where the server is to be reached by them', async () => {
    const wide = await madeShop({ hosts: 'address' })
    closes.push(wide.close)
    const one = await raw(wide.port)
    one.send(['GET /api/samples HTTP/1.1', 'Host: 192.0.2.1:8080'])
    one.send(['GET /api/samples HTTP/1.1', 'Host: shop.example'])
    await one.until(() => one.statuses.length === 2)
    expect([one.statuses, wide.asked[0]![1].origin]).toEqual([[200, 403], 'http://192.0.2.1:8080'])
  })
})

describe('limits of calls', () => {
  test.each<[string, string, string, number]>([
    ['quote', 'POST', '/api/quote', 30], ['checkout', 'POST', '/v1/checkout/session', 10], ['orders', 'GET', '/v1/orders/a', 30], ['general', 'GET', '/api/samples', 120], ['general', 'GET', '/api/unknown', 120],
    ['general', 'DELETE', '/v1/orders/a', 120], ['downloads', 'GET', '/api/download/sample/5/2024-08-08', 600],
  ])('%s: %s %s', async (_bucket, method, path, limit) => {
    const one = await madeShop({ isFree: false })
    closes.push(one.close)
    const ask = async (): Promise<Response> => fetch(one.url + path, { method })
    const first = await ask()
    for (let call = 1; call < limit; call++) expect((await ask()).status).toBe(first.status)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([429, String(Math.ceil(60 / limit)), { error: { message: SHOP.errors.tooManyCalls.sentence } }])
    one.nowMs = 60_000 / limit - 1
    expect((await ask()).status).toBe(429)
    one.nowMs += 1
    expect([(await ask()).status, (await ask()).status]).toEqual([first.status, 429])
    const other = path.includes('download') ? '/api/samples' : '/api/download/sample/5/2024-08-08'
    expect((await fetch(one.url + other)).status).toBe(200)
  })

  test('a page says so as a page', async () => {
    const one = await madeShop({ isFree: false })
    closes.push(one.close)
    let last: Response | null = null
    for (let call = 0; call < 121; call++) last = await fetch(`${one.url}/shop/pay/a`)
    expect([last?.status, last?.headers.get('content-type'), last?.headers.get('retry-after')]).toEqual([429, 'text/html; charset=utf-8', '1'])
  })
})
