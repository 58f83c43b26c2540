import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { newFolder } from '../support/new-folder.ts'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

const TOKEN = 'a-token-of-16-letters'
const opened: OpenedStrategies[] = []
afterEach(async () => { for (const { server } of opened.splice(0)) await server.close() })

async function open(steadyMs?: () => number): Promise<OpenedStrategies> {
  const tokenFile = join(newFolder(), 'token')
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 })
  const one = await openedStrategies({ tokenFile }, steadyMs)
  opened.push(one)
  return one
}

interface Got { readonly status: number, readonly headers: Readonly<Record<string, string | string[] | undefined>>, readonly text: string }

/** A request with exactly these headers: a fetch would add its own. */
async function get({ server: { url } }: OpenedStrategies, method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ''): Promise<Got> {
  const asked = request(url + path, { method, headers: { ...headers, ...method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {} } })
  asked.end(body)
  const [response] = await once(asked, 'response') as [import('node:http').IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { status: response.statusCode!, headers: response.headers, text: Buffer.concat(parts).toString('utf8') }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** The cookie that a browser gets for the token. */
async function loggedIn(one: OpenedStrategies): Promise<string> {
  const { headers } = await get(one, 'POST', '/login', { ...form, origin: one.server.url }, `token=${TOKEN}&to=/live`)
  return String(headers['set-cookie']?.[0]).split(';')[0]!
}

describe('a browser', () => {
  test('logs in by a page, reads and changes with its cookie, and logs out', async () => {
    const one = await open()
    const { url } = one.server
    const page = await get(one, 'GET', '/login')
    expect([page.status, page.headers['content-type'], page.headers['x-frame-options'], page.headers['referrer-policy']]).toEqual([200, 'text/html; charset=utf-8', 'DENY', 'same-origin'])
    expect(page.text).toContain('<form method="post" action="/login">')
    expect(page.text).not.toContain('<script')
    const wrong = await get(one, 'POST', '/login', { ...form, origin: url }, 'token=another-token-of-letters&to=/live%22%3E')
    expect([wrong.status, wrong.headers['set-cookie'], wrong.text.includes('not the token'), wrong.text.includes('"/live&quot;&gt;"')]).toEqual([401, undefined, true, true])
    const { status, headers } = await get(one, 'POST', '/login', { ...form, origin: url }, `token=${TOKEN}&to=/live`)
    const cookie = String(headers['set-cookie']?.[0])
    expect([status, headers['location']]).toEqual([303, '/live'])
    expect(cookie).toMatch(/^backtape_server_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    expect(cookie).not.toContain(TOKEN)
    const own = { cookie: cookie.split(';')[0]! }
    expect((await get(one, 'GET', '/login', own)).text).toContain('You are logged in')
    expect((await get(one, 'GET', '/api/v1/strategy', { ...own, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await get(one, 'POST', '/api/v1/strategy/stop-all', { ...own, origin: url })).status).toBe(200)
    const gone = await get(one, 'POST', '/logout', { ...own, origin: url })
    expect([gone.status, gone.headers['location'], String(gone.headers['set-cookie']?.[0]).includes('Max-Age=0')]).toEqual([303, '/login', true])
    expect((await get(one, 'GET', '/api/v1/strategy', own)).status).toBe(401)
  })

  test('goes on to paths of this server alone', async () => {
    const one = await open()
    for (const [to, wanted] of [['//evil.example/', '/login'], ['/\\evil.example', '/login'], ['https://evil.example/', '/login'], ['/live?a=1', '/live?a=1'], ['/a%0d%0ab', '/login'], ['/', '/']] as const) {
      const { headers } = await get(one, 'POST', '/login', { ...form, 'sec-fetch-site': 'same-origin' }, `token=${TOKEN}&to=${to.includes('%') ? to : encodeURIComponent(to)}`)
      expect([to, headers['location']]).toEqual([to, wanted])
    }
  })

  test.each([
    ['GET', { 'sec-fetch-site': 'cross-site' }, 401], ['GET', { 'sec-fetch-site': 'same-site' }, 401], ['GET', { origin: 'http://evil.example' }, 403], ['GET', { 'sec-fetch-site': 'none' }, 200], ['GET', {}, 200],
    ['POST', {}, 401], ['POST', { 'sec-fetch-site': 'none' }, 401], ['POST', { 'sec-fetch-site': 'cross-site' }, 401], ['POST', { origin: 'null' }, 403], ['POST', { 'sec-fetch-site': 'same-origin' }, 200],
  ] as const)('with a cookie, %s and %j: %d', async (method, headers, status) => {
    const one = await open()
    const cookie = await loggedIn(one)
    expect((await get(one, method, method === 'GET' ? '/api/v1/strategy' : '/api/v1/strategy/stop-all', { cookie, ...headers })).status).toBe(status)
  })

  test('is refused: another page, another form, too long, too often, a cookie that is none or too old', async () => {
    let nowMs = 0
    const one = await open(() => nowMs)
    const { url } = one.server
    for (const [headers, body, status] of [
      [{ ...form }, `token=${TOKEN}`, 403], [{ ...form, origin: 'http://evil.example' }, `token=${TOKEN}`, 403], [{ ...form, 'sec-fetch-site': 'cross-site' }, `token=${TOKEN}`, 403], [{ 'content-type': 'text/plain', origin: url }, `token=${TOKEN}`, 415],
      [{ ...form, origin: url }, 'token=', 422], [{ ...form, origin: url }, `token=${'x'.repeat(201)}`, 422], [{ ...form, origin: url }, `token=${TOKEN}&more=1`, 422], [{ ...form, origin: url }, 'x'.repeat(140_000), 413],
    ] as const) {
      const { status: found, text, headers: { 'set-cookie': cookie } } = await get(one, 'POST', '/login', headers, body)
      expect([headers, body.slice(0, 40), found, cookie]).toEqual([headers, body.slice(0, 40), status, undefined])
      expect(text).not.toContain(TOKEN)
    }
    nowMs += 60_000
    const cookie = await loggedIn(one)
    const ask = async (own: string): Promise<number> => (await get(one, 'GET', '/api/v1/strategy', { cookie: own })).status
    const [name = ''] = cookie.split('=')
    expect([await ask(cookie), await ask(`${name}=${TOKEN}`), await ask(`${name}=`), await ask(`other${cookie}`), await ask(`${cookie}x`)]).toEqual([200, 401, 401, 401, 401])
    nowMs += 43_200_001
    expect(await ask(cookie)).toBe(401)
    const statuses = []
    for (let at = 0; at < 12; at++) statuses.push((await get(one, 'POST', '/login', { ...form, origin: url }, 'token=another-token-of-letters')).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  })

  test('opens a WebSocket from a page of this server alone', async () => {
    const one = await open()
    const cookie = await loggedIn(one)
    const { url } = one.server
    for (const [headers, outcome] of [[{ cookie, origin: url }, 'open'], [{ cookie }, 'Unexpected server response: 401'], [{ cookie, origin: 'http://evil.example' }, 'Unexpected server response: 403'], [{ origin: url }, 'Unexpected server response: 401']] as const) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, { headers })
      const found = await once(socket, 'open').then(() => 'open', (error: unknown) => (error as Error).message)
      socket.terminate()
      expect([headers, found]).toEqual([headers, outcome])
    }
  })
})

test('a server without a token has no login', async () => {
  const one = await openedStrategies()
  opened.push(one)
  expect([(await get(one, 'GET', '/login')).status, (await get(one, 'POST', '/login', { ...form, origin: one.server.url }, 'token=a')).status, (await get(one, 'POST', '/logout')).status]).toEqual([404, 404, 404])
})
