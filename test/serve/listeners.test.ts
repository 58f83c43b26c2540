import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANSWER_HEADERS } from '../../src/web/answer-headers.js'
import { RawHttp } from '../support/raw-http.ts'
import { ServedDays } from '../support/served-days.ts'

let served: ServedDays
beforeAll(async () => { served = await ServedDays.open() })
afterAll(() => served.close())

/** Each place of a server, with the status that it answers. */
const PLACES: readonly (readonly [string, () => string, number])[] = [
  ['the directory', () => `${served.serving.addresses.http}/api/realtime/instruments?market=synthetic_swap`, 404],
  ['the lookup', () => `${served.serving.addresses.http}/api/accounts/paper/tradingservers`, 200],
  ['nothing', () => `${served.serving.addresses.http}/nothing`, 404],
  ['a feed', () => served.serving.addresses.feeds[0]!.info, 200],
  ['the handshake of a feed', () => served.serving.addresses.feeds[0]!.json.replace('ws', 'http'), 426],
  ['the control port', () => served.serving.addresses.control!.url, 401],
]

// Side by side, as a server waits ten seconds for the rest of a body.
describe.concurrent.each(PLACES)('%s', (_name, urlOf, status) => {
  test('has the headers of every answer', async () => {
    const { headers, status: found } = await fetch(urlOf())
    expect(found).toBe(status)
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) expect([name, headers.get(name)]).toEqual([name, value])
  })

  test.each(['POST', 'PUT', 'GET'])('never takes the body of a %s for a request', async (method) => {
    const { port, pathname, search } = new URL(urlOf())
    const hidden = `GET ${pathname}${search} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    const raw = await RawHttp.to(Number(port))
    raw.send([`${method} ${pathname}${search} HTTP/1.1`, 'Host: 127.0.0.1', `Content-Length: ${String(hidden.length * 2)}`], hidden)
    await raw.until(() => raw.statuses.length === 1)
    raw.write(hidden)
    raw.send(['GET / HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close'])
    expect((await raw.ended()).length).toBeLessThanOrEqual(2)
  })

  test('refuses two hosts', async () => {
    const { port, pathname, search } = new URL(urlOf())
    const raw = await RawHttp.to(Number(port))
    raw.send([`GET ${pathname}${search} HTTP/1.1`, 'Host: 127.0.0.1', 'Host: evil.example'])
    expect(await raw.ended()).toEqual([400])
  })
})
