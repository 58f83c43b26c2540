import { createServer } from 'node:http'
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import type { ShopCall } from '../../../src/shop/client/shop-call.js'
import { SHOP_NETWORK, type ShopNetwork } from '../../../src/shop/client/redirect-client.js'
import { ShopAsker, type ShopAskerOptions } from '../../../src/shop/client/shop-asker-client.js'
import { ShopRefusedError } from '../../../src/shop/client/shop-failure.js'
import { refusalOf } from '../../support/collected.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { jsonAnswer, redirectTo, resetError, scriptedNetwork, type ScriptedAnswer } from '../../support/scripted-network.ts'

const SECRET = 'sentinel/Token+9f8e'
const READY = { state: 'ready' }
const SHOP_URL = 'https://shop.example'
const STATUS: ShopCall = { route: 'download', path: { order_id: 'o1', instrument_id: 7, date: '2026-01-01' }, query: { status: 1 }, token: SECRET }
const ORDER: ShopCall = { route: 'order', path: { order_id: 'o1' }, token: SECRET }
const QUOTE: ShopCall = { route: 'quote', body: { items: [] } }
const CHECKOUT: ShopCall = { route: 'checkout', body: { email: 'a@b.example' } }
const KEYED: ShopCall = { ...CHECKOUT, headers: { 'idempotency-key': '1b4e28ba-2fa1-4d2e-883f-0016d3cca427' } }

const notes: string[] = []
afterEach(() => { notes.length = 0 })

function asker(network: ShopNetwork, clock = new QuickClock(), more: Partial<ShopAskerOptions> = {}): ShopAsker {
  const onNote = (note: string): void => { notes.push(note) }
  return new ShopAsker({ url: SHOP_URL, clock, random: new RandomNumbers(1, 'test', 0), network, answerMs: 20_000, onNote, ...more })
}

/** Answers of a list in order, the last again and again. */
function inOrder(...answers: readonly (() => Response | Error)[]): ScriptedAnswer {
  let at = 0
  return () => answers[Math.min(at++, answers.length - 1)]!()
}

const ready = (): Response => jsonAnswer(READY)
const fails = (status: number, headers = {}) => (): Response => jsonAnswer({ error: { code: 'X', message: 'no' } }, status, headers)

describe('requests', () => {
  test('the credential stands where the table of routes has it', async () => {
    const network = scriptedNetwork(ready)
    await asker(network).ask(STATUS, 'DayState')
    await asker(network).ask({ ...STATUS, route: 'order', query: {} }, 'DayState')
    const [download, order] = network.seen
    expect([download!.url, download!.headers['authorization']]).toEqual([
      `${SHOP_URL}/api/download/order/o1/7/2026-01-01?status=1&t=${encodeURIComponent(SECRET)}`, undefined,
    ])
    expect([order!.url, order!.headers['authorization']]).toEqual([`${SHOP_URL}/v1/orders/o1`, `Bearer ${SECRET}`])
  })

  test.each([
    [{ order_id: '..' }], [{ order_id: '.' }], [{ order_id: '' }], [{}], [{ order_id: '\ud800' }],
  ])('the path %j is refused', async (path) => {
    const network = scriptedNetwork(ready)
    expect((await refusalOf(() => asker(network).ask({ ...ORDER, path }, 'Order'))).code).toBe('OPTION_INVALID')
    expect(network.seen).toEqual([])
  })

  test('a part of a path never becomes two', async () => {
    const network = scriptedNetwork(ready)
    await asker(network).ask({ ...ORDER, path: { order_id: '../a?b#c' } }, 'DayState')
    expect(network.seen[0]!.url).toBe(`${SHOP_URL}/v1/orders/..%2Fa%3Fb%23c`)
  })

  test.each([
    'http://shop.example', 'http://10.0.0.1', 'http://127.0.0.1.example', 'ftp://shop.example', 'https://u:p@shop.example', 'https://shop.example/?a=1',
    'https://shop.example/#a', 'shop.example', '', 'http://localhost.example',
  ])('the shop %j is refused', (url) => {
    expect(() => asker(SHOP_NETWORK, new QuickClock(), { url })).toThrow('Cannot reach the shop')
  })

  test.each(['http://127.0.0.1:8080', 'http://[::1]:80', 'http://localhost', 'https://10.0.0.1', 'https://shop.example/base/'])('the shop %s is taken', (url) => {
    expect(asker(SHOP_NETWORK, new QuickClock(), { url }).shop.href).toBe(new URL(url).href)
  })

  test.each(['a b', 'a\r\nx: y', 'a\n', 'a\0', '\ud83da', '', 'a\u00e9', 'a'.repeat(5000)])('the token %$ is not sent, and not shown', async (token) => {
    const network = scriptedNetwork(ready)
    const { code, message } = await refusalOf(() => asker(network).ask({ ...ORDER, token }, 'Order'))
    expect([code, message.endsWith('found ***'), network.seen.length]).toEqual(['OPTION_INVALID', true, 0])
  })
})

describe('redirects', () => {
  const to = (...locations: readonly string[]): ScriptedAnswer => inOrder(...locations.map((one) => () => redirectTo(one)), ready)

  test('five are followed, a sixth is not', async () => {
    expect((await asker(scriptedNetwork(to('/1', '/2', '/3', '/4', '/5'))).ask(ORDER, 'DayState')).answer).toEqual(READY)
    const network = scriptedNetwork(to('/1', '/2', '/3', '/4', '/5', '/6'))
    expect((await refusalOf(() => asker(network).ask(ORDER, 'DayState'))).code).toBe('SHOP_REDIRECTED')
    expect(network.seen.length).toBe(6)
  })

  const ADDRESSES = { 'shop.example': ['1.1.1.1'], 'cdn.example': ['1.1.1.2'], 'inside.example': ['10.0.0.1'], 'mixed.example': ['1.1.1.1', '127.0.0.1'] }
  test.each([
    ['http', 'http://shop.example/x'], ['http on loopback', 'http://127.0.0.1/x'], ['a private address', 'https://10.0.0.1/x'],
    ['a private address in hexadecimal', 'https://0x0a000001/x'], ['loopback', 'https://[::1]/x'], ['the metadata of a cloud', 'https://169.254.169.254/x'],
    ['a name that leads inside', 'https://inside.example/x'], ['a name that leads inside too', 'https://mixed.example/x'], ['localhost', 'https://localhost/x'],
    ['another scheme', 'file:///etc/passwd'], ['data', 'data:application/json,{"state":"ready"}'], ['script', 'javascript:1'],
    ['an address with a user', 'https://u:p@cdn.example/x'],
  ])('to %s is refused', async (_, location) => {
    const network = scriptedNetwork(to(location), ADDRESSES)
    const { code, message } = await refusalOf(() => asker(network).ask(ORDER, 'DayState'))
    expect([code, network.seen.length, message.includes('u:p')]).toEqual(['SHOP_REDIRECTED', 1, false])
  })

  test('inside is not reached over a second public host either', async () => {
    const network = scriptedNetwork(to('https://cdn.example/a', 'https://10.0.0.1/b'), ADDRESSES)
    expect((await refusalOf(() => asker(network).ask(ORDER, 'DayState'))).code).toBe('SHOP_REDIRECTED')
  })

  test('a shop inside may lead inside, and one on this machine to itself by http', async () => {
    for (const [url, location] of [['https://10.0.0.1', 'https://10.0.0.2/x'], ['http://127.0.0.1:1', 'http://localhost:2/x']])
      expect((await asker(scriptedNetwork(to(location!)), new QuickClock(), { url: url! }).ask(ORDER, 'DayState')).answer).toEqual(READY)
    const up = scriptedNetwork(to('http://10.0.0.2/x'))
    expect((await refusalOf(() => asker(up, new QuickClock(), { url: 'http://127.0.0.1:1' }).ask(ORDER, 'DayState'))).code).toBe('SHOP_REDIRECTED')
  })

  test('Authorization stays at its origin, and does not come back', async () => {
    const network = scriptedNetwork(to('/same', 'https://cdn.example/a', 'https://shop.example/again'), ADDRESSES)
    await asker(network).ask(ORDER, 'DayState')
    expect(network.seen.map(({ headers }) => headers['authorization'] !== undefined)).toEqual([true, true, false, false])
    const port = scriptedNetwork(to('https://shop.example:444/a'), ADDRESSES)
    await asker(port).ask(ORDER, 'DayState')
    expect(port.seen[1]!.headers['authorization']).toBe(undefined)
  })

  test.each([[301, '/x'], [302, '/x'], [303, '/x'], [307, 'https://cdn.example/x'], [308, 'https://cdn.example/x']])('a POST does not follow %s to %s', async (status, location) => {
    const network = scriptedNetwork(inOrder(() => redirectTo(location, status), ready), ADDRESSES)
    expect((await refusalOf(() => asker(network).ask(KEYED, 'DayState'))).code).toBe('SHOP_REDIRECTED')
  })

  test('a POST follows 307 within its origin with its body', async () => {
    const network = scriptedNetwork(inOrder(() => redirectTo('/x', 307), ready))
    await asker(network).ask(KEYED, 'DayState')
    expect(network.seen.map(({ url, method, body }) => [url, method, body])).toEqual([
      [`${SHOP_URL}/v1/checkout/session`, 'POST', '{"email":"a@b.example"}'], [`${SHOP_URL}/x`, 'POST', '{"email":"a@b.example"}'],
    ])
  })

  test.each(['', 'https://', 'http://[::'])('no address in Location: %j', async (location) => {
    const answer = (): Response => new Response(null, location === '' ? { status: 302 } : { status: 302, headers: { location } })
    expect((await refusalOf(() => asker(scriptedNetwork(answer)).ask(ORDER, 'DayState'))).code).toBe('SHOP_REDIRECTED')
  })
})

describe('patience', () => {
  test.each([
    ['500', fails(500)], ['503', fails(503)], ['429', fails(429)], ['a reset', resetError], ['no name', (): Error => new TypeError('fetch failed')],
  ])('%s is asked again, later each time, and in the end no more', async (_, answer) => {
    const clock = new QuickClock()
    const network = scriptedNetwork(answer)
    const { code } = await refusalOf(() => asker(network, clock).ask(QUOTE, 'Quote'))
    expect([['SHOP_REFUSED', 'SHOP_UNREACHABLE'].includes(code), network.seen.length, notes.length]).toEqual([true, 6, 5])
    for (const [at, ms] of clock.waits.entries()) expect(ms >= 500 * 2 ** at && ms <= 1000 * 2 ** at).toBe(true)
    expect((await asker(scriptedNetwork(inOrder(answer, answer, ready))).ask(ORDER, 'DayState')).answer).toEqual(READY)
  })

  test.each([['9', 9000], ['Mon, 05 Jan 2026 00:00:09 GMT', 9000], ['0', 500], ['Mon, 05 Jan 2025 00:00:09 GMT', 500], ['nonsense', 500]])('Retry-After %j is kept', async (header, leastMs) => {
    const clock = new QuickClock()
    await asker(scriptedNetwork(inOrder(fails(429, { 'retry-after': header }), ready)), clock).ask(ORDER, 'DayState')
    expect(clock.waits.length).toBe(1)
    expect(clock.waits[0]! >= leastMs && clock.waits[0]! <= Math.max(leastMs, 1000)).toBe(true)
  })

  test('a Retry-After of days ends the call', async () => {
    const network = scriptedNetwork(fails(503, { 'retry-after': '86400' }))
    expect((await refusalOf(() => asker(network).ask(ORDER, 'Order'))).code).toBe('SHOP_REFUSED')
    expect(network.seen.length).toBe(1)
  })

  test.each([400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 422, 425, 304, 300])('status %s is not asked again', async (status) => {
    const network = scriptedNetwork(() => new Response(null, { status }))
    const error = await asker(network).ask(ORDER, 'Order').then(() => null, (one: unknown) => one)
    expect(error instanceof ShopRefusedError && error.refusal.status).toBe(status)
    expect(network.seen.length).toBe(1)
  })

  test('a checkout is asked again with its key alone', async () => {
    for (const answer of [fails(500), fails(429), resetError]) {
      const network = scriptedNetwork(answer)
      await refusalOf(() => asker(network).ask(CHECKOUT, 'Checkout'))
      expect(network.seen.length).toBe(1)
    }
    const network = scriptedNetwork(inOrder(fails(500), resetError, ready))
    await asker(network).ask(KEYED, 'DayState')
    expect(new Set(network.seen.map(({ headers, body }) => `${headers['idempotency-key']!} ${body!}`)).size).toBe(1)
    expect(network.seen.length).toBe(3)
  })

  test('the limits of the shop are kept, by retries too', async () => {
    const clock = new QuickClock()
    const times: number[] = []
    const network = scriptedNetwork(() => {
      times.push(clock.nowMs())
      return times.length % 3 === 0 ? jsonAnswer({}, 500) : ready()
    })
    const one = asker(network, clock)
    await Promise.all(Array.from({ length: 40 }, () => one.ask(KEYED, 'DayState')))
    for (const time of times) expect(times.filter((other) => other >= time && other < time + 60_000).length).toBeLessThanOrEqual(10)
  })

  test('a signal ends a wait', async () => {
    const abort = new AbortController()
    const network = scriptedNetwork(() => {
      abort.abort()
      return jsonAnswer({}, 500)
    })
    expect((await refusalOf(() => asker(network).ask({ ...ORDER, signal: abort.signal }, 'Order'))).code).toBe('STOPPED')
    expect((await refusalOf(() => asker(network).ask({ ...ORDER, signal: abort.signal }, 'Order'))).code).toBe('STOPPED')
    expect(network.seen.length).toBe(1)
  })
})

describe('answers', () => {
  test.each([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'SHOP_ANSWER_INVALID'],
    ['half of a text', () => new Response('{"state":'), 'SHOP_ANSWER_INVALID'], ['nothing', () => new Response(null, { status: 204 }), 'SHOP_ANSWER_INVALID'],
    ['a list', () => jsonAnswer([]), 'SHOP_ANSWER_INVALID'], ['another type', () => jsonAnswer({ state: {} }), 'SHOP_ANSWER_INVALID'],
    ['deep brackets', () => new Response('['.repeat(4000)), 'SHOP_ANSWER_INVALID'],
    ['too many bytes', () => jsonAnswer({ state: 'ready', more: 'x'.repeat(5000) }), 'LIMIT_EXCEEDED'],
  ] as const)('%s is refused', async (_, answer, code) => {
    const network = scriptedNetwork(answer)
    expect((await refusalOf(() => asker(network, new QuickClock(), { jsonBytesMax: 4000 }).ask(STATUS, 'DayState'))).code).toBe(code)
    expect(network.seen.length).toBe(1)
  })

  test('the code and the details of a refusal are there, its words are safe', async () => {
    const body = { error: { code: 'FILE_NOT_AVAILABLE', message: `\u001b[2J gone\u202e ${SECRET}\n`, details: { missing: [{ instrument_id: 7, at: SECRET }] } } }
    const error = await asker(scriptedNetwork(() => jsonAnswer(body, 422))).ask(ORDER, 'Order').then(() => null, (one: unknown) => one)
    if (!(error instanceof ShopRefusedError)) throw new Error('was not refused')
    expect(error.refusal).toEqual({ status: 422, shopCode: 'FILE_NOT_AVAILABLE', details: { missing: [{ instrument_id: 7, at: '***' }] }, retryAfterMs: null })
    expect(error.message).toBe('The shop refuses GET https://shop.example/v1/orders/o1: status 422: FILE_NOT_AVAILABLE: \\u001b[2J gone\\u202e ***\\u000a')
  })

  test.each([['missing', 422], ['owned', 409]])('days of a refusal are named, at most 20: %s', async (list, status) => {
    const daysOf = (count: number): object[] => Array.from({ length: count }, (_, at) => ({ instrument_id: 7, date: `2024-08-${String(at + 1).padStart(2, '0')}` }))
    const messageOf = async (days: unknown): Promise<string> => {
      const network = scriptedNetwork(() => jsonAnswer({ error: { code: 'A', details: { [list]: days } } }, status))
      return (await refusalOf(() => asker(network).ask(ORDER, 'Order'))).message.replace(/^.*status/, '')
    }
    expect(await messageOf(daysOf(2))).toBe(` ${String(status)}: A (7 2024-08-01, 7 2024-08-02)`)
    expect(await messageOf(daysOf(22))).toMatch(/, 7 2024-08-20, 2 more\)$/)
    for (const none of [[], null, 'x', [null, 5, {}, { instrument_id: '7', date: '2024-08-01' }, { instrument_id: 7, date: SECRET }, { instrument_id: 7, date: '2024-08-01\u001b' }]])
      expect(await messageOf(none)).toBe(` ${String(status)}: A`)
  })

  test.each<readonly [string, ScriptedAnswer]>([
    ['a refusal', () => jsonAnswer({ error: { code: SECRET, message: encodeURIComponent(SECRET), details: { [SECRET]: SECRET } } }, 404)],
    ['a refusal in words', () => jsonAnswer({ error: SECRET }, 404)],
    ['a page', () => new Response(SECRET, { status: 200, headers: { 'content-type': `text/${encodeURIComponent(SECRET)}` } })],
    ['another type', () => jsonAnswer({ state: [SECRET], days: SECRET })], ['a redirect', () => redirectTo(`http://x.example/${SECRET}?t=${SECRET}`)],
    ['an error with the address', () => new TypeError(`fetch failed ${SECRET}`, { cause: Object.assign(new Error(SECRET), { code: SECRET }) })],
    ['500', () => jsonAnswer({ error: { message: SECRET } }, 500)],
  ])('a token that comes back in %s is shown nowhere', async (_, answer) => {
    for (const call of [ORDER, STATUS]) {
      const error = await asker(scriptedNetwork(answer)).ask(call, 'Order').then(() => null, (one: unknown) => one)
      const shown = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), error instanceof Error ? error.message + String(error.stack) : '', ...notes].join('\n')
      expect(shown.includes(SECRET) || shown.includes(encodeURIComponent(SECRET))).toBe(false)
      expect(shown).not.toMatch(/[?&]t=/)
    }
  })

  test('a field that holds the token in a wrong type is not shown', async () => {
    const { message } = await refusalOf(() => asker(scriptedNetwork(() => jsonAnswer({ status: 'paid', order_id: 'a', total_cents: SECRET, item_count: 1, paid_at: 'x', currency: 'EUR', items: [] }))).ask(ORDER, 'Order'))
    expect(message.includes(SECRET)).toBe(false)
  })
})

describe('over sockets', () => {
  const servers: Server[] = []
  afterEach(() => { for (const server of servers.splice(0)) server.close() })

  async function served(server: Server): Promise<string> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  }
  /** A server that answers each connection with the next text; a null ends it with a reset, an open one stalls. */
  function talking(...texts: readonly (string | null)[]): Server {
    let at = 0
    return createTcp((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        const text = texts[Math.min(at++, texts.length - 1)]!
        if (text === null) socket.resetAndDestroy()
        else if (text.endsWith('...')) socket.write(text.slice(0, -3))
        else socket.end(text)
      })
    })
  }
  const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 17\r\nconnection: close\r\n\r\n{"state":"ready"}'

  test.each([
    ['a reset', null], ['silence', '...'], ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le...'], ['half a body', `${whole.slice(0, -5)}...`],
    ['a body that is cut', whole.slice(0, -5)], ['no HTTP', 'hello\r\n\r\n'],
  ])('%s is asked again', async (_, text) => {
    const url = await served(talking(text, whole))
    const clock = new QuickClock(0, [150])
    expect((await asker(SHOP_NETWORK, clock, { url, answerMs: 150 }).ask(STATUS, 'DayState')).answer).toEqual(READY)
    expect(notes.length).toBe(1)
  })

  test('a signal ends an answer that does not come', async () => {
    const url = await served(talking('...'))
    const abort = new AbortController()
    setTimeout(() => { abort.abort() }, 30)
    expect((await refusalOf(() => asker(SHOP_NETWORK, new QuickClock(), { url }).ask({ ...STATUS, signal: abort.signal }, 'DayState'))).code).toBe('STOPPED')
  })

  test('an answer of real HTTP', async () => {
    const url = await served(createServer((request, response) => { response.end(JSON.stringify({ state: request.url })) }))
    expect((await asker(SHOP_NETWORK, new QuickClock(), { url }).ask({ ...STATUS, token: 'abc' }, 'DayState')).answer.state).toBe('/api/download/order/o1/7/2026-01-01?status=1&t=abc')
  })
})
