import { once } from 'node:events'
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ANSWER_HEADERS } from '../../src/web/answer-headers.js'
import { listenHttp, refuseUpgrade, type HttpAnswers, type HttpPlace, type ListeningHttp } from '../../src/web/http-server.js'
import { passBody, readBody } from '../../src/web/request-body.js'
import { refusalOf } from '../support/collected.ts'
import { RawHttp } from '../support/raw-http.ts'

const open: ListeningHttp[] = []
const raws: RawHttp[] = []
afterEach(async () => {
  for (const raw of raws.splice(0)) raw.end()
  for (const one of open.splice(0)) await one.close()
})

/** Every request that reached the answers, in order. */
let asked: string[] = []
const say = (response: ServerResponse, status: number, body = ''): void => { response.writeHead(status, { 'content-length': body.length }).end(body) }

/** `/refused` is answered before its body is read, `/passed` after it was passed over, `/body` with its length. */
const ANSWERS: HttpAnswers = {
  request(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    if (url === '/refused') say(response, 403)
    else if (url === '/passed') void passBody(request).then(() => { say(response, 403) })
    else if (url === '/body') void readBody(request, 1000).then((body) => (typeof body === 'string' ? say(response, 413, body) : say(response, 200, String(body.length))))
    else if (url !== '/never') say(response, 200, url)
  },
}

async function listening(place: Partial<HttpPlace> = {}, answers = ANSWERS): Promise<{ readonly port: number, readonly http: ListeningHttp }> {
  asked = []
  const http = await listenHttp(answers, { host: '127.0.0.1', port: 0, closeMs: 100, ...place })
  open.push(http)
  return { port: http.port, http }
}

async function raw(port: number): Promise<RawHttp> {
  const one = await RawHttp.to(port)
  raws.push(one)
  return one
}

const GET = (path: string, ...headers: string[]): string[] => [`GET ${path} HTTP/1.1`, 'Host: a', ...headers]
const POST = (path: string, ...headers: string[]): string[] => [`POST ${path} HTTP/1.1`, 'Host: a', ...headers]
/** A request as a body has it: it must never be answered. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'
const SIZE = `Content-Length: ${String(HIDDEN.length)}`
const CHUNK = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`

describe('the body of a refused request is never the next request', () => {
  test.each<[string, string[], string, readonly number[], string[]]>([
    ['refused before its body is read', POST('/refused', SIZE), HIDDEN, [403], ['POST /refused']],
    ['refused, in chunks', POST('/refused', 'Transfer-Encoding: chunked'), CHUNK, [403], ['POST /refused']],
    ['a method without a body that has one', GET('/refused', SIZE), HIDDEN, [403], ['GET /refused']],
    ['a method that is not known here', ['PURGE /refused HTTP/1.1', 'Host: a', SIZE], HIDDEN, [403], ['PURGE /refused']],
    ['a body that is announced and waits for leave', POST('/refused', SIZE, 'Expect: 100-continue'), HIDDEN, [403], ['POST /refused']],
    ['two lengths', POST('/refused', SIZE, 'Content-Length: 0'), HIDDEN, [400], []],
    ['a length and chunks', POST('/refused', 'Content-Length: 0', 'Transfer-Encoding: chunked'), CHUNK, [400], []],
    ['chunks and a length', POST('/refused', 'Transfer-Encoding: chunked', SIZE), CHUNK, [400], []],
    ['an encoding after chunks', POST('/refused', 'Transfer-Encoding: chunked, identity'), CHUNK, [400], []],
    ['an encoding that is no word', POST('/refused', 'Transfer-Encoding: xchunked'), CHUNK, [400], []],
    ['a space before the colon', POST('/refused', 'Content-Length : 0'), HIDDEN, [400], []],
    ['a length with a sign', POST('/refused', 'Content-Length: +3'), HIDDEN, [400], []],
    ['a folded header', POST('/refused', 'X: 1', ' Content-Length: 3'), HIDDEN, [400], []],
    ['two hosts', POST('/x', 'Host: b', SIZE), HIDDEN, [400], []],
    ['the same host twice', GET('/x', 'Host: a'), '', [400], []],
    ['no host', ['POST /x HTTP/1.1', SIZE], HIDDEN, [400], []],
  ])('%s', async (_name, lines, body, statuses, reached) => {
    const { port } = await listening()
    const one = await raw(port)
    one.send(lines, body)
    await one.until(() => one.statuses.length >= statuses.length)
    if (!one.text.includes('onnection: keep-alive')) await one.ended()
    expect([one.statuses, asked]).toEqual([statuses, reached])
  })

  test('a body that comes after the answer', async () => {
    const { port } = await listening()
    const one = await raw(port)
    one.send(POST('/refused', SIZE))
    await one.until(() => one.statuses.length === 1)
    one.write(HIDDEN)
    expect([await one.ended(), asked]).toEqual([[403], ['POST /refused']])
    expect(one.text).toMatch(/connection: close/i)
  })

  test('a body that was passed over: the next request behind it is answered', async () => {
    const { port } = await listening()
    const one = await raw(port)
    one.send(POST('/passed', SIZE), HIDDEN)
    one.send(GET('/next'))
    await one.until(() => one.statuses.length === 2)
    expect([one.statuses, asked, one.endedMs]).toEqual([[403, 200], ['POST /passed', 'GET /next'], null])
  })

  test.each<[string, string]>([['/passed', 'Content-Length: 50000000'], ['/refused', 'Content-Length: 50000000'], ['/body', 'Content-Length: 50000000'], ['/passed', 'Transfer-Encoding: chunked'], ['/body', 'Transfer-Encoding: chunked']])(
    'a body without an end: %s, %s', async (path, header) => {
      const { port } = await listening()
      const one = await raw(port)
      one.send(POST(path, header))
      const part = 'x'.repeat(0x10000)
      let sent = 0
      for (; one.endedMs === null && sent < 800; sent++) {
        one.write(header.startsWith('T') ? `10000\r\n${part}\r\n` : part)
        await new Promise((done) => { setImmediate(done) })
      }
      // The end of the connection may be quicker than the answer.
      expect([[], [path === '/body' ? 413 : 403]]).toContainEqual(await one.ended())
      expect([asked, sent < 800]).toEqual([[`POST ${path}`], true])
    })
})

test.each<[string, number]>([['/passed', 403], ['/body', 413]])('a client that sends 10 MB to %s reads its answer', async (path, status) => {
  const { port } = await listening()
  const url = `http://127.0.0.1:${String(port)}${path}`
  for (const body of [Buffer.alloc(10_000_000), new Blob([Buffer.alloc(10_000_000)]).stream()]) {
    const response = await fetch(url, { method: 'POST', body, duplex: 'half' })
    expect([response.status, response.headers.get('connection')]).toEqual([status, 'keep-alive'])
  }
})

describe('limits', () => {
  test.each<[string, string[], string, number]>([
    ['headers too long', GET('/x', `A: ${'a'.repeat(17_000)}`), '', 431],
    ['a path too long', GET(`/${'a'.repeat(17_000)}`), '', 431],
    ['many headers', GET('/x', ...Array.from({ length: 2_000 }, (_, at) => `A${String(at)}: 12345`)), '', 431],
    ['no HTTP', ['SSH-2.0-x'], '', 400],
    ['a byte 0 in a header', GET('/x', 'A: \0'), '', 400],
  ])('%s', async (_name, lines, body, status) => {
    const { port } = await listening()
    const one = await raw(port)
    one.send(lines, body)
    expect([await one.ended(), asked]).toEqual([[status], []])
  })

  test('no header is left out silently, however many there are', async () => {
    let found = 0
    const { port } = await listening({ headerBytes: 65_536 }, { request: ({ headers }, response) => {
      found = Object.keys(headers).length
      say(response, 200)
    } })
    const one = await raw(port)
    one.send(GET('/x', ...Array.from({ length: 3_000 }, (_, at) => `a${String(at)}: 1`)))
    await one.until(() => one.statuses.length === 1)
    expect(found).toBe(3_001)
  })

  test.each<[string, string]>([
    ['the headers never end', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['nothing comes', ''],
    ['the body never ends', 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'],
    ['the chunks never end', 'POST /passed HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['the body of a refused request never ends', 'POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'],
  ])('%s: the connection ends in its time', async (_name, text) => {
    const { port } = await listening({ headersMs: 100, requestMs: 100 })
    const one = await raw(port)
    one.write(text)
    const statuses = await one.ended()
    expect(statuses.every((status) => status === 408 || (status === 403 && text.includes('/refused')))).toBe(true)
    expect(one.endedMs).toBeLessThan(2_000)
  })

  test('a body that comes byte by byte is not waited for longer than another', async () => {
    const { port } = await listening({ headersMs: 150, requestMs: 150 })
    const one = await raw(port)
    one.send(POST('/body', 'Content-Length: 1000'))
    while (one.endedMs === null) {
      one.write('x')
      await new Promise((done) => setTimeout(done, 10))
    }
    expect(one.statuses).toEqual([408])
  })

  test('an idle connection ends', async () => {
    const { port } = await listening({ idleMs: 50 })
    const one = await raw(port)
    one.send(GET('/x'))
    expect(await one.ended()).toEqual([200])
  })

  test('connections beyond the number are closed, and their places are free again', async () => {
    const { port } = await listening({ connections: 2 })
    const [first, second] = [await raw(port), await raw(port)]
    expect(await (await raw(port)).ended()).toEqual([])
    first.end()
    second.send(GET('/x'))
    await second.until(() => second.statuses.length === 1)
    const third = await raw(port)
    third.send(GET('/y'))
    await third.until(() => third.statuses.length === 1)
    expect(asked).toEqual(['GET /x', 'GET /y'])
  })
})

describe('answers', () => {
  test('have the headers of this house', async () => {
    const { port } = await listening()
    const { headers } = await fetch(`http://127.0.0.1:${String(port)}/x`)
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) expect([name, headers.get(name)]).toEqual([name, value])
    expect(ANSWER_HEADERS).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
  })

  test('a route states others', async () => {
    const { port } = await listening({}, { request: (_, response) => { response.writeHead(200, { 'Cache-Control': 'max-age=1' }).end() } })
    const { headers } = await fetch(`http://127.0.0.1:${String(port)}/x`)
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['max-age=1', 'nosniff'])
  })
})

describe('upgrades', () => {
  const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket']

  test.each<[string, HttpAnswers['upgrade'], string[], readonly number[]]>([
    ['nobody takes it', () => false, GET('/x', ...UPGRADE), [404]],
    ['it is refused', (_, socket) => {
      refuseUpgrade(socket, 429, 'full')
      return true
    }, GET('/x', ...UPGRADE), [429]],
    ['it has two hosts', () => true, GET('/x', 'Host: b', ...UPGRADE), [400]],
    ['it has a body', () => false, POST('/x', SIZE, ...UPGRADE), [404]],
    ['it is refused, and more comes', () => false, [...GET('/x', ...UPGRADE), '', HIDDEN], [404]],
  ])('%s: its connection ends', async (_name, upgrade, lines, statuses) => {
    const { port } = await listening({}, { ...ANSWERS, upgrade: upgrade! })
    const one = await raw(port)
    one.send(lines, HIDDEN)
    expect([await one.ended(), asked]).toEqual([statuses, []])
    for (const header of ['connection: close', 'x-content-type-options: nosniff']) expect(one.text).toContain(`\r\n${header}\r\n`)
  })

  test('a server without any passes them over', async () => {
    const { port } = await listening()
    const one = await raw(port)
    one.send(GET('/x', ...UPGRADE))
    await one.until(() => one.statuses.length === 1)
    expect(one.statuses).toEqual([200])
  })
})

describe('closing', () => {
  test.each<[string, (port: number) => Promise<RawHttp>, number, number]>([
    ['a connection that was never used', raw, 0, 80],
    ['one between two requests', async (port) => {
      const one = await raw(port)
      one.send(GET('/x'))
      await one.until(() => one.statuses.length === 1)
      return one
    }, 0, 80],
    ['one whose answer does not come', async (port) => {
      const one = await raw(port)
      one.send(GET('/never'))
      return one
    }, 90, 600],
    ['one in the middle of a body', async (port) => {
      const one = await raw(port)
      one.send(POST('/body', 'Content-Length: 9'), 'abc')
      return one
    }, 90, 600],
    ['one that has become something else', async (port) => {
      const one = await raw(port)
      one.send(GET('/x', 'Connection: Upgrade', 'Upgrade: own'))
      await one.until(() => one.statuses.length === 1)
      return one
    }, 90, 600],
  ])('%s is ended', async (_name, connected, from, to) => {
    const { port, http } = await listening({}, { ...ANSWERS, upgrade: (_, socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 101 Switching\r\n\r\n')
      return true
    } })
    const one = await connected(port)
    const other = await raw(port)
    await new Promise((done) => setTimeout(done, 20))
    const began = performance.now()
    await http.close()
    const took = performance.now() - began
    expect([took >= from, took <= to], String(took)).toEqual([true, true])
    await Promise.all([one.ended(), other.ended()])
    await expect(fetch(`http://127.0.0.1:${String(port)}/x`)).rejects.toThrow()
  })

  test('an answer under way is finished, and its connection not kept', async () => {
    let finish = (): void => undefined
    const { port, http } = await listening({ closeMs: 5_000 }, { request: (_, response) => {
      response.write('half ')
      finish = () => { response.end('whole') }
    } })
    const response = once(ask({ port, agent: undefined, headers: { connection: 'keep-alive' } }).end(), 'response') as Promise<[IncomingMessage]>
    const [message] = await response
    const began = performance.now()
    const closed = http.close()
    finish()
    let text = ''
    for await (const chunk of message as AsyncIterable<Buffer>) text += chunk.toString()
    await closed
    expect([text, performance.now() - began < 1_000]).toEqual(['half whole', true])
  })

  test('twice is harmless', async () => {
    const { http } = await listening()
    await Promise.all([http.close(), http.close()])
    await http.close()
  })
})

describe('a place that cannot be had', () => {
  test.each<[string, Partial<HttpPlace>, string, string]>([
    ['an address of another machine', { host: '192.0.2.1' }, 'OPTION_INVALID', 'Cannot listen at 192.0.2.1:0: this machine does not have that address'],
    ['one of IPv6', { host: '2001:db8::1' }, 'OPTION_INVALID', 'Cannot listen at [2001:db8::1]:0: this machine does not have that address'],
    ['a name that nobody knows', { host: 'nowhere.invalid' }, 'OPTION_INVALID', 'Cannot listen at nowhere.invalid:0: '],
    ['no port', { port: 65_536 }, 'OPTION_INVALID', 'Cannot listen at 127.0.0.1:65536: '],
    ['half a port', { port: 0.5 }, 'OPTION_INVALID', 'Cannot listen at 127.0.0.1:0.5: '],
    ['with a purpose', { port: -1, purpose: 'test_spot' }, 'OPTION_INVALID', 'Cannot listen at 127.0.0.1:-1 for test_spot: '],
  ])('%s', async (_name, place, code, words) => {
    expect(await refusalOf(() => listening(place))).toMatchObject({ code, message: expect.stringContaining(words) as string })
  })

  test('a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const refusal = await refusalOf(() => listening({ port }))
    expect(refusal).toMatchObject({ code: 'ADDRESS_TAKEN', message: `Cannot listen at 127.0.0.1:${String(port)}: another program does`, place: { found: `127.0.0.1:${String(port)}` } })
    other.close()
  })
})
